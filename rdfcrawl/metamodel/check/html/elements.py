"""What an HTML parser can build from any markup: the names of elements, and which never contain which.

The tables cover every tree that the parsing algorithm of the HTML standard can build, also from broken markup, and
are tested against the parser that reads the pages. They leave out what only looks impossible: ``p/div``,
``a/a``, ``form/form`` and ``button/button`` result from misnested tables, and ``select/div`` is now allowed. They say
nothing about the content of ``svg`` and ``math``, where the parser keeps every name.
"""

from __future__ import annotations

from typing import Final

DOCUMENT_NODE: Final = "/"
TEXT: Final = "text()"


def names(text: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(text.split())


# The elements of HTML, including obsolete ones, which parsers and pages still use.
ELEMENTS: Final = names(
    """a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body
    br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em
    embed fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr
    html i iframe img input ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem
    meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture
    plaintext portal pre progress q rb rbc rp rt rtc ruby s samp script search section select selectedcontent slot small
    source spacer span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time
    title tr track tt u ul var video wbr xmp"""
)

FOREIGN: Final = names("svg math")
"""Inside these the parser keeps every name."""

_ANYWHERE_IN_TABLES: Final = names("script style template form input")
_ROWS: Final = names("tr") | _ANYWHERE_IN_TABLES
_ONLY_TEXT: Final = names(TEXT)
TEXT_ELEMENTS: Final = names("iframe noembed noframes script style textarea xmp")
"""Elements whose content is read as text, whatever is written there."""

_CHILDREN: Final = {
    "html": names("head body frameset noframes"),
    "head": names("base basefont bgsound link meta title noscript noframes style script template"),
    "frameset": names("frame frameset noframes"),
    "table": names("caption colgroup thead tbody tfoot") | _ANYWHERE_IN_TABLES,
    "colgroup": names("col template"),
    "thead": _ROWS,
    "tbody": _ROWS,
    "tfoot": _ROWS,
    "tr": names("td th") | _ANYWHERE_IN_TABLES,
    **dict.fromkeys(names("area br col embed frame hr img input wbr"), names("")),
    **dict.fromkeys(TEXT_ELEMENTS, _ONLY_TEXT),
}
"""Elements with restricted content, and that content. Void elements that feeds also use are left out."""

_PARENTS: Final = {
    "html": (DOCUMENT_NODE,),
    "head": ("html",),
    "body": ("html",),
    "frameset": ("html", "frameset"),
    "frame": ("frameset",),
    **dict.fromkeys(names("caption colgroup thead tbody tfoot"), ("table", "template")),
    "col": ("colgroup", "template"),
    "tr": ("tbody", "thead", "tfoot", "template"),
    "td": ("tr", "template"),
    "th": ("tr", "template"),
}
"""Elements with restricted parents, and those parents."""

_CONTENT: Final = {
    "html": "body",
    "table": "tbody/tr/td",
    "thead": "tr/th",
    "tbody": "tr/td",
    "tfoot": "tr/td",
    "tr": "td",
}
"""Where content is found that cannot be directly inside these elements."""

CAPITAL_ATTRIBUTES: Final = names(
    """attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits definitionURL diffuseConstant
    edgeMode filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines
    keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves
    pathLength patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha
    preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur requiredExtensions requiredFeatures
    specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles surfaceScale systemLanguage
    tableValues targetX targetY textLength viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan"""
)
"""The attributes of SVG and MathML whose capital letters the parser restores."""


def is_element(name: str) -> bool:
    """Whether HTML has such an element, in any case of letters; a name with a hyphen is a custom element."""
    return name.lower() in ELEMENTS or ("-" in name and ":" not in name)


def never_inside(above: str, test: str, *, deep: bool) -> bool:
    """Whether no parser ever puts that element or a text into the element ``above``, at any depth if ``deep``.

    A document contains only its root element; the root can be a table if the page is not HTML.
    """
    if above == DOCUMENT_NODE:
        return not deep and test not in ("html", "table", TEXT)
    if above in FOREIGN:
        return False
    if deep:
        of_root = test == "html" or (test in ("head", "body") and above != "html")
        return of_root or (has_no_elements(above) and test not in _CHILDREN[above])
    if above in _CHILDREN and test not in _CHILDREN[above]:
        return True
    return test in _PARENTS and above not in _PARENTS[test]


def has_no_elements(name: str) -> bool:
    """Whether the element contains only text, or nothing at all."""
    return _CHILDREN.get(name, _ROWS) <= _ONLY_TEXT


def way_between(above: str, test: str) -> str | None:
    """The elements between two others, such as ``tbody/tr`` between ``table`` and ``td``."""
    ways = [(test, "")]
    for name, way in ways:
        for parent in _PARENTS.get(name, ()):
            if parent == above:
                return way or None
            if parent not in ("template", DOCUMENT_NODE, name):
                ways.append((parent, f"{parent}/{way}".rstrip("/")))
    return None if test in _PARENTS else _CONTENT.get(above)
