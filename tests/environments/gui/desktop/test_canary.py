"""What of a session's state is not as new."""

from __future__ import annotations

import pytest

from agentgym_gui.desktop.canary import leftovers

NEW = {
    "windows": ["0"],
    "modules": ["0"],
    "modifiers": ["0"],
    "keymap": ["4b"],
    "selection": ["PRIMARY\tfree", "CLIPBOARD\tfree"],
    "property": ["_NET_SUPPORTED", "_OB_THEME", "_XKB_RULES_NAMES"],
}


def test_new_session_has_no_leftovers():
    assert leftovers(NEW, "new") == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("windows", ["1"]),
        ("modules", ["2"]),
        ("modifiers", ["4"]),
        ("keymap", ["5c"]),
        ("selection", ["CLIPBOARD\towned"]),
        ("property", ["_NET_SUPPORTED", "SECRET"]),
    ],
)
def test_each_leftover_is_named(name, value):
    leftovers(NEW, "other")
    assert len(leftovers({**NEW, name: value}, "other")) == 1
