"""A small game of two roles that keeps every contract, with players of both and a suite of it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import Message, user
from agentgym.policy import Reply, Request
from agentgym.registration import EnvSpec
from agentgym.suite import Suite, read_suite
from agentgym.task import Limits, Task


class Nim(GameEnv):
    """Two roles take 1 or 2 of some stones in turns; who takes the last one wins."""

    roles = ("first", "second")
    reward_weights = {"success": 1.0, "taken": 0.0, "format": 1.0}
    invalid_value = -0.5
    disclosed = {"first": ("password",)}

    def make_task(self, seed: int) -> Task:
        return nim_task(5 + seed % 3, f"nim:{seed}", seed)

    def begin(self, task: Task) -> Inbox:
        self.stones = task.config["stones"]
        self.acting_role = "first"
        secret = {"first": f" The password is {task.private['password']}.", "second": ""}
        return {role: [user(f"{self.stones} stones. You are {role}.{secret[role]}")] for role in self.roles}

    def respond(self, role: str, action: Action) -> GameReply:
        if action.text == "cheat":
            raise self.breach(role, "Cheating ends the game.")
        if action.text not in ("1", "2"):
            raise ActionSyntaxError("Take 1 or 2.")
        self.stones -= int(action.text)
        other = "second" if role == "first" else "first"
        self.acting_role = other
        taken = self.event(role, "taken", float(action.text))
        inbox = {other: [user(f"{role} took {action.text}")]}
        if self.stones > 0:
            return GameReply(inbox, [taken])
        events = [taken, self.event(role, "success", 1.0), self.event(other, "success", -1.0)]
        return GameReply(inbox, events, is_over=True, successes={role: True, other: False})

    def anchor(self) -> str:
        return f"{self.acting_role} {self.stones} {self.num_invalid} {self.turns}"

    def fork(self, seed: int | None = None) -> Self:
        return self.fork_by_copy(seed)

    def progress(self, role: str) -> float:
        return self.turns[role] / 20


def nim_task(stones: int = 4, task_id: str = "nim:test", seed: int = 0, **limits: Any) -> Task:
    private = {"password": f"sesame{stones}"}
    return Task(task_id, seed, config={"stones": stones}, private=private, limits=Limits(**limits))


class Player:
    """Knows how many stones are left from what it hears; takes one, or two where it is clever and two are left."""

    def __init__(self, task: Task, seed: int, is_clever: bool = True) -> None:
        self.stones, self.is_clever, self.rng = task.config["stones"], is_clever, random.Random(seed)

    def act(self, messages: Sequence[Message]) -> str:
        taken = [int(m["content"].split()[-1]) for m in messages if "took" in m["content"]]
        taken += [int(m["content"]) for m in messages if m["role"] == "assistant" and m["content"] in "12"]
        left = self.stones - sum(taken)
        if self.is_clever:
            return "2" if left == 2 else "1"
        return self.rng.choice("12")


class Saying:
    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.heard: list[str] = []

    def act(self, messages: Sequence[Message]) -> str:
        self.heard = [message["content"] for message in messages]
        return self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]

    def anchor(self) -> str:
        return f"{len(self.texts)}"


def saying(*texts: str) -> Any:
    return lambda task, seed: Saying(*texts)


def guessing(task: Task, seed: int, quality: float = 0.5) -> Player:
    return Player(task, seed, random.Random(seed).random() < quality)


_PLAYERS = {
    "oracle": Player,
    "null": saying(""),
    "random": lambda task, seed: Player(task, seed, False),
    "demo": guessing,
    "cheat_claim": saying("I have won."),
}
SCRIPTS = {"first": _PLAYERS, "second": {**_PLAYERS, "clumsy": saying("?")}}
PARTNERS = {"first": saying("1"), "second": saying("1")}
SPEC = EnvSpec(
    "test/Nim-v0",
    f"{__name__}:Nim",
    f"{__name__}:SCRIPTS",
    "test",
    ("test/nim",),
    roles=("first", "second"),
    partners=f"{__name__}:PARTNERS",
)


def write_suite(root: Path, name: str = "nim", options: str = "", splits: tuple[str, ...] = ("train", "test")) -> Suite:
    """A suite of the game below a folder of suites."""
    folder = root / "test" / name
    folder.mkdir(parents=True, exist_ok=True)
    lists = "".join(f'{split} = ["all"]\n' for split in splits)
    folder.joinpath("suite.toml").write_text(
        f'name = "test/{name}"\nenv = "test/Nim-v0"\ndescription = "Nim."\nlicense = "CC0-1.0"\nsource = "here"\n'
        f'headline = "all"\n{options}\n[splits]\n{lists}[strata]\nall = "all"\n[scores]\noracle = {{ success = 1.0 }}\n'
        "null = { success = 0.0 }\nrandom = { success = 0.5, tolerance = 0.5 }\n"
    )
    folder.joinpath("README.md").write_text("CC0-1.0")
    for place, split in enumerate(splits):
        tasks = [nim_task(3 + index, f"test/{name}:{split}-{index}", 100 * place + index) for index in range(6)]
        lines = []
        for task in tasks:
            fields = {**task.to_json(), "stratum": "all", "seed_is_content": True}
            del fields["suite"], fields["split"]
            lines.append(json.dumps(fields))
        folder.joinpath(f"{split}.jsonl").write_text("\n".join(lines) + "\n")
    return read_suite(folder)


class Sayer:
    """A policy that says one thing, or a text for each role."""

    uses_tokens = False

    def __init__(self, said: str | dict[str, str] = "1", name: str = "sayer", concurrency: int = 1) -> None:
        self.said, self.name, self.concurrency = said, name, concurrency
        self.asked: list[Request] = []
        self.forgotten: list[str] = []

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        self.asked += requests
        texts = [self.said if isinstance(self.said, str) else self.said[request.role] for request in requests]
        return [Reply(text, usage={"completion_tokens": 1.0, "cost_usd": 0.5}) for text in texts]

    def forget(self, episode: str) -> None:
        self.forgotten.append(episode)
