"""Frames of other origins, which the script of the outermost page cannot look into: each is asked for its own tree."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from agentgym_web.browser.errors import DevToolsError
from agentgym_web.browser.window import Window

_GRACE_S = 2.0


async def add_frames(window: Window, tree: dict[str, Any], options: Mapping[str, Any]) -> None:
    """Put the trees of frames of other origins in their places; their ids get a letter in front.

    Args:
        window: The window.
        tree: What `observe` of the scripts returned for the outermost page; it is changed.
        options: What it was asked with.
    """
    tab = window.tab
    places = dict(tree["crossOrigin"])
    inner = {**options, "settle": None}
    pieces: list[tuple[int, list[str], str]] = []
    window.frame_letters.clear()
    for frame, parent in list(tab.frames.items()):
        if parent != tab.main_frame:
            continue
        try:
            owner = await tab.ask("DOM.getFrameOwner", {"frameId": frame})
            world = await tab._world(tab.main_frame)
            node = await tab.ask(
                "DOM.resolveNode", {"backendNodeId": owner["backendNodeId"], "executionContextId": world}
            )
            asked = {
                "objectId": node["object"]["objectId"],
                "functionDeclaration": "function() { return agentgym.idOf(this); }",
                "returnByValue": True,
            }
            number = (await tab.ask("Runtime.callFunctionOn", asked))["result"]["value"]
            if number not in places:
                continue
            found = await asyncio.wait_for(
                tab.evaluate(f"agentgym.observe({json.dumps(inner)})", frame=frame), _GRACE_S
            )
        except (DevToolsError, TimeoutError, KeyError):
            continue
        letter = chr(ord("a") + len(window.frame_letters) % 26)
        window.frame_letters[letter] = frame
        at = places[number]
        outer = tree["lines"][at - 1]
        indent = " " * (len(outer) - len(outer.lstrip()) + 1)
        lines = [indent + _with_letter(line, letter) for line in found["tree"]["lines"]]
        pieces.append((at, lines, found["tree"]["relevance"]))
    for at, lines, relevance in sorted(pieces, reverse=True):
        tree["lines"][at:at] = lines
        tree["relevance"] = tree["relevance"][:at] + relevance + tree["relevance"][at:]


def _with_letter(line: str, letter: str) -> str:
    body = line.lstrip(" ")
    return line[: len(line) - len(body)] + (f"[{letter}{body[1:]}" if body.startswith("[") else body)
