"""Whether the outcomes of the desks' requests are all that request and rules admit, found by search over the writes.

Each goal of each task that asks for a change, and that the customer comes to, is searched in the world that the goals
before have left: near the writes that the customer would be content with, each argument with all values that reading
shows for it; by one and two calls with right values; and by one to three at random, with the customer's rows, the facts
of the request and the sums of the rules. What the rules forbid is searched for, too. What a state is worth is said
twice: by the admitted outcomes, and by a statement of the request and the rules in `benchmarks.verdicts.requests`.

- refused: states that meet request and rules and are not admitted.
- wrong: admitted states that do not meet them.
- unreached: admitted outcomes that no list of calls came to.

`--all` searches all test tasks.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.domain import Domain, changes_by
from agentgym_tools.desks.goals import Case
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.changes import contents
from agentgym_tools.worlds.toolbox import WorldTool
from benchmarks.report import Goal, Report, main, own_options, progress
from benchmarks.verdicts.requests import (
    desk_airline,
    desk_bank,
    desk_clinic,
    desk_insurance,
    desk_shop,
    desk_telecom,
)
from benchmarks.verdicts.requests.desk_requests import RULES, STATEMENTS, Wished, alternatives_of
from benchmarks.verdicts.requests.desk_values import ROWS, USUAL
from benchmarks.verdicts.requests.effects import Effect, is_met
from benchmarks.verdicts.requests.searching import Found, at_random, judge_states, near, pairs, pool_of

PACKAGES = ("agentgymnasium",)
STEP, QUICK_STEP = 10, 60
"""One test task in so many is searched."""
NUM_RANDOM, NUM_PAIRS = 60, 120
MAX_WAYS = 4
"""Ways to content the customer near which is searched, where there are many."""
SHOWN_AS: Mapping[str, str] = {
    "new_flight_id": "flight_id",
    "new_item_id": "item_id",
    "new_slot_id": "slot_id",
    "item_ids": "item_id",
    "refund_to": "payment_id",
    "from_account": "account_id",
    "to_account": "account_id",
}
"""By parameter the name that tools' answers have for its values, where that is another one."""
_STATED = (desk_airline, desk_bank, desk_clinic, desk_insurance, desk_shop, desk_telecom)  # they add their statements


def values_of(domain: Domain, world: World, case: Case, policy: Any) -> Mapping[str, Sequence[Any]]:
    """The values of the customer's part of the world and those that the rules name, by parameter."""
    with world.call(may_write=False):
        own = {name: [row[0] for row in world.rows(sql, case.goal.customer)] for name, sql in ROWS[domain.name].items()}
    sums = sorted({value for value in policy.to_json().values() if type(value) is int})
    amounts = {name: sums for tool in tools_of(domain).values() for name in _amounts(tool)}
    return {**amounts, **USUAL[domain.name], **own}


def shown_by(domain: Domain, world: World, case: Case) -> Mapping[str, Sequence[Any]]:
    """What the reads for a goal show, by the name that tools' answers give it."""
    found: dict[str, dict[Any, None]] = {}

    def note(answer: Any) -> None:
        for name, part in answer.items() if isinstance(answer, Mapping) else ():
            if isinstance(part, int | str):
                found.setdefault(name, {})[part] = None
        for part in answer.values() if isinstance(answer, Mapping) else answer if isinstance(answer, list) else ():
            note(part)

    for read in case.reads:
        note(domain.carry_out(world, case.goal.customer, read.call).answer)
    return {name: list(values) for name, values in found.items()}


def with_shown(calls: Sequence[Call], shown: Mapping[str, Sequence[Any]]) -> Iterator[list[Call]]:
    """The calls with one argument changed to each other value that is shown for it."""
    for place, call in enumerate(calls):
        for name, value in call.arguments.items():
            for other in shown.get(SHOWN_AS.get(name, name), ()):
                changed = Call(call.tool, {**call.arguments, name: [other] if isinstance(value, list) else other})
                yield [*calls[:place], changed, *calls[place + 1 :]]


def _amounts(tool: WorldTool) -> Iterator[str]:
    properties = tool["function"]["parameters"]["properties"]
    return (name for name in properties if name.endswith("_cents") or name in ("price", "miles"))


def tools_of(domain: Domain) -> Mapping[str, WorldTool]:
    """The writes that a desk and its customer can make."""
    every = {**domain.toolbox.tools, **domain.user_tools}
    return {name: tool for name, tool in every.items() if tool.is_writing}


