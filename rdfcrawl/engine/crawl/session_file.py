"""Where sessions are kept between the starts of a run: in a file of the user's own, outside the store."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from rdfcrawl.engine.fetch.session_cookies import StoredCookie


class SessionFile:
    """The cookies of one run by origin. A file that cannot be written or read costs another login, nothing more."""

    def __init__(self, store: Path, run: int) -> None:
        state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        name = sha256(f"{store.resolve()}#{run}".encode()).hexdigest()[:32]
        self.path = state / "rdfcrawl" / "sessions" / f"{name}.json"

    def write(self, sessions: Mapping[str, Sequence[StoredCookie]]) -> None:
        """Keep sessions; nobody but the user can read the file."""
        content = json.dumps({origin: [asdict(cookie) for cookie in cookies] for origin, cookies in sessions.items()})
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft = self.path.with_suffix(f".{os.getpid()}")
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
            draft.replace(self.path)

    def read(self) -> dict[str, list[StoredCookie]]:
        """The sessions that were kept."""
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            return {origin: [StoredCookie(**cookie) for cookie in cookies] for origin, cookies in kept.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def remove(self) -> None:
        """Forget the sessions: the run has ended."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
