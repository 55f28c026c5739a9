"""What the measurements act on: applications with something in them, and places on them to click."""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentgym.sandbox.base import Sandbox
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import GTK_SETTINGS, HOME, DesktopSettings
from agentgym_gui.desktop.tree import Element, Screen

SETTINGS = DesktopSettings()
THREE = (("gnumeric",), ("mousepad", "~/note.txt"), ("galculator",))
EIGHT = (
    ("mousepad", "~/note.txt"),
    ("thunar", "~"),
    ("gnumeric",),
    ("galculator",),
    ("geany", "~/note.txt"),
    ("xfce4-terminal", "--disable-server"),
    ("zim", "--manual"),
    ("homebank",),
)
KEPT_ROLES = (
    "push button",
    "toggle button",
    "text",
    "table cell",
    "radio button",
    "check box",
    "icon",
    "menu",
    "terminal",
)
NOTE = "".join(f"line {number} of a note that is longer than the window\n" for number in range(80))
_UNWANTED = ("Quit", "Close", "Exit", "Delete", "Print", "Send", "Minimise", "Minimize")


def opened(sandbox: Sandbox, *applications: Sequence[str]) -> Desktop:
    """A desktop on which applications were started."""
    desktop = Desktop(sandbox, SETTINGS)
    sandbox.write_file(GTK_SETTINGS, SETTINGS.gtk_settings())
    sandbox.write_file(f"{HOME}/note.txt", NOTE.encode())
    for argv in applications:
        desktop.start(argv)
    return desktop


def places(screen: Screen) -> list[Element]:
    """Elements that may be clicked without ending an application."""
    return [
        each
        for each in screen.elements
        if each.role in KEPT_ROLES and "disabled" not in each.states and not each.name.startswith(_UNWANTED)
    ]


def drawn(screen: Screen, rng: random.Random) -> tuple[int, int]:
    """The middle of one of them; each window is as likely as another."""
    found = places(screen)
    if not found:
        return 640, 400
    window = rng.choice(sorted({each.window for each in found}))
    return rng.choice([each for each in found if each.window == window]).box.centre
