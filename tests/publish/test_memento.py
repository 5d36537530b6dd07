"""Memento (RFC 7089) as others see it: memento_client, and what a validator would check step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from memento_client.memento_client import MementoClient  # type: ignore[import-untyped]

from rdfcrawl.store.folder import open_store
from tests.publish.conftest import FIRST, RECIPE, SECOND, Answer, Server, add_things, asked, serving, thing

THINGS = "http://data.example.org/things"
RUNS = (1_700_000_000, 1_700_086_400, 1_700_172_800)
LINK = re.compile(r'<([^>]*)>((?:\s*;\s*[a-z]+="[^"]*")*)\s*,?\s*')
PARAMETER = re.compile(r';\s*([a-z]+)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of a Link header or of a TimeMap."""

    address: str
    parameters: Mapping[str, str]

    @property
    def relations(self) -> list[str]:
        return self.parameters["rel"].split()

    @property
    def moment(self) -> datetime:
        return parsedate_to_datetime(self.parameters["datetime"])


def links_in(text: str) -> list[Link]:
    """The links of a header or of a TimeMap; everything in it must be one."""
    assert LINK.sub("", text).strip() == ""
    return [Link(address, dict(PARAMETER.findall(rest))) for address, rest in LINK.findall(text)]


def target(links: list[Link], relation: str) -> str:
    (found,) = (link for link in links if relation in link.relations)
    return found.address


@pytest.fixture(scope="module")
def three_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a thing that three runs have seen, and of one that only the first has seen."""
    folder = tmp_path_factory.mktemp("three")
    store = open_store(folder / "store")
    for number, run in enumerate(RUNS):
        gone = thing("gone", "gone") if number == 0 else ""
        add_things(store, run, thing("a", f"label {number}") + gone, folder)
    with serving(store) as found:
        yield found


class TestMementoClient:
    """The client of the RFC's authors; its aggregator is replaced by our own server, so that it asks nobody else."""

    @pytest.mark.parametrize("named", ["thing", "document", "memento", "data set"])
    def test_it_finds_the_timegate_and_the_memento(self, server: Server, named: str) -> None:
        """From the thing, from a document about it, from one of its mementos; and from the data set."""
        start = {
            "thing": f"{server.address}/resource?iri={asked(RECIPE)}",
            "document": f"{server.address}/data.ttl?iri={asked(RECIPE)}",
            "memento": f"{server.address}/run/{SECOND}/resource?iri={asked(RECIPE)}",
            "data set": f"{server.address}/",
        }[named]
        client = MementoClient(timegate_uri="http://127.0.0.1:9/")
        found = client.get_memento_info(start, datetime(2023, 11, 15))
        assert found["timegate_uri"].startswith(f"{server.address}/timegate")
        assert found["mementos"]["closest"]["datetime"] == datetime(2023, 11, 14, 22, 13, 20)
        assert found["mementos"]["closest"]["uri"][0].startswith(f"{server.address}/run/{FIRST}")
        assert found["mementos"]["last"]["datetime"] == datetime(2023, 11, 15, 22, 13, 20)
        assert found["mementos"]["next"] == found["mementos"]["last"]

    def test_it_can_put_an_address_behind_that_of_the_timegate(self, server: Server) -> None:
        """As it does with archives."""
        client = MementoClient(timegate_uri=f"{server.address}/timegate/", check_native_timegate=False)
        for original in (f"{server.address}/resource?iri={RECIPE}", f"{server.address}/"):
            found = client.get_memento_info(original, datetime(2023, 11, 16))
            assert found["timegate_uri"] == f"{server.address}/timegate/{original}"
            assert found["mementos"]["closest"]["uri"][0].startswith(f"{server.address}/run/{SECOND}")


