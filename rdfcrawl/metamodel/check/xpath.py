"""Finds what is wrong with an XPath, and where.

lxml compiles an expression without checking that its functions, variables and prefixes exist: they are looked up when
the expression is evaluated, perhaps in the middle of a run. So its names are checked here, token by token.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

from rdfcrawl.dataclass import dataclass
from rdfcrawl.expressions.css import PREFIX, CssError, is_css
from rdfcrawl.expressions.functions import ARGUMENTS, PATTERN_ARGUMENT, FunctionError, compiled, extensions
from rdfcrawl.expressions.selectors import BASE, EACH, xpath_of
from rdfcrawl.expressions.tokens import XPathToken, call_arguments, is_operand, tokenise
from rdfcrawl.metamodel.names import closest

PAGE_VARIABLES: Final = ("page",)
"""``$page`` is the address of the page."""
OBJECT_VARIABLES: Final = ("outer", "root", *PAGE_VARIABLES)
"""``$outer`` is the enclosing object's root element, ``$root`` the object's own."""

_ANY: Final = 1_000
FUNCTIONS: Final = {
    "last": (0, 0),
    "position": (0, 0),
    "count": (1, 1),
    "id": (1, 1),
    "local-name": (0, 1),
    "namespace-uri": (0, 1),
    "name": (0, 1),
    "string": (0, 1),
    "concat": (2, _ANY),
    "starts-with": (2, 2),
    "contains": (2, 2),
    "substring-before": (2, 2),
    "substring-after": (2, 2),
    "substring": (2, 3),
    "string-length": (0, 1),
    "normalize-space": (0, 1),
    "translate": (3, 3),
    "boolean": (1, 1),
    "not": (1, 1),
    "true": (0, 0),
    "false": (0, 0),
    "lang": (1, 1),
    "number": (0, 1),
    "sum": (1, 1),
    "floor": (1, 1),
    "ceiling": (1, 1),
    "round": (1, 1),
}
"""The functions of XPath 1.0 and how many arguments each takes."""

_PREFIXES: Final = ("xlink", "xml")
NODE_TYPES: Final = ("node", "text", "comment", "processing-instruction")
_XPATH: Final = "write XPath 1.0"
_PLAIN_XPATH: Final = "use the functions of XPath 1.0, " + ", ".join(
    f"{name}()" for name in ARGUMENTS if not name.endswith(EACH)
)
_extensions: Final = extensions(lambda reference, base: reference)
_RESULTS: Final = {float: "a number", bool: "true or false", str: "a string"}


@dataclass(frozen=True, slots=True)
class XPathFault:
    """What is wrong and what would be right."""

    message: str
    advice: str


def faults(
    expression: str,
    variables: tuple[str, ...] = OBJECT_VARIABLES,
    *,
    nodes: bool = True,
    addresses: bool = False,
    in_browser: bool = False,
) -> tuple[XPathFault, ...]:
    """Everything that is wrong with an XPath or CSS selector.

    With ``nodes``, also that it returns something other than nodes, or ``addresses`` as texts where these are allowed.
    What a browser evaluates has only the functions of XPath 1.0.
    """
    try:
        evaluated = xpath_of(expression)
        xpath = etree.XPath(
            evaluated, regexp=False, namespaces=dict.fromkeys(_PREFIXES, "namespace:"), extensions=_extensions
        )
    except CssError as error:
        return (_css_fault(expression, error),)
    except etree.XPathSyntaxError as error:
        return (_syntax_fault(expression, error),)
    if is_css(expression):
        return tuple(_result_faults(expression, xpath, nodes, addresses))
    found = tuple(_name_faults(expression, variables, in_browser))
    return found or tuple(_result_faults(expression, xpath, nodes, addresses))


def _css_fault(expression: str, error: CssError) -> XPathFault:
    selector = expression.removeprefix(PREFIX)
    if not selector.strip():
        return XPathFault("the CSS selector is empty", 'write the selector of the element, such as "css:h2 > a"')
    place = "" if error.place is None else f" at {_position(selector, error.place)}"
    advice = _syntax_advice(selector)
    right = advice if advice != _XPATH else "write a CSS selector that selects elements, such as css:h2 > a"
    return XPathFault(f"the CSS selector is invalid{place}: {error.reason}", right)


def _syntax_fault(expression: str, error: etree.XPathSyntaxError) -> XPathFault:
    if not expression.strip():
        return XPathFault("the XPath is empty", 'write the path of the element, such as ".//h1"')
    octets = expression.encode()
    # Entries without a column point to the end of the expression.
    column = error.error_log.last_error.column if error.error_log.last_error is not None else len(octets)
    offset = len(octets[:column].decode(errors="ignore"))
    reason = str(error).lower() if str(error) != "Invalid expression" else "syntax error"
    return XPathFault(f"the XPath is invalid at {_position(expression, offset)}: {reason}", _syntax_advice(expression))


def _syntax_advice(expression: str) -> str:
    for opening, closing in ("[]", "()"):
        missing = expression.count(opening) - expression.count(closing)
        if missing:
            verb = "close" if missing > 0 else "remove"
            return f"{verb} {abs(missing)} bracket{'s' if abs(missing) > 1 else ''} {closing}"
    if expression.count("'") % 2 or expression.count('"') % 2:
        return "close the quote"
    return _XPATH


def _name_faults(expression: str, variables: tuple[str, ...], in_browser: bool) -> Iterator[XPathFault]:
    tokens = tokenise(expression)
    for index, token in enumerate(tokens):
        place = _position(expression, token.start)
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if token.kind == "variable":
            yield from _variable_faults(token, place, variables, in_browser)
        elif token.kind == "name" and ":" in token.text:
            yield from _prefix_faults(token, place, following)
        elif token.kind == "name" and following == "(" and token.text not in NODE_TYPES and is_operand(tokens, index):
            if in_browser and token.text in ARGUMENTS:
                yield XPathFault(
                    f"the function {token.text}() is not known to the browser at {place}",
                    "use the functions of XPath 1.0, such as contains(), because the browser evaluates this",
                )
            else:
                yield from _function_faults(tokens, index, place)


def _prefix_faults(token: XPathToken, place: str, following: str) -> Iterator[XPathFault]:
    prefix, _, local = token.text.partition(":")
    if following == "(":
        meant = {"test": "matches", "match": "matches"}.get(local, local)
        advice = f"write {meant}()" if meant in ARGUMENTS or meant in FUNCTIONS else _PLAIN_XPATH
        yield XPathFault(f"the function {token.text}() is not known at {place}", advice)
    elif prefix not in _PREFIXES:
        yield XPathFault(f"the prefix {prefix}: is not known at {place}", f"write *[local-name()='{local}']")


def _variable_faults(
    token: XPathToken, place: str, variables: tuple[str, ...], in_browser: bool
) -> Iterator[XPathFault]:
    if token.text.removeprefix("$").strip() in variables:
        return
    if in_browser:
        advice = "do not use variables here, because the browser evaluates this"
    elif variables == PAGE_VARIABLES:
        advice = "use only $page, the page's address, because there is no object here"
    else:
        advice = (
            "use $outer, the enclosing object's root element, $root, the object's own, or $page, the page's address"
        )
    yield XPathFault(f"the variable {token.text} is not known at {place}", advice)


def _function_faults(tokens: list[XPathToken], index: int, place: str) -> Iterator[XPathFault]:
    name = tokens[index].text
    known = {**FUNCTIONS, **{name: count for name, count in ARGUMENTS.items() if not name.endswith(EACH)}}
    if name not in known:
        meant = closest(name, list(known))
        advice = f"did you mean {meant}()?" if meant else _PLAIN_XPATH
        yield XPathFault(f"the function {name}() is not known at {place}", advice)
        return
    least, most = known[name]
    arguments, _ = call_arguments(tokens, index)
    count = len(arguments)
    if not least <= count <= most:
        wanted = str(least) if least == most else f"{least} or more" if most == _ANY else f"{least} to {most}"
        given = {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")
        yield XPathFault(f"the function {name}() has {given} at {place}", f"it takes {wanted}")
    elif name in PATTERN_ARGUMENT:
        yield from _pattern_faults(name, arguments)


def _pattern_faults(name: str, arguments: list[list[XPathToken]]) -> Iterator[XPathFault]:
    """What is wrong with a regular expression that is written in the XPath itself."""
    texts = [tokens[0].text[1:-1] if len(tokens) == 1 and tokens[0].kind == "literal" else None for tokens in arguments]
    place = PATTERN_ARGUMENT[name]
    flags = texts[-1] if len(arguments) == ARGUMENTS[name][1] else ""
    if len(texts) <= place or (pattern := texts[place]) is None:
        return
    try:
        compiled(pattern, flags or "")
    except FunctionError as error:
        yield XPathFault(f"in {name}() {error}", "escape literal characters, such as \\\\( in Turtle")


def _result_faults(expression: str, xpath: etree.XPath, nodes: bool, addresses: bool) -> Iterator[XPathFault]:
    """Evaluates the expression once: whether it returns nodes does not depend on the content of the document."""
    root = etree.Element("html")
    try:
        result = xpath(root, outer=[root], root=[root], page="http://page.example/", **{BASE: "http://page.example/"})
    except FunctionError:
        # A regular expression that the page itself would state.
        return
    except etree.XPathError as error:
        yield XPathFault(f"the XPath {expression} fails: {str(error).lower()}", "write XPath 1.0")
        return
    kind = next((name for type_, name in _RESULTS.items() if isinstance(result, type_)), None)
    if not nodes or kind is None or (addresses and isinstance(result, str)):
        return
    if addresses:
        advice = "write the path of the link element, or make the address a text, such as concat('?page=', …)"
        yield XPathFault(f"the XPath returns {kind}, not elements or an address", advice)
    else:
        yield XPathFault(f"the XPath returns {kind}, not elements", 'write the path of the element, such as ".//h1"')


def _position(expression: str, offset: int) -> str:
    if offset == 0:
        return "the beginning"
    return f"character {offset + 1}, after {expression[:offset]}"
