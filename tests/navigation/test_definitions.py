"""The definitions and algorithms of navigation recognition, on the examples of the thesis that defines them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.errors import UsageError
from rdfcrawl.navigation.combinations import HarmonyGraph, candidates, documents_reached, harmonic_combinations
from rdfcrawl.navigation.effort import MOST_STEPS, Effort
from rdfcrawl.navigation.exact import ExactJudge, link_graph
from rdfcrawl.navigation.graphs import is_navigation_graph, main_nodes, strong_components
from rdfcrawl.navigation.grouping import group_links, group_nodes
from rdfcrawl.navigation.harmony import harmony_weight, longest_common_subsequence
from rdfcrawl.navigation.identities import Anchor, Identities
from rdfcrawl.navigation.judging import LinkClass
from rdfcrawl.navigation.site import AnchorsOfPage, LinkedSite
from rdfcrawl.navigation.tolerant import TolerantJudge

FIGURE_9 = {1: 0, 2: 1, 3: 2, 4: 1, 5: 1, 6: 0, 7: 0, 8: 7, 9: 8, 10: 0, 11: 0, 12: 0, 13: 0, 14: 13, 15: 13}
"""The tree of figure 9: the parent of each node; 0 is the root."""

IFIS_ENTRIES = {
    47: "ifis",
    49: "mitarbeiter",
    51: "projekte",
    53: "publikationen",
    55: "lehre",
    57: "30",
    59: "studentische-arbeiten",
    61: "stellenangebote",
    63: "anfahrtsweg",
    65: "links",
}
IFIS_TARGETS = IFIS_ENTRIES | {
    node: target
    for nodes, targets in (
        ((13, 15), ("ifis", "ifis")),
        ((18, 20, 22, 24, 27), ("4", "24", "25", "22", "ifis&L=1")),
        ((77, 78), ("http://www.informatik.uni-luebeck.de/index.php?id=40", "http://www.uni-luebeck.de/")),
        ((68, 87), ("stellenangebote", "http://www.luebeck.de")),
    )
    for node, target in zip(nodes, targets, strict=True)
}
IFIS_TREE = {
    child: parent
    for parent, children in (
        *((0, [1]), (1, [2, 12]), (12, [13, 15]), (2, [3, 41]), (3, [17]), (17, [18, 20, 22, 24, 27])),
        *((41, [42, 44, 69]), (44, [45]), (45, [node - 1 for node in IFIS_ENTRIES])),
        *((node - 1, [node]) for node in IFIS_ENTRIES),
        *((42, [43]), (43, [67]), (67, [68]), (69, [70]), (70, [71]), (71, [72, 87])),
        *((72, [73]), (73, [76]), (76, [77, 78])),
    )
    for child in children
}
"""Figures 15 and 16: what the text says of the tree of a start page, with as few other nodes as possible."""


def sets(groups: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


def test_the_grouping_of_figure_9() -> None:
    """Nodes of one depth are grouped below the nearest ancestor that some of them share; none is left."""
    nodes = [3, 4, 5, 6, 9, 10, 11, 12, 14, 15]
    assert group_nodes(nodes, FIGURE_9.get) == [[3, 9], [4, 5], [6, 10, 11, 12], [14, 15]]


def test_the_grouping_of_figure_15() -> None:
    """Five groups by algorithm 1; by algorithm 2 the two links to one document are none."""
    nodes = sorted(IFIS_TARGETS)
    entries = frozenset(IFIS_ENTRIES)
    others = {frozenset({18, 20, 22, 24, 27}), entries, frozenset({77, 78}), frozenset({68, 87})}
    assert sets(group_nodes(nodes, IFIS_TREE.get)) == {frozenset({13, 15}), *others}
    assert sets(group_links(nodes, IFIS_TREE.get, IFIS_TARGETS.__getitem__)) == others


def test_links_to_one_document_wait_for_another_one() -> None:
    """A picture and its text, as in figure 12, do not part a list: the list is one group."""
    tree = {1: 0, 2: 1, 3: 1, 4: 0, 5: 4, 6: 4}
    assert group_links([2, 3, 5, 6], tree.get, {2: "a", 3: "a", 5: "b", 6: "b"}.__getitem__) == [[2, 3, 5, 6]]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=40), st.sets(st.integers(1, 40)))
def test_algorithm_1_computes_what_definition_6_says(above: list[int], wanted: set[int]) -> None:
    """On any tree: the states of all nodes at all times, literally as they are defined, have the same groups."""
    tree = {number: parent % number for number, parent in enumerate(above, 1)}
    leaves = [node for node in sorted(wanted) if node in tree and not _has_above(tree, node, wanted)]
    assert sets(group_nodes(leaves, tree.get)) == _by_definition(tree, leaves)


def _has_above(tree: Mapping[int, int], node: int, wanted: set[int]) -> bool:
    while (node := tree.get(node, -1)) > 0:
        if node in wanted:
            return True
    return False


def _by_definition(tree: Mapping[int, int], reference_set: Sequence[int]) -> set[frozenset[int]]:
    lines = {node: [node] for node in reference_set}
    for line in lines.values():
        while line[-1] in tree:
            line.append(tree[line[-1]])
    free, groups = set(reference_set), set()
    for time in range(1, len(tree) + 1):
        at: dict[int, set[int]] = {}
        for node in free:
            if time < len(lines[node]):
                at.setdefault(lines[node][time], set()).add(node)
        found = [frozenset(nodes) for nodes in at.values() if len(nodes) >= 2]
        groups.update(found)
        free -= {node for group in found for node in group}
    return groups


def test_equivalences_are_degrees_of_likeness() -> None:
    """Links to one document are v-equivalent, with one label b-equivalent, and displayed alike d-equivalent."""
    identities = Identities()
    group = identities.group(
        [Anchor("/de/", "Startseite", "li"), Anchor("/de/", "Startseite", "p"), Anchor("/de/", "Home", "li")]
    )
    assert [len(set(ids)) for ids in (group.references, group.labels, group.displays)] == [1, 2, 3]
    assert identities.group([Anchor("/de/", "Startseite", "li")] * 2).displays == (group.displays[0],) * 2
    assert identities.entry(group.labels[2]) == (group.references[0], "Home")


@pytest.mark.parametrize(
    ("first", "second", "weight"),
    [
        ("abc", "xaybzc", 3),  # figure 19 (a): one matching, in order
        ("ab", "aab", 2),  # (b), (c): two matchings, both in order
        ("ba", "aba", 2),  # (d), (e): two matchings, only the second in order
        ("ab", "ba", 0),
        ("abc", "cab", 0),
        ("aab", "baa", 0),
        ("ab", "cd", 0),
        ("", "a", 0),
    ],
)
def test_groups_harmonise_if_what_they_share_is_in_one_order(first: str, second: str, weight: int) -> None:
    """The weight is the size of the matching if any matching of that size keeps the order, else nothing."""
    assert harmony_weight(first, second) == weight
    assert harmony_weight(second, first) == weight


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_harmony_is_what_all_matchings_say(first: str, second: str) -> None:
    """Tried with every matching: harmonious is what has a maximum matching whose links are in the same order."""
    most = sum(min(first.count(one), second.count(one)) for one in set(first))
    picks = [{"".join(part) for part in combinations(word, most)} for word in (first, second)]
    expected = most if most and picks[0] & picks[1] else 0
    assert harmony_weight(first, second) == expected
    longest = max(size for size in range(7) if set(combinations(first, size)) & set(combinations(second, size)))
    assert longest_common_subsequence(first, second) == longest


FIGURE_21 = {1: {2, 3, 4, 5}, 2: {1, 3}, 3: {1, 2}, 4: {1, 2, 3, 5}, 5: {1, 2, 3, 4}}
"""Three main entries, the first with two entries below it."""


def test_the_navigation_graph_of_figure_21() -> None:
    """The main nodes, the components without the edges between them, and the graph below one of them."""
    assert main_nodes(FIGURE_21) == {1, 2, 3}
    without = {node: targets - {1, 2, 3} if node <= 3 else targets for node, targets in FIGURE_21.items()}
    assert set(strong_components(without)) == {frozenset({1, 4, 5}), frozenset({2}), frozenset({3})}
    assert is_navigation_graph(FIGURE_21, Effort())
    assert main_nodes({4: {5}, 5: {4}}) == {4, 5}


@pytest.mark.parametrize(
    "graph",
    [
        {1: {2}, 2: {3}, 3: {1}},  # nothing that all link to
        {**FIGURE_21, 2: {1, 3, 4}},  # an entry below two main entries
        {**FIGURE_21, 6: {1, 2, 3}},  # a page that links to the menu and is not in it
        {1: {2, 3}, 2: {1, 3}, 3: {1, 2}, 4: {1, 2, 3, 5}, 5: {1, 2, 3, 4}},  # two such pages, linked to each other
    ],
)
def test_what_is_no_navigation_graph(graph: dict[int, set[int]]) -> None:
    """Outsiders, cycles, and documents of two levels are none."""
    assert not is_navigation_graph(graph, Effort())


def test_levels_are_followed_down_until_the_effort_is_spent() -> None:
    """Sixty levels of one entry each are a navigation graph; of a thousand nobody waits for the end."""

    def levels(count: int) -> dict[int, set[int]]:
        return {node: ({*range(node), node + 1} & set(range(count))) - {node} for node in range(count)}

    assert is_navigation_graph(levels(60), Effort())
    effort = Effort()
    assert not is_navigation_graph(levels(1_000), effort)
    assert effort.is_spent


def test_without_igraph_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Menus of one level need no components; others need the library."""
    monkeypatch.setitem(sys.modules, "igraph", None)
    assert is_navigation_graph({1: {2}, 2: {1}}, Effort())
    with pytest.raises(UsageError, match=r"pip install \"rdfcrawl\[picture\]\""):
        is_navigation_graph(FIGURE_21, Effort())


