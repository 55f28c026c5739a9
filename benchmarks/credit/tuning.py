"""Tuning: as many trials for each method, on a seed of their own and validation tasks, the best of which is kept.

A trial is a run like others but for the test split, which it leaves alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.credit.archive import Record
from benchmarks.credit.runs import Places, kept, run_piece, write_json
from benchmarks.credit.statistics import mean_over_turns
from benchmarks.credit.tables import FOLDER, TUNING_SEED, Piece, Settings, digest, method_named, task_named

TUNED = FOLDER / "tuned"


def trial_pieces(task: str, method: str) -> list[Piece]:
    """The trials of a method on a task."""
    trials = method_named(method).trials(task_named(task))
    return [Piece(task, method, TUNING_SEED, chosen, is_trial=True) for chosen in trials]


def tune(task: str, method: str, places: Places, folder: Path = TUNED) -> dict[str, Any]:
    """Run what is missing of the trials, choose, and keep what was chosen with the scores of all trials."""
    for piece in trial_pieces(task, method):
        run_piece(piece, places)
    return conclude(task, method, places, folder)


def conclude(task: str, method: str, places: Places, folder: Path = TUNED) -> dict[str, Any]:
    """Choose among trials that were run, by the mean held-out score over the turns: early gains count, and last.

    Methods that learn offline, once all turns were played, by their last score.

    Raises:
        FileNotFoundError: A trial is missing.
    """
    budget = task_named(task).turns
    trials = []
    for piece in trial_pieces(task, method):
        record = kept(piece, places)
        if record is None:
            raise FileNotFoundError(f"trial {piece.chosen} of {method} on {task} was not run: {places.result(piece)}")
        trials.append(_trial(piece, record, budget))
    criterion = "last" if method_named(method).is_offline else "mean_over_turns"
    best = max(trials, key=lambda trial: trial[criterion])  # the first of equals
    found = {"task": task, "method": method, "seed": TUNING_SEED, "chosen": best["settings"], "trials": trials}
    write_json(folder / f"{task}-{method}.json", found)
    return found


def tuned(task: str, method: str, folder: Path = TUNED) -> Settings | None:
    """What tuning chose; None where it was not tuned, or with another grid."""
    path = folder / f"{task}-{method}.json"
    if not path.exists():
        return None
    found = json.loads(path.read_text())
    wanted = [digest(piece) for piece in trial_pieces(task, method)]
    is_current = [trial["digest"] for trial in found["trials"]] == wanted
    chosen: Settings = found["chosen"]
    return chosen if is_current else None


def _trial(piece: Piece, record: Record, budget: int) -> dict[str, Any]:
    return {
        "settings": piece.chosen,
        "digest": record["digest"],
        "mean_over_turns": round(mean_over_turns(record["probes"], budget), 4),
        "last": record["probes"][-1]["score"],
        "turns": record["turns"],
        "cpu_s": record["cost"]["cpu_s"],
    }
