"""A site of pages that link to each other, generated from a seed: thirty links a page, a menu, images, some text.

``python benchmarks/linked_site.py FOLDER --pages 20000`` writes the pages as files.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from pathlib import Path

LINKS = 30
IMAGES = 4
_MENU = 6
_WORDS = ("river", "stone", "garden", "winter", "letter", "bridge", "market", "silver", "window", "forest", "castle")


@dataclass(frozen=True, slots=True)
class LinkedSite:
    """The generated site; every page can be reached from the first one."""

    pages: int
    seed: int = 20201116

    def links(self, page: int) -> list[int]:
        """The pages that a page links to, each once: the menu, the next ones, and any others."""
        chance = random.Random(self.seed * 1_000_003 + page)
        found = dict.fromkeys(number for number in range(min(_MENU, self.pages)) if number != page)
        # Two children each: so everything can be reached, and nothing is deep.
        found |= dict.fromkeys(child for child in (2 * page + 1, 2 * page + 2) if child < self.pages)
        while len(found) < min(LINKS, self.pages - 1):
            if (other := chance.randrange(self.pages)) != page:
                found[other] = None
        return list(found)

    def html(self, page: int) -> str:
        """The page as it is served."""
        chance = random.Random(page)
        *menu, first, second = self.links(page)[:8]
        rest = self.links(page)[8:]
        title = f"{chance.choice(_WORDS)} {chance.choice(_WORDS)} {page}"
        paragraphs = "".join(f"<p>{' '.join(chance.choices(_WORDS, k=60))}\n" for _ in range(5))
        images = "".join(f'<img src="/images/{chance.randrange(999)}.jpg" alt="">' for _ in range(IMAGES))
        return (
            f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body><nav><ul>"
            + "".join(f'<li><a href="{_path(other)}">Section {other}</a>' for other in menu)
            + f"</ul></nav><main><h1>{title}</h1>{paragraphs}{images}<ul class=more>"
            + "".join(f'<li><a href="{_path(other)}" class=more>More about {other}</a>' for other in (first, second))
            + "</ul><table>"
            + "".join(f'<tr><td><a href="{_path(other)}#top">page {other}</a><td>{other % 7}' for other in rest)
            + "</table></main></body></html>"
        )


def write_site(site: LinkedSite, folder: Path) -> None:
    """Write all pages below a folder."""
    for page in range(site.pages):
        file = folder / _path(page).removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(site.html(page), encoding="utf-8")


def start_path() -> str:
    """The path of the first page."""
    return _path(0)


def _path(page: int) -> str:
    return f"/{page % 100}/page-{page}"


def main() -> None:
    """Write the site of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=20_000)
    options = parser.parse_args()
    write_site(LinkedSite(options.pages), options.folder)


if __name__ == "__main__":
    main()
