"""``rdfcrawl draft --repair`` on the redesigned example sites: what was renamed or moved is found again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rdfcrawl.drafting.repair.repairing import repair
from rdfcrawl.engine.choice import Engine
from rdfcrawl.metamodel.load import check_model
from rdfcrawl.store.folder import Store
from tests.crawling import unloaded_store
from tests.redesign.redesigns import REDESIGNS, ROOT, Redesign, copy_site
from tests.redesign.site_runs import changes_of_run, run_once, state_of_run
from tests.sampling import sampled

RENAMING = {("bundestag", "changed format"), ("muenchen", "changed date format")}
"""Objects without address and key are named by their texts: written otherwise, these name other objects."""
LONG_RUN = ("extra wrapper", "moved value")
"""What only the long run tries: paths are found again as for a renamed class and an inserted column."""
UNMENDABLE = "list emptied by script"
"""There is nothing left on the pages that could be found again."""


async def _is_repaired(site: str, redesign: Redesign, model: Path, pages: Path, store: Store, known: set[str]) -> bool:
    await run_once(model, store, pages)
    made = await repair(model, store, engine=Engine.HTTP, replay=str(pages))
    if redesign.name == UNMENDABLE:
        assert made.mends == ()
        assert made.left
        return False
    repaired = model.with_name("repaired.ttl")
    repaired.write_text(made.model, encoding="utf-8")
    assert check_model(repaired).model is not None
    after = await run_once(repaired, store, pages)
    is_clean = changes_of_run(store, after) == set() and state_of_run(store, after) == known
    if (site, redesign.name) in RENAMING:
        assert any(":key" in doubt for doubt in made.doubts)
        return all(one.found == one.known for one in made.mends)
    return is_clean and made.left == ()


@pytest.mark.slow
@pytest.mark.parametrize("site", sampled(REDESIGNS, list(REDESIGNS)[:1]), ids=lambda site: site[0])
async def test_what_a_redesign_renames_or_moves_is_found_again(
    site: tuple[str, str], tmp_path: Path, is_exhaustive: bool
) -> None:
    """The repaired model passes the check, and a run with it reports no change of the site."""
    name, host = site
    model = tmp_path / f"{name}.ttl"
    model.write_text((ROOT / f"models/{name}.ttl").read_text(encoding="utf-8").replace("    :scroll    1000 ;\n", ""))
    pages = tmp_path / "pages"
    copy_site(host, pages)
    first = unloaded_store(tmp_path / "store")
    known = state_of_run(first, await run_once(model, first, pages))
    repaired = []
    tried = [redesign for redesign in REDESIGNS[site] if is_exhaustive or redesign.name not in LONG_RUN]
    for number, redesign in enumerate(tried):
        store, changed = tmp_path / f"store-{number}", tmp_path / f"pages-{number}"
        shutil.copytree(first.folder, store)
        shutil.copytree(pages, changed)
        redesign.apply(changed)
        if await _is_repaired(name, redesign, model, changed, unloaded_store(store), known):
            repaired.append(redesign.name)
    assert len(repaired) == len(tried) - 1, repaired
