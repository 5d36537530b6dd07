"""The findings of a check, one line each: where it is, what is wrong and what would be right."""

from __future__ import annotations

from enum import StrEnum

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf.characters import writable


class Severity(StrEnum):
    """An error makes the model invalid; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake. ``resource`` and ``term`` are written as in the model; ``line`` is ``None`` without lines."""

    severity: Severity
    file: str
    line: int | None
    column: int | None
    resource: str | None
    term: str | None
    message: str
    advice: str

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        subject = " ".join(part for part in (self.resource, self.term) if part is not None)
        named = f"{subject}: " if subject else ""
        return writable(f"{place}: {self.severity}: {named}{self.message}; {self.advice}")


def has_errors(findings: tuple[Finding, ...]) -> bool:
    """Whether the model is invalid."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def in_reading_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """The findings in the order of their lines, without duplicates."""
    return tuple(sorted(set(findings), key=_position))


def _position(finding: Finding) -> tuple[int, int, str, str, str]:
    return (finding.line or 0, finding.column or 0, finding.resource or "", finding.term or "", finding.message)
