"""Runs a plain test without the hooks that pytest calls around it, which take longer than most tests do.

Plain is a function that neither marks nor fixtures of pytest's own plugins need hooks for.
"""

from __future__ import annotations

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


def passes(item: Any, following: Any) -> bool:
    """Run a test with its fixtures, and say whether all of it passes.

    Args:
        item: The test.
        following: The next one, for which fixtures that both share stay; None at the end.
    """
    has_passed = True
    item.stash[tmppath_result_key] = {}
    set_up = item.session._setupstate
    try:
        set_up.setup(item)
        item.runtest()
    except BaseException:  # noqa: BLE001 - a test may raise anything, and pytest's own ways to skip and fail are such
        has_passed = False
    try:
        set_up.teardown_exact(following)
    except BaseException:  # noqa: BLE001
        has_passed = False
    return has_passed
