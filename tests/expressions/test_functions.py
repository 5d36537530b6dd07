"""The string functions of XPath 2, in XPath 1.0."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.document.tree import PathError, compile_path, parse
from rdfcrawl.expressions.functions import ARGUMENTS, is_known_to_browsers
from rdfcrawl.expressions.selectors import EACH, xpath_of

PAGE = parse(
    b"<base href='/base/'><ul id=list><li> One  1 </li><li id=two>TWO, 2</li></ul><a href='x'>x</a>",
    "http://site.example/dir/page?q=1",
)


def result(expression: str) -> list[str]:
    """What an expression finds on the page, as texts."""
    found = PAGE.select(compile_path(expression), PAGE.root, outer=PAGE.root, root=PAGE.root)
    return [PAGE.text_of(match) for match in found]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("//li[matches(., '\\d$')]", ["TWO, 2"]),
        ("//li[matches(., 'two', 'i')]", ["TWO, 2"]),
        ("matches('a.c', 'a.c', 'q')", ["true"]),
        ("matches('a.c', 'abc', 'q')", ["false"]),
        ("matches(//none, 'x')", ["false"]),
        ("replace('2016-01-22', '(\\d+)-(\\d+)-(\\d+)', '$3.$2.$1')", ["22.01.2016"]),
        ("replace('a', 'a', '\\$1')", ["$1"]),
        ("tokenize('a, b,c', ',\\s*')", ["a", "b", "c"]),
        ("tokenize('a1b2c', '(\\d)')", ["a", "b", "c"]),
        ("tokenize(' a  b ')", ["a", "b"]),
        ("tokenize('a,b', ',')[2]", ["b"]),
        ("count(tokenize('a,b', ','))", ["2"]),
        ("//a[ends-with(@href, 'x')]", ["x"]),
        ("id('two')", ["TWO, 2"]),
        ('id( " list " )/li[1]', ["One 1"]),
        ("//a[. = 'x'][id('two')]/@href", ["x"]),
        ("concat('id(', count(id('none')), id('two'))", ["id(0TWO, 2"]),
        ("lower-case('ÄB')", ["äb"]),
        ("upper-case(//li)", ["ONE  1"]),
        ("string-join(//li, '|')", ["One  1 |TWO, 2"]),
        ("string-join(normalize-space(//li), '|')", ["One 1|TWO, 2"]),
        ("string-join(lower-case(replace(//li, '[^\\w]', '')), '|')", ["one1|two2"]),
        ("string-join(//li[normalize-space(.) = 'One 1'], '|')", ["One  1"]),
        ("string-join(tokenize('a b'), '+')", ["a+b"]),
        ("normalize-space(//li)", ["One 1"]),
        ("resolve-uri(//a/@href)", ["http://site.example/base/x"]),
        ("resolve-uri('y', $page)", ["http://site.example/dir/y"]),
        ("resolve-uri('')", []),
        ("$page", ["http://site.example/dir/page?q=1"]),
        ("concat(1 = 1, replace(1.5, '\\.', ','))", ["true1,5"]),
    ],
)
def test_functions_return_what_xpath_2_returns(expression: str, expected: list[str]) -> None:
    """A set of nodes means its first one, except where a sequence is expected."""
    assert result(expression) == expected


def test_a_regular_expression_ends_in_time() -> None:
    """One that backtracks without end is an error that quotes it."""
    with pytest.raises(PathError, match=r"\(a\|aa\)\+\$ takes more than 1 s.*in matches"):
        result(f"matches('{'a' * 60}b', '(a|aa)+$')")


def test_a_regular_expression_that_the_page_makes_invalid_is_an_error_with_its_path() -> None:
    """What is not in the model cannot be checked before."""
    with pytest.raises(PathError, match=r"the regular expression \( is invalid.*in matches\('x', concat"):
        result("matches('x', concat('(', ''))")


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_every_function_exists_with_the_least_of_its_arguments(name: str) -> None:
    """The table that the check uses is true."""
    arguments = ", ".join(["'a'"] * (ARGUMENTS[name][0] + (2 if name == f"replace{EACH}" else 0)))
    if name.endswith(EACH):
        assert result(f"string-join({name.removesuffix(EACH)}({arguments}), '')")
    else:
        assert len(result(f"{name}({arguments})")) <= 1


def test_only_functions_inside_a_join_apply_to_each_node() -> None:
    """Predicates and later arguments are no sequences."""
    assert EACH not in xpath_of("string-join(//li[normalize-space(.)], normalize-space(' '))")
    assert EACH in xpath_of("string-join(normalize-space(//li), ',')")


def test_what_a_browser_knows() -> None:
    """CSS and XPath 1.0; an element may be called like a function."""
    assert is_known_to_browsers("css:a")
    assert is_known_to_browsers("//matches[contains(., 'x')]")
    assert not is_known_to_browsers("//a[matches(., 'x')]")
    assert not is_known_to_browsers("//a[@href = $page]")
