"""Templates for LibreOffice: cells of a sheet, paragraphs of a text, titles of slides."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from agentgym_gui.templates.applications.gnumeric import cell_edits, cells, price_rows
from agentgym_gui.templates.making import Cell
from agentgym_gui.templates.odf import odp_file, ods_file, odt_file
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, finish, press, typed
from agentgym_gui.templates.words import THINGS, TOPICS, person, sentences, some

APP = "soffice"
"""What its applications are started by; tasks that name it get the image with LibreOffice."""


def _plan(words: str, path: str, files: list[bytes], found: Mapping[str, Any], steps: Steps) -> Plan:
    """The plan to change a document that is open.

    Args:
        words: What is asked.
        path: The document.
        files: The document at the start, as it should be, and ends that are nearly right.
        found: What a reader must find in the end.
        steps: Of the oracle, before saving.
    """
    old, new, *wrong = files
    return Plan(
        goal=f"{words} Save the document in its own format.",
        applications=(APP,),
        start=((APP, "--norestore", "--nologo", f"~/{path}"),),
        files={path: old},
        goals=(goal("content", path=path, **found),),
        may_change=(path, ".config/libreoffice/*"),
        ending=Ending({path: new}),
        near_misses=tuple(Ending({path: each}) for each in wrong),
        oracle=(*steps, press("ctrl+s"), finish()),
    )


def _sheet_plan(words: str, old: list[list[Cell]], new: list[list[Cell]], wrong: list[list[Cell]]) -> Plan:
    found = {"read": "cells", "equals": cells(new)}
    files = [ods_file(rows) for rows in (old, new, wrong)]
    return _plan(words, "Documents/table.ods", files, found, cell_edits(old, new))


def _set_cells(rng: random.Random) -> Plan:
    rows = price_rows(rng)
    first, second = rng.sample(range(1, 6), 2)
    counts = rng.sample(range(31, 90), 2)
    new, wrong = [list(each) for each in rows], [list(each) for each in rows]
    new[first][2], new[second][2] = counts
    wrong[first][2], wrong[second][2] = counts[1], counts[0]
    words = (
        f"In the open sheet, set the count of the {rows[first][0]} to {counts[0]}, and that of the {rows[second][0]} "
        f"to {counts[1]}."
    )
    return _sheet_plan(words, rows, new, wrong)


def _add_row(rng: random.Random) -> Plan:
    rows = price_rows(rng)
    thing = next(each for each in some(rng, THINGS, 8) if each not in {row[0] for row in rows})
    row: list[Cell] = [thing, rng.randrange(3, 400) / 2, rng.randrange(1, 30)]
    words = f"Below the last row of the open sheet, add a row for the {thing}: price {row[1]:g}, count {row[2]}."
    return _sheet_plan(words, rows, [*rows, row], [rows[0], row, *rows[1:]])


def _document(words: str, old: list[str], new: list[str], wrong: list[str], steps: Steps) -> Plan:
    found = {"read": "paragraphs", "equals": new}
    return _plan(words, "Documents/letter.odt", [odt_file(each) for each in (old, new, wrong)], found, steps)


def _retitle(rng: random.Random) -> Plan:
    lines = [f"About the {rng.choice(TOPICS)}", *sentences(rng, 4)]
    title = f"Notes of {person(rng)}"
    words = f'Replace the first line of the open text, its title, by "{title}".'
    steps = (press("ctrl+Home"), press("shift+End"), typed(title))
    return _document(words, lines, [title, *lines[1:]], [title, *lines], steps)


def _sign(rng: random.Random) -> Plan:
    lines, name = sentences(rng, 4), person(rng)
    words = f'Sign the open letter: add "{name}" as a last paragraph of its own.'
    return _document(words, lines, [*lines, name], [name, *lines], (press("ctrl+End"), typed(f"\n{name}")))


def _slide_title(rng: random.Random) -> Plan:
    topics = [each.capitalize() for each in some(rng, TOPICS, 4)]
    *titles, new = topics
    words = f'In the open presentation, change the title of the first slide from "{titles[0]}" to "{new}".'
    files = [odp_file(each) for each in (titles, [new, *titles[1:]], [new] * 3)]
    found = {"read": "paragraphs", "equals": [new, *titles[1:]]}
    steps = (press("Tab"), press("F2"), press("ctrl+a"), typed(new), press("Escape"), press("Escape"))
    return _plan(words, "Documents/talk.odp", files, found, steps)


TEMPLATES = (
    Template("calc.set_cells", _set_cells),
    Template("calc.add_row", _add_row),
    Template("writer.retitle", _retitle),
    Template("writer.sign", _sign),
    Template("impress.title", _slide_title),
)
