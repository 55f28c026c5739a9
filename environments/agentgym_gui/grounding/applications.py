"""What can be shown: applications, what is open in them, and the keys that bring each state about.

Documents are those of the task templates, drawn with a seed. How a state is opened is in `opening`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentgym.errors import UnknownNameError
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.plan import Plan

START = "start"
"""The state in which an application starts."""


@dataclass(frozen=True)
class Application:
    """An application that screens show.

    Attributes:
        template: The template whose files and command lines are laid out; "" for none.
        start: The command line where there is no template.
        states: By name the combinations of keys that lead there from the start, in order.
        sheet: Whether it shows the cells of a spreadsheet.
    """

    template: str = ""
    start: tuple[str, ...] = ()
    states: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sheet: bool = False

    def plan(self, seed: int) -> Plan | None:
        """What is laid out."""
        return TEMPLATES[self.template].plan(seed) if self.template else None

    def keys(self, state: str) -> tuple[str, ...]:
        """The combinations of keys of a state.

        Raises:
            UnknownNameError: It has no such state.
        """
        if state == START:
            return ()
        if state not in self.states:
            raise UnknownNameError("state", state, [START, *self.states])
        return self.states[state]

    @property
    def all_states(self) -> tuple[str, ...]:
        """The names of its states."""
        return (START, *self.states)


APPLICATIONS: Mapping[str, Application] = {
    "galculator": Application(
        "galculator.product", states={"file menu": ("alt+f",), "edit menu": ("alt+e",), "view menu": ("alt+v",)}
    ),
    "mousepad": Application(
        "mousepad.replace_word",
        states={"file menu": ("alt+f",), "edit menu": ("alt+e",), "replace": ("ctrl+r",), "view menu": ("alt+v",)},
    ),
    "geany": Application(
        "geany.rename_variable", states={"file menu": ("alt+f",), "replace": ("ctrl+h",), "view menu": ("alt+v",)}
    ),
    "thunar": Application(
        "thunar.rename", states={"file menu": ("alt+f",), "edit menu": ("alt+e",), "view menu": ("alt+v",)}
    ),
    "gnumeric": Application(
        "gnumeric.set_cell",
        states={"edit menu": ("alt+e",), "format cells": ("ctrl+1",), "data menu": ("alt+d",)},
        sheet=True,
    ),
    "xfce4-terminal": Application("terminal.count_lines", states={"file menu": ("alt+f",), "edit menu": ("alt+e",)}),
    "ristretto": Application("ristretto.which", states={"file menu": ("alt+f",), "view menu": ("alt+v",)}),
    "atril": Application("atril.total", states={"file menu": ("alt+f",), "view menu": ("alt+v",)}),
    "claws-mail": Application("mail.move", states={"file menu": ("alt+f",), "message menu": ("alt+m",)}),
    "zim": Application("zim.add_line", states={"file menu": ("alt+f",), "edit menu": ("alt+e",)}),
    "homebank": Application("homebank.add_expense", states={"file menu": ("alt+f",), "manage menu": ("alt+m",)}),
    "engrampa": Application("engrampa.make", states={"archive menu": ("alt+a",), "help menu": ("alt+h",)}),
    "appearance": Application(
        "settings.theme", states={"second sheet": ("ctrl+Page_Down",), "third sheet": ("ctrl+Page_Down",) * 2}
    ),
    "mouse": Application(start=("xfce4-mouse-settings",), states={"second sheet": ("ctrl+Page_Down",)}),
    "keyboard": Application(start=("xfce4-keyboard-settings",), states={"second sheet": ("ctrl+Page_Down",)}),
    "orage": Application("orage.add", states={"file menu": ("alt+f",), "edit menu": ("alt+e",)}),
    "xournalpp": Application(start=("xournalpp",), states={"file menu": ("alt+f",), "tools menu": ("alt+t",)}),
}
"""The applications by name."""
HELD_OUT = ("orage", "xournalpp")
"""Applications that only tests show."""


def application_named(name: str) -> Application:
    """An application.

    Raises:
        UnknownNameError: There is none of that name.
    """
    if name not in APPLICATIONS:
        raise UnknownNameError("application", name, APPLICATIONS)
    return APPLICATIONS[name]
