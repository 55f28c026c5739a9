"""What is run: tasks and methods as their files declare them, and the configuration of a task, method and seed.

A method is added by a file: a preset and settings over the task's, and one knob of two values. Trials of tuning are
those values with each of the task's three learning rates: as many for every method.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from agentgym.config import Source, build, merged, read_tables, tables_of
from agentgym.errors import ConfigError, UnknownNameError
from agentgym_rl.core.config.tables import RunConfig
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.config import config_from_tables

NUMERICS = 2
"""Raised where a change of trainer, tasks or players moves curves that were measured: all of it is run again."""
NUM_RATES, NUM_VALUES = 3, 2
"""Learning rates of a task and values of a method's knob: six trials of each method on each task."""
MAX_CPU_S = 150.0
"""CPU seconds of training, held-out scores during it included, after which no further iteration starts."""
TUNING_SEED = 1000
"""Seed of the trials, and of the start that they share; no reported run has it."""
QUICK = "quick"
LEARNING_RATE = "optimiser.learning_rate"
FOLDER = Path(__file__).parent

Settings = dict[str, Any]
_NEWER: Settings = {
    "algorithm.actor.warmup": 0,
    "algorithm.actor.max_kl": None,
    "algorithm.actor.min_entropy": None,
    "algorithm.actor.awr.unit": "reward",
}
"""Options that came after results were kept, beside kinds of actors that are no default: with these values they change
nothing, and take no part in a digest."""
Kind = Literal["terminal", "trajectory", "actor_critic", "step", "replay", "archer", "offline"]
Table = TypeVar("Table")

_BASE: Settings = {
    # As many iterations as the budget of turns allows; nothing stops a run early for learning nothing.
    "run": {"iterations": 100_000, "threads": 1, "device": "cpu"},
    "rollout": {"env_threads": 4, "is_lockstep": True},
    "validation": {"every": 1, "has_final_test": False},
    "watch": {"max_zero_variance_iterations": 100_000, "max_invalid_iterations": 100_000},
    "checkpoint": {"every": 100_000, "keep": 1},
}


@dataclass(frozen=True)
class TaskTable:
    """A task of the benchmark."""

    title: str
    """For tables and pictures."""
    suite: str
    """What is trained on."""
    turns: int
    """Budget of environment turns; held-out scores cost none of it."""
    start: Settings
    """The cloned start: its [warm_start] and what else differs from `settings`."""
    settings: Settings
    """Of all runs of the task."""
    learning_rates: tuple[float, ...]
    """What tuning tries; untuned runs take the second."""
    validation_tasks: int
    """Tasks of the validation split, spread evenly over it, always the same."""
    test_tasks: int
    """Likewise of the test split."""
    attempts: int = 1
    """Episodes of each of these tasks."""
    probes: int = 10
    """Held-out scores during a run, evenly over the turns; one more is taken before it."""
    is_for_all: bool = True
    """Whether all methods run on it, or those alone that say so (`is_reduced`)."""
    also: tuple[str, ...] = ()
    """Methods that run on it beside those."""
    sparse: bool = False
    """Whether success is so rare at the start that many groups hold none."""

    def __post_init__(self) -> None:
        if len(self.learning_rates) != NUM_RATES:
            raise ConfigError(f"learning_rates has {len(self.learning_rates)} values; expected {NUM_RATES}")


