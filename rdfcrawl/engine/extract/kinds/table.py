"""How each kind of page is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rdfcrawl.engine.extract.kinds.links_page import LinksPageReader
from rdfcrawl.engine.extract.kinds.object_page import ObjectPageReader
from rdfcrawl.engine.extract.kinds.objects_page import ObjectsPageReader
from rdfcrawl.engine.extract.reading import Readers, Reading
from rdfcrawl.metamodel.kinds.links_page import LinksPage
from rdfcrawl.metamodel.kinds.object_page import ObjectPage
from rdfcrawl.metamodel.kinds.objects_page import ObjectsPage
from rdfcrawl.metamodel.kinds.site_page import SitePage

if TYPE_CHECKING:
    from rdfcrawl.engine.extract.found import FoundObject
    from rdfcrawl.engine.extract.plan import PagePlan


class _LateSitePageReader:
    """Reads pages of a site; what only surveys need is imported with the first of them."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the document as a page of a site."""
        from rdfcrawl.engine.extract.kinds.site_page import SitePageReader

        SitePageReader().read(reading, plan)

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        """Read a page of a site that is nested in an object."""
        from rdfcrawl.engine.extract.kinds.site_page import SitePageReader

        SitePageReader().read_nested(reading, plan, holder)


READERS: Final[Readers] = {
    ObjectPage: ObjectPageReader(),
    ObjectsPage: ObjectsPageReader(),
    LinksPage: LinksPageReader(),
    SitePage: _LateSitePageReader(),
}
