"""What a line of the talk claims: a role of the speaker's, and who is a werewolf or none.

Whether to believe it is the business of the players.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo")

_NAME = "|".join(name.lower() for name in NAMES)
_ROLE = re.compile(r"\bi am (?:a |the )?(seer|doctor|villager|werewolf)\b")
_VERDICT = re.compile(rf"\b({_NAME}) is (no|not an?|an?) werewolf\b")
_SUSPICION = re.compile(rf"\b(?:suspect|accuse|vote for) ({_NAME})\b")
_BY_LOWER = {name.lower(): name for name in NAMES}


class Claims(NamedTuple):
    """What a line claims.

    Attributes:
        role: The speaker's role; "" where it says none.
        verdicts: Names with whether each is a werewolf.
        suspects: Names of those whom it suspects.
    """

    role: str
    verdicts: tuple[tuple[str, bool], ...]
    suspects: tuple[str, ...]


@lru_cache(maxsize=4_096)
def claims(line: str) -> Claims:
    """Reads a line."""
    text = line.lower()
    role = _ROLE.search(text)
    verdicts = tuple((_BY_LOWER[name], not sort.startswith("no")) for name, sort in _VERDICT.findall(text))
    return Claims(role[1] if role else "", verdicts, tuple(_BY_LOWER[name] for name in _SUSPICION.findall(text)))


def name_in(text: str, names: frozenset[str]) -> str | None:
    """The one of some names that a text holds as a word; None where it holds none or several."""
    found = {word for word in re.findall(r"[a-z]+", text.lower()) if word in _BY_LOWER}
    named = {_BY_LOWER[word] for word in found} & names
    return named.pop() if len(named) == 1 else None
