"""Runs all tests once under coverage and prints which tests ran each line of the sources, as bit sets in hex."""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import coverage  # type: ignore[import-not-found,unused-ignore]
import session  # type: ignore[import-not-found,unused-ignore]


class Contexts:
    """A plugin that names each test to the measurement while it runs."""

    def __init__(self, measured: Any) -> None:
        self.measured = measured

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        """A test begins."""
        self.measured.switch_context(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        """It ended."""
        self.measured.switch_context("")


def main() -> None:
    """Reads its orders from the standard input; the answer goes to a descriptor that tests do not know."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    asked = json.load(sys.stdin)
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    session.add_path(asked["path"])
    files = {os.path.join(session.WORK, name): name for name in asked["files"]}
    measured = coverage.Coverage(data_file=None, config_file=False, include=list(files))
    measured.start()
    session.run(asked["tests"], only=asked["only"], plugins=[Contexts(measured)])
    measured.stop()
    number_of = {test: number for number, test in enumerate(asked["only"])}
    data = measured.get_data()
    lines_of = {}
    for path, name in files.items():
        lines = {}
        for line, contexts in data.contexts_by_lineno(path).items():
            bits = 0
            for context in contexts:
                if context in number_of:
                    bits |= 1 << number_of[context]
            if bits:
                lines[line] = f"{bits:x}"
        if lines:
            lines_of[name] = lines
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    json.dump({"lines": lines_of, "seconds": sum(each.ru_utime + each.ru_stime for each in used)}, answer)
    answer.flush()
    os._exit(0)


main()
