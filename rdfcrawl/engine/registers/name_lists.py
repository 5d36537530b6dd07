"""Lists of names from a SPARQL endpoint, from files of full names, and from files of single ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.registers.paged import Notice, PagedQuery, answers
from rdfcrawl.errors import UsageError
from rdfcrawl.recognise.lists.counting import NameCount
from rdfcrawl.recognise.lists.files import FIRST_LINE, read_name_list, write_name_list
from rdfcrawl.recognise.sets.name_sets import sets_from_full_names, write_name_sets

_LANGUAGE_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz-")


@dataclass(frozen=True, slots=True)
class NameSources:
    """Where names come from: full or single ones, given names, family names, and an endpoint."""

    files: Sequence[Path] = ()
    given: Sequence[Path] = ()
    family: Sequence[Path] = ()
    endpoint: PagedQuery | None = None


def persons_query(endpoint: str, language: str, limit: int, page_size: int, *, ordered: bool) -> PagedQuery:
    """The names of all humans that Wikidata knows."""
    text = f"""PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT DISTINCT ?name WHERE {{
  ?id wdt:P31 wd:Q5 .
  ?id rdfs:label ?name .
  FILTER(lang(?name) = '{checked_language(language)}')
}}{" ORDER BY ?name" if ordered else ""}"""
    return PagedQuery(endpoint, text, ("name",), limit, page_size)


def checked_language(language: str) -> str:
    """The tag, if it is one: it becomes part of a query."""
    if not language or not set(language.lower()) <= _LANGUAGE_LETTERS:
        raise UsageError(f"{language!r} is not a language tag; write one such as en or pt-br")
    return language.lower()


def build_name_list(
    target: Path, sources: NameSources, notice: Notice, *, least: int = 1, as_sets: bool = False
) -> str:
    """Write a list, or the sets of the state machine, and return a sentence about it."""
    if not (sources.files or sources.given or sources.family or sources.endpoint):
        raise UsageError("name where the names come from: --endpoint URL, --from FILE, --given FILE or --family FILE")
    if not target.parent.is_dir():
        raise UsageError(f"the folder {target.parent} does not exist")
    kept = target.with_name(f"{target.name}.part")
    if as_sets:
        said = _write_sets(target, sources, kept, notice)
    else:
        said = _write_counts(target, sources, kept, notice, least)
    kept.unlink(missing_ok=True)
    return said


def _write_counts(target: Path, sources: NameSources, kept: Path, notice: Notice, least: int) -> str:
    count = NameCount()
    for name in _full_names(sources, kept, notice):
        if not count.add_full_name(name) and len(name.split()) == 1:
            count.add_given(name)
            count.add_family(name)
    for path in sources.files:
        if _is_list(path):
            _add_list(count, path)
    for path in sources.given:
        for name in _lines(path):
            count.add_given(name)
    for path in sources.family:
        for name in _lines(path):
            count.add_family(name)
    made = count.listed(target.name, least=least)
    if not made.words:
        raise UsageError("no names were found, so that no list was written")
    write_name_list(made, target)
    return f"{target}: {len(made):,} words from {made.total:,} names"


def _write_sets(target: Path, sources: NameSources, kept: Path, notice: Notice) -> str:
    sets = sets_from_full_names(_full_names(sources, kept, notice))
    if not sets.last:
        raise UsageError("no names were found, so that no sets were written")
    write_name_sets(sets, target)
    return f"{target}: {len(sets.first):,} first, {len(sets.middle):,} middle and {len(sets.last):,} last names"


def _full_names(sources: NameSources, kept: Path, notice: Notice) -> Iterator[str]:
    for path in sources.files:
        if not _is_list(path):
            yield from _lines(path)
    if sources.endpoint is not None:
        for (name,) in answers(sources.endpoint, kept, notice):
            yield name


def _add_list(count: NameCount, path: Path) -> None:
    made = read_name_list(path)
    for word in made.words:
        given, family = made.counts(word)
        count.add_given(word, given)
        count.add_family(word, family)


def _is_list(path: Path) -> bool:
    """Whether a file is a list of counts already."""
    try:
        with path.open("rb") as file:
            start = file.read(len(FIRST_LINE))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    return start == FIRST_LINE.encode() or start.startswith((b"\xfd7zXZ", b"\x1f\x8b"))


def _lines(path: Path) -> Iterable[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error}") from None
    return [name for line in text.splitlines() if (name := line.strip()) and not name.startswith("#")]
