"""Algebra: recurrences, systems of equations, determinants, polynomials through points."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random

from agentgym_tools.maths.problem import Draft, Kind, listed
from agentgym_tools.python.kinds.arithmetic import PEOPLE

_GOODS = ("pens", "rulers", "erasers", "folders", "stamps", "candles")


def draw_recurrences(rng: Random, level: int) -> Draft:
    """A term of a sequence of the second order; with a constant and further on; of the third, far on, as a remainder."""
    order = 3 if level == 3 else 2
    start = [rng.randint(1, 9) for _ in range(order)]
    factors = [rng.choice((-3, -2, 2, 3, 4)), *(rng.choice((-2, -1, 1, 2, 3)) for _ in range(order - 1))]
    constant = 0 if level == 1 else rng.randint(1, 9)
    number = rng.randint(*((6, 9), (14, 22), (2_000, 6_000))[level - 1])
    modulus = rng.randint(500, 9_999) if level == 3 else 0
    parts = " ".join(
        f"{'-' if factor < 0 else '+'} {'' if abs(factor) == 1 else f'{abs(factor)}*'}a(n-{back})"
        for back, factor in enumerate(factors, 1)
    )
    words = {
        "first": listed([f"a({i}) = {value}" for i, value in enumerate(start)]),
        "rule": f"a(n) = {(parts[0] + parts[2:]).removeprefix('+')}{f' + {constant}' if constant else ''}",
        "order": order,
        "number": number,
        "wanted": f"the remainder of a({number}) divided by {modulus}" if modulus else f"a({number})",
        "values": listed(start),
        "hint": " (a remainder is never negative)" if modulus else "",
    }
    texts = (
        "A sequence begins with {first}, and {rule} for every n >= {order}. What is {wanted}{hint}?",
        "Let {first}. From n = {order} on, {rule}. Find {wanted}{hint}.",
        "The terms of a sequence are numbered from 0. The first ones are {values}, and each later one follows the rule "
        "{rule}. What is {wanted}{hint}?",
    )
    values = {"start": start, "factors": factors, "constant": constant, "number": number, "modulus": modulus}
    return Draft(texts, words, values)


def term_by_powers(start: list[int], factors: list[int], constant: int, number: int, modulus: int) -> int:
    """A power of the matrix that leads from one state to the next, by repeated squaring."""
    order = len(start)
    size = order + 1
    step = [[0] * size for _ in range(size)]
    step[0] = [*factors, constant]
    for i in range(1, order):
        step[i][i - 1] = 1
    step[order][order] = 1
    state = [*reversed(start), 1]
    exponent = number - order + 1
    while exponent:
        if exponent % 2:
            state = [_reduced(sum(a * b for a, b in zip(row, state, strict=True)), modulus) for row in step]
        columns = list(zip(*step, strict=True))
        step = [
            [_reduced(sum(a * b for a, b in zip(row, column, strict=True)), modulus) for column in columns]
            for row in step
        ]
        exponent //= 2
    return state[0]


def _reduced(value: int, modulus: int) -> int:
    return value % modulus if modulus else value


def term_by_steps(start: list[int], factors: list[int], constant: int, number: int, modulus: int) -> int:
    """Go from term to term."""
    terms = list(start)
    while len(terms) <= number:
        term = constant + sum(factor * terms[-back] for back, factor in enumerate(factors, 1))
        terms.append(term % modulus if modulus else term)
    return terms[number]


def draw_purchases(rng: Random, level: int) -> Draft:
    """What a purchase costs, from as many others as there are goods: two, three or four."""
    goods = rng.sample(_GOODS, level + 1)
    prices = [rng.randint(3, 95) for _ in goods]
    while True:
        baskets = [[rng.randint(1, 5 + level) for _ in goods] for _ in goods]
        if determinant(baskets):
            break
    wanted = [rng.randint(2, 12) for _ in goods]
    totals = [sum(n * price for n, price in zip(basket, prices, strict=True)) for basket in baskets]
    bills = [f"{_basket(basket, goods)} cost {total} cents" for basket, total in zip(baskets, totals, strict=True)]
    words = {"bills": "; ".join(bills), "wanted": _basket(wanted, goods), "person": rng.choice(PEOPLE)}
    texts = (
        "In a shop, {bills}. All goods of one sort have the same price. How many cents do {wanted} cost?",
        "{person} compares bills: {bills}. If things of one sort cost the same, how many cents does {person} pay for "
        "{wanted}?",
        "From these bills the price of each thing follows: {bills}. What is the price of {wanted} together, in cents?",
    )
    return Draft(texts, words, {"baskets": baskets, "totals": totals, "wanted": wanted})


def _basket(counts: list[int], goods: list[str]) -> str:
    return listed([f"{n} {name if n > 1 else name[:-1]}" for n, name in zip(counts, goods, strict=True)])


def cost_by_determinants(baskets: list[list[int]], totals: list[int], wanted: list[int]) -> Fraction:
    """Cramer's rule."""
    below = determinant(baskets)
    cost = Fraction(0)
    for i, number in enumerate(wanted):
        replaced = [[*row[:i], total, *row[i + 1 :]] for row, total in zip(baskets, totals, strict=True)]
        cost += Fraction(number * determinant(replaced), below)
    return cost