HOST = "http://site.example"


def site_of(pages: Mapping[str, Sequence[str]]) -> LinkedSite:
    """A site whose pages have groups of links, written as words: a word's letters are the pages that it leads to."""
    site = LinkedSite()
    for name, words in pages.items():
        site.add(f"{HOST}/{name}", AnchorsOfPage([[anchor(letter) for letter in word] for word in words]))
    return site


def anchor(letter: str) -> Anchor:
    """A link to a page; a capital letter is another host."""
    host = HOST if letter.islower() else "http://elsewhere.example"
    return Anchor(f"{host}/{letter}", letter, "li")


def classes_in(site: LinkedSite, *, steps: int = MOST_STEPS) -> dict[str, list[LinkClass | None]]:
    """What the exact rule says of the groups of each page; ``None`` where it gave up."""
    judge = ExactJudge(site, TolerantJudge(site), steps)
    found: dict[str, list[LinkClass | None]] = {}
    for number, document in site.documents.items():
        verdicts = [judge.group(document, group) for group in document.groups]
        name = site.identities.address(number).rpartition("/")[2]
        found[name] = [None if verdict.is_bounded else verdict.classes[0] for verdict in verdicts]
    return found


def test_the_neighbourhood_of_figure_23() -> None:
    """Neighbours are the read documents of the same host that a group links to, each once, and not its own."""
    site = site_of({"r": ["abABar", "c"], "a": ["bc"], "b": [], "c": ["ab"]})
    reference = next(iter(site.documents.values()))
    neighbours = site.neighbours(reference, reference.groups[0].references)
    assert [site.identities.address(one.number)[-1] for one in neighbours] == ["a", "b"]