class TestValidator:
    """What a validator would check, from the original to its TimeGate, its mementos and its TimeMap."""

    @pytest.fixture(params=["object", "data set"])
    def original(self, request: pytest.FixtureRequest) -> str:
        return "/" if request.param == "data set" else f"/resource?iri={THINGS}/a"

    @pytest.fixture
    def timegate(self, three_runs: Server, original: str) -> str:
        found = target(links_in(three_runs.get(original).headers["link"]), "timegate")
        return found.removeprefix(three_runs.address)

    def test_originals_name_timegate_and_timemap_and_promise_nothing_else(
        self, three_runs: Server, original: str
    ) -> None:
        """They do not vary by Accept-Datetime, and are no mementos."""
        answer = three_runs.get(original, accept_datetime=http(RUNS[0]))
        links = links_in(answer.headers["link"])
        assert target(links, "original") == f"{three_runs.address}{original}"
        assert target(links, "timegate").startswith(three_runs.address)
        assert target(links, "timemap").startswith(three_runs.address)
        assert "accept-datetime" not in answer.headers["vary"].lower()
        assert "memento-datetime" not in answer.headers

    @pytest.mark.parametrize(
        ("wanted", "run"),
        [
            (None, RUNS[2]),
            ("", RUNS[2]),
            (-10_000, RUNS[0]),
            (0, RUNS[0]),
            (1, RUNS[0]),
            (86_399, RUNS[0]),
            (86_400, RUNS[1]),
            (10_000_000, RUNS[2]),
        ],
    )
    def test_a_timegate_negotiates(
        self, three_runs: Server, original: str, timegate: str, wanted: int | str | None, run: int
    ) -> None:
        """302 to the nearest memento before; the first one for earlier dates, the last one without a date."""
        moment = http(RUNS[0] + wanted) if isinstance(wanted, int) else wanted
        answer = three_runs.get(timegate, **({} if moment is None else {"accept_datetime": moment}))
        assert answer.status == 302
        assert urlsplit(answer.headers["location"]).path.startswith(f"/run/{run}")
        assert answer.headers["location"].startswith(three_runs.address)
        assert "accept-datetime" in answer.headers["vary"].lower()
        assert "memento-datetime" not in answer.headers
        assert target(links_in(answer.headers["link"]), "original") == f"{three_runs.address}{original}"
        assert three_runs.send("HEAD", timegate).headers["location"]

    @pytest.mark.parametrize("moment", ["yesterday", "2023-11-15T00:00:00Z", "Sun, 99 Apr 2010 12:00:00 GMT"])
    def test_a_timegate_refuses_what_is_no_date(self, three_runs: Server, timegate: str, moment: str) -> None:
        """400, whatever the resource."""
        assert three_runs.get(timegate, accept_datetime=moment).status == 400

    def test_mementos_say_what_they_are(self, three_runs: Server, original: str, timegate: str) -> None:
        """Their date, their original, and the way to the others; whoever asks for that date gets this memento."""
        for place, run in enumerate(RUNS):
            location = three_runs.get(timegate, accept_datetime=http(run)).headers["location"]
            answer = three_runs.get(location.removeprefix(three_runs.address), accept_datetime=http(RUNS[0]))
            assert answer.status == 200
            assert parsedate_to_datetime(answer.headers["memento-datetime"]).timestamp() == run
            links = links_in(answer.headers["link"])
            assert target(links, "original") == f"{three_runs.address}{original}"
            assert {"timegate", "timemap", "first", "last"} <= {name for link in links for name in link.relations}
            for name, around in (("prev", RUNS[:place][-1:]), ("next", RUNS[place + 1 :][:1])):
                found = (link for link in links if name in link.relations)
                assert tuple(int(link.moment.timestamp()) for link in found) == around
            again = three_runs.get(timegate, accept_datetime=answer.headers["memento-datetime"])
            assert again.headers["location"] == location

    def test_a_timemap_lists_every_memento_once(self, three_runs: Server, original: str) -> None:
        """In the link format, in order, with itself, its period, the original and the TimeGate."""
        address = target(links_in(three_runs.get(original).headers["link"]), "timemap")
        answer = three_runs.get(address.removeprefix(three_runs.address))
        assert (answer.status, answer.headers["content-type"]) == (200, "application/link-format")
        links = links_in(answer.text)
        assert target(links, "original") == f"{three_runs.address}{original}"
        assert target(links, "self") == address
        (own,) = (link for link in links if "self" in link.relations)
        assert (own.parameters["from"], own.parameters["until"]) == (http(RUNS[0]), http(RUNS[2]))
        mementos = [link for link in links if "memento" in link.relations]
        assert [int(link.moment.timestamp()) for link in mementos] == list(RUNS)
        assert [link.relations for link in mementos] == [["first", "memento"], ["memento"], ["last", "memento"]]
        for link in mementos:
            seen = memento(three_runs, link)
            assert parsedate_to_datetime(seen.headers["memento-datetime"]) == link.moment


