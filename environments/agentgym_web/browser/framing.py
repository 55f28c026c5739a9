"""Frames of other origins, which the scripts of the page around them cannot look into: each is asked for itself.

Ids in such a frame have letters in front: "a" for the first frame, "z" for the 26th, "aa" for the next. A frame keeps
its letters until its tab goes on to another page.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from agentgym_web.browser.errors import DevToolsError
from agentgym_web.browser.tab import Tab

_GRACE_S = 3.0
_MAX_FRAMES = 200


async def add_frames(tab: Tab, found: dict[str, Any], options: Mapping[str, Any]) -> None:
    """Put what frames of other origins show into their places, frames within frames too.

    Args:
        tab: The tab.
        found: What `observe` of the scripts returned for the outermost page; it is changed.
        options: What it was asked with.
    """
    if options.get("restart"):
        tab.lettered.clear()
    deadline = asyncio.get_running_loop().time() + _GRACE_S
    await _Framing(tab, options, deadline).fill(found, "")


def split_lines(found: dict[str, Any]) -> None:
    """Make lists of the lines of the tree and the DOM, which come as one text: many texts would take longer."""
    for part in (found["tree"], found["dom"]):
        part["lines"] = part["lines"].split("\n") if part["lines"] else []


class _Framing:
    """One look into the frames of a tab."""

    def __init__(self, tab: Tab, options: Mapping[str, Any], deadline: float) -> None:
        self._tab, self._deadline = tab, deadline
        self._question = f"agentgym.observe({json.dumps(options)})"
        self._num_seen = 0

    async def fill(self, found: dict[str, Any], letters: str) -> None:
        """Put the frames of one document into what was found there, the last one first: places before it stay."""
        inner: list[tuple[dict[str, Any], dict[str, Any]]] = []
        for frame in found["frames"]:
            content = await self._look(letters, frame["id"])
            if content is None:
                found["tree"]["cut"] = True
            else:
                inner.append((frame, content))
        for frame, content in reversed(inner):
            _put_tree(found["tree"], frame["tree"], content["tree"])
            _put_lines(found["dom"], frame["dom"], content["dom"])
            left, top = frame["corner"]
            found["marks"] += [[number, x + left, y + top, *size] for number, x, y, *size in content["marks"]]
            if content["focused"] and found["focused"] == _named(frame["id"], letters):
                found["focused"] = content["focused"]

    async def _look(self, outer: str, number: int) -> dict[str, Any] | None:
        """What is in a frame; None if it cannot be looked at in time."""
        tab = self._tab
        self._num_seen += 1
        left = self._deadline - asyncio.get_running_loop().time()
        if self._num_seen > _MAX_FRAMES or left <= 0:
            return None
        try:
            frame = await self._frame_of(outer, number)
            if frame is None:
                return None
            letters = next((known for known, (whose, *_) in tab.lettered.items() if whose == frame), None)
            if letters is None:
                letters = _letters(len(tab.lettered))
            tab.lettered[letters] = (frame, outer, number)
            content: dict[str, Any] = await asyncio.wait_for(tab.evaluate(self._question, frame=frame), left)
        except (DevToolsError, TimeoutError, KeyError):
            return None
        split_lines(content)
        _put_letters(content, letters)
        await self.fill(content, letters)
        return content

    async def _frame_of(self, outer: str, number: int) -> str | None:
        tab = self._tab
        around = tab.lettered[outer][0] if outer else ""
        element = await tab.evaluate(f"agentgym.elementOf({number})", frame=around, by_value=False)
        described = await tab.ask("DOM.describeNode", {"objectId": element["objectId"]})
        frame: str | None = described["node"].get("frameId")
        return frame


def _put_letters(found: dict[str, Any], letters: str) -> None:
    """Put letters in front of all ids of a document."""
    found["tree"]["lines"] = [_with_letters(line, letters) for line in found["tree"]["lines"]]
    found["dom"]["lines"] = [line.replace(' bid="', f' bid="{letters}', 1) for line in found["dom"]["lines"]]
    found["marks"] = [[_named(number, letters), *box] for number, *box in found["marks"]]
    found["focused"] = _named(found["focused"], letters) if found["focused"] else 0


def _put_tree(outer: dict[str, Any], at: int, inner: Mapping[str, Any]) -> None:
    if at >= 0:
        _put_lines(outer, at, inner)
        for name in ("above", "below"):
            outer[name] += inner[name]
        outer["cut"] = outer["cut"] or inner["cut"]


def _put_lines(outer: dict[str, Any], at: int, inner: Mapping[str, Any]) -> None:
    """Put lines below the one that ends at a place; nowhere for a place below 0."""
    if at >= 0:
        line = outer["lines"][at - 1]
        indent = " " * (len(line) - len(line.lstrip()) + 1)
        outer["lines"][at:at] = [indent + each for each in inner["lines"]]
        outer["relevance"] = outer["relevance"][:at] + inner["relevance"] + outer["relevance"][at:]


def _with_letters(line: str, letters: str) -> str:
    body = line.lstrip(" ")
    return line[: len(line) - len(body)] + (f"[{letters}{body[1:]}" if body.startswith("[") else body)


def _named(number: int | str, letters: str) -> str | int:
    return f"{letters}{number}" if letters else number


def _letters(number: int) -> str:
    """Letters for a number from 0: a to z, then aa, ab, and so on."""
    said = ""
    while number >= 0:
        said = chr(ord("a") + number % 26) + said
        number = number // 26 - 1
    return said
