"""A small environment that keeps every contract, for tests to use and to break: walk along a line to a goal."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Self

from agentgym.action import Action
from agentgym.env import AgentEnv, EnvReply
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message, user
from agentgym.reward import FORMAT
from agentgym.task import Limits, Task

MOVES = {"up": 1, "down": -1}


def toy_task(task_id: str, goal: int, **fields: object) -> Task:
    return Task(
        task_id,
        fields.pop("seed", 5),
        f"Walk to {goal}.",
        config={"goal": goal},
        private={"password": f"sesame{goal}"},
        limits=fields.pop("limits", Limits(max_turns=8)),
        **fields,
    )


class ToyEnv(AgentEnv):
    reward_weights = {"success": 1.0, "step": 0.5, FORMAT: 1.0}
    invalid_value = -0.25

    def make_task(self, seed: int) -> Task:
        return toy_task(f"toy:{seed}", random.Random(seed).choice((-3, -2, 2, 3)), seed=seed)

    def begin(self, task: Task) -> Sequence[Message]:
        self.position = 0
        self.goal = task.config["goal"]
        self.password = task.private["password"]
        return [user(task.instruction)]

    def respond(self, action: Action) -> EnvReply:
        if action.content not in MOVES:
            raise ActionSyntaxError("Say up or down.")
        self.position += MOVES[action.content]
        events = [self.event("step", -0.1)]
        if self.position == self.goal:
            return EnvReply([user("there")], [*events, self.event("success", 1.0)], True, True)
        return EnvReply([user(f"at {self.position}, wind {self.rng.randint(0, 9)}")], events)

    def anchor(self) -> str:
        return f"{self.position} {self.turn} {self.num_invalid}"

    def progress(self) -> float:
        return min(1.0, abs(self.position) / 10)

    def legal_actions(self) -> Sequence[str]:
        return tuple(MOVES)

    def fork(self, seed: int | None = None) -> Self:
        return self.fork_by_copy(seed)


class Walker:
    def __init__(self, moves: Sequence[str]) -> None:
        self.moves = list(moves)

    def act(self, messages: Sequence[Message]) -> str:
        return self.moves[sum(message["role"] == "assistant" for message in messages) % len(self.moves)]


def oracle(task: Task, seed: int) -> Walker:
    return Walker(["up" if task.config["goal"] > 0 else "down"])


def random_walk(task: Task, seed: int) -> Walker:
    rng = random.Random(seed)
    return Walker([rng.choice(("up", "down")) for _ in range(20)])


def null(task: Task, seed: int) -> Walker:
    return Walker([""])


def cheat_claim(task: Task, seed: int) -> Walker:
    return Walker(["I have won."])


SCRIPTS = {"oracle": oracle, "null": null, "random": random_walk, "cheat_claim": cheat_claim}
