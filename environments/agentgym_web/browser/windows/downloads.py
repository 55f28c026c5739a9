"""The downloads of one window: what is kept, what is cut, and what the agent is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym_web.browser.devtools import Connection, unheard
from agentgym_web.browser.gate import Gate
from agentgym_web.browser.sight import one_line

_MAX_KEPT = 10


@dataclass
class _Download:
    name: str
    url: str
    is_wanted: bool = True


class Downloads:
    """Keeps the downloads of a window in a folder, or refuses them.

    Args:
        connection: The browser's.
        gate: Tells which answers were cut; a download is waited for like a request.
        folder: Where they are kept.
        is_kept: Whether they are kept; else they are refused.
        note: Takes what the agent is told.
    """

    def __init__(
        self, connection: Connection, gate: Gate, folder: Path, is_kept: bool, note: Callable[[str], None]
    ) -> None:
        self._connection, self._gate, self._folder = connection, gate, folder
        self._is_kept, self._note = is_kept, note
        self._known: dict[str, _Download] = {}
        self._context = ""

    def allow(self, context: str) -> None:
        """Say to the browser what becomes of the downloads of a context."""
        self._context = context
        behavior = {
            "behavior": "allowAndName" if self._is_kept else "deny",
            "browserContextId": context,
            "downloadPath": str(self._folder),
            "eventsEnabled": True,
        }
        self._connection.post("Browser.setDownloadBehavior", behavior).add_done_callback(unheard)

    def has(self, guid: str) -> bool:
        """Whether a download is one of this window."""
        return guid in self._known

    def begins(self, params: Mapping[str, Any]) -> None:
        """The event of a download that begins."""
        guid = params["guid"]
        name = one_line(str(params.get("suggestedFilename", "file")), 100)
        begun = self._known[guid] = _Download(name, str(params.get("url", "")))
        if not self._is_kept:
            self._note(f'The page offered a download, "{name}". Downloads are refused here.')
        elif len(self._known) > _MAX_KEPT:
            begun.is_wanted = False
            self._cancel(guid)
            self._note(f'"{name}" was not downloaded: at most {_MAX_KEPT} downloads are kept.')
        else:
            self._gate.began(guid)

    def goes_on(self, params: Mapping[str, Any]) -> None:
        """An event of a download that began before."""
        guid, state = params["guid"], params.get("state")
        known = self._known[guid]
        if state != "inProgress":
            self._gate.ended(guid)
        if not known.is_wanted or not self._is_kept:
            return
        limit = self._gate.network.max_bytes
        if params.get("receivedBytes", 0) > limit or known.url in self._gate.traffic.cut:
            known.is_wanted = False
            self._cancel(guid)
            (self._folder / guid).unlink(missing_ok=True)
            self._note(f'"{known.name}" was not downloaded: it has more than {limit} bytes.')
        elif state == "completed":
            self._note(f'"{known.name}" was downloaded.')
        elif state == "canceled":
            self._note(f'"{known.name}" was not downloaded: the connection ended.')

    def clear(self) -> None:
        """Forget all downloads, end those under way and remove their files."""
        for guid in self._known:
            self._cancel(guid)
            self._gate.ended(guid)
        if self._known:
            for path in self._folder.iterdir():
                path.unlink(missing_ok=True)
        self._known.clear()

    def _cancel(self, guid: str) -> None:
        params = {"guid": guid, "browserContextId": self._context}
        self._connection.post("Browser.cancelDownload", params).add_done_callback(unheard)
