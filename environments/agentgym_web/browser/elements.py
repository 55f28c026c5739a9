"""Elements by the ids that an agent reads: where they are, and what a script in the page does with them.

The scripts are in `scripts/`. This file explains to the agent why an element cannot be used.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from agentgym.errors import ActionSyntaxError
from agentgym_web.browser.tab import Tab
from agentgym_web.browser.window import Window

Bid = str | int
"""The id of an element, such as 12; in a frame of another origin with its letter in front, such as "a12"."""


class Elements:
    """The elements of one window.

    Args:
        window: The window.
    """

    def __init__(self, window: Window) -> None:
        self._window = window

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self._window.tab

    async def find(self, bid: Bid, options: Mapping[str, Any]) -> tuple[str, int]:
        """The frame of an element and its number there; refuses what cannot be used."""
        frame, number, _ = await self.located(bid, options)
        return frame, number

    async def point(self, bid: Bid, *, covered_is_fine: bool = False) -> tuple[float, float]:
        """A point of an element where a click reaches it, in CSS pixels of the window."""
        frame, _, found = await self.located(bid, {}, covered_is_fine=covered_is_fine)
        x, y = found["x"], found["y"]
        if frame:
            left, top = await self.frame_offset(frame)
            x, y = x + left, y + top
        return x, y

    async def located(
        self, bid: Bid, options: Mapping[str, Any], *, covered_is_fine: bool = False
    ) -> tuple[str, int, dict[str, Any]]:
        """The frame of an element, its number there, and what `locate` in `scripts/reaching.js` said."""
        letters = str(bid).strip().strip("[]").rstrip("0123456789")
        digits = str(bid).strip().strip("[]")[len(letters) :]
        if not digits or len(digits) > 9:
            raise ActionSyntaxError(
                f"{str(bid)[:40]!r} is no id of an element. Ids are the numbers in brackets, such as 12."
            )
        frame = self.frame(letters)
        if frame is None:
            raise ActionSyntaxError(f"There is no element {bid}. Choose an id of the page that you see now.")
        found = await self.call(frame, "locate", int(digits), dict(options), covered_is_fine=covered_is_fine)
        return frame, int(digits), found

    async def call(
        self, frame: str, function: str, number: int, *arguments: Any, covered_is_fine: bool = False
    ) -> dict[str, Any]:
        """Call a function of the scripts on an element."""
        inner = ", ".join(json.dumps(each) for each in arguments)
        tab = self.tab
        task = asyncio.ensure_future(
            tab.evaluate(f"agentgym.{function}({number}{', ' if inner else ''}{inner})", frame=frame)
        )
        found: dict[str, Any] = await tab.crash_or(task, self._window.settings.hang_s)
        error = found.get("error")
        if error == "covered" and covered_is_fine:
            found = await self.call(frame, "centre", number)
        elif error:
            raise ActionSyntaxError(_explain(error, f"{number}", found))
        return found

    def frame(self, letters: str) -> str | None:
        """The id of a frame of another origin by its letters; "" for the page itself."""
        if not letters:
            return ""
        return self._window.frame_letters.get(letters)

    async def frame_offset(self, frame: str) -> tuple[float, float]:
        """Where a frame of another origin lies in the window: left and top, in CSS pixels."""
        owner = await self.tab.ask("DOM.getFrameOwner", {"frameId": frame})
        box = await self.tab.ask("DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]})
        return box["model"]["content"][0], box["model"]["content"][1]


def _explain(error: str, bid: str, found: Mapping[str, Any]) -> str:
    what = found.get("what", f"element {bid}")
    match error:
        case "unknown":
            return f"There is no element {bid}. Choose an id of the page that you see now."
        case "vanished":
            return f"Element {bid} is no longer on the page. Choose an id of the page that you see now."
        case "hidden":
            return f"{what} is not visible."
        case "covered":
            return f"{what} is covered by {found.get('by')}. Move or close that first."
        case "disabled":
            return f"{what} is disabled."
        case "readonly":
            return f"{what} is read-only."
        case "notEditable":
            return f"{what} is no text field, so that it cannot be filled."
        case "notSelect":
            return f"{what} is no list of options."
        case "notCheckable":
            return f"{what} is neither a checkbox nor a radio button."
        case "noOption":
            return f"{what} has no option {found['wanted'][:80]!r}. Options: {', '.join(map(repr, found['options']))}."
        case "oneOption":
            return f"{what} takes one option only."
        case "value":
            forms = {
                "date": "2026-03-02",
                "time": "09:30",
                "month": "2026-03",
                "week": "2026-W10",
                "datetime-local": "2026-03-02T09:30",
                "color": "#ff0000",
            }
            return (
                f"{what} does not take that value. Expected a {found['type']} such as {forms.get(found['type'], '5')}."
            )
    return f"The action on element {bid} failed: {error}."
