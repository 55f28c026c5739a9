"""What all apps share: whose they are, pages of lists, rows of one's own, and descriptions of usual parameters."""

# ruff: noqa: S608 - tables and columns are written in this package

from __future__ import annotations

import inspect
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from agentgym.tools.docstring import read_docstring
from agentgym_tools.apps.calendar_days import TODAY, read_day
from agentgym_tools.worlds import World
from agentgym_tools.worlds.toolbox import Toolbox, ToolFailure, WorldTool, reads, writes

MAX_LIMIT = 20
MAX_TEXT = 2_000
MAX_CENTS = 1_000_000
END = "end of"
"""What is seen of a table where a list has come to its end, so that nothing else can be in it."""

PARAMETERS: Mapping[str, str] = {
    "page": "Which page of the list, from 0.",
    "limit": f"Most entries of a page, 1 to {MAX_LIMIT}. A page that is not full is the last one.",
    "query": "A word or a part of one; letters' case does not matter.",
    "contact_id": "The contact.",
    "group_id": "The group.",
    "mail_id": "The mail.",
    "draft_id": "The draft.",
    "event_id": "The event.",
    "note_id": "The note.",
    "chat_id": "The chat.",
    "message_id": "The message.",
    "song_id": "The song.",
    "playlist_id": "The playlist.",
    "card_id": "The card.",
    "transfer_id": "The transfer.",
    "request_id": "The request.",
    "product_id": "The product.",
    "order_id": "The order.",
    "review_id": "The review.",
    "file_id": "The file.",
    "list_id": "The list.",
    "task_id": "The task.",
    "step_id": "The step.",
    "title": "The title.",
    "name": "The name.",
    "text": "The text.",
    "email": "A person's e-mail address.",
    "phone": "A person's phone number.",
    "to": "E-mail addresses of those who get it.",
    "subject": "The subject.",
    "body": "The text.",
    "note": "A note; may be empty.",
    "amount_cents": f"Whole cents, 1 to {MAX_CENTS}.",
    "day": "A day, such as 2031-09-28.",
    "first_day": "The first day, such as 2031-09-28.",
    "last_day": "The last day; it is included.",
    "start": "The time at which it begins, such as 14:30.",
    "minutes": "How long it takes, 5 to 1440.",
    "place": "Where; may be empty.",
    "notebook": "Name of the notebook.",
    "folder": "Path of the folder, such as /work.",
    "artist": "Name of the artist.",
    "genre": "The genre.",
    "category": "The category.",
    "quantity": "How many, 1 to 99.",
    "stars": "1 to 5.",
    "relation": "What the person is to you, such as friend.",
    "label": "The label; an empty text for none.",
    "priority": "How urgent it is.",
    "emoji": "The reaction.",
}
"""What usual parameters mean; they mean the same in every API."""


def look(function: Callable[..., Any]) -> WorldTool:
    """Decorator: an API that only reads. Usual parameters need no line in its docstring."""
    return reads(_described(function))


def change(function: Callable[..., Any]) -> WorldTool:
    """Decorator: an API that changes something. Usual parameters need no line in its docstring."""
    return writes(_described(function))


def _described(function: Callable[..., Any]) -> Callable[..., Any]:
    said = read_docstring(function.__doc__)
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    lines = [f"    {name}: {said.arguments.get(name) or PARAMETERS.get(name, '')}" for name in names]
    function.__doc__ = "\n".join([said.description, *(["", "Args:", *lines] if lines else [])])
    return function


