"""What a tab's page still waits for beside its own loading: pictures and styles, and frames that go on to another page.

The browser tells of each before it answers the question whether the page is quiet, so none is missed that began before.
Requests of scripts are waited for in the page, by `scripts/clock.js`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

_KINDS = {"Image", "Stylesheet", "Font"}
_FRAME_BEGINS = {"Page.frameStartedNavigating", "Page.frameStartedLoading"}
_FRAME_ENDS = {"Page.frameStoppedLoading", "Page.frameDetached"}
_REQUEST_ENDS = {"Network.loadingFinished", "Network.loadingFailed"}


class UnderWay:
    """Requests and frames of one tab; lives in one event loop.

    Attributes:
        num_ended: How many have come to their end.
    """

    def __init__(self) -> None:
        self._waited_for: set[str] = set()
        self.num_ended = 0
        self._over = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether nothing is on its way."""
        return not self._waited_for

    def heard(self, method: str, params: Mapping[str, Any], main_frame: str) -> None:
        """Take note of an event of the tab.

        Args:
            method: Its name.
            params: Its parameters.
            main_frame: The tab's outermost frame, whose own loading is not counted.
        """
        if method == "Network.requestWillBeSent":
            if params.get("type") in _KINDS:
                self._waited_for.add(params["requestId"])
        elif method in _REQUEST_ENDS:
            self._end(params["requestId"])
        elif method == "Page.frameRequestedNavigation":
            if params["frameId"] != main_frame and params.get("disposition") in (None, "currentTab"):
                self._waited_for.add(_asked(params))
        elif method == "Page.frameClearedScheduledNavigation":  # it was given up, or it is under way
            self._end(_asked(params))
        elif method in _FRAME_BEGINS:
            if params["frameId"] != main_frame and params.get("navigationType") != "sameDocument":
                self._waited_for.add(params["frameId"])
        elif method in _FRAME_ENDS:
            self._end(params["frameId"])
            self._end(_asked(params))

    def _end(self, whose: str) -> None:
        if whose in self._waited_for:
            self._waited_for.remove(whose)
            self.num_ended += 1
            if not self._waited_for:
                self._over.set()

    def forget(self) -> None:
        """Wait for nothing of what is under way now."""
        self._waited_for.clear()
        self._over.set()

    async def over(self, timeout_s: float) -> bool:
        """Wait until nothing is under way; what takes longer is never waited for again, and the answer is False."""
        if self._waited_for:
            self._over.clear()
            try:
                await asyncio.wait_for(self._over.wait(), timeout_s)
            except TimeoutError:
                self.forget()
                return False
        return True


class Asked:
    """What became of the page that a tab asked for: it came, or its answer was no page, such as a download.

    Attributes:
        unanswered: The address that was answered without a page; "" for none.
    """

    def __init__(self) -> None:
        self.unanswered = ""
        self._wanted = ""

    def begins(self, url: str) -> None:
        """A page is asked for."""
        self._wanted = url

    def came(self) -> None:
        """It came, or nobody waits for it any more."""
        self._wanted = self.unanswered = ""

    def stopped(self) -> None:
        """The tab loads no more."""
        self.unanswered, self._wanted = self._wanted, ""


def _asked(params: Mapping[str, Any]) -> str:
    return f"asked {params['frameId']}"
