"""The search for edits: part by part, from the outside of an object to its inside, as long as more is found again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.repair.bench import Bench, Standing
from rdfcrawl.drafting.repair.choices import choices_for
from rdfcrawl.drafting.repair.edits import Edit, edited
from rdfcrawl.drafting.repair.parts import Part, parts_of
from rdfcrawl.rdf.ntriples import iri, term_text

_ROUNDS: Final = 3
_SAMPLES: Final = 3
_DEAD: Final = 0.5
"""A part that finds less than this of what was known is looked at."""
_LOOSE: Final = 0.9
"""Once something around it was mended, a part is looked at that finds less than this of it, or much else."""


@dataclass(frozen=True, slots=True)
class Mend:
    """An edit with its evidence: how much of what was known is found with it, and was found without it.

    ``predicates`` are those of what it finds, as N-Triples text.
    """

    edit: Edit
    found: int
    found_before: int
    known: int
    samples: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()


def mend(bench: Bench, suspected: frozenset[str]) -> list[Mend]:
    """The edits that make a kind of page readable again; ``suspected`` are predicates of which much has disappeared."""
    edits: list[Edit] = []
    evidence: dict[tuple[str, str], Part] = {}
    before = current = bench.standing(edits)
    if current is None or before is None:
        return []
    for _ in range(_ROUNDS):
        is_better = False
        for part in _parts(bench, edits):
            if not _is_dead(part, bench, current, suspected, is_below_mended=bool(edits)):
                continue
            found = bench.best(edits, choices_for(part, bench, edits), current)
            if found is not None and _is_worth(part, bench, current, found[1]):
                edits = _joined(edits, found[0])
                current, is_better = found[1], True
                evidence |= {(edit.term, edit.name): part for edit in found[0]}
        if not is_better:
            break
    return [_mend(edit, evidence[edit.term, edit.name], bench, before, current) for edit in edits]


def _parts(bench: Bench, edits: list[Edit]) -> Iterator[Part]:
    """The parts as they are after the edits that were made so far, also while more are made.

    Where the root elements of objects are still there, their values are looked at before them: a value that moved is
    no reason to take everything from elsewhere.
    """
    keys = [(part.term, part.name) for part in parts_of(bench.model, bench.model.page(bench.page))]
    rooted = Counter(item for _, traces in bench.traces(edits) for item in {trace.item.iri for trace in traces})
    alive = {(item, "path") for item, count in rooted.items() if 2 * count >= len(bench.sheets)}
    for key in sorted(dict.fromkeys(keys), key=alive.__contains__):
        model = edited(bench.model, edits)
        yield next(part for part in parts_of(model, model.page(bench.page)) if (part.term, part.name) == key)


def _known(part: Part, bench: Bench) -> int:
    return sum(count for (_, name, _), count in bench.expected.items() if name in part.predicates)


def _is_dead(part: Part, bench: Bench, now: Standing, suspected: frozenset[str], *, is_below_mended: bool) -> bool:
    known = _known(part, bench)
    hits = now.hits_of(part.predicates)
    if not known:
        return False
    is_suspected = bool(part.predicates & suspected) or (part.item and iri(part.item.predicate) in suspected)
    if is_suspected or is_below_mended:
        return hits < (_LOOSE if is_below_mended or is_suspected else _DEAD) * known or now.others > known
    return hits == 0


def _is_worth(part: Part, bench: Bench, before: Standing, after: Standing) -> bool:
    """Whether with an edit the part finds at least half of what it has to find: more than before, or less besides."""
    known, hits = _known(part, bench), after.hits_of(part.predicates)
    gained = after.hits.total() - before.hits.total()
    is_cleaner = gained >= 0 and after.others < before.others
    return hits * 2 >= known and (gained > 0 or is_cleaner)


def _joined(edits: Sequence[Edit], more: Sequence[Edit]) -> list[Edit]:
    """All edits, with one for each term: the text before the first and that after the last."""
    joined = {(edit.term, edit.name, edit.old if edit.old is None else ""): edit for edit in edits}
    for edit in more:
        key = edit.term, edit.name, edit.old if edit.old is None else ""
        first = joined.get(key)
        old = first.old if first is not None and edit.name != "old" else edit.old
        joined[key] = Edit(edit.term, edit.name, old, edit.new, edit.replacement, edit.order)
    return list(joined.values())


def _mend(edit: Edit, part: Part, bench: Bench, before: Standing, after: Standing) -> Mend:
    again = after.hits - before.hits
    values = dict.fromkeys(term_text(value) for _, name, value in again if name in part.predicates)
    samples = tuple(value for value in values if value)[:_SAMPLES]
    found, found_before = after.hits_of(part.predicates), before.hits_of(part.predicates)
    return Mend(edit, found, found_before, _known(part, bench), samples, tuple(sorted(part.predicates)))
