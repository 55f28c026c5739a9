"""Generated traces: a settings window of named sheets, on each of which something is set and then saved or cancelled.

The screens are made up, with boxes where a window would have them; no application was recorded.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

SHEETS = ("Network", "Sound", "Display", "Mouse", "Keyboard", "Power", "Printer", "Users", "Storage", "Fonts", "Colors",
          "Clock", "Backup", "Panel", "Session", "Windows")  # fmt: skip
SWITCHES = ("Mute", "Beep", "Hints", "Shadows", "Preview", "Autosave", "Spelling", "Wrap", "Grid", "Ruler", "Toolbar",
            "Sleep", "Login", "Icons", "Snap", "Zoom")  # fmt: skip
ENTRIES = ("Title", "Server", "Folder", "Author", "Label", "Proxy", "Port", "Host", "Owner", "Path", "Group", "Topic")
WORDS = ("apple", "river", "stone", "maple", "cloud", "tiger", "olive", "piano", "lemon", "amber", "robin", "cedar",
         "pearl", "comet", "otter", "basil")  # fmt: skip
ENDINGS = ("Save", "Cancel")
NUM_HELD_OUT = 4
"""How many names of each kind, the last ones, training never shows."""
WIDTH, HEIGHT = 1280, 800
_ROW, _PAD = 36, 12


class Change(NamedTuple):
    """One thing to do on a sheet: switch something on, or write a word into an entry.

    Attributes:
        name: What is changed.
        word: The word to write; "" for a switch.
    """

    name: str
    word: str = ""


def draw_trace(rng: random.Random, num_changes: int = 1, held_out: bool = False) -> dict[str, Any]:
    """A trace in the form of trace files.

    Args:
        rng: Randomness.
        num_changes: What is changed on the sheet.
        held_out: Whether the names are those that training never shows.
    """
    sheets = _names(SHEETS, held_out, rng, rng.randint(3, 4))
    switches = _names(SWITCHES, held_out, rng, rng.randint(1, 2) + (num_changes > 1))
    entries = _names(ENTRIES, held_out, rng, rng.randint(1, 2))
    changes = [
        Change(name, rng.choice(_pool(WORDS, held_out)) if name in entries else "")
        for name in rng.sample([*switches, *entries], num_changes)
    ]
    sheet, ending = rng.choice(sheets), rng.choice(ENDINGS)
    ids = iter(rng.sample(range(1, 20), 12))
    first = _window(rng, [(str(next(ids)), "tab", name) for name in sheets])
    rows = [*((name, "check box") for name in switches), *((name, "entry") for name in entries)]
    rng.shuffle(rows)
    buttons = [(name, "button") for name in rng.sample(ENDINGS, 2)]
    second = _window(rng, [(str(next(ids)), role, name) for name, role in [*rows, *buttons]])
    steps = [_step("Settings", first, _click(first, sheet))]
    for each in changes:
        steps.append(_step(sheet, second, _click(second, each.name, each.word)))
        second = _changed(second, each)
    steps.append(_step(sheet, second, _click(second, ending)))
    return {
        "goal": _goal(sheet, changes, ending),
        "width": WIDTH,
        "height": HEIGHT,
        "syntax": "tools",
        "steps": steps,
    }


def _goal(sheet: str, changes: Sequence[Change], ending: str) -> str:
    said = [f'write "{each.word}" into "{each.name}"' if each.word else f'turn on "{each.name}"' for each in changes]
    return f'In "{sheet}", {", then ".join(said)}, then press "{ending}".'


def _pool(names: Sequence[str], held_out: bool) -> Sequence[str]:
    return names[-NUM_HELD_OUT:] if held_out else names[:-NUM_HELD_OUT]


def _names(names: Sequence[str], held_out: bool, rng: random.Random, count: int) -> list[str]:
    return rng.sample(_pool(names, held_out), min(count, NUM_HELD_OUT))


def _window(rng: random.Random, rows: Sequence[tuple[str, str, str]]) -> dict[str, list[Any]]:
    """Elements of a window at a place of its own, one below the other."""
    width = rng.randrange(240, 480, 20)
    left = rng.randrange(0, WIDTH - width, 10)
    top = rng.randrange(0, HEIGHT - _ROW * (len(rows) + 1), 10) + _ROW
    return {
        name: [left + _PAD, top + _ROW * at, width - 2 * _PAD, _ROW - 6, role, label]
        for at, (name, role, label) in enumerate(rows)
    }


def _changed(elements: dict[str, list[Any]], change: Change) -> dict[str, list[Any]]:
    """The elements after a change, which shows in the state of one."""
    state = f'"{change.word}"' if change.word else "checked"
    return {name: [*each, state] if each[5] == change.name else each for name, each in elements.items()}


def _click(elements: dict[str, list[Any]], label: str, word: str = "") -> str:
    found = next(name for name, element in elements.items() if element[5] == label)
    return f'type_into("{found}", "{word}")' if word else f'click("{found}")'


def _step(title: str, elements: dict[str, list[Any]], action: str) -> dict[str, Any]:
    return {"title": title, "elements": elements, "action": action}
