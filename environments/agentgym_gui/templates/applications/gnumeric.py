"""Templates for Gnumeric: cells, rows, sheets and formulas of a workbook."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agentgym_gui.templates.making import Cell, gnumeric_file, shown
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Step, Steps, click, filled, finish, menu, press, typed
from agentgym_gui.templates.words import MONTHS, THINGS, TOPICS, person, some
from agentgym_gui.verify.workbooks import cell_name

APP = "gnumeric"
Rows = list[list[Cell]]


def cells(rows: Sequence[Sequence[Cell]]) -> dict[str, Cell]:
    """The filled cells of rows by name, without formulas, as `verify` reads them."""
    return {
        cell_name(row, column): value if isinstance(value, str) else float(value)
        for row, values in enumerate(rows)
        for column, value in enumerate(values)
        if value != "" and not str(value).startswith("=")
    }


def price_rows(rng: random.Random, count: int = 5) -> Rows:
    """A head and rows of things with a price and a number."""
    body: Rows = [[thing, rng.randrange(3, 400) / 2, rng.randrange(1, 30)] for thing in some(rng, THINGS, count)]
    return [["Item", "Price", "Count"], *body]


def in_cell(row: int, column: int, value: Cell) -> Steps:
    """A value typed into a cell; rows and columns count from 0."""
    way = [press(key, times) for key, times in (("Down", row), ("Right", column)) if times]
    return (press("ctrl+Home"), *way, typed(f"{shown(value)}\n"))


def cell_edits(old: Rows, new: Rows) -> Steps:
    """What differs, typed cell by cell."""
    steps: list[Step] = []
    for row, values in enumerate(new):
        for column, value in enumerate(values):
            before = old[row][column] if row < len(old) and column < len(old[row]) else ""
            if value != before:
                steps += in_cell(row, column, value)
    return tuple(steps)


def sheet_plan(words: str, old: Rows, new: Rows, wrong: Sequence[Rows], **rest: Any) -> Plan:
    """The plan to change one sheet, whose values in the end are known cell by cell."""
    path = "Documents/table.gnumeric"
    files = [{path: gnumeric_file({"Sheet1": rows})} for rows in (old, new, *wrong)]
    formulas = rest.pop("formulas", ())
    steps = rest.pop("steps", None) or cell_edits(old, new)
    return Plan(
        goal=f"{words} Save the workbook.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files=files[0],
        goals=(goal("values", "cells", path=path, equals=cells(new)), *formulas),
        may_change=(path,),
        oracle=(*steps, press("ctrl+s"), finish()),
        ending=Ending(dict(files[1])),
        near_misses=tuple(Ending(dict(each)) for each in files[2:]),
        **rest,
    )


def _with(rows: Rows, row: int, column: int, value: Cell) -> Rows:
    changed = [list(each) for each in rows]
    while len(changed) <= row:
        changed.append([])
    changed[row] += [""] * (column + 1 - len(changed[row]))
    changed[row][column] = value
    return changed


def _set_cell(rng: random.Random) -> Plan:
    rows = price_rows(rng)
    row, number = rng.randrange(1, 6), rng.randrange(500, 999)
    words = f"Set the price of the {rows[row][0]} to {number}."
    return sheet_plan(words, rows, _with(rows, row, 1, number), [_with(rows, row, 2, number), _with(rows, row, 1, 1)])


def _add_row(rng: random.Random) -> Plan:
    rows = price_rows(rng, 6)
    last = rows.pop()
    words = f"Add a row below the last one: {last[0]}, price {last[1]:g}, count {last[2]}."
    return sheet_plan(words, rows, [*rows, last], [[*rows, last[:2]], [rows[0], last, *rows[1:]]])


def _delete_row(rng: random.Random) -> Plan:
    rows = price_rows(rng)
    row = rng.randrange(1, 6)
    left = rows[:row] + rows[row + 1 :]
    words = f"Delete the row of the {rows[row][0]}, so that no empty row stays."
    steps = (press("ctrl+Home"), press("Down", row), press("shift+space"), *menu("Edit", "Delete", "Rows"))
    return sheet_plan(
        words, rows, left, [[*rows[:row], [], *rows[row + 1 :]], rows[:-1] if row != 5 else rows[:-2]], steps=steps
    )


def _formula(name: str, words: str, function: str) -> Template:
    def make(rng: random.Random) -> Plan:
        rows = price_rows(rng)
        new = _with(rows, 6, 1, f"={function}(B2:B6)")
        formula = goal("formula", "formula", path="Documents/table.gnumeric", cell="B7", equals=f"{function}(B2:B6)")
        text = f"{words} of the prices in B7, as a formula of the function {function} over the five prices."
        value = _with(rows, 6, 1, 12345)
        return sheet_plan(text, rows, new, [_with(rows, 6, 1, f"={function}(B2:B5)"), value], formulas=(formula,))

    return Template(f"gnumeric.{name}", make)


def _total_column(rng: random.Random) -> Plan:
    rows = price_rows(rng, 4)
    new = _with(rows, 0, 3, "Total")
    for row in range(1, 5):
        new = _with(new, row, 3, f"=B{row + 1}*C{row + 1}")
    path = "Documents/table.gnumeric"
    formulas = [
        goal(f"D{row}", "formula", path=path, cell=f"D{row}", one_of=[f"B{row}*C{row}", f"C{row}*B{row}"])
        for row in range(2, 6)
    ]
    words = 'Write "Total" into D1, and into D2 to D5 formulas that multiply price and count of their row.'
    wrong = [_with(new, 4, 3, ""), _with(new, 4, 3, "=B2*C2")]
    return sheet_plan(words, rows, new, wrong, formulas=tuple(formulas))


def _fix_swap(rng: random.Random) -> Plan:
    rows = price_rows(rng)
    first, second = rng.sample(range(1, 6), 2)
    right = [list(each) for each in rows]
    wrong = [list(each) for each in rows]
    right[first][2], right[second][2] = 31, 32
    wrong[first][2], wrong[second][2] = 32, 31
    words = f"The counts of the {rows[first][0]} and the {rows[second][0]} were swapped by mistake. Swap them back."
    return sheet_plan(words, wrong, right, [_with(wrong, first, 2, 31)], num_mistakes=1)


def _unsaved_cell(rng: random.Random) -> Plan:
    rows = price_rows(rng)
    row, later, count = *rng.sample(range(1, 6), 2), rng.randrange(31, 60)
    damaged, right = _with(rows, row, 2, 999), _with(rows, later, 2, count)
    words = (
        f"The count of the {rows[row][0]} was overwritten by mistake and stands at 999; the file still has the right "
        f"one, {shown(rows[row][2])}. Put it right, and set the count of the {rows[later][0]} to {count}."
    )
    unsaved = ({"keys": "ctrl+Home"}, *[{"keys": "Down"}] * row, *[{"keys": "Right"}] * 2, {"text": "999\n"})
    wrong = [_with(damaged, later, 2, count), rows]
    return sheet_plan(words, rows, right, wrong, steps=cell_edits(damaged, right), unsaved=unsaved, num_mistakes=1)


def _two_sheets(rng: random.Random) -> tuple[str, Rows, Rows, list[str]]:
    return "Documents/year.gnumeric", price_rows(rng, 3), price_rows(rng, 3), some(rng, MONTHS, 3)


def _rename_sheet(rng: random.Random) -> Plan:
    path, first, second, (one, two, new) = _two_sheets(rng)
    goals = (
        goal("sheets", "sheets", path=path, equals=[one, new]),
        goal("values", "cells", path=path, sheet=new, equals=cells(second)),
        goal("others", "cells", path=path, sheet=one, equals=cells(first)),
    )
    return Plan(
        goal=f"Rename the sheet {two} to {new} and save the workbook.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files={path: gnumeric_file({one: first, two: second})},
        goals=goals,
        may_change=(path,),
        oracle=(
            click("page tab", two),
            *menu("Format", "Sheet", "Rename..."),
            *filled(new),
            press("Return"),
            press("ctrl+s"),
            finish(),
        ),
        ending=Ending({path: gnumeric_file({one: first, new: second})}),
        near_misses=(
            Ending({path: gnumeric_file({new: first, two: second})}),
            Ending({path: gnumeric_file({one: first, two: second, new: second})}),
        ),
    )


def _names(rng: random.Random) -> Plan:
    people = [person(rng) for _ in range(4)]
    rows: Rows = [["Name", "Topic"]]
    rows += [[name, topic] for name, topic in zip(people, some(rng, TOPICS, 4), strict=True)]
    row = rng.randrange(1, 5)
    topic = next(each for each in TOPICS if all(each != line[1] for line in rows))
    words = f'Change the topic of {people[row - 1]} in row {row + 1} to "{topic}".'
    return sheet_plan(words, rows, _with(rows, row, 1, topic), [_with(rows, row, 0, topic), _with(rows, row, 2, topic)])


TEMPLATES = (
    Template("gnumeric.set_cell", _set_cell),
    Template("gnumeric.add_row", _add_row),
    Template("gnumeric.delete_row", _delete_row),
    _formula("sum", "Write the sum", "SUM"),
    _formula("average", "Write the average", "AVERAGE"),
    _formula("largest", "Write the largest", "MAX"),
    Template("gnumeric.total_column", _total_column),
    Template("gnumeric.swap_back", _fix_swap),
    Template("gnumeric.unsaved_cell", _unsaved_cell),
    Template("gnumeric.rename_sheet", _rename_sheet),
    Template("gnumeric.change_topic", _names),
)
