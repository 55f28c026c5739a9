"""The checker of bfcl-eval's multi-turn part in its own interpreter: times entries whose calls are their ground truth.

It imports nothing of agentgym. It prints one JSON object: for each category the CPU seconds of the entries, and how
many were found valid.
"""

import json
import sys
import time
from pathlib import Path

import bfcl_eval
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker

DATA = Path(bfcl_eval.__file__).parent / "data"


def lines(path):
    """The JSON objects of a file of lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def measure(category, every):
    """Seconds of each entry of a category, one in `every`, and how many are valid."""
    name = f"BFCL_v4_multi_turn_{category}.json"
    truths = {entry["id"]: entry["ground_truth"] for entry in lines(DATA / "possible_answer" / name)}
    seconds, num_valid = [], 0
    for number, entry in enumerate(lines(DATA / name)[::every]):
        truth = truths[entry["id"]]
        given = [[turn] if turn else [] for turn in truth]
        start = time.thread_time()
        verdict = multi_turn_checker(given, truth, entry, f"multi_turn_{category}", f"timed_{number}")
        seconds.append(time.thread_time() - start)
        num_valid += verdict["valid"]
    return {"seconds": seconds, "valid": num_valid}


if __name__ == "__main__":
    found = {category: measure(category, int(sys.argv[1])) for category in sys.argv[2:]}
    sys.stdout.write(json.dumps(found))
