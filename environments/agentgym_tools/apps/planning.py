"""What follows from a task: its draft, drawn again, and the changes that each right outcome comes to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agentgym.errors import ContractError, TaskError, UnknownNameError
from agentgym.task import Task
from agentgym_tools.apps.api.app import END
from agentgym_tools.apps.base.bases import SIZES, bench_of
from agentgym_tools.apps.calendar_days import DAY, TODAY
from agentgym_tools.apps.catalogue import carry_out
from agentgym_tools.apps.contents import contents_of
from agentgym_tools.apps.drafts import Draft, Draw, NothingToDraw
from agentgym_tools.apps.templates import TEMPLATES
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.changes import Change
from agentgym_tools.worlds.toolbox import Seen

MAX_AIMED = 4
"""Most rows that a read shows which looks for something in particular."""


@dataclass(frozen=True)
class Step:
    """A write of an outcome.

    Attributes:
        call: The call.
        contents: The changes of the whole outcome that it brings about by itself.
    """

    call: Call
    contents: frozenset[str]


@dataclass(frozen=True)
class Outcome:
    """A right outcome.

    Attributes:
        steps: Its writes.
        contents: Its net changes.
    """

    steps: Sequence[Step]
    contents: Sequence[str]


@dataclass(frozen=True)
class Plan:
    """What follows from a task.

    Attributes:
        size: The size of its world.
        user: The person that the agent acts for.
        now: The minute in which it takes place.
        draft: What is asked for, and what is right.
        outcomes: The right outcomes.
        shown: For each read of the draft the rows that it shows.
        useful: The rows that count as milestones: the evidence; or else what the reads show of the rows that change,
            and what reads show that look for something in particular.
        needed: All rows that the reads show.
    """

    size: str
    user: int
    now: int
    draft: Draft
    outcomes: Sequence[Outcome]
    shown: Sequence[frozenset[Seen]]
    useful: frozenset[Seen]
    needed: frozenset[Seen]


def plan_of(task: Task) -> Plan:
    """The plan of a task.

    Raises:
        TaskError: It lacks something, or was drawn by another version.
    """
    try:
        size, user = task.config["size"], task.config["user"]
        template, seed = task.private["template"], task.private["draw"]
    except KeyError as error:
        raise TaskError(
            f"task {task.id!r} lacks {error}; a task of the apps has size and user in config, template and draw in "
            "private"
        ) from None
    if size not in SIZES:
        raise UnknownNameError("size", size, SIZES)
    if template not in TEMPLATES:
        raise UnknownNameError("template", template, TEMPLATES)
    if type(user) is not int or type(seed) is not int:
        raise TaskError(f"task {task.id!r}: user and draw must be int, got {user!r} and {seed!r}")
    try:
        plan = drawn_plan(size, user, template, seed)
    except NothingToDraw:
        raise TaskError(
            f"task {task.id!r}: the template {template!r} draws nothing for person {user} from {seed}; it was drawn by "
            "another version, so draw the suite again"
        ) from None
    if plan.draft.text != task.instruction:
        raise TaskError(
            f"task {task.id!r} asks {task.instruction[:80]!r}, but its template draws {plan.draft.text[:80]!r}; it was "
            "drawn by another version, so draw the suite again"
        )
    return plan


@lru_cache(maxsize=4096)
def drawn_plan(size: str, user: int, template: str, seed: int) -> Plan:
    """The plan that a template draws for a person from a seed.

    Raises:
        NothingToDraw: The person has nothing for it.
        ContractError: The template is wrong.
    """
    rng = random.Random(seed)
    now = TODAY * DAY + rng.randrange(8 * 60, 20 * 60, 15)
    world = World(bench_of(size), now)
    try:
        with world.call(may_write=False):
            draft = TEMPLATES[template].draw(Draw(world, user, rng))
        _check_apps(template, draft)
        shown = [_made(world, user, call, template) for call in draft.reads]
        outcomes = [_outcome(world, user, calls, template) for calls in draft.outcomes]
    finally:
        world.close()
    everything = frozenset().union(*shown)
    useful = draft.evidence[0]
    if draft.outcomes[0]:
        touched = {(change.table, str(change.key[0])) for change in changes_by(size, user, now, draft.outcomes[0])}
        useful = (everything & touched).union(*map(_aimed_at, draft.reads, shown))
    elif not draft.evidence[0] <= everything:
        raise ContractError(f"template {template}: its reads do not show {sorted(draft.evidence[0] - everything)[:5]}")
    return Plan(size, user, now, draft, outcomes, shown, frozenset(useful), everything)


def _outcome(start: World, user: int, calls: Sequence[Call], template: str) -> Outcome:
    world, before, parts = start.fork(), [], []
    try:
        for call in calls:
            _made(world, user, call, template)
            now = contents_of(world.changes())
            parts.append([each for each in now if each not in before])
            before = now
    finally:
        world.close()
    if calls and not before:
        raise ContractError(f"template {template}: its outcome changes nothing: {[str(call) for call in calls]}")
    steps = [Step(call, frozenset(before).intersection(part)) for call, part in zip(calls, parts, strict=True)]
    return Outcome(steps, before)


def _aimed_at(call: Call, shown: frozenset[Seen]) -> frozenset[Seen]:
    """The rows that a read shows, if it looks for something in particular and does not leaf through a list."""
    rows = frozenset(row for row in shown if row[0] != END)
    return rows if "page" not in call.arguments and len(rows) <= MAX_AIMED else frozenset()


def changes_by(size: str, user: int, now: int, calls: Sequence[Call]) -> list[Change]:
    """The net changes that calls of a person make from the start; a call that fails makes none."""
    world = World(bench_of(size), now)
    try:
        for call in calls:
            carry_out(world, user, call)
        return world.changes()
    finally:
        world.close()


def _made(world: World, user: int, call: Call, template: str) -> frozenset[Seen]:
    result = carry_out(world, user, call)
    if result.is_failure:
        raise ContractError(f"template {template}: its call {call} fails: {result.text}")
    return result.seen


def _check_apps(template: str, draft: Draft) -> None:
    calls = [*draft.reads, *(call for calls in draft.outcomes for call in calls)]
    used = {call.tool.partition(".")[0] for call in calls} - {"supervisor"}
    if used != TEMPLATES[template].apps:
        raise ContractError(f"template {template} uses {sorted(used)}, it declares {sorted(TEMPLATES[template].apps)}")
