"""The process beside a crawl that reads what may take long; it answers in time or is gone."""

from __future__ import annotations

import pickle
import signal
import sys
import traceback
from typing import Any, BinaryIO, Final

from lxml import etree

from rdfcrawl.engine.document.tree import Document, DocumentError
from rdfcrawl.engine.extract.packing import packed
from rdfcrawl.engine.extract.plan import ModelPlan, build_plan
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.memory import look_for_garbage_rarely
from rdfcrawl.engine.workers.cost import TAME_DEPTH, is_deep
from rdfcrawl.engine.workers.reading import parsed_documents, read_parsed
from rdfcrawl.engine.workers.worker import LENGTH_BYTES, framed

_count: Final = etree.XPath("count(descendant-or-self::*)")


def main(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer until nobody asks any more."""
    # The default action of an alarm ends a process also while libxml2 is at work, which no Python code could.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    model, limits = _next(questions)
    plan = build_plan(model)
    look_for_garbage_rarely()
    while (question := _next(questions)) is not None:
        signal.setitimer(signal.ITIMER_REAL, limits.extraction_seconds)
        answer = framed(_answer(plan, limits, *question))
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(answer)
        answers.flush()


def too_large(document: Document, limits: RunLimits) -> str | None:
    """What is too much about a document, if anything is."""
    elements: Any = _count(document.root)
    if elements > limits.elements:
        return f"the document has {elements:,.0f} elements; the limit is {limits.elements:,}"
    if limits.depth >= TAME_DEPTH and not is_deep(document.root):
        return None
    depth = deepest = 0
    for event, _ in etree.iterwalk(document.root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    if deepest > limits.depth:
        return f"the document is nested {deepest:,} elements deep; the limit is {limits.depth:,}"
    return None


def _answer(plan: ModelPlan, limits: RunLimits, page: str, documents: list[Fetched]) -> tuple[str, Any]:
    try:
        parsed = parsed_documents(documents)
        if reason := next(filter(None, (too_large(document, limits) for document in parsed)), None):
            return "limit", reason
        return "read", packed(read_parsed(plan.pages[page], documents, parsed))
    except DocumentError as error:
        return "unreadable", str(error)
    except Exception:
        return "failed", traceback.format_exc()


def _next(questions: BinaryIO) -> Any:
    length = questions.read(LENGTH_BYTES)
    return pickle.loads(questions.read(int.from_bytes(length))) if length else None


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
