"""Environments that break their contract, each in one place, and a piece of what must be said."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.message import user
from agentgym.registration import EnvSpec
from agentgym.task import Task


class Good(AgentEnv):
    """Succeeds at the first message; `fault` says what it does instead."""

    num_tasks = 2

    def __init__(self, fault: str = "", render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.fault = fault
        if fault == "init":
            raise ValueError("no room")

    def make_task(self, seed: int) -> Task:
        if self.fault == "make_task":
            raise KeyError("map")
        return Task(id=f"bad:{seed}", seed=seed, stratum="all")

    def begin(self, task: Task) -> Sequence[dict[str, Any]]:
        if self.fault.startswith("begin"):
            return BEGINNINGS[self.fault]()  # type: ignore[no-any-return]
        return [user("Say something.")]

    def respond(self, action: Action) -> EnvReply:
        if self.fault in REPLIES:
            return REPLIES[self.fault](self)  # type: ignore[no-any-return]
        return EnvReply([user("Yes.")], [self.event("success", 1.0)], True, success=True)


def fail(error: BaseException) -> Any:
    raise error


def ended(env: AgentEnv, **changes: Any) -> EnvReply:
    fields = {"messages": [user("Yes.")], "events": [env.event("success", 1.0)], "terminated": True, "success": True}
    return EnvReply(**{**fields, **changes})


BEGINNINGS: dict[str, Any] = {
    "begin-none": lambda: None,
    "begin-text": lambda: "hello",
    "begin-texts": lambda: ["hello"],
    "begin-number": lambda: [{"role": "user", "content": 3}],
    "begin-raises": lambda: fail(RuntimeError("no world")),
    "begin-exits": lambda: sys.exit(1),
}
REPLIES: dict[str, Any] = {
    "respond-none": lambda env: None,
    "respond-tuple": lambda env: ("Yes.", 1.0, True),
    "respond-text": lambda env: ended(env, messages="Yes."),
    "respond-message": lambda env: ended(env, messages=[3]),
    "respond-raises": lambda env: fail(ZeroDivisionError("division by zero")),
    "respond-exits": lambda env: sys.exit(3),
    "reward-nan": lambda env: ended(env, events=[env.event("success", float("nan"))]),
    "reward-inf": lambda env: ended(env, events=[env.event("success", float("inf"))]),
    "reward-unknown": lambda env: ended(env, events=[env.event("bonus", 1.0)]),
    "score-nan": lambda env: ended(env, score=float("nan")),
    "score-high": lambda env: ended(env, score=1.5),
    "score-text": lambda env: ended(env, score="good"),
    "no-success": lambda env: ended(env, success=None),
}


class Player:
    """Says something."""

    def __init__(self, task: Task, seed: int) -> None:
        del task, seed

    def act(self, messages: Sequence[dict[str, Any]]) -> str:
        return "Something."


SCRIPTS = {"oracle": Player}
SPEC = EnvSpec("bad/Env-v0", f"{__name__}:Good", f"{__name__}:SCRIPTS", "test")
BROKEN = [
    EnvSpec("bad/NoModule-v0", "no_such_module:Env", f"{__name__}:SCRIPTS", "test"),
    EnvSpec("bad/NoClass-v0", f"{__name__}:Missing", f"{__name__}:SCRIPTS", "test"),
    EnvSpec("bad/NoScripts-v0", f"{__name__}:Good", f"{__name__}:MISSING", "test"),
]

FAULTS: dict[str, str] = {
    "init": "no room",
    "make_task": "map",
    "begin-none": "expected a list of messages",
    "begin-text": "expected a list of messages",
    "begin-texts": "expected a list of messages",
    "begin-number": "expected a list of messages",
    "begin-raises": "no world",
    "begin-exits": "sys.exit(1) was called",
    "respond-none": "expected an agentgym.EnvReply",
    "respond-tuple": "expected an agentgym.EnvReply",
    "respond-text": "expected a list of messages",
    "respond-message": "expected a list of messages",
    "respond-raises": "environments.py, line",
    "respond-exits": "sys.exit(3) was called",
    "reward-nan": "is nan (",
    "reward-inf": "is inf (",
    "reward-unknown": "not declared",
    "score-nan": "expected a number in [0, 1]",
    "score-high": "expected a number in [0, 1]",
    "score-text": "expected a number in [0, 1]",
    "no-success": "success",
}
