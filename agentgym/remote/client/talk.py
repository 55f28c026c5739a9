"""Requests to a server and their replies, one at a time: waiting, giving up, and the meaning of errors.

`socket_client` transfers the bytes, and `env` decides what to ask.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from gymnasium.error import ResetNeeded

from agentgym.errors import CancelledEpisode, InfrastructureError, TaskError
from agentgym.remote.client.socket_client import Address, ClientSocket
from agentgym.remote.settings import ClientSettings
from agentgym.remote.wire import OURS, decode_special, error_of

_INTERRUPT = json.dumps({"type": OURS, "data": {"method": "interrupt"}}).encode()


class NotOurs(InfrastructureError):  # noqa: N818 - internal: decides how a server is spoken to
    """The server does not know agentgym's messages."""


class Talk:
    """The conversation with one server, over one connection at a time.

    Args:
        url: Where the server listens.
        token: Sent as a bearer token; "" sends none.
        settings: Limits.
        is_cancelled: Whether the episode was interrupted.
        on_end: Called when the running episode cannot go on.

    Raises:
        ConfigError: The address is malformed.
    """

    def __init__(
        self,
        url: str,
        token: str,
        settings: ClientSettings,
        *,
        is_cancelled: Callable[[], bool],
        on_end: Callable[[], None],
    ) -> None:
        self.address, self.token, self.settings = Address.parse(url), token, settings
        self._is_cancelled, self._on_end = is_cancelled, on_end
        self._socket: ClientSocket | None = None
        self._is_waiting = False
        self._num_asked = 0

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._socket is not None

    def open(self, session_id: str) -> None:
        """Connect to a session; "" asks for a new one.

        Raises:
            ConfigError: The server refuses the token.
            InfrastructureError: The server cannot be reached or is full.
        """
        self._socket = ClientSocket(self.address, self.token, self.settings, session_id)

    def move(self, url: str) -> None:
        """Use another server from the next `open` on."""
        self.close()
        self.address = Address.parse(url)

    def close(self) -> None:
        """End the connection, and the episode with it; a second call does nothing."""
        connection, self._socket = self._socket, None
        self._on_end()
        if connection is not None:
            connection.close()

    def ask(self, kind: str, data: Mapping[str, Any], patience_s: float) -> dict[str, Any]:
        """Send a message and wait for its reply's data.

        Args:
            kind: The message's type.
            data: Its content; JSON values.
            patience_s: How long the reply may take.

        Raises:
            InfrastructureError: The connection is lost, or the server failed.
            CancelledEpisode: The episode was interrupted.
            AgentGymError: The environment raised it on the server.
        """
        connection = self._socket
        if connection is None:
            raise InfrastructureError(f"the connection to {self.address} is closed; reset() opens a new one")
        self._num_asked += 1
        self._is_waiting = True
        try:
            connection.send(json.dumps({"type": kind, "data": data}).encode("ascii"))
            raw = connection.receive(patience_s)
            reply = json.loads(raw, object_hook=decode_special if b"$uint8" in raw else None)
            answer: dict[str, Any] = reply["data"]
        except InfrastructureError:
            self.close()
            if self._is_cancelled():
                raise CancelledEpisode("the step was interrupted and its connection given up") from None
            raise
        except (ValueError, KeyError, TypeError) as error:
            self.close()
            raise InfrastructureError(f"{self.address} sent no valid reply: {error}") from error
        finally:
            self._is_waiting = False
        if reply["type"] == "error":
            self._raise(answer)
        return answer

    def interrupt(self, *, is_ours: bool) -> None:
        """Make the server end the running request, or close the connection if it does not react.

        Args:
            is_ours: Whether the server knows agentgym's message for that; else the connection is closed at once.
        """
        connection = self._socket
        if not self._is_waiting or connection is None:
            return
        if not is_ours:
            connection.abort()
            return
        with suppress(InfrastructureError):  # a lost connection ends the step as well
            connection.send(_INTERRUPT)
        overdue = [connection, self._num_asked]
        watch = threading.Timer(self.settings.interrupt_grace_s, self._give_up, overdue)
        watch.daemon = True
        watch.start()

    def _give_up(self, connection: ClientSocket, number: int) -> None:
        """Abort the request of that number if it has no reply yet; a later request goes on."""
        if self._is_waiting and self._socket is connection and self._num_asked == number:
            connection.abort()

    def _raise(self, answer: Mapping[str, Any]) -> NoReturn:
        name, code = answer.get("error", ""), answer.get("code")
        text = f"{answer.get('message', 'no message')} (from {self.address})"
        if code == "UNKNOWN_TYPE":
            raise NotOurs(text)
        if name == "ResetNeeded":
            raise ResetNeeded(text)
        if name == "NotImplementedError":
            raise NotImplementedError(text)
        if name == "CancelledEpisode" or (name == "" and code != "VALIDATION_ERROR"):
            self._on_end()
        if code == "SESSION_ERROR":  # the server's last words
            self.close()
        if code == "VALIDATION_ERROR":
            raise TaskError(text)
        raise error_of(name, text)
