"""The contents of a report, read from a run folder once.

`sections` and `transcripts` draw them.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.evaluation.runner import EVALUATIONS
from agentgym.store import EpisodeRow, RunStore
from agentgym.trajectory import HINDSIGHT, Trajectory
from agentgym.view.charts import Curve
from agentgym.view.credit_data import CreditData, read_credit

_STAGES = ("untrained", "cloned", "filtered_cloned", "trained")


@dataclass(frozen=True, slots=True)
class Pick:
    """An episode chosen for reading, and the reason."""

    reason: str
    row: EpisodeRow
    trajectory: Trajectory


@dataclass(frozen=True)
class RunData:
    """Everything that a report is drawn from.

    Attributes:
        name: Name of the run folder.
        meta: The run's meta.
        summary: The contents of the trainer's summary.json; empty if there is none.
        metrics: Curves by phase and name.
        counts: Rows of each table.
        picks: Episodes to read.
        credit: The credit of turns of some episodes by methods of attribution; None if no credit is stored.
        facts: Configuration, versions and commit from config.json.
        names: The page's names for policies whose own names would mislead.
    """

    name: str
    meta: Mapping[str, Any]
    summary: Mapping[str, Any]
    metrics: Mapping[str, Mapping[str, Curve]]
    counts: Mapping[str, int]
    picks: Sequence[Pick]
    credit: CreditData | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def held_out(self) -> dict[str, Mapping[str, Any]]:
        """Held-out results by name: those of the trainer's summary in the order of stages, or else of evaluations."""
        found = dict(self.summary.get("held_out") or {})
        if not found:
            found = {value["policy"]: value for key, value in self.meta.items() if _is_test_result(key, value)}
        found = {name: value for name, value in found.items() if _has_mean(value)}
        return {name: found[name] for name in _by_stage(found)}

    def curve(self, name: str, phase: str = "train", **look: Any) -> Curve | None:
        """A metric as a curve, with its interval if `…/low` and `…/high` exist; None without values."""
        curves = self.metrics.get(phase, {})
        if name not in curves:
            return None
        found = curves[name]
        ends: dict[str, Any] = {}
        if name.endswith("/mean"):
            for end in ("low", "high"):
                other = curves.get(f"{name.removesuffix('/mean')}/{end}")
                if other is not None and np.array_equal(other.x, found.x):
                    ends[end] = other.y
        return Curve(look.pop("label", name), found.x, found.y, **(ends if len(ends) == 2 else {}), **look)


def read_run(folder: Path, labels: Sequence[str] = ()) -> RunData:
    """Read a run folder; the run may still be going on.

    Args:
        folder: The run's folder.
        labels: The labels of credit to show; without any, `read_credit` chooses.

    Raises:
        StoreError: There is no run in the folder or it cannot be read.
        UnknownNameError: The run keeps no credit under one of the labels.
    """
    with RunStore.open(folder, read_only=True) as store:
        metrics = {
            phase: {name: Curve(name, *points) for name, points in store.metrics(phase=phase).items()}
            for phase in store.phases()
        }
        facts = _read_json(folder / "config.json")
        names = _names(store.meta.get("config") or facts.get("config"))
        chosen = _choose(store.episode_rows(), names)
        loaded = {trajectory.id: trajectory for trajectory in store.load([row for _, row in chosen])}
        picks = [Pick(reason, row, loaded[row.id]) for reason, row in chosen if row.id in loaded]
        return RunData(
            name=folder.resolve().name,
            meta=store.meta,
            summary=_read_json(folder / "summary.json"),
            metrics=metrics,
            counts=store.counts(),
            picks=picks,
            credit=read_credit(store, [pick.row for pick in picks], labels),
            facts=facts,
            names=names,
        )


def _names(config: Any) -> dict[str, str]:
    """Names for policies of a run that starts from a stored model, which is not untrained."""
    model = config.get("model") if isinstance(config, dict) else None
    return {_STAGES[0]: "at the start"} if isinstance(model, dict) and model.get("path") else {}


