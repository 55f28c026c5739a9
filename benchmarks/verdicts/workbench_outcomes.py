"""Whether the right ways of the workbench's requests are all that their words admit, found by search over the writes.

Each request of each entry is searched in the world that the requests before have left: near its right calls, by one and
two calls with values of the right ones, and at random, by the tools that are listed then. What a state is worth is said
twice: by the right ways that grading knows, and by a statement of the kind in `benchmarks.verdicts.requests`.

- refused: states that meet the request and are not right; of a request that is to be declined, any that meets it.
- wrong: right states that do not meet it.
- unreached: right ways that no list of calls came to.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from agentgym.suite import load_suite
from agentgym.task import Split, Task
from agentgym_tools.workbench.aims import UnmeetableError, aim_of
from agentgym_tools.workbench.grading import Ending
from agentgym_tools.workbench.plan import Stage, read_plan
from agentgym_tools.workbench.session import Session
from agentgym_tools.workbench.sets.all_sets import SET_OF, TOOLS, Kit
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.changes import contents
from benchmarks.report import Goal, Report, main, progress
from benchmarks.verdicts.requests import workbench_talk, workbench_things
from benchmarks.verdicts.requests.effects import Effect, is_met
from benchmarks.verdicts.requests.searching import Found, at_random, judge_states, near, pairs, pool_of
from benchmarks.verdicts.requests.workbench_requests import RULES, STATEMENTS, alternatives_of

PACKAGES = ("agentgymnasium",)
SUITES = ("tools/workbench", "tools/workbench-small")
SPLITS: Sequence[Split] = ("train", "validation", "test")
STEP, QUICK_STEP = 8, 100
"""One entry in so many is searched."""
NUM_RANDOM, NUM_PAIRS = 40, 100
NUM_PAIRS_WITHOUT_TOOL = 1_500
MAX_ROWS = 3
"""Most changed rows whose texts are tried as arguments."""
_ = (workbench_talk, workbench_things)  # they add their statements
VALUES: Mapping[str, str] = {
    "path": "SELECT path FROM nodes WHERE owner = ?",
    "folder": "SELECT path FROM nodes WHERE owner = ? AND kind = 'folder'",
    "symbol": "SELECT symbol FROM positions WHERE owner = ?1 UNION SELECT symbol FROM watches WHERE owner = ?1",
    "order_id": "SELECT id FROM orders WHERE owner = ?",
    "alert_id": "SELECT id FROM alerts WHERE owner = ?",
    "booking_id": "SELECT id FROM bookings WHERE owner = ?",
    "flight": "SELECT flight FROM bookings WHERE owner = ?",
    "card": "SELECT id FROM cards WHERE owner = ?",
    "other": "SELECT id FROM cards WHERE owner = ?",
    "ticket_id": "SELECT id FROM tickets WHERE owner = ?",
    "post_id": "SELECT id FROM posts WHERE author = ?1 OR pinned",
    "comment_id": "SELECT comments.id FROM comments JOIN posts ON posts.id = post WHERE posts.author = ?",
    "author": "SELECT author FROM follows WHERE person = ?1 UNION SELECT person FROM follows WHERE author = ?1",
    "message_id": "SELECT id FROM messages WHERE owner = ?",
    "contact": "SELECT person FROM contacts WHERE owner = ?",
    "person": "SELECT person FROM contacts WHERE owner = ?",
    "nickname": "SELECT nickname FROM contacts WHERE owner = ?",
    "place": "SELECT name FROM places WHERE ? <> ''",
}
"""By parameter the values that a person's things have for it."""
USUAL: Mapping[str, Sequence[Any]] = {
    **dict.fromkeys(("text", "line", "title", "name", "old", "new"), ("something",)),
    "shares": (1, 5),
    "bags": (1, 2),
    "litres": (5, 20),
    "kpa": (220, 240),
    "celsius": (18, 25),
    "speed": (0, 3),
    "kmh": (50, 100),
    "priority": (1, 5),
    **dict.fromkeys(("limit_cents", "price_cents", "amount_cents"), (1000, 5000)),
}
"""By parameter values that any request may be tried with."""


