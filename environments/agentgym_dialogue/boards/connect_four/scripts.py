"""Players of Connect Four by role: oracle, null, random, an imperfect demonstrator, and cheats that must earn nothing.

The rule-based players that they play with are in `partners`.
"""

from __future__ import annotations

from agentgym.policy import ScriptFactory
from agentgym_dialogue.boards.connect_four.partners import SKILL
from agentgym_dialogue.boards.line_players import line_scripts

SCRIPTS: dict[str, dict[str, ScriptFactory]] = line_scripts(SKILL, {"first": 0.7, "second": 0.75})
