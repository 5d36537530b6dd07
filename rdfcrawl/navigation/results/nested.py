"""The site map as nested lists of HTML that open and close without a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from markupsafe import Markup

from rdfcrawl.navigation.results.reading import MapEntry, NavigationFindings

_FEW: Final = 12


def nested_list(
    findings: NavigationFindings,
    href: Callable[[str], str | None],
    most: int | None = None,
    most_below: int | None = None,
) -> Markup:
    """All pages, or the first so many of them and so many below each; ``href`` is where a page's link leads.

    Below the roots, only short menus are open.
    """
    return Markup("").join(_parts(findings, href, most, most_below))


def _parts(
    findings: NavigationFindings, href: Callable[[str], str | None], most: int | None, most_below: int | None
) -> Iterator[Markup]:
    roots = findings.children.get(None, ())
    waiting: list[tuple[int, MapEntry] | Markup] = [Markup("</ul>")]
    waiting += [(0, entry) for entry in reversed(roots)]
    left = most
    yield Markup('<ul class="tree">')
    while waiting:
        part = waiting.pop()
        if isinstance(part, Markup):
            yield part
            continue
        if left is not None:
            if left == 0:
                continue
            left -= 1
        depth, entry = part
        children = findings.children.get(entry.address, ())
        if not children:
            yield Markup("<li>{}</li>\n").format(_link(entry, href))
            continue
        is_open = Markup(" open") if depth == 0 or _is_menu(children) else Markup("")
        # A link inside of what opens and closes could not be told from it by those who do not see it.
        yield Markup('<li class="branch">{} <details{}><summary class="count">{} below</summary><ul>\n').format(
            _link(entry, href), is_open, f"{len(children):,}"
        )
        shown = children[:most_below]
        waiting.append(Markup("</ul></details></li>\n"))
        if len(shown) < len(children):
            waiting.append(Markup('<li class="more">… and {} more</li>\n').format(f"{len(children) - len(shown):,}"))
        waiting += [(depth + 1, child) for child in reversed(shown)]


def _is_menu(children: Sequence[MapEntry]) -> bool:
    return len(children) <= _FEW and children[0].by_navigation


def _link(entry: MapEntry, href: Callable[[str], str | None]) -> Markup:
    label = " ".join(entry.label.split()) or entry.address
    how = Markup("") if entry.by_navigation or entry.parent is None else Markup(' class="content"')
    target = href(entry.address)
    named = Markup('<bdi{} title="{}">{}</bdi>').format(how, entry.address, label)
    return named if target is None else Markup('<a href="{}" rel="noreferrer noopener">{}</a>').format(target, named)
