"""Policies that call the tools of a look-up task in spellings of their own, or are cut, and note how they are asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agentgym.action import parse_tool_calls
from agentgym.policies.by_name import load
from agentgym.policy import Reply, Request
from agentgym.prompting.tiny import build_tokenizer
from agentgym.registration import make
from agentgym.rollout import play_episode
from agentgym.suite import load_suite
from agentgym.task import Task

SUITE = "tools/lookup"


def solution(task: Task) -> list[dict[str, Any]]:
    """The calls that solve a look-up task, as name and arguments."""
    env = make(load_suite(SUITE).env)
    played = play_episode(env, load("oracle", SUITE), task)
    calls = [call for turn in played.turns for call in parse_tool_calls(turn.text, env.tools).tool_calls]
    return [{"name": call.name, "arguments": call.arguments} for call in calls]


class Caller:
    """Solves its task, one call a turn; notes each request with the messages as they were.

    Args:
        calls: The calls.
        spell: Writes one.
        cut: Turns whose message the token limit cuts; they come before the call that they would have made.
        uses_tokens: Whether it takes and gives token ids.
    """

    name, concurrency = "caller", 1

    def __init__(
        self,
        calls: Sequence[dict[str, Any]],
        spell: Callable[[dict[str, Any]], str],
        cut: Sequence[int] = (),
        uses_tokens: bool = True,
    ) -> None:
        self.calls, self.spell, self.cut, self.uses_tokens = calls, spell, cut, uses_tokens
        self.tokenizer = build_tokenizer(["look up an entity"])
        self.asked: list[tuple[int, list[dict[str, Any]], list[int] | None]] = []

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        return [self._reply(request) for request in requests]

    def forget(self, episode: str) -> None:
        """It remembers nothing."""

    def _reply(self, request: Request) -> Reply:
        prompt = None if request.prompt_ids is None else list(request.prompt_ids)
        self.asked.append((request.turn, list(request.messages), prompt))
        text = self.spell(self.calls[request.turn - sum(turn < request.turn for turn in self.cut)])
        if not self.uses_tokens:
            call = self.calls[request.turn]
            function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
            message = {"role": "assistant", "content": "", "tool_calls": [{"id": "x", "function": function}]}
            return Reply(text, message=message)
        ids = np.array(self.tokenizer.encode(text, add_special_tokens=False), np.int32)
        return Reply(text, ids, np.zeros(len(ids), np.float32), 0, was_cut=request.turn in self.cut)


def in_blocks(call: dict[str, Any]) -> str:
    return f"<tool_call>{json.dumps(call)}</tool_call>"


def as_mistral(call: dict[str, Any]) -> str:
    return f"[TOOL_CALLS]{call['name']}[ARGS]{json.dumps(call['arguments'])}"
