"""A store in which a test writes runs as it wants them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.versioning.written_runs import WrittenRuns


@pytest.fixture
def runs(tmp_path: Path) -> WrittenRuns:
    """An empty store."""
    return WrittenRuns(tmp_path / "store")
