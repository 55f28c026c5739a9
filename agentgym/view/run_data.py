"""The contents of a report, read from a run folder once.

`sections` and `transcripts` draw them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.evaluation.runner import kept_results
from agentgym.store import EpisodeRow, RunStore
from agentgym.trajectory import Trajectory
from agentgym.view.charts import Curve
from agentgym.view.choice import EVALUATED, STAGES, by_stage, choose, how_chosen
from agentgym.view.credit_data import CreditData, read_credit


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
        how_picked: How they were chosen, in a sentence.
        others: Evaluated episodes that are not among them.
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
    how_picked: str = ""
    others: Sequence[EpisodeRow] = ()
    credit: CreditData | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def held_out(self) -> dict[str, Mapping[str, Any]]:
        """Held-out results by name: those of the trainer's summary in the order of stages, or else of evaluations."""
        found = dict(self.summary.get("held_out") or {})
        if not found:
            found = _evaluated(self.meta)
        found = {name: value for name, value in found.items() if _has_mean(value)}
        return {name: found[name] for name in by_stage(found)}

    @property
    def is_held_out(self) -> bool:
        """Whether all results are of tasks that are held out from training."""
        return all(result.get("is_held_out", True) for result in self.held_out.values())

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


def read_run(folder: Path, labels: Sequence[str] = (), tasks: Sequence[str] = ()) -> RunData:
    """Read a run folder; the run may still be going on.

    Args:
        folder: The run's folder.
        labels: The labels of credit to show; without any, `read_credit` chooses.
        tasks: The ids of the tasks whose episodes to show; without any, `choose` chooses.

    Raises:
        StoreError: There is no run in the folder or it cannot be read.
        UnknownNameError: The run keeps no credit under one of the labels, or no episode of one of the tasks.
    """
    with RunStore.open(folder, read_only=True) as store:
        metrics = {
            phase: {name: Curve(name, *points) for name, points in store.metrics(phase=phase).items()}
            for phase in store.phases()
        }
        facts = _read_json(folder / "config.json")
        names = _names(store.meta.get("config") or facts.get("config"))
        rows = store.episode_rows()
        chosen = choose(rows, names, tasks)
        shown = {row.number for _, row in chosen}
        loaded = {trajectory.id: trajectory for trajectory in store.load([row for _, row in chosen])}
        picks = [Pick(reason, row, loaded[row.id]) for reason, row in chosen if row.id in loaded]
        return RunData(
            name=folder.resolve().name,
            meta=store.meta,
            summary=_read_json(folder / "summary.json"),
            metrics=metrics,
            counts=store.counts(),
            picks=picks,
            how_picked=how_chosen(rows, tasks),
            others=[row for row in rows if row.purpose in EVALUATED and row.number not in shown],
            credit=read_credit(store, [pick.row for pick in picks], labels),
            facts=facts,
            names=names,
        )


def _names(config: Any) -> dict[str, str]:
    """Names for policies of a run that starts from a stored model, which is not untrained."""
    model = config.get("model") if isinstance(config, dict) else None
    return {STAGES[0]: "at the start"} if isinstance(model, dict) and model.get("path") else {}


def _evaluated(meta: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Results of evaluations on the test split by policy, and by role and partners where a policy has several."""
    found = {name: value for name, value in kept_results(meta).items() if value.get("split") == "test"}
    counts = Counter(value["policy"] for value in found.values())
    return {
        value["policy"] if counts[value["policy"]] == 1 else name.removeprefix("test:"): value
        for name, value in found.items()
    }


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
