"""Parameters of tests that show the same on many examples: a sample of them every time, all of them in the long run."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

T = TypeVar("T")


def sampled(examples: Iterable[T], sample: Container[T]) -> list[ParameterSet]:
    """All examples; what is not in the sample is left to ``make test-all``."""
    return [pytest.param(one, marks=() if one in sample else pytest.mark.exhaustive) for one in examples]
