"""A redesign of a site loses nothing: it is suspected, what died is named, and a mended model is enough."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rdfcrawl.rdf.names import shorten
from rdfcrawl.rdf.ntriples import split
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord
from tests.crawling import unloaded_store
from tests.redesign.redesigns import REDESIGNS, ROOT, Redesign, copy_site
from tests.redesign.site_runs import changes_of_run, run_once, state_of_run
from tests.sampling import sampled

LONG_RUN = ("changed format", "moved value")
"""What only the long run tries: a pattern and a path die as they do by an inserted column and a renamed class."""


def _terms(state: set[str]) -> set[str]:
    return {term for line in state for term in split(line)[::2]}


async def _check(redesign: Redesign, model: Path, sites: tuple[Path, Path], store: Store, before: RunRecord) -> None:
    known = state_of_run(store, before)
    pages, changed_pages = sites
    broken = await run_once(model, store, changed_pages)
    kinds = {kind for _, kind, _ in changes_of_run(store, broken)}
    assert "suspected" in kinds
    assert "removed" not in kinds
    assert known - state_of_run(store, broken) == set(), "something has left the current state"
    _check_named(redesign, model, broken)
    if redesign.mend:
        mended = model.with_name("mended.ttl")
        mended.write_text(redesign.mended(model.read_text(encoding="utf-8")), encoding="utf-8")
        after = await run_once(mended, store, changed_pages)
        assert changes_of_run(store, after) == set()
        assert state_of_run(store, after) == known
    else:
        after = await run_once(model, store, pages)
        # What the redesigned pages showed instead is gone again; nothing of what was known before has changed.
        assert not {term for change in changes_of_run(store, after) for term in change[::2]} & (
            _terms(known) - _sections(after)
        )
    assert known <= state_of_run(store, after)
    assert after.suspicions == ()


def _sections(record: RunRecord) -> set[str]:
    return {f"<{section.address}>" for section in record.sections}


def _check_named(redesign: Redesign, model: Path, record: RunRecord) -> None:
    """Each part of the model that died is named, with its line."""
    selectors = {one.selector for one in record.suspicions}
    assert None not in selectors
    named = {(shorten(one.term, record.model.prefixes), one.name) for one in selectors if one}
    assert named == set(redesign.dead)
    lines = model.read_text(encoding="utf-8").splitlines()
    for selector in selectors:
        assert selector is not None
        name, _, line = selector.place.rpartition(":")
        assert name == model.name
        assert f":{selector.name} " in lines[int(line) - 1]
        escaped = selector.text.replace("\\", "\\\\").splitlines()[0]
        assert escaped in lines[int(line) - 1]
    assert all(one.since == record.id for one in record.suspicions)


@pytest.mark.slow
@pytest.mark.parametrize("site", sampled(REDESIGNS, list(REDESIGNS)[:1]), ids=lambda site: site[0])
async def test_a_redesign_loses_nothing_and_is_mended_without_a_trace(
    site: tuple[str, str], tmp_path: Path, is_exhaustive: bool
) -> None:
    """Six redesigns of a site, each on what one undisturbed run knows."""
    name, host = site
    model = tmp_path / f"{name}.ttl"
    model.write_text((ROOT / f"models/{name}.ttl").read_text(encoding="utf-8").replace("    :scroll    1000 ;\n", ""))
    pages = tmp_path / "pages"
    copy_site(host, pages)
    first = unloaded_store(tmp_path / "store")
    before = await run_once(model, first, pages)
    failures = []
    tried = [redesign for redesign in REDESIGNS[site] if is_exhaustive or redesign.name not in LONG_RUN]
    for number, redesign in enumerate(tried):
        store, changed = tmp_path / f"store-{number}", tmp_path / f"pages-{number}"
        shutil.copytree(first.folder, store)
        shutil.copytree(pages, changed)
        redesign.apply(changed)
        try:
            await _check(redesign, model, (pages, changed), unloaded_store(store), before)
        except AssertionError as error:
            failures.append(f"{redesign.name}: {error}")
    assert not failures, "\n\n".join(failures)
