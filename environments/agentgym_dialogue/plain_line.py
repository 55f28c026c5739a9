"""A line that one player says to another, refused where it is not plain text of few words.

What a line must not say, and what it means, is the business of the games.
"""

from __future__ import annotations

import re

from agentgym.errors import ActionSyntaxError

_WORD = re.compile(r"[a-z0-9]+")


def plain_line(content: str, what: str, max_words: int, max_chars: int = 300) -> str:
    """The message on one line, with single spaces.

    Args:
        content: The message.
        what: What the player is to say, such as "a clue".
        max_words: Most words.
        max_chars: Most characters.

    Raises:
        ActionSyntaxError: It is too long, says nothing, or holds other characters than printable ASCII.
    """
    if len(content) > max_chars or not content.isascii():
        raise ActionSyntaxError(f"Say {what} in plain English letters, at most {max_chars} characters.")
    line = " ".join(content.split())
    if not line.isprintable() or not 1 <= len(_WORD.findall(line.lower())) <= max_words:
        raise ActionSyntaxError(f"Say {what} of 1 to {max_words} words.")
    return line
