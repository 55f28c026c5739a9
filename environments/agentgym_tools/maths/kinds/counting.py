"""Combinatorics: committees, walks in a graph, ways to pay with coins."""

from __future__ import annotations

import itertools
import math
from itertools import product
from random import Random

from agentgym_tools.maths.problem import Draft, Kind, listed
from agentgym_tools.python.kinds.arithmetic import PEOPLE

_GROUPS = ("nurses", "pilots", "cooks", "teachers", "farmers", "painters", "singers")
_TOWNS = "ABCDEFGH"


def count_choices(groups: list[int], size: int, least: list[int], most: list[int]) -> int:
    """How many ways there are to choose from groups with bounds on each, as a sum of products of binomials."""
    ranges = [range(low, min(high, group) + 1) for group, low, high in zip(groups, least, most, strict=True)]
    chosen = (counts for counts in product(*ranges) if sum(counts) == size)
    return sum(math.prod(map(math.comb, groups, counts)) for counts in chosen)


def draw_committees(rng: Random, level: int) -> Draft:
    """An exact number from one of two groups; at least a number; bounds on two of three groups."""
    names = rng.sample(_GROUPS, 3 if level == 3 else 2)
    size = rng.randint(3, 5)
    if level == 3:
        groups = [rng.randint(3, 6) for _ in names]
        least, most = [rng.randint(1, 2), 0, 0], [size, rng.randint(1, 2), size]
        rule = f"at least {least[0]} of the {names[0]} and at most {most[1]} of the {names[1]} serve"
    else:
        groups = [rng.randint(3, 10) for _ in names]
        number = rng.randint(1, size - 1)
        least, most = [number, 0], [number if level == 1 else size, size]
        rule = f"{'exactly' if level == 1 else 'at least'} {number} of the {names[0]} serve"
    people = listed([f"{count} {name}" for count, name in zip(groups, names, strict=True)])
    words = {"people": people, "size": size, "rule": rule, "person": rng.choice(PEOPLE)}
    texts = (
        "A committee of {size} is chosen among {people}. In how many ways can this be done so that {rule} on it? All "
        "people are different, and the order does not matter.",
        "There are {people}, all of them different people. How many committees of {size} are there such that {rule}?",
        "{person} picks a committee of {size} from {people}. All are different people, and only who is on it counts. How "
        "many choices are there if {rule} on it?",
    )
    return Draft(texts, words, {"groups": groups, "size": size, "least": least, "most": most})


def choices_by_listing(groups: list[int], size: int, least: list[int], most: list[int]) -> int:
    """List every committee."""
    people = [group for group, count in enumerate(groups) for _ in range(count)]
    total = 0
    for chosen in itertools.combinations(people, size):
        counts = [chosen.count(group) for group in range(len(groups))]
        total += all(low <= count <= high for low, count, high in zip(least, counts, most, strict=True))
    return total


def choices_in_short(groups: list[int], size: int, least: list[int], most: list[int]) -> str:
    """An expression for an exact number of one of two groups, by listing."""
    return f"__import__('math').comb({groups[0]}, {least[0]}) * __import__('math').comb({groups[1]}, {size - least[0]})"


