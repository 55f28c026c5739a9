"""The vocabulary of Desktop-v0 for a tiny tokenizer: what tasks say, what their files hold, and our own tools.

The names of menus, buttons and other parts are those of the two applications of gui/desktop-small. A word that is not
here is spelt in bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from agentgym.arguments import tool_name
from agentgym_gui.actions.tools import TOOLS
from agentgym_gui.desktop.env import ENDED, LOST
from agentgym_gui.desktop.generate import FIRST_SMALL, SMALL
from agentgym_gui.desktop.text import SPOKEN
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.plan import Plan
from agentgym_gui.templates.words import COLOURS, FIRST, FOODS, LAST, MONTHS, THINGS, TOPICS, TOWNS

NUMBERS: range | None = range(100)
"""Numbers that should be single tokens: ids of elements, numbers of lines."""
ROLES = (
    "check box",
    "check menu item",
    "combo box",
    "dialog",
    "label",
    "menu",
    "menu item",
    "page tab",
    "panel",
    "push button",
    "radio menu item",
    "scroll bar",
    "spin button",
    "statusbar",
    "table",
    "table cell",
    "table column header",
    "terminal",
    "text",
    "toggle button",
)
"""Roles of elements that lines begin with, after an id."""
LABELS = (
    "File New New Window New From Template Open Open Recent Save Save As Save All Reload Print Detach Tab Close Tab",
    "Close Window Quit Edit Undo Redo Cut Copy Paste Paste Special Delete Select All Convert Transpose Move Selection",
    "Duplicate Line Increase Indent Decrease Indent Preferences Search Find Find Next Find Previous Find and Replace",
    "Go to View Select Font Color Scheme Line Numbers Menubar Toolbar Statusbar Fullscreen Document Word Wrap",
    "Auto Indent Tab Size Filetype Encoding Line Ending Viewer Mode Write Unicode BOM Previous Tab Next Tab",
    "Help Contents About Mousepad Untitled Terminal Tabs Cancel Insert Spaces None Other OK No Yes",
    "agent sandbox work Documents logs log txt txt wc ls cat shopping",
)
"""Names that the applications of gui/desktop-small give their parts, and what stands in titles and in the terminal."""
_MAX_DEPTH = 6
PHRASES = (
    *("\\n", "\n\n", '" = "', ") ", "~/", "… ", " further lines", " - Mousepad", '      "'),
    *(f"{star}{kind}" for star in ("", "*") for kind in ('window "', "popup")),
    *(f'" ({state})' for state in ("active", "minimised", *SPOKEN)),
    *(f"\n{'  ' * depth}{star}[" for depth in range(1, _MAX_DEPTH + 1) for star in ("", "*")),
    *(f"] {role}{mark}" for role in ROLES for mark in ("", ' "', ' = "')),
)
"""Fixed phrases that should be single tokens: of lines, states and windows, and line ends within a text."""
NAMES = (FOODS, tuple(town.lower() for town in TOWNS))
"""Groups of names that mean nothing in themselves: entries of lists, and files. What is cloned can exchange them."""
_SAID = ("brings the to in", "window is active minimised", "The screen has not settled: something still moves.")
_KEYS = ("ctrl", "shift", "alt", "Home", "End", "Up", "Down", "Left", "Right", "Return", "Escape", "Tab", "Delete")
_WORDS = (*COLOURS, *FIRST, *FOODS, *LAST, *MONTHS, *THINGS, *TOPICS, *TOWNS)
_WEIGHT = 20
"""How often what every screen has is counted, so that it stays where words are many."""


@cache
def texts() -> list[str]:
    """All texts from which the words are taken."""
    return [*_fixed(), *_WORDS, *(text for name in TEMPLATES for text in _told(TEMPLATES[name].plan(0)))]


def texts_of(suite: str) -> list[str]:
    """The texts for the tasks of one suite: of short tasks only what their templates draw from."""
    if suite != "gui/desktop-small":
        return texts()
    plans = [TEMPLATES[name].plan(FIRST_SMALL) for name in SMALL]
    small = (*FIRST, *FOODS, *MONTHS, *THINGS, *TOPICS, *TOWNS, *(town.lower() for town in TOWNS))
    return [*_fixed(), *small, *(plan.goal for plan in plans)]


def _fixed() -> Sequence[str]:
    return [*ROLES, *SPOKEN, *LABELS, *_SAID, *_KEYS, *(tool_name(tool) for tool in TOOLS), ENDED, LOST] * _WEIGHT


def _told(plan: Plan) -> Iterator[str]:
    """The task in words, and the texts among its files."""
    yield plan.goal
    for content in plan.files.values():
        if b"\0" not in content:
            yield content.decode("utf-8", "ignore")
