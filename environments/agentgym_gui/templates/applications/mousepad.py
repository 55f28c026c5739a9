"""Templates for Mousepad: plain text, and the editor's own settings."""

from __future__ import annotations

import random

from agentgym_gui.templates.editing import Edit, edit_plan, joined
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import click, finish, line_edits, menu, press, saved_as, typed
from agentgym_gui.templates.words import COLOURS, FOODS, THINGS, TOPICS, TOWNS, person, sentences, some

APP = "mousepad"
_VIEW = "gsettings/org.xfce.mousepad.preferences.view"


def _replace_word(rng: random.Random) -> Plan:
    old, new = some(rng, THINGS, 2)
    lines = [f"The {old} stands in {town}. {who} paid for the {old}." for town, who in _places(rng, 4)]
    lines.insert(rng.randrange(4), "Nothing else is new.")
    path = f"Documents/{rng.choice(TOPICS)}.txt"
    after = [line.replace(old, new) for line in lines]
    words = f'In {path}, replace every "{old}" by "{new}" and save the file.'
    once = "\n".join(lines).replace(old, new, 1).split("\n")
    return edit_plan(APP, words, Edit(path, lines, after, [once, [line.replace(old, new + "s") for line in lines]]))


def _places(rng: random.Random, count: int) -> list[tuple[str, str]]:
    return [(town, person(rng)) for town in some(rng, TOWNS, count)]


def _add_line(rng: random.Random) -> Plan:
    lines, new = some(rng, FOODS, 6), ""
    new = lines.pop()
    path = "Documents/shopping.txt"
    words = f'Add "{new}" as a last line of its own to the shopping list that is open, and save it.'
    return edit_plan(APP, words, Edit(path, lines, [*lines, new], [[new, *lines], [*lines[:-1], lines[-1] + new]]))


def _delete_line(rng: random.Random) -> Plan:
    lines = sentences(rng, 6)
    place = rng.randrange(1, 5)
    rest = lines[:place] + lines[place + 1 :]
    words = f"Delete line {place + 1} of the open file, leaving no empty line, and save it."
    wrong = [lines[: place - 1] + lines[place:], [*lines[:place], "", *lines[place + 1 :]]]
    return edit_plan(APP, words, Edit("Documents/plan.txt", lines, rest, wrong))


def _swap_lines(rng: random.Random) -> Plan:
    lines = sentences(rng, 5)
    first = rng.randrange(4)
    after = [*lines[:first], lines[first + 1], lines[first], *lines[first + 2 :]]
    words = f"Swap lines {first + 1} and {first + 2} of the open file and save it."
    return edit_plan(APP, words, Edit("Documents/order.txt", lines, after, [list(reversed(lines))]))


def _upper_line(rng: random.Random) -> Plan:
    lines = sentences(rng, 5)
    place = rng.randrange(5)
    after = [line.upper() if number == place else line for number, line in enumerate(lines)]
    words = f"Write line {place + 1} of the open file in capital letters, leave the rest as it is, and save the file."
    return edit_plan(APP, words, Edit("Documents/notice.txt", lines, after, [[line.upper() for line in lines]]))


def _save_copy(rng: random.Random) -> Plan:
    lines = sentences(rng, 4)
    name, colour = rng.choice(TOPICS), rng.choice(COLOURS)
    path, copy = f"Documents/{name}.txt", f"Documents/{name}-{colour}.txt"
    more = [*lines, f"Colour: {colour}"]
    return Plan(
        goal=f'Add a last line "{more[-1]}" to the open text and save it under the new name {copy}. '
        f"{path} itself must stay as it is.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files={path: joined(lines)},
        goals=(goal("copy", "lines", path=copy, equals=more),),
        may_change=(copy,),
        ending=Ending({copy: joined(more)}),
        oracle=(*line_edits(lines, more), press("ctrl+shift+s"), *saved_as(copy), finish()),
        near_misses=(Ending({path: joined(more), copy: joined(more)}), Ending({copy: joined(lines)})),
    )


def _new_file(rng: random.Random) -> Plan:
    lines, path = sentences(rng, 2), f"Documents/{rng.choice(TOPICS)}-{rng.randrange(10, 99)}.txt"
    return Plan(
        goal=f"Write these two lines into a new file and save it as {path}:\n" + "\n".join(lines),
        applications=(APP,),
        start=((APP,),),
        files={"Documents/readme.txt": joined(["Nothing to do here."])},
        goals=(goal("text", "lines", path=path, equals=lines),),
        may_change=(path,),
        ending=Ending({path: joined(lines)}),
        oracle=(click("text"), typed("\n".join(lines) + "\n"), press("ctrl+s"), *saved_as(path), finish()),
        near_misses=(Ending({path: joined(lines[:1])}), Ending({path.replace(".txt", ".text"): joined(lines)})),
    )


def _setting(key: str, words: str, place: tuple[str, ...]) -> Template:
    def make(rng: random.Random) -> Plan:
        name = f"{_VIEW}/{key}"
        lines = sentences(rng, 3)
        path = f"Documents/{rng.choice(TOPICS)}.txt"
        return Plan(
            goal=f"{words} Do not change the open file.",
            applications=(APP,),
            start=((APP, f"~/{path}"),),
            files={path: joined(lines)},
            settings={name: "false", f"{_VIEW}/highlight-current-line": "false"},
            goals=(goal(key, "setting", setting=name, equals="true"),),
            may_set=(name,),
            oracle=(*menu(*place), finish()),
            ending=Ending(settings={name: "true"}),
            near_misses=(
                Ending(settings={name: "true", f"{_VIEW}/highlight-current-line": "true"}),
                Ending({path: joined(lines[:2])}, settings={name: "true"}),
            ),
        )

    return Template(f"mousepad.{key.replace('-', '_')}", make)


