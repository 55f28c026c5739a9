"""Runs a package's tests by pytest with settings of its own, and tells the outcome of each.

It is read as text and runs in a sandbox with the standard library and pytest alone.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import direct  # type: ignore[import-not-found,unused-ignore]
import pytest

WORK = os.getcwd()
ARGUMENTS = [
    *("-q", "--tb=no", "--no-header", "--no-summary", "--assert=plain", "--continue-on-collection-errors"),
    *("-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:junitxml", "-p", "no:pastebin"),
    *("-p", "no:stepwise", "-p", "no:setuponly", "-p", "no:setupplan", "--capture=sys"),
    *("-c", "/dev/null", "--rootdir", WORK),
]
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
sys.dont_write_bytecode = True


class Outcomes:
    """A plugin that notes how each test ended: passed, failed or skipped; a fault in set-up or tear-down is a failure.

    Args:
        limit: Failures after which no further test runs; 0 for none.
    """

    def __init__(self, limit: int = 0) -> None:
        self.of: dict[str, str] = {}
        self.broken: list[tuple[str, str]] = []
        self.limit, self.num_failed = limit, 0
        self.order: str | None = None

    def pytest_collectreport(self, report: Any) -> None:
        """Notes files that could not be collected."""
        if report.failed:
            self.broken.append((report.nodeid, str(report.longrepr)[-2000:]))

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Notes the phases of one test."""
        if report.when == "call" or report.outcome != "passed":
            self.note(report.nodeid, "skipped" if hasattr(report, "wasxfail") else report.outcome)

    def note(self, test: str, outcome: str) -> None:
        """Notes one outcome; a failure stays."""
        if self.of.get(test) != "failed":
            self.of[test] = outcome
            self.num_failed += outcome == "failed"

    def is_enough(self) -> bool:
        """Whether the limit is reached."""
        return bool(self.limit) and self.num_failed >= self.limit

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Puts the tests into another order: "reversed", or files and tests within them shuffled by a seed."""
        if self.order == "reversed":
            items.reverse()
        elif self.order is not None:
            items.sort(key=lambda item: random.Random(f"{self.order} {item.nodeid}").random())

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> None:
        """Stops at the limit."""
        if self.is_enough():
            item.session.shouldstop = "enough"


def add_path(entries: Iterable[str]) -> None:
    """Put folders of the work folder in front of the path; the folder of these programs leaves it."""
    sys.path[:] = [os.path.normpath(os.path.join(WORK, entry)) for entry in entries] + [
        path for path in sys.path if path not in ("", WORK, os.path.dirname(os.path.abspath(__file__)))
    ]


class Chosen:
    """A plugin that keeps the wanted tests.

    Args:
        only: Their ids; () for all.
    """

    def __init__(self, only: Iterable[str] = ()) -> None:
        self.only = set(only)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Drops the others."""
        if self.only:
            items[:] = [item for item in items if item.nodeid in self.only]


def run(
    tests: Sequence[str],
    *,
    order: str | None = None,
    only: Iterable[str] = (),
    limit: int = 0,
    plugins: Iterable[object] = (),
    plain: Iterable[str] = (),
) -> tuple[Outcomes, int]:
    """Run tests in this process.

    Args:
        tests: Files, folders or ids.
        order: None for pytest's; else as in `Outcomes`.
        only: Ids to run; () for all.
        limit: As in `Outcomes`.
        plugins: Further plugins.
        plain: Tests that run directly.

    Returns:
        The plugin with the outcomes, and pytest's exit code.
    """
    outcomes = Outcomes(limit)
    outcomes.order = order
    if plain:
        plugins = [*plugins, direct.Directly(outcomes.note, frozenset(plain), outcomes.is_enough)]
    code = pytest.main([*ARGUMENTS, *tests], plugins=[Chosen(only), outcomes, *plugins])
    return outcomes, int(code)
