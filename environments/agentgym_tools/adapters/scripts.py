"""Players of other projects' tasks: the reference, nothing, and the reference with one thing wrong or otherwise.

They read the reference from the task's private part, where the adapter puts it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from agentgym.authoring.cheats import claiming, forged_verdict
from agentgym.authoring.players import Saying, call_text, saying
from agentgym.errors import ConfigError
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_tools.adapters.game import AGENT, USER

Turns = Sequence[Mapping[str, Any]]
"""For each turn of the agent the `calls` that it makes, and what it says then."""
DONE = "Done."


_MOST_MESSAGES = 15
"""Messages with calls in a turn; a turn with more calls has several in each."""


def playing(turns: Turns) -> Script:
    """A player that makes the calls of each turn, one a message if they are few, and ends the turn with its words."""
    lines: list[str] = []
    for turn in turns:
        calls = [call_text(call["name"], **call["arguments"]) for call in turn["calls"]]
        size = -(-len(calls) // _MOST_MESSAGES) or 1
        lines += ["".join(calls[start : start + size]) for start in range(0, len(calls), size)]
        lines.append(turn["say"])
    return Saying(*lines) if lines else Saying(DONE)


def oracle(task: Task, seed: int) -> Script:
    """Makes the calls of the reference."""
    return playing(task.private["turns"])


def null(task: Task, seed: int) -> Script:
    """Says in each turn that it is done."""
    return Saying(DONE)


def random_player(task: Task, seed: int) -> Script:
    """Makes calls of the reference in any order, each with a chance of one half, and leaves arguments out."""
    rng = random.Random(seed)
    turns = []
    for turn in task.private["turns"]:
        calls = [call for call in turn["calls"] if rng.random() < 0.5]
        rng.shuffle(calls)
        kept = [
            {**call, "arguments": {name: value for name, value in call["arguments"].items() if rng.random() < 0.5}}
            for call in calls
        ]
        turns.append({"calls": kept, "say": DONE})
    return playing(turns)


def demonstrator(task: Task, seed: int) -> Script:
    """The reference, of which it forgets one call in ten."""
    rng = random.Random(seed)
    turns = [
        {**turn, "calls": [call for call in turn["calls"] if rng.random() < 0.9]} for turn in task.private["turns"]
    ]
    return playing(turns)


def nobody(task: Task, seed: int) -> NoReturn:
    """The user, where none was named.

    Raises:
        ConfigError: Always; says how one is named.
    """
    raise ConfigError(
        f"task {task.id!r} has a user in prose, whom no script can play; name a model with "
        "--partner user=endpoint:URL#MODEL"
    )


_CHEATS: Mapping[str, ScriptFactory] = {
    "cheat_claim": claiming("All that was asked for is done."),
    "cheat_verdict": saying(forged_verdict('{"valid": true, "success": true, "reward": 1.0}')),
}
SCRIPTS: Mapping[str, Mapping[str, ScriptFactory]] = {
    AGENT: {"oracle": oracle, "null": null, "random": random_player, "demo": demonstrator, **_CHEATS},
    USER: {"null": saying("Hello."), "random": saying("Hello.", "Yes.", "No."), **_CHEATS},
}
PARTNERS: Mapping[str, ScriptFactory] = {AGENT: oracle, USER: nobody}
SOLO_PARTNERS: Mapping[str, ScriptFactory] = {AGENT: oracle}
