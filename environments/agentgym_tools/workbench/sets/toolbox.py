"""What the tools of a workbench share: whose things they work on, limits of arguments, and why a call fails.

A call that fails says more than that: its reason is why a request that needs it comes to nothing, and what it showed
counts as read.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import Result, Seen, Toolbox, ToolFailure

Reason = Literal["already_so", "not_found", "not_possible", "no_tool"]
"""Why a request comes to nothing; `acts.REASONS` says it in words."""
FAILED = "failed"
"""The table of `Seen` for calls that failed."""
LISTED = "list"
"""The table of `Seen` for whole lists: who has seen one knows what is not in it."""
MAX_TEXT, MAX_ITEMS, MAX_NUMBER = 2_000, 200, 10**12


class OwnTools(Toolbox):
    """Tools that work on one person's things.

    Args:
        world: The world.
        me: The person's handle.

    Attributes:
        reason: Why the last call failed; "" if it did not, or for no reason that lies in the world.
        elsewhere: What shows the cause of the last failure, too, each by itself.
    """

    def __init__(self, world: World, me: str) -> None:
        super().__init__(world)
        self.me = me
        self.reason: Reason | Literal[""] = ""
        self.elsewhere: set[Seen] = set()

    def call(self, call: Call) -> Result:
        """Carry out a call; one that fails changes nothing, and what it was made for counts as tried."""
        self.reason, self.elsewhere, self._seen = "", set(), set()
        wrong = _wrong_with(call.arguments)
        if wrong:
            return Result(f"Error: {wrong}", True, frozenset())
        result = super().call(call)
        if not result.is_failure:
            return result
        return Result(result.answer, True, frozenset({*self._seen, (FAILED, call.key)}))

    def make(self, call: Call) -> Result:
        """Carry out a call whose arguments are known to fit the tool, as `call` does."""
        self.reason, self.elsewhere, self._seen = "", set(), set()
        tool = self.tools[call.tool]
        try:
            with self.world.call(may_write=tool.is_writing):
                answer = tool.function(self, **call.arguments)
        except ToolFailure as failure:
            return Result(f"Error: {failure}", True, frozenset({*self._seen, (FAILED, call.key)}))
        return Result(answer, False, frozenset(self._seen))

    def is_shown_by(self, listed: str) -> None:
        """Note that a whole list shows what makes the call fail, if it fails."""
        self.elsewhere.add((LISTED, listed))

    def is_so_already(self, text: str) -> ToolFailure:
        """The failure of a call that would change nothing."""
        self.reason = "already_so"
        return ToolFailure(text)

    def not_found(self, text: str) -> ToolFailure:
        """The failure of a call that names something that does not exist."""
        self.reason = "not_found"
        return ToolFailure(text)

    def not_possible(self, text: str) -> ToolFailure:
        """The failure of a call that the state of the world forbids."""
        self.reason = "not_possible"
        return ToolFailure(text)


def short(text: str) -> str:
    """A text as it is quoted in messages."""
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


def require(is_right: bool, text: str) -> None:
    """Refuse an argument that no state of the world makes right.

    Raises:
        ToolFailure: It is wrong; the text says what is expected.
    """
    if not is_right:
        raise ToolFailure(text)


def _wrong_with(value: Any) -> str:
    """What is wrong with an argument, whatever the tool; "" for nothing."""
    if isinstance(value, Mapping):
        return next(filter(None, map(_wrong_with, value.values())), "")
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            return f"a text has {len(value)} characters; at most {MAX_TEXT} are taken."
        if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs") and letter != "\n" for letter in value):
            return "a text holds control characters."
    elif isinstance(value, Sequence):
        if len(value) > MAX_ITEMS:
            return f"a list has {len(value)} items; at most {MAX_ITEMS} are taken."
        return next(filter(None, map(_wrong_with, value)), "")
    elif isinstance(value, int | float) and not (math.isfinite(value) if isinstance(value, float) else True):
        return "a number is not finite."
    elif isinstance(value, int | float) and abs(value) > MAX_NUMBER:
        return f"a number is beyond {MAX_NUMBER}."
    return ""
