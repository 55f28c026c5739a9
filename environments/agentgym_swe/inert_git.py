"""git with settings under which a repository that somebody else wrote cannot make it run anything."""

from __future__ import annotations

INERT_GIT = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
"""What a command begins with; programs that run in a sandbox are told it."""
