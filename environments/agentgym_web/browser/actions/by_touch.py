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
        x, y = await self._elements.point(bid)
        self._input.touch("touchStart", [(x, y)])
        await self._input.touch("touchEnd", [])

    @tool
    async def long_press(self, bid: Bid) -> None:
        """Hold a finger on an element until its menu opens.

        Args:
            bid: Id of the element.
        """
        x, y = await self._elements.point(bid)
        await self._input.touch("touchStart", [(x, y)])
        if self._window.settings.virtual_time:
            await self._elements.pass_time(_LONG_PRESS_S * 1000)
        else:
            await asyncio.sleep(_LONG_PRESS_S)
        await self._input.touch("touchEnd", [])

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
        await self._input.touch("touchStart", [(x, y)])
        for part in range(1, 7):
            point = (
                _within(x + dx * length * part / 6, settings.width),
                _within(y + dy * length * part / 6, settings.height),
            )
            await self._input.touch("touchMove", [point])
        await self._input.touch("touchEnd", [])


def _within(value: float, size: int) -> float:
    return min(max(value, 1), size - 2)
