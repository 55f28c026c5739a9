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
from agentgym_web.env import DONE
from agentgym_web.phrases import ROLES, phrases
from agentgym_web.sites.core.all_sites import SITES, load_templates
from agentgym_web.sites.core.drafts import draw
from agentgym_web.sites.drawing import database
from agentgym_web.sites.env import HOW_IT_ENDS
from agentgym_web.sites.generate import PLANS

NUMBERS: range | None = range(100)
"""Numbers that should be single tokens: ids of elements, prices."""
_LINES = (
    "banner\n search\n  [",
    'main\n region "',
    "\n  list",
    "\n   listitem\n    heading level=3\n     [",
    '\n   option "',
    '" selected',
)
"""What trees repeat: the search field above a page, a list of products, the values of an option."""
PHRASES = [*phrases(), *_LINES, HOW_IT_ENDS]
"""Fixed phrases that should be single tokens."""
_LABEL = re.compile(r'(?:aria-label|placeholder|value)="([^"{]+)"')
_MARKUP = re.compile(r"\{[{%].*?[%}]\}|<[^>]*>", re.DOTALL)
_WEIGHT = 20
"""How often what every tree has is counted, so that it stays where words are many."""
_SMALL: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "shop-small": (("product", "choice"), ("product.html", "list.html", "layout.html"))
}
"""The tables and the pages whose texts the trees of a suite of short tasks show."""
_MAX_LENGTH = 60
"""Longest text of a database that is read, in characters: names and titles, no articles."""


@cache
def texts() -> list[str]:
    """All texts from which the words are taken."""
    return [*_fixed(), *(text for site in SITES for text in _texts_of(site))]


def texts_of(suite: str) -> list[str]:
    """The texts for the tasks of one suite: those of its site, and of short tasks only what their trees show."""
    name = suite.rpartition("/")[2]
    site = name.removesuffix("-small")
    if suite not in PLANS or site not in SITES:
        return texts()
    if name not in _SMALL:
        return [*_fixed(), *_texts_of(site)]
    tables, pages = _SMALL[name]
    db = database(site)
    asked = [draw(template, db, 0).instruction for template in PLANS[suite].templates]
    return [*_fixed(), *_written(site, pages), *asked, *dict.fromkeys(_stored(db, tables))]


def _fixed() -> list[str]:
    return [*ROLES, *ACTIONS, DONE] * _WEIGHT


def _texts_of(site: str) -> list[str]:
    db = database(site)
    asked = [draw(template, db, 0).instruction for template in load_templates(site)]
    return [*_written(site), *asked, *dict.fromkeys(_stored(db))]


def _written(site: str, pages: Sequence[str] = ()) -> list[str]:
    """What some pages of a site say, or all of them: their texts, and the names of their parts."""
    folder = resources.files(f"agentgym_web.sites.{site}") / "templates"
    files = [file.read_text(encoding="utf-8") for file in folder.iterdir() if not pages or file.name in pages]
    return [*(_MARKUP.sub(" ", text) for text in files), *(name for text in files for name in _LABEL.findall(text))]


def _stored(db: sqlite3.Connection, tables: Sequence[str] = ()) -> Iterator[str]:
    """Names and titles in some tables of a database, or in all."""
    for table in tables or [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]:
        for row in db.execute(f"SELECT * FROM {table}"):  # noqa: S608 - a table of the site's own
            yield from (value for value in row if isinstance(value, str) and len(value) <= _MAX_LENGTH)
