"""Every kind of page, by the value of ``:type`` that names it in a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rdfcrawl.metamodel.kinds.links_page import LinksPage
from rdfcrawl.metamodel.kinds.object_page import ObjectPage
from rdfcrawl.metamodel.kinds.objects_page import ObjectsPage
from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.kinds.site_page import SitePage

KINDS: Final[Mapping[str, type[Page]]] = {
    kind.type_iri: kind for kind in (ObjectPage, ObjectsPage, LinksPage, SitePage)
}
