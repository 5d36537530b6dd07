"""How each kind of page is read."""

from __future__ import annotations

from typing import Final

from rdfcrawl.engine.extract.kinds.links_page import LinksPageReader
from rdfcrawl.engine.extract.kinds.object_page import ObjectPageReader
from rdfcrawl.engine.extract.kinds.objects_page import ObjectsPageReader
from rdfcrawl.engine.extract.kinds.site_page import SitePageReader
from rdfcrawl.engine.extract.reading import Readers
from rdfcrawl.metamodel.kinds.links_page import LinksPage
from rdfcrawl.metamodel.kinds.object_page import ObjectPage
from rdfcrawl.metamodel.kinds.objects_page import ObjectsPage
from rdfcrawl.metamodel.kinds.site_page import SitePage

READERS: Final[Readers] = {
    ObjectPage: ObjectPageReader(),
    ObjectsPage: ObjectsPageReader(),
    LinksPage: LinksPageReader(),
    SitePage: SitePageReader(),
}
