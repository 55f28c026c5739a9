"""Templates for the settings of the desktop, which are kept by xfconf and asked from it."""

from __future__ import annotations

import random

from agentgym_gui.templates.editing import joined
from agentgym_gui.templates.plan import Ending, Plan, Template, goal

_X = "xfconf/xsettings"
_START = {
    f"{_X}/Net/ThemeName": "Adwaita",
    f"{_X}/Net/IconThemeName": "Adwaita",
    f"{_X}/Gtk/FontName": "DejaVu Sans 10",
    f"{_X}/Gtk/ToolbarStyle": "icons",
    f"{_X}/Gtk/MenuImages": "true",
    f"{_X}/Gtk/ButtonImages": "true",
    f"{_X}/Gtk/CanChangeAccels": "false",
    f"{_X}/Net/EnableEventSounds": "false",
    f"{_X}/Net/DoubleClickTime": "400",
    f"{_X}/Net/DndDragThreshold": "8",
}
APPEARANCE, MOUSE = "xfce4-appearance-settings", "xfce4-mouse-settings"


def _plan(words: str, application: str, changes: dict[str, str], *wrong: dict[str, str], num_mistakes: int = 0) -> Plan:
    names = {f"{_X}/{key}": value for key, value in changes.items()}
    return Plan(
        goal=words,
        applications=("xfce4-settings",),
        start=((application,),),
        files={"Documents/readme.txt": joined(["Nothing to do here."])},
        settings=_START,
        goals=tuple(
            goal(name.rpartition("/")[2], "setting", setting=name, equals=value) for name, value in names.items()
        ),
        may_set=tuple(names),
        ending=Ending(settings=names),
        near_misses=tuple(Ending(settings={f"{_X}/{key}": value for key, value in each.items()}) for each in wrong),
        num_mistakes=num_mistakes,
    )


def _style(rng: random.Random) -> Plan:
    label, value, other = rng.choice(
        (("Text", "text", "both"), ("Both", "both", "text"), ("Both horizontal", "both-horiz", "both"))
    )
    words = f'Set the toolbar style of the applications to "{label}".'
    return _plan(words, APPEARANCE, {"Gtk/ToolbarStyle": value}, {"Gtk/ToolbarStyle": other})


def _theme(rng: random.Random) -> Plan:
    name = rng.choice(("HighContrast", "Adwaita-dark", "HighContrastInverse"))
    wrong = {"Net/ThemeName": name, "Net/IconThemeName": "HighContrast"}
    return _plan(
        f"Set the style of the windows' content (the theme) to {name}.", APPEARANCE, {"Net/ThemeName": name}, wrong
    )


def _images(rng: random.Random) -> Plan:
    label, key = rng.choice((("menus", "Gtk/MenuImages"), ("buttons", "Gtk/ButtonImages")))
    both = {"Gtk/MenuImages": "false", "Gtk/ButtonImages": "false"}
    return _plan(
        f"Let the applications show no images on {label}. Leave all other settings.", APPEARANCE, {key: "false"}, both
    )


def _accelerators(rng: random.Random) -> Plan:
    words = "In the appearance settings, make the keyboard shortcuts editable, and switch event sounds on."
    changes = {"Gtk/CanChangeAccels": "true", "Net/EnableEventSounds": "true"}
    return _plan(words, APPEARANCE, changes, {"Gtk/CanChangeAccels": "true"}, {"Net/EnableEventSounds": "true"})


def _double_click(rng: random.Random) -> Plan:
    time = rng.randrange(50, 90) * 10
    words = f"Set the time of a double click to {time} ms."
    return _plan(words, MOUSE, {"Net/DoubleClickTime": str(time)}, {"Net/DoubleClickTime": str(time + 10)})


def _threshold(rng: random.Random) -> Plan:
    pixels = rng.randrange(9, 30)
    words = f"Set the threshold of drag and drop to {pixels} px."
    wrong = {"Net/DndDragThreshold": str(pixels), "Net/DoubleClickTime": "410"}
    return _plan(words, MOUSE, {"Net/DndDragThreshold": str(pixels)}, wrong)


TEMPLATES = (
    Template("settings.toolbar_style", _style),
    Template("settings.theme", _theme),
    Template("settings.images", _images),
    Template("settings.two_switches", _accelerators),
    Template("settings.double_click", _double_click),
    Template("settings.drag_threshold", _threshold),
)
