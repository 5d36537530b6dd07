"""The end of a run that recognised names: scores for every name and page, and the people they belong to.

Texts and names are never held together: the mentions go through files that are sorted by page, by name and by family
name, and only one page, one name, one family is in memory at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.run.neighbours import Neighbours
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import derived_iri
from rdfcrawl.rdf.ntriples import RDF_TYPE, iri, literal
from rdfcrawl.recognise.mentions import (
    MENTIONS,
    NAMESPACE,
    PageMentions,
    compact,
    hash_of,
    mention_node,
    name_node,
    person_node,
)
from rdfcrawl.recognise.people import PersonForm, family_key, people
from rdfcrawl.recognise.scores import Corpus, bm25, inverse_frequency, tf_idf
from rdfcrawl.store.files.lines import read_lines, write_sorted

_MENTIONS: Final = MENTIONS.encode()
_ROUNDED: Final = 6
_IN_MEMORY: Final = 32 << 20
"""Files up to this size are sorted without others; larger ones take the way by the disk."""

Row = tuple[str, str, int, int, list[list[str]], str, list[str]]
"""A name on a page: name, page, count, words of the page, facts, excerpt, objects."""


def recognises(model: Model) -> bool:
    """Whether a model looks for names at all."""
    return any(prop.recognise for item in model.items() for prop in item.properties)


def split_mentions(journal: Path, folder: Path, duplicates: Set[bytes] = frozenset()) -> tuple[Path, Path]:
    """The journal's lines in two files: those of the graph, and the mentions of pages that repeat no others.

    The journal itself stays as it is: after a crash it is cut to what was acknowledged, and all of this is done again.
    """
    graph, mentions = folder / "graph.nq", folder / "mentions.nq"
    with graph.open("wb") as kept, mentions.open("wb") as taken:
        for line in read_lines(journal):
            subject, predicate, _ = line.split(b" ", 2)
            if predicate != _MENTIONS:
                kept.write(line + b"\n")
            elif subject not in duplicates:
                taken.write(line + b"\n")
    return graph, mentions


def write_derived(mentions: Path, run: int, target: Path, linked: Neighbours = MappingProxyType({})) -> int:
    """Score the mentions, write the run's derived graph and return how many triples it has.

    ``linked`` are pages of different hosts that link to each other: a person may be mentioned on both.
    """
    folder = mentions.parent
    rows, lines, forms = folder / "rows.jsonl", folder / "derived.nq", folder / "forms.jsonl"
    corpus = _write_rows(_in_order(mentions), rows)
    with lines.open("wb") as quads:
        writer = _Quads(quads, run)
        writer.write(_about(run, corpus))
        with forms.open("wb") as written:
            for name, group in groupby(map(json.loads, _in_order(rows)), key=itemgetter(0)):
                found = list(group)
                writer.write(_scored(name, found, corpus))
                written.write(_form_row(name, found))
        for _, members in groupby(map(json.loads, _in_order(forms)), key=itemgetter(0)):
            writer.write(_people(members, linked))
    triples = write_sorted(lines, target)
    for path in (rows, lines, forms):
        path.unlink(missing_ok=True)
    return triples


def _in_order(path: Path) -> Iterator[bytes]:
    """The distinct lines of a file in their order; only of a small file all at once."""
    if path.stat().st_size <= _IN_MEMORY:
        yield from sorted({line for line in path.read_bytes().split(b"\n") if line})
        return
    ordered = path.with_suffix(".sorted.gz")
    write_sorted(path, ordered)
    yield from read_lines(ordered)
    ordered.unlink()


class _Quads:
    """Writes statements as lines of the derived graph."""

    def __init__(self, file: BinaryIO, run: int) -> None:
        self._file = file
        self._ending = f" {iri(derived_iri(run))} .\n"

    def write(self, statements: Iterable[str]) -> None:
        """Append statements without graph and dot."""
        ending = self._ending
        self._file.write("".join([statement + ending for statement in statements]).encode())


def _write_rows(by_page: Iterable[bytes], rows: Path) -> Corpus:
    """Write a row for each name on each page, and count pages and words."""
    pages = words = 0
    with rows.open("wb") as file:
        for page, lines in groupby(by_page, key=lambda line: line[: line.index(b" ")]):
            address = page.decode()[1:-1]
            said = [PageMentions.unpacked(address, line[line.index(b'"') + 1 : line.rindex(b'"')]) for line in lines]
            length = max(_total(said, lambda one: one.words).values())
            pages += 1
            words += length
            for row in _page_rows(address, said, length):
                file.write(compact(row).encode("utf-8", "replace") + b"\n")
    return Corpus(pages, words)


def _page_rows(page: str, said: list[PageMentions], length: int) -> Iterator[Row]:
    """The names of a page; one that two properties or two kinds of page find in the same text counts once."""
    counts: dict[str, dict[tuple[str, str], int]] = {}
    facts: dict[str, Sequence[Sequence[str]]] = {}
    excerpts: dict[str, str] = {}
    subjects: dict[str, set[str]] = {}
    for one in said:
        for mention in one.mentions:
            by_source = counts.setdefault(mention.name, {})
            source = (one.kind, mention.predicate)
            by_source[source] = by_source.get(source, 0) + mention.times
            facts.setdefault(mention.name, mention.facts)
            excerpts.setdefault(mention.name, mention.excerpt)
            subjects.setdefault(mention.name, set()).add(mention.subject)
    for name, by_source in counts.items():
        parts = [list(fact) for fact in facts[name]]
        objects = sorted(subjects[name] - {page})
        yield name, page, max(by_source.values()), length, parts, excerpts[name], objects


def _total(said: Iterable[PageMentions], value: Callable[[PageMentions], int]) -> dict[str, int]:
    """A number of each kind of page: a list that goes on at the same address has several parts."""
    totals: dict[str, int] = {}
    for one in said:
        totals[one.kind] = totals.get(one.kind, 0) + value(one)
    return totals


def _about(run: int, corpus: Corpus) -> Iterator[str]:
    graph = iri(derived_iri(run))
    yield f"{graph} {_term('pages')} {_integer(corpus.pages)}"
    yield f"{graph} {_term('words')} {_integer(corpus.words)}"


def _scored(name: str, rows: list[list[Any]], corpus: Corpus) -> Iterator[str]:
    """What is said of a name, and of each page that mentions it."""
    node = f"<{name_node(name)}>"
    inverse = inverse_frequency(corpus, len(rows))
    yield f"{node} {_NAME} {literal(name)}"
    said = {(fact, text) for row in rows for fact, text in row[4]}
    for fact, text in sorted(said):
        yield f"{node} {_term(fact)} {literal(text)}"
    for _, page, count, words, _, excerpt, objects in rows:
        mention = f"<{mention_node(name, page)}>"
        yield f"{mention} {_OF} {node}"
        yield f"{mention} {_PAGE} {iri(page)}"
        yield f"{mention} {_COUNT} {_integer(count)}"
        yield f"{mention} {_TF_IDF} {_double(tf_idf(count, inverse))}"
        yield f"{mention} {_BM25} {_double(bm25(count, words, corpus, inverse))}"
        if excerpt:
            yield f"{mention} {_EXCERPT} {literal(excerpt)}"
        for subject in objects:
            yield f"{mention} {_IN} {iri(subject)}"


def _form_row(name: str, rows: list[list[Any]]) -> bytes:
    """A form for the grouping, with the family name first; the parts that most pages agree on are its parts."""
    given = family = ""
    for fact, text in (fact for row in rows for fact in row[4]):
        given = given or (text if fact == "given" else "")
        family = family or (text if fact == "family" else "")
    hosts = sorted({host_of(row[1]) for row in rows})
    pages = [hash_of(row[1]) for row in rows]
    row = [family_key(family or name), name, given, family, hosts, sum(one[2] for one in rows), pages]
    return compact(row).encode("utf-8", "replace") + b"\n"


def _people(rows: Iterable[list[Any]], linked: Neighbours) -> Iterator[str]:
    forms = []
    pages = {}
    for _, name, given, family, hosts, count, seen in rows:
        near = frozenset().union(*(linked[page] for page in seen if page in linked)) if linked else frozenset()
        forms.append(
            PersonForm(name, given, family, frozenset(hosts), count, frozenset(seen) if linked else near, near)
        )
        pages[name] = seen
    for person in people(forms):
        node = f"<{person_node(min(person.hosts), person.label)}>"
        yield f"{node} {RDF_TYPE} {_PERSON_CLASS}"
        yield f"{node} {_LABEL} {literal(person.label)}"
        yield f"{node} {_COUNT} {_integer(sum(form.count for form in person.forms))}"
        seen_on = {page for form in person.forms for page in pages[form.name]}
        yield f"{node} {_PAGES} {_integer(len(seen_on))}"
        for form in person.forms:
            yield f"<{name_node(form.name)}> {_PERSON} {node}"


def _term(name: str) -> str:
    return iri(f"{NAMESPACE}{name}")


def _integer(number: int) -> str:
    return f'"{number}"^^<{terms.INTEGER}>'


def _double(number: float) -> str:
    # Adding zero makes the negative zero of a rounded difference a plain one.
    return f'"{round(number, _ROUNDED) + 0.0!r}"^^<{terms.DOUBLE}>'


_NAME, _OF, _PAGE, _COUNT, _TF_IDF, _BM25, _EXCERPT, _IN, _LABEL, _PERSON, _PAGES = map(
    _term, ("name", "of", "page", "count", "tfidf", "bm25", "excerpt", "in", "label", "person", "pages")
)
_PERSON_CLASS: Final = _term("Person")