def test_harmonic_combinations_are_those_that_trying_all_finds() -> None:
    """As in figure 24: of each neighbour one group, all of which harmonise with each other."""
    site = site_of({"r": ["abc"], "a": ["bcx", "cb", "ab"], "b": ["ac", "axc", "xc"], "c": ["ab", "xb", "bx"]})
    document = site.documents[site.number_of(f"{HOST}/r")]
    reference, harmonies = document.groups[0], HarmonyGraph()
    neighbours = site.neighbours(document, reference.references)
    choices = candidates(reference, neighbours, harmonies, Effort())
    assert choices is not None
    found = list(harmonic_combinations(choices, harmonies, Effort()))
    every = product(*(neighbour.groups for neighbour in neighbours))
    complete = [
        chosen
        for chosen in every
        if all(harmonies.weight(one, two) for one, two in combinations((reference, *chosen), 2))
    ]
    assert {frozenset(one) for one in found} == {frozenset(one) for one in complete}
    assert len(found) == len(complete) > 1


def test_a_menu_is_navigation_on_its_pages_and_an_outsider_elsewhere() -> None:
    """The menu may lack the page that it stands on, and have a link to another host; an article is not in it."""
    menus = {"a": ["bcX", "xy"], "b": ["acX"], "c": ["abX"], "x": ["abcX", "zq"], "y": ["abc"]}
    found = classes_in(site_of(menus))
    assert {name: classes[0] for name, classes in found.items()} == {
        **dict.fromkeys("abc", LinkClass.NAVIGATION),
        **dict.fromkeys("xy", LinkClass.OUTSIDER),
    }
    assert found["a"][1] is found["x"][1] is LinkClass.CONTENT


def test_a_menu_with_levels_is_navigation() -> None:
    """Entries that open below their head only are part of it."""
    found = classes_in(site_of({"a": ["abcde"], "b": ["abc"], "c": ["abc"], "d": ["abcde"], "e": ["abcde"]}))
    assert set(map(tuple, found.values())) == {(LinkClass.NAVIGATION,)}


def test_a_menu_in_another_order_is_none() -> None:
    """Where one page has the entries in another order, no combination harmonises."""
    assert classes_in(site_of({"a": ["abc"], "b": ["abc"], "c": ["cba"]}))["a"] == [LinkClass.CONTENT]


def test_a_system_has_at_least_two_documents() -> None:
    """One page with links in common is no system that a group could be an outsider of."""
    assert classes_in(site_of({"r": ["aX"], "a": ["XY"]}))["r"] == [LinkClass.CONTENT]


