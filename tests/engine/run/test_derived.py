"""What a run computes from names: what the formulas give by hand, again by replay, and nothing of it in the graph."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from rdfcrawl.engine.run.derived import split_mentions, write_derived
from rdfcrawl.rdf.ntriples import iri, literal, split, term_text
from rdfcrawl.recognise.mentions import MENTIONS, NAMESPACE, Mention, PageMentions
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.index import Index
from rdfcrawl.store.runs.record import RunFile
from rdfcrawl.versioning.pruning import prune
from tests.crawling import unloaded_store
from tests.people_site import PAGES, SITE, run_site, write_site

Node = dict[str, list[str]]
SURVEY = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix recognise: <recognise://> .
<model:> :section <http://uni.example/index.html> .
<http://uni.example/index.html> :page <page://site> .
<page://site> :type type:site ; :depth 2 ; :item <item://page> .
<item://page> :path "/html" ; :property <property://name> .
<property://name> :path "//body" ; :recognise recognise:person ; :optional true .
"""


def nodes(path: Path) -> dict[str, Node]:
    """What a derived graph says, by subject and the last part of the predicate."""
    found: dict[str, Node] = {}
    for line in read_lines(path):
        subject, predicate, value = split(line.decode())
        found.setdefault(subject[1:-1], {}).setdefault(predicate[1:-1].removeprefix(NAMESPACE), []).append(
            term_text(value)
        )
    return found


def scores(path: Path) -> dict[tuple[str, str], tuple[int, float, float]]:
    """Count, tf.idf and bm25 of every name and page."""
    said = nodes(path)
    return {
        (said[one["of"][0]]["name"][0], one["page"][0].removeprefix(SITE)): (
            int(one["count"][0]),
            float(one["tfidf"][0]),
            float(one["bm25"][0]),
        )
        for one in said.values()
        if "of" in one
    }


def test_the_scores_of_a_small_site_are_those_of_the_formulas(tmp_path: Path) -> None:
    """Four pages of 10, 6, 6 and 2 words: 24 words, 6 on average."""
    store = unloaded_store(tmp_path / "store")
    report = run_site(store, write_site(tmp_path / "site"))
    path = store.runs.derived(report.record.id)
    found = scores(path)
    (about,) = [node for name, node in nodes(path).items() if name.startswith("derived://")]
    assert (about["pages"], about["words"]) == (["4"], ["24"])

    def bm25(count: int, words: int, pages: int) -> float:
        return count * 2.75 / (1.75 * (0.25 + 0.75 * words / 6) + count) * math.log2(4 / pages)

    assert found == {
        ("Dennis Armbruster", "/a.html"): (2, 4.0, pytest.approx(bm25(2, 10, 1), abs=1e-6)),
        ("Hannah Bast", "/a.html"): (1, 1.0, pytest.approx(bm25(1, 10, 2), abs=1e-6)),
        ("Hannah Bast", "/b.html"): (2, 2.0, pytest.approx(bm25(2, 6, 2), abs=1e-6)),
        ("Maria Schmidt", "/c.html"): (1, 2.0, pytest.approx(bm25(1, 6, 1), abs=1e-6)),
        ("M. Schmidt", "/c.html"): (1, 2.0, pytest.approx(bm25(1, 6, 1), abs=1e-6)),
    }


def test_names_have_their_parts_and_people_their_forms(tmp_path: Path) -> None:
    """A node for each name with titles, given and family name; one for each person."""
    store = unloaded_store(tmp_path / "store")
    report = run_site(store, write_site(tmp_path / "site"))
    said = nodes(store.runs.derived(report.record.id))
    (bast,) = [node for node in said.values() if node.get("name") == ["Hannah Bast"]]
    assert (bast["given"], bast["family"], sorted(bast["title"])) == (["Hannah"], ["Bast"], ["Dr.", "Prof."])
    schmidts = {name: node for name, node in said.items() if node.get("label") == ["Maria Schmidt"]}
    assert len(schmidts) == 1
    (iri_of_person,) = schmidts
    forms = [node["name"][0] for node in said.values() if node.get("person") == [iri_of_person]]
    assert sorted(forms) == ["M. Schmidt", "Maria Schmidt"]


