"""A run's record and its problems as RDF (PROV-O), in the graph ``<record://ID>``; no blank nodes, sorted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from hashlib import sha1
from typing import Final

from rdfcrawl.engine.problem import Problem
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri, run_iri
from rdfcrawl.rdf.ntriples import RDF_TYPE, iri, literal
from rdfcrawl.store.location import without_folders
from rdfcrawl.store.runs.record import RunRecord

_ADDRESSES: Final = frozenset({"address", "page", "subject", "property"})


def record_lines(
    record: RunRecord, problems: Iterable[Problem], model_turtle: str, slowest: Iterable[tuple[float, str]] = ()
) -> bytes:
    """The N-Quads of a record; ``slowest`` are addresses that took long to answer, with the seconds."""
    graph = iri(record_iri(record.id))
    statements = {*_run(record, model_turtle), *_sections(record)}
    for problem in problems:
        statements.update(_problem(record, problem))
    statements.update(
        f"{iri(address)} {_term('seconds')} {literal(f'{seconds:.3f}', terms.DECIMAL)}" for seconds, address in slowest
    )
    return "".join(sorted(f"{statement} {graph} .\n" for statement in statements)).encode()


def _run(record: RunRecord, model_turtle: str) -> Iterator[str]:
    activity = iri(record_iri(record.id))
    model = iri(f"model://{record.model.digest}")
    yield f"{activity} {RDF_TYPE} {iri(terms.PROV + 'Activity')}"
    yield f"{activity} {iri(terms.PROV + 'generated')} {iri(record.iri)}"
    yield f"{activity} {iri(terms.PROV + 'used')} {model}"
    yield f"{activity} {iri(terms.PROV + 'startedAtTime')} {_moment(record.started)}"
    if record.ended:
        yield f"{activity} {iri(terms.PROV + 'endedAtTime')} {_moment(record.ended)}"
    yield f"{activity} {_term('state')} {literal(record.state.value)}"
    yield f"{activity} {_term('engine')} {literal(record.settings.engine)}"
    if record.observed != record.id:
        yield f"{activity} {_term('replay')} {iri(run_iri(record.observed))}"
        yield f"{iri(record.iri)} {iri(terms.PROV + 'wasDerivedFrom')} {iri(run_iri(record.observed))}"
    elif record.settings.replay:
        yield f"{activity} {_term('replay')} {literal(without_folders(record.settings.replay))}"
    for name, counts in (("pages", record.counts.pages), ("problems", record.counts.problems)):
        yield f"{activity} {_term(name)} {_integer(sum(counts.values()))}"
    for name, count in record.counts.objects.items():
        counted = iri(f"{record_iri(record.id)}#{_short(name)}")
        yield f"{activity} {_term('class')} {counted}"
        yield f"{counted} {_term('item')} {iri(name)}"
        yield f"{counted} {_term('objects')} {_integer(count)}"
    yield f"{model} {RDF_TYPE} {iri(terms.PROV + 'Entity')}"
    yield f"{model} {_term('digest')} {literal(record.model.digest)}"
    yield f"{model} {_term('source')} {literal(record.model.name)}"
    yield f"{model} {_term('turtle')} {literal(model_turtle)}"


def _sections(record: RunRecord) -> Iterator[str]:
    activity = iri(record_iri(record.id))
    for section in record.sections:
        name = iri(f"{record_iri(record.id)}#{_short(section.address)}")
        yield f"{activity} {_term('section')} {name}"
        yield f"{name} {_term('address')} {iri(section.address)}"
        yield f"{name} {_term('complete')} {literal('true' if section.complete else 'false', terms.BOOLEAN)}"
        yield f"{name} {_term('objects')} {_integer(section.objects)}"
        for reason, count in section.reasons.items():
            yield f"{name} {_term('reason')} {literal(f'{reason}: {count}')}"


def _problem(record: RunRecord, problem: Problem) -> Iterator[str]:
    values = {name: str(value) for name, value in asdict(problem).items() if value is not None}
    name = iri(f"{record_iri(record.id)}#{_short(repr(sorted(values.items())))}")
    yield f"{iri(record_iri(record.id))} {_term('problem')} {name}"
    yield f"{name} {RDF_TYPE} {_term('Problem')}"
    for term, value in values.items():
        yield f"{name} {_term(term)} {iri(value) if term in _ADDRESSES else literal(value)}"


def _term(name: str) -> str:
    return iri(terms.RECORD + name)


def _moment(moment: datetime) -> str:
    return literal(moment.isoformat(timespec="seconds"), terms.DATE_TIME)


def _integer(number: int) -> str:
    return literal(str(number), terms.INTEGER)


def _short(text: str) -> str:
    return sha1(text.encode(), usedforsecurity=False).hexdigest()
