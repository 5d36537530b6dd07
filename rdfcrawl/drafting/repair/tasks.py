"""What workers do for a repair: try edits of a model on pages. Nothing of a page is parsed elsewhere."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.paging import find_next
from rdfcrawl.drafting.reading.slots import read_sample
from rdfcrawl.drafting.repair.bench import Bench, Sheet
from rdfcrawl.drafting.repair.edits import Edit, edited
from rdfcrawl.drafting.repair.facts import Tally
from rdfcrawl.drafting.repair.mending import Mend, mend
from rdfcrawl.drafting.repair.mutations import mutations
from rdfcrawl.engine import strict
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.tree import address_of, compile_path
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.strict import Nonsense
from rdfcrawl.engine.workers.messages import Question
from rdfcrawl.engine.workers.reading import parsed_document
from rdfcrawl.engine.workers.tasks import Workplace
from rdfcrawl.metamodel.model import Model
from rdfcrawl.metamodel.plain import model_from_json

MEND: Final = f"{__name__}:mend_pages"
_MOST_BUTTONS: Final = 12


@dataclass(frozen=True, slots=True)
class RepairLead:
    """Where a page leads: the kind of the page there, its address, and the object that it belongs to."""

    page: str
    address: str
    parent: str | None


@dataclass(frozen=True, slots=True)
class Mended:
    """The mends of a kind of page, where it leads with them, and what may be its next button now: path and address.

    ``found`` is how much of what was known the first of the pages has.
    """

    mends: tuple[Mend, ...] = ()
    leads: tuple[RepairLead, ...] = ()
    buttons: tuple[tuple[str, str], ...] = ()
    found: int = 0


def mend_pages(workplace: Workplace, question: Question) -> bytes:
    """Find edits of the model with which the pages say again what was known of them."""
    options: dict[str, Any] = json.loads(question.options["repair"] or "")
    model, page = model_from_json(options["model"]), str(options["page"])
    with_scripts = build_plan(model).pages[page].reads_scripts
    documents = [parsed_document(one, workplace.limits, with_scripts=with_scripts) for one in question.documents]
    sheets = [
        Sheet(document, owner, _tally(expected))
        for document, owner, expected in zip(documents, options["owners"], options["expected"], strict=True)
    ]
    bench = Bench(model, page, sheets)
    mends = mend(bench, frozenset(options["suspected"])) if options["search"] else []
    mended = edited(model, [one.edit for one in mends])
    buttons = _buttons(mended, page, sheets) if options["search"] else []
    standing = bench.standing([one.edit for one in mends], sheets[:1])
    found = standing.hits.total() if standing else 0
    answer = Mended(tuple(mends), tuple(_leads(mended, page, sheets)), tuple(buttons), found)
    return json.dumps(asdict(answer)).encode()


def _tally(expected: Sequence[Sequence[Any]]) -> Tally:
    return Counter({(subject, predicate, value): count for subject, predicate, value, count in expected})


def _leads(model: Model, page: str, sheets: Sequence[Sheet]) -> list[RepairLead]:
    plan = build_plan(model).pages[page]
    return [
        RepairLead(follow.page, follow.address, f"<{follow.parent}>" if follow.parent else sheet.owner)
        for sheet in sheets
        for follow in extract(plan, sheet.document).follows
    ]


def _buttons(model: Model, page: str, sheets: Sequence[Sheet]) -> list[tuple[str, str]]:
    """What may lead on from the first page of a list whose next button is not found on any page."""
    path = model.page(page).next
    if path is None or any(_led_to(path, sheet) for sheet in sheets):
        return []
    button = find_next(read_sample(sheets[0].document, 0))
    paths = [*mutations(path), *([button.path] if button else [])]
    found = ((each, _led_to(each, sheets[0])) for each in dict.fromkeys(paths))
    return [(each, address) for each, address in found if address][:_MOST_BUTTONS]


def _led_to(path: str, sheet: Sheet) -> str | None:
    document = sheet.document
    try:
        matches = document.select(compile_path(path), document.root)
    except DocumentError:
        return None
    address = address_of(matches[0], document.base) if matches else None
    return address if address != document.address else None


def mended_from(result: bytes) -> Mended:
    """The answer to ``mend_pages``; raises ``Nonsense``."""
    data: Any = strict.plain(result)
    try:
        mends = tuple(
            Mend(
                **{
                    **one,
                    "edit": Edit(**one["edit"]),
                    "samples": tuple(map(strict.text, one["samples"])),
                    "predicates": tuple(map(strict.text, one["predicates"])),
                }
            )
            for one in data["mends"]
        )
        leads = tuple(RepairLead(**one) for one in data["leads"])
        buttons = tuple((strict.text(path), strict.text(address)) for path, address in data["buttons"])
        return Mended(mends, leads, buttons, int(data["found"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Nonsense(f"these are no mends: {error}") from None
