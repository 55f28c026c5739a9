"""Actions with a finger, for windows that are touch screens."""

from __future__ import annotations

import asyncio
from typing import Literal

from agentgym.tools import tool
from agentgym_web.browser.actions.hands import Hands
from agentgym_web.browser.elements import Bid

Direction = Literal["up", "down", "left", "right"]
_LONG_PRESS_S = 0.6


class ByTouch(Hands):
    """Taps, long presses and swipes."""

    @tool
    async def tap(self, bid: Bid) -> None:
        """Tap an element with a finger.

        Args:
            bid: Id of the element.
        """
        await self._tap(*await self._elements.point(bid))

    @tool
    async def long_press(self, bid: Bid) -> None:
        """Hold a finger on an element until its menu opens.

        Args:
            bid: Id of the element.
        """
        await self._hold(*await self._elements.point(bid))

    @tool
    async def swipe(self, bid: Bid, direction: Direction) -> None:
        """Swipe a finger over an element.

        Args:
            bid: Id of the element.
            direction: Where the finger goes.
        """
        x, y = await self._elements.point(bid)
        settings = self._window.settings
        dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[direction]
        length = 0.6 * (settings.width if dx else settings.height / 2)
        await self._swipe((x, y), (x + dx * length, y + dy * length))

    @tool
    async def tap_at(self, x: float, y: float) -> None:
        """Tap a point with a finger.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
        """
        self._input.check_point(x, y)
        await self._tap(x, y)

    @tool
    async def long_press_at(self, x: float, y: float) -> None:
        """Hold a finger on a point until a menu opens.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
        """
        self._input.check_point(x, y)
        await self._hold(x, y)

    @tool
    async def swipe_at(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        """Swipe a finger from one point to another.

        Args:
            from_x: Where the finger is put down, from the left edge of the window, in pixels.
            from_y: Where it is put down, from the top edge, in pixels.
            to_x: Where it is lifted, from the left edge, in pixels.
            to_y: Where it is lifted, from the top edge, in pixels.
        """
        for point in ((from_x, from_y), (to_x, to_y)):
            self._input.check_point(*point)
        await self._swipe((from_x, from_y), (to_x, to_y))

    async def _tap(self, x: float, y: float) -> None:
        self._input.touch("touchStart", [(x, y)])
        await self._input.touch("touchEnd", [])

    async def _hold(self, x: float, y: float) -> None:
        await self._input.touch("touchStart", [(x, y)])
        if self._window.settings.virtual_time:
            await self._elements.pass_time(_LONG_PRESS_S * 1000)
        else:
            await asyncio.sleep(_LONG_PRESS_S)
        await self._input.touch("touchEnd", [])

    async def _swipe(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        settings = self._window.settings
        await self._input.touch("touchStart", [start])
        for part in range(1, 7):
            x, y = (begin + (last - begin) * part / 6 for begin, last in zip(start, end, strict=True))
            await self._input.touch("touchMove", [(_within(x, settings.width), _within(y, settings.height))])
        await self._input.touch("touchEnd", [])


def _within(value: float, size: int) -> float:
    return min(max(value, 1), size - 2)
