"""One hostile case: a page or a message of an agent, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Fate = Literal["page stays", "page closed"]
SITE = "http://hostile.test"


@dataclass(frozen=True)
class Case:
    """A hostile page, or a hostile action.

    Attributes:
        name: Its name, as the table of the documentation has it.
        outcome: What comes of it, in the table's words.
        html: The page that is opened.
        path: What is opened where the page is not `html`: a path of the server in `server.py`.
        calls: What the agent does then; "click" and so on with their arguments.
        says: Texts that the last observation contains.
        never: Texts that it must not contain.
        fate: What becomes of the page.
        hangs: Whether the page stops to answer, so that the test need not wait as long as an agent would.
        settings: Options of `PageSettings`.
        is_secure: Whether it is opened on a secure origin, which workers and permissions need.
        max_bytes: Most bytes of an answer; less than usual where the test would move too many.
        url: Where the window is afterwards; "" for any page of the case's own site.
    """

    name: str
    outcome: str
    html: str = ""
    path: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    fate: Fate = "page stays"
    hangs: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_secure: bool = False
    max_bytes: int = 64 << 20
    url: str = ""


@dataclass(frozen=True)
class MessageCase:
    """A hostile message of an agent, as text.

    Attributes:
        name: Its name, as the table of the documentation has it.
        outcome: What comes of it, in the table's words.
        text: The message; "PLANTED" stands for a file that must not appear.
        says: What the observation contains.
        is_invalid: Whether the message is none.
    """

    name: str
    outcome: str
    text: str
    says: str
    is_invalid: bool = True


def click(bid: int = 1) -> tuple[str, Mapping[str, Any]]:
    """A click on an element; the first one of a page has the id 1."""
    return ("click", {"bid": str(bid)})


def click_in(bid: str) -> tuple[str, Mapping[str, Any]]:
    """A click on an element in a frame of another site."""
    return ("click", {"bid": bid})


def goto(url: str) -> tuple[str, Mapping[str, Any]]:
    """The agent opens an address."""
    return ("goto", {"url": url})


LOOK = ("noop", {"wait_ms": 300})
"""Looks again."""
