"""The result of a check."""

from __future__ import annotations

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.model import Model


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check: the model if it is valid, and the findings in reading order."""

    model: Model | None
    findings: tuple[Finding, ...]
