"""Runs all tests once in the order that it is told, and prints every outcome and the CPU time as JSON."""

from __future__ import annotations

import json
import os
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # type: ignore[import-not-found,unused-ignore]


def main() -> None:
    """Reads its orders from the standard input; the answer goes to a descriptor that tests do not know."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    asked = json.load(sys.stdin)
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    session.add_path(asked["path"])
    outcomes, code = session.run(asked["tests"], order=asked.get("order"), only=asked.get("only", ()))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    json.dump({"outcomes": outcomes.of, "broken": outcomes.broken, "code": code, "seconds": round(seconds, 3)}, answer)
    answer.flush()
    os._exit(0)  # threads that tests left keep nobody waiting


main()