def _restore_paragraph(rng: random.Random) -> Plan:
    lines = sentences(rng, 6)
    place = rng.randrange(1, 5)
    damaged = [*lines[:place], "asdf asdf", *lines[place + 1 :]]
    backup = "Documents/backup.txt"
    words = (
        f"Somebody typed nonsense over a line of Documents/letter.txt, which is open. {backup} has the right text. "
        "Put the line right again and save the letter. Leave the backup as it is."
    )
    edit = Edit("Documents/letter.txt", damaged, lines, [lines[:place] + lines[place + 1 :]], {backup: joined(lines)})
    return edit_plan(APP, words, edit, num_mistakes=1)


def _unsaved_nonsense(rng: random.Random) -> Plan:
    lines, new = sentences(rng, 5), f"Seen by {person(rng)}."
    place, nonsense = rng.randrange(5), rng.choice(("asdf asdf ", "qqqq ", "12121 "))
    damaged = [nonsense + line if number == place else line for number, line in enumerate(lines)]
    words = (
        "Somebody leant on the keyboard while the file was open: nonsense stands in front of one of its lines, and is "
        f'not saved. Remove it, add "{new}" as a last line of its own, and save the file.'
    )
    edit = Edit("Documents/report.txt", lines, [*lines, new], [[*damaged, new], lines])
    unsaved = ({"keys": "ctrl+Home"}, *[{"keys": "Down"}] * place, {"text": nonsense})
    return edit_plan(APP, words, edit, damaged, unsaved=unsaved, num_mistakes=1)


def _wrong_settings(rng: random.Random) -> Plan:
    wrong, other = rng.sample([("word-wrap", "word wrap"), ("show-line-numbers", "line numbers")], 2)
    places = {"word-wrap": ("Document", "Word Wrap"), "show-line-numbers": ("View", "Line Numbers")}
    name, kept, path = f"{_VIEW}/{wrong[0]}", f"{_VIEW}/{other[0]}", f"Documents/{rng.choice(TOPICS)}.txt"
    lines = sentences(rng, 3)
    return Plan(
        goal=f"In the editor, {wrong[1]} was switched on by mistake. Switch it off again, and nothing else. "
        "Do not change the open file.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files={path: joined(lines)},
        settings={name: "true", kept: "true"},
        goals=(goal(wrong[0], "setting", setting=name, equals="false"),),
        may_set=(name,),
        oracle=(*menu(*places[wrong[0]]), finish()),
        ending=Ending(settings={name: "false"}),
        near_misses=(Ending(settings={kept: "false"}), Ending(settings={name: "false", kept: "false"})),
        num_mistakes=1,
    )


def _two_mistakes(rng: random.Random) -> Plan:
    lines = sentences(rng, 4)
    gone = rng.randrange(4)
    name, path = f"{_VIEW}/word-wrap", f"Documents/{rng.choice(TOPICS)}.txt"
    damaged = [*lines[:gone], "oops", *lines[gone:]]
    return Plan(
        goal=f'Two mistakes were made: the line "oops" was saved into {path}, which is open, and word wrap was '
        "switched on. Undo both, and save the file.",
        applications=(APP,),
        start=((APP, f"~/{path}"),),
        files={path: joined(damaged)},
        settings={name: "true"},
        goals=(
            goal("text", "lines", path=path, equals=lines),
            goal("word-wrap", "setting", setting=name, equals="false"),
        ),
        may_change=(path, f"{path}~"),
        may_set=(name,),
        oracle=(*line_edits(damaged, lines), press("ctrl+s"), *menu("Document", "Word Wrap"), finish()),
        ending=Ending({path: joined(lines)}, settings={name: "false"}),
        near_misses=(Ending({path: joined(lines)}), Ending(settings={name: "false"})),
        num_mistakes=2,
    )


TEMPLATES = (
    Template("mousepad.replace_word", _replace_word),
    Template("mousepad.add_line", _add_line),
    Template("mousepad.delete_line", _delete_line),
    Template("mousepad.swap_lines", _swap_lines),
    Template("mousepad.upper_line", _upper_line),
    Template("mousepad.save_copy", _save_copy),
    Template("mousepad.new_file", _new_file),
    Template("mousepad.restore_line", _restore_paragraph),
    Template("mousepad.unsaved_nonsense", _unsaved_nonsense),
    Template("mousepad.wrong_setting", _wrong_settings),
    Template("mousepad.two_mistakes", _two_mistakes),
    _setting("word-wrap", "Switch word wrap on in the editor.", ("Document", "Word Wrap")),
    _setting("show-line-numbers", "Let the editor show line numbers.", ("View", "Line Numbers")),
    _setting(
        "insert-spaces",
        "Let the Tab key insert spaces instead of tabs in the editor.",
        ("Document", "Tab Size", "Insert Spaces"),
    ),
)
