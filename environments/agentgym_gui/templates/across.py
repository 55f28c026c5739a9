"""Templates over two or three applications: a price stands in one, and is wanted in another.

Each source and each target is one function; a template is a pair of them. Orders that are planted in a source are drawn
in `orders`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from agentgym_gui.templates.applications import gnumeric
from agentgym_gui.templates.applications.galculator import keyed
from agentgym_gui.templates.applications.mails import KEEPING, account_files, chosen_mail, opened_folder
from agentgym_gui.templates.applications.zim import on_page
from agentgym_gui.templates.editing import joined
from agentgym_gui.templates.making import Cell, gnumeric_file, mail, pdf_file, zim_notebook, zip_file
from agentgym_gui.templates.plan import Ending, Goal, Plan, Template, goal
from agentgym_gui.templates.steps import Step, Steps, call, click, finish, line_edits, press, typed
from agentgym_gui.templates.words import THINGS, address, person, sentences, some


@dataclass(frozen=True)
class Part:
    """What a source or a target brings to a plan.

    Attributes:
        words: What it is called in the request.
        application: Whose file it is.
        start: How it is opened.
        files: Its files at the start.
        may_change: Files that change without harm.
        goals: What must be there in the end; of targets alone.
        done: Files that differ in the end, from the value that is written.
        steps: Steps in its window: a source is looked at, before another application is used; a target gets the value.
    """

    words: str
    application: str
    start: tuple[str, ...]
    files: Mapping[str, bytes]
    may_change: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = ()
    done: Callable[[str], Mapping[str, bytes]] = field(default=lambda value: {})
    steps: Callable[[str], Steps] = field(default=lambda value: ())


Source = Callable[[random.Random, Mapping[str, int], str], Part]
Target = Callable[[random.Random, list[str], str, int], Part]


def _seen(*steps: Step) -> Callable[[str], Steps]:
    """Steps of a source, whatever the target."""
    return lambda target: steps


def _lines(prices: Mapping[str, int], order: str) -> list[str]:
    found = [f"The {thing} costs {price} EUR." for thing, price in prices.items()]
    return [*found[:2], order, *found[2:]] if order else found


def from_mail(rng: random.Random, prices: Mapping[str, int], order: str) -> Part:
    """Prices in a mail of the inbox."""
    who = person(rng)
    body = "\n".join(["Hello Alex,", "", *_lines(prices, order), "", who])
    files = {**account_files(), "Mail/inbox/1": mail(address(who), "New prices", body)}
    steps = (*opened_folder("inbox"), chosen_mail(1))
    return Part(
        'the mail "New prices" in the inbox', "claws-mail", ("claws-mail",), files, KEEPING, steps=_seen(*steps)
    )


def from_paper(rng: random.Random, prices: Mapping[str, int], order: str) -> Part:
    """Prices on the second page of a paper."""
    path = "Documents/prices.pdf"
    content = pdf_file([["Prices of the season", "See the next page."], _lines(prices, order)])
    start = ("atril", f"~/{path}")
    return Part(f"the paper {path}", "atril", start, {path: content}, steps=_seen(press("ctrl+Page_Down")))


def from_table(rng: random.Random, prices: Mapping[str, int], order: str) -> Part:
    """Prices in a workbook."""
    path = "Documents/prices.gnumeric"
    rows: list[list[Cell]] = [["Item", "Price"]]
    rows += [[thing, price] for thing, price in prices.items()]
    rows += [["", ""], [order]] if order else []
    files, start = {path: gnumeric_file({"Prices": rows})}, ("gnumeric", f"~/{path}")
    return Part(f"the workbook {path}", "gnumeric", start, files, steps=_seen(press("ctrl+Down")))


def from_notes(rng: random.Random, prices: Mapping[str, int], order: str) -> Part:
    """Prices on a page of a notebook."""
    files = zim_notebook("Notes", {"Home": "Welcome to these notes.", "Prices": "\n".join(_lines(prices, order))})
    words, start = "the page Prices of the notebook Notes", ("zim", "~/Notes")
    return Part(words, "zim", start, files, ("Notes/notebook.zim",), steps=_seen(click("table cell", "Prices")))


def from_archive(rng: random.Random, prices: Mapping[str, int], order: str) -> Part:
    """Prices in a text file within an archive."""
    path = "Documents/papers.zip"
    members = {"letter.txt": joined(sentences(rng, 2)), "prices.txt": joined(_lines(prices, order))}
    files, start = {path: zip_file(members)}, ("engrampa", f"~/{path}")

    def steps(target: str) -> Steps:
        # The file opens in Geany, in a tab of the window that is open if that is the target.
        closing = (press("ctrl+w"), *raised(1)) if target == "geany" else (press("alt+F4"),)
        return (click("table cell", "prices.txt"), press("Return"), click("page tab", "prices.txt"), *closing)

    return Part(f"prices.txt in the archive {path}", "engrampa", start, files, steps=steps)


def to_text(rng: random.Random, things: list[str], thing: str, price: int) -> Part:
    """A line at the end of a text file."""
    path = "Documents/list.txt"
    old = sentences(rng, 3)

    def done(value: str) -> Mapping[str, bytes]:
        return {path: joined([*old, f"{thing}: {value}"])}

    wanted = goal("text", "lines", path=path, equals=[*old, f"{thing}: {price}"])
    words = f'Add it to {path} as a last line in the form "{thing}: 123" and save the file.'

    def steps(value: str) -> Steps:
        return (*line_edits(old, [*old, f"{thing}: {value}"]), press("ctrl+s"))

    start = ("mousepad", f"~/{path}")
    return Part(words, "mousepad", start, {path: joined(old)}, (path,), (wanted,), done, steps)


def to_program(rng: random.Random, things: list[str], thing: str, price: int) -> Part:
    """A constant in a program."""
    path = "Projects/shop.py"

    def lines(value: str) -> list[str]:
        return [f"{each}_price = {value if each == thing else 0}" for each in things]

    def done(value: str) -> Mapping[str, bytes]:
        return {path: joined(lines(value))}

    wanted = goal("program", "lines", path=path, equals=lines(str(price)))
    words = f"Set {thing}_price in {path} to that number and save the program."
    start = ("geany", f"~/{path}")

    def steps(value: str) -> Steps:
        return (*line_edits(lines("0"), lines(value), indents=True), press("ctrl+s"))

    return Part(words, "geany", start, {path: joined(lines("0"))}, (path, f"{path}~"), (wanted,), done, steps)


def to_table(rng: random.Random, things: list[str], thing: str, price: int) -> Part:
    """A cell of a workbook."""
    path = "Documents/offer.gnumeric"

    def rows(value: Cell) -> list[list[Cell]]:
        return [["Item", "Price"], *[[each, value if each == thing else 1] for each in things]]

    def done(value: str) -> Mapping[str, bytes]:
        return {path: gnumeric_file({"Offer": rows(float(value))})}

    wanted = goal("values", "cells", path=path, equals=gnumeric.cells(rows(price)))
    words = f"Write the number into the row of the {thing} in {path}, instead of what stands there, and save it."
    start = {path: gnumeric_file({"Offer": rows(1)})}

    def steps(value: str) -> Steps:
        return (*gnumeric.in_cell(things.index(thing) + 1, 1, float(value)), press("ctrl+s"))

    return Part(words, "gnumeric", ("gnumeric", f"~/{path}"), start, (path,), (wanted,), done, steps)


def to_notes(rng: random.Random, things: list[str], thing: str, price: int) -> Part:
    """A line on a page of a notebook."""
    path = "Notes/Offer.txt"
    old = sentences(rng, 2)

    def pages(value: str) -> dict[str, bytes]:
        lines = [*old, f"{thing}: {value}"] if value else old
        return zim_notebook("Notes", {"Home": "Welcome to these notes.", "Offer": "\n".join(lines)})

    def done(value: str) -> Mapping[str, bytes]:
        return {path: pages(value)[path]}

    wanted = goal("page", "page", path=path, equals="\n".join([*old, f"{thing}: {price}"]))
    words = f'Add the line "{thing}: 123", with that number, at the end of the page Offer of the notebook Notes.'

    def steps(value: str) -> Steps:
        return on_page("Offer", press("ctrl+End"), typed(f"{thing}: {value}"))

    return Part(words, "zim", ("zim", "~/Notes"), pages(""), (path, "Notes/notebook.zim"), (wanted,), done, steps)


def carried(source: Source, target: Target, rng: random.Random, order: str = "") -> Plan:
    """The plan to carry a price from one application to another."""
    things = some(rng, THINGS, 4)
    prices = dict(zip(things, rng.sample(range(100, 999), 4), strict=True))
    thing, other = rng.sample(things, 2)
    return _joined(
        f"Look up what the {thing} costs in {{source}}. {{target}}",
        source(rng, prices, order),
        target(rng, things, thing, prices[thing]),
        (str(prices[thing]), str(prices[other])),
    )


def reckoned(source: Source, target: Target, rng: random.Random) -> Plan:
    """The plan to look up two prices, to multiply them with the calculator, and to write the result down elsewhere."""
    things = some(rng, THINGS, 4)
    prices = dict(zip(things, rng.sample(range(100, 999), 4), strict=True))
    one, two = rng.sample(things, 2)
    result = prices[one] * prices[two]
    return _joined(
        f"Look up what the {one} and the {two} cost in {{source}}, and multiply the two numbers. {{target}}",
        source(rng, prices, ""),
        target(rng, things, one, result),
        (str(result), str(prices[one] + prices[two])),
        keyed(f"{prices[one]}*{prices[two]}="),
    )


def _joined(words: str, source: Part, target: Part, values: tuple[str, str], reckoning: Steps = ()) -> Plan:
    tools = ("galculator",) if reckoning else ()
    applications = (target.application, source.application, *tools)
    first = (*reckoning, *raised(1)) if reckoning else ()
    steps = (
        *first,
        *source.steps(target.application),
        *raised(len(applications) - 1),
        *target.steps(values[0]),
        finish(),
    )
    files = {**source.files, **target.files}
    right, wrong = (target.done(value) for value in values)
    return Plan(
        goal=words.format(source=source.words, target=target.words),
        applications=tuple(dict.fromkeys(applications)),
        start=(target.start, source.start, *((tool,) for tool in tools)),
        files=files,
        goals=target.goals,
        may_change=(*source.may_change, *target.may_change),
        oracle=steps,
        ending=Ending(dict(right)),
        near_misses=(Ending(dict(wrong)), Ending(answer=values[0]), Ending(clipboard=values[0])),
    )


def raised(place: int) -> Steps:
    """The window that was last active so many windows ago."""
    return (call("key_down", key="alt"), press("Tab", place), call("key_up", key="alt"))


SOURCES: Mapping[str, Source] = {
    "mail": from_mail,
    "paper": from_paper,
    "table": from_table,
    "notes": from_notes,
    "archive": from_archive,
}
TARGETS: Mapping[str, Target] = {"text": to_text, "program": to_program, "table": to_table, "notes": to_notes}


def _pair(make: Any, source: str, target: str) -> Any:
    return partial(make, SOURCES[source], TARGETS[target])


TEMPLATES = (
    *(
        Template(f"across.{source}_to_{target}", _pair(carried, source, target))
        for source in SOURCES
        for target in TARGETS
        if source != target
    ),
    Template("across.mail_reckoned_to_text", _pair(reckoned, "mail", "text")),
    Template("across.paper_reckoned_to_notes", _pair(reckoned, "paper", "notes")),
    Template("across.archive_reckoned_to_table", _pair(reckoned, "archive", "table")),
)
