"""The vocabulary of MiniWoB-v0 for a tiny tokenizer: roles, properties, actions, and the words of its pages.

What is not here, such as names of people and passwords, is spelt in bytes.
"""

from __future__ import annotations

import re
from functools import cache

from agentgym_web.browser.acting import ACTIONS
from agentgym_web.miniwob.pages import EASY, HIDDEN, MEDIUM, html_folder
from agentgym_web.phrases import phrases

NUMBERS: range | None = range(100)
"""Numbers that should be single tokens: ids of elements, and numbers on pages."""
PHRASES = phrases()
"""Fixed phrases that should be single tokens."""
_ROLES = (
    "button link textbox searchbox checkbox radio slider spinbutton combobox listbox option tab tablist tabpanel table "
    "row cell columnheader list listitem heading img clickable text svg rect circle polygon line path box value "
    "checked selected focused disabled closed open level color class at size corners"
)
_WORD = re.compile(r"[A-Za-z]{2,12}")
_QUOTED = re.compile(r"""(["'])((?:(?!\1)[^\\\n]){2,400})\1""")


@cache
def texts() -> list[str]:
    """All texts from which the words are taken; what occurs more often counts more."""
    return [_ROLES, *ACTIONS, "error done The page lines left out", *HIDDEN, *_page_words()]


def _page_words() -> list[str]:
    """What the scripts of the pages may write: their quoted texts, and the words that texts are drawn from.

    Lists of names are left out: they are longer than all else together.
    """
    folder = html_folder()
    found: list[str] = []
    for page in (*EASY, *MEDIUM):
        found += _words_of((folder / "miniwob" / f"{page}.html").read_text(encoding="utf-8", errors="replace"))
    shared = (folder / "common" / "ui_utils.js").read_text(encoding="utf-8", errors="replace")
    drawn = _words_of(shared.partition("lorem_words = [")[2].partition("]")[0])
    return [*found, *drawn, *(word.capitalize() for word in drawn)]  # drawn sentences begin with a capital


def _words_of(code: str) -> list[str]:
    texts = [text for _, text in _QUOTED.findall(code)]
    return [word for text in texts if not re.search(r"[<>{}()=;#]", text) for word in _WORD.findall(text)]
