"""What the agent is told: options, measurements, refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from agentgym.authoring.long_outputs import without_middle
from agentgym_swe.tuning.bench import Measured, complaints
from agentgym_swe.tuning.problem import Problem, unit
from agentgym_swe.tuning.scoring import cost
from agentgym_swe.tuning.servers.catalogue import OPTIONS, start_config
from agentgym_swe.tuning.servers.option import Config, Option

GRADED = "The configuration is graded."
NOTHING_SET = "Nothing was changed."
NOT_MEASURED = "Nothing was measured yet."
HOW_TO = "options() lists the options, configure() sets them, measure() runs the load, submit() ends."


def how_to(problem: Problem) -> str:
    """How to go about it, and what the operator had set before."""
    options = OPTIONS[problem.load.server]
    differing = [
        f"{name} {value}" for name, value in start_config(problem.load).items() if value != options[name].default
    ]
    return f"Set so far, beyond the server's defaults: {', '.join(differing)}. {HOW_TO}"


def menu(problem: Problem) -> str:
    """The choices of menu mode, with what is set."""
    lines = [
        f"{name}: {' '.join(map(str, levels))}; now {problem.start[name]}"
        for name, levels in problem.load.levels.items()
    ]
    return "\n".join(lines)


def options_table(options: Mapping[str, Option], config: Config) -> str:
    """All options, one a line."""
    return "\n".join(
        f"{name} = {config[name]} ({option.range_text()}; default {option.default}). {option.meaning}"
        for name, option in options.items()
    )


def unknown_option(name: str, options: Mapping[str, Option]) -> str:
    """That there is no such option, and which are like it."""
    close = get_close_matches(name, options, 3)
    hint = f"like it are {', '.join(close)}" if close else "options() lists them"
    return f"There is no option {name[:60]!r}; {hint}."


def refused(reasons: Sequence[str]) -> str:
    """That nothing was changed, and why."""
    return " ".join([NOTHING_SET, *(reasons or ["Name at least one option."])])


def was_set(values: Config) -> str:
    """That options were set."""
    return f"Set: {', '.join(f'{name} {value}' for name, value in values.items())}."


def full(problem: Problem, found: Measured) -> str:
    """A measurement, with what it was at the start and the figures of the clock."""
    if found.failed:
        return f"The server failed. The end of what it said:\n{without_middle(found.failed, 1000)}"
    lines = [
        f"{name}: {found.counts[name]:.4g} {unit(name)}, {found.start[name]:.4g} at the start "
        f"({found.shares[name]:.0%})"
        for name in problem.load.counts
    ]
    lines.append(f"cost: {cost(found.shares, problem.weights):.3f}")
    rate = problem.load.operations / max(found.wall_s, 1e-6)
    lines.append(f"by the clock, which does not count: {found.wall_s:.2f} s, {rate:.0f} operations a second")
    return "\n".join([*lines, *(f"But {text}." for text in complaints(found))])


def short(problem: Problem, found: Measured) -> str:
    """A measurement in per cent of the start, for small models."""
    if found.failed:
        return "failed"
    parts = [f"{name} {100 * found.shares[name]:.0f}" for name in problem.load.counts]
    parts.append(f"cost {100 * cost(found.shares, problem.weights):.0f}")
    return " ".join([*parts, *(["errors"] if found.errors else []), *(["lost"] if found.lost else [])])


def history(problem: Problem, measured: Sequence[tuple[Mapping[str, Any], Measured]]) -> str:
    """All measurements so far, one a line."""
    lines = []
    for number, (changed, found) in enumerate(measured, start=1):
        what = ", ".join(f"{name} {value}" for name, value in changed.items()) or "the start"
        lines.append(f"{number}. {what}: {short(problem, found)}")
    return "\n".join(lines) or NOT_MEASURED
