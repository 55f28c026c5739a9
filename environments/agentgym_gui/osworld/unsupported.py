"""Why a task in OSWorld's form is not played here."""

from __future__ import annotations

from agentgym.errors import ConfigError


class UnsupportedError(ConfigError):
    """A part of a task that cannot be played here; the message says which and why."""