def cost_by_elimination(baskets: list[list[int]], totals: list[int], wanted: list[int]) -> Fraction:
    """Solve the equations by elimination."""
    lines = [[Fraction(x) for x in [*row, total]] for row, total in zip(baskets, totals, strict=True)]
    for i in range(len(lines)):
        pivot = next(k for k in range(i, len(lines)) if lines[k][i])
        lines[i], lines[pivot] = lines[pivot], lines[i]
        lines[i] = [x / lines[i][i] for x in lines[i]]
        for k in range(len(lines)):
            if k != i:
                lines[k] = [x - lines[k][i] * y for x, y in zip(lines[k], lines[i], strict=True)]
    return sum((number * line[-1] for number, line in zip(wanted, lines, strict=True)), Fraction(0))


def determinant(rows: list[list[int]]) -> int:
    """The determinant by elimination in whole numbers (Bareiss 1968)."""
    matrix = [list(row) for row in rows]
    sign, previous = 1, 1
    for i in range(len(matrix) - 1):
        pivot = next((k for k in range(i, len(matrix)) if matrix[k][i]), None)
        if pivot is None:
            return 0
        if pivot != i:
            matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
            sign = -sign
        for k in range(i + 1, len(matrix)):
            for j in range(i + 1, len(matrix)):
                matrix[k][j] = (matrix[k][j] * matrix[i][i] - matrix[k][i] * matrix[i][j]) // previous
        previous = matrix[i][i]
    return sign * matrix[-1][-1]


def draw_determinants(rng: Random, level: int) -> Draft:
    """The determinant of a matrix of three, four or five rows."""
    size = level + 2
    rows = [[rng.randint(-9, 9) for _ in range(size)] for _ in range(size)]
    words = {"rows": ", ".join(f"({', '.join(map(str, row))})" for row in rows), "size": size}
    texts = (
        "What is the determinant of the {size} x {size} matrix with the rows {rows}?",
        "Find the determinant of the matrix whose rows from top to bottom are {rows}.",
        "A {size} x {size} matrix has the rows {rows}. Calculate its determinant.",
    )
    return Draft(texts, words, {"rows": rows})


def determinant_by_permutations(rows: list[list[int]]) -> int:
    """Add up the signed products of all permutations."""
    size, total = len(rows), 0
    for order in itertools.permutations(range(size)):
        inversions = sum(order[a] > order[b] for a in range(size) for b in range(a + 1, size))
        total += (-1) ** inversions * math.prod(rows[i][j] for i, j in enumerate(order))
    return total


def draw_polynomials(rng: Random, level: int) -> Draft:
    """A value of a polynomial of degree 2, 3 or 5, from its values at as many points as determine it."""
    degree = (2, 3, 5)[level - 1]
    factors = [*(rng.randint(-9, 9) for _ in range(degree)), rng.choice((-3, -2, -1, 1, 2, 3))]
    places = range(degree + 1) if level < 3 else sorted(rng.sample(range(-5, 8), degree + 1))
    points = [(x, sum(factor * x**power for power, factor in enumerate(factors))) for x in places]
    at = rng.randint(9, 20)
    words = {"degree": degree, "points": listed([f"p({x}) = {y}" for x, y in points]), "at": at}
    words["pairs"] = listed([f"({x}, {y})" for x, y in points])
    texts = (
        "A polynomial p of degree at most {degree} has {points}. What is p({at})?",
        "The graph of a polynomial p, whose degree is at most {degree}, passes through the points {pairs}. Find p({at}).",
        "There is exactly one polynomial p of degree at most {degree} with {points}. What value does it take at {at}?",
    )
    return Draft(texts, words, {"points": points, "at": at})


def value_by_lagrange(points: list[tuple[int, int]], at: int) -> Fraction:
    """Lagrange's formula."""
    total = Fraction(0)
    for x, y in points:
        term = Fraction(y)
        for other, _ in points:
            term *= Fraction(at - other, x - other) if other != x else 1
        total += term
    return total


def value_by_differences(points: list[tuple[int, int]], at: int) -> Fraction:
    """Use divided differences."""
    places = [x for x, _ in points]
    row = [Fraction(y) for _, y in points]
    total, product = row[0], Fraction(1)
    for k in range(1, len(points)):
        row = [(row[i + 1] - row[i]) / (places[i + k] - places[i]) for i in range(len(row) - 1)]
        product *= at - places[k - 1]
        total += row[0] * product
    return total


KINDS = (
    Kind("recurrences", "integer", draw_recurrences, term_by_powers, term_by_steps),
    Kind("purchases", "integer", draw_purchases, cost_by_determinants, cost_by_elimination),
    Kind("determinants", "integer", draw_determinants, determinant, determinant_by_permutations),
    Kind("polynomials", "integer", draw_polynomials, value_by_lagrange, value_by_differences),
)
