"""Runs a package's tests by pytest with settings of its own, and tells the outcome of each.

It is read as text and runs in a sandbox with the standard library and pytest alone.
"""

import gc
import os
import random
import sys

WORK = os.getcwd()
ARGUMENTS = [
    *("-q", "--tb=no", "--no-header", "--no-summary", "--assert=plain"),
    *("-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:junitxml", "-p", "no:pastebin"),
    *("-p", "no:debugging", "-p", "no:stepwise", "-p", "no:setuponly", "-p", "no:setupplan"),
    *("-c", "/dev/null", "--rootdir", WORK),
]
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
sys.dont_write_bytecode = True


class Outcomes:
    """A plugin that notes how each test ended: passed, failed or skipped; a fault in set-up or tear-down is a failure.

    Args:
        limit: Failures after which no further test runs; 0 for none.
    """

    def __init__(self, limit=0):
        self.of, self.limit, self.num_failed, self.broken, self.order = {}, limit, 0, [], None

    def pytest_collectreport(self, report):
        """Notes files that could not be collected."""
        if report.failed:
            self.broken.append((report.nodeid, str(report.longrepr)[-2000:]))

    def pytest_runtest_logreport(self, report):
        """Notes the phases of one test."""
        if report.when == "call" or report.outcome != "passed":
            is_worse = self.of.get(report.nodeid) != "failed"
            was_expected = hasattr(report, "wasxfail")
            if is_worse:
                self.of[report.nodeid] = "skipped" if was_expected else report.outcome
                self.num_failed += self.of[report.nodeid] == "failed"

    def pytest_collection_modifyitems(self, items):
        """Puts the tests into another order: "reversed", or files and tests within them shuffled by a seed."""
        if self.order == "reversed":
            items.reverse()
        elif self.order is not None:
            items.sort(key=lambda item: random.Random(f"{self.order} {item.nodeid}").random())

    def pytest_runtest_protocol(self, item, nextitem):
        """Stops at the limit."""
        if self.limit and self.num_failed >= self.limit:
            item.session.shouldstop = "enough"


def add_path(entries):
    """Put folders of the work folder in front of the path; the folder of these programs leaves it."""
    sys.path[:] = [os.path.normpath(os.path.join(WORK, entry)) for entry in entries] + [
        path for path in sys.path if path not in ("", WORK, os.path.dirname(os.path.abspath(__file__)))
    ]


def run(tests, *, order=None, only=(), limit=0, plugins=(), more=()):
    """Run tests in this process.

    Args:
        tests: Files, folders or ids.
        order: None for pytest's; else as in `Outcomes`.
        only: Ids to run; () for all.
        limit: As in `Outcomes`.
        plugins: Further plugins.
        more: Further arguments.

    Returns:
        The plugin with the outcomes, and pytest's exit code.
    """
    import pytest

    outcomes = Outcomes(limit)
    outcomes.order = order
    wanted = set(only)

    class Choice:
        """Keeps the wanted tests."""

        def pytest_collection_modifyitems(self, items):
            """Drops the others."""
            if wanted:
                items[:] = [item for item in items if item.nodeid in wanted]

    code = pytest.main([*ARGUMENTS, *more, *tests], plugins=[Choice(), outcomes, *plugins])
    gc.collect()
    return outcomes, int(code)
