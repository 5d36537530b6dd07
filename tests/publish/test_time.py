"""Time on the web: Memento, feeds, the event stream, patches and dumps."""

from __future__ import annotations

import gzip
from pathlib import Path
from xml.etree import ElementTree as ET

import pyoxigraph as ox

from rdfcrawl.store.folder import open_store
from tests.publish.conftest import FIRST, GONE, RECIPE, SECOND, AddRun, Server, asked, serving, thing

FIRST_DATE, SECOND_DATE = "Tue, 14 Nov 2023 22:13:20 GMT", "Wed, 15 Nov 2023 22:13:20 GMT"
ATOM = "{http://www.w3.org/2005/Atom}"


class TestMemento:
    """RFC 7089."""

    def test_the_timegate_leads_to_the_run_before_the_date(self, server: Server) -> None:
        """Accept-Datetime chooses the nearest run before it, the first one for earlier dates, the last without."""
        for wanted, run in (
            ("Tue, 14 Nov 2023 23:00:00 GMT", FIRST),
            (SECOND_DATE, SECOND),
            ("Sat, 01 Jan 2000 00:00:00 GMT", FIRST),
            ("Fri, 01 Jan 2100 00:00:00 GMT", SECOND),
        ):
            answer = server.get(f"/timegate?iri={asked(RECIPE)}", Accept_Datetime=wanted)
            assert answer.status == 302
            assert answer.headers["location"].startswith(f"{server.address}/run/{run}/resource?iri=")
            assert answer.headers["vary"] == "Accept-Datetime, Host"
        assert server.get("/timegate").headers["location"] == f"{server.address}/run/{SECOND}"

    def test_a_date_that_is_none_is_refused(self, server: Server) -> None:
        """400, with an example of a date."""
        answer = server.get(f"/timegate?iri={asked(RECIPE)}", Accept_Datetime="yesterday")
        assert answer.status == 400
        assert "GMT" in answer.text

    def test_a_memento_is_what_the_run_saw(self, server: Server) -> None:
        """The old rating at the old address, with the date and the links that RFC 7089 wants."""
        answer = server.get(f"/run/{FIRST}/resource?iri={asked(RECIPE)}", Accept="text/turtle")
        assert answer.headers["memento-datetime"] == FIRST_DATE
        assert "recipe:rating 4.0" in answer.text or 'rating "4"' in answer.text or "rating 4" in answer.text
        assert "4.5" not in answer.text
        for relation in ("original", "timegate", "timemap", "first memento", "last memento"):
            assert f'rel="{relation}"' in answer.headers["link"]

    def test_the_timemap_lists_all_mementos(self, server: Server) -> None:
        """In the link format, for an object and for the data set."""
        for address, runs in (
            (f"/timemap?iri={asked(RECIPE)}", 2),
            (f"/timemap?iri={asked(GONE)}", 1),
            ("/timemap", 2),
        ):
            answer = server.get(address)
            assert answer.headers["content-type"] == "application/link-format"
            assert answer.text.count('memento"; datetime=') == runs
            assert FIRST_DATE in answer.text

    def test_originals_lead_to_their_history(self, server: Server) -> None:
        """The thing and the data set name their TimeGate."""
        assert 'rel="timegate"' in server.get(f"/resource?iri={asked(RECIPE)}").headers["link"]
        assert 'rel="timegate"' in server.get("/", Accept="text/html").headers["link"]


class TestFeeds:
    """Atom."""

    def test_the_feed_of_the_data_set_has_an_entry_for_each_run(self, server: Server) -> None:
        """Newest first, with what has changed."""
        feed = ET.fromstring(server.get("/feed.atom").body)
        assert [entry.findtext(f"{ATOM}title") for entry in feed.iter(f"{ATOM}entry")] == [
            "2 objects removed; 1 value changed, 1 removed",
            "28 objects added",
        ]

    def test_the_feed_of_a_class_tells_each_change(self, server: Server) -> None:
        """The changes of recipes, not those of ingredients."""
        feed = ET.fromstring(server.get("/feed.atom?class=item://recipe").body)
        titles = [entry.findtext(f"{ATOM}title") for entry in feed.iter(f"{ATOM}entry")]
        assert "Rezept: removed" in titles
        assert "Donauwelle Konditorenart: rating changed: 4 → 4.5" in titles
        assert not any("Zutat" in (title or "") for title in titles)

    def test_the_feed_of_an_object_tells_its_life(self, server: Server) -> None:
        """From the newest event to the first."""
        feed = ET.fromstring(server.get(f"/feed.atom?iri={asked(RECIPE)}").body)
        assert [entry.findtext(f"{ATOM}title") for entry in feed.iter(f"{ATOM}entry")] == ["changed", "first seen"]

    def test_text_that_xml_cannot_have_does_not_break_a_feed(self, tmp_path: Path, add_run: AddRun) -> None:
        """A label with control characters is a well-formed feed all the same."""
        store = open_store(tmp_path / "store")
        add_run(store, 1, thing("a", "bell \\u0007 & <b>"))
        with serving(store) as server:
            feed = ET.fromstring(server.get("/feed.atom?class=item://thing").body)
        assert feed.findtext(f"{ATOM}entry/{ATOM}title") == "bell \ufffd & <b>: added"


