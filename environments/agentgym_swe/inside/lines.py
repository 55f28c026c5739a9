"""Measures which tests run each line of some files, as bit sets in hex; the bit behind the last test is for no test.

What runs in no test runs while files are imported and tests collected.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any

WORK = os.getcwd()


class Measured:
    """A measurement, which begins when it is made.

    Args:
        files: Their paths in the work folder.
        tests: Ids of the tests.
    """

    def __init__(self, files: Sequence[str], tests: Sequence[str]) -> None:
        self.files = {os.path.join(WORK, name): name for name in files}
        self.bit_of = {test: 1 << number for number, test in enumerate([*tests, ""])}
        library: Any = importlib.import_module("coverage")  # only where something is measured
        self.coverage = library.Coverage(data_file=None, config_file=False, include=list(self.files))
        self.coverage.start()

    def enter(self, test: str) -> None:
        """Say which test runs from now on; "" for none."""
        self.coverage.switch_context(test)

    def stop(self) -> None:
        """End it."""
        self.coverage.stop()

    def lines(self) -> dict[str, dict[int, str]]:
        """By file and line the tests that ran it."""
        self.coverage.stop()
        data = self.coverage.get_data()
        found = {}
        for path, name in self.files.items():
            lines = {}
            for line, contexts in data.contexts_by_lineno(path).items():
                bits = sum(self.bit_of.get(context, 0) for context in set(contexts))
                if bits:
                    lines[line] = f"{bits:x}"
            if lines:
                found[name] = lines
        return found
