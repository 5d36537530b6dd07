"""What a run is to do: which sections of which model, into which store, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from pathlib import Path
from typing import Self

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.crawl.session_file import SessionFile
from rdfcrawl.engine.fetch.fetchers import Replay
from rdfcrawl.engine.manners.window import Hours, Window
from rdfcrawl.engine.run.archives import open_replay
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.engine.secrets import credentials_of, values_of_fills
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Model, Section
from rdfcrawl.store.folder import Store
from rdfcrawl.store.marker import store_name


@dataclass(frozen=True, slots=True)
class ReadingJob:
    """How the pages of a run are read, by whoever takes part in it; without ``replay`` from the network."""

    model: Model
    """The model that is run."""
    sections: tuple[Section, ...]
    options: RunOptions
    replay: Replay | None = None
    hours: Hours = field(default_factory=Hours)
    credentials: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The values that logins and forms take from the environment."""

    @classmethod
    def reading(
        cls, model: Model, sections: tuple[Section, ...], options: RunOptions, replay: Replay | None = None
    ) -> Self:
        """What the options describe; raises ``UsageError`` if they cannot be followed."""
        # A replay sends no requests, so it needs no secrets.
        is_replay, allowed = replay is not None, options.allowed_variables
        return cls(
            model=model,
            sections=sections,
            options=options,
            replay=replay,
            hours=_hours(sections, options),
            credentials={} if is_replay else credentials_of(sections, allowed),
            values={} if is_replay else values_of_fills(model, sections, allowed),
        )

    @property
    def has_logins(self) -> bool:
        """Whether a section needs a session; a replay has none."""
        return self.replay is None and any(section.login for section in self.sections)


@dataclass(frozen=True, slots=True)
class Job(ReadingJob):
    """What a run is to do, and the store that it goes into."""

    store: Store = field(kw_only=True)

    @classmethod
    def of(cls, model: Model, sections: tuple[Section, ...], store: Store, options: RunOptions) -> Job:
        """The job that the options describe; raises ``UsageError`` if they cannot be followed."""
        replay = open_replay(options.replay, store) if options.replay else None
        read = ReadingJob.reading(model, sections, options, replay)
        return cls(**{one.name: getattr(read, one.name) for one in fields(ReadingJob)}, store=store)

    def session_file(self, run: int) -> SessionFile:
        """Where the sessions of a run are kept between its starts."""
        return SessionFile(self.store.folder, run)

    @property
    def is_whole_model(self) -> bool:
        """Whether all sections of the model are run."""
        return len(self.sections) == len(self.model.sections)

    @property
    def identity(self) -> str:
        """What two starts of the same run have in common; a queue that others use as well has runs of many stores."""
        addresses = sorted(section.address for section in self.sections)
        replay = self.replay.name if self.replay else None
        known = [self.model.digest, addresses, self.options.engine.value, replay]
        return json.dumps(known if self.options.queue is None else [*known, store_name(self.store.folder)])

    def journal_folder(self, run: int) -> Path:
        """Where the workers of a run write what they find."""
        return self.store.folder / "work" / str(run)


def _hours(sections: Sequence[Section], options: RunOptions) -> Hours:
    """When the sections may be read: as the user says, or else the model; a replay bothers nobody by day."""
    if options.window is not None:
        chosen = Window.parse(options.window) if isinstance(options.window, str) else options.window
        return Hours((chosen,) * len(sections))
    said = [None if options.replay else section.window for section in sections]
    return Hours(tuple(Window.parse(window) if window else None for window in said))


def chosen_sections(model: Model, addresses: Sequence[str]) -> tuple[Section, ...]:
    """The sections to run: all of the model's, or those that were named."""
    known = [section.address for section in model.sections]
    if unknown := [address for address in addresses if address not in known]:
        raise UsageError(f"the model has no section {unknown[0]}; it has {', '.join(known)}")
    # In the model's order, however they were named: the entries of a queue know their section by its number.
    return tuple(section for section in model.sections if not addresses or section.address in addresses)
