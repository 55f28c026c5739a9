"""Templates for Zim: pages of a notebook and their check lists."""

from __future__ import annotations

import random

from agentgym_gui.templates.making import zim_notebook
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Step, Steps, click, finish, press, typed
from agentgym_gui.templates.words import FOODS, TOPICS, TOWNS, person, sentences, some

APP = "zim"
FOLDER = "Notes"


def on_page(name: str, *steps: Step) -> Steps:
    """Steps in the text of a page, with the window so wide that no line is wrapped, and the page saved after them."""
    return (press("alt+F10"), click("table cell", name), click("text"), *steps, press("ctrl+s"))


def _row(number: int) -> Steps:
    """The caret at the front of a line, which counts from the first below the title."""
    return (press("ctrl+Home"), press("Down", number + 2))


def notebook_plan(
    words: str,
    old: dict[str, str],
    new: dict[str, str],
    wrong: list[dict[str, str]],
    *,
    steps: Steps,
    num_mistakes: int = 0,
) -> Plan:
    """The plan to change pages of a notebook, whose texts in the end are known."""
    start = zim_notebook(FOLDER, old)
    ends = [_ending(start, zim_notebook(FOLDER, pages)) for pages in (new, *wrong)]
    paths = {name: f"{FOLDER}/{name.replace(':', '/').replace(' ', '_')}.txt" for name in (*old, *new)}
    goals = [goal(name, "page", path=paths[name], equals=body) for name, body in new.items() if old.get(name) != body]
    goals += [goal(f"{name} gone", "there", path=paths[name], equals=False) for name in old if name not in new]
    changed = [paths[name] for name in paths if old.get(name) != new.get(name)]
    return Plan(
        goal=f"{words} Zim saves by itself; Ctrl+S saves at once.",
        applications=(APP,),
        start=((APP, f"~/{FOLDER}"),),
        files=start,
        goals=tuple(goals),
        may_change=(*changed, f"{FOLDER}/notebook.zim"),
        ending=ends[0],
        near_misses=tuple(ends[1:]),
        num_mistakes=num_mistakes,
        oracle=(*steps, finish()),
    )


def _ending(start: dict[str, bytes], end: dict[str, bytes]) -> Ending:
    gone: dict[str, bytes | None] = {path: None for path in start if path not in end}
    return Ending({**gone, **{path: content for path, content in end.items() if start.get(path) != content}})


def _pages(rng: random.Random) -> dict[str, str]:
    home = "Welcome to these notes."
    return {"Home": home, **{topic.title(): "\n".join(sentences(rng, 3)) for topic in some(rng, TOPICS, 3)}}


def _add_line(rng: random.Random) -> Plan:
    pages = _pages(rng)
    name = rng.choice(sorted(pages.keys() - {"Home"}))
    line = f"Ask {person(rng)} in {rng.choice(TOWNS)}."
    new = {**pages, name: f"{pages[name]}\n{line}"}
    wrong = [{**pages, "Home": f"{pages['Home']}\n{line}"}, {**pages, name: line}]
    words = f'Add the line "{line}" at the end of the page {name}.'
    return notebook_plan(words, pages, new, wrong, steps=on_page(name, press("ctrl+End"), typed(line)))


def _boxes(states: dict[str, str]) -> str:
    return "\n".join(f"[{mark}] {text}" for text, mark in states.items())


def _tick(rng: random.Random) -> Plan:
    foods = some(rng, FOODS, 5)
    states = dict.fromkeys(foods, " ")
    chosen = rng.sample(foods, 2)
    done = {**states, **dict.fromkeys(chosen, "*")}
    pages = {**_pages(rng), "Shopping": _boxes(states)}
    words = f"On the page Shopping, tick the boxes of {chosen[0]} and {chosen[1]} as done."
    crossed = {**pages, "Shopping": _boxes({**states, **dict.fromkeys(chosen, "x")})}
    one = {**pages, "Shopping": _boxes({**states, chosen[0]: "*"})}
    ticks = [step for each in chosen for step in (*_row(foods.index(each)), press("F12"))]
    end = {**pages, "Shopping": _boxes(done)}
    return notebook_plan(words, pages, end, [crossed, one], steps=on_page("Shopping", *ticks))


def _untick(rng: random.Random) -> Plan:
    foods = some(rng, FOODS, 5)
    states = dict.fromkeys(foods, "*")
    chosen = rng.choice(foods)
    pages = {**_pages(rng), "Shopping": _boxes(states)}
    words = f"On the page Shopping, {chosen} was ticked by mistake. Make its box empty again."
    none = {**pages, "Shopping": _boxes(dict.fromkeys(foods, " "))}
    new = {**pages, "Shopping": _boxes({**states, chosen: " "})}
    steps = on_page("Shopping", *_row(foods.index(chosen)), press("F12"))
    return notebook_plan(words, pages, new, [none], steps=steps, num_mistakes=1)


def _new_page(rng: random.Random) -> Plan:
    pages = _pages(rng)
    name = rng.choice(TOWNS)
    line = sentences(rng, 1)[0]
    words = f'Make a new page {name}, beside Home, with the single line "{line}".'
    wrong = [{**pages, f"Home:{name}": line}, {**pages, name: f"{line}\n{line}"}]
    steps = (
        press("ctrl+n"),
        typed(f":{name}"),
        press("Return"),
        click("text"),
        press("ctrl+Home"),
        press("Down"),
        press("ctrl+shift+End"),
        typed(line),
        press("ctrl+s"),
    )
    return notebook_plan(words, pages, {**pages, name: line}, wrong, steps=steps)


def _delete_line(rng: random.Random) -> Plan:
    pages = _pages(rng)
    name = rng.choice(sorted(pages.keys() - {"Home"}))
    lines = pages[name].split("\n")
    place = rng.randrange(3)
    new = {**pages, name: "\n".join(lines[:place] + lines[place + 1 :])}
    wrong = [{**pages, name: "\n".join(lines[:1])}]
    words = f'On the page {name}, delete the line "{lines[place]}" with its line end.'
    before = (press("ctrl+Home"), press("Down", place + 1), press("End"))
    steps = on_page(name, *before, press("shift+Down"), press("shift+End"), press("Delete"))
    return notebook_plan(words, pages, new, wrong, steps=steps)


TEMPLATES = (
    Template("zim.add_line", _add_line),
    Template("zim.tick", _tick),
    Template("zim.untick", _untick),
    Template("zim.new_page", _new_page),
    Template("zim.delete_line", _delete_line),
)
