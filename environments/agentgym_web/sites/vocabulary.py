"""The vocabulary of the sites for a tiny tokenizer: what their pages and their databases say.

What is not here, such as what a customer types, is spelt in bytes.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

from agentgym_web.browser.acting import ACTIONS
from agentgym_web.phrases import ROLES, phrases
from agentgym_web.sites.core.all_sites import SITES, load_templates
from agentgym_web.sites.core.drafts import draw
from agentgym_web.sites.drawing import database
from agentgym_web.sites.env import HOW_IT_ENDS
from agentgym_web.sites.generate import PLANS

NUMBERS: range | None = range(100)
"""Numbers that should be single tokens: ids of elements, prices."""
PHRASES = [*phrases(), HOW_IT_ENDS]
"""Fixed phrases that should be single tokens."""
_MARKUP = re.compile(r"\{[{%].*?[%}]\}|<[^>]*>", re.DOTALL)
_WEIGHT = 20
"""How often what every tree has is counted, so that it stays where words are many."""
_SMALL_TABLES: Mapping[str, Sequence[str]] = {"shop-small": ("kind", "product", "choice")}
"""The tables whose texts the trees of a suite of short tasks show."""
_MAX_LENGTH = 60
"""Longest text of a database that is read, in characters: names and titles, no articles."""


@cache
def texts() -> list[str]:
    """All texts from which the words are taken."""
    fixed = [*ROLES, *ACTIONS] * _WEIGHT
    return [*fixed, *(text for site in SITES for text in _texts_of(site))]


def texts_of(suite: str) -> list[str]:
    """The texts for the tasks of one suite: those of its site, and of short tasks only what their trees show."""
    name = suite.rpartition("/")[2]
    site = name.removesuffix("-small")
    tables = _SMALL_TABLES.get(name)
    if suite not in PLANS or site not in SITES:
        return texts()
    asked = [draw(template, database(site), 0).instruction for template in PLANS[suite].templates]
    return [*[*ROLES, *ACTIONS] * _WEIGHT, *_texts_of(site, tables), *asked]


def _texts_of(site: str, tables: Sequence[str] | None = None) -> list[str]:
    db = database(site)
    folder = resources.files(f"agentgym_web.sites.{site}") / "templates"
    pages = [_MARKUP.sub(" ", file.read_text(encoding="utf-8")) for file in folder.iterdir()]
    asked = [draw(template, db, 0).instruction for template in load_templates(site)]
    return [*pages, *asked, *dict.fromkeys(_stored(db, tables))]


def _stored(db: sqlite3.Connection, tables: Sequence[str] | None) -> Iterator[str]:
    """Names and titles in some tables of a database, or in all."""
    for table in tables or [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]:
        for row in db.execute(f"SELECT * FROM {table}"):  # noqa: S608 - a table of the site's own
            yield from (value for value in row if isinstance(value, str) and len(value) <= _MAX_LENGTH)
