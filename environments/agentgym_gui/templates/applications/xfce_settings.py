"""Templates for the settings of the desktop, which are kept by xfconf and asked from it."""

from __future__ import annotations

import random

from agentgym_gui.templates.editing import joined
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, call, click, click_first, filled, finish, press

_X = "xfconf/xsettings"
_START = {
    f"{_X}/Net/ThemeName": "Adwaita",
    f"{_X}/Net/IconThemeName": "Adwaita",
    f"{_X}/Gtk/FontName": "DejaVu Sans 10",
    f"{_X}/Gtk/MenuImages": "true",
    f"{_X}/Gtk/ButtonImages": "true",
    f"{_X}/Gtk/CanChangeAccels": "false",
    f"{_X}/Net/EnableEventSounds": "false",
    f"{_X}/Xft/Antialias": "1",
    f"{_X}/Xft/HintStyle": "hintnone",
    f"{_X}/Xft/RGBA": "none",
    f"{_X}/Xft/DPI": "96",
    f"{_X}/Net/DoubleClickTime": "400",
    f"{_X}/Net/DndDragThreshold": "8",
}
_FOLLOWING = (
    f"{_X}/Xfce/LastCustomDPI",
    f"{_X}/Xft/Hinting",
    f"{_X}/Net/EnableInputFeedbackSounds",
    "gsettings/org.gnome.desktop.interface/gtk-theme",
    "gsettings/org.gnome.desktop.interface/color-scheme",
)
"""What the program sets by itself when something else is set."""
APPEARANCE, MOUSE = "xfce4-appearance-settings", "xfce4-mouse-settings"


def _plan(words: str, application: str, changes: dict[str, str], steps: Steps, *wrong: dict[str, str]) -> Plan:
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
        may_set=(*names, *_FOLLOWING),
        ending=Ending(settings=names),
        near_misses=tuple(Ending(settings={f"{_X}/{key}": value for key, value in each.items()}) for each in wrong),
        oracle=(*steps, finish()),
    )


def _theme(rng: random.Random) -> Plan:
    name = rng.choice(("Adwaita-dark", "Arc-Dark", "Arc", "Greybird", "Numix"))
    wrong = {"Net/ThemeName": name, "Net/IconThemeName": "HighContrast"}
    words = f"Set the style of the windows' content (the theme) to {name}."
    steps = (click_first("table cell", f"{name}\n"),)
    return _plan(words, APPEARANCE, {"Net/ThemeName": name}, steps, wrong)


def _smoothing(rng: random.Random) -> Plan:
    dpi = rng.randrange(100, 140)
    words = f"Switch anti-aliasing of fonts off, and set the custom DPI to {dpi}."
    steps = (
        click("page tab", "Fonts"),
        click("check box", "Enable anti-aliasing"),
        *filled(str(dpi), "spin button"),
        press("Tab"),
    )
    changes = {"Xft/Antialias": "0", "Xft/DPI": str(dpi)}
    return _plan(words, APPEARANCE, changes, steps, {"Xft/Antialias": "0"}, {"Xft/DPI": str(dpi)})


def _hinting(rng: random.Random) -> Plan:
    label, value = rng.choice((("Slight", "hintslight"), ("Medium", "hintmedium"), ("Full", "hintfull")))
    words = f'Set the hinting of fonts to "{label}", and leave their sub-pixel order as it is.'
    steps = (click("page tab", "Fonts"), click("combo box", "None", 1), click("", label))
    wrong = {"Xft/HintStyle": value, "Xft/RGBA": "rgb"}
    return _plan(words, APPEARANCE, {"Xft/HintStyle": value}, steps, wrong)


def _images(rng: random.Random) -> Plan:
    label, key = rng.choice((("in menus", "Gtk/MenuImages"), ("on buttons", "Gtk/ButtonImages")))
    both = {"Gtk/MenuImages": "false", "Gtk/ButtonImages": "false"}
    words = f"Let the applications show no images {label}. Leave all other settings."
    steps = (click("page tab", "Settings"), click("check box", f"Show images {label}"))
    return _plan(words, APPEARANCE, {key: "false"}, steps, both)


def _accelerators(rng: random.Random) -> Plan:
    words = "In the appearance settings, make the keyboard shortcuts editable, and switch event sounds on."
    changes = {"Gtk/CanChangeAccels": "true", "Net/EnableEventSounds": "true"}
    boxes = (click("check box", "Enable editable accelerators"), click("check box", "Enable event sounds"))
    return _plan(
        words,
        APPEARANCE,
        changes,
        (click("page tab", "Settings"), *boxes),
        {"Gtk/CanChangeAccels": "true"},
        {"Net/EnableEventSounds": "true"},
    )


def _double_click(rng: random.Random) -> Plan:
    time = rng.randrange(50, 90) * 10
    words = f"Set the time of a double click to {time} ms."
    hundreds, rest = divmod(time - 400, 100)
    presses = [press(key, times) for key, times in (("Page_Down", hundreds), ("Right", rest)) if times]
    steps = (click("page tab", "Behavior"), press("Tab", 2), *presses, call("wait", time_s=1.0))
    return _plan(words, MOUSE, {"Net/DoubleClickTime": str(time)}, steps, {"Net/DoubleClickTime": str(time + 10)})


def _threshold(rng: random.Random) -> Plan:
    pixels = rng.randrange(9, 30)
    words = f"Set the threshold of drag and drop to {pixels} px."
    wrong = {"Net/DndDragThreshold": str(pixels), "Net/DoubleClickTime": "410"}
    steps = (click("page tab", "Behavior"), press("Tab"), press("Right", pixels - 8), call("wait", time_s=1.0))
    return _plan(words, MOUSE, {"Net/DndDragThreshold": str(pixels)}, steps, wrong)


TEMPLATES = (
    Template("settings.smoothing", _smoothing),
    Template("settings.hinting", _hinting),
    Template("settings.theme", _theme),
    Template("settings.images", _images),
    Template("settings.two_switches", _accelerators),
    Template("settings.double_click", _double_click),
    Template("settings.drag_threshold", _threshold),
)
