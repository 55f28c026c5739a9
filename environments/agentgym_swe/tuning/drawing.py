"""Draws tasks: what counts how much and what must hold, with the reference that a search of the surface finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from typing import Any

from agentgym.errors import TaskError
from agentgym.task import Task
from agentgym_swe.tuning.problem import to_task
from agentgym_swe.tuning.scoring import cost, shares
from agentgym_swe.tuning.servers.catalogue import start_config
from agentgym_swe.tuning.servers.load import Counter, Durability, Load
from agentgym_swe.tuning.servers.option import Config
from agentgym_swe.tuning.surface import configs_of, load_surface

TRAINED = (
    "sessions", "pages", "lookups", "cache", "images", "payments", "queue", "api", "reports", "ranking", "connections",
    "visits",
)  # fmt: skip
"""Loads that training shows, those of the three servers in turn."""
HELD_OUT = ("ledger", "shared", "ingest")
"""Loads that it never shows."""
MIN_GAIN = 0.15
"""What the reference must gain, else chance decides."""
CPU_GAIN = 0.35
"""And what it must gain for each weight of CPU time, the only counter that chance moves by more than a per cent."""
MAIN = 0.6
"""Weight of the counter that a task is about; the others share the rest."""
STEPS = 20
"""Drawn weights are multiples of one by this number."""
Choice = tuple[dict[Counter, float], tuple[Durability, bool], dict[str, Any]]
"""What a task weighs, what it needs, and its private part: the reference and its cost."""
_NEIGHBOURS = 0.01
"""Costs that differ by less are the same; the one with fewer changes is taken."""


def needs_of(load: Load) -> list[tuple[Durability, bool]]:
    """What tasks of a load may need: each durability up to its strongest, and security."""
    levels: dict[Durability, list[Durability]] = {
        "": [""],
        "process": ["", "process"],
        "power": ["", "process", "power"],
    }
    return [
        (level, is_secure)
        for level in levels[load.durability]
        for is_secure in ((False, True) if load.is_secure else (False,))
    ]


def weights_of(load: Load) -> Iterator[dict[Counter, float]]:
    """Weights of which one counter has most, each in turn; and even ones."""
    num = len(load.counts)
    for main in load.counts:
        rest = round((1 - MAIN) / (num - 1), 4)
        yield {name: MAIN if name == main else rest for name in load.counts}
    yield {name: round(1 / num, 4) for name in load.counts}


def find_reference(
    load: Load, weights: Mapping[Counter, float], needs: tuple[Durability, bool]
) -> tuple[Config, float]:
    """The cheapest recorded configuration that violates nothing, with as few changes as it takes; and its cost.

    Args:
        load: The load.
        weights: Of each counter.
        needs: The durability, and whether it is secure.
    """
    surface, start = load_surface(load.name), start_config(load)
    base = surface.at(start).counts
    found: list[tuple[float, int, Config]] = []
    for cell, config in configs_of(load):
        recorded = surface.cells[cell]
        if recorded.errors or recorded.lost or surface.violations(config, needs[0], is_secure=needs[1]):
            continue
        changed: Config = {name: value for name, value in config.items() if value != start[name]}
        found.append((cost(shares(recorded.counts, base), weights), len(changed), changed))
    if not found:
        raise TaskError(f"no recorded configuration of {load.name!r} holds what is needed: {needs}")
    least = min(reached for reached, _, _ in found)
    near = [each for each in found if each[0] <= least + _NEIGHBOURS]
    reached, _, changed = min(near, key=lambda each: (each[1], each[0]))
    return changed, round(reached, 4)


def possible(load: Load) -> list[Choice]:
    """All weights and needs of a load that leave something to gain."""
    chosen = (_choice(load, weights, needs) for weights in weights_of(load) for needs in needs_of(load))
    return [choice for choice in chosen if choice is not None]


def draw_choice(rng: Random, load: Load) -> Choice:
    """Weights in steps of 5 per cent, each at least that, and needs that leave something to gain."""
    num = len(load.counts)
    shares = [each for each in product(range(1, STEPS), repeat=num) if sum(each) == STEPS]
    while True:
        weights = {name: share / STEPS for name, share in zip(load.counts, rng.choice(shares), strict=True)}
        if choice := _choice(load, weights, rng.choice(needs_of(load))):
            return choice


def _choice(load: Load, weights: dict[Counter, float], needs: tuple[Durability, bool]) -> Choice | None:
    """These weights and needs with their reference; None if that gains too little."""
    reference, reached = find_reference(load, weights, needs)
    if 1 - reached < max(MIN_GAIN, CPU_GAIN * weights["cpu"]):
        return None
    return weights, needs, {"reference": dict(reference), "cost": reached}


def draw_task(rng: Random, load: Load, *, task_id: str, stratum: str = "") -> Task:
    """A task of a load.

    Raises:
        TaskError: Nothing of the load leaves anything to gain.
    """
    choices = possible(load)
    if not choices:
        raise TaskError(f"no weights of {load.name!r} leave anything to gain")
    weights, needs, private = rng.choice(choices)
    seed = rng.randrange(2**31)
    return to_task(load, weights, needs, seed=seed, task_id=task_id, stratum=stratum, private=private)
