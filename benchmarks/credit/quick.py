"""The quick version: two methods on the first task with next to no budget, to see that everything works."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.credit.chain import Plan
from benchmarks.credit.report import reported
from benchmarks.credit.runs import Places, run_piece
from benchmarks.credit.tables import QUICK
from benchmarks.report import Report

METHODS = ("loop", "gigpo")


def quick_report() -> Report:
    """Run both and report; the figures mean nothing."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plan = Plan(
            (QUICK,), METHODS, (0,), is_tuned=False, places=Places(root, root / "archive"), tuned_folder=root / "tuned"
        )
        for piece in plan.missing():
            run_piece(piece, plan.places)
        return reported(plan)
