"""Tables that are filtered, searched, sorted and paged by the query of their address: how one is described and read.

Which tables there are is in `listings`. Everything of the SQL that is not a constant of a `Listing` is a parameter.
"""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlencode

from agentgym_web.sites.core.paging import Pager, page_number

PAGE_SIZE = 25
MAX_VALUE = 200
"""Longest value of a filter; the rest is cut off."""

Choices = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    key: str
    """Its name in the query and in exports."""
    label: str
    """What its header says."""
    sql: str
    """The expression that it shows."""
    order: str = ""
    """The expression that it is sorted by; empty is `sql`."""
    link: str = ""
    """Start of the address that its cells lead to; the rest is the row's `id`. Empty: no link."""
    is_number: bool = False
    """Whether it is set to the right."""


@dataclass(frozen=True)
class Filter:
    """A field above a table that narrows it."""

    key: str
    """Its name in the query."""
    label: str
    """What its field is labelled."""
    where: str
    """The condition, with one parameter."""
    choices: Callable[[sqlite3.Connection], Choices] | None = None
    """Values and labels offered; None is a field to type into."""
    kind: Literal["text", "number", "date"] = "text"
    """Type of the field to type into."""


@dataclass(frozen=True)
class Listing:
    """A table of the console."""

    name: str
    """Name of the table in the database, in exports and in saved views."""
    path: str
    """Address of the page."""
    id_sql: str
    """The expression of a row's id."""
    source: str
    """What follows FROM."""
    columns: Sequence[Column]
    """In order."""
    filters: Sequence[Filter]
    """In order."""
    searched: Sequence[str]
    """Expressions that the search looks into."""
    sort: str
    """Key of the column that rows are sorted by at first."""
    order: Literal["asc", "desc"] = "asc"
    """In which direction."""


@dataclass(frozen=True)
class Page:
    """One page of a table, as asked for by a query."""

    listing: Listing
    """The table."""
    query: Mapping[str, str]
    """The query without what is unknown, empty, or so by default."""
    rows: Sequence[sqlite3.Row] = ()
    """The rows of this page: `id`, and each column by its key."""
    pager: Pager = field(default_factory=lambda: Pager(0))
    """Which page it is, and of how many rows."""

    @property
    def sort(self) -> str:
        """Key of the column that the rows are sorted by."""
        return self.query.get("sort", self.listing.sort)

    @property
    def order(self) -> str:
        """Direction of the sorting: asc or desc."""
        if "order" in self.query:
            return self.query["order"]
        return self.listing.order if "sort" not in self.query else "asc"

    @property
    def query_string(self) -> str:
        """The query in one spelling, without the number of the page."""
        return urlencode(sorted(self.query.items()))

    def sorted_by(self, key: str) -> str:
        """Address of this table sorted by a column; the other way round if it is sorted by it already."""
        order = "desc" if key == self.sort and self.order == "asc" else "asc"
        query = {name: value for name, value in self.query.items() if name not in ("sort", "order")}
        return f"{self.listing.path}?{urlencode({**query, 'sort': key, 'order': order})}"


def clean_query(listing: Listing, query: Mapping[str, str]) -> dict[str, str]:
    """What of a query means something to a table: known keys, values that are not empty, a sorting that exists."""
    keys = {"q", *(entry.key for entry in listing.filters)}
    kept = {key: query[key].strip()[:MAX_VALUE] for key in sorted(keys) if query.get(key, "").strip()}
    sort, order = query.get("sort", listing.sort), query.get("order", "")
    if sort not in {column.key for column in listing.columns}:
        sort = listing.sort
    if order not in ("asc", "desc"):
        order = listing.order if sort == listing.sort else "asc"
    if (sort, order) != (listing.sort, listing.order):
        kept |= {"sort": sort, "order": order}
    return kept


def canonical(listing: Listing, query: Mapping[str, str]) -> str:
    """The query of a view in one spelling: the same for each way to the same view."""
    return urlencode(sorted(clean_query(listing, query).items()))


def read_page(db: sqlite3.Connection, listing: Listing, query: Mapping[str, str]) -> Page:
    """The page of a table that a query asks for; a page beyond the last is the last."""
    kept = clean_query(listing, query)
    where, parameters = _condition(listing, kept)
    count = f"SELECT count(*) FROM {listing.source} WHERE {where}"  # noqa: S608 - constants of the listing
    total: int = db.execute(count, parameters).fetchone()[0]
    pager = Pager(total, page_number(query), PAGE_SIZE, kept)
    sql = f"{_select(listing, kept, where)} LIMIT {PAGE_SIZE} OFFSET {pager.offset}"
    return Page(listing, kept, db.execute(sql, parameters).fetchall(), pager)


def read_all(db: sqlite3.Connection, listing: Listing, query: Mapping[str, str]) -> list[sqlite3.Row]:
    """All rows of a view, on whatever page they are."""
    kept = clean_query(listing, query)
    where, parameters = _condition(listing, kept)
    return db.execute(_select(listing, kept, where), parameters).fetchall()


def as_csv(listing: Listing, rows: Sequence[sqlite3.Row]) -> str:
    """Rows as comma-separated values, the labels of the columns first."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([column.label for column in listing.columns])
    writer.writerows([[row[column.key] for column in listing.columns] for row in rows])
    return file.getvalue()


def in_words(db: sqlite3.Connection, listing: Listing, query: Mapping[str, str]) -> str:
    """The filters of a view as a reader would say them, such as "Status: online; Region: Coast"."""
    parts = [f"Search: {query['q']}"] if "q" in query else []
    for entry in listing.filters:
        if entry.key in query:
            labels = dict(entry.choices(db)) if entry.choices else {}
            parts.append(f"{entry.label}: {labels.get(query[entry.key], query[entry.key])}")
    return "; ".join(parts) or "All rows"


def _condition(listing: Listing, query: Mapping[str, str]) -> tuple[str, list[str]]:
    conditions, parameters = ["1"], []
    if "q" in query:
        text = query["q"].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        conditions.append("(" + " OR ".join(f"{sql} LIKE ? ESCAPE '\\'" for sql in listing.searched) + ")")
        parameters += [f"%{text}%"] * len(listing.searched)
    for entry in listing.filters:
        if entry.key in query:
            conditions.append(f"({entry.where})")
            parameters.append(query[entry.key])
    return " AND ".join(conditions), parameters


def _select(listing: Listing, query: Mapping[str, str], where: str) -> str:
    page = Page(listing, query)
    column = next(column for column in listing.columns if column.key == page.sort)
    shown = ", ".join(f"{column.sql} AS {column.key}" for column in listing.columns)
    order = f"{column.order or column.sql} {page.order}, {listing.id_sql}"
    return f"SELECT {listing.id_sql} AS id, {shown} FROM {listing.source} WHERE {where} ORDER BY {order}"  # noqa: S608
