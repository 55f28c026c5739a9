"""Tasks of the phone-sized session: sums, notes, files by commands, and a setting, each drawn with a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.task import Limits, Task
from agentgym_gui.templates.words import FOODS, TOPICS, TOWNS, person

WIDTH, HEIGHT = 412, 892
MAX_TURNS = 30
NOTE_PATH = "Documents/note.txt"
_THEME = "xfconf/xsettings/Net/ThemeName"
_MIRRORED = tuple(f"gsettings/org.gnome.desktop.interface/{key}" for key in ("gtk-theme", "color-scheme"))
"""What changes with the theme by itself."""
Parts = tuple[str, dict[str, Any], dict[str, Any]]
"""The goal in words, the config, and the private part."""


def tap(role: str, name: str | None = None) -> dict[str, Any]:
    """A step of the oracle: a click on an element."""
    return {"action_type": "click", "on": {"role": role, "name": name}}


def act(action_type: str, **fields: Any) -> dict[str, Any]:
    """A step of the oracle."""
    return {"action_type": action_type, **fields}


COMPLETE = act("status", goal_status="complete")
SAVE = (tap("menu", "File"), tap("menu item", "Save"))


def _sum_keys(text: str) -> tuple[dict[str, Any], ...]:
    return tuple(tap("toggle button", letter) for letter in text)


def _sum(rng: random.Random) -> Parts:
    one, other = rng.randrange(100, 999), rng.randrange(12, 99)
    answer = str(one * other)
    keys = _sum_keys(f"{one}*{other}=")
    steps = [act("open_app", app_name="Calculator"), *keys, act("answer", text=answer), COMPLETE]
    private = {"goals": [{"name": "result", "read": "answer", "words": answer}], "oracle": steps}
    return f"How much is {one} times {other}? Use the calculator, and answer with the number alone.", {}, private


def _note(rng: random.Random) -> Parts:
    *listed, new = rng.sample(FOODS, 4)
    text = "".join(f"{word}\n" for word in listed)
    steps = [act("open_app", app_name="Editor"), tap("text"), act("input_text", text=new), *SAVE, COMPLETE]
    words = f"Add a line with the word {new} at the end of note.txt, which the editor opens, and save it."
    return words, {"files": {NOTE_PATH: text}}, _of_note(f"{text}{new}\n", steps)


def _anew(rng: random.Random) -> Parts:
    old, new = rng.sample(TOPICS, 2)
    name = person(rng)
    line = f"{new} with {name}"
    typed = act("input_text", text=line, clear_text=True, on={"role": "text", "name": None})
    steps = [act("open_app", app_name="Editor"), typed, *SAVE, COMPLETE]
    words = f'Let note.txt, which the editor opens, hold nothing but the line "{line}", and save it.'
    return words, {"files": {NOTE_PATH: f"{old} with nobody\nto be decided\n"}}, _of_note(f"{line}\n", steps)


def _sum_in_note(rng: random.Random) -> Parts:
    one, other = rng.randrange(1000, 9999), rng.randrange(1000, 9999)
    answer = str(one + other)
    steps = [
        act("open_app", app_name="Calculator"),
        *_sum_keys(f"{one}+{other}="),
        act("navigate_home"),
        act("open_app", app_name="Editor"),
        tap("text"),
        act("input_text", text=answer),
        *SAVE,
        COMPLETE,
    ]
    words = f"Work out {one} + {other} with the calculator, add the result as the last line of note.txt, and save it."
    return words, {"files": {NOTE_PATH: "Sums:\n"}}, _of_note(f"Sums:\n{answer}\n", steps)


def _command(rng: random.Random) -> Parts:
    town, topic = rng.choice(TOWNS).lower(), rng.choice(TOPICS)
    path = f"{topic}.txt"
    command = f"echo {town} > {path}"
    steps = [act("open_app", app_name="Terminal"), tap("terminal"), act("input_text", text=command), COMPLETE]
    private = {
        "goals": [{"name": "file", "read": "text", "path": path, "equals": f"{town}\n"}],
        "may_change": [path, ".bash_history"],
        "oracle": steps,
    }
    return f"With a command in the terminal, write the word {town} into the file {path} in the home.", {}, private


def _theme(rng: random.Random) -> Parts:
    start, wanted = rng.sample(("Adwaita-dark", "Arc-Dark", "Arc-Lighter", "Numix", "Arc"), 2)
    steps = [act("open_app", app_name="Appearance"), tap("table cell", wanted), COMPLETE]
    private = {
        "goals": [{"name": "theme", "read": "setting", "setting": _THEME, "equals": wanted}],
        "settings": [_THEME, *_MIRRORED],
        "oracle": steps,
    }
    words = f"In the settings of the appearance, choose the style {wanted}."
    return words, {"settings": {_THEME: start}}, private


def _of_note(text: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    goal = {"name": "note", "read": "text", "path": NOTE_PATH, "equals": text}
    return {"goals": [goal], "may_change": [NOTE_PATH], "oracle": steps}


KINDS: Mapping[str, Callable[[random.Random], Parts]] = {
    "sum": _sum,
    "note": _note,
    "anew": _anew,
    "sum_in_note": _sum_in_note,
    "command": _command,
    "theme": _theme,
}
"""Kinds of tasks."""


def make_task(kind: str, rng: random.Random, task_id: str, **rest: Any) -> Task:
    """A task of a kind.

    Args:
        kind: One of `KINDS`.
        rng: Randomness.
        task_id: Its id.
        rest: Further fields of the task.
    """
    words, config, private = KINDS[kind](rng)
    screen = {"width": WIDTH, "height": HEIGHT}
    limits = Limits(max_turns=MAX_TURNS, step_timeout_s=120)
    return Task(
        task_id, rest.pop("seed", 0), words, config={**config, "screen": screen}, limits=limits, private=private, **rest
    )


def draw_task(seed: int) -> Task:
    """The task of a seed; kinds take turns."""
    kind = list(KINDS)[seed % len(KINDS)]
    return make_task(kind, random.Random(f"{kind} {seed}"), f"phone-{kind}-{seed}", seed=seed)
