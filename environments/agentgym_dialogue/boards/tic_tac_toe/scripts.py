"""Players of tic-tac-toe by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

from agentgym.policy import ScriptFactory
from agentgym_dialogue.boards.line_players import line_scripts
from agentgym_dialogue.boards.tic_tac_toe.partners import SKILL

SCRIPTS: dict[str, dict[str, ScriptFactory]] = line_scripts(SKILL, {"first": 0.8, "second": 0.9})
