"""Requests of pages that something of ours answers or reads, through the browser's Fetch domain: http and https alike.

What is not answered here goes to the window's gate, as every other request does. Who answers is an `Interceptor`.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from agentgym_web.browser.devtools import unheard
from agentgym_web.browser.errors import DevToolsError

Post = Callable[[str, Mapping[str, Any] | None], asyncio.Future[dict[str, Any]]]
"""Sends a command to the tab that a request came from."""
Header = tuple[str, str]


class Interceptor(Protocol):
    """Takes the requests of a window's pages."""

    stage: Literal["Request", "Response"]
    """Whether it takes them before they reach the network, or when their answer is there."""

    async def take(self, post: Post, paused: Mapping[str, Any]) -> None:
        """Answer a request that waits, or let it go on.

        Args:
            post: Sends a command to its tab.
            paused: The parameters of the event `Fetch.requestPaused`.
        """


class Watch:
    """The requests of one tab that an interceptor takes.

    Args:
        post: Sends a command to the tab.
        began: Called when a request waits, with what stands for it.
        ended: Called when it was answered, with the same.
    """

    def __init__(self, post: Post, began: Callable[[object], None], ended: Callable[[object], None]) -> None:
        self._post, self._began, self._ended = post, began, ended
        self._interceptor: Interceptor | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def use(self, interceptor: Interceptor | None) -> None:
        """Give requests to an interceptor from now on; None lets them go to the gate."""
        if interceptor is None and self._interceptor is None:
            return
        self._interceptor = interceptor
        if interceptor is None:
            sent = self._post("Fetch.disable", None)
        else:
            patterns = [{"urlPattern": "*", "requestStage": interceptor.stage}]
            sent = self._post("Fetch.enable", {"patterns": patterns})
        sent.add_done_callback(unheard)

    def paused(self, params: Mapping[str, Any]) -> None:
        """A request waits."""
        task = asyncio.ensure_future(self._take(params))
        self._began(task)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _take(self, params: Mapping[str, Any]) -> None:
        request = {"requestId": params["requestId"]}
        try:
            if self._interceptor is None:
                await self._post("Fetch.continueRequest", request)
            else:
                await self._interceptor.take(self._post, params)
        except DevToolsError:
            pass  # its page is gone
        except Exception:
            self._post("Fetch.failRequest", {**request, "errorReason": "Failed"}).add_done_callback(unheard)
            raise
        finally:
            self._ended(asyncio.current_task())


async def fulfil(post: Post, paused: Mapping[str, Any], status: int, headers: Sequence[Header], body: bytes) -> None:
    """Answer a request that waits.

    Args:
        post: Sends a command to its tab.
        paused: The event's parameters.
        status: The HTTP status.
        headers: Of the answer.
        body: Of the answer, without any coding.
    """
    answer = {
        "requestId": paused["requestId"],
        "responseCode": status,
        "responseHeaders": [{"name": name, "value": value} for name, value in headers],
        "body": base64.b64encode(body).decode(),
    }
    await post("Fetch.fulfillRequest", answer)


def sent_body(request: Mapping[str, Any]) -> bytes:
    """The body of a request, as far as the browser tells it."""
    entries = request.get("postDataEntries", ())
    if entries:
        return b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
    return str(request.get("postData", "")).encode()
