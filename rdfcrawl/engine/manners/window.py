"""The time of day in which a run may work, or read some of its sections."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from datetime import datetime, time, timedelta

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError

_WINDOW = re.compile(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})")


@dataclass(frozen=True, slots=True)
class Window:
    """From one time of day to another, possibly over midnight; ``clock`` returns the local time."""

    begin: time
    end: time
    clock: Callable[[], datetime] = field(default=datetime.now, compare=False)

    @classmethod
    def parse(cls, text: str) -> Window:
        """The window that ``22:00-06:00`` means; raises ``UsageError``."""
        match = _WINDOW.fullmatch(text.strip())
        try:
            hours = [int(number) for number in match.groups()] if match else []
            window = cls(time(hours[0], hours[1]), time(hours[2], hours[3]))
        except (ValueError, IndexError):
            raise UsageError(f"{text} is not a window; write it like 22:00-06:00") from None
        if window.begin == window.end:
            raise UsageError(f"the window {text} is empty; leave it out to work all day")
        return window

    def __str__(self) -> str:
        return f"{self.begin:%H:%M}-{self.end:%H:%M}"

    def seconds_until_open(self) -> float:
        """How long until work may begin; 0 while the window is open."""
        now = self.clock()
        here = now.time()
        over_midnight = self.end < self.begin
        is_open = (here >= self.begin) or (here < self.end) if over_midnight else self.begin <= here < self.end
        if is_open:
            return 0.0
        opens = now.replace(hour=self.begin.hour, minute=self.begin.minute, second=0, microsecond=0)
        if opens <= now:
            opens += timedelta(days=1)
        return (opens - now).total_seconds()


@dataclass(frozen=True, slots=True)
class Hours:
    """When each section of a run may be read, by its number; one without a window may always be."""

    windows: tuple[Window | None, ...] = ()

    @property
    def first(self) -> Window | None:
        """The window that is open, or will be first, if every section has one."""
        windows = [window for window in self.windows if window is not None]
        if not windows or len(windows) < len(self.windows):
            return None
        return min(windows, key=Window.seconds_until_open)

    @property
    def differ(self) -> bool:
        """Whether some sections may be read when others may not."""
        return len(set(self.windows)) > 1

    def seconds_until_open(self) -> float:
        """How long until any section may be read."""
        first = self.first
        return first.seconds_until_open() if first else 0.0

    def seconds_until_next(self) -> float:
        """How long until another section may be read; 0 if all may be now."""
        waits = [window.seconds_until_open() for window in self.windows if window is not None]
        return min((wait for wait in waits if wait), default=0.0)

    def closed(self, section: int) -> Window | None:
        """The window of a section, if it is closed and others are not the same."""
        window = self.windows[section] if self.differ else None
        return window if window is not None and window.seconds_until_open() else None

    def some_closed(self) -> bool:
        """Whether any section may not be read now."""
        return any(window is not None and window.seconds_until_open() > 0 for window in self.windows)