REQUIREMENTS: dict[str, Callable[[Resource], bool]] = {
    "a memento says its date, in GMT": lambda at: at.memento.headers["memento-datetime"] == http(RUNS[1]),
    "originals and TimeGates say none": lambda at: (
        not any("memento-datetime" in answer.headers for answer in (at.original, at.gate))
    ),
    "a TimeGate varies by accept-datetime": lambda at: "accept-datetime" in at.gate.headers["vary"].lower(),
    "originals and mementos do not": lambda at: (
        not any("accept-datetime" in answer.headers["vary"].lower() for answer in (at.original, at.memento))
    ),
    "a TimeGate names one original": lambda at: at.targets(at.gate, "original") == [at.address],
    "a memento names one original": lambda at: at.targets(at.memento, "original") == [at.address],
    "an original names its TimeGate": lambda at: at.targets(at.original, "timegate") == [at.gate_address],
    "a memento names its TimeGate": lambda at: at.targets(at.memento, "timegate") == [at.gate_address],
    "all name a TimeMap with its type": lambda at: all(
        [link.parameters["type"] for link in at.links(answer) if "timemap" in link.relations]
        == ["application/link-format"]
        for answer in (at.original, at.gate, at.memento)
    ),
    "every memento that is named has a datetime": lambda at: all(
        http(int(link.moment.timestamp())) == link.parameters["datetime"]
        for answer in (at.gate, at.memento, at.map)
        for link in at.links(answer)
        if "memento" in link.relations
    ),
    "first, last, prev and next are mementos": lambda at: all(
        "memento" in link.relations
        for answer in (at.gate, at.memento, at.map)
        for link in at.links(answer)
        if {"first", "last", "prev", "next"} & {*link.relations}
    ),
    "an original answers as ever, whatever the date": lambda at: at.original.status == at.server.get(at.path).status,
    "a TimeGate answers 302": lambda at: at.gate.status == 302,
    "Location is the address of a memento": lambda at: (
        at.gate.headers["location"] == at.memento_address and at.memento.status == 200
    ),
    "Location is absolute": lambda at: at.gate.headers["location"].startswith("http://"),
    "without a date it is the latest": lambda at: f"/run/{RUNS[2]}" in at.asked(None).headers["location"],
    "an empty date is none": lambda at: f"/run/{RUNS[2]}" in at.asked("").headers["location"],
    "before the first it is the first": lambda at: f"/run/{RUNS[0]}" in at.asked(http(5)).headers["location"],
    "after the last it is the last": lambda at: f"/run/{RUNS[2]}" in at.asked(http(2**31)).headers["location"],
    "HEAD is answered like GET": lambda at: (
        at.server.send("HEAD", at.gate_path, headers={"Accept-Datetime": http(RUNS[1])}).headers["location"]
        == at.memento_address
    ),
    "what is gone still names its TimeGate": lambda at: (
        at.gone.status == 410 and len(at.targets(at.gone, "timegate")) == 1
    ),
    "an invalid date is 400": lambda at: at.asked("yesterday").status == 400,
    "which varies and names its original too": lambda at: (
        "accept-datetime" in at.asked("yesterday").headers["vary"].lower()
        and at.targets(at.asked("yesterday"), "original") == [at.address]
    ),
    "a TimeGate without mementos is 404": lambda at: at.server.get(f"/timegate/{THINGS}/never").status == 404,
    "a TimeMap is in the link format": lambda at: at.map.headers["content-type"] == "application/link-format",
    "a TimeMap names one original": lambda at: at.targets(at.map, "original") == [at.address],
    "a TimeMap names the TimeGate": lambda at: at.targets(at.map, "timegate") == [at.gate_address],
    "a TimeMap names itself, with its type": lambda at: (
        at.targets(at.map, "self") == [at.map_address] and at.own.parameters["type"] == "application/link-format"
    ),
    "from and until of a TimeMap are the first and the last": lambda at: (
        (at.own.parameters["from"], at.own.parameters["until"]) == (http(RUNS[0]), http(RUNS[2]))
    ),
    "a TimeMap lists every memento once": lambda at: (
        len(at.targets(at.map, "memento")) == len(RUNS) and len({*at.targets(at.map, "memento")}) == len(RUNS)
    ),
}
"""What RFC 7089 requires of servers."""


