"""Runs plain tests without the hooks that pytest calls around each, which take longer than most tests do.

Plain is a function that neither marks nor fixtures of pytest's own plugins need hooks for, in a package without hooks.
"""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

import pytest
from _pytest.tmpdir import tmppath_result_key

_HOOKED_FIXTURES = {"capsys", "capfd", "capsysbinary", "capfdbinary", "caplog", "recwarn"}
_HOOKED_MARKS = {"skip", "skipif", "xfail", "filterwarnings"}


def is_plain(item: Any) -> bool:
    """Whether a test may run directly."""
    return (
        type(item) is pytest.Function
        and not _HOOKED_FIXTURES & set(item.fixturenames)
        and not any(mark.name in _HOOKED_MARKS for mark in item.iter_markers())
    )


class Directly:
    """A plugin that takes the place of pytest's loop: plain tests run directly, the others in pytest's way.

    Args:
        tell: Told the id of each plain test and how it ended.
        names: The tests that may be taken for plain; None for all.
        is_enough: Says before each test whether those behind it are left out.
    """

    def __init__(
        self,
        tell: Callable[[str, str], None],
        names: frozenset[str] | None = None,
        is_enough: Callable[[], bool] = lambda: False,
    ) -> None:
        self.tell, self.names, self.is_enough = tell, names, is_enough

    def pytest_runtestloop(self, session: Any) -> bool | None:
        """Run all tests."""
        if is_hooked(session.config):
            return None
        for item, following in zip(session.items, [*session.items[1:], None], strict=False):
            if self.is_enough():
                break
            if is_plain(item) and (self.names is None or item.nodeid in self.names):
                found = outcome(item, following)
                session.testsfailed += found == "failed"
                self.tell(item.nodeid, found)
            else:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return True


def is_hooked(config: Any) -> bool:
    """Whether a `conftest.py` has hooks that pytest calls around tests; then no test runs directly."""
    around = ("pytest_runtest_", "pytest_pyfunc_call", "pytest_fixture_")
    return any(name.startswith(around) for plugin in config.pluginmanager._conftest_plugins for name in vars(plugin))


def outcome(item: Any, following: Any) -> str:
    """Run a test with its fixtures, and say how all of it ends: passed, failed, skipped or xfailed.

    Args:
        item: The test.
        following: The next one, for which fixtures that both share stay; None at the end.
    """
    found = "passed"
    item.stash[tmppath_result_key] = {}
    set_up = item.session._setupstate
    try:
        set_up.setup(item)
        item.runtest()
    except BaseException as error:  # noqa: BLE001 - a test may raise anything, and pytest's own ways to end one are such
        found = _ended_by(error)
    try:
        set_up.teardown_exact(following)
    except BaseException:  # noqa: BLE001
        found = "failed"
    return found


def _ended_by(error: BaseException) -> str:
    if isinstance(error, pytest.skip.Exception | unittest.SkipTest):
        return "skipped"
    return "xfailed" if isinstance(error, pytest.xfail.Exception) else "failed"