def search(domain: Domain, task: Task, found: Found, kinds: Counter[str]) -> None:
    """Search the goals of a task, one after another, and tell of what does not agree."""
    plan = plan_of(task, domain)
    world = domain.world(plan.size)
    world.rules = plan.policy
    rng = random.Random(f"outcomes of {task.id}")
    for case in filter(lambda case: case.is_due, plan.cases):
        if case.goal.kind in STATEMENTS[domain.name]:
            kinds[case.goal.kind] += 1
            wished = Wished(world, domain.sizes[plan.size], plan.customer, case.goal.facts, plan.policy)
            _search_case(domain, case, wished, found, rng)
        for call in case.outcomes[0] if case.outcomes else ():
            domain.carry_out(world, plan.customer, call)
        world.mark_start()
    world.close()


def _search_case(domain: Domain, case: Case, wished: Wished, found: Found, rng: random.Random) -> None:
    world, goal = wished.world, case.goal
    alternatives = alternatives_of(domain.name, goal.kind, wished)
    facts = [Call("", {fact: value}) for fact, value in goal.facts.items()]
    right = [call for calls in case.wanted for call in calls]
    pool = pool_of(tools_of(domain), values_of(domain, world, case, wished.policy), [*right, *facts])
    ways = case.wanted if len(case.wanted) <= MAX_WAYS else rng.sample(case.wanted, MAX_WAYS)
    shown = shown_by(domain, world, case)
    lists: Iterator[list[Call]] = itertools.chain(
        (list(calls) for calls in case.wanted),
        itertools.chain.from_iterable(with_shown(calls, shown) for calls in ways),
        itertools.chain.from_iterable(near(list(calls), pool, rng) for calls in ways),
        pairs(pool, NUM_PAIRS, rng),
        at_random(right[:3], pool, NUM_RANDOM, rng),
    )
    judge_states(
        lists,
        lambda calls: played(domain, world, goal.customer, calls, alternatives),
        [tuple(contents(changes_by(domain, goal.customer, world, calls))) for calls in case.outcomes],
        found,
        lambda what, calls: progress(f"{what}: {goal} {case.decision}: {', '.join(map(str, calls))}"[:900]),
    )


def played(
    domain: Domain, start: World, customer: str, calls: Sequence[Call], alternatives: Sequence[Sequence[Effect]]
) -> tuple[tuple[str, ...], bool] | None:
    """What calls come to, each of which may fail, and whether that meets the request; None where nothing changed."""
    with start.draft():
        for call in calls:
            domain.carry_out(start, customer, call)
        changes = start.changes()
    return (tuple(contents(changes)), is_met(alternatives, changes, RULES)) if changes else None


def measure(quick: bool, *, takes_all: bool = False) -> Report:
    """The figures; `quick` searches few tasks, `takes_all` all."""
    step = QUICK_STEP if quick else 1 if takes_all else STEP
    report = Report(setting={"test tasks": f"one in {step}" if step > 1 else "all"})
    every = Found()
    for name in DESKS:
        progress(name)
        domain, found, kinds = desk(name), Found(), Counter[str]()
        for task in load_suite(f"tools/desk-{name}").tasks("test")[::step]:
            search(domain, task, found, kinds)
        stated = {kind: kinds[kind] for kind in STATEMENTS[name]}
        report.figures[name] = {**asdict(found), "kinds": stated, "kinds without a statement": unstated(domain)}
        every = Found(*(one + other for one, other in zip(asdict(every).values(), asdict(found).values(), strict=True)))
    names = ("refused", "wrong", "unreached")
    report.goals = [Goal(each, float(getattr(every, each)), 0.0, "at most") for each in names]
    return report


def unstated(domain: Domain) -> list[str]:
    """The kinds of goals that ask for a change and have no statement."""
    return [kind for kind in domain.kinds if not kind.startswith("ask_") and kind not in STATEMENTS[domain.name]]


def command(argv: Sequence[str] | None = None) -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--all", action="store_true", help="search all test tasks")
    own, rest = own_options("verdicts.desk_outcomes", parser, argv)
    return main("verdicts.desk_outcomes", lambda quick: measure(quick, takes_all=own.all), PACKAGES, rest)


if __name__ == "__main__":
    sys.exit(command())
