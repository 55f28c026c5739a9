"""The DevTools protocol over the browser's pipe: commands, their replies, and events.

Messages are JSON with a zero byte after each. Many sessions, one for each page, share the connection.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from agentgym_web.browser.errors import BrowserLostError, DevToolsError, PageGoneError

Event = Callable[[str, dict[str, Any]], None]
"""What a session does with an event: its method and its parameters; it must not wait."""
_GONE = (
    "not found",
    "Cannot find",
    "No session",
    "Session with given id",
    "was not found",
    "Target closed",
    "destroyed",
    "crashed",
    "detached",
    "navigated",
)


class Connection:
    """A browser's pipe; lives in one event loop.

    Args:
        commands: File descriptor to write to.
        replies: File descriptor to read from.
        on_lost: Called once when the browser is gone.
    """

    def __init__(self, commands: int, replies: int, on_lost: Callable[[], None]) -> None:
        self._commands, self._replies = commands, replies
        self._on_lost = on_lost
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.Future[dict[str, Any]], str, str, bool]] = {}
        self._listeners: dict[str, Event] = {}
        self._buffer = bytearray()
        self._unsent: list[bytes] = []
        self._is_flushing = False
        self._loop = asyncio.get_running_loop()
        self.is_lost = False
        os.set_blocking(commands, False)
        os.set_blocking(replies, False)
        self._loop.add_reader(replies, self._read)

    def post(
        self, method: str, params: Mapping[str, Any] | None = None, session: str = "", *, is_lasting: bool = False
    ) -> asyncio.Future[dict[str, Any]]:
        """Send a command; the future holds its result, or a DevToolsError. Commands keep their order.

        Args:
            method: The command.
            params: Its arguments.
            session: The session that it is for; "" is the browser's.
            is_lasting: Whether the browser goes on with it after `forget`, until the session is gone.
        """
        future: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        if self.is_lost:
            future.set_exception(BrowserLostError(f"the browser is gone; {method} was not sent"))
            return future
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        try:
            # Half a pair of surrogates, which a page or an agent can write, is no UTF-8: it becomes "?".
            data = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        except ValueError as error:
            future.set_exception(DevToolsError(f"{method}: {error}"))
            future.exception()
            return future
        self._waiting[number] = (future, method, session, is_lasting)
        self._write(data + b"\0")
        return future

    def listen(self, session: str, on_event: Event) -> None:
        """Hand the events of a session, "" being the browser's, to a function."""
        self._listeners[session] = on_event

    def forget(self, session: str, *, is_gone: bool = False) -> None:
        """Stop listening to a session, and fail what still waits for it; what is lasting only where it is gone."""
        self._listeners.pop(session, None)
        for number, (future, method, whose, is_lasting) in list(self._waiting.items()):
            if whose == session and (is_gone or not is_lasting):
                del self._waiting[number]
                if not future.done():
                    future.set_exception(PageGoneError(f"{method}: the page is gone"))
                    future.exception()

    def close(self) -> None:
        """Stop reading; whatever waits fails."""
        if self.is_lost:
            return
        self.is_lost = True
        for number, forget in ((self._replies, self._loop.remove_reader), (self._commands, self._loop.remove_writer)):
            forget(number)
        for future, method, *_ in self._waiting.values():
            if not future.done():
                future.set_exception(BrowserLostError(f"the browser ended before it answered {method}"))
                future.exception()
        self._waiting.clear()
        self._on_lost()

    def _write(self, data: bytes) -> None:
        """Send with whatever else is posted in this round of the loop: each write wakes the browser."""
        self._unsent.append(data)
        if not self._is_flushing:
            self._is_flushing = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        if self.is_lost:
            return
        data = b"".join(self._unsent)
        try:
            sent = os.write(self._commands, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close()
            return
        if sent < len(data):
            self._unsent = [data[sent:]]
            self._loop.add_writer(self._commands, self._flush)
            return
        self._unsent.clear()
        self._is_flushing = False
        self._loop.remove_writer(self._commands)

    def _read(self) -> None:
        try:
            data = os.read(self._replies, 1 << 20)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        if b"\0" not in data:
            self._buffer += data
            return
        *messages, rest = (bytes(self._buffer) + data if self._buffer else data).split(b"\0")
        self._buffer = bytearray(rest)
        for message in messages:
            self._dispatch(json.loads(message))

    def _dispatch(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if number is None:
            listener = self._listeners.get(message.get("sessionId", ""))
            if listener is not None and "method" in message:
                listener(message["method"], message.get("params", {}))
            return
        future, method, *_ = self._waiting.pop(number, (None, "", "", False))
        if future is None or future.done():
            return
        error = message.get("error")
        if error is None:
            future.set_result(message["result"])
            return
        said = str(error.get("message", ""))
        kind = PageGoneError if any(word in said for word in _GONE) else DevToolsError
        future.set_exception(kind(f"{method}: {said}"))


def unheard(future: asyncio.Future[Any]) -> None:
    """A callback of commands whose result nobody waits for: asyncio would print their errors."""
    if not future.cancelled():
        future.exception()
