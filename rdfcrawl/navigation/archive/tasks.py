"""What workers do to recognise navigation: read the links of a page. Nothing of a page is parsed elsewhere."""

from __future__ import annotations

import json
from typing import Final

from rdfcrawl.engine import strict
from rdfcrawl.engine.extract.packing import encode
from rdfcrawl.engine.workers.messages import Question
from rdfcrawl.engine.workers.reading import parsed_document
from rdfcrawl.engine.workers.tasks import Workplace
from rdfcrawl.navigation.archive.anchors import anchors_of
from rdfcrawl.navigation.identities import Anchor
from rdfcrawl.navigation.site import AnchorsOfPage

ANCHORS: Final = f"{__name__}:anchors"

_anchor_row: Final = strict.row(strict.text, strict.text, strict.text)
_anchor_rows: Final = strict.listed(_anchor_row)
_group_rows: Final = strict.listed(_anchor_rows)


def anchors(workplace: Workplace, question: Question) -> bytes:
    """The links of a page with their groups."""
    (fetched,) = question.documents
    params = json.loads(question.options["params"] or "[]")
    document = parsed_document(fetched, workplace.limits)
    found = anchors_of(document, params, with_display=question.options["display"] is not None)
    return encode({"groups": found.groups, "ungrouped": found.ungrouped, "others": found.others}).encode()


def anchors_answer(content: bytes) -> AnchorsOfPage:
    """The answer to ``anchors``; raises ``Nonsense``."""
    values = strict.whole_record(strict.plain(content), groups=_group_rows, ungrouped=_anchor_rows, others=strict.texts)
    return AnchorsOfPage(
        [[Anchor(*one) for one in group] for group in values["groups"]],
        [Anchor(*one) for one in values["ungrouped"]],
        values["others"],
    )
