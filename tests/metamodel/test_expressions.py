"""XPath and regular expressions are checked before a page is fetched."""

from __future__ import annotations

import pytest
from lxml import etree

from rdfcrawl.metamodel.check.patterns import PatternError, check_replacement, compile_pattern
from rdfcrawl.metamodel.check.xpath import FUNCTIONS, faults


@pytest.mark.parametrize(
    "expression",
    [
        ".",
        "//a[position() mod 2 = 1][position() div (2) > 1]",
        "child::div/ancestor-or-self::node()[@class = 'a:b(c)']",
        "./following-sibling::tr[count(preceding-sibling::tr[1] | $outer) = 1]",
        "$root//li[not(contains(concat(' ', @class, ' '), \" x \"))]",
        "//*[local-name()='path'] | //text()[2] | //comment() | //processing-instruction('x')",
        "id('main')//@*",
        ".//use/@xlink:href",
        "//*[@or and @and or div div 2 > mod mod 2]",
    ],
)
def test_good_expressions_have_no_faults(expression: str) -> None:
    """What XPath 1.0 allows is let through, however odd its names are."""
    assert faults(expression) == ()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_listed_function_exists_with_that_many_arguments(name: str) -> None:
    """libxml2 itself knows each function of the table and refuses another number of arguments."""
    root = etree.Element("html")
    least, most = FUNCTIONS[name]
    etree.XPath(f"self::*[{name}({', '.join(['.'] * least)})]")(root)
    if most < 10:
        with pytest.raises(etree.XPathEvalError, match="Invalid number of arguments"):
            etree.XPath(f"self::*[{name}({', '.join(['.'] * (most + 1))})]")(root)


def test_the_position_counts_characters_and_not_bytes() -> None:
    """An umlaut before the mistake does not move it."""
    (fault,) = faults("//ä[ü=]")
    assert "at character 7, after //ä[ü=" in fault.message


def test_every_unknown_name_is_told() -> None:
    """Two unknown functions and an unknown variable are three faults."""
    assert len(faults("//a[index-of(@href, $x)][distinct-values(.)]")) == 3


def test_a_value_may_be_a_string_where_no_element_is_needed() -> None:
    """A property can be computed; a root element cannot."""
    assert faults("substring-after(., ':')", nodes=False) == ()
    (fault,) = faults("substring-after(., ':')")
    assert fault.message == "the XPath returns a string, not elements"


@pytest.mark.parametrize(
    ("old", "new"), [("(a)(b)", "$2$1"), ("a", "$0!"), ("a", r"\$ \\"), ("(a)", "$12"), ("(?P<x>a)", "${x}")]
)
def test_replacements_refer_to_groups(old: str, new: str) -> None:
    """Every reference that has its group is fine; more digits than there are groups are digits."""
    check_replacement(new, compile_pattern(old))


@pytest.mark.parametrize(
    ("old", "new"), [("a", "$1"), ("(a)", "$2"), ("a", "$"), ("a", "a\\d"), ("a", "${x}"), ("a", "\\")]
)
def test_replacements_without_their_group_are_refused(old: str, new: str) -> None:
    """A reference to nothing would silently write nothing."""
    with pytest.raises(PatternError):
        check_replacement(new, compile_pattern(old))


def test_the_position_of_a_wrong_regular_expression_is_told() -> None:
    """The message quotes the expression and says where reading it stopped."""
    with pytest.raises(PatternError, match=r"the regular expression a\(b is invalid at character 4: missing \)"):
        compile_pattern("a(b")
