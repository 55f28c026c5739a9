"""Players of other projects' tasks: what can be said without knowing a task."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.authoring.players import saying
from agentgym.policy import ScriptFactory

SCRIPTS: Mapping[str, ScriptFactory] = {
    "null": saying('send_msg_to_user("done")'),
    "random": saying("scroll(0, 200)", "scroll(0, -200)", 'send_msg_to_user("done")'),
}
