"""What a user can choose for a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.manners.window import Window


# Users make these themselves, and ask Python for what there is: its signature has to be there.
@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a user can choose for a run.

    ``queue`` is the address of a queue that workers on other machines share; without ``reads``, only they read.
    """

    sections: tuple[str, ...] = ()
    engine: Engine = Engine.AUTO
    replay: str | None = None
    record: bool = True
    fresh: bool = False
    concurrency: int | None = None
    source: str = ""
    limits: RunLimits = field(default_factory=RunLimits)
    window: Window | str | None = None
    contact: str | None = None
    ignore_robots: bool = False
    allow_private: bool = False
    insecure: bool = False
    allowed_variables: tuple[str, ...] = ()
    queue: str | None = None
    reads: bool = True
