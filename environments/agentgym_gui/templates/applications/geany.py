"""Templates for Geany: small programs that are edited, never run."""

from __future__ import annotations

import random

from agentgym_gui.templates.editing import Edit, edit_plan, joined
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import finish, press, saved_as, typed
from agentgym_gui.templates.words import COLOURS, THINGS, TOPICS, some

APP = "geany"


def _program(rng: random.Random) -> tuple[str, list[str], list[str]]:
    """A path, the lines of a program, and the names of its variables."""
    names = some(rng, THINGS, 3)
    numbers = [rng.randrange(2, 90) for _ in names]
    lines = [f"{name}_price = {number}" for name, number in zip(names, numbers, strict=True)]
    lines += ["", "", "def total():", f"    return {' + '.join(f'{name}_price' for name in names)}"]
    return f"Projects/{rng.choice(TOPICS)}.py", lines, [f"{name}_price" for name in names]


def _rename(rng: random.Random) -> Plan:
    path, lines, names = _program(rng)
    old, new = names[0], f"{rng.choice(COLOURS)}_{names[0]}"
    after = [line.replace(old, new) for line in lines]
    once = [after[0], *lines[1:]]
    words = f"Rename the variable {old} to {new} wherever it stands in the open program, and save it."
    return edit_plan(APP, words, Edit(path, lines, after, [once]))


def _comment(rng: random.Random) -> Plan:
    path, lines, _ = _program(rng)
    place = rng.randrange(3)
    after = [f"# {line}" if number == place else line for number, line in enumerate(lines)]
    words = f'Turn line {place + 1} of the open program into a comment by putting "# " in front of it, and save it.'
    return edit_plan(APP, words, Edit(path, lines, after, [[f"# {line}" for line in lines]]))


def _constant(rng: random.Random) -> Plan:
    path, lines, names = _program(rng)
    place, number = rng.randrange(3), rng.randrange(100, 999)
    after = [f"{names[place]} = {number}" if row == place else line for row, line in enumerate(lines)]
    words = f"In the open program, set {names[place]} to {number} and save it."
    wrong = [[f"{names[place]} = {number + 1}" if row == place else line for row, line in enumerate(lines)]]
    return edit_plan(APP, words, Edit(path, lines, after, wrong))


def _indent(rng: random.Random) -> Plan:
    path, lines, _ = _program(rng)
    broken = [line.strip() if line.startswith("    ") else line for line in lines]
    words = (
        "The last line of the open program lost its indentation. Indent it by four spaces again and save the program. "
        "Change nothing else."
    )
    edit = Edit(path, broken, lines, [[*lines[:-1], lines[-1][2:]]])
    return edit_plan(APP, words, edit, num_mistakes=1)


def _function(rng: random.Random) -> Plan:
    path, lines, names = _program(rng)
    added = ["", "", f"def {names[1]}_twice():", f"    return 2 * {names[1]}"]
    words = "Append this function to the open program, after two empty lines, and save it:\n" + "\n".join(added[2:])
    return edit_plan(APP, words, Edit(path, lines, [*lines, *added], [[*lines, *added[1:]], [*lines, *added[:-1]]]))


def _split(rng: random.Random) -> Plan:
    path, lines, names = _program(rng)
    settings = path.replace(".py", "_prices.py")
    rest = [f"from {path.rpartition('/')[2][:-3]}_prices import {', '.join(names)}", *lines[3:]]
    moved = lines[:3]
    return Plan(
        goal=f"Move the first three lines of {path} into a new file {settings}. In their place, write the one line\n"
        f"{rest[0]}\ninto {path}. Save both files.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files={path: joined(lines)},
        goals=(
            goal("moved", "lines", path=settings, equals=moved),
            goal("rest", "lines", path=path, equals=rest),
        ),
        may_change=(path, settings),
        oracle=(
            press("ctrl+Home"),
            press("shift+Down", 2),
            press("shift+End"),
            press("ctrl+x"),
            typed(rest[0]),
            press("ctrl+s"),
            press("ctrl+n"),
            press("ctrl+v"),
            press("ctrl+s"),
            *saved_as(settings),
            finish(),
        ),
        ending=Ending({path: joined(rest), settings: joined(moved)}),
        near_misses=(Ending({settings: joined(moved)}), Ending({path: joined(rest)})),
    )


TEMPLATES = (
    Template("geany.rename_variable", _rename),
    Template("geany.comment_line", _comment),
    Template("geany.set_constant", _constant),
    Template("geany.indent_line", _indent),
    Template("geany.add_function", _function),
    Template("geany.split_file", _split),
)
