"""The base of all workbenches: one generated database with the rows of every set of tools."""

from __future__ import annotations

import random
import sqlite3
from functools import cache

from agentgym_tools.workbench.rows import files, messages, people, posts, tickets, trading, travel, vehicle
from agentgym_tools.worlds import Base, Bench

_SHARED = (trading, travel, vehicle)
_OWN = (files, trading, travel, vehicle, tickets, posts, messages)
_SEATS = 8


def _fill(db: sqlite3.Connection) -> None:
    db.executemany("INSERT INTO people VALUES (?, ?, ?)", [(each.id, each.name, each.town) for each in people.PEOPLE])
    for module in _SHARED:
        module.fill_shared(db, random.Random(f"workbench {module.__name__}"))
    for person in people.PEOPLE:
        for each in _OWN:
            each.fill(db, person, random.Random(f"workbench {each.__name__} {person.id}"))


@cache
def bench() -> Bench:
    """The connections that all workbenches of this process share."""
    schema = "\n".join(module.SCHEMA for module in (people, *_OWN))
    return Bench(Base("workbench", schema, _fill), _SEATS)
