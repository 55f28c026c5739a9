"""Whether the outcomes of the apps' tasks are all that their words admit, found by search over the writes.

Each task is searched near its right calls and at random, with values of the person's own part of the world; one that
cannot be done by each write about each thing of the person's. What a state is worth is said twice: by the listed
outcomes, and by a statement of the words in `benchmarks.verdicts.requests`. Both have to agree.

- refused: states that meet the words and are not listed.
- wrong: listed states that do not meet the words.
- unreached: outcomes that no list of calls came to.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from agentgym.suite import load_suite
from agentgym.task import Split, Task
from agentgym_tools.apps.base.bases import bench_of
from agentgym_tools.apps.catalogue import APPS, carry_out
from agentgym_tools.apps.contents import contents_of
from agentgym_tools.apps.planning import Plan, plan_of
from agentgym_tools.apps.templates import TEMPLATES
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from benchmarks.report import Goal, Report, main, progress
from benchmarks.verdicts.requests import app_pairs, app_talk, app_things
from benchmarks.verdicts.requests.app_requests import RULES, STATEMENTS, alternatives_of
from benchmarks.verdicts.requests.effects import Effect, is_met
from benchmarks.verdicts.requests.searching import Found, at_random, judge_states, near, pool_of, singles

PACKAGES = ("agentgymnasium",)
SUITES = ("tools/apps", "tools/apps-small")
SPLITS: Sequence[Split] = ("train", "validation", "test")
QUICK_STEP = 60
"""A quick run searches one task in so many."""
NUM_RANDOM = 90
_ = (app_pairs, app_talk, app_things)  # they add their statements
IDS: Mapping[str, str] = {
    "mail_id": "SELECT id FROM mails WHERE owner = ?",
    "draft_id": "SELECT id FROM mails WHERE owner = ? AND folder = 'drafts'",
    "event_id": "SELECT id FROM events WHERE owner = ?1 OR id IN (SELECT event_id FROM guests WHERE person_id = ?1)",
    "note_id": "SELECT id FROM notes WHERE owner = ?",
    "chat_id": "SELECT chat_id FROM chat_members WHERE person_id = ?",
    "message_id": "SELECT id FROM messages WHERE chat_id IN (SELECT chat_id FROM chat_members WHERE person_id = ?)",
    "song_id": "SELECT song_id FROM library WHERE owner = ?",
    "playlist_id": "SELECT id FROM playlists WHERE owner = ?",
    "card_id": "SELECT id FROM cards WHERE owner = ?",
    "transfer_id": "SELECT id FROM transfers WHERE ? IN (sender, receiver)",
    "request_id": "SELECT id FROM requests WHERE ? IN (requester, payer)",
    "product_id": "SELECT product_id FROM wishlist WHERE owner = ?1 UNION SELECT product_id FROM cart WHERE owner = ?1",
    "order_id": "SELECT id FROM orders WHERE owner = ?",
    "review_id": "SELECT id FROM reviews WHERE author = ?",
    "file_id": "SELECT id FROM files WHERE owner = ?1 UNION SELECT file_id FROM shares WHERE person_id = ?1",
    "list_id": "SELECT id FROM todo_lists WHERE owner = ?",
    "task_id": "SELECT id FROM todos WHERE owner = ?",
    "step_id": "SELECT steps.id FROM steps JOIN todos ON todos.id = todo_id WHERE owner = ?",
    "contact_id": "SELECT id FROM contacts WHERE owner = ?",
    "group_id": "SELECT id FROM contact_groups WHERE owner = ?",
    "email": "SELECT email FROM contacts WHERE owner = ? AND email IS NOT NULL",
    "to": "SELECT email FROM contacts WHERE owner = ? AND email IS NOT NULL",
    "phone": "SELECT phone FROM contacts WHERE owner = ? AND phone IS NOT NULL",
    "phones": "SELECT phone FROM contacts WHERE owner = ? AND phone IS NOT NULL",
    "folder": "SELECT path FROM folders WHERE owner = ?",
    "artist": "SELECT artist FROM followed WHERE owner = ?",
    "notebook": "SELECT DISTINCT notebook FROM notes WHERE owner = ?",
}
"""By parameter the values that a person's part of the world has for it."""
USUAL: Mapping[str, Sequence[Any]] = {
    "day": ("2031-10-01", "2031-10-14"),
    "start": ("09:00", "14:30"),
    "minutes": (30, 60),
    "minutes_before": (10, 30),
    "amount_cents": (500, 2000),
    "quantity": (1, 2, 3),
    "stars": (1, 2, 3, 4, 5),
    **dict.fromkeys(("title", "text", "body", "subject", "place", "note", "name", "label"), ("Something else",)),
}
"""By parameter values that any task may be tried with."""


