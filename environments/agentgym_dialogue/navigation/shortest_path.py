"""Breadth-first distances in a graph that is given by its neighbours.

What the nodes are (cells of a grid, rooms of a house) is the games' affair.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def distances_from(start: Node, neighbours: Callable[[Node], Iterable[Node]]) -> dict[Node, int]:
    """Fewest edges from `start` to every node that can be reached, in order of distance."""
    found = {start: 0}
    frontier = [start]
    while frontier:
        further = []
        for node in frontier:
            for other in neighbours(node):
                if other not in found:
                    found[other] = found[node] + 1
                    further.append(other)
        frontier = further
    return found
