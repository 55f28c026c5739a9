"""A task of Tuning-v0: a load, what counts how much, what must hold, and the reference that was found by search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentgym.errors import TaskError
from agentgym.task import Limits, Task
from agentgym_swe.tuning.servers.catalogue import LOADS, OPTIONS, start_config
from agentgym_swe.tuning.servers.load import COUNTERS, Counter, Durability, Load
from agentgym_swe.tuning.servers.option import Config

MAX_TURNS = 16
STEP_S = 1800.0
_DURABLE: Mapping[Durability, str] = {
    "": "Data may be lost when the server ends.",
    "process": "Whatever was acknowledged must still be there after the server is killed.",
    "power": "Whatever was acknowledged must still be there after a power cut.",
}
_LOGGED = "Each answered request must be in the access log, even after the server is killed."
_UNLOGGED = "No log of requests is needed."
_SECURE = {
    "redis": "Only the owner of the socket may connect, and nobody may call DEBUG.",
    "nginx": "Links of the site must not lead to files outside, folders are not listed, and the version is not told.",
    "postgres": "Users must prove who they are with a password.",
}
_WORDS: Mapping[Counter, str] = {
    "cpu": "CPU time", "syncs": "syncs to disk", "bytes": "bytes written", "sent": "bytes sent", "memory": "memory",
    "misses": "misses",
}  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """What is tuned.

    Attributes:
        load: The load.
        weights: Of each counter; they add up to 1.
        durability: What acknowledged writes must outlive.
        is_secure: Whether strangers must get nothing.
        start: The configuration at the start.
        seed: Of what the load draws.
        reference: The configuration that search found; empty for a task without one.
        reference_cost: Its cost.
    """

    load: Load
    weights: Mapping[Counter, float]
    durability: Durability
    is_secure: bool
    start: Config
    seed: int
    reference: Config
    reference_cost: float


def read_task(task: Task) -> Problem:
    """The problem of a task.

    Raises:
        TaskError: It is no task of this environment.
    """
    config, private = task.config, task.private
    load = LOADS.get(str(config.get("load")))
    weights = config.get("weights")
    if load is None or not isinstance(weights, Mapping) or set(weights) != set(load.counts):
        raise TaskError(
            f"task {task.id!r} is not a task of Tuning-v0: expected a load of {', '.join(LOADS)} and weights of its "
            f"counters, got the config {dict(config)}"
        )
    durability = config.get("durability", "")
    if durability not in _DURABLE:
        raise TaskError(f"task {task.id!r} needs the durability {durability!r}; expected '', 'process' or 'power'")
    start = start_config(load)
    reference = private.get("reference", {})
    unknown = sorted(set(reference) - set(start))
    if unknown:
        raise TaskError(f"task {task.id!r} has a reference with unknown options: {', '.join(unknown)}")
    return Problem(
        load,
        {name: float(weights[name]) / sum(weights.values()) for name in load.counts},
        durability,
        bool(config.get("secure", False)),
        start,
        task.seed,
        {**start, **reference},
        float(private.get("cost", 0.5)),
    )


def to_task(
    load: Load,
    weights: Mapping[Counter, float],
    needs: tuple[Durability, bool],
    *,
    seed: int,
    task_id: str,
    stratum: str = "",
    private: Mapping[str, Any] | None = None,
) -> Task:
    """The task.

    Args:
        load: The load.
        weights: Of each counter.
        needs: The durability, and whether it is secure.
        seed: Of what the load draws.
        task_id: Its id.
        stratum: Its stratum.
        private: The reference, as changes to the start, and its cost.
    """
    config: dict[str, Any] = {"load": load.name, "weights": dict(weights)}
    if needs[0]:
        config["durability"] = needs[0]
    if needs[1]:
        config["secure"] = True
    return Task(
        id=task_id,
        seed=seed,
        instruction=_instruction(load, weights, needs),
        stratum=stratum,
        config=config,
        private=dict(private or {}),
        limits=Limits(max_turns=MAX_TURNS, step_timeout_s=STEP_S),
        seed_is_content=True,
    )


def _instruction(load: Load, weights: Mapping[Counter, float], needs: tuple[Durability, bool]) -> str:
    names = {"redis": "Redis", "nginx": "nginx", "postgres": "PostgreSQL"}
    ordered = sorted(weights.items(), key=lambda item: -item[1])
    what = ", ".join(f"{_WORDS[name]} {weight:.0%}" for name, weight in ordered)
    durable = _DURABLE[needs[0]]
    if load.server == "nginx":
        durable = _LOGGED if needs[0] else _UNLOGGED
    parts = [
        f"Tune {names[load.server]} for this load. {load.text}.",
        f"Lower its cost, which is 1 with the configuration that you find: {what}, each as a share of what it is now.",
        durable,
        *([_SECURE[load.server]] if needs[1] else []),
        *(["No key may be evicted."] if load.keeps else []),
        "Every request must be answered without an error.",
    ]
    return " ".join(parts)


def unit(name: Counter) -> str:
    """The unit of a counter."""
    return COUNTERS[name][0]


def changes(problem: Problem, config: Config) -> dict[str, Any]:
    """What a configuration changes of the start."""
    return {name: value for name, value in config.items() if value != problem.start[name]}


def options_of(problem: Problem) -> Mapping[str, Any]:
    """The options of the problem's server."""
    return OPTIONS[problem.load.server]
