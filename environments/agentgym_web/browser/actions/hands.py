"""What the actions of all kinds share: the window, its input and its elements, waiting, and files.

An action is a method with `@tool`: its signature and docstring are what the agent reads. A mistake of the agent's
raises `ActionSyntaxError`, whose text explains it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from agentgym.errors import ActionSyntaxError
from agentgym.tools import tool
from agentgym_web.browser.elements import Elements
from agentgym_web.browser.input import Input
from agentgym_web.browser.tab import Tab
from agentgym_web.browser.window import Arriving, Window

_MAX_TEXT = 200_000
_LONGEST_MS = 10_000


class Hands:
    """The hands of an agent on a window.

    Args:
        window: The window.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self._input = Input(window)
        self._elements = Elements(window)

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self._window.tab

    def release(self) -> None:
        """Forget what is held down, for a new episode."""
        self._input.release()

    @tool
    async def noop(self, wait_ms: float = 1000) -> None:
        """Do nothing for a while.

        Args:
            wait_ms: How long, in milliseconds, from 0 to 10000.
        """
        if not 0 <= wait_ms <= _LONGEST_MS:
            raise ActionSyntaxError(f"wait_ms must be from 0 to {_LONGEST_MS}: got {wait_ms:g}.")
        if self._window.settings.virtual_time:
            self._window.span_ms = wait_ms  # by which the page's clock goes on with the next look
        else:
            await asyncio.sleep(wait_ms / 1000)

    async def _insert(self, text: str, *, is_awaited: bool = True) -> None:
        """Put a text at once where the focus is; see `Input.click`."""
        if len(text) > _MAX_TEXT:
            raise ActionSyntaxError(f"The text has {len(text)} characters; at most {_MAX_TEXT} are filled in.")
        window = self._window
        if is_awaited or not window.settings.looks_wait:
            await self.tab.ask("Input.insertText", {"text": text})
        else:
            window.arriving = Arriving("input", self.tab.post("Input.insertText", {"text": text}))

    def _files(self, names: Sequence[str]) -> list[str]:
        given = self._window.files
        for name in names:
            if name not in given:
                listed = ", ".join(sorted(given)) or "none"
                raise ActionSyntaxError(f"You were given no file {name[:80]!r}. Files: {listed}.")
        return [str(self._upload(name)) for name in names]

    def _upload(self, name: str) -> Path:
        """A copy of one of the agent's files where the browser may read it."""
        copy, given = self._window.folder / "uploads" / Path(name).name, self._window.files[name]
        copy.write_bytes(given if isinstance(given, bytes) else given.read_bytes())
        copy.chmod(0o644)
        return copy

    async def _give_files(self, paths: Sequence[str]) -> None:
        tab = self.tab
        for _ in range(50):
            if tab.file_input is not None:
                break
            await asyncio.sleep(0.01)
        else:
            raise ActionSyntaxError("The click opened no dialog for files.")
        await tab.ask("DOM.setFileInputFiles", {"files": list(paths), "backendNodeId": tab.file_input})
        tab.file_input = None
        self._window.notes[:] = [note for note in self._window.notes if "asks for a file" not in note]
