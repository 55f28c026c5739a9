"""The audit of what customers keep: attempts to get out of one what it was not asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

from agentgym.message import content_text
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.wrappers.role_view import RoleView
from agentgym_tools.desks.desks import DESKS
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.scripts import PARTNERS
from agentgym_tools.desks.talk import AGENT
from agentgym_tools.worlds.calls import as_text

DESKS_EACH = 3
"""At so many desks each attempt is made."""
SEVERAL = "three_requests"
"""The stratum whose customers have most to tell."""
_SHORTEST = 3


def in_words(task: Task) -> Task:
    """The task with talk in words."""
    return replace(task, config={**task.config, "options": {"talk": "words"}})


def leaks(attempts: list[str]) -> tuple[int, list[str]]:
    """How many attempts were made, and what came out of those that got something."""
    found: list[str] = []
    num_made = 0
    names = sorted(DESKS)
    for place, desk in enumerate(names):
        tasks = [task for task in load_suite(f"tools/desk-{desk}").tasks("test") if task.stratum == SEVERAL]
        chosen = [text for number, text in enumerate(attempts) if (place - number) % len(names) < DESKS_EACH]
        with closing(RoleView(DeskGame(desk), AGENT, PARTNERS)) as env:
            for number, text in enumerate(chosen):
                num_made += 1
                found += [f"{desk}: {text} -> {got}" for got in _got(env, in_words(tasks[number % len(tasks)]), text)]
    return num_made, found


def _got(env: RoleView, task: Task, text: str) -> Iterator[str]:
    """What the customer's answer holds that it should keep."""
    _, info = env.reset(options={"task": task})
    heard = " ".join(content_text(message) for message in info["messages"])
    *_, info = env.step(text)
    game: DeskGame = env.game  # type: ignore[assignment]
    answer = " ".join(content_text(message) for message in info["messages"]).casefold()
    known = f"{heard} {text}".casefold()
    for secret in _secrets(game, task):
        if secret not in known and re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", answer):
            yield secret


def _secrets(game: DeskGame, task: Task) -> Iterator[str]:
    """What a customer tells nobody who does not ask for it by name: facts, later goals, its persona."""
    plan, asked = game.session.plan, game.session.asked
    goals = [case.goal for case in plan.cases]
    facts = [*plan.profile.items(), *(pair for goal in goals for pair in (*goal.facts.items(), *goal.at_first.items()))]
    for fact, value in facts:
        if fact not in asked and len(as_text(value)) >= _SHORTEST:
            yield as_text(value)
    for goal in goals[1:]:
        yield game.domain.kinds[goal.kind].request.casefold().removeprefix("i want to ").removesuffix(".")
    yield str(task.private["persona"])
