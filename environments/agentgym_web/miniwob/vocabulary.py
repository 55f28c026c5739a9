"""The vocabulary of MiniWoB-v0 for a tiny tokenizer: roles, properties, actions, and the words of its pages.

What is not here, such as drawn names and passwords, is spelt in bytes.
"""

from __future__ import annotations

import re
from functools import cache

from agentgym_web.browser.acting import ACTIONS
from agentgym_web.miniwob.pages import EASY, HIDDEN, MEDIUM, html_folder

NUMBERS: range | None = range(100)
"""Numbers that should be single tokens: ids of elements, and numbers on pages."""
_ROLES = (
    "button link textbox searchbox checkbox radio slider spinbutton combobox listbox option tab tablist tabpanel table "
    "row cell columnheader list listitem heading img clickable text svg rect circle polygon line path box value "
    "checked selected focused disabled closed open level color class at size corners"
)
_WORD = re.compile(r"[A-Za-z]{2,12}")
_QUOTED = re.compile(r"""(["'])((?:(?!\1)[^\\\n]){2,400})\1""")


@cache
def texts() -> list[str]:
    """All texts from which the words are taken, without repeats."""
    return [_ROLES, *ACTIONS, "error done The page", *HIDDEN, *_page_texts()]


def _page_texts() -> list[str]:
    """What the scripts of the pages may write: their quoted texts, and the words that names are drawn from."""
    folder = html_folder()
    files = [folder / "miniwob" / f"{page}.html" for page in (*EASY, *MEDIUM)]
    files.append(folder / "common" / "ui_utils.js")
    found: dict[str, None] = {}
    for file in files:
        for _, text in _QUOTED.findall(file.read_text(encoding="utf-8", errors="replace")):
            if not re.search(r"[<>{}()=;#]", text):
                found.update(dict.fromkeys(_WORD.findall(text)))
    return list(found)
