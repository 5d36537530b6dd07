"""How many addresses of a list a survey has reached, and why it has not reached the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.site.leads import LIMIT, NOFOLLOW, TOO_DEEP, TRAP, UNSELECTED
from rdfcrawl.engine.site.scope import belongs_to
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.reading import BINARY, DISALLOWED, DUPLICATE, HTML, REDIRECT, SurveyedPage, read_links, read_pages

_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_FRONT: Final = re.compile(r"^[a-z]+://(?:(?:www|ww2|ww3)\.(?=.))?")
_SCHEME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")

NEVER_LINKED: Final = "never linked"
OUT_OF_SCOPE: Final = "out of scope"
_UNREAD: Final = {
    TOO_DEEP: "too deep",
    LIMIT: "left by a limit",
    NOFOLLOW: "only linked with nofollow",
    UNSELECTED: "only linked outside of :follow",
}


@dataclass(frozen=True, slots=True)
class MissingAddress:
    """An address that was not reached, and why."""

    address: str
    reason: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many addresses a list has, and which of them were not reached."""

    listed: int
    missing: tuple[MissingAddress, ...]

    @property
    def reached(self) -> int:
        """How many were reached."""
        return self.listed - len(self.missing)

    @property
    def percent(self) -> float:
        """How many of a hundred were reached."""
        return 100 * self.reached / self.listed


def read_list(text: str, name: str) -> dict[str, str]:
    """The addresses of a list by their loose names, with the address as it is written; raises ``UsageError``."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        written = _COMMENT.sub("", line).strip()
        if not written:
            continue
        full = written if _SCHEME.match(written) else f"http://{written}"
        try:
            address = resolve(full, full)
        except BadAddress as error:
            raise UsageError(f"{name}:{number}: {error}") from None
        is_mail = full != written and "@" in written.partition("/")[0]
        if is_mail or any(char.isspace() for char in written) or not address.startswith(("http://", "https://")):
            raise UsageError(f"{name}:{number}: {written!r} is not an address; a list has one on each line")
        found.setdefault(loose(address), written)
    if not found:
        raise UsageError(f"{name} has no addresses; a list has one on each line, and comments begin with #")
    return found


def loose(address: str) -> str:
    """What two spellings of an address have in common: not the scheme, ``www``, or a slash at the end."""
    rest = _FRONT.sub("", address.partition("#")[0])
    path, mark, query = rest.partition("?")
    return path.rstrip("/") + mark + query


def coverage_of(runs: RunFiles, record: RunRecord, listed: Mapping[str, str]) -> Coverage:
    """Look up the addresses of a list in a survey."""
    found: dict[str, list[SurveyedPage]] = {}
    redirects: dict[str, SurveyedPage] = {}
    outcomes: dict[str, str] = {}
    for page in read_pages(runs, record):
        if page.kind == REDIRECT:
            redirects[page.address] = page
        else:
            outcomes[page.address] = _outcome(page)
        if (name := loose(page.address)) in listed:
            found.setdefault(name, []).append(page)
    reasons = {
        name: min((_reason(page, redirects, outcomes) for page in pages), key=len) for name, pages in found.items()
    }
    reasons |= _unmet(runs, record, listed, found.keys(), redirects)
    return Coverage(len(listed), tuple(MissingAddress(listed[name], reasons[name]) for name in listed if reasons[name]))


def _outcome(page: SurveyedPage) -> str:
    """Why a page was not reached; empty if it was."""
    if page.kind in (HTML, BINARY, DUPLICATE):
        return ""
    if page.kind == DISALLOWED:
        return "disallowed by robots.txt"
    if page.is_broken:
        return f"failed: {page.finding}"
    reason = page.reason or LIMIT
    return reason if reason.startswith(TRAP) else _UNREAD.get(reason, reason)


def _reason(page: SurveyedPage, redirects: Mapping[str, SurveyedPage], outcomes: Mapping[str, str]) -> str:
    """The same, where a redirect counts as what it leads to."""
    passed: set[str] = set()
    address = page.address
    while (redirect := redirects.get(address)) is not None:
        if address in passed:
            return "failed: redirects in a circle"
        passed.add(address)
        address = redirect.redirects_to or ""
    return outcomes.get(address, f"redirects out of the site, to {address}")


def _unmet(
    runs: RunFiles,
    record: RunRecord,
    listed: Mapping[str, str],
    met: Iterable[str],
    redirects: Mapping[str, SurveyedPage],
) -> dict[str, str]:
    """The addresses that are not in the survey, each with the reason."""
    unmet = set(listed) - set(met)
    if not unmet:
        return {}
    linked = {name for page in read_links(runs, record) for target in page.links if (name := loose(target)) in unmet}
    inside = _scopes(runs, record, redirects)
    return {name: OUT_OF_SCOPE if name in linked or not _within(name, inside) else NEVER_LINKED for name in unmet}


def _scopes(
    runs: RunFiles, record: RunRecord, redirects: Mapping[str, SurveyedPage]
) -> Sequence[Callable[[str], bool]]:
    """The rules of what belongs to the sites; one whose start redirects begins where that leads."""
    model = load_model(runs.model(record.id))
    rules = []
    for section in model.sections:
        extent = model.page(section.page).survey
        if extent is None:
            return [lambda _: True]
        start, hops = section.address, 0
        while start in redirects and hops < len(redirects):
            start, hops = redirects[start].redirects_to or start, hops + 1
        rules.append(belongs_to(start, extent.scope, extent.skips))
    return rules


def _within(name: str, rules: Sequence[Callable[[str], bool]]) -> bool:
    """Whether an address belongs to one of the sites, in any of its spellings."""
    spelled = [f"{scheme}://{www}{name}" for scheme in ("http", "https") for www in ("", "www.", "ww2.", "ww3.")]
    return any(rule(address) for rule in rules for address in spelled)
