"""Our metrics beside desktop-env's own, on generated pairs: how many agree, and each that does not.

desktop-env runs in an interpreter of its own, named by AGENTGYM_OSWORLD_PYTHON; see benchmarks/peers/osworld.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from agentgym_gui.osworld.metrics.all_metrics import METRICS
from agentgym_gui.verify.reading import UnreadableFileError
from benchmarks.osworld_metrics.pairs import Pair, all_pairs
from benchmarks.report import Goal, Report, main

PACKAGES = ("agentgymnasium", "openpyxl", "python-docx", "python-pptx", "pillow")
TOLERANCE = 1e-6


def measure(quick: bool) -> Report:
    """The pairs on which both give the same score; `quick` takes every third pair."""
    pairs = all_pairs()[:: 3 if quick else 1]
    theirs, ours = _peer_scores(pairs), [_score(pair) for pair in pairs]
    report = Report(
        setting={"desktop-env": "1.0.2", "pairs": len(pairs), "metrics": len({each.metric for each in pairs})}
    )
    apart = [
        {"metric": pair.metric, "ours": own, "theirs": other, "options": str(pair.options)[:200]}
        for pair, own, other in zip(pairs, ours, theirs, strict=True)
        if isinstance(other, str) or abs(own - other) > TOLERANCE
    ]
    refused = sum(isinstance(each, str) for each in theirs)
    report.figures = {
        "agree": len(pairs) - len(apart),
        "peer_raised": refused,
        "scores": dict(Counter(_kind(each) for each in ours)),
        "never_compared": sorted(METRICS.keys() - {each.metric for each in pairs}),
        "apart": apart[:25],
    }
    report.goals = [Goal("pairs that agree", len(pairs) - len(apart), len(pairs), "at least")]
    return report


def _kind(score: float) -> str:
    return "0" if score == 0 else "1" if score == 1 else "between"


def _score(pair: Pair) -> float:
    options = {name: value for name, value in pair.options.items() if name != "enable_debug"}
    try:
        return float(METRICS[pair.metric](*pair.own(), **options))
    except UnreadableFileError:
        return 0.0


def _peer_scores(pairs: list[Pair]) -> list[Any]:
    interpreter = os.environ.get("AGENTGYM_OSWORLD_PYTHON", "")
    if not interpreter:
        raise SystemExit("set AGENTGYM_OSWORLD_PYTHON to an interpreter with desktop-env; see benchmarks/peers/osworld")
    with tempfile.TemporaryDirectory() as folder:
        calls = [pair.laid(Path(folder), number) for number, pair in enumerate(pairs)]
        command = [interpreter, str(Path(__file__).with_name("peer.py"))]
        done = subprocess.run(command, input=json.dumps(calls), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"desktop-env failed: {done.stderr[-1000:]}")
    found: list[Any] = json.loads(done.stdout.strip().split("\n")[-1])
    return found


if __name__ == "__main__":
    sys.exit(main("osworld_metrics", measure, PACKAGES))
