"""The report of a benchmark, and the command line that all of them share.

How figures are taken is in `benchmarks.measure`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.measure import machine, significant, versions


@dataclass(frozen=True)
class Goal:
    """A figure and what it should be.

    Attributes:
        name: What is measured, with its unit.
        value: What came out.
        goal: The bound.
        sense: Whether the value should be at least or at most the bound.
        note: What to know about the value; "" for nothing.
    """

    name: str
    value: float
    goal: float
    sense: Literal["at least", "at most"]
    note: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the value keeps the bound."""
        return self.value >= self.goal if self.sense == "at least" else self.value <= self.goal

    def to_json(self) -> dict[str, object]:
        """A JSON object."""
        value = significant(self.value)
        found = {"name": self.name, "value": value, "goal": self.goal, "sense": self.sense, "met": self.is_met}
        return found | ({"note": self.note} if self.note else {})


@dataclass
class Report:
    """What a benchmark found.

    Attributes:
        goals: Figures with bounds.
        figures: All raw figures, as JSON values.
        setting: What both sides were asked to do, as JSON values.
    """

    goals: list[Goal] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    setting: dict[str, Any] = field(default_factory=dict)


def main(
    name: str,
    measure: Callable[[bool], Report],
    packages: Sequence[str],
    argv: Sequence[str] | None = None,
) -> int:
    """The command line of a benchmark.

    Args:
        name: Of the benchmark.
        measure: Takes the figures; its argument asks for the quick version, which ends within a minute.
        packages: Distributions whose versions belong to the figures.
        argv: Arguments; None takes those of the process.

    Returns:
        The exit code: 0 where all goals are met, else 1.
    """
    arguments = _parser(name).parse_args(argv)
    described, began = machine(), time.monotonic()
    report = measure(arguments.quick)
    found = {
        "benchmark": name,
        "quick": arguments.quick,
        "goals": [goal.to_json() for goal in report.goals],
        "setting": report.setting,
        "figures": report.figures,
        "machine": described,
        "versions": versions(packages),
        "seconds": round(time.monotonic() - began, 1),
    }
    text = json.dumps(found, indent=2)
    if arguments.out is not None:
        arguments.out.write_text(text + "\n", encoding="utf-8")
    print(text if arguments.json else as_text(found))
    return 0 if all(goal.is_met for goal in report.goals) else 1


def own_options(
    name: str, own: argparse.ArgumentParser, argv: Sequence[str] | None = None
) -> tuple[argparse.Namespace, list[str]]:
    """Options that one benchmark has beside those of all; `--help` shows both, and an unknown one ends the process.

    Args:
        name: Of the benchmark.
        own: Its options, without help of its own.
        argv: Arguments; None takes those of the process.

    Returns:
        Its options, and the arguments that are left for `main`.
    """
    _parser(name, own).parse_args(argv)
    return own.parse_known_args(argv)


def _parser(name: str, *own: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", parents=own, conflict_handler="resolve")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: ends within a minute")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--out", type=Path, help="also write the JSON to this file")
    return parser


def as_text(found: Mapping[str, Any]) -> str:
    """The goals, then the figures, a line each."""
    lines = [f"{found['benchmark']}: {found['seconds']} s on {found['machine']['cpu']}", ""]
    for goal in found["goals"]:
        mark = "met   " if goal["met"] else "MISSED"
        lines.append(f"  {mark} {goal['name']}: {goal['value']:g} ({goal['sense']} {goal['goal']:g})")
        if "note" in goal:
            lines.append(f"         {goal['note']}")
    lines.append("")
    lines += [f"  {path}: {value}" for path, value in _leaves(found["figures"], "")]
    return "\n".join(lines)


def progress(text: str) -> None:
    """A line about what is being measured, on stderr."""
    print(text, file=sys.stderr, flush=True)


def _leaves(value: Any, path: str) -> list[tuple[str, str]]:
    if not isinstance(value, Mapping):
        return [(path, f"{value:g}" if isinstance(value, float) else str(value))]
    if {"median", "low", "high"} <= set(value):
        return [(path, f"{value['median']:g} [{value['low']:g} to {value['high']:g}]")]
    return [leaf for name, inner in value.items() for leaf in _leaves(inner, f"{path} {name}".strip())]
