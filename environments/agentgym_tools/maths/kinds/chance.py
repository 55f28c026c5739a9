"""Probability with exact answers: draws without replacement, chains of states, and the best of several dice."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random

from agentgym_tools.maths.kinds.counting import count_choices
from agentgym_tools.maths.problem import Draft, Kind, listed
from agentgym_tools.python.kinds.arithmetic import PEOPLE

_COLOURS = ("red", "blue", "green", "white", "black", "yellow")
_STATES = (("sunny", "cloudy", "rainy"), ("calm", "breezy", "stormy"), ("busy", "normal", "quiet"))


def draw_urns(rng: Random, level: int) -> Draft:
    """The probability of an exact number of one of two colours; of at least a number; of all of three colours."""
    colours = rng.sample(_COLOURS, 3 if level == 3 else 2)
    size = rng.randint(3, 5 if level == 1 else 6)
    counts = [rng.randint(size if level < 3 else 3, 12) for _ in colours]
    if level == 3:
        least, most, event = [1] * 3, [size] * 3, "every colour occurs at least once"
    else:
        number = rng.randint(1, size - 1)
        least, most = [number, 0], [number if level == 1 else size, size]
        event = f"{'exactly' if level == 1 else 'at least'} {number} are {colours[0]}"
    balls = listed([f"{count} {colour}" for count, colour in zip(counts, colours, strict=True)])
    words = {"balls": balls, "size": size, "event": event, "person": rng.choice(PEOPLE)}
    texts = (
        "A bag holds {balls} balls. {size} balls are drawn at random without putting any back. What is the probability "
        "that among those drawn {event}?",
        "{person} draws {size} balls at once from a box of {balls} balls, each set of balls being equally likely. How "
        "probable is it that among those drawn {event}?",
        "From an urn with {balls} balls, {size} are taken one after another and not returned. Find the probability that "
        "among those taken {event}.",
    )
    return Draft(texts, words, {"counts": counts, "size": size, "least": least, "most": most})


def chance_by_counting(counts: list[int], size: int, least: list[int], most: list[int]) -> Fraction:
    """Good sets over all sets."""
    return Fraction(count_choices(counts, size, least, most), math.comb(sum(counts), size))


def chance_by_drawing(counts: list[int], size: int, least: list[int], most: list[int]) -> Fraction:
    """Draw ball after ball and keep the chance of every number of each colour."""
    chances = {(0,) * len(counts): Fraction(1)}
    for number in range(size):
        after: dict[tuple[int, ...], Fraction] = {}
        for drawn, chance in chances.items():
            for colour, count in enumerate(counts):
                more = tuple(n + (i == colour) for i, n in enumerate(drawn))
                step = Fraction(count - drawn[colour], sum(counts) - number)
                after[more] = after.get(more, Fraction(0)) + chance * step
        chances = after
    good = [drawn for drawn in chances if all(a <= n <= b for a, n, b in zip(least, drawn, most, strict=True))]
    return sum((chances[drawn] for drawn in good), Fraction(0))


def draw_markov(rng: Random, level: int) -> Draft:
    """The chance of a state after a few steps among two; among three; in the long run."""
    names = list(rng.choice(_STATES)[: 2 if level == 1 else 3])
    rows = []
    for _ in names:
        cuts = sorted(rng.sample(range(1, 20), len(names) - 1))
        rows.append([b - a for a, b in zip([0, *cuts], [*cuts, 20], strict=True)])
    days = None if level == 3 else rng.randint(2, 4)
    start, goal = rng.randrange(len(names)), rng.randrange(len(names))
    rules = [
        f"after a {name} day the next is "
        + listed([f"{other} with probability {Fraction(n, 20)}" for n, other in zip(row, names, strict=True)])
        for name, row in zip(names, rows, strict=True)
    ]
    words = {"rules": "; ".join(rules), "start": names[start], "goal": names[goal], "days": days}
    if days is None:
        texts = (
            "Each day depends only on the day before: {rules}. In the long run, what share of the days is {goal}?",
            "The days follow these rules, whatever was before: {rules}. What is the probability that a day in the very "
            "far future is {goal}, in the limit?",
            "Consider days of which each depends on the day before alone: {rules}. Find the stationary probability of "
            "{goal}.",
        )
    else:
        texts = (
            "Each day depends only on the day before: {rules}. Today is {start}. What is the probability that the day "
            "{days} days from now is {goal}?",
            "The days follow these rules, whatever was before: {rules}. If today is {start}, how probable is it that it "
            "is {goal} after {days} more days?",
            "Consider days of which each depends on the day before alone: {rules}. Day 0 is {start}. Find the "
            "probability that day {days} is {goal}.",
        )
    return Draft(texts, words, {"rows": rows, "start": start, "goal": goal, "days": days})


def state_by_matrix(rows: list[list[int]], start: int, goal: int, days: int | None) -> Fraction:
    """Powers of the matrix; in the long run the share of spanning trees that lead to the state."""
    count = len(rows)
    if days is None:
        weights = [_tree_weight(rows, root) for root in range(count)]
        return Fraction(weights[goal], sum(weights))
    now = [int(state == start) for state in range(count)]
    for _ in range(days):
        now = [sum(now[a] * rows[a][b] for a in range(count)) for b in range(count)]
    return Fraction(now[goal], 20**days)


def _tree_weight(rows: list[list[int]], root: int) -> int:
    """Sum of the weights of all trees directed to a root (Markov chain tree theorem)."""
    others = [state for state in range(len(rows)) if state != root]
    total = 0
    for targets in itertools.product(range(len(rows)), repeat=len(others)):
        parent = dict(zip(others, targets, strict=True))
        is_tree = all(_leads_to(parent, state, root) for state in others)
        total += math.prod(rows[state][parent[state]] for state in others) if is_tree else 0
    return total


def _leads_to(parent: dict[int, int], state: int, root: int) -> bool:
    for _ in parent:
        state = parent.get(state, root)
    return state == root


def state_by_paths(rows: list[list[int]], start: int, goal: int, days: int | None) -> Fraction:
    """Add up all paths; in the long run solve the equations of balance."""
    count = len(rows)
    if days is not None:
        total = Fraction(0)
        for between in itertools.product(range(count), repeat=days - 1):
            path = [start, *between, goal]
            total += math.prod(Fraction(rows[a][b], 20) for a, b in itertools.pairwise(path))
        return total
    lines = [[Fraction(rows[a][b] - 20 * (a == b)) for a in range(count)] + [Fraction(0)] for b in range(count - 1)]
    lines.append([Fraction(1)] * (count + 1))
    for i in range(count):
        pivot = next(k for k in range(i, count) if lines[k][i])
        lines[i], lines[pivot] = lines[pivot], lines[i]
        lines[i] = [x / lines[i][i] for x in lines[i]]
        for k in range(count):
            if k != i:
                lines[k] = [x - lines[k][i] * y for x, y in zip(lines[k], lines[i], strict=True)]
    return lines[goal][count]


def draw_dice(rng: Random, level: int) -> Draft:
    """The expected larger of two dice; the largest of three; the sum of the two largest of four."""
    sides = sorted(rng.randint(4, (20, 14, 9)[level - 1]) for _ in range(level + 1))
    kept = 2 if level == 3 else 1
    dice = f"{listed(sides)} sides"
    what = ("the larger of the two numbers", "the largest of the three numbers", "the sum of the two largest numbers")
    words = {"dice": dice, "what": what[level - 1], "person": rng.choice(PEOPLE)}
    texts = (
        "Fair dice with {dice}, each numbered from 1, are thrown once. What is the expected value of {what}?",
        "{person} throws fair dice with {dice} at once, the faces of each being numbered from 1 up. The score is {what}. "
        "What is the expected score?",
        "Dice with {dice} each show their numbers, from 1 to the number of sides, equally often. What is the mean of {what} "
        "when all of them are thrown together?",
    )
    return Draft(texts, words, {"sides": sides, "kept": kept})


def best_by_tails(sides: list[int], kept: int) -> Fraction:
    """The sum over bounds of the chances that at least so many dice reach them."""
    total = Fraction(0)
    for bound in range(1, max(sides) + 1):
        reached = [Fraction(1)]
        for side in sides:
            chance = Fraction(max(side - bound + 1, 0), side)
            pairs = zip([*reached, Fraction(0)], [Fraction(0), *reached], strict=True)
            reached = [(1 - chance) * same + chance * one_more for same, one_more in pairs]
        total += sum((sum(reached[number:], Fraction(0)) for number in range(1, kept + 1)), Fraction(0))
    return total


def best_by_listing(sides: list[int], kept: int) -> Fraction:
    """Look at every throw."""
    total = 0
    for throw in itertools.product(*(range(1, side + 1) for side in sides)):
        total += sum(sorted(throw)[-kept:])
    return Fraction(total, math.prod(sides))


KINDS = (
    Kind("urns", "fraction", draw_urns, chance_by_counting, chance_by_drawing),
    Kind("markov", "fraction", draw_markov, state_by_matrix, state_by_paths),
    Kind("dice", "fraction", draw_dice, best_by_tails, best_by_listing),
)
