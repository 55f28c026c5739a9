"""Keys by the names that models use for them, as X keysym names: "ctrl", "Ctrl" and "Control_L" are one key.

Which key code and which Shift a keysym needs is known to `desk`, which reads the keyboard.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from agentgym_gui.actions.events import ActionError, Event, KeyDown, KeyUp, shown

MAX_CHORD = 8
"""Most keys that are held together."""

_SIGNS = (
    ("space", " "), ("exclam", "!"), ("quotedbl", '"'), ("numbersign", "#"), ("dollar", "$"), ("percent", "%"),
    ("ampersand", "&"), ("apostrophe", "'"), ("parenleft", "("), ("parenright", ")"), ("asterisk", "*"), ("plus", "+"),
    ("comma", ","), ("minus", "-"), ("period", "."), ("slash", "/"), ("colon", ":"), ("semicolon", ";"), ("less", "<"),
    ("equal", "="), ("greater", ">"), ("question", "?"), ("at", "@"), ("bracketleft", "["), ("backslash", "\\"),
    ("bracketright", "]"), ("asciicircum", "^"), ("underscore", "_"), ("grave", "`"), ("braceleft", "{"), ("bar", "|"),
    ("braceright", "}"), ("asciitilde", "~"),
)  # fmt: skip
_SIGN_NAMES: Mapping[str, str] = {character: name for name, character in _SIGNS}
_CHARACTERS: Mapping[str, str] = dict(_SIGNS)

_WORDS = """
Return Tab Escape BackSpace Delete Insert Home End Page_Up Page_Down Left Up Right Down Print Pause Break Scroll_Lock
Num_Lock Caps_Lock Menu Shift_L Shift_R Control_L Control_R Alt_L Alt_R Super_L Super_R Meta_L Meta_R Hyper_L Hyper_R
ISO_Level3_Shift Help Clear Select Execute Undo Redo Find Cancel Multi_key Sys_Req Linefeed KP_Enter KP_Add KP_Subtract
KP_Multiply KP_Divide KP_Decimal KP_Separator KP_Equal KP_Home KP_End KP_Page_Up KP_Page_Down KP_Left KP_Up KP_Right
KP_Down KP_Insert KP_Delete Hangul Hangul_Hanja Kanji Muhenkan Henkan Mode_switch XF86Back XF86Forward XF86HomePage
XF86Reload XF86Search XF86Favorites XF86Stop XF86Mail XF86AudioLowerVolume XF86AudioRaiseVolume XF86AudioMute
XF86AudioPlay XF86AudioNext XF86AudioPrev XF86AudioStop XF86Sleep XF86Calculator XF86Explorer XF86Launch1 XF86Launch2
XF86AudioMedia"""
NAMES: frozenset[str] = frozenset(
    [
        *_WORDS.split(),
        *(f"F{number}" for number in range(1, 25)),
        *(f"KP_{number}" for number in range(10)),
        *_SIGN_NAMES.values(),
    ]
)
"""Keysym names that are known, beside those of single characters."""

MODIFIERS: frozenset[str] = frozenset(
    [f"{name}_{side}" for name in ("Shift", "Control", "Alt", "Super", "Meta") for side in "LR"] + ["ISO_Level3_Shift"]
)
"""Keys that change what others do."""

_ALIASES: Mapping[str, str] = {
    **{name.lower(): name for name in NAMES},
    **{name.lower().replace("_", ""): name for name in NAMES},
    **dict.fromkeys(("ctrl", "control", "ctrlleft", "ctrl_l", "lctrl", "controlleft", "controlormeta"), "Control_L"),
    **dict.fromkeys(("ctrlright", "ctrl_r", "rctrl"), "Control_R"),
    **dict.fromkeys(("alt", "altleft", "lalt", "option", "optionleft"), "Alt_L"),
    **dict.fromkeys(("altright", "ralt", "optionright"), "Alt_R"),
    **dict.fromkeys(("shift", "shiftleft", "lshift"), "Shift_L"),
    **dict.fromkeys(("shiftright", "rshift"), "Shift_R"),
    **dict.fromkeys(("win", "winleft", "super", "cmd", "command", "windows", "os"), "Super_L"),
    **dict.fromkeys(("winright", "superright"), "Super_R"),
    **dict.fromkeys(("meta",), "Meta_L"),
    **dict.fromkeys(("altgr", "level3"), "ISO_Level3_Shift"),
    **dict.fromkeys(("enter", "ret", "\n", "\r"), "Return"),
    **dict.fromkeys(("esc",), "Escape"),
    **dict.fromkeys(("del", "forwarddelete"), "Delete"),
    **dict.fromkeys(("ins",), "Insert"),
    **dict.fromkeys(("\t",), "Tab"),
    **dict.fromkeys(("pageup", "pgup", "prior", "page up"), "Page_Up"),
    **dict.fromkeys(("pagedown", "pgdn", "next", "page down"), "Page_Down"),
    **dict.fromkeys(("arrowleft", "leftarrow"), "Left"),
    **dict.fromkeys(("arrowright", "rightarrow"), "Right"),
    **dict.fromkeys(("arrowup", "uparrow"), "Up"),
    **dict.fromkeys(("arrowdown", "downarrow"), "Down"),
    **dict.fromkeys(("spacebar",), "space"),
    **dict.fromkeys(("printscreen", "prntscrn", "prtsc", "prtscr"), "Print"),
    **dict.fromkeys(("apps", "contextmenu"), "Menu"),
    **dict.fromkeys(("hyphen", "dash"), "minus"),
    **dict.fromkeys(("dot",), "period"),
    **dict.fromkeys(("backtick",), "grave"),
    **dict.fromkeys(("add", "numpadadd"), "KP_Add"),
    **dict.fromkeys(("subtract", "numpadsubtract"), "KP_Subtract"),
    **dict.fromkeys(("multiply", "numpadmultiply"), "KP_Multiply"),
    **dict.fromkeys(("divide", "numpaddivide"), "KP_Divide"),
    **dict.fromkeys(("decimal", "numpaddecimal"), "KP_Decimal"),
    **dict.fromkeys(("separator",), "KP_Separator"),
    **dict.fromkeys(("numpadenter",), "KP_Enter"),
    **{f"num{number}": f"KP_{number}" for number in range(10)},
    **{f"numpad{number}": f"KP_{number}" for number in range(10)},
    **dict.fromkeys(("browserback",), "XF86Back"),
    **dict.fromkeys(("browserforward",), "XF86Forward"),
    **dict.fromkeys(("browserhome",), "XF86HomePage"),
    **dict.fromkeys(("browserrefresh",), "XF86Reload"),
    **dict.fromkeys(("browsersearch",), "XF86Search"),
    **dict.fromkeys(("browserfavorites",), "XF86Favorites"),
    **dict.fromkeys(("browserstop",), "XF86Stop"),
    **dict.fromkeys(("volumedown",), "XF86AudioLowerVolume"),
    **dict.fromkeys(("volumeup",), "XF86AudioRaiseVolume"),
    **dict.fromkeys(("volumemute",), "XF86AudioMute"),
    **dict.fromkeys(("playpause",), "XF86AudioPlay"),
    **dict.fromkeys(("nexttrack",), "XF86AudioNext"),
    **dict.fromkeys(("prevtrack",), "XF86AudioPrev"),
    **dict.fromkeys(("stop",), "XF86AudioStop"),
    **dict.fromkeys(("sleep",), "XF86Sleep"),
    **dict.fromkeys(("launchmail",), "XF86Mail"),
    **dict.fromkeys(("launchapp1",), "XF86Launch1"),
    **dict.fromkeys(("launchapp2",), "XF86Launch2"),
    **dict.fromkeys(("launchmediaselect",), "XF86AudioMedia"),
    **dict.fromkeys(("hanguel",), "Hangul"),
    **dict.fromkeys(("hanja",), "Hangul_Hanja"),
    **dict.fromkeys(("convert",), "Henkan"),
    **dict.fromkeys(("nonconvert",), "Muhenkan"),
    **dict.fromkeys(("modechange",), "Mode_switch"),
}


def keysym_of(character: str) -> str:
    """The keysym name of one character."""
    if character in _SIGN_NAMES:
        return _SIGN_NAMES[character]
    if character.isascii() and character.isalnum():
        return character
    return f"U{ord(character):04X}"


def key_named(name: object) -> str:
    """The keysym name of a key, by its character or by one of the names that it has.

    Raises:
        ActionError: There is no such key; close names are suggested.
    """
    if not isinstance(name, str):
        raise ActionError(f"A key is named by a text such as 'Return', got {shown(name)}.")
    if len(name) == 1:
        if name in "\n\r\t":
            return _ALIASES[name]
        if name.isprintable():
            return keysym_of(name)
    found = name if name in NAMES else _ALIASES.get(name.strip().lower())
    if found is None:
        close = difflib.get_close_matches(name[:40].lower(), list(_ALIASES), n=3, cutoff=0.7)
        hint = f"Did you mean {' or '.join(close)}?" if close else "Expected a character, or a name such as Return."
        if "+" in name.strip("+"):
            hint = "It is a combination: name its keys one by one, as those of a hotkey."
        raise ActionError(f"There is no key {name[:40]!r}. {hint}")
    return found


def chord(names: Sequence[object]) -> tuple[str, ...]:
    """The keysyms of keys that are held together, as in ["ctrl", "A"].

    A letter beside a modifier is a small one: "Ctrl+A" is Control and a.

    Raises:
        ActionError: There is none, there are too many, or one is unknown or named twice.
    """
    if not names or len(names) > MAX_CHORD:
        raise ActionError(f"A combination has from 1 to {MAX_CHORD} keys, got {len(names)}.")
    keys = [key_named(name) for name in names]
    if len(keys) > 1 and MODIFIERS.intersection(keys):
        keys = [key.lower() if len(key) == 1 else key for key in keys]
    if len(set(keys)) < len(keys):
        raise ActionError(f"A combination names each key once, got {', '.join(keys)}.")
    return tuple(keys)


def combination(text: object) -> tuple[str, ...]:
    """The keysyms of a combination as text, such as "ctrl+s" or "ctrl++".

    Raises:
        ActionError: A part is no key.
    """
    if not isinstance(text, str):
        raise ActionError(f"Keys are named by a text such as 'ctrl+s', got {shown(text)}.")
    if len(text) > 200:
        raise ActionError(f"A combination such as 'ctrl+s' was expected, got {len(text)} characters.")
    stripped = text.strip() or text
    if len(stripped) == 1 or "+" not in stripped:
        return chord([stripped])
    parts = [part.strip() for part in (stripped[:-1] + "plus" if stripped.endswith("++") else stripped).split("+")]
    return chord(parts)


def pressed(keys: Sequence[str]) -> tuple[Event, ...]:
    """Keys held together and let go: down in order, up in the reverse order."""
    return (*(KeyDown(key) for key in keys), *(KeyUp(key) for key in reversed(keys)))


def held(keys: Sequence[str], events: Sequence[Event]) -> tuple[Event, ...]:
    """Events while keys are held."""
    return (*(KeyDown(key) for key in keys), *events, *(KeyUp(key) for key in reversed(keys)))


def character_of(key: str) -> str:
    """The character that a keysym types by itself; "" for keys that type none."""
    if key in _CHARACTERS:
        return _CHARACTERS[key]
    if len(key) == 1:
        return key
    return chr(int(key[1:], 16)) if key[0] == "U" and key not in NAMES and len(key) >= 5 else ""
