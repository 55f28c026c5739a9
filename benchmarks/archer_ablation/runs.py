"""What `archer_awr` owes to what its critic reads, many updates, its offline start, hindsight: one left out at a time.

Runs are those of `benchmarks.credit` within fewer turns, with held-out scores and the critic's ranking on the way. A
run that is there is not made again, so the work may be stopped at any time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from json import loads
from pathlib import Path
from statistics import median
from typing import Any

from agentgym.evaluation import Estimate, mean_interval
from benchmarks.credit.runs import Places, critic_curves, oracle_score, trainer_of, write_json
from benchmarks.credit.starts import cloned_start
from benchmarks.credit.statistics import mean_over_turns, median_reached, turns_to
from benchmarks.credit.suites import register_suite
from benchmarks.credit.tables import Piece, digest, task_named
from benchmarks.report import progress

METHOD = "archer_awr"
TURNS: Mapping[str, int] = {"key-door": 600, "maze": 1000}
"""Of each task, within which the method is through, or a tenth of the task's budget; one task is partially observed."""
SETTINGS: Mapping[str, Any] = {"optimiser.learning_rate": 1e-3, "algorithm.actor.awr.temperature": 0.3}
"""Of all runs here; tuning tried them too."""
PROBES, LEVEL = 1, 0.8
_NO_START = {"algorithm.start.critic_updates": 0, "algorithm.start.policy_updates": 0, "algorithm.critic.warmup": 6}
AS_IT_IS = "as it is"
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    AS_IT_IS: {},
    "reads the history": {"algorithm.critic.network.reads": "history"},
    "reads all": {"algorithm.critic.network.reads": "all"},
    "a third of the updates": {"algorithm.critic.updates": 33, "algorithm.actor.updates": 5},
    "no offline start": _NO_START,
    "no hindsight": {"algorithm.replay.hindsight": None},
}
_SAME: Mapping[str, Sequence[str]] = {"key-door": ["no hindsight"], "maze": ["reads the history"]}
"""Of each task, the variants that are as it is."""
FOLDER = Path("runs/archer_ablation")
CURVES = ("ranking", "calibration_error", "explained_variance")
Row = dict[str, Any]


def variants_of(task: str, variants: Sequence[str]) -> list[str]:
    """Those of some variants that leave out something of a task."""
    return [name for name in variants if name not in _SAME.get(task, ())]


def row_of(task: str, variant: str, seed: int, turns: int) -> Row:
    """The curves of one run; read where an earlier call made it. All have their held-out scores at the same turns."""
    chosen = {**SETTINGS, **VARIANTS[variant]}
    piece = Piece(task, METHOD, seed, chosen, is_trial=True)
    path = FOLDER / f"{piece.name}-{turns}-{digest(piece)}.json"
    if not path.exists():
        write_json(path, {"task": task, "variant": variant, "seed": seed} | _curves(piece, turns))
        progress(f"{task}, {variant}, seed {seed}")
    row: Row = loads(path.read_text())
    return row


def _curves(piece: Piece, turns: int) -> Row:
    table = replace(task_named(piece.task), turns=turns, probes=PROBES)
    register_suite(table.suite)
    start = cloned_start(piece.task, piece.seed, Places().starts)
    with (
        tempfile.TemporaryDirectory() as folder,
        trainer_of(piece, start, Path(folder) / "run", table=table) as trainer,
    ):
        trainer.run()
    found = {"probes": [probe.to_json() for probe in trainer.probes], **critic_curves(trainer)}
    return found | {"cpu_s": round(trainer.spent.training_cpu_s, 1)}


def mean_of(rows: Sequence[Row], task: str, variant: str) -> Row:
    """Over seeds: scores, turns to a level of the oracle, and medians over turns of what is said of the critic."""
    mine = [row for row in rows if (row["task"], row["variant"]) == (task, variant)]
    level = LEVEL * oracle_score(task, Places())
    return {
        "seeds": len(mine),
        "mean_over_turns": mean_interval([mean_over_turns(row["probes"], TURNS[task]) for row in mine]).to_json(),
        "last": mean_interval([row["probes"][-1]["score"] for row in mine]).to_json(),
        "turns_to_80%": median_reached([turns_to(row["probes"], level) for row in mine]),
        **{name: _middle(mine, name).to_json() for name in CURVES if all(row.get(name) for row in mine)},
        "cpu_s": median(row["cpu_s"] for row in mine),
    }


def _middle(rows: Sequence[Row], name: str) -> Estimate:
    return mean_interval([median(value for _, value in row[name]) for row in rows])
