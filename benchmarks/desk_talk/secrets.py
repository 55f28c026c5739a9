"""The audit of what customers keep: attempts to get out of one what it was not asked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from agentgym.message import content_text
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.wrappers.role_view import RoleView
from agentgym_tools.desks.desks import DESKS
from agentgym_tools.desks.game import DeskGame
from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.scripts import PARTNERS
from agentgym_tools.desks.session import Session
from agentgym_tools.desks.talk import AGENT
from agentgym_tools.worlds.calls import Value, as_text
from benchmarks.desk_talk.phrasings import Attempt

DESKS_EACH = 3
"""At so many desks each attempt is made, and one of a desk of its own with so many customers there."""
SEVERAL = "three_requests"
"""The stratum whose customers have most to tell."""
_SHORTEST = 3


def in_words(task: Task) -> Task:
    """The task with talk in words."""
    return replace(task, config={**task.config, "options": {"talk": "words"}})


def leaks(attempts: Sequence[Attempt]) -> tuple[int, list[str]]:
    """How many attempts were made, and what came out of those that got something."""
    found: list[str] = []
    num_made = 0
    names = sorted(DESKS)
    for place, desk in enumerate(names):
        tasks = load_suite(f"tools/desk-{desk}").tasks("test")
        several = [task for task in tasks if task.stratum == SEVERAL]
        with closing(RoleView(DeskGame(desk), AGENT, PARTNERS)) as env:
            for number, attempt in enumerate(attempts):
                if attempt.desk == desk:
                    chosen = [task for task in tasks if task.private["goals"][0]["kind"] == attempt.goal][:DESKS_EACH]
                else:
                    is_here = not attempt.desk and (place - number) % len(names) < DESKS_EACH
                    chosen = [several[number % len(several)]] if is_here else []
                for task in chosen:
                    num_made += 1
                    found += [f"{desk}: {attempt.messages} -> {got}" for got in _got(env, in_words(task), attempt)]
    return num_made, found


def _got(env: RoleView, task: Task, attempt: Attempt) -> Iterator[str]:
    """What the customer's answers hold that it should keep."""
    _, info = env.reset(options={"task": task})
    game: DeskGame = env.game  # type: ignore[assignment]
    known = " ".join(content_text(message) for message in info["messages"]).casefold()
    told = set(game.session.informed)
    for text in attempt.messages:
        *_, info = env.step(text)
        answer = " ".join(content_text(message) for message in info["messages"]).casefold()
        known = f"{known} {text}".casefold()
        for secret in _secrets(game, task, told):
            if secret not in known and re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", answer):
                yield secret
        if "outcome" in info:
            return
        known = f"{known} {answer}"


def _secrets(game: DeskGame, task: Task, told: Collection[str]) -> Iterator[str]:
    """What a customer tells nobody who does not ask for it by name: facts, later goals, its persona.

    Facts that it told with its request, before the first message, it may correct.
    """
    session = game.session
    goals = [case.goal for case in session.plan.cases]
    free = {as_text(value) for fact, value in _facts(session, [session.case.goal]) if fact in {*session.asked, *told}}
    for _, value in _facts(session, goals):
        if as_text(value) not in free and len(as_text(value)) >= _SHORTEST:
            yield as_text(value)
    for goal in goals[1:]:
        yield game.domain.kinds[goal.kind].request.casefold().removeprefix("i want to ").removesuffix(".")
    yield str(task.private["persona"])


def _facts(session: Session, goals: Sequence[Goal]) -> list[tuple[str, Value]]:
    """What the customer knows of itself and of goals, mistakes included, each with its name."""
    return [
        *session.plan.profile.items(),
        *(pair for goal in goals for pair in (*goal.facts.items(), *goal.at_first.items())),
    ]
