"""Elements by the ids that an agent reads: where they are, and what a script in the page does with them.

The scripts are in `scripts/`. This file explains to the agent why an element cannot be used.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from agentgym.errors import ActionSyntaxError
from agentgym_web.browser.errors import DevToolsError
from agentgym_web.browser.tab import Tab
from agentgym_web.browser.window import Window

Bid = str | int
"""The id of an element, such as 12; in a frame of another origin with its letters in front, such as "a12"."""
_BID = re.compile(r"\[?([a-z]{0,3})([0-9]{1,9})\]?")


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
        """The letters of an element's frame and its number there; refuses what cannot be used."""
        letters, number, _ = await self.located(bid, options)
        return letters, number

    async def point(self, bid: Bid, *, covered_is_fine: bool = False) -> tuple[float, float]:
        """A point of an element where a click reaches it, in CSS pixels of the window."""
        _, _, found = await self.located(bid, {"coveredIsFine": covered_is_fine})
        return found["x"], found["y"]

    async def call(self, letters: str, function: str, number: int, *arguments: Any) -> dict[str, Any]:
        """Call a function of the scripts on an element.

        Args:
            letters: Those of the element's frame; "" for the page itself.
            function: The function's name.
            number: The element's number there.
            arguments: Its further arguments.

        Raises:
            ActionSyntaxError: It cannot be done with this element; says why.
        """
        inner = json.dumps([number, *arguments])[1:-1]
        tab = self.tab
        task = asyncio.ensure_future(tab.evaluate(f"agentgym.{function}({inner})", frame=self.frame(letters)))
        found: dict[str, Any] = await tab.crash_or(task, self._window.settings.hang_s)
        error = found.get("error")
        if error:
            for name in ("what", "by"):
                if found.get(name, "").startswith("["):
                    found[name] = f"[{letters}{found[name][1:]}"
            raise ActionSyntaxError(_explain(error, f"{letters}{number}", found))
        return found

    def frame(self, letters: str) -> str:
        """The id of a frame of another origin by its letters; "" for the page itself."""
        return self.tab.lettered[letters][0] if letters else ""

    async def pass_time(self, span_ms: float) -> None:
        """Move the page's virtual clock on in the middle of an action."""
        options = {"virtual": True, "spanMs": span_ms, "limitMs": self._window.settings.settle_s * 1000}
        task = asyncio.ensure_future(self.tab.evaluate(f"agentgym.settle({json.dumps(options)})"))
        await self.tab.crash_or(task, self._window.settings.hang_s)

    async def located(self, bid: Bid, options: Mapping[str, Any]) -> tuple[str, int, dict[str, Any]]:
        """The letters of an element's frame, its number there, and what `locate` in `scripts/reaching.js` said.

        A point is one of the window. Only what can be reached gets the focus, through all frames around it.
        """
        shape = _BID.fullmatch(str(bid).strip())
        if shape is None:
            raise ActionSyntaxError(
                f"{str(bid)[:40]!r} is no id of an element. Ids are the numbers in brackets, such as 12."
            )
        letters, number = shape[1], int(shape[2])
        if letters and letters not in self.tab.lettered:
            raise ActionSyntaxError(_explain("unknown", f"{letters}{number}", {}))
        if letters and self.tab.lettered[letters][0] not in self.tab.frames:
            raise ActionSyntaxError(_explain("vanished", f"{letters}{number}", {}))
        if letters:
            await self._show(letters, number)
        found = await self.call(letters, "locate", number, {**options, "focusing": ""} if letters else dict(options))
        if letters and "x" in found:
            found = await self._around(letters, found, bool(options.get("coveredIsFine")))
        if letters and options.get("focusing"):
            found = await self.call(letters, "locate", number, dict(options))
        return letters, number, found

    async def _around(self, letters: str, point: dict[str, Any], covered_is_fine: bool) -> dict[str, Any]:
        """A point of a frame as one of the window; refuses what is covered there."""
        while letters:
            _, outer, frame = self.tab.lettered[letters]
            point = await self.call(outer, "around", frame, point["x"], point["y"], covered_is_fine)
            letters = outer
        return point

    async def _show(self, letters: str, number: int) -> None:
        """Scroll all pages around an element of a frame, which its own scripts cannot."""
        asked = self.tab.evaluate(f"agentgym.elementOf({number})", frame=self.frame(letters), by_value=False)
        found = await self.tab.crash_or(asyncio.ensure_future(asked), self._window.settings.hang_s)
        if "objectId" in found:
            with suppress(DevToolsError):  # what has no box cannot be scrolled to; `locate` says so
                await self.tab.ask("DOM.scrollIntoViewIfNeeded", {"objectId": found["objectId"]})


def _explain(error: str, bid: str, found: Mapping[str, Any]) -> str:
    what = found.get("what", f"element {bid}")
    match error:
        case "unknown":
            return f"There is no element {bid}. Choose an id of the page that you see now."
        case "vanished":
            return f"Element {bid} is no longer on the page. Choose an id of the page that you see now."
        case "hidden":
            return f"{what} is not visible."
        case "outside":
            return f"{what} lies outside the page, where nobody can scroll to. Choose another element."
        case "noClicks":
            return f"{what} takes no clicks: the page lets them through to what lies below. Choose another element."
        case "notFocused":
            return f"{what} did not take the keyboard's focus, so no key was sent. Choose a field, a button or a link."
        case "covered":
            return f"{what} is covered by {found.get('by')}. Move or close that first."
        case "disabled":
            return f"{what} is disabled."
        case "readonly":
            return f"{what} is read-only."
        case "notEditable":
            return f"{what} is not a text field and cannot be filled."
        case "notSelect":
            return f"{what} is not a list of options."
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
