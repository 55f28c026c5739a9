"""A tiny environment whose faults are scripted, and policies for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import agentgym
from agentgym.env import AgentEnv, EnvReply
from agentgym.game import SoloGame
from agentgym.message import user


class CountEnv(AgentEnv):
    """Say "go" `length` times; config may ask for a hang, an error or a wait at a step."""

    reward_weights = {"success": 1.0, "format": 1.0, "step": 1.0}
    invalid_value = -0.5
    attempts: dict[str, int] = {}
    lock = threading.Lock()

    def make_task(self, seed: int) -> agentgym.Task:
        return task(seed)

    def begin(self, task: agentgym.Task) -> Sequence[dict[str, Any]]:
        self.count = 0
        return [user(f"count to {task.config['length']}")]

    def respond(self, action: Any) -> EnvReply:
        config = self.task.config
        if action.content != "go":
            raise agentgym.ActionSyntaxError("say go")
        self._misbehave(config)
        self.count += 1
        over = self.count >= config["length"]
        events = [self.event("step", 0.125)]
        if over:
            events.append(self.event("success", 1.0))
        return EnvReply([user(f"{self.count}")], events, over, success=over or None)

    def _misbehave(self, config: Any) -> None:
        time.sleep(config.get("wait_s", 0.0))
        if self.count != config.get("at", 0):
            return
        fault = config.get("fault")
        if fault == "hang":
            end = time.monotonic() + 120
            while time.monotonic() < end:
                self.check_interrupt()
                time.sleep(0.01)
        if fault == "stubborn":
            time.sleep(config["seconds"])
        if fault == "raise":
            with self.lock:
                tries = self.attempts[self.task.id] = self.attempts.get(self.task.id, 0) + 1
            if tries <= config["times"]:
                raise OSError("the disk is on fire")
        if fault == "nan":
            self.pending_nan = True


def task(
    seed: int, name: str = "", length: int = 2, limits: agentgym.Limits | None = None, **config: Any
) -> agentgym.Task:
    return agentgym.Task(
        id=name or f"toy-{seed}",
        seed=seed,
        config={"length": length, **config},
        limits=limits or agentgym.Limits(max_turns=8, step_timeout_s=60.0),
    )


def make_game(_: agentgym.Task) -> SoloGame:
    return SoloGame(CountEnv())


class Parrot:
    """Always says the same; counts how it is asked."""

    uses_tokens = False

    def __init__(self, text: str = "go", name: str = "parrot", concurrency: int = 1, wait_s: float = 0.0) -> None:
        self.text, self.name, self.concurrency, self.wait_s = text, name, concurrency, wait_s
        self.batches: list[list[str]] = []
        self.forgotten: list[str] = []

    def generate(self, requests: Sequence[agentgym.Request]) -> list[agentgym.Reply]:
        self.batches.append([request.episode for request in requests])
        time.sleep(self.wait_s)
        return [agentgym.Reply(self.text, usage={"completion_tokens": 1.0}) for _ in requests]

    def forget(self, episode: str) -> None:
        self.forgotten.append(episode)
