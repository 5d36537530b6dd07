"""A site drafted from a survey of it: the kinds of its pages, what each has, and how they are linked."""

from __future__ import annotations

from collections.abc import Callable

from rdfcrawl.drafting.site.clusters import MOST_CLUSTERS, SAMPLES, Cluster, by_shape, merged, site_wide, ways_between
from rdfcrawl.drafting.site.drafting import means_for, written
from rdfcrawl.drafting.site.judging import spread
from rdfcrawl.drafting.site.plan import MOST_PROPERTIES
from rdfcrawl.drafting.site.result import Draft
from rdfcrawl.drafting.site.survey_plan import SurveyPlanner, compact
from rdfcrawl.drafting.site.visitor import Visitor
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.inspect.explain import kept_pages
from rdfcrawl.errors import NothingToDraft
from rdfcrawl.store.folder import Store
from rdfcrawl.survey.reading import HTML, read_links, read_pages, surveyed_run


async def draft_from_archive(
    run: str, store: Store, *, properties: int = MOST_PROPERTIES, tell: Callable[[str], None] = lambda text: None
) -> Draft:
    """Draft the model of a site from the pages that a survey has kept; nothing is fetched."""
    record = surveyed_run(store.runs, run)
    start = record.sections[0].address
    depths = {page.address: page.depth for page in read_pages(store.runs, record) if page.kind == HTML}
    if not depths:
        raise NothingToDraft(f"{start}: the survey has no pages of HTML")
    clusters = by_shape(depths)
    tell(f"{len(depths):,} pages at addresses of {len(clusters):,} shapes")
    async with means_for([start], kept_pages(store, record), store, tell) as means:
        visitor = Visitor(means, Engine.HTTP, tell)
        doubts: list[str] = []
        for cluster in clusters[:MOST_CLUSTERS]:
            await _look_at(cluster, visitor, doubts)
        kinds = merged([cluster for cluster in clusters[:MOST_CLUSTERS] if cluster.samples])
        common = site_wide(kinds)
        sampled = {seen.address for kind in kinds for seen in kind.samples}
        links = {one.address: one.links for one in read_links(store.runs, record) if one.address in sampled}
        planner = SurveyPlanner(kinds, ways_between(kinds, common), common, links, doubts)
        plan = planner.plan(start, properties)
        documents = [visitor.documents[number] for number in compact(plan)]
        return await written(means, plan, documents, tell)


async def _look_at(cluster: Cluster, visitor: Visitor, doubts: list[str]) -> None:
    for address in spread([cluster.addresses], SAMPLES):
        seen = await visitor.try_to_see(address, doubts)
        if seen is not None and not seen.look.is_bare and not seen.look.has_password:
            cluster.samples.append(seen)
