"""Templates of tasks: each draws, from a person's part of the world, what is asked for and all that would be right."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import Seen

Answer: TypeAlias = int | str | list[str]
"""A number, a text such as a name or a day, or a list of texts whose order means nothing."""
Reason = Literal[
    "not_found", "not_enough_money", "out_of_stock", "not_allowed", "too_late", "already_done", "no_address", "no_time"
]
REASONS: tuple[Reason, ...] = get_args(Reason)
"""Why something cannot be done."""


class NothingToDraw(Exception):  # noqa: N818 - a turn of the drawing, no fault
    """A person has nothing that a template could be about."""


@dataclass(frozen=True)
class Draft:
    """What a template has drawn.

    Attributes:
        text: What is asked for.
        reads: A way to find out what has to be known.
        outcomes: The sets of writes of which each is right; one of none where nothing may change.
        answers: The answers of which each is right; none where no answer is wanted.
        reasons: The right reasons where it cannot be done; none where it can.
        evidence: Sets of rows; all of one have to be seen before an answer, or a reason, counts.
    """

    text: str
    reads: Sequence[Call]
    outcomes: Sequence[Sequence[Call]] = ((),)
    answers: Sequence[Answer] = ()
    reasons: Sequence[Reason] = ()
    evidence: Sequence[frozenset[Seen]] = (frozenset(),)


class Draw:
    """A person's part of the world, from which a template draws.

    Args:
        world: The world at the start, inside a call.
        user: The person's number.
        rng: What decides.
    """

    def __init__(self, world: World, user: int, rng: random.Random) -> None:
        self.world, self.user, self.rng = world, user, rng

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self.world.rows(sql, *values)

    def one(self, sql: str, *values: Any) -> sqlite3.Row:
        """One of the rows of a query, drawn."""
        row: sqlite3.Row = self.pick(self.rows(sql, *values))
        return row

    def count(self, sql: str, *values: Any) -> int:
        """The number that a query gives."""
        return int(self.rows(sql, *values)[0][0])

    def pick(self, options: Sequence[Any]) -> Any:
        """One of some options, drawn.

        Raises:
            NothingToDraw: There is none.
        """
        self.need(bool(options))
        return self.rng.choice(options)

    def some(self, options: Sequence[Any], count: int) -> list[Any]:
        """Some of the options, drawn, in no order.

        Raises:
            NothingToDraw: There are too few.
        """
        self.need(len(options) >= count)
        return self.rng.sample(options, count)

    def need(self, is_so: bool) -> None:
        """Go on only if it is so.

        Raises:
            NothingToDraw: It is not.
        """
        if not is_so:
            raise NothingToDraw

    @property
    def me(self) -> sqlite3.Row:
        """The person."""
        return self.rows("SELECT * FROM people WHERE id = ?", self.user)[0]

    def contact(self, *, condition: str = "email IS NOT NULL") -> sqlite3.Row:
        """A contact of the person who is one of the people, with its number as `person`."""
        sql = (
            "SELECT contacts.*, people.id AS person FROM contacts JOIN people ON people.name = contacts.name "  # noqa: S608
            f"WHERE owner = ? AND contacts.{condition} ORDER BY contacts.id"
        )
        return self.one(sql, self.user)

    def contact_of(self, person: int) -> sqlite3.Row:
        """The person's contact that is this one, if its entry has an e-mail address."""
        sql = (
            "SELECT contacts.*, people.id AS person FROM contacts JOIN people ON people.name = contacts.name WHERE "
            "owner = ? AND people.id = ? AND contacts.email IS NOT NULL"
        )
        return self.one(sql, self.user, person)


@dataclass(frozen=True)
class Template:
    """A kind of task.

    Attributes:
        name: Its name.
        apps: The apps that it takes.
        draw: Draws a task of it; raises `NothingToDraw` where the person has nothing for it.
        is_infeasible: Whether what it asks for cannot be done.
        is_copying: Whether a text that is read is used whole, so that nothing can be planted in it.
    """

    name: str
    apps: frozenset[str]
    draw: Callable[[Draw], Draft]
    is_infeasible: bool
    is_copying: bool


TEMPLATES: dict[str, Template] = {}
"""All templates by name; the modules in `templates` add them."""


def template(
    *apps: str, infeasible: bool = False, copies: bool = False
) -> Callable[[Callable[[Draw], Draft]], Callable[[Draw], Draft]]:
    """Decorator: a function that draws tasks of a kind, under its own name.

    Args:
        apps: The apps that they take.
        infeasible: Whether what they ask for cannot be done.
        copies: Whether they use a text whole that is read.
    """

    def add(draw: Callable[[Draw], Draft]) -> Callable[[Draw], Draft]:
        name = draw.__name__
        assert name not in TEMPLATES, name
        TEMPLATES[name] = Template(name, frozenset(apps), draw, infeasible, copies)
        return draw

    return add


def do(name: str, /, **arguments: Any) -> Call:
    """A call, such as `do("mail.get_mail", mail_id=7)`."""
    return Call(name, arguments)


def seen(table: str, rows: Sequence[sqlite3.Row] | Sequence[Any], key: str = "id") -> frozenset[Seen]:
    """These rows of a table, as evidence."""
    return frozenset((table, str(row[key])) for row in rows)


def all_pages(name: str, num_rows: int, limit: int = 20, /, **arguments: Any) -> list[Call]:
    """The calls that list all of something.

    Args:
        name: The API.
        num_rows: How many rows there are.
        limit: How many a page has.
        arguments: Its other arguments.
    """
    pages = num_rows // limit + 1
    return [do(name, **arguments, page=page, limit=limit) for page in range(pages)]
