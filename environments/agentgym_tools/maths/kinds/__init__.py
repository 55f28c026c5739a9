"""The kinds of maths problem, by their names; `HELD_OUT` are never trained on."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_tools.maths.kinds import algebra, chance, choices, counting, everyday, numbers, plane
from agentgym_tools.maths.problem import Kind

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for module in (numbers, counting, chance, algebra, plane, choices, everyday)
    for kind in module.KINDS
}
HELD_OUT = ("lattice_paths", "markov", "polygons", "piles")
TRAINED = tuple(name for name in KINDS if name not in HELD_OUT)
