"""The bases: the apps' database in two sizes, generated once a process."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping
from functools import cache, partial

from agentgym_tools.apps.base.goods import fill_music, fill_payments, fill_products, fill_shop, fill_songs
from agentgym_tools.apps.base.people import Size, fill_people
from agentgym_tools.apps.base.plans import fill_events, fill_files, fill_notes, fill_todos
from agentgym_tools.apps.base.schema import SCHEMA
from agentgym_tools.apps.base.talk import fill_mails, fill_messages
from agentgym_tools.worlds import Base, Bench

SIZES: Mapping[str, Size] = {"full": Size(people=100, known=10, each=100), "small": Size(people=12, known=6, each=40)}
"""By name how much there is."""


def _fill(name: str, db: sqlite3.Connection) -> None:
    rng, size = random.Random(f"apps {name}"), SIZES[name]
    people = fill_people(rng, size, db)
    fill_songs(rng, size, db)
    fill_products(rng, size, db)
    for fill in (fill_mails, fill_messages, fill_events, fill_notes, fill_files, fill_todos):
        fill(rng, size, people, db)
    for fill in (fill_music, fill_payments, fill_shop):
        fill(rng, size, people, db)


@cache
def bench_of(size: str) -> Bench:
    """The connections to the base of a size, one of `SIZES`."""
    return Bench(Base(f"apps {size}", SCHEMA, partial(_fill, size)))
