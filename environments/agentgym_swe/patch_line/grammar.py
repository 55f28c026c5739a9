"""Draws programs of 5 to 20 lines together with a statement of what they are meant to compute.

A program is one to three loops over a list, each with a filter and something done to its own sum, and an ending. What
is put wrong in it is the work of `mistakes`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from agentgym_swe.patch_line.language import COMPARISONS, INDENT, MAX_LINES, SIGNS

SUMS = ("p", "q", "r")
_WORDS_OF_COMPARISON = {sign: words for words, sign in SIGNS.items() if sign in COMPARISONS}
AGGREGATES = ("sum", "minus", "count", "largest", "smallest", "last")
SHAPES = ("item", "plus", "less", "times", "square", "plus_n", "less_n", "times_n", "rest", "part")
FILTERS = ("none", "over_constant", "over_n", "rest", "both", "either")
SMALLEST_START = 20


@dataclass(frozen=True)
class Stage:
    """One loop.

    Attributes:
        aggregate: What is done with each value, of `AGGREGATES`.
        shape: How a value is made of an item, of `SHAPES`.
        filter: Which items count, of `FILTERS`.
        lines: The loop and the line before it, without the indentation of the function.
        text: What it is meant to do.
    """

    aggregate: str
    shape: str
    filter: str
    lines: tuple[str, ...]
    text: str

    @property
    def combination(self) -> tuple[str, str, str]:
        """What is held out: aggregate, shape and filter together."""
        return self.aggregate, self.shape, self.filter


@dataclass(frozen=True)
class Draft:
    """A program that is right.

    Attributes:
        lines: Its lines.
        text: What it is meant to compute.
        stages: Its loops.
    """

    lines: tuple[str, ...]
    text: str
    stages: tuple[Stage, ...]


def draw_draft(rng: Random, num_stages: int, accept: Callable[[Stage], bool]) -> Draft:
    """A program of that many loops, 5 to 20 lines long, each loop an accepted one."""
    while True:
        stages = tuple(_draw_accepted(rng, name, accept) for name in SUMS[:num_stages])
        ending, ending_text = _draw_ending(rng, num_stages)
        body = [line for stage in stages for line in stage.lines] + ending
        lines = ("def f(a, n):", *(INDENT + line for line in body))
        if len(lines) <= MAX_LINES:
            return Draft(lines, " ".join([*(stage.text for stage in stages), ending_text]), stages)


def _draw_accepted(rng: Random, name: str, accept: Callable[[Stage], bool]) -> Stage:
    while True:
        stage = _draw_stage(rng, name)
        if accept(stage):
            return stage


def _draw_stage(rng: Random, name: str) -> Stage:
    aggregate = rng.choice(AGGREGATES)
    shape = rng.choice(SHAPES)
    chosen = "none" if aggregate in ("largest", "smallest") and rng.random() < 0.5 else rng.choice(FILTERS)
    value, value_text = _draw_value(rng, shape)
    test, test_text = _draw_filter(rng, chosen)
    lines = [f"{name} = {_start(rng, aggregate)}", "for x in a:"]
    start_text = f"{name} starts at {lines[0].rpartition(' ')[2]}."
    depth, let_text = 1, ""
    if aggregate in ("largest", "smallest") or (shape != "item" and rng.random() < 0.25):
        lines.append(f"{INDENT}y = {value}")
        let_text, value, value_text = f"let y be {value_text}; ", "y", "y"
    if test:
        lines.append(f"{INDENT}if {test}:")
        depth = 2
    if aggregate in ("largest", "smallest"):
        sign = ">" if aggregate == "largest" else "<"
        lines += [f"{INDENT * depth}if y {sign} {name}:", f"{INDENT * (depth + 1)}{name} = y"]
        done = f"{name} becomes y if y is {_WORDS_OF_COMPARISON[sign]} {name}"
    else:
        update, done = _update(aggregate, name, value, value_text)
        lines.append(INDENT * depth + update)
        if test and aggregate != "last" and rng.random() < 0.25:
            step = rng.randint(1, 9)
            sign, words = rng.choice((("+", "gains"), ("-", "loses")))
            lines += [f"{INDENT}else:", f"{INDENT * 2}{name} = {name} {sign} {step}"]
            done += f", else {name} {words} {step}"
    condition = f"if {test_text}, " if test_text else ""
    return Stage(aggregate, shape, chosen, tuple(lines), f"{start_text} For each x: {let_text}{condition}{done}.")


def _start(rng: Random, aggregate: str) -> int:
    if aggregate == "smallest":
        return SMALLEST_START
    return 0 if aggregate == "largest" else rng.choice((0, 0, rng.randint(1, 12)))


def _update(aggregate: str, name: str, value: str, value_text: str) -> tuple[str, str]:
    if aggregate == "sum":
        return f"{name} = {name} + {value}", f"{name} gains {value_text}"
    if aggregate == "minus":
        return f"{name} = {name} - {value}", f"{name} loses {value_text}"
    if aggregate == "count":
        return f"{name} = {name} + 1", f"{name} gains 1"
    return f"{name} = {value}", f"{name} becomes {value_text}"


def _draw_value(rng: Random, shape: str) -> tuple[str, str]:
    constant = rng.randint(2, 9)
    return {
        "item": ("x", "x"),
        "plus": (f"x + {constant}", f"x plus {constant}"),
        "less": (f"x - {constant}", f"x minus {constant}"),
        "times": (f"x * {constant}", f"x times {constant}"),
        "square": ("x * x", "x times x"),
        "plus_n": ("x + n", "x plus n"),
        "less_n": ("x - n", "x minus n"),
        "times_n": ("x * n", "x times n"),
        "rest": (f"x % {constant}", f"x modulo {constant}"),
        "part": (f"x // {constant}", f"x over {constant}"),
    }[shape]


def _draw_filter(rng: Random, kind: str) -> tuple[str, str]:
    one, two = rng.choice((">", "<", ">=", "<=")), rng.choice(("==", "!="))
    constant, other, divisor = rng.randint(2, 12), rng.randint(2, 12), rng.randint(2, 4)
    words = _WORDS_OF_COMPARISON
    if kind == "over_constant":
        sign = rng.choice((one, one, two))
        return f"x {sign} {constant}", f"x is {words[sign]} {constant}"
    if kind == "over_n":
        return f"x {one} n", f"x is {words[one]} n"
    if kind == "rest":
        left = rng.randrange(divisor)
        return f"x % {divisor} {two} {left}", f"x modulo {divisor} is {words[two]} {left}"
    if kind in ("both", "either"):
        word = "and" if kind == "both" else "or"
        second = rng.choice((f"x {two} {other}", f"x {one} n", f"n {one} {other}"))
        name, sign, right = second.split(" ")
        return (
            f"x {one} {constant} {word} {second}",
            f"x is {words[one]} {constant} {word} {name} is {words[sign]} {right}",
        )
    return "", ""


def _draw_ending(rng: Random, num_stages: int) -> tuple[list[str], str]:
    names = SUMS[:num_stages]
    constant = rng.randint(2, 9)
    joined, joined_text = names[0], names[0]
    for name in names[1:]:
        sign, word = rng.choice((("+", "plus"), ("-", "minus")))
        joined, joined_text = f"{joined} {sign} {name}", f"{joined_text} {word} {name}"
    kind = rng.choice(("plain", "plain", "plus", "less", "plus_n", "cap", "floor"))
    if kind == "plus":
        return [f"return {joined} + {constant}"], f"Return {joined_text} plus {constant}."
    if kind == "less":
        return [f"return {joined} - {constant}"], f"Return {joined_text} minus {constant}."
    if kind == "plus_n":
        return [f"return {joined} + n"], f"Return {joined_text} plus n."
    if kind in ("cap", "floor"):
        sign, limit = (">", constant + 10) if kind == "cap" else ("<", constant)
        lines = [f"if p {sign} {limit}:", f"{INDENT}return {limit}", f"return {joined}"]
        return lines, f"If p is {_WORDS_OF_COMPARISON[sign]} {limit}, return {limit}. Return {joined_text}."
    return [f"return {joined}"], f"Return {joined_text}."
