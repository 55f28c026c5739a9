"""When the pages of a tab are drawn: as often as Chromium likes, or only when a frame is asked for.

A frame costs about as much as a click, and nobody looks at most of them. Where a page has a clock of its own, frames
are drawn only when they are asked for: for a picture, and for what pages hear of only with the next frame, such as a
move of the mouse, a scroll, or an element that comes into sight.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from agentgym_web.browser.devtools import unheard
from agentgym_web.browser.errors import DevToolsError, PageGoneError

_FRAME = "HeadlessExperimental.beginFrame"
_TRIES = 4
STUCK_S = 10.0
_PATIENCE_S = 1.0
"""How long one wait for a frame takes at most where its page, or another of the browser, hangs; pictures wait on."""
Post = Callable[[str, Mapping[str, Any]], asyncio.Future[dict[str, Any]]]
Wait = Callable[[asyncio.Future[Any]], Coroutine[Any, Any, Any]]


class Drawing:
    """The frames of a tab.

    Args:
        post: Sends a command to the tab.
        wait: Waits for the answer to a command. If none comes, it raises TimeoutError or PageGoneError.
        give_up: Called with the reason where a frame is never drawn; ends the page.
        turn: Held while a frame is drawn: a browser that is asked for two at once crashes. None if frames are drawn as
            often as Chromium likes.
        stuck_s: Time after which the page is given up, in seconds.
    """

    def __init__(
        self,
        post: Post,
        wait: Wait,
        give_up: Callable[[str], None],
        turn: asyncio.Lock | None,
        stuck_s: float = STUCK_S,
    ) -> None:
        self._post, self._wait, self._give_up, self._turn, self._stuck_s = post, wait, give_up, turn, stuck_s
        self._is_closed = False
        self._last: asyncio.Task[dict[str, Any]] | None = None

    @property
    def is_asked(self) -> bool:
        """Whether frames are drawn only when they are asked for."""
        return self._turn is not None

    def begin(self) -> None:
        """Have a frame drawn and do not wait for it."""
        if self._turn is not None and (self._last is None or self._last.done()):
            self._begin(self._turn, {})

    async def over(self) -> None:
        """Wait until a frame that was begun is drawn."""
        if self._last is not None and not self._last.done():
            await asyncio.wait({self._last}, timeout=_PATIENCE_S)

    async def next(self) -> None:
        """Wait for a frame that begins now."""
        if self._turn is not None:
            await self.over()
            self.begin()
            await self.over()

    def close(self) -> None:
        """Draw no more; a frame that was begun is drawn to its end."""
        self._is_closed = True

    async def picture(self, params: Mapping[str, Any]) -> bytes:
        """The window as a file.

        Args:
            params: Its `format`, and what belongs to it.

        Raises:
            TimeoutError: The page does not answer.
            DevToolsError: The page is gone, or could not be drawn.
        """
        if self._turn is None:
            taken = await self._wait(self._post("Page.captureScreenshot", {**params, "captureBeyondViewport": False}))
            return base64.b64decode(taken["data"])
        for number in range(_TRIES):  # a page that was never drawn has nothing yet to take a picture of
            await (self.next() if number else self.over())
            taken = await self._wait(asyncio.shield(self._begin(self._turn, {"screenshot": params})))
            if "screenshotData" in taken:
                return base64.b64decode(taken["screenshotData"])
        raise DevToolsError(f"{_FRAME}: the page was not drawn")

    def _begin(self, turn: asyncio.Lock, params: Mapping[str, Any]) -> asyncio.Task[dict[str, Any]]:
        self._last = asyncio.ensure_future(self._draw(turn, params))
        self._last.add_done_callback(unheard)
        return self._last

    async def _draw(self, turn: asyncio.Lock, params: Mapping[str, Any]) -> dict[str, Any]:
        async with turn:
            if self._is_closed:  # the browser might never answer
                raise PageGoneError(f"{_FRAME}: the tab is closed")
            frame = self._post(_FRAME, params)
            drawn, _ = await asyncio.wait({frame}, timeout=self._stuck_s)
            if not drawn:
                self._give_up(f"The page was not drawn within {self._stuck_s:g} s and was closed.")
            return await frame
