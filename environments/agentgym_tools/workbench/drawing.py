"""Drawing an entry: requests one after another, each about the world as the ones before have left it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from agentgym.errors import ConfigError
from agentgym.task import Limits, Task
from agentgym_tools.workbench.aims import Aim, UnmeetableError, aim_of
from agentgym_tools.workbench.base import bench
from agentgym_tools.workbench.cases import Settled, View
from agentgym_tools.workbench.plan import Plan, Request, Stage
from agentgym_tools.workbench.requests.all_requests import TEMPLATES
from agentgym_tools.workbench.requests.out_of_reach import OUT_OF_REACH
from agentgym_tools.workbench.sets.all_sets import SETS
from agentgym_tools.workbench.template import ANSWER, FRAMES, Pick, Template, UndrawableError
from agentgym_tools.worlds import World

Trouble = Literal["", "tool", "value", "nothing"]
"""What one of the requests of an entry has: nothing special, a missing tool, a missing value, or nothing to do."""
TROUBLES: tuple[Trouble, ...] = ("", "tool", "value", "nothing")
MAX_ENTRIES, MAX_DRAWS = 400, 12


@dataclass(frozen=True)
class Wanted:
    """What kind of entry is drawn.

    Attributes:
        people: Handles of those whose things it may be about.
        templates: Names of the kinds of requests that may occur.
        sizes: Numbers of requests, one of which is drawn.
        trouble: What one of the requests has.
        must: Names of kinds of which at least one has to occur; empty for no such condition.
        sets: The sets of which the entry's are drawn.
        num_distractors: Numbers of further sets that are listed, one of which is drawn.
    """

    people: Sequence[str]
    templates: Sequence[str]
    sizes: Sequence[int] = (2, 2, 3, 3, 4)
    trouble: Trouble = ""
    must: Sequence[str] = ()
    sets: Sequence[str] = tuple(SETS)
    num_distractors: Sequence[int] = (0, 0, 1, 1, 2, 3, 6)


@dataclass
class _Draft:
    """An entry that is being drawn: what the requests so far have come to."""

    rng: random.Random
    me: str
    sets: Sequence[str]
    world: World
    requests: list[Request] = field(default_factory=list)
    past: list[Settled] = field(default_factory=list)
    used: list[set[str]] = field(default_factory=list)
    """The tools that each request takes."""
    num_calls: int = 0


def draw_entry(rng: random.Random, wanted: Wanted, task_id: str, seed: int, stratum: str = "") -> Task:
    """Draw an entry as a task.

    Raises:
        ConfigError: None of this kind was found.
    """
    for _ in range(MAX_ENTRIES):
        draft = _draft(rng, wanted)
        try:
            if _fill(draft, wanted):
                return _task(draft, wanted, task_id, seed, stratum)
        finally:
            draft.world.close()
    raise ConfigError(
        f"no entry of the workbench was found in {MAX_ENTRIES} draws; expected another kind: {wanted!r:.300}"
    )


def _draft(rng: random.Random, wanted: Wanted) -> _Draft:
    others = [name for name in wanted.sets if name != "calculator"] or list(wanted.sets)
    sets = [rng.choice(others)]
    if wanted.must:
        needed = TEMPLATES[rng.choice(wanted.must)]
        sets = [name for name in (needed.tool_set, *needed.more_sets) if name]
    if rng.random() < 0.6 and len(sets) < 2 and len(wanted.sets) > 1:
        sets.append(rng.choice([name for name in wanted.sets if name not in sets]))
    world = World(bench())
    world.mark_start()
    return _Draft(rng, rng.choice(wanted.people), sets, world)


def _fill(draft: _Draft, wanted: Wanted) -> bool:
    """Draw all requests; returns whether that worked."""
    rng = draft.rng
    size = rng.choice(wanted.sizes)
    special = rng.randrange(size) if wanted.trouble else -1
    first = next((name for name in wanted.must if TEMPLATES[name].tool_set in draft.sets), "")
    needed_at = rng.randrange(size) if first else -1
    for place in range(size):
        pool = _pool(draft, wanted, wanted.trouble if place == special else "")
        if place == needed_at:
            pool = [each for each in pool if each.name in wanted.must]
        if not _add(draft, pool, wanted.trouble if place == special else ""):
            return False
    return not _is_taken(draft) and (not wanted.must or any(each.kind in wanted.must for each in draft.requests))


def _pool(draft: _Draft, wanted: Wanted, trouble: Trouble) -> list[Template]:
    """The kinds that can come next."""
    used = {each.kind for each in draft.requests}
    found = []
    for name in wanted.templates:
        template = TEMPLATES[name]
        has_sets = {template.tool_set, *template.more_sets} <= {*draft.sets, OUT_OF_REACH}
        if has_sets and name not in used and _follows(draft, template) and _allows(template, trouble):
            found.append(template)
    return found


def _allows(template: Template, trouble: Trouble) -> bool:
    if template.tool_set == OUT_OF_REACH:
        return trouble == "nothing"
    has = {"": True, "tool": template.key_tool, "value": template.missing, "nothing": template.idle is not None}
    return bool(has[trouble])


def _follows(draft: _Draft, template: Template) -> bool:
    """Whether the request just before is one that the template can refer to."""
    if not template.after:
        return True
    if not draft.past:
        return False
    if template.after == ANSWER:
        return type(draft.past[-1].answer) is int
    return any((each.table, each.kind) == (template.after, "added") for each in draft.past[-1].changes)


def _add(draft: _Draft, pool: Sequence[Template], trouble: Trouble) -> bool:
    """Draw the next request; returns whether that worked."""
    rng = draft.rng
    following = [each for each in pool if each.after]
    for _ in range(MAX_DRAWS):
        some = following if following and rng.random() < 0.6 else pool
        if not some:
            return False
        template = rng.choice(some)
        drawn = _draw(draft, template, trouble)
        if drawn is None:
            continue
        request, aim = drawn
        draft.requests.append(request)
        draft.used.append({call.tool for calls in (aim.case.reads, *aim.case.outcomes) for call in calls})
        draft.num_calls += len(aim.case.reads) + len(aim.case.outcomes[0]) + 2
        if request.condition == "never":
            aim.ideal.close()
            return True
        draft.world.close()
        draft.world = aim.ideal
        draft.past.append(Settled(tuple(aim.ideal.changes()), aim.case.answer))
        draft.world.mark_start()
        return True
    return False


def _draw(draft: _Draft, template: Template, trouble: Trouble) -> tuple[Request, Aim] | None:
    """A request of a kind, and what it comes to; None where it is not as wanted."""
    rng, is_idle = draft.rng, trouble == "nothing"
    condition = {"tool": "later" if rng.random() < 0.7 else "never", "value": "ask"}.get(trouble, "")
    make = template.idle if is_idle else template.draw
    assert make is not None
    try:
        with draft.world.call(may_write=False):
            facts = make(Pick(rng, View(draft.world, draft.me, draft.past)))
        wording = rng.randrange(len(template.vague if condition == "ask" else template.texts) * len(FRAMES))
        request = Request(template.name, dict(facts), wording, condition)  # type: ignore[arg-type]
        aim = aim_of(Stage(request, False), draft.world, draft.me, draft.past)
    except (UndrawableError, UnmeetableError):
        return None
    changes_nothing = not any(aim.expected[0]) and aim.case.answer is None
    if bool(aim.case.reason) != is_idle or (changes_nothing and not is_idle):
        aim.ideal.close()
        return None
    return request, aim


def _is_taken(draft: _Draft) -> bool:
    """Whether a request takes a tool while it is withheld."""
    for place, request in enumerate(draft.requests):
        if request.condition not in ("later", "never"):
            continue
        tool = request.template.key_tool
        others = draft.used[:place] + (draft.used[place + 1 :] if request.condition == "never" else [])
        if any(tool in used for used in others):
            return True
    return False


def _task(draft: _Draft, wanted: Wanted, task_id: str, seed: int, stratum: str) -> Task:
    others = [name for name in SETS if name not in draft.sets]
    listed = {*draft.sets, *draft.rng.sample(others, min(len(others), draft.rng.choice(wanted.num_distractors)))}
    plan = Plan(draft.me, tuple(name for name in SETS if name in listed), draft.requests)
    return Task(
        id=task_id,
        seed=seed,
        instruction=plan.requests[0].text,
        stratum=stratum,
        config={"me": plan.me, "sets": list(plan.sets)},
        limits=Limits(max_turns=2 * draft.num_calls + 6),
        private={"requests": [request.to_json() for request in plan.requests]},
    )
