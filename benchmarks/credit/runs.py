"""One run: from the shared start, within the task's budget, to a result that is kept under the digest of its settings.

What is run in which order is said in `chain.py`; what the results mean in `report.py`.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agentgym.config import Source, merged
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.policies.by_name import load
from agentgym_rl.replay.admission import record_tokenizer
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.run_folder import commit, open_run
from agentgym_rl.run.setup import assemble, reference_of
from benchmarks.credit.archive import ARCHIVE, Record, archived
from benchmarks.credit.budget import BudgetedTrainer, Curve, HeldOut, Recording
from benchmarks.credit.recordings import NothingLearnt, recorded
from benchmarks.credit.starts import cloned_start, cost_of
from benchmarks.credit.suites import register_suite
from benchmarks.credit.tables import (
    Piece,
    TaskTable,
    digest,
    method_named,
    nested,
    run_tables,
    start_digest,
    task_named,
)

RANKING, CALIBRATION, EXPLAINED = "critic/ranking", "calibration/error", "calibration/explained_variance"
_MIB = 1 << 10  # of the kibibytes that Linux counts in
_KEPT_METRICS = ("states/mean_size", "states/singleton_share", "groups/zero_variance_share", "policy/invalid_share")


@dataclass(frozen=True)
class Places:
    """Where things are kept.

    Attributes:
        root: Folder of what this machine made.
        archive: Folder of results of any machine, which go with the sources.
    """

    root: Path = Path("runs/credit")
    archive: Path = ARCHIVE

    @property
    def starts(self) -> Path:
        """The cloned starts."""
        return self.root / "starts"

    @property
    def recordings(self) -> Path:
        """What the starts played, to be learnt from offline."""
        return self.root / "recordings"

    @property
    def oracles(self) -> Path:
        """What the oracle scores."""
        return self.root / "oracles"

    def result(self, piece: Piece) -> Path:
        """The file of a run's result; another one where its settings are others."""
        return self.root / ("trials" if piece.is_trial else "runs") / f"{piece.name}-{digest(piece)}.json"


def kept(piece: Piece, places: Places) -> Record | None:
    """The result of a run with these settings; None where there is none."""
    path = places.result(piece)
    record: Record | None = json.loads(path.read_text()) if path.exists() else archived(piece, places.archive)
    return record


def run_piece(piece: Piece, places: Places) -> Record:
    """Run one piece and keep its result, or read what an earlier call came to."""
    found = kept(piece, places)
    if found is None:
        register_suite(task_named(piece.task).suite)
        start = cloned_start(piece.task, piece.seed, places.starts)
        found = _described(piece) | {"start": cost_of(start)} | _trained(piece, start, places)
        write_json(places.result(piece), found)
    return found


def write_json(path: Path, content: Any) -> None:
    """Write a file whole or not at all, whoever else writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.partial")
    part.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    part.rename(path)


def oracle_score(task: str, places: Places) -> float:
    """What the oracle scores on the tasks that held-out scores are of."""
    table = task_named(task)
    path = places.oracles / f"{task}-{start_digest(table, 0)}-{table.validation_tasks}.json"
    if not path.exists():
        register_suite(table.suite)
        settings = EvaluationSettings(limit=table.validation_tasks)
        found = evaluate(load("oracle", table.suite), table.suite, "validation", settings)
        write_json(path, round(found.score.mean, 4))
    return float(json.loads(path.read_text()))


def _described(piece: Piece) -> Record:
    return {
        "task": piece.task,
        "method": piece.method,
        "seed": piece.seed,
        "chosen": piece.chosen,
        "is_trial": piece.is_trial,
        "digest": digest(piece),
        "commit": commit(),
        "load_1min_at_start": round(os.getloadavg()[0], 1),
    }


def _trained(piece: Piece, start: Path, places: Places) -> Record:
    """Train, test, and say what it took."""
    table, began = task_named(piece.task), time.monotonic()
    recording = None
    if method_named(piece.method).is_offline:
        recording = recorded(piece.task, piece.seed, places.recordings, partial(_recorder, start))
    with tempfile.TemporaryDirectory() as folder, trainer_of(piece, start, Path(folder) / "run", recording) as trainer:
        trainer.run()
    curve = trainer.journal
    assert isinstance(curve, Curve)
    record: Record = {
        "probes": [probe.to_json() for probe in trainer.probes],
        "course": trainer.course,
        "turns": trainer.spent.turns,
        "is_cut": sum(trainer.spent.cpu_s.values()) >= trainer.max_cpu_s,
        "metrics": curve.means(_KEPT_METRICS),
        "cost": {f"{stage}_cpu_s": round(value, 2) for stage, value in trainer.spent.cpu_s.items()},
    }
    record |= critic_curves(trainer)
    if trainer.stall:
        record["stall"] = trainer.stall
    if not piece.is_trial:
        record["test"] = _test(trainer, table, piece.seed)
    record["cost"] |= {
        "cpu_s": round(time.process_time(), 2),
        "wall_s": round(time.monotonic() - began, 2),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MIB, 1),
        "iterations": trainer.state.iteration,
        "threads": torch.get_num_threads(),
    }
    return record


def critic_curves(trainer: BudgetedTrainer) -> Record:
    """How the critic ranked messages over the turns, and how far its values were from returns; nothing unmeasured."""
    curve = trainer.journal
    assert isinstance(curve, Curve)
    pairs = list(zip(trainer.course, curve.rows, strict=False))
    if not any(RANKING in row for _, row in pairs):
        return {}
    found = {
        name: [[course[0], round(row[key], 4)] for course, row in pairs if key in row and np.isfinite(row[key])]
        for name, key in (("ranking", RANKING), ("calibration_error", CALIBRATION), ("explained_variance", EXPLAINED))
    }
    return {name: rows for name, rows in found.items() if rows}


@contextmanager
def trainer_of(
    piece: Piece, start: Path, folder: Path, recording: Recording | None = None, table: TaskTable | None = None
) -> Iterator[BudgetedTrainer]:
    """The trainer of a piece, its run in a folder; a table has other turns and held-out scores than the task's."""
    table, tables = table or task_named(piece.task), run_tables(piece, str(start))
    if recording is not None:
        tables = merged(tables, nested("algorithm.replay.runs", [str(recording.folder)]))
    config = config_from_tables(tables, Source())
    parts = assemble(config)
    with open_run(folder, config, resume=False, overwrite=False) as store:
        record_tokenizer(store, parts.tokenizer)
        trainer = BudgetedTrainer(
            config,
            parts.suite,
            parts.model,
            parts.policy,
            reference=reference_of(parts.model, config),
            store=store,
            folder=folder,
            journal=Curve(),
            max_turns=table.turns,
            max_cpu_s=method_named(piece.method).cpu_s(piece.task),
            probes=table.probes,
            held_out=HeldOut(table.validation_tasks, table.attempts, piece.seed),
            recording=recording,
        )
        trainer.state.seen_hashes.update(parts.seen.hashes)
        try:
            yield trainer
        finally:
            trainer.learner.close()


def _recorder(start: Path, piece: Piece, folder: Path) -> BudgetedTrainer:
    with trainer_of(piece, start, folder) as trainer:
        trainer.learner = NothingLearnt()
        trainer.run()
        return trainer


def _test(trainer: BudgetedTrainer, table: TaskTable, seed: int) -> Record:
    """The weights at the end on the test split; none are chosen by what they score."""
    found = HeldOut(table.test_tasks, table.attempts, seed).play(trainer.policy, trainer.suite, "test", trainer.config)
    return {"score": round(found.score.mean, 4), "success": round(found.success.mean, 4)}
