"""Kinds of tasks for the servers from PyPI, and the scenes that their tasks begin with."""

from collections.abc import Callable, Mapping
from typing import Any

from agentgym_tools.mcp.kinds import git, sqlite, time
from agentgym_tools.mcp.kinds.draft import Draft, Kind, UnsuitableError
from agentgym_tools.mcp.kinds.git_scene import draw_repository

KINDS: Mapping[str, Kind] = {kind.name: kind for module in (git, sqlite, time) for kind in module.KINDS}
"""All kinds by name."""
SCENES: Mapping[str, Callable[..., Mapping[str, Any]]] = {"git": draw_repository, "sqlite": sqlite.scene}
"""What draws the repositories or databases of a scene, by its kind."""

__all__ = ["KINDS", "SCENES", "Draft", "Kind", "UnsuitableError"]