def draw_walks(rng: Random, level: int) -> Draft:
    """Walks of some steps on a few roads; on more; that pass through a town."""
    count, fewest, longest = ((5, 6, 8), (6, 8, 8), (7, 9, 7))[level - 1]
    num_roads, steps = fewest + rng.randint(0, 2), longest - rng.randint(0, 3 - level // 2)
    roads = {(rng.randrange(town), town) for town in range(1, count)}
    while len(roads) < num_roads:
        first, second = sorted(rng.sample(range(count), 2))
        roads.add((first, second))
    start, goal, via = rng.sample(range(count), 3)
    drawn = [f"{_TOWNS[a]}-{_TOWNS[b]}" for a, b in sorted(roads)]
    words = {
        "roads": ", ".join(drawn),
        "start": _TOWNS[start],
        "goal": _TOWNS[goal],
        "steps": steps,
        "ends": f"start in {_TOWNS[start]}"
        + (
            f", end in {_TOWNS[goal]} and visit {_TOWNS[via]} at least once on the way"
            if level == 3
            else f" and end in {_TOWNS[goal]}"
        ),
    }
    texts = (
        "Towns are joined by these roads, open in both directions: {roads}. How many walks along exactly {steps} roads "
        "{ends}? Roads and towns may be used again.",
        "A map has the two-way roads {roads}. Somebody goes from {start} to {goal} in exactly {steps} steps, each along "
        "one road; roads and towns may repeat. How many such walks {ends}?",
        "Take the undirected graph with the edges {roads}. Count the walks with exactly {steps} edges, repetitions "
        "allowed, that {ends}.",
    )
    values = {"roads": sorted(roads), "start": start, "goal": goal, "steps": steps, "via": via if level == 3 else None}
    return Draft(texts, words, values)


def walks_by_powers(roads: list[tuple[int, int]], start: int, goal: int, steps: int, via: int | None) -> int:
    """An entry of a power of the matrix of roads, less that of the matrix without the town to be visited."""
    count = max(max(road) for road in roads) + 1

    def entry(without: int | None) -> int:
        row = [int(town == start) for town in range(count)]
        for _ in range(steps):
            after = [0] * count
            for a, b in roads:
                if without not in (a, b):
                    after[a] += row[b]
                    after[b] += row[a]
            row = after
        return row[goal]

    return entry(None) - (0 if via is None else entry(via))


def walks_by_following(roads: list[tuple[int, int]], start: int, goal: int, steps: int, via: int | None) -> int:
    """Follow every walk to its end."""
    near: dict[int, list[int]] = {}
    for a, b in roads:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)

    def follow(town: int, left: int, seen: bool) -> int:
        seen = seen or town == via
        if left == 0:
            return int(town == goal and seen)
        return sum(follow(after, left - 1, seen) for after in near[town])

    return follow(start, steps, via is None)


def draw_coins(rng: Random, level: int) -> Draft:
    """Ways to pay with three coins; with four, each used; with five of which there are only some."""
    coins = sorted(rng.sample(range(2, (13, 16, 16)[level - 1]), level + 2))
    amount = rng.randint(*((60, 160), (100, 190), (60, 110))[level - 1])
    least = [int(level == 2)] * len(coins)
    most = [rng.randint(3, 6) if level == 3 else amount for _ in coins]
    stock = [f"{number} coins of {coin} cents" for number, coin in zip(most, coins, strict=True)]
    rule = (
        "any number of coins of each value may be used, or none",
        "at least one coin of each value must be used",
        f"there are only {listed(stock)}",
    )[level - 1]
    words = {"coins": listed(coins), "amount": amount, "rule": rule, "person": rng.choice(PEOPLE)}
    texts = (
        "In how many ways can {amount} cents be paid with coins of {coins} cents, if {rule}? Only how many coins of each "
        "value are used matters.",
        "{person} pays exactly {amount} cents with coins of {coins} cents; {rule}. How many choices of coins are there, "
        "coins of one value being alike and their order being unimportant?",
        "There are coins of {coins} cents, and {rule}. How many different collections of coins are worth {amount} cents?",
    )
    return Draft(texts, words, {"coins": coins, "amount": amount, "least": least, "most": most})


def payments_by_polynomials(coins: list[int], amount: int, least: list[int], most: list[int]) -> int:
    """A coefficient of a product of polynomials, one for each coin."""
    ways = [1] + [0] * amount
    for coin, low, high in zip(coins, least, most, strict=True):
        after = [0] * (amount + 1)
        for paid in range(amount + 1):
            numbers = range(low, min(high, (amount - paid) // coin) + 1) if ways[paid] else ()
            for number in numbers:
                after[paid + number * coin] += ways[paid]
        ways = after
    return ways[amount]


def payments_by_trying(coins: list[int], amount: int, least: list[int], most: list[int]) -> int:
    """Try every number of each coin in turn."""
    if len(coins) == 1:
        number, rest = divmod(amount, coins[0])
        return int(rest == 0 and least[0] <= number <= most[0])
    total = 0
    for number in range(least[-1], min(most[-1], amount // coins[-1]) + 1):
        total += payments_by_trying(coins[:-1], amount - number * coins[-1], least[:-1], most[:-1])
    return total


KINDS = (
    Kind("committees", "integer", draw_committees, count_choices, choices_by_listing, choices_in_short),
    Kind("walks", "integer", draw_walks, walks_by_powers, walks_by_following),
    Kind("coins", "integer", draw_coins, payments_by_polynomials, payments_by_trying),
)