@lru_cache(maxsize=256)
def values_of(size: str, user: int) -> Mapping[str, Sequence[Any]]:
    """The values of a person's part of the world, by parameter."""
    world = World(bench_of(size))
    with world.call(may_write=False):
        return {**USUAL, **{name: [row[0] for row in world.rows(sql, user)] for name, sql in IDS.items()}}


def search(task: Task, found: Found) -> None:
    """Search a task, and tell of what does not agree."""
    plan, template = plan_of(task), task.private["template"]
    start = World(bench_of(plan.size), plan.now)
    alternatives = alternatives_of(start, bench_of(plan.size).base, plan.user, template, plan.draft.text)
    rng = random.Random(f"outcomes of {task.id}")
    right = [step.call for step in plan.outcomes[0].steps]
    apps = sorted(TEMPLATES[template].apps)
    tools = {f"{app}.{name}": tool for app in apps for name, tool in APPS[app].tools.items() if tool.is_writing}
    pool = pool_of(tools, values_of(plan.size, plan.user), [*right, *plan.draft.reads])
    listed = [tuple(outcome.contents) for outcome in plan.outcomes]
    lists = itertools.chain(
        ([step.call for step in outcome.steps] for outcome in plan.outcomes),
        near(right, pool, rng) if right else singles(pool, rng),
        at_random(right, pool, NUM_RANDOM, rng),
    )
    judge_states(
        iter(lists),
        lambda calls: played(plan, start, calls, alternatives),
        listed if right else [],
        found,
        lambda what, calls: progress(f"{what}: {task.id} {template}: {', '.join(map(str, calls))}"[:600]),
    )
    start.close()


def played(
    plan: Plan, start: World, calls: Sequence[Call], alternatives: Sequence[Sequence[Effect]]
) -> tuple[tuple[str, ...], bool]:
    """What calls come to, each of which may fail, and whether that meets the words."""
    world = start.fork()
    try:
        for call in calls:
            carry_out(world, plan.user, call)
        changes = world.changes()
        return tuple(contents_of(changes)), is_met(alternatives, changes, RULES)
    finally:
        world.close()


def is_searched(task: Task) -> bool:
    """Whether a task asks for a change, be it one that cannot be made."""
    return task.private["template"] in STATEMENTS


def measure(quick: bool) -> Report:
    """The figures; `quick` searches few tasks."""
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all that ask for a change"})
    every = Found()
    for suite in SUITES:
        progress(suite)
        found = Found()
        for split in SPLITS:
            for task in filter(is_searched, load_suite(suite).tasks(split)[:: QUICK_STEP if quick else 1]):
                search(task, found)
        report.figures[suite] = asdict(found)
        every = Found(*(one + other for one, other in zip(asdict(every).values(), asdict(found).values(), strict=True)))
    report.goals = [
        Goal(name, float(getattr(every, name)), 0.0, "at most") for name in ("refused", "wrong", "unreached")
    ]
    return report


if __name__ == "__main__":
    sys.exit(main("verdicts.app_outcomes", measure, PACKAGES))