def test_the_search_gives_up_and_says_so() -> None:
    """With exponentially many combinations and no end in sight, the tolerant rule decides."""
    letters = "abcdefghijklmnop"
    site = site_of({"z": [letters], **{one: [f"a{other}" for other in letters.upper()] for one in letters}})
    assert classes_in(site, steps=2_000)["z"] == [None]
    assert classes_in(site_of({"a": ["ab"], "b": ["ab"]}), steps=2_000)["a"] == [LinkClass.NAVIGATION]


LETTERS = "abcd"
LINKS = st.lists(st.sampled_from(["abc", "abd", "bcd", "ab", "ac", "bc", "cd", "ad", "da"]), min_size=1, max_size=3)


@given(st.fixed_dictionaries(dict.fromkeys(LETTERS, LINKS)))
def test_what_is_left_out_of_the_search_is_no_navigation(pages: dict[str, list[str]]) -> None:
    """Looking only at combinations with an entry in common finds the same navigation graphs as looking at all."""
    site = site_of({"r": [LETTERS], **pages})
    document = site.documents[site.number_of(f"{HOST}/r")]
    neighbours = site.neighbours(document, document.groups[0].references)
    choices = [one.groups for one in neighbours]
    reached = documents_reached(neighbours, choices, document)
    found = [
        [
            chosen
            for chosen in harmonic_combinations(choices, HarmonyGraph(), Effort(), bits)
            if is_navigation_graph(link_graph(neighbours, chosen), Effort())
        ]
        for bits in (None, reached)
    ]
    assert found[0] == found[1]


def test_a_menu_is_searched_once_for_all_of_its_pages() -> None:
    """What may be spent on the whole site is enough for a few searches, and none of thirty pages is given up."""
    letters = [chr(0x430 + number) for number in range(30)]
    site = site_of({one: ["".join(other for other in letters if other != one)] for one in letters})
    judge = ExactJudge(site, TolerantJudge(site), most_steps_of_site=3_000)
    verdicts = [judge.group(one, one.groups[0]) for one in site.documents.values()]
    assert not any(verdict.is_bounded for verdict in verdicts)
    assert {one for verdict in verdicts for one in verdict.classes} == {LinkClass.NAVIGATION}


def test_the_graph_of_groups_has_no_loops() -> None:
    """An edge leads to each document of the combination that a group links to, but its own."""
    site = site_of({"a": ["ab"], "b": ["abq"]})
    documents = list(site.documents.values())
    first, second = (document.number for document in documents)
    graph = link_graph(documents, [document.groups[0] for document in documents])
    assert graph == {first: {second}, second: {first}}


def tolerant_classes(site: LinkedSite, name: str) -> list[list[LinkClass]]:
    document = site.documents[site.number_of(f"{HOST}/{name}")]
    judge = TolerantJudge(site)
    return [list(judge.group(document, group).classes) for group in document.groups]


def test_the_tolerant_rule_asks_half_of_the_neighbours() -> None:
    """Entries are judged one by one: what only this page has is content, in the same group."""
    site = site_of({"a": ["abcx"], "b": ["abc"], "c": ["cab"], "x": ["qr"], "y": ["abc"]})
    navigation, content = LinkClass.NAVIGATION, LinkClass.CONTENT
    assert tolerant_classes(site, "a") == [[navigation, navigation, navigation, content]]
    assert tolerant_classes(site, "y") == [[LinkClass.OUTSIDER] * 3]


def test_links_out_of_the_site_are_judged_by_all_neighbours_of_their_page() -> None:
    """A footer that leads only to other hosts has no neighbours of its own."""
    site = site_of({"a": ["bc", "XY"], "b": ["ac", "XY"], "c": ["ab", "XZ"]})
    assert tolerant_classes(site, "a")[1] == [LinkClass.OUTSIDER] * 2
    assert tolerant_classes(site, "c")[1] == [LinkClass.OUTSIDER, LinkClass.CONTENT]


def test_redirects_and_duplicates_are_the_same_document() -> None:
    """A menu that links to an address which redirects leads to the document there."""
    site = LinkedSite({f"{HOST}/old": f"{HOST}/b"})
    site.add(f"{HOST}/a", AnchorsOfPage([[anchor("a"), Anchor(f"{HOST}/old", "b")]]))
    site.add(f"{HOST}/b", AnchorsOfPage([[anchor("a"), anchor("b")]]))
    assert classes_in(site) == {"a": [LinkClass.NAVIGATION], "b": [LinkClass.NAVIGATION]}


def test_pages_without_links_and_alone_have_no_navigation() -> None:
    """A site of one page, with links to itself or without any."""
    assert classes_in(site_of({"a": []})) == {"a": []}
    assert classes_in(site_of({"a": ["aX"]})) == {"a": [LinkClass.CONTENT]}
    assert tolerant_classes(site_of({"a": ["aX"]}), "a") == [[LinkClass.CONTENT] * 2]