def search(task: Task, found: Found) -> None:
    """Search an entry, request by request, and tell of what does not agree."""
    session = Session(read_plan(task))
    rng = random.Random(f"outcomes of {task.id}")
    while not session.is_over:
        if session.stage.request.kind in STATEMENTS:
            _search_stage(session, found, rng, task.id)
        case = session.aim.case
        if session.lacks_value:
            session.ask(session.stage.request.template.missing)
        for call in [*case.reads, *case.outcomes[0]]:
            session.carry_out(call)
        answer = list(case.answer) if isinstance(case.answer, tuple) else case.answer
        if not session.end(Ending(answer, case.reason)).is_right:
            progress(f"the right calls fail: {task.id} {session.stages[session.number - 1].request.kind}")
            found.unreached += 1
    session.close()


def _search_stage(session: Session, found: Found, rng: random.Random, name: str) -> None:
    world, stage, me = session.kit.world, session.stage, session.plan.me
    alternatives = alternatives_of(world, me, stage.request, session.past)
    right, reads, rows = _right_calls(session)
    sets = {SET_OF[call.tool] for call in [*right, *reads]} | {stage.request.template.tool_set}
    tools = {each: TOOLS[each] for each in session.tools if SET_OF[each] in sets and TOOLS[each].is_writing}
    with world.call(may_write=False):
        values = {**USUAL, **{name: [row[0] for row in world.rows(sql, me)] for name, sql in VALUES.items()}}
    facts = [Call("", {each: value for each, value in stage.request.facts.items() if isinstance(value, int | str)})]
    pool = pool_of(tools, values, [*right, *facts, *rows])
    listed = [] if session.aim.case.reason else [tuple(each) for each in session.aim.expected]
    num_pairs = NUM_PAIRS_WITHOUT_TOOL if stage.is_without_tool else NUM_PAIRS
    usable = [call for call in right if call.tool in tools]
    lists: Iterator[list[Call]] = itertools.chain(
        (list(calls) for calls in session.aim.case.outcomes),
        near(usable, pool, rng) if usable else (),
        pairs(pool, num_pairs, rng),
        at_random(usable, pool, NUM_RANDOM, rng) if tools else (),
    )
    judge_states(
        lists,
        lambda calls: played(world, me, calls, alternatives),
        listed,
        found,
        lambda what, calls: progress(
            f"{what}: {name} {session.number} {stage.request.kind}: {', '.join(map(str, calls))}"[:600]
        ),
    )


def _right_calls(session: Session) -> tuple[list[Call], list[Call], list[Call]]:
    """The right writes and reads, and the texts of the rows that change; those with the tool where it is lacking."""
    aim = session.aim
    if session.stage.is_without_tool:
        with suppress(UnmeetableError):
            aim = aim_of(Stage(session.stage.request, False), session.kit.world, session.plan.me, session.past)
    texts = [
        value
        for change in aim.ideal.changes()[:MAX_ROWS]
        for row in (change.after, change.before)
        for value in (row or {}).values()
        if isinstance(value, str) and value
    ]
    rows = [Call("", {str(number): text}) for number, text in enumerate(dict.fromkeys(texts))]
    return list(aim.case.outcomes[0]), list(aim.case.reads), rows


def played(
    start: World, me: str, calls: Sequence[Call], alternatives: Sequence[Sequence[Effect]]
) -> tuple[tuple[str, ...], bool] | None:
    """What calls come to, each of which may fail, and whether that meets the request; None where nothing changed."""
    world = start.fork()
    try:
        kit = Kit(world, me)
        for call in calls:
            kit.call(call)
        changes = world.changes()
        return (tuple(contents(changes)), is_met(alternatives, changes, RULES)) if changes or not calls else None
    finally:
        world.close()


def measure(quick: bool) -> Report:
    """The figures; `quick` searches few entries."""
    step = QUICK_STEP if quick else STEP
    report = Report(setting={"entries": f"one in {step}"})
    every = Found()
    for suite in SUITES:
        progress(suite)
        found = Found()
        for split in SPLITS:
            for task in load_suite(suite).tasks(split)[::step]:
                search(task, found)
        report.figures[suite] = asdict(found)
        every = Found(*(one + other for one, other in zip(asdict(every).values(), asdict(found).values(), strict=True)))
    names = ("refused", "wrong", "unreached")
    report.goals = [Goal(name, float(getattr(every, name)), 0.0, "at most") for name in names]
    return report


if __name__ == "__main__":
    sys.exit(main("verdicts.workbench_outcomes", measure, PACKAGES))