@dataclass(frozen=True)
class Resource:
    """An original of a server with its TimeGate, the memento of the second run, and its TimeMap."""

    server: Server
    path: str

    @property
    def address(self) -> str:
        return f"{self.server.address}{self.path}"

    @cached_property
    def original(self) -> Answer:
        return self.server.get(self.path, accept_datetime=http(RUNS[1]))

    @cached_property
    def gate_address(self) -> str:
        return target(self.links(self.original), "timegate")

    @property
    def gate_path(self) -> str:
        return self.gate_address.removeprefix(self.server.address)

    @cached_property
    def gate(self) -> Answer:
        return self.asked(http(RUNS[1]))

    @cached_property
    def memento_address(self) -> str:
        (found,) = (link.address for link in self.links(self.map) if link.parameters.get("datetime") == http(RUNS[1]))
        return found

    @cached_property
    def memento(self) -> Answer:
        return self.server.get(self.memento_address.removeprefix(self.server.address))

    @cached_property
    def map_address(self) -> str:
        return target(self.links(self.original), "timemap")

    @cached_property
    def map(self) -> Answer:
        return self.server.get(self.map_address.removeprefix(self.server.address))

    @cached_property
    def own(self) -> Link:
        (found,) = (link for link in self.links(self.map) if "self" in link.relations)
        return found

    @cached_property
    def gone(self) -> Answer:
        return self.server.get(f"/data.ttl?iri={THINGS}/gone")

    def asked(self, moment: str | None) -> Answer:
        return self.server.get(self.gate_path, **({} if moment is None else {"accept_datetime": moment}))

    def links(self, answer: Answer) -> list[Link]:
        is_map = answer.headers.get("content-type") == "application/link-format"
        return links_in(answer.text if is_map else answer.headers["link"])

    def targets(self, answer: Answer, relation: str) -> list[str]:
        return [link.address for link in self.links(answer) if relation in link.relations]


@pytest.mark.parametrize("path", ["/", f"/resource?iri={THINGS}/a"])
def test_rfc_7089_point_by_point(three_runs: Server, path: str) -> None:
    """What its text asks of originals, TimeGates, mementos and TimeMaps, for the data set and for an object."""
    at = Resource(three_runs, path)
    assert [name for name, holds in REQUIREMENTS.items() if not holds(at)] == []


def memento(server: Server, link: Link) -> Answer:
    return server.get(link.address.removeprefix(server.address))


def test_addresses_at_the_end_of_the_path_mean_what_they_name(three_runs: Server) -> None:
    """Also where a web server in front has made one slash of two; for TimeMaps alike; what nobody has seen is 404."""
    for sent in (f"{THINGS}/gone", f"{THINGS}/gone".replace("//", "/", 1)):
        answer = three_runs.get(f"/timegate/{sent}")
        assert answer.headers["location"] == f"{three_runs.address}/run/{RUNS[0]}/resource?iri={THINGS}/gone"
        assert three_runs.get(f"/timemap/link/{sent}").text.count("datetime=") == 1
    assert three_runs.get(f"/timegate/{THINGS}/never").status == 404
    assert three_runs.get("/timegate/nonsense").status == 400
    assert three_runs.get("/timegate/").headers["location"] == f"{three_runs.address}/run/{RUNS[2]}"


def test_a_memento_of_a_run_that_began_within_a_second_is_found_by_its_date(tmp_path: Path) -> None:
    """Dates in headers are whole seconds; the run began a little later."""
    store = open_store(tmp_path / "store")
    for run in RUNS[:2]:
        record = add_things(store, run, thing("a", str(run)), tmp_path)
        later = record.started + timedelta(milliseconds=700)
        file = store.runs.folder / f"{run}.json"
        file.write_text(file.read_text().replace(record.started.isoformat(), later.isoformat()))
    with serving(store) as server:
        answer = server.get("/timegate", accept_datetime=http(RUNS[1]))
        assert answer.headers["location"] == f"{server.address}/run/{RUNS[1]}"


def http(moment: int) -> str:
    return format_datetime(datetime.fromtimestamp(moment, UTC), usegmt=True)
