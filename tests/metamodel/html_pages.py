"""Markup as nobody should write it, and what the parser that reads pages makes of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.engine.document.markup import read_tree
from rdfcrawl.metamodel.check.html.elements import ELEMENTS, names

_TEXTS_OF_MATH: Final = ("mi", "mo", "mn", "ms", "mtext")
_FOREIGN_NAMES: Final = (
    *_TEXTS_OF_MATH,
    "annotation-xml",
    "mglyph",
    "malignmark",
    "foreignObject",
    "desc",
    "g",
    "path",
)
_MISPLACED: Final = tuple(
    sorted(
        names(
            """a b body button caption col colgroup form frameset head html math noscript object option p select svg
            table tbody td template th thead title tr"""
        )
    )
)
"""What the parser treats in a way of its own, and so is met more often."""
NAMES: Final = (*sorted(ELEMENTS), *_FOREIGN_NAMES, "image", "my-card", "foo")
ATTRIBUTES: Final = (" HREF=x", " CLASS=y", " viewbox=1", " xlink:HREF=y", " xmlns=z", " definitionurl=1", " color=red")
TEXTS: Final = ("x", " ", "\n", "&nbsp;", "\0", "<![CDATA[y]]>", "<!--c-->", "</>", "<?pi?>", "<!x>")

ADVERSARIAL: Final = (
    "<table><tr><td>1<table><tr><td>2</table></table>",
    "<table><td>1<th>2<tbody><td>3<thead><th>4",
    "<table>text<div>moved</div><tr>text<p>moved<td>3</table>",
    "<p><table><div>in quirks mode</div><p>too</p><ul><li>3</ul><tr><td>4",
    "<template><tr><td>1</td></tr></template><template><td>2</template><template><col></template>",
    "<table><template><tr><td>1</template><tr><template><td>2</template><template><div>3</template></table>",
    "<table><form><input type=hidden><input><script>1</script><style>2</style><tr><form><input type=hidden><td>3",
    "<a><table><a>1</a><tr><td><a>2</a></table></a>",
    "<b><p>1</b>2<table><b><tr><i>3</b><td></i>4",
    "<svg><tr><td>1</td></tr><foreignObject><table><tr><td>2</table><tr><td>3</foreignObject><title><b>4</title></svg>",
    "<svg><desc><table><td><svg><table><td>1",
    "<math><mi><table><tr><td>1</table></mi><annotation-xml encoding='text/html'><table><td>2</table></annotation-xml>",
    "<table><svg><tr><td>1</svg><math><mtext><tr><td>2</table>",
    "<noscript><table><tr><td>1</table><tr><td>2<p><div>3</p></noscript>",
    "<head><noscript><div>1</div></noscript><div>2</div></head><title>3</title><head><p>4",
    "<html><div>1</div><html><body><head><body><p>2</body></html><div>3</div><!doctype html><tr>",
    "<frameset><frame><noframes><p>1</noframes><div>2</frameset><noframes>3</noframes><div>4",
    "<textarea><p>1</textarea><iframe><p>2</iframe><xmp><p>3</xmp><style><p>4</style><script><p>5</script>",
    "<br>1</br><img>2</img><input>3</input><hr><p>4</hr><col><area>5</area><wbr>6</wbr><embed><p>7</embed>",
    "<select><tr><td>1<table><tr><td>2<select><div>3</select></table></select>",
    "<table><caption><table><caption><tr><td>1</caption><colgroup><col><div>2<colgroup>text",
    "<form><table></form><div></table><form>1",
    "<button><table><button>1",
    "<ruby><rt><tr><td>1<rp><table><td>2",
    "<li><tr><td>1<ul><td>2</ul><dl><dt><tr>3",
    "<table><tbody><tr><td><template><tr></td></tr></template></tbody></table><td>1",
)


def random_markup(chance: random.Random) -> str:
    """Opened, closed and misplaced tags in any order, mostly of a few names, so that these meet each other."""
    all_names = (*NAMES, *_MISPLACED * 4)
    few = chance.sample(all_names, chance.randint(3, 12)) if chance.random() < 0.7 else all_names
    pieces = ["<!doctype html>"] if chance.random() < 0.4 else []
    for _ in range(chance.randint(1, chance.choice((8, 25, 60)))):
        name, kind = chance.choice(few), chance.random()
        if kind < 0.6:
            pieces.append(start_tag(name, chance.random() < 0.5, chance.choice(("", "", "", *ATTRIBUTES))))
        else:
            pieces.append(f"</{name}>" if kind < 0.87 else chance.choice(TEXTS))
    return "".join(pieces)


def start_tag(name: str, usual: bool, attribute: str) -> str:
    """A tag, if ``usual`` with the attribute that makes the parser treat it in a way of its own."""
    own = {"input": " type=hidden", "annotation-xml": " encoding='text/html'", "template": " shadowrootmode=open"}
    return f"<{name}{own.get(name, '') if usual else ''}{attribute}>"


def read(markup: str) -> Element:
    return read_tree(markup.encode("utf-8", "replace"), "text/html")


def elements(root: Element) -> Iterator[Element]:
    return (element for element in root.iter() if isinstance(element.tag, str))


def is_foreign(element: Element) -> bool:
    """Whether the element is one of SVG or MathML, whatever its name is."""
    return _language(element) != "html"


def _language(element: Element) -> str:
    around = element.getparent()
    if around is None:
        return "html"
    outer = _language(around)
    if outer == "math" and around.tag in _TEXTS_OF_MATH and element.tag in ("mglyph", "malignmark"):
        return "math"
    if outer == "math" and around.tag == "annotation-xml" and element.tag == "svg":
        return "svg"
    if outer == "html" or _holds_html(around, outer):
        return element.tag if element.tag in ("svg", "math") else "html"
    return outer


def _holds_html(foreign: Element, language: str) -> bool:
    if language == "svg":
        return foreign.tag in ("foreignObject", "desc", "title")
    is_annotation = foreign.tag == "annotation-xml" and foreign.get("encoding") == "text/html"
    return is_annotation or foreign.tag in _TEXTS_OF_MATH
