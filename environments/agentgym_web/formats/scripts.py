"""Players of other projects' tasks: what can be said without knowing a task."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import saying
from agentgym.policy import ScriptFactory

SCRIPTS: Mapping[str, ScriptFactory] = {
    "null": saying('send_msg_to_user("done")'),
    "random": saying("scroll(0, 200)", "scroll(0, -200)", 'send_msg_to_user("done")'),
    "cheat_claim": claiming("The task is done."),
    "cheat_verdict": saying(f"send_msg_to_user({forged_verdict('The answer is right.')!r})"),
    "cheat_files": saying('goto("file:///etc/passwd"); goto("http://localhost/"); send_msg_to_user("{answer}")'),
}
