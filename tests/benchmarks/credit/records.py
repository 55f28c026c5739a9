"""Results of runs as the benchmark keeps them, written by hand."""

from __future__ import annotations

from typing import Any

from benchmarks.credit.runs import Places, write_json
from benchmarks.credit.tables import Piece, digest


def probes(*points: tuple[int, float]) -> list[dict[str, float]]:
    return [{"turns": turns, "iteration": at, "cpu_s": 0.0, "score": score} for at, (turns, score) in enumerate(points)]


def record(piece: Piece, *points: tuple[int, float], cpu_s: float = 60.0) -> dict[str, Any]:
    return {
        "task": piece.task,
        "method": piece.method,
        "seed": piece.seed,
        "chosen": piece.chosen,
        "is_trial": piece.is_trial,
        "digest": digest(piece),
        "probes": probes(*points),
        "turns": points[-1][0],
        "is_cut": False,
        "metrics": {"states/mean_size": 2.0},
        "test": {"score": points[-1][1], "success": points[-1][1]},
        "start": {"cpu_s": 10.0, "wall_s": 12.0, "demonstrations": 100, "demonstration_turns": 900},
        "cost": {
            "collect_cpu_s": 10.0,
            "learn_cpu_s": 20.0,
            "probe_cpu_s": 5.0,
            "cpu_s": cpu_s,
            "wall_s": 70.0,
            "peak_mib": 500.0,
        },
    }


def keep(piece: Piece, places: Places, *points: tuple[int, float]) -> None:
    write_json(places.result(piece), record(piece, *points))
