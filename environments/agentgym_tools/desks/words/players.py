"""Scripted players of desks where they talk in words: a player of acts, with its acts said in words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agentgym.action import parse_tool_calls
from agentgym.errors import ActionSyntaxError
from agentgym.message import Message, content_text
from agentgym.policy import Script, ScriptFactory
from agentgym.task import Task
from agentgym_tools.desks import talk
from agentgym_tools.desks.conditions.options import Options, make_interface
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.words.agent_wording import say_as_agent
from agentgym_tools.desks.words.customer_wording import PUZZLED, say_as_customer
from agentgym_tools.worlds.calls import Call


def is_in_words(task: Task) -> bool:
    """Whether agent and customer of a task talk in words."""
    return Options.of(task).talk == "words"


def speaking(factory: ScriptFactory) -> ScriptFactory:
    """A factory of agents that say in words what the factory's players say by acts, where a task wants words."""

    def made(task: Task, seed: int) -> Script:
        script = factory(task, seed)
        return SpeakingAgent(script, task) if is_in_words(task) else script

    return made


def answering(factory: ScriptFactory) -> ScriptFactory:
    """The same for players of the customer."""

    def made(task: Task, seed: int) -> Script:
        script = factory(task, seed)
        return SpeakingCustomer(script, task) if is_in_words(task) else script

    return made


class _Speaking:
    """Turns the messages of a script into words; the wording follows from the task's seed and the turn.

    Args:
        script: It says acts as calls.
        task: The task.
    """

    def __init__(self, script: Script, task: Task) -> None:
        self._script = script
        self._domain = desk(task.config["desk"])
        self._seed = task.seed
        self._persona = task.private.get("persona", "")

    def anchor(self) -> str:
        """What its further messages depend on."""
        inner: Any = getattr(self._script, "anchor", None)
        return str(inner()) if inner is not None else ""

    def _rng(self, num_messages: int) -> random.Random:
        return random.Random(f"words {self._seed} {num_messages}")


class SpeakingAgent(_Speaking):
    """An agent whose acts are said in words; calls of tools stay calls, and acts beside them are said afterwards."""

    def __init__(self, script: Script, task: Task) -> None:
        super().__init__(script, task)
        by_acts = replace(Options.of(task), talk="acts")
        self._interface = make_interface(self._domain, by_acts, task.seed)
        self._acts = [tool for tool in self._interface.tools if tool["function"]["name"] in talk.ACTS_OF_AGENT]

    def act(self, messages: Sequence[Message]) -> str:
        """The next message."""
        text = self._script.act(messages)
        acts = [self._interface.read(call) for call in _calls_in(text, self._acts)]
        if not acts:
            return text
        return say_as_agent(self._domain, acts, self._rng(len(messages)))


class SpeakingCustomer(_Speaking):
    """A customer whose acts are said in words; it hears the acts that were understood, and names what was unclear."""

    def __init__(self, script: Script, task: Task) -> None:
        super().__init__(script, task)
        self._acts = talk.user_acts(self._domain)
        goals = [Goal.from_json({"customer": "", **goal}) for goal in task.private.get("goals", ())]
        self._new_wishes = [
            Call(talk.INFORM, {"fact": fact, "value": goal.facts[fact]})
            for goal in goals
            if goal.changes_mind
            for fact in goal.at_first
        ]

    def anchor(self) -> str:
        """What its further messages depend on."""
        return f"{super().anchor()} {[str(act) for act in self._new_wishes]}"

    def act(self, messages: Sequence[Message]) -> str:
        """The next message."""
        heard = [message for number, message in enumerate(messages) if number == 0 or not _is_words(message)]
        text = self._script.act(heard)
        acts = _calls_in(text, self._acts)
        if not acts:
            return text
        unclear = _unclear_in(messages)
        if unclear:
            acts = [Call(PUZZLED, {"parts": unclear}), *(act for act in acts if act.tool != talk.WAIT)]
        new_wishes = self._new_wishes if any(act.tool == talk.DENY for act in acts) else ()
        said = [act for act in acts if act in new_wishes]
        self._new_wishes = [act for act in self._new_wishes if act not in said]  # its second thoughts are told once
        return say_as_customer(self._domain, acts, self._persona, self._rng(len(messages)), said)


def _calls_in(text: str, acts: Sequence[Any]) -> list[Call]:
    """The acts that a message says; none if it says none."""
    try:
        return [Call(call.name, call.arguments) for call in parse_tool_calls(text, acts).tool_calls]
    except ActionSyntaxError:
        return []


def _is_words(message: Message) -> bool:
    return message["role"] == "user" and not (
        content_text(message).startswith('{"name": ') and not content_text(message).startswith(_UNCLEAR)
    )


_UNCLEAR = f'{{"name": "{talk.UNCLEAR}"'


def _unclear_in(messages: Sequence[Message]) -> list[str]:
    """The unclear parts of the agent's last message."""
    for message in reversed(messages):
        if message["role"] == "assistant":
            return []
        text = content_text(message)
        if message["role"] == "user" and text.startswith(_UNCLEAR):
            return list(talk.from_text(text).arguments["parts"])
    return []
