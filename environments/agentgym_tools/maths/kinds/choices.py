"""Choosing well: the best load of a cart, and games of taking stones."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random

from agentgym_tools.maths.problem import Draft, Kind, listed
from agentgym_tools.python.kinds.arithmetic import PEOPLE


def draw_loads(rng: Random, level: int) -> Draft:
    """The best choice of five things by weight; of eight; of eleven by weight and volume."""
    count = (5, 8, 11)[level - 1]
    things = [(rng.randint(3, 30), rng.randint(2, 20) if level == 3 else 0, rng.randint(10, 99)) for _ in range(count)]
    most = (sum(thing[0] for thing in things) // 2, sum(thing[1] for thing in things) // 2)
    sizes = [f" and {volume} l" if level == 3 else "" for _, volume, _ in things]
    names = [f"{w} kg{size} for {g} coins" for (w, _, g), size in zip(things, sizes, strict=True)]
    words = {
        "things": "; ".join(names),
        "most": f"{most[0]} kg" + (f" and {most[1]} l" if level == 3 else ""),
        "person": rng.choice(PEOPLE),
    }
    texts = (
        "A cart carries at most {most}. The crates on offer, each to be taken whole or left, and what they "
        "earn: {things}. What is the largest total of coins that one load can earn?",
        "{person} may load at most {most}. Each of these crates can be taken once or not at all and earns what is "
        "stated: {things}. How many coins can {person} earn at most?",
        "Choose some of these crates so that together they stay within {most}: {things}. Each exists once and cannot be "
        "divided. What is the highest number of coins that a choice earns?",
    )
    return Draft(texts, words, {"things": things, "most": most})


def load_by_table(things: list[tuple[int, int, int]], most: tuple[int, int]) -> int:
    """The best gain of every weight and volume, thing after thing."""
    best = {(0, 0): 0}
    for weight, volume, gain in things:
        for (used, filled), earned in list(best.items()):
            after = (used + weight, filled + volume)
            if after[0] <= most[0] and after[1] <= most[1]:
                best[after] = max(best.get(after, 0), earned + gain)
    return max(best.values())


def load_by_subsets(things: list[tuple[int, int, int]], most: tuple[int, int]) -> int:
    """Try every choice."""
    best = 0
    for chosen in itertools.product((0, 1), repeat=len(things)):
        weight = sum(c * thing[0] for c, thing in zip(chosen, things, strict=True))
        volume = sum(c * thing[1] for c, thing in zip(chosen, things, strict=True))
        if weight <= most[0] and volume <= most[1]:
            best = max(best, sum(c * thing[2] for c, thing in zip(chosen, things, strict=True)))
    return best


def draw_piles(rng: Random, level: int) -> Draft:
    """How many starts are lost in a game of taking stones from one pile, two or three."""
    moves = sorted(rng.sample(range(1, (8, 9, 7)[level - 1]), 3))
    low, high = ((120, 900), (20, 60), (7, 15))[level - 1]
    sizes = [rng.randint(low, high) for _ in range(level)]
    ranges = [f"of 1 to {size} stones" for size in sizes]
    start, unit = (
        (f"one pile of n stones, n being from 1 to {sizes[0]}", "values of n"),
        (f"two piles, the first {ranges[0]}, the second {ranges[-1]}", "pairs of sizes"),
        (
            f"three piles, the first {ranges[0]}, the second {ranges[-2:][0]}, the third {ranges[-1]}",
            "triples of sizes",
        ),
    )[level - 1]
    words = {"moves": listed(moves, "or"), "start": start, "unit": unit}
    texts = (
        "Two players take turns. A move takes {moves} stones from one pile, and whoever cannot move loses. The game "
        "starts with {start}. For how many {unit} does the player who begins lose, if both play as well as possible?",
        "In a game for two, each in turn removes exactly {moves} stones from a single pile; a player without a move "
        "loses. The first position is {start}. How many {unit} are lost for the player who begins, against perfect play?",
        "Two perfect players alternately take {moves} stones, always from one pile, and the last one able to move wins. "
        "They begin with {start}. For how many {unit} does the second player win?",
    )
    return Draft(texts, words, {"moves": moves, "sizes": sizes})


def lost_by_grundy(moves: list[int], sizes: list[int]) -> int:
    """Piles by their Sprague-Grundy values; a start is lost if their exclusive or is 0."""
    values = [0]
    for number in range(1, max(sizes) + 1):
        after = {values[number - move] for move in moves if move <= number}
        values.append(next(value for value in range(len(moves) + 1) if value not in after))
    sums = Counter({0: 1})
    for size in sizes:
        of_pile, before, sums = Counter(values[1 : size + 1]), sums, Counter()
        for (a, n), (b, m) in itertools.product(before.items(), of_pile.items()):
            sums[a ^ b] += n * m
    return sums[0]


def lost_by_playing(moves: list[int], sizes: list[int]) -> int:
    """Decide every position from those that a move leads to."""
    is_lost: dict[tuple[int, ...], bool] = {}
    for piles in itertools.product(*(range(size + 1) for size in sizes)):
        after = [
            (*piles[:i], piles[i] - move, *piles[i + 1 :])
            for i in range(len(piles))
            for move in moves
            if move <= piles[i]
        ]
        is_lost[piles] = not any(is_lost[position] for position in after)
    return sum(lost for piles, lost in is_lost.items() if min(piles) > 0)


KINDS = (
    Kind("loads", "integer", draw_loads, load_by_table, load_by_subsets),
    Kind("piles", "integer", draw_piles, lost_by_grundy, lost_by_playing),
)
