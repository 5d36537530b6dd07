"""Where output goes: results to standard output, everything about them to standard error."""

from __future__ import annotations

from rich.console import Console

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)
