"""Players of task files in OSWorld's form: one that does nothing, and a random one. The files bring no reference."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.authoring.players import call_text, saying
from agentgym.policy import ScriptFactory
from agentgym_gui.desktop.scripts import RandomPlayer

SCRIPTS: Mapping[str, ScriptFactory] = {"null": saying(call_text("finish")), "random": RandomPlayer}
"""The players by name."""
