"""The checker of bfcl-eval's multi-turn part in its own interpreter: times entries whose calls are their ground truth.

It imports nothing of agentgym. Usage: `PYTHON bfcl_driver.py EVERY REPEATS CATEGORY...`. It prints one JSON object: for
each category the CPU seconds of its entries, and how many were found valid. The checker keeps its objects by the
model's name, so that each time has a name of its own.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

bfcl_eval: Any = importlib.import_module("bfcl_eval")
checker: Any = importlib.import_module("bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker")
DATA = Path(bfcl_eval.__file__).parent / "data"


def lines(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file of lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def measure(category: str, every: int, repeats: int) -> dict[str, Any]:
    """Seconds of each entry of a category, one in `every`, and how many are valid; each is graded once before."""
    name = f"BFCL_v4_multi_turn_{category}.json"
    truths = {entry["id"]: entry["ground_truth"] for entry in lines(DATA / "possible_answer" / name)}
    seconds, num_valid = [], 0
    for entry in lines(DATA / name)[::every]:
        truth = truths[entry["id"]]
        given = [[turn] if turn else [] for turn in truth]
        total = 0.0
        for number in range(repeats + 1):
            start = time.thread_time()
            verdict = checker.multi_turn_checker(given, truth, entry, f"multi_turn_{category}", f"timed_{number}")
            total += (time.thread_time() - start) if number else 0.0
        seconds.append(total / repeats)
        num_valid += verdict["valid"]
    return {"seconds": seconds, "valid": num_valid}


if __name__ == "__main__":
    found = {category: measure(category, int(sys.argv[1]), int(sys.argv[2])) for category in sys.argv[3:]}
    sys.stdout.write(json.dumps(found))
