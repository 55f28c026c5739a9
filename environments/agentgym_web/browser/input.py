"""Real input events of one window: the mouse, the keyboard, fingers.

What they are aimed at is `elements`' work, and the actions are in `acting`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from agentgym.errors import ActionSyntaxError
from agentgym_web.browser.devtools import unheard
from agentgym_web.browser.keys import MODIFIERS, Key, key_named
from agentgym_web.browser.tab import Tab
from agentgym_web.browser.window import Arriving, Window

Button = Literal["left", "middle", "right"]
BITS = {"left": 1, "right": 2, "middle": 4}
"""Bits of the mouse buttons in DevTools."""
_TYPED = 2000
_TURNED = 1e6
_DRAG_MOVES = 6
_AHEAD_S = 0.02
_SHIFTED = set('~!@#$%^&*()_+{}|:"<>?')
_COMMANDS = {
    ("Control", "a"): "selectAll",
    ("Control", "c"): "copy",
    ("Control", "x"): "cut",
    ("Control", "v"): "paste",
    ("Control", "z"): "undo",
    ("Control", "y"): "redo",
}


class Input:
    """What a person's hands do to a window.

    Args:
        window: The window.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self.buttons = 0
        self.held: list[str] = []

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self._window.tab

    def release(self) -> None:
        """Let go of everything and take the mouse out of the way, for a new episode."""
        self.buttons = 0
        self.held.clear()
        self.mouse_event("mouseMoved", 0, 0, "none").add_done_callback(unheard)

    def mouse_event(
        self, kind: str, x: float, y: float, button: str, count: int = 0, modifiers: Sequence[str] = ()
    ) -> asyncio.Future[Any]:
        """Post an event of the mouse; the future is done when the page has dealt with it."""
        params = {
            "type": kind,
            "x": x,
            "y": y,
            "button": button,
            "clickCount": count,
            "buttons": self.buttons,
            "modifiers": _bits([*self.held, *modifiers]),
        }
        return self.tab.post("Input.dispatchMouseEvent", params)

    def check_point(self, x: float, y: float) -> None:
        """Refuse a point outside the window: the browser keeps such an event, and all that follow, for ever.

        Raises:
            ActionSyntaxError: It lies outside.
        """
        settings = self._window.settings
        if not (0 <= x < settings.width and 0 <= y < settings.height):
            size = f"{settings.width} x {settings.height}"
            raise ActionSyntaxError(f"The point ({x:g}, {y:g}) lies outside the window, which is {size} pixels.")

    async def move(self, x: float, y: float) -> None:
        """Move the mouse, with what it drags."""
        self.check_point(x, y)
        if self.buttons and self.tab.drag is not None:
            await self.drag_event("dragOver", x, y)
        else:
            await self._felt(self.mouse_event("mouseMoved", x, y, "left" if self.buttons else "none"))

    async def click(
        self,
        x: float,
        y: float,
        button: Button,
        times: int,
        modifiers: Sequence[str],
        *,
        is_awaited: bool = True,
    ) -> None:
        """Move to a point and click.

        Args:
            x: The point, in CSS pixels of the window.
            y: The same.
            button: The mouse button.
            times: How often.
            modifiers: Keys held down meanwhile.
            is_awaited: Whether to wait until the page has dealt with it; else the next look does.
        """
        self.check_point(x, y)
        last = self.mouse_event("mouseMoved", x, y, "none", 0, modifiers)
        for count in range(1, times + 1):
            self.buttons = BITS[button]
            self.mouse_event("mousePressed", x, y, button, count, modifiers)
            self.buttons = 0
            last = self.mouse_event("mouseReleased", x, y, button, count, modifiers)
        if is_awaited or not self._window.settings.looks_wait:
            await self.handled(last)
        else:
            self._window.arriving = Arriving("pointerup", last)

    async def handled(self, last: asyncio.Future[Any]) -> None:
        """Wait until an input event was dealt with; a page that went away has dealt with it."""
        await self.tab.handled(last)

    async def _felt(self, moved: asyncio.Future[Any]) -> None:
        """Wait until a move was dealt with, of which pages hear with a frame; one may be ahead of the move."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._window.settings.hang_s
        while self.tab.drawing.is_asked and not moved.done() and loop.time() < ends:
            await self.tab.drawing.next()
            await asyncio.wait({moved}, timeout=_AHEAD_S)
        await self.handled(moved)

    async def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag from one point to another, with the page's own drag and drop where it has that."""
        tab = self.tab
        self.check_point(*start)
        self.check_point(*end)
        await tab.ask("Input.setInterceptDrags", {"enabled": True})
        tab.drag = None
        try:
            await self._felt(self.mouse_event("mouseMoved", *start, "none"))
            self.buttons = 1
            await self.handled(self.mouse_event("mousePressed", *start, "left", 1))
            for part in range(1, _DRAG_MOVES + 1):
                x, y = (start[axis] + (end[axis] - start[axis]) * part / _DRAG_MOVES for axis in (0, 1))
                if tab.drag is not None:
                    break
                await self._felt(self.mouse_event("mouseMoved", x, y, "left"))
            if tab.drag is not None:
                await self.drop(*end)
            else:
                self.buttons = 0
                await self.handled(self.mouse_event("mouseReleased", *end, "left", 1))
        finally:
            self.buttons = 0
            await tab.ask("Input.setInterceptDrags", {"enabled": False})

    async def drop(self, x: float, y: float) -> None:
        """Drop what is being dragged."""
        for kind in ("dragEnter", "dragOver", "drop"):
            await self.drag_event(kind, x, y)
        self.tab.drag = None
        self.buttons = 0
        await self.handled(self.mouse_event("mouseReleased", x, y, "left", 1))

    async def drag_event(self, kind: str, x: float, y: float) -> None:
        """Send an event of a drag and drop that the page began."""
        await self.handled(
            self.tab.post("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": self.tab.drag})
        )

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        """Turn the wheel over a point."""
        self.check_point(x, y)
        dx, dy = (min(max(delta, -_TURNED), _TURNED) for delta in (dx, dy))
        params = {"type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy, "modifiers": _bits(self.held)}
        tab = self.tab
        if tab.drawing.is_asked:
            await asyncio.gather(*(tab.evaluate("agentgym.takeWheel()", frame=frame) for frame in tab.frames))
            await self._felt(tab.post("Input.dispatchMouseEvent", params))
        else:
            await self.handled(tab.post("Input.dispatchMouseEvent", params))
            await self.handled(asyncio.ensure_future(tab.evaluate("agentgym.drawn()")))

    def key_event(self, kind: str, key: Key, modifiers: Sequence[str]) -> asyncio.Future[Any]:
        """Post an event of a key."""
        held = [*self.held, *modifiers]
        text = "" if {"Control", "Alt", "Meta"} & set(held) else key.text
        params: dict[str, Any] = {
            "type": kind,
            "key": key.key,
            "code": key.code,
            "windowsVirtualKeyCode": key.number,
            "modifiers": _bits(held),
        }
        if text and kind == "keyDown":
            params |= {"text": text, "unmodifiedText": text}
        if kind != "keyUp" and (command := _COMMANDS.get(("+".join(sorted(held)), key.key.lower()))):
            params["commands"] = [command]
        return self.tab.post("Input.dispatchKeyEvent", params)

    async def press(self, key: Key, modifiers: Sequence[str] = ()) -> None:
        """Press and release a key with modifiers."""
        for number, name in enumerate(modifiers, 1):
            self.key_event("rawKeyDown", key_named(name), modifiers[:number])
        self.key_event("keyDown" if key.text else "rawKeyDown", key, modifiers)
        last = self.key_event("keyUp", key, modifiers)
        for number in reversed(range(len(modifiers))):
            last = self.key_event("keyUp", key_named(modifiers[number]), modifiers[:number])
        await self.handled(last)

    async def type(self, text: str) -> None:
        """Type a text key by key."""
        if len(text) > _TYPED:
            raise ActionSyntaxError(
                f"The text has {len(text)} characters; at most {_TYPED} are typed. Insert it at once with fill."
            )
        last: asyncio.Future[Any] | None = None
        for sign in text.replace("\r\n", "\n"):
            try:
                key = key_named("Enter" if sign == "\n" else "Tab" if sign == "\t" else sign)
            except ActionSyntaxError:
                last = self.tab.post("Input.insertText", {"text": sign})
                continue
            modifiers = ["Shift"] if sign.isupper() or sign in _SHIFTED else []
            self.key_event("keyDown" if key.text else "rawKeyDown", key, modifiers)
            last = self.key_event("keyUp", key, modifiers)
        if last is not None:
            await self.handled(last)

    def touch(self, kind: str, points: Sequence[tuple[float, float]]) -> asyncio.Future[Any]:
        """Post an event of fingers."""
        return self.tab.post(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        )


def _bits(modifiers: Sequence[str]) -> int:
    return sum(MODIFIERS["Control" if name == "ControlOrMeta" else name] for name in set(modifiers))
