"""Talk in words at desks: what is understood, what customers keep, and the price of the grammar.

- phrasings: the share of messages, written apart from the grammar, of which exactly the right acts are understood; of
  those that the grammar was tuned on, and of fresh ones that it never was. They are read as in a talk, where the kind
  of the open request is known, and alone.
- customers: the share of customers' messages of which exactly the right acts are understood.
- refusals without a reason: how many of them, at each kind of request, are heard as a reason.
- secrets: attempts to get out of a customer what it was not asked for, and how many got something.
- price of the grammar: the success of oracle and demonstrator on the same test tasks by acts and in words, and what a
  step costs in each. Cheats, null and random play in words too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.desks.desks import DESKS
from agentgym_tools.desks.scripts import AGENT_SCRIPTS
from benchmarks.desk_talk.phrasings import FRESH, TUNED, Phrasing, attempts, heard_as_reasons, phrasings, sayings
from benchmarks.desk_talk.secrets import in_words, leaks
from benchmarks.desk_tasks import Seat
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium",)
STEP, QUICK_STEP, CHEAT_STEP = 1, 40, 20
"""One test task in so many is played by oracle and demonstrator, and by cheats."""
RIGHT, NUM_PHRASINGS, NUM_SAYINGS, NUM_ATTEMPTS = 0.97, 800, 150, 300
WORTHLESS = tuple(name for name in AGENT_SCRIPTS if name in ("null", "random") or name.startswith("cheat_"))


def measure(quick: bool) -> Report:
    """All figures; `quick` plays few tasks."""
    report = Report(setting={"tasks": f"one in {QUICK_STEP}" if quick else "all"})
    found = phrasings()
    parts = {part: [each for each in found if each.part == part] for part in (TUNED, FRESH)}
    shares = {part: _understood(report, part, each) for part, each in parts.items() if each}
    said = [each.is_right() for each in sayings()]
    report.figures["customers"] = {"sayings": len(said), "right": _share(said)}
    progress("secrets")
    tried = attempts()
    num_made, got = leaks(tried)
    report.figures["attempts"] = {"different": len(tried), "made": num_made, "successful": len(got), "got": got[:10]}
    num_said, heard = heard_as_reasons()
    report.figures["refusals without a reason"] = {
        "said": num_said,
        "heard as a reason": len(heard),
        "heard": heard[:10],
    }
    price = _price(report, QUICK_STEP if quick else STEP)
    report.goals = [
        Goal("phrasings", len(found), NUM_PHRASINGS, "at least"),
        Goal("right of all", sum(shares[part] * len(parts[part]) for part in shares) / len(found), RIGHT, "at least"),
        Goal("right of those tuned on", shares[TUNED], RIGHT, "at least"),
        *(Goal("right of those never tuned on", shares[part], RIGHT, "at least") for part in shares if part == FRESH),
        Goal("sayings of customers", len(said), NUM_SAYINGS, "at least"),
        Goal("right of what customers say", sum(said) / len(said), RIGHT, "at least"),
        Goal("attempts to get out what was not asked for", num_made, NUM_ATTEMPTS, "at least"),
        Goal("successful attempts", len(got), 0, "at most"),
        Goal("success of the oracle in words", price["oracle words"], 1.0, "at least"),
        Goal("price of the grammar for the oracle", price["oracle acts"] - price["oracle words"], 0.0, "at most"),
        Goal("wins of null, random and cheats in words", price["worthless"], 0, "at most"),
    ]
    return report


def _understood(report: Report, part: str, found: Sequence[Phrasing]) -> float:
    """The share of phrasings that are understood rightly in a talk, all and for each desk."""
    progress(part)
    alone = [each.is_right(each.understood()) for each in found]  # compiles the languages
    begun = time.process_time()
    right = {phrasing: phrasing.is_right(phrasing.understood(in_request=True)) for phrasing in found}
    taken = time.process_time() - begun
    figures: dict[str, Any] = {
        "phrasings": len(found),
        "with several acts": sum(len(each.acts) > 1 for each in found),
        "words, least and most": [min(each.num_words for each in found), max(each.num_words for each in found)],
        "right": significant(sum(right.values()) / len(right)),
        "right, alone": _share(alone),
        "right, single": _share([ok for each, ok in right.items() if not each.is_joined]),
        "right, joined": _share([ok for each, ok in right.items() if each.is_joined]),
        "milliseconds each": significant(1e3 * taken / len(found)),
    }
    for desk in DESKS:
        figures[f"right, {desk}"] = _share([ok for each, ok in right.items() if each.desk == desk])
    report.figures[f"phrasings {part}"] = figures
    return sum(right.values()) / len(right)


def _share(values: Sequence[bool]) -> float | None:
    """The share of what is true; None of nothing, such as fresh phrasings that are joined."""
    return significant(sum(values) / len(values)) if values else None


def _price(report: Report, step: int) -> dict[str, float]:
    """Success by acts and in words on the same tasks, of all desks together; each desk's goes into the report."""
    totals = dict.fromkeys(("oracle acts", "oracle words", "demo acts", "demo words"), 0.0)
    num_tasks = worthless = 0
    for desk in DESKS:
        progress(desk)
        tasks = load_suite(f"tools/desk-{desk}").tasks("test")[::step]
        seat = Seat(desk)
        row: dict[str, Any] = {"tasks": len(tasks)}
        for name in ("oracle", "demo"):
            for way, played in (("acts", list(tasks)), ("words", [in_words(task) for task in tasks])):
                wins, seconds = _wins(seat, played, name)
                totals[f"{name} {way}"] += wins
                row[f"{name}, {way}"] = significant(wins / len(tasks))
                row[f"{name}, {way}, milliseconds an episode"] = significant(1e3 * seconds / len(tasks))
        few = [in_words(task) for task in tasks[:: max(1, CHEAT_STEP // step)]]
        lost = sum(_wins(seat, few, name)[0] for name in WORTHLESS)
        row["wins of null, random and cheats, words"] = lost
        worthless += lost
        num_tasks += len(tasks)
        report.figures[desk] = row
    report.figures["price of the grammar"] = {
        name: significant((totals[f"{name} acts"] - totals[f"{name} words"]) / num_tasks) for name in ("oracle", "demo")
    }
    return {**{name: total / num_tasks for name, total in totals.items()}, "worthless": float(worthless)}


def _wins(seat: Seat, tasks: Sequence[Task], name: str) -> tuple[int, float]:
    """How many tasks a script wins, and the CPU seconds that it takes, the customer's included."""
    if tasks:
        seat.play(tasks[0], name)  # makes what is made once
    begun = time.process_time()
    wins = sum(seat.play(task, name)[0] for task in tasks)
    return wins, time.process_time() - begun


if __name__ == "__main__":
    sys.exit(main("desk_talk", measure, PACKAGES))
