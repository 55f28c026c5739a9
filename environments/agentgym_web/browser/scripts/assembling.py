"""The scripts that run in every frame before a page's own, put together from the files of this folder.

What they do is said in those files; when they are put into a page is in `tab`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from agentgym_web.browser.settings import PageSettings

_FOLDER = Path(__file__).parent
_OWN_FILES = (
    "registry.js",
    "settling.js",
    "naming.js",
    "printing.js",
    "tree.js",
    "pruned.js",
    "reaching.js",
    "turning.js",
    "observing.js",
)


def clock_script(secret: str, settings: PageSettings, seed: int) -> str:
    """The script for the page's own world.

    Args:
        secret: Names the events between the two scripts.
        settings: How the pages run.
        seed: Of the page's random numbers, where its clock is virtual.
    """
    values = {
        "SECRET": secret,
        "VIRTUAL": "true" if settings.virtual_time else "false",
        "START_MS": str(settings.start_ms),
        "SEED": str(seed),
    }
    text = _source("clock.js")
    for name, value in values.items():
        text = text.replace(f"__{name}__", value)
    return text


def page_script(secret: str, *, person: bool = False) -> str:
    """The script for the world of our own, which observes and finds elements: all its files in one function.

    Args:
        secret: Names the events between the two scripts.
        person: Whether it also tells what a person does in the window.
    """
    inner = "\n".join(_source(name) for name in (*_OWN_FILES, *(("person.js",) if person else ())))
    # On a page without scripts the browser runs this only when we ask for it, and again when a script comes later.
    return f'if (!Object.hasOwn(globalThis, "agentgym")) ((SECRET) => {{\n{inner}\n}})("{secret}");'


@lru_cache(maxsize=16)
def _source(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
