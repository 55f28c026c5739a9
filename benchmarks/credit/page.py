"""The measured parts of docs/algorithms/comparison.md, written from the report's JSON between two marks.

What stands outside of the marks is written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
_SCORES = ("method", "seeds", "mean over turns", "at the end", "test")
_COLUMNS = (*_SCORES, "turns to 50 %", "80 %", "95 %", "CPU s / 1,000 turns", "peak MiB", "tuned to")
Figures = Mapping[str, Any]


def write_page(found: Figures, path: Path) -> None:
    """Put the tables of a report's JSON between the marks of a page.

    Raises:
        ConfigError: The page lacks the marks.
    """
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigError(f"{path} has no lines {BEGIN} and {END}; put both where the tables are to stand")
    path.write_text(f"{before}{BEGIN}\n{tables(found)}\n{END}{after}", encoding="utf-8")


def tables(found: Figures) -> str:
    """The tables as Markdown: goals, then a section a task."""
    lines = ["## Goals", "", "| goal | measured | wanted | met | why |", "| --- | --- | --- | --- | --- |"]
    for goal in found["goals"]:
        wanted = f"{goal['sense']} {goal['goal']:g}"
        reason = found["setting"]["reasons"].get(goal["name"], "")
        lines.append(f"| {goal['name']} | {goal['value']:g} | {wanted} | {'yes' if goal['met'] else 'no'} | {reason} |")
    for own in found["figures"].values():
        lines += ["", *_task(own)]
    return "\n".join(lines)


def _task(own: Figures) -> Iterator[str]:
    start = own["start"]
    yield f"## {own['title']}"
    yield ""
    yield (
        f"The budget is {own['turns']:,} turns, and the oracle scores {own['oracle']:g}. The shared start scores "
        f"{start['score']:.3f}. It was cloned from {start['demonstrations']:,.0f} demonstrations "
        f"({start['demonstration_turns']:,.0f} turns) in {start['cpu_s']:.0f} CPU seconds, "
        "which the table does not include."
    )
    yield ""
    yield f"| {' | '.join(_COLUMNS)} |"
    yield f"|{' --- |' * len(_COLUMNS)}"
    ordered = sorted(own["methods"].values(), key=lambda method: -method["mean_over_turns"]["mean"])
    for method in ordered:
        scores = [_estimate(method[key]) for key in ("mean_over_turns", "last", "test")]
        reached = [_reached(entry) for entry in method["turns_to"].values()]
        cost = method["cost"]
        seeds = f"{len(method['seeds'])}" + (f" ({method['stopped']} stopped)" if method["stopped"] else "")
        cells = [method["title"], seeds, *scores, *reached]
        cells += [f"{cost['training_cpu_s_per_1000_turns']:.2g}", f"{cost['peak_mib']:.0f}", _chosen(method["chosen"])]
        yield f"| {' | '.join(cells)} |"
    yield from _comparisons(own)


def _comparisons(own: Figures) -> Iterator[str]:
    titles = {name: method["title"] for name, method in own["methods"].items()}
    if not any(own["paired"].values()):
        return
    yield ""
    yield (
        "Differences are in the mean score over turns, paired by seed. An interval that contains 0 shows no difference."
    )
    yield ""
    yield "| method | compared with | difference |"
    yield "| --- | --- | --- |"
    for ours, others in own["paired"].items():
        for theirs, rows in others.items():
            yield f"| {titles[ours]} | {titles[theirs]} | {_estimate(rows['mean_over_turns'], sign='+')} |"


def _estimate(estimate: Figures, sign: str = "") -> str:
    if estimate["mean"] is None:
        return "–"
    if estimate["low"] is None:
        return f"{estimate['mean']:{sign}.3f}"
    return f"{estimate['mean']:{sign}.3f} [{estimate['low']:{sign}.3f}, {estimate['high']:{sign}.3f}]"


def _chosen(settings: Figures) -> str:
    return ", ".join(f"{key.rpartition('.')[2]} {_value(value)}" for key, value in settings.items())


def _value(value: Any) -> str:
    """A number, a name, or the options of a method, each without its method."""
    if isinstance(value, list):
        return " ".join(each.partition(".")[2] for each in value)
    return value if isinstance(value, str) else f"{value:g}"


def _reached(entry: Figures) -> str:
    if entry["median"] is None:
        return f"– ({entry['reached']} of {entry['seeds']})" if entry["reached"] else "–"
    return f"{entry['median']:,}" + (
        "" if entry["reached"] == entry["seeds"] else f" ({entry['reached']} of {entry['seeds']})"
    )
