"""The key of a desktop's state; that of real desktops is tested with their forks."""

from types import SimpleNamespace

from agentgym.sandbox.base import ExecResult
from agentgym_gui.desktop.anchoring import anchor_of
from agentgym_gui.desktop.tree import Box, Element, Screen, Window

LISTED, UNLISTED = 6, 7


def anchor(role: str, window: int, size: int) -> str:
    """The anchor of a desktop with one window and one element."""
    listed = Window(LISTED, 1, Box(0, 0, 9, 9), "Orage", "orage", is_active=True, is_hidden=False)
    element = Element("1", role, "", "", (), Box(0, 0, size, size), window, 0, 1)
    look = SimpleNamespace(screen=Screen((listed,), (element,)))
    sandbox = SimpleNamespace(exec=lambda *_, **__: ExecResult(0, b"", b""))
    return anchor_of(SimpleNamespace(look=lambda: look, sandbox=sandbox))


def test_icon_of_a_tray_that_is_not_there_does_not_count():
    assert anchor("frame", UNLISTED, 1) == anchor("frame", UNLISTED, 16)


def test_windows_and_menus_count():
    assert anchor("frame", LISTED, 1) != anchor("frame", LISTED, 16)
    assert anchor("window", UNLISTED, 1) != anchor("window", UNLISTED, 16)
