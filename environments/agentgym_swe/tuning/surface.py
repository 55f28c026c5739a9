"""Recorded measurements: each load's counters over all combinations of the options that matter, made by `record`.

A configuration is answered by the recorded one with the same levels; nothing is predicted or interpolated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from agentgym.data_folder import data_folder
from agentgym.errors import ConfigError
from agentgym_swe.tuning.servers.catalogue import LOADS, OPTIONS, start_config
from agentgym_swe.tuning.servers.load import Counter, Durability, Load
from agentgym_swe.tuning.servers.option import Config, RefusedValueError, Server, Value

GUARDED: Mapping[Server, tuple[str, ...]] = {
    "redis": ("appendonly", "appendfsync", "no-appendfsync-on-rewrite"),
    "nginx": ("access_log",),
    "postgres": ("fsync", "synchronous_commit", "full_page_writes"),
}
"""Options that decide what is lost; the tests of what is lost are recorded for all combinations."""
LOCKED: Mapping[Server, tuple[str, ...]] = {
    "redis": ("enable-debug-command", "unixsocketperm"),
    "nginx": ("disable_symlinks", "autoindex", "server_tokens"),
    "postgres": ("host_auth",),
}
"""Options that decide what strangers can do, likewise."""
Cell = tuple[int, ...]


@dataclass(frozen=True)
class Recorded:
    """What was measured of one configuration.

    Attributes:
        counts: Its counters.
        errors: Requests that failed.
        lost: Keys that were evicted though they had to be kept.
        wall_s: Seconds that the load took on the machine that recorded it.
    """

    counts: Mapping[Counter, float]
    errors: int
    lost: int
    wall_s: float


@dataclass(frozen=True)
class Surface:
    """The recorded measurements of a load.

    Attributes:
        load: The load.
        cells: By the number of the level of each option.
        lost: By durability and by the values of guarded options: what was lost.
        found: By the values of locked options: what strangers could do.
    """

    load: Load
    cells: Mapping[Cell, Recorded]
    lost: Mapping[tuple[Durability, tuple[Value, ...]], tuple[str, ...]]
    found: Mapping[tuple[Value, ...], tuple[str, ...]]

    def at(self, config: Config) -> Recorded:
        """What was measured of the configuration with the same levels.

        Raises:
            RefusedValueError: A choice of it was not recorded; the text says which were.
        """
        return self.cells[cell_of(self.load, config)]

    def violations(self, config: Config, durability: Durability, *, is_secure: bool) -> tuple[str, ...]:
        """What was lost and found under its guarded and locked options."""
        server = self.load.server
        lost = self.lost.get((durability, tuple(config[name] for name in GUARDED[server])), ()) if durability else ()
        found = self.found[tuple(config[name] for name in LOCKED[server])] if is_secure else ()
        return (*lost, *found)


def cell_of(load: Load, config: Config) -> Cell:
    """The level of each option that is nearest to its value.

    Raises:
        RefusedValueError: A choice is none of the levels.
    """
    return tuple(_nearest(load, name, config[name]) for name in load.levels)


def configs_of(load: Load) -> Iterator[tuple[Cell, Config]]:
    """All combinations of levels, as changes of the start."""
    start = start_config(load)
    for cell in product(*(range(len(levels)) for levels in load.levels.values())):
        values = {name: load.levels[name][index] for name, index in zip(load.levels, cell, strict=True)}
        yield cell, {**start, **values}


def combinations(load: Load, names: tuple[str, ...]) -> Iterator[tuple[tuple[Value, ...], Config]]:
    """All values of some choices, as changes of the start."""
    start = start_config(load)
    for values in product(*(OPTIONS[load.server][name].values for name in names)):
        yield values, {**start, **dict(zip(names, values, strict=True))}


def folder() -> Path:
    """Where surfaces are."""
    return data_folder("tasks") / "swe" / "tuning" / "surface"


@lru_cache(maxsize=32)
def load_surface(name: str) -> Surface:
    """The surface of a load.

    Raises:
        ConfigError: It is missing, or was recorded of other levels.
    """
    load = LOADS[name]
    path = folder() / f"{name}.jsonl"
    if not path.is_file():
        raise ConfigError(
            f"no surface of {load.name!r} at {path}; run: python -m agentgym_swe.tuning.record {load.name}"
        )
    head, *lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    if head["levels"] != {name: list(levels) for name, levels in load.levels.items()}:
        raise ConfigError(
            f"the surface {path} was recorded of other levels; run: python -m agentgym_swe.tuning.record {load.name}"
        )
    cells: dict[Cell, Recorded] = {}
    lost: dict[tuple[Durability, tuple[Value, ...]], tuple[str, ...]] = {}
    found: dict[tuple[Value, ...], tuple[str, ...]] = {}
    for line in lines:
        if "at" in line:
            counts = dict(zip(load.counts, line["counts"], strict=True))
            cells[tuple(line["at"])] = Recorded(counts, line.get("errors", 0), line.get("lost", 0), line["wall_s"])
        elif "after" in line:
            lost[line["after"], tuple(line["values"])] = tuple(line["lost"])
        else:
            found[tuple(line["values"])] = tuple(line["found"])
    return Surface(load, cells, lost, found)


def to_line(fields: Mapping[str, Any]) -> str:
    """A line of a surface's file."""
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False) + "\n"


def _nearest(load: Load, name: str, value: Value) -> int:
    levels, option = load.levels[name], OPTIONS[load.server][name]
    if value in levels:
        return levels.index(value)
    if option.kind == "choice":
        raise RefusedValueError(
            f"{name} {value} was not recorded for this load; recorded are {', '.join(map(str, levels))}."
        )
    places = [_place(float(level)) for level in levels]
    return min(range(len(levels)), key=lambda index: abs(places[index] - _place(float(value))))


def _place(number: float) -> float:
    """Where a number lies on a scale on which factors count."""
    return math.copysign(math.log1p(abs(number)), number)