def test_mentions_are_no_part_of_the_graph_and_a_replay_computes_the_same(tmp_path: Path) -> None:
    """The graph has values only; the derived file is the same but for the number of the run."""
    store = unloaded_store(tmp_path / "store")
    site = write_site(tmp_path / "site")
    first, second = (run_site(store, site).record for _ in range(2))
    graph = b"\n".join(read_lines(store.runs.graph(first.id)))
    assert MENTIONS.encode() not in graph
    assert b'<property://name> "Hannah Bast"' in graph
    assert first.counts.triples == len(graph.splitlines())
    derived = [
        b"\n".join(read_lines(store.runs.derived(one.id))).replace(str(one.id).encode(), b"ID")
        for one in (first, second)
    ]
    assert derived[0] == derived[1]
    assert RunFile.DERIVED in first.checksums


def test_the_scores_can_be_queried_and_are_pruned_with_their_run(tmp_path: Path) -> None:
    """They are a graph of the store like others."""
    store = open_store(tmp_path / "store")
    record = run_site(store, write_site(tmp_path / "site")).record
    assert isinstance(store.data, Index)
    with store.read(store.data) as reader:
        assert f"derived://{record.id}" in reader.held.graphs
        assert f"derived://{record.id}" not in reader.held.default
    prune(store, [record])
    assert not store.runs.derived(record.id).exists()


def test_the_pages_of_a_survey_are_scored_without_duplicates(tmp_path: Path) -> None:
    """Every page of a site is searched; a copy of one counts for nothing."""
    copied = {**PAGES, "e.html": PAGES["b.html"]}
    copied["index.html"] += '<a href="e.html">e</a>'
    site = write_site(tmp_path / "site", copied)
    (tmp_path / "people.ttl").write_text(SURVEY, encoding="utf-8")
    store = unloaded_store(tmp_path / "store")
    found = scores(store.runs.derived(run_site(store, site).record.id))
    assert sorted(page for name, page in found if name == "Hannah Bast") == ["/a.html", "/b.html"]


def test_pages_of_two_kinds_and_parts_of_a_list_count_as_they_should(tmp_path: Path) -> None:
    """Two kinds of page that find a name in one text count once, parts of a list add up, duplicates do not count."""
    one = Mention("Hannah Bast", "p:a", "http://x.example/", 2, (("family", "Bast"),), "")
    lines = [
        PageMentions("http://x.example/", "page://a", 10, (one,)),
        PageMentions("http://x.example/", "page://b", 8, (one,)),
        PageMentions("http://y.example/", "page://a", 5, (one,)),
        PageMentions("http://y.example/", "page://a", 6, ()),
        PageMentions("http://z.example/", "page://a", 9, ()),
    ]
    journal = tmp_path / "triples.nq"
    written = [f"{iri(said.page)} {MENTIONS} {literal(said.packed())} <run://1> .\n" for said in lines]
    journal.write_text("<http://x.example/> <p:a> <p:b> <run://1> .\n" + "".join(written), encoding="utf-8")
    written = [f"<http://copy.example/> {MENTIONS} {literal(lines[0].packed())} <run://1> .\n"]
    with journal.open("a", encoding="utf-8") as file:
        file.writelines(written)
    graph, mentions = split_mentions(journal, tmp_path, {b"<http://copy.example/>"})
    assert graph.read_text() == "<http://x.example/> <p:a> <p:b> <run://1> .\n"
    write_derived(mentions, 1, tmp_path / "derived.nq.gz")
    said = nodes(tmp_path / "derived.nq.gz")
    assert said["derived://1"] == {"pages": ["3"], "words": [str(10 + 11 + 9)]}
    assert sorted(node["count"][0] for node in said.values() if "of" in node) == ["2", "2"]


@pytest.mark.parametrize(("link", "people"), [("", 2), ('<a href="http://lab.example/team.html">lab</a>', 1)])
def test_a_person_on_pages_of_two_hosts_that_link_to_each_other_is_one(tmp_path: Path, link: str, people: int) -> None:
    """A survey knows the links; without one between these two pages, nothing says that they mean the same person."""
    start = '<a href="a.html">a</a> <a href="http://lab.example/team.html">lab</a>'
    site = write_site(tmp_path / "site", {"index.html": start, "a.html": f"<p>Dennis Armbruster</p>{link}"})
    (site / "lab.example").mkdir()
    (site / "lab.example" / "team.html").write_text("<!doctype html><p>D. Armbruster</p>", encoding="utf-8")
    web = SURVEY.replace(":depth 2", ":depth 2 ; :scope <scope://web>")
    (tmp_path / "people.ttl").write_text(web, encoding="utf-8")
    store = unloaded_store(tmp_path / "store")
    said = nodes(store.runs.derived(run_site(store, site).record.id))
    labels = sorted(node["label"][0] for node in said.values() if "label" in node)
    assert labels == ["D. Armbruster", "Dennis Armbruster"][2 - people :]
