"""Clients that others wrote in JavaScript, against a real server: ldes-client and Comunica.

``scripts/install-node-clients`` installs them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from rdfcrawl.store.folder import open_store
from tests.publish.conftest import FIRST, GONE, RECIPE, SECOND, Server, add_things, asked, serving, thing
from tests.sparql_server import free_port

PROGRAMS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rdfcrawl/node-clients/node_modules/.bin"
DELETED = ox.NamedNode("https://www.w3.org/ns/activitystreams#Delete")
VERSION_OF = ox.NamedNode("http://purl.org/dc/terms/isVersionOf")

pytestmark = pytest.mark.skipif(
    not (shutil.which("node") and PROGRAMS.is_dir()),
    reason="node or the clients are missing; scripts/install-node-clients installs them",
)


def said_by(program: str, *arguments: str) -> str:
    """What a client writes; it ends by itself."""
    command = (str(PROGRAMS / program), *arguments)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def comunica(program: str, address: str, query: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(said_by(program, address, query))
    return found


@pytest.fixture(scope="module")
def members(server: Server) -> dict[str, dict[int, set[ox.Triple]]]:
    """What ldes-client makes of the stream: the statements of each version, by object and run."""
    found: dict[str, dict[int, set[ox.Triple]]] = defaultdict(dict)
    for block in said_by("ldes-client", f"{server.address}/ldes").split("\n\n"):
        lines = "\n".join(line for line in block.splitlines() if line.startswith("<"))
        triples = {quad.triple for quad in ox.parse(lines, format=ox.RdfFormat.TURTLE)}
        for version in triples:
            if version.predicate == VERSION_OF:
                assert isinstance(version.subject, ox.NamedNode)
                assert isinstance(version.object, ox.NamedNode)
                run = int(version.subject.value.removeprefix(f"{server.address}/run/").partition("/")[0])
                found[version.object.value][run] = triples
    return found


class TestEventStream:
    """ldes-client."""

    def test_members_are_complete(self, server: Server, members: dict[str, dict[int, set[ox.Triple]]]) -> None:
        """Each version has what its run says of the object and of the objects inside it, which have names."""
        for run in (FIRST, SECOND):
            document = server.get(f"/run/{run}/resource?iri={asked(RECIPE)}", accept="application/n-triples")
            of_nested = {
                quad.triple
                for quad in ox.parse(document.body, format=ox.RdfFormat.N_TRIPLES)
                if isinstance(quad.subject, ox.NamedNode) and quad.subject.value.startswith(f"{RECIPE}#")
            }
            assert len(of_nested) > 10
            assert of_nested <= members[RECIPE][run]

    def test_members_have_nothing_of_others(self, members: dict[str, dict[int, set[ox.Triple]]]) -> None:
        """What is said of another object, or of one inside it, is in that object's members."""
        for iri, versions in members.items():
            for run, triples in versions.items():
                subjects = {triple.subject.value for triple in triples if isinstance(triple.subject, ox.NamedNode)}
                strangers = [name for name in subjects if not name.startswith(f"{iri}#") and f"/run/{run}/" not in name]
                assert strangers == []

    def test_every_change_is_a_member(self, members: dict[str, dict[int, set[ox.Triple]]]) -> None:
        """The versions of the changed and of the removed recipe, and one of each that stayed as it was."""
        assert set(members[RECIPE]) == set(members[GONE]) == {FIRST, SECOND}
        assert DELETED in {triple.object for triple in members[GONE][SECOND]}
        assert len([iri for iri in members if SECOND not in members[iri]]) > 5


class TestComunica:
    """Queries over documents, one by one and by following links."""

    @pytest.mark.exhaustive
    def test_an_object_document_is_a_source(self, server: Server) -> None:
        """The address that stands for the object leads to statements in the default graph."""
        query = """SELECT ?label (COUNT(?i) AS ?n) { ?recipe <property://recipe/label> ?label ; <item://ingredient> ?i .
                   ?i <property://ingredient/label> ?name } GROUP BY ?label"""
        (row,) = comunica("comunica-sparql", f"{server.address}/resource?iri={asked(RECIPE)}", query)
        assert row["label"] == '"Donauwelle Konditorenart"'
        assert row["n"].startswith('"12"')

    @pytest.mark.exhaustive
    def test_links_lead_from_object_to_object(self, own_server: Server) -> None:
        """From one thing to the next and the next, each found at its own address."""
        start = f"{own_server.address}/things/a"
        query = f"""SELECT ?one ?two {{ <{start}> <property://thing/home> ?b . ?b <property://thing/label> ?one ;
                    <property://thing/home> ?c . ?c <property://thing/label> ?two }}"""
        assert comunica("comunica-sparql-link-traversal", start, query) == [{"one": '"B"', "two": '"C"'}]


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that is the home of its things."""
    folder, port = tmp_path_factory.mktemp("own"), free_port()
    base = f"http://127.0.0.1:{port}/"
    lines = thing("a", "A", f"{base}things/b") + thing("b", "B", f"{base}things/c") + thing("c", "C")
    store = open_store(folder / "store")
    add_things(store, FIRST, lines.replace("<http://data.example.org/things/", f"<{base}things/"), folder)
    with serving(store, base=base, port=port) as found:
        yield found
