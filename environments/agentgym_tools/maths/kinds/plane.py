"""The plane of whole numbers: paths on a grid with closed corners, and points within polygons."""

from __future__ import annotations

import math
from random import Random

from agentgym_tools.maths.problem import Draft, Kind, listed
from agentgym_tools.python.kinds.arithmetic import PEOPLE


def draw_lattice_paths(rng: Random, level: int) -> Draft:
    """Shortest paths on a grid; with one or two closed corners; with four on a larger grid."""
    low, high = ((3, 14), (4, 11), (8, 16))[level - 1]
    width, height = rng.randint(low, high), rng.randint(low, high)
    inside = [(x, y) for x in range(width + 1) for y in range(height + 1) if (x, y) not in ((0, 0), (width, height))]
    closed = sorted(rng.sample(inside, (0, rng.randint(1, 2), 4)[level - 1]))
    words = {
        "width": width,
        "height": height,
        "rule": f" without passing through {listed(closed, 'or')}" if closed else "",
        "person": rng.choice(PEOPLE),
    }
    texts = (
        "How many paths lead from (0, 0) to ({width}, {height}){rule}, if each step goes one unit right or one unit up?",
        "{person} walks from the corner (0, 0) of a street grid to the corner ({width}, {height}), each block going east "
        "(x grows by 1) or north (y grows by 1). How many routes are there{rule}?",
        "A token moves on points with whole coordinates by adding 1 to x or 1 to y. In how many ways can it get from "
        "(0, 0) to ({width}, {height}){rule}?",
    )
    return Draft(texts, words, {"width": width, "height": height, "closed": closed})


def paths_by_binomials(width: int, height: int, closed: list[tuple[int, int]]) -> int:
    """All paths to each closed corner and the end, less those that met a closed corner before."""
    ends = [*closed, (width, height)]
    free: list[int] = []
    for x, y in ends:
        met = (
            count * math.comb(x - a + y - b, x - a)
            for count, (a, b) in zip(free, ends, strict=False)
            if a <= x and b <= y
        )
        free.append(math.comb(x + y, x) - sum(met))
    return free[-1]


def paths_by_corners(width: int, height: int, closed: list[tuple[int, int]]) -> int:
    """Count the ways to each corner from those before it."""
    ways = {(0, 0): 1}
    for x in range(width + 1):
        for y in range(height + 1):
            if (x, y) != (0, 0):
                ways[x, y] = 0 if (x, y) in closed else ways.get((x - 1, y), 0) + ways.get((x, y - 1), 0)
    return ways[width, height]


def draw_polygons(rng: Random, level: int) -> Draft:
    """Points inside a triangle; inside or on a quadrilateral; inside a hexagon."""
    num_corners, size = ((3, 20), (4, 25), (6, 36))[level - 1]
    corners: list[tuple[int, int]] = []
    while not corners or not _is_simple(corners):
        drawn = [(rng.randint(0, size), rng.randint(0, size)) for _ in range(num_corners)]
        x, y = (sum(values) for values in zip(*drawn, strict=True))
        corners = sorted(drawn, key=lambda p: math.atan2(p[1] * num_corners - y, p[0] * num_corners - x))
    with_border = level == 2
    words = {
        "corners": listed(corners),
        "shape": ("triangle", "quadrilateral", "hexagon")[level - 1],
        "where": "inside it or on its border" if with_border else "strictly inside it, not on its border",
    }
    texts = (
        "A {shape} has the corners {corners}, in this order. How many points with whole coordinates lie {where}?",
        "Join the points {corners} in this order, and the last to the first, to a {shape}. How many points whose two "
        "coordinates are whole numbers are {where}?",
        "Given the {shape} whose corners, in order around it, are {corners}: count the points with whole coordinates "
        "that lie {where}.",
    )
    return Draft(texts, words, {"corners": corners, "with_border": with_border})


def _is_simple(corners: list[tuple[int, int]]) -> bool:
    """Whether the corners go around their mean with a true turn at each, so that no two sides cross or touch."""
    count = len(corners)
    x, y = (sum(values) for values in zip(*corners, strict=True))
    around = [(a * count - x, b * count - y) for a, b in corners]
    turns = [_cross(around[i - 1], around[i]) for i in range(count)]
    sides = [(corners[i][0] - corners[i - 1][0], corners[i][1] - corners[i - 1][1]) for i in range(count)]
    return min(turns) > 0 and all(_cross(sides[i - 1], sides[i]) for i in range(count))


def _cross(one: tuple[int, int], other: tuple[int, int]) -> int:
    return one[0] * other[1] - one[1] * other[0]


def points_by_area(corners: list[tuple[int, int]], with_border: bool) -> int:
    """The area by the shoelace formula, then Pick's theorem."""
    pairs = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    double_area = abs(sum(_cross(one, other) for one, other in pairs))
    border = sum(math.gcd(c - a, d - b) for (a, b), (c, d) in pairs)
    return (double_area - border) // 2 + 1 + (border if with_border else 0)


def points_by_looking(corners: list[tuple[int, int]], with_border: bool) -> int:
    """Look at every point: whether it is on a side, and how many sides a ray from it crosses."""
    total = 0
    sides = list(zip(corners, corners[1:] + corners[:1], strict=True))
    for x in range(min(a for a, _ in corners), max(a for a, _ in corners) + 1):
        for y in range(min(b for _, b in corners), max(b for _, b in corners) + 1):
            is_on_border, crossed = False, 0
            for (a, b), (c, d) in sides:
                turn = (c - a) * (y - b) - (d - b) * (x - a)
                if turn == 0 and min(a, c) <= x <= max(a, c) and min(b, d) <= y <= max(b, d):
                    is_on_border = True
                if (b > y) != (d > y) and (turn > 0) == (d > b):
                    crossed += 1
            total += with_border if is_on_border else crossed % 2
    return total


KINDS = (
    Kind("lattice_paths", "integer", draw_lattice_paths, paths_by_binomials, paths_by_corners),
    Kind("polygons", "integer", draw_polygons, points_by_area, points_by_looking),
)