def _choose(rows: Sequence[EpisodeRow], names: Mapping[str, str]) -> list[tuple[str, EpisodeRow]]:
    """A few informative episodes: first and last iteration, best, worst, held-out, and a fault."""
    draw = random.Random(0)
    played = [row for row in rows if row.policy != HINDSIGHT]
    train = [row for row in played if row.purpose == "train" and row.iteration is not None]
    iterations = sorted({row.iteration for row in train if row.iteration is not None})
    first = [row for row in train if row.iteration == iterations[0]]
    last = [row for row in train if row.iteration == iterations[-1]] if len(iterations) > 1 else []
    test = [row for row in rows if row.purpose == "test"]
    policies = _by_stage({row.policy for row in test})
    final = [row for row in test if row.policy == policies[-1]]
    by_reward: Callable[[EpisodeRow], float] = lambda row: row.reward or 0.0  # noqa: E731 - a key used twice
    wanted: list[tuple[str, EpisodeRow | None]] = [*_before_and_after(draw, test, names)]
    wanted += [
        ("Held out, solved", _drawn(draw, [row for row in final if row.success])),
        ("Held out, not solved", _drawn(draw, [row for row in final if row.success is False])),
        ("First iteration, drawn at random", _drawn(draw, first)),
        ("First iteration, another", _drawn(draw, first)),
        ("Last iteration, drawn at random", _drawn(draw, last)),
        ("Last iteration, another", _drawn(draw, last)),
        ("Last iteration, highest reward", max(last, key=by_reward, default=None)),
        ("Last iteration, lowest reward", min(last, key=by_reward, default=None)),
        ("Invalid", _drawn(draw, [row for row in train if row.outcome == "invalid"])),
        ("Fault, left out of learning", _drawn(draw, [row for row in rows if row.success is None])),
        ("Played again at a goal that it reached", _drawn(draw, [row for row in rows if row.policy == HINDSIGHT])),
        ("Demonstration", _drawn(draw, [row for row in rows if row.purpose == "demo"])),
    ]
    chosen: dict[int, tuple[str, EpisodeRow]] = {}
    for reason, row in wanted:
        if row is not None:
            chosen.setdefault(row.number, (reason, row))
    return list(chosen.values())


def _before_and_after(
    draw: random.Random, test: Sequence[EpisodeRow], names: Mapping[str, str]
) -> list[tuple[str, EpisodeRow]]:
    """A held-out task that the last policy solved and the first did not, as each of them played it."""
    policies = _by_stage({row.policy for row in test})
    if len(policies) < 2:
        return []
    first_try = {(row.policy, row.task_id): row for row in reversed(test)}
    learnt = [
        row.task_id
        for (policy, task_id), row in sorted(first_try.items())
        if policy == policies[-1] and row.success
        if (before := first_try.get((policies[0], task_id))) is not None and before.success is False
    ]
    if not learnt:
        return []
    task_id = draw.choice(learnt)
    tries = [(policy, first_try.get((policy, task_id))) for policy in policies]
    return [
        (f"One held-out task, {names.get(policy, policy).replace('_', ' ')}", row)
        for policy, row in tries
        if row is not None
    ]


def _by_stage(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (_STAGES.index(name) if name in _STAGES else len(_STAGES), name))


def _drawn(draw: random.Random, rows: Sequence[EpisodeRow]) -> EpisodeRow | None:
    return draw.choice(rows) if rows else None


def _is_test_result(key: str, value: Any) -> bool:
    return key.startswith(EVALUATIONS) and isinstance(value, dict) and value.get("split") == "test"


def _has_mean(value: Any) -> bool:
    try:
        return not math.isnan(float(value["success"]["mean"]))
    except (TypeError, KeyError, ValueError):
        return False


def _read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file; empty if there is none or it is being written."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