class TestStreams:
    """The event stream, patches and dumps."""

    def test_the_event_stream_leads_to_one_fragment_for_each_run(self, server: Server) -> None:
        """``/ldes`` is an LDES whose view relates to the fragments; their members are versions of objects."""
        tree = "https://w3id.org/tree#"
        stream = list(ox.parse(server.get("/ldes").body, format=ox.RdfFormat.TURTLE))
        nodes = [quad.object.value for quad in stream if quad.predicate.value == f"{tree}node"]
        assert [node.rpartition("/")[2] for node in nodes] == [str(FIRST), str(SECOND)]
        fragment = list(ox.parse(server.get(f"/ldes/{SECOND}").body, format=ox.RdfFormat.TURTLE))
        versions = {
            quad.object.value: quad.subject
            for quad in fragment
            if quad.predicate.value == "http://purl.org/dc/terms/isVersionOf" and isinstance(quad.object, ox.NamedNode)
        }
        assert {RECIPE, GONE} <= set(versions)
        deleted = ox.NamedNode("https://www.w3.org/ns/activitystreams#Delete")
        assert [quad.subject for quad in fragment if quad.object == deleted] == [versions[GONE]]

    def test_a_change_inside_an_object_is_a_version_of_that_object(self, tmp_path: Path, add_run: AddRun) -> None:
        """What has no document of its own has no member of its own, and its object's latest member has all of it."""
        store = open_store(tmp_path / "store")
        part = "http://data.example.org/things/a#part"
        for run, text in ((1, "old"), (2, "new")):
            add_run(store, run, thing("a", "A", part) + f'<{part}> <property://thing/label> "{text}" .\n')
        with serving(store) as server:
            fragment = list(ox.parse(server.get("/ldes/2").body, format=ox.RdfFormat.TURTLE))
        versions = [quad.object for quad in fragment if quad.predicate.value == "http://purl.org/dc/terms/isVersionOf"]
        assert versions == [ox.NamedNode("http://data.example.org/things/a")]
        assert [quad.object.value for quad in fragment if quad.subject == ox.NamedNode(part)] == ["new"]

    def test_a_patch_leads_from_one_run_to_the_next(self, server: Server) -> None:
        """The patch of the second run, applied to the first, gives the second."""
        patch = server.get(f"/run/{SECOND}/patch").text.splitlines()
        assert (patch[0], patch[-1]) == ("TX .", "TC .")
        state = triples_of(server, FIRST)
        for line in patch[1:-1]:
            operation, triple = line[0], line[2:]
            if operation == "D":
                state.remove(triple)
            else:
                assert triple not in state
                state.add(triple)
        assert state == triples_of(server, SECOND)

    def test_the_first_patch_adds_everything(self, server: Server) -> None:
        """Where there was nothing before, the patch is the whole graph."""
        patch = server.get(f"/run/{FIRST}/patch").text.splitlines()[1:-1]
        assert {line[2:] for line in patch} == triples_of(server, FIRST)


def triples_of(server: Server, run: int) -> set[str]:
    """The triples of a run, from its dump."""
    answer = server.get(f"/run/{run}/dump.nq.gz")
    assert answer.headers["content-type"] == "application/gzip"
    return {line.replace(f" <run://{run}> .", " .") for line in gzip.decompress(answer.body).decode().splitlines()}


def test_the_data_set_describes_itself(server: Server) -> None:
    """``/`` and ``/.well-known/void`` are DCAT, VoID and PROV-O, for clients that want data."""
    for address in ("/", "/.well-known/void"):
        answer = server.get(address, Accept="text/turtle")
        triples = list(ox.parse(answer.body, format=ox.RdfFormat.TURTLE))
        types = {quad.object.value for quad in triples if quad.predicate.value.endswith("#type")}
        assert {
            "http://www.w3.org/ns/dcat#Dataset",
            "http://rdfs.org/ns/void#Dataset",
            "http://www.w3.org/ns/dcat#Distribution",
            "http://www.w3.org/ns/prov#Activity",
        } <= types
        assert f"/run/{SECOND}/dump.nq.gz" in answer.text


def test_a_run_describes_itself(server: Server) -> None:
    """``/run/ID`` is the run's record, for clients that want data."""
    triples = list(ox.parse(server.get(f"/run/{SECOND}", Accept="text/turtle").body, format=ox.RdfFormat.TURTLE))
    assert any(quad.predicate.value == "predicate://record/state" for quad in triples)
