"""The keys of a US keyboard, as DevTools wants them: from "a", "Enter" or "Control+Shift+K" to key events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentgym.errors import ActionSyntaxError

MODIFIERS: Mapping[str, int] = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""Bits of the modifiers in DevTools."""
_SHORT = {
    "ControlOrMeta": "Control",
    "Ctrl": "Control",
    "Cmd": "Meta",
    "Command": "Meta",
    "Option": "Alt",
    "Return": "Enter",
    "Esc": "Escape",
    "Del": "Delete",
    "Up": "ArrowUp",
    "Down": "ArrowDown",
    "Left": "ArrowLeft",
    "Right": "ArrowRight",
    "Spacebar": "Space",
}
_NAMED = {
    "Backspace": 8,
    "Tab": 9,
    "Enter": 13,
    "Shift": 16,
    "Control": 17,
    "Alt": 18,
    "Pause": 19,
    "CapsLock": 20,
    "Escape": 27,
    "PageUp": 33,
    "PageDown": 34,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Insert": 45,
    "Delete": 46,
    "Meta": 91,
    "ContextMenu": 93,
    **{f"F{number}": 111 + number for number in range(1, 13)},
}
# Character without Shift, with Shift, name of the key, code of the key.
_SIGNS = (
    ("`", "~", "Backquote", 192),
    ("-", "_", "Minus", 189),
    ("=", "+", "Equal", 187),
    ("[", "{", "BracketLeft", 219),
    ("]", "}", "BracketRight", 221),
    ("\\", "|", "Backslash", 220),
    (";", ":", "Semicolon", 186),
    ("'", '"', "Quote", 222),
    (",", "<", "Comma", 188),
    (".", ">", "Period", 190),
    ("/", "?", "Slash", 191),
    (" ", " ", "Space", 32),
)
_SHIFTED_DIGITS = ")!@#$%^&*("


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes:
        key: What a page reads as `event.key`.
        code: What it reads as `event.code`.
        number: Its virtual key code.
        text: The text that it types; "" for none.
    """

    key: str
    code: str
    number: int
    text: str = ""


def _table() -> dict[str, Key]:
    keys = {name: Key(name, name, number, "\r" if name == "Enter" else "") for name, number in _NAMED.items()}
    keys |= {name: Key(name, f"{name}Left", _NAMED[name]) for name in MODIFIERS}
    for number in range(26):
        for letter in (chr(97 + number), chr(65 + number)):
            keys[letter] = Key(letter, f"Key{chr(65 + number)}", 65 + number, letter)
    for number in range(10):
        for sign in (str(number), _SHIFTED_DIGITS[number]):
            keys[sign] = Key(sign, f"Digit{number}", 48 + number, sign)
    for plain, shifted, code, number in _SIGNS:
        for sign in (shifted, plain):
            keys[sign] = Key(sign, code, number, sign)
    keys["Space"] = keys[" "]
    return keys


KEYS: Mapping[str, Key] = _table()
"""All keys by name."""

_BY_LOWER_NAME = {
    name.lower(): KEYS[full] for name, full in {**_SHORT, **{name: name for name in KEYS}}.items() if len(name) > 1
}


def key_named(name: str) -> Key:
    """A key by its name or character.

    Raises:
        ActionSyntaxError: There is no such key.
    """
    wanted = _SHORT.get(name, name)
    found = KEYS.get(wanted) or (_BY_LOWER_NAME.get(wanted.lower()) if len(wanted) > 1 else None)
    if found is None:
        raise ActionSyntaxError(
            f"There is no key {name[:40]!r}. Expected a character, or one of Enter, Tab, Escape, Backspace, Delete, "
            "ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Home, End, PageUp, PageDown, F1 to F12; with modifiers as in "
            "Control+A."
        )
    return found


def combination(text: str) -> tuple[list[str], Key]:
    """Modifiers and key of a combination such as "Control+Shift+K" or "+".

    Raises:
        ActionSyntaxError: A part is not a key, or one before the last is not a modifier.
    """
    if text in KEYS or "+" not in text[:-1]:
        return [], key_named(text)
    *names, last = (text[:-2] + "+plus").split("+") if text.endswith("++") else text.split("+")
    modifiers = []
    for name in names:
        found = _BY_LOWER_NAME.get(name.lower())
        if found is None or found.key not in MODIFIERS:
            raise ActionSyntaxError(
                f"{name[:40]!r} in {text[:80]!r} is no modifier; expected Alt, Control, Meta or Shift."
            )
        modifiers.append(found.key)
    return modifiers, key_named("+" if last == "plus" else last)
