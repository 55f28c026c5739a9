"""Says what goes wrong in failing tests: the call with its values, what was observed and what was expected.

Speaks with the outside as `cold` does; a candidate names the tests.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cold  # type: ignore[import-not-found,unused-ignore]
import failing_call  # type: ignore[import-not-found,unused-ignore]
import session  # type: ignore[import-not-found,unused-ignore]


class Failures:
    """A plugin that reads the frames of failing tests."""

    def __init__(self) -> None:
        self.of: dict[str, dict[str, Any]] = {}

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Reads what is left of the call of a test that failed."""
        if call.when == "call" and call.excinfo is not None and item.nodeid not in self.of:
            try:
                self.of[item.nodeid] = failing_call.explain(item, call.excinfo.value, call.excinfo.tb)
            except Exception as error:  # noqa: BLE001 - values of the package may do anything when they are looked at
                self.of[item.nodeid] = {"why_not": f"{type(error).__name__}: {error}"}


def work(asked: dict[str, Any], candidate: dict[str, Any], writer: int) -> None:
    """In the fork: run the tests and tell what went wrong in each."""
    os.setpgid(0, 0)
    failures = Failures()
    files = sorted({test.split("::")[0] for test in candidate["only"]})
    session.run(files, only=candidate["only"], plugins=[failures])
    content = json.dumps({"failures": failures.of}).encode() + b"\n"
    while content:
        content = content[os.write(writer, content) :]


if __name__ == "__main__":
    cold.main(work)