class App(Toolbox):
    """An app, used on behalf of one person.

    Args:
        world: The world.
        user: The person's number.
    """

    about: ClassVar[str] = ""
    """What the app is for, in a line."""

    def __init__(self, world: World, user: int) -> None:
        super().__init__(world)
        self.user = user

    @property
    def now(self) -> int:
        """The present minute."""
        return self.world.now

    @property
    def today(self) -> int:
        """The present day."""
        return TODAY

    def page_of(
        self,
        table: str,
        view: Callable[[sqlite3.Row], Any],
        sql: str,
        *values: Any,
        page: int,
        limit: int,
        key: str = "id",
    ) -> list[Any]:
        """A page of a list, each row shown."""
        if not 1 <= limit <= MAX_LIMIT:
            raise ToolFailure(f"limit must be from 1 to {MAX_LIMIT}, got {limit}.")
        if not 0 <= page <= 10_000:
            raise ToolFailure(f"page must be from 0 to 10000, got {page}.")
        rows = self.world.rows(f"{sql} LIMIT ? OFFSET ?", *values, limit, page * limit)
        if len(rows) < limit:
            self.show(END, table)
        for row in rows:
            self.show(table, row[key])
        return [view(row) for row in rows]

    def own(self, table: str, number: int, what: str) -> sqlite3.Row:
        """A row of this person's own, which is shown.

        Raises:
            ToolFailure: There is no such row.
        """
        row = self.world.row(f"SELECT * FROM {table} WHERE id = ? AND owner = ?", number, self.user)
        if row is None:
            raise ToolFailure(f"You have no {what} {number}.")
        self.show(table, number)
        return row

    def person(self, column: str, value: str) -> sqlite3.Row:
        """A person by e-mail address or phone number.

        Raises:
            ToolFailure: Nobody has it.
        """
        row = self.world.row(f"SELECT * FROM people WHERE {column} = ?", value.strip().lower())
        if row is None:
            raise ToolFailure(f"Nobody here has the {column} {value[:60]!r}; contacts has those of people you know.")
        return row

    def name_of(self, number: int) -> str:
        """A person's name."""
        row = self.world.row("SELECT name FROM people WHERE id = ?", number)
        assert row is not None
        return str(row["name"])

    def update(self, table: str, number: int, **values: Any) -> None:
        """Change columns of a row."""
        columns = ", ".join(f"{name} = ?" for name in values)
        self.world.write(f"UPDATE {table} SET {columns} WHERE id = ?", *values.values(), number)

    def add(self, table: str, **values: Any) -> int:
        """Add a row; returns its number."""
        number = self.world.new_id(table)
        marks = ", ".join("?" * (len(values) + 1))
        sql = f"INSERT INTO {table} (id, {', '.join(values)}) VALUES ({marks})"
        self.world.write(sql, number, *values.values())
        return number

    def remove(self, table: str, number: int) -> None:
        """Remove a row."""
        self.world.write(f"DELETE FROM {table} WHERE id = ?", number)


def pattern(query: str) -> str:
    """What a query looks for.

    Raises:
        ToolFailure: It looks for nothing.
    """
    wanted = query.strip().lower()
    if not wanted:
        raise ToolFailure("query is empty; say what to look for.")
    return wanted[:200]


def text(value: str, what: str, *, may_be_empty: bool = False, most: int = MAX_TEXT) -> str:
    """A text that is kept.

    Raises:
        ToolFailure: It is empty or too long.
    """
    kept = value.strip()
    if not kept and not may_be_empty:
        raise ToolFailure(f"{what} is empty.")
    if len(kept) > most:
        raise ToolFailure(f"{what} has {len(kept)} characters; at most {most} are kept.")
    return kept


def cents(value: int) -> int:
    """An amount of money.

    Raises:
        ToolFailure: It is not from 1 to `MAX_CENTS`.
    """
    if not 1 <= value <= MAX_CENTS:
        raise ToolFailure(f"amount_cents must be from 1 to {MAX_CENTS}, got {value}.")
    return value


def within(value: int, low: int, high: int, what: str) -> int:
    """A number in its range.

    Raises:
        ToolFailure: It is outside.
    """
    if not low <= value <= high:
        raise ToolFailure(f"{what} must be from {low} to {high}, got {value}.")
    return value


def days(first_day: str, last_day: str) -> tuple[int, int]:
    """A range of days.

    Raises:
        ToolFailure: It ends before it begins.
    """
    first, last = read_day(first_day), read_day(last_day)
    if last < first:
        raise ToolFailure("last_day is before first_day.")
    return first, last