@dataclass(frozen=True)
class MethodTable:
    """A method."""

    title: str
    """For tables and pictures."""
    kind: Kind
    """What it is compared as."""
    settings: Settings
    """Over those of the task."""
    knob: Mapping[str, list[Any]]
    """What tuning varies beside the learning rate: one dotted key and its values, the first being that of untuned
    runs."""
    on: Mapping[str, Settings] = field(default_factory=dict)
    """By task, settings over those for all."""
    is_reduced: bool = False
    """Whether it belongs to the methods that run on every task."""
    is_offline: bool = False
    """Whether it learns from what the start played, once all turns are spent."""
    without: tuple[str, ...] = ()
    """Tasks that lack what it needs."""
    rate_scale: float = 1.0
    """Factor of the task's learning rates, where it makes many more updates of a turn than the others."""
    max_cpu_s: float = MAX_CPU_S
    """CPU seconds of training after which no further iteration starts, where it is to have fewer than the others; its
    last score stands for the turns that are left."""
    cpu_s_on: Mapping[str, float] = field(default_factory=dict)
    """By task, CPU seconds in place of `max_cpu_s`."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ConfigError(f"kind is {self.kind!r}; expected one of {', '.join(get_args(Kind))}")
        if [len(values) for values in self.knob.values()] != [NUM_VALUES]:
            raise ConfigError(f"knob is {dict(self.knob)}; expected one key with {NUM_VALUES} values")

    def trials(self, task: TaskTable) -> list[Settings]:
        """Dotted keys and values of each trial on a task."""
        ((key, values),) = self.knob.items()
        return [{LEARNING_RATE: rate, key: value} for rate, value in product(self._rates(task), values)]

    def untuned(self, task: str) -> Settings:
        """What a run on a task takes that was not tuned."""
        ((key, values),) = self.knob.items()
        return {LEARNING_RATE: self._rates(task_named(task))[1], key: values[0]}

    def cpu_s(self, task: str) -> float:
        """CPU seconds of training on a task after which no further iteration starts."""
        return self.cpu_s_on.get(task, self.max_cpu_s)

    def _rates(self, task: TaskTable) -> list[float]:
        return [float(f"{rate * self.rate_scale:.3g}") for rate in task.learning_rates]


@dataclass(frozen=True)
class Piece:
    """One run.

    Attributes:
        task: Name of the task.
        method: Name of the method.
        seed: Of the run and of the start.
        chosen: Dotted keys and values over all other settings: those of a trial, or those that tuning chose.
        is_trial: Whether it is a trial of tuning, which leaves the test split alone.
    """

    task: str
    method: str
    seed: int
    chosen: Settings = field(default_factory=dict)
    is_trial: bool = False

    @property
    def name(self) -> str:
        """Of its file, without the digest."""
        return f"{self.task}-{self.method}-{self.seed}"


@cache
def tasks(folder: Path = FOLDER) -> dict[str, TaskTable]:
    """The tasks by name."""
    return {path.stem: _read(TaskTable, path) for path in sorted((folder / "tasks").glob("*.toml"))}


@cache
def methods(folder: Path = FOLDER) -> dict[str, MethodTable]:
    """The methods by name."""
    return {path.stem: _read(MethodTable, path) for path in sorted((folder / "methods").glob("*.toml"))}


def task_named(name: str) -> TaskTable:
    """A task; that named `QUICK` is the first one with next to no budget, to see that everything works.

    Raises:
        UnknownNameError: There is none of that name.
    """
    if name == QUICK:
        start = {"warm_start": {"demonstrations": 160, "batch_episodes": 8, "learning_rate": 2e-3}}
        group = {"group": {"size": 4, "tasks": 2}}
        table = tasks()["key-door"]
        settings = merged(table.settings, group)
        return replace(table, turns=200, probes=2, start=start, settings=settings, validation_tasks=4, test_tasks=4)
    return _named("task", name, tasks())


def method_named(name: str) -> MethodTable:
    """A method.

    Raises:
        UnknownNameError: There is none of that name.
    """
    return _named("method", name, methods())


def runs_on(method: str, task: str) -> bool:
    """Whether a method runs on a task."""
    table, own = task_named(task), method_named(method)
    is_wanted = table.is_for_all or own.is_reduced or method in table.also
    return is_wanted and task not in own.without


def start_tables(task: TaskTable, seed: int) -> Settings:
    """The tables of the run that makes a start: cloning alone."""
    own = {
        "run": {"suite": task.suite, "iterations": 0, "seed": seed},
        "validation": {"every": 0, "has_final_test": False},
    }
    shared: Settings = {key: task.settings[key] for key in ("model", "packing") if key in task.settings}
    return merged(merged(merged(shared, task.start), {"run": {"threads": 1, "device": "cpu"}}), own)


def run_tables(piece: Piece, start: str = "") -> Settings:
    """The tables of a run, from the base to what was chosen for it.

    Args:
        piece: The run.
        start: Folder of the cloned model.
    """
    task, method = task_named(piece.task), method_named(piece.method)
    tables = merged(merged(merged(_BASE, task.settings), method.settings), method.on.get(piece.task, {}))
    for key, value in piece.chosen.items():
        tables = merged(tables, nested(key, value))
    model = {key: value for key, value in tables.get("model", {}).items() if key != "size"}
    tables = merged(tables, {"run": {"suite": task.suite, "seed": piece.seed}})
    if method.is_offline:  # which collects nothing
        tables = {key: value for key, value in tables.items() if key != "group"}
    return {**tables, "model": {**model, "path": start}}


def nested(key: str, value: Any) -> Settings:
    """The tables in which a dotted key has a value."""
    first, _, rest = key.partition(".")
    return {first: nested(rest, value) if rest else value}


def start_digest(task: TaskTable, seed: int) -> str:
    """Digest of what makes a start."""
    return _digest([NUMERICS, _resolved(start_tables(task, seed))])


def digest(piece: Piece) -> str:
    """Digest of what makes a run: its configuration as far as it differs from the defaults, its start, its budget."""
    task = task_named(piece.task)
    max_cpu_s = method_named(piece.method).cpu_s(piece.task)
    budget = [task.turns, task.probes, task.validation_tasks, task.test_tasks, task.attempts, max_cpu_s]
    resolved = _resolved(run_tables(piece))
    return _digest([NUMERICS, resolved, start_digest(task, piece.seed), budget, piece.is_trial])


def _resolved(tables: Settings) -> Settings:
    """Every setting that is not a default, presets included: a new option of the trainer changes nothing."""
    return _resolved_text(json.dumps(tables))


@cache
def _resolved_text(tables: str) -> Settings:
    """The same of tables as JSON, once for each: a chain asks for the digests of all its pieces again and again."""
    config = config_from_tables(json.loads(tables), Source())
    defaults = TrainConfig(RunConfig("", 0), algorithm=type(config.algorithm)())
    here, there = _flat(tables_of(config)), _flat(tables_of(defaults))
    changed = {key: value for key, value in here.items() if key not in there or there[key] != value}
    return {key: value for key, value in changed.items() if key not in _NEWER or _NEWER[key] != value}


def _flat(table: Mapping[str, Any], prefix: str = "") -> Settings:
    flat: Settings = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return flat


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:12]


def _read(cls: type[Table], path: Path) -> Table:
    tables, source = read_tables(path)
    return build(cls, tables, source)


def _named(what: str, name: str, known: Mapping[str, Table]) -> Table:
    if name not in known:
        raise UnknownNameError(what, name, known)
    return known[name]
