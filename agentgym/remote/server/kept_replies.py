"""Replies that a session keeps, so that a request that is sent again is not carried out again."""

from __future__ import annotations

from collections import OrderedDict

from agentgym.remote.server.requests import Refused

MAX_REQUEST_IDS = 4096
"""Request ids that a session remembers; beyond that the oldest are forgotten."""
MAX_KEPT_REPLIES = 16
"""Replies that are kept for requests that are sent again; of older ones only the ids are."""


class KeptReplies:
    """The last replies of one session, by request id."""

    __slots__ = ("_replies",)

    def __init__(self) -> None:
        self._replies: OrderedDict[str, bytes | None] = OrderedDict()

    def find(self, request_id: str) -> bytes | None:
        """The reply to a request that was carried out; None for a new request, whose id is remembered from now on.

        Raises:
            Refused: It was carried out, but its reply is no longer kept, or not ready yet.
        """
        if request_id not in self._replies:
            self._replies[request_id] = None
            if len(self._replies) > MAX_REQUEST_IDS:
                self._replies.popitem(last=False)
            return None
        kept = self._replies[request_id]
        if kept is None:
            raise Refused("EXECUTION_ERROR", f"request {request_id!r} was carried out; its reply is no longer kept")
        return kept

    def keep(self, request_id: str, reply: bytes) -> None:
        """Keep a reply, and drop the oldest one."""
        self._replies[request_id] = reply
        for number, known in enumerate(reversed(self._replies)):
            if number >= MAX_KEPT_REPLIES:
                if self._replies[known] is None:
                    break
                self._replies[known] = None
