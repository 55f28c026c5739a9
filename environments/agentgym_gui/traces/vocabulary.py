"""The vocabulary of GuiTrace-v0 for a tiny tokenizer: the words of generated screens, and our own tools.

What is not here, such as words of a user's traces, is spelt in bytes.
"""

from __future__ import annotations

from functools import cache

from agentgym.arguments import tool_name
from agentgym_gui.actions.tools import TOOLS
from agentgym_gui.traces.screens import ENDINGS, ENTRIES, SHEETS, SWITCHES, WORDS

NUMBERS: range | None = range(20)
"""Numbers that should be single tokens: ids of elements."""
PHRASES = (
    "The trace has ended.",
    "The expert did: ",
    "Instead, this was done: ",
    "There is no element ",
    " on the screen now; it may be closed, hidden or scrolled away. Elements now: ",
    ". Use an id of the last observation.",
    'window "Settings"',
    'window "',
    ' check box "',
    ' button "',
    ' entry "',
    ' tab "',
    'In "',
    '", turn on "',
    '", write "',
    '" into "',
    '", then turn on "',
    '", then write "',
    '", then press "',
    '".\n\n',
    '" checked\n',
    '" "',
    '"\n',
    'click("',
    'type_into("',
    '", "',
    '")',
)
"""Fixed phrases that should be single tokens."""


@cache
def texts() -> list[str]:
    """All texts from which the words are taken; what occurs more often counts more."""
    names = [*SHEETS, *SWITCHES, *ENTRIES, *WORDS, *ENDINGS, *(each.lower() for each in ENDINGS)]
    return ["In write into turn on then window checked", *names, *(tool_name(tool) for tool in TOOLS)]
