"""What redesigns really do to sites, done to copies of the five example sites, and what mends the models."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SITES = ROOT / "examples/sites"


@dataclass(frozen=True, slots=True)
class Redesign:
    """A substitution in pages whose path contains ``pages``; ``dead`` are the parts of the model that no longer fit.

    ``mend`` are the replacements in the text of the model that make it fit again; without them the site is turned back.
    """

    name: str
    pages: str
    old: str
    new: str
    dead: tuple[tuple[str, str], ...]
    mend: tuple[tuple[str, str], ...] = ()

    def apply(self, folder: Path) -> None:
        """Change the pages in a folder."""
        pattern, changed = re.compile(self.old, re.DOTALL), 0
        for path in (path for path in folder.rglob("*.html") if self.pages in str(path.relative_to(folder))):
            text, count = pattern.subn(self.new, path.read_text(encoding="utf-8"))
            path.write_text(text, encoding="utf-8")
            changed += count
        assert changed, f"{self.name} changes nothing"

    def mended(self, model: str) -> str:
        """The text of the model that fits the redesigned site."""
        for old, new in self.mend:
            assert old in model, old
            model = model.replace(old, new)
        return model


def copy_site(host: str, target: Path) -> None:
    """Copy the pages of a site; the list that a script loads at campus.tum.de is put into its page."""
    shutil.copytree(SITES / host, target / host)
    for page in target.rglob("wbLvOffer.list@*.html"):
        parts = sorted(page.parent.glob(page.name.replace("list@", "part@*&")))
        rows = "".join(re.findall(r"<tr class=\"coRow.*?</tr>", "".join(part.read_text("utf-8") for part in parts)))
        table = f'<table class="cotable"><tbody>{rows}</tbody></table>'
        text = page.read_text("utf-8")
        page.write_text(re.sub(r'(<div id="idLVOfferTable"[^>]*>)(</div>)', rf"\1{table}\2", text), "utf-8")


REDESIGNS = {
    ("bundestag", "www.bundestag.de"): (
        Redesign(
            "renamed class",
            "",
            'class="inhalt"',
            'class="content"',
            (("item:donation", "path"),),
            (("@class='inhalt'", "@class='content'"),),
        ),
        Redesign(
            "inserted column",
            "",
            r"(<tr>\s*)(<td)",
            r"\1<td>neu</td>\2",
            (("donation:amount", "pattern"),),
            (("./td[4]", "./td[5]"), ("./td[3]", "./td[4]"), ("./td[2]", "./td[3]"), ("./td[1]", "./td[2]")),
        ),
        Redesign(
            "extra wrapper",
            "",
            r'(<li>)(<a [^>]*title="Jahr)',
            r"\1<div>\2",
            (("page:donations", "next"),),
            ((']/a"', ']//a"'),),
        ),
        Redesign("list emptied by script", "", r"<tbody>.*?</tbody>", "<tbody></tbody>", (("item:donation", "path"),)),
        Redesign("changed format", "", r"(\d)\.(\d{3})", r"\1'\2", (("donation:amount", "pattern"),)),
        Redesign(
            "moved value",
            "",
            r"(<tr>\s*<td[^>]*>.*?</td>\s*<td[^>]*>.*?</td>\s*)(<td[^>]*>.*?</td>)(.*?)(</tr>)",
            r"\1<td></td>\3\2\4",
            (("donation:donor", "path"),),
            (("./td[3]", "./td[last()]"),),
        ),
    ),
    ("campus-tum", "campus.tum.de"): (
        Redesign(
            "renamed class",
            "wbTvw_List",
            "coRow coTableGR1 ",
            "row group",
            (("item:group", "path"),),
            (("coRow coTableGR1 ", "row group"),),
        ),
        Redesign(
            "inserted column",
            "wbTvw_List",
            r'(<tr class="coRow hi[^>]*>)',
            r"\1<td>KW 43</td>",
            (("item:appointment", "id"),),
            (("./td[5]", "./td[6]"), ("./td[4]", "./td[5]"), ("./td[3]", "./td[4]"), ("./td[2]", "./td[3]")),
        ),
        Redesign(
            "extra wrapper",
            "lv.detail",
            r'(<div class=" MaskData">)(.*?</table>)',
            r"\1<div>\2</div>",
            (("item:course", "path"),),
            (("MaskData']/table", "MaskData']//table"),),
        ),
        Redesign("list emptied by script", "wbLvOffer", r"<tbody>.*?</tbody>", "", (("page:courses", "path"),)),
        Redesign(
            "changed date format",
            "wbTvw_List",
            r"(\d\d)\.(\d\d)\.(\d{4})</a>",
            r"\3-\2-\1</a>",
            (("appointment:date", "format"),),
            (("dd.MM.yyyy", "yyyy-MM-dd"),),
        ),
        Redesign(
            "moved value",
            "lv.detail",
            r"(<label>Art</label>)(</td><td>)(<span>.*?</span>)",
            r"\1\3\2",
            (("course:type", "path"),),
            (("text()='Art']/../following-sibling::td//span", "text()='Art']/following-sibling::span"),),
        ),
    ),
    ("chefkoch", "www.chefkoch.de"): (
        Redesign(
            "renamed class",
            "rezepte/",
            'class="name"',
            'class="ingredient-name"',
            (("ingredient:label", "path"),),
            (("@class='name'", "@class='ingredient-name'"),),
        ),
        Redesign(
            "inserted element",
            "rezepte/",
            r"(<h2>Zubereitung</h2>)",
            r"\1<p>Anzeige</p>",
            (("recipe:difficulty", "pattern"),),
            (("following-sibling::p", "following-sibling::p[2]"),),
        ),
        Redesign(
            "extra wrapper",
            "rezepte/",
            r'(<span class="prepTime">)(<span [^>]*></span>)',
            r"\1<em>\2</em>",
            (("recipe:workingTime", "path"),),
            (("prepTime']/span", "prepTime']//span"),),
        ),
        Redesign(
            "list emptied by script",
            "rezepte/",
            r'(<table class="incredients">).*?(</table>)',
            r"\1\2",
            (("item:ingredient", "path"),),
        ),
        Redesign(
            "changed date format",
            "rezepte/",
            'title="PT',
            'title="Dauer ',
            (("recipe:workingTime", "path"),),
            ((':attribute "title" ;', ':attribute "title" ; :replace [ :old "Dauer " ; :new "PT" ] ;'),),
        ),
        Redesign(
            "moved value",
            "rezepte/",
            r'(id="divisor"[^>]*) value=',
            r"\1 data-value=",
            (("recipe:portions", "path"),),
            ((':attribute "value"', ':attribute "data-value"'),),
        ),
    ),
    ("imdb", "www.imdb.com"): (
        Redesign(
            "renamed class",
            "",
            'itemprop="actors"',
            'itemprop="stars"',
            (("item:actor", "path"),),
            (("@itemprop='actors'", "@itemprop='stars'"),),
        ),
        Redesign(
            "inserted element",
            "",
            r'(<h2 class="tv_header">.*?)(<span)',
            r"\1<span>TV</span>\2",
            (("episode:number", "pattern"),),
            (("./h2/span", "./h2/span[2]"),),
        ),
        Redesign(
            "extra wrapper",
            "",
            r'(<h1 class="header">)(.*?)(</h1>)',
            r"\1<div>\2</div>\3",
            (("series:label", "path"), ("episode:label", "path")),
            (("h1/span[1]", "h1/div/span[1]"),),
        ),
        Redesign(
            "list emptied by script",
            "",
            r'(<div class="list detail eplist">).*(?=<div id="footer">)',
            r"\1</div></div></div></div>",
            (("page:episodes", "path"),),
        ),
        Redesign(
            "changed number format",
            "title/",
            r'(itemprop="ratingValue">\d),',
            r"\1·",
            (("series:rating", "path"), ("episode:rating", "path")),
            ((':old ","', ':old "·"'),),
        ),
        Redesign(
            "moved value",
            "episodes@",
            r'(<div id="episodes_content">\s*)(<h3 id="episode_top".*?</h3>)',
            r"\2\1",
            (("season:number", "path"),),
            ((".//h3[@id='episode_top']", "//h3[@id='episode_top']"),),
        ),
    ),
    ("muenchen", "www.muenchen.de"): (
        Redesign(
            "renamed class",
            "event/",
            'itemprop="startDate"',
            'itemprop="start"',
            (("item:appointment", "path"),),
            (("@itemprop='startDate'", "@itemprop='start'"),),
        ),
        Redesign(
            "inserted element",
            "event/",
            r'(<span itemprop="startDate")',
            r'<span itemprop="startDate">neu</span>\1',
            (("appointment:start", "path"),),
            ((".//span[@itemprop='startDate']\"", ".//span[@itemprop='startDate'][@content]\""),),
        ),
        Redesign(
            "extra wrapper",
            "orte/",
            r'(<div id="page_content">\s*<div id="pagecontent">\s*)(<div id="sidebar">.*?</div>)',
            r'<div class="layout">\2</div>\1',
            (("location:address", "path"),),
            ((".//div[@id='sidebar']", "//div[@id='sidebar']"),),
        ),
        Redesign(
            "list emptied by script",
            "events/",
            r'(<div id="oEventList">).*(?=<div id="footer">)',
            r"\1</div></div>",
            (("page:events", "path"),),
        ),
        Redesign(
            "changed date format",
            "event/",
            r'content="(\d{4})-(\d\d)-(\d\d)T',
            r'content="\3.\2.\1 ',
            (("appointment:start", "format"),),
        ),
        Redesign(
            "moved value",
            "event/",
            r'(<div id="main">\s*)(<h1>.*?</h1>)',
            r"\2\1",
            (("event:label", "path"),),
            (('event:label\n    :path      ".//h1"', 'event:label\n    :path      "//h1"'),),
        ),
    ),
}
