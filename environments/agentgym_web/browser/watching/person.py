"""What a person does in a window, as actions: `scripts/person.js` keeps it from the page and tells it here.

The environment then does the same by an action. So nothing happens to a page that is not in the record.
"""

from __future__ import annotations

import asyncio
import json
import queue
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from agentgym_web.browser.errors import DevToolsError
from agentgym_web.browser.tab import Tab
from agentgym_web.browser.window import Window

_PASS_S = 2.0
_KINDS = {
    **dict.fromkeys(("scroll", "scroll_at"), "wheel"),
    **dict.fromkeys(("fill", "clear", "press", "keyboard_press", "keyboard_type", "keyboard_insert_text"), "keys"),
    **dict.fromkeys(("keyboard_down", "keyboard_up"), "keys"),
    **dict.fromkeys(("noop", "focus", "select_option", "goto", "go_back", "go_forward"), ""),
    **dict.fromkeys(("new_tab", "tab_close", "tab_focus"), ""),
}
"""Which input an action consists of; the mouse or a finger where it is not named."""
Deed = Mapping[str, Any]


class Person:
    """The person at a window.

    Args:
        window: The window.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self._deeds: queue.Queue[tuple[Tab, str, Deed]] = queue.Queue()
        self._seen: tuple[Tab, int] | None = None
        window.on_deed = self._heard

    def next_call(self, names: Collection[str], timeout_s: float) -> str | None:
        """The action that does what the person did; None if nothing was done in time.

        Args:
            names: The actions that may be used.
            timeout_s: How long to wait.
        """
        try:
            tab, letter, deed = self._deeds.get(timeout=timeout_s)
        except queue.Empty:
            return self._gone_to()
        call = call_of(deed, names, letter)
        if call is None or tab not in self._window.tabs:
            return None
        number = self._window.tabs.index(tab)
        return call if number == self._window.active else f"tab_focus({number}); {call}"

    def looked(self) -> None:
        """The harness has looked at the page in front."""
        self._seen = (self._window.tab, self._window.tab.num_pages)

    async def let_pass(self, action: str) -> None:
        """Let the input of an action of the harness reach pages; with "", nobody's."""
        kind = _KINDS.get(action, "mouse") if action else ""
        tab = self._window.tab
        for frame in ("", *(frame for frame, *_ in tab.lettered.values())):
            with suppress(DevToolsError, TimeoutError):
                asked = tab.evaluate(f"agentgymPerson.pass({json.dumps(kind)})", frame=frame)
                await asyncio.wait_for(asked, _PASS_S)

    def forget(self) -> None:
        """Drop what was done before an episode began."""
        while not self._deeds.empty():
            self._deeds.get_nowait()

    def _gone_to(self) -> str | None:
        """The action that opens the page which the person went to by the browser's own buttons or its address line."""
        if self._seen is None or not self._window.tabs:
            return None
        tab, num_pages = self._seen
        if tab is not self._window.tab or tab.is_busy or tab.num_pages == num_pages:
            return None
        self._seen = (tab, tab.num_pages)
        return _written("goto", tab.url) if tab.url.startswith("http") else None

    def _heard(self, tab: Tab, frame: str, payload: str) -> None:
        letters = {known: letter for letter, (known, *_) in tab.lettered.items()}
        self._deeds.put((tab, letters.get(frame, ""), json.loads(payload)))


def call_of(deed: Deed, names: Collection[str], letter: str = "") -> str | None:
    """The action that does what the person did; None where no allowed action can.

    Args:
        deed: What `person.js` told.
        names: The actions that may be used.
        letter: In front of ids, in a frame of another origin.
    """
    bid = f"{letter}{deed['id']}" if deed.get("id") else ""
    match deed["do"]:
        case "click" | "dblclick":
            return _click(deed, names, bid)
        case "fill" if bid:
            return _written("fill", bid, deed["value"])
        case "select" if bid:
            return _written("select_option", bid, deed["options"] if deed["many"] else "".join(deed["options"][:1]))
        case "press" if bid:
            return _written("press", bid, deed["key"])
        case "press" if "keyboard_press" in names:
            return _written("keyboard_press", deed["key"])
        case "history" if "go_back" in names:
            return "go_back()" if deed["back"] else "go_forward()"
        case "scroll" if deed["inner"] and "scroll_at" in names:
            return _written("scroll_at", deed["x"], deed["y"], deed["dx"], deed["dy"])
        case "scroll":
            return _written("scroll", deed["dx"], deed["dy"])
        case "hold":
            return _written("long_press", bid) if bid and "long_press" in names else _click(deed, names, bid)
        case "drag":
            return _drag(deed, names, letter)
    return None


def _click(deed: Deed, names: Collection[str], bid: str) -> str | None:
    kind = "dblclick" if deed["do"] == "dblclick" else "click"
    button, keys = deed.get("button", "left"), list(deed.get("keys", ()))
    by_place = f"mouse_{kind}"
    if deed.get("place", not bid) and by_place in names and not keys:
        return _written(by_place, deed["x"], deed["y"], *(() if button == "left" else (button,)))
    if not bid:
        return None
    if "tap" in names and kind == "click" and button == "left":
        return _written("tap", bid)
    return _written(kind, bid, *((button, keys) if keys else () if button == "left" else (button,)))


def _drag(deed: Deed, names: Collection[str], letter: str) -> str | None:
    start, end = (f"{letter}{deed[name]}" if deed[name] else "" for name in ("from", "to"))
    if "swipe" in names and start:
        right, down = deed["toX"] - deed["x"], deed["toY"] - deed["y"]
        across = abs(right) > abs(down)
        return _written("swipe", start, ("right" if right > 0 else "left") if across else "down" if down > 0 else "up")
    if start and end and start != end and "drag_and_drop" in names:
        return _written("drag_and_drop", start, end)
    if "mouse_drag_and_drop" in names:
        return _written("mouse_drag_and_drop", deed["x"], deed["y"], deed["toX"], deed["toY"])
    return None


def _written(name: str, *arguments: Any) -> str:
    return f"{name}({', '.join(json.dumps(each, ensure_ascii=False) for each in arguments)})"
