"""Playwright's trace of an episode: a zip that `playwright show-trace` opens.

Playwright connects to the same browser and only watches: all input comes from this package, and the window answers
dialogs and offers of downloads. What its driver writes meanwhile lies in a folder that goes with this process, also
where that is killed: the driver leaves it behind then.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from agentgym.errors import InfrastructureError, MissingExtraError
from agentgym_web.browser.window import Window

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Dialog, Page, Playwright

_CONNECT_MS = 60_000
_SNAPSHOT_S = 5.0
# Its input ends with this process. The driver may write for a moment after that.
_WIPE = 'read -r _; for try in {1..50}; do [ -e "$1" ] || break; rm -rf -- "$1"; sleep 0.1; done'


class Tracer:
    """Watches one window, alone in its browser; lives in the hub's loop.

    Args:
        window: The window.
        address: Where the browser's debugging port is, as ws://….
    """

    def __init__(self, window: Window, address: str) -> None:
        self._window, self._address = window, address
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._context: BrowserContext | None = None
        self._targets: dict[Page, str] = {}
        self._is_tracing = self._is_open = False
        self._scratch: _Scratch | None = None

    async def begin(self, title: str) -> None:
        """Start the trace of an episode; one that was not ended is dropped.

        Raises:
            MissingExtraError: Playwright is not installed.
            InfrastructureError: It could not connect to the browser.
        """
        if self._context is None:
            self._context = await self._connect()
            await self._context.tracing.start(title=title, screenshots=True, snapshots=True)
        else:
            await self._drop()
            await self._context.tracing.start_chunk(title=title)
        self._is_tracing = True

    async def open_action(self, call: str) -> None:
        """The next action begins; what happens until `close_action` belongs to it."""
        await self.close_action()
        if self._context is not None and self._is_tracing:
            await self._context.tracing.group(call)
            self._is_open = True

    async def close_action(self) -> None:
        """The action is over and the page quiet: the trace gets a snapshot of the page in front."""
        was_open, self._is_open = self._is_open, False
        if self._context is None or not was_open:
            return
        with suppress(Exception):  # the page may be gone, or hang
            page = await self._in_front(self._context)
            if page is not None:
                await asyncio.wait_for(_take_snapshot(page), _SNAPSHOT_S)
        await self._context.tracing.group_end()

    async def end(self, path: Path) -> None:
        """Write the trace of the episode, where one runs."""
        await self.close_action()
        was_tracing, self._is_tracing = self._is_tracing, False
        if self._context is not None and was_tracing:
            await self._context.tracing.stop_chunk(path=path)

    async def close(self) -> None:
        """Stop watching, and drop a trace that was not ended; a second call does nothing."""
        with suppress(Exception):  # the browser may be gone already
            await asyncio.wait_for(self._drop(), _SNAPSHOT_S)
        browser, playwright = self._browser, self._playwright
        self._browser = self._context = self._playwright = None
        with suppress(Exception):  # the browser may be gone already
            if browser is not None:
                await browser.close()
        if playwright is not None:
            await playwright.stop()
        scratch, self._scratch = self._scratch, None
        if scratch is not None:
            scratch.close()

    async def _drop(self) -> None:
        """Drop the trace that runs, if one does.

        Playwright leaves a folder in the temporary folder behind for each trace that is neither written nor dropped.
        """
        was_tracing, self._is_tracing, self._is_open = self._is_tracing, False, False
        if self._context is not None and was_tracing:
            await self._context.tracing.stop_chunk()

    async def _connect(self) -> BrowserContext:
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError as error:
            raise MissingExtraError("Playwright's trace", "web") from error
        self._scratch = _Scratch()
        with _temporary_folder(self._scratch.folder):
            self._playwright = await async_playwright().start()
        try:
            self._browser = await self._playwright.chromium.connect_over_cdp(self._address, timeout=_CONNECT_MS)
        except Error as error:
            await self.close()
            raise InfrastructureError(f"Playwright could not connect to the browser: {error}") from error
        context = self._browser.contexts[0]
        context.on("dialog", _leave_it)
        return context

    async def _in_front(self, context: BrowserContext) -> Page | None:
        wanted = self._window.tab.target
        for page in context.pages:
            if page not in self._targets:
                session = await context.new_cdp_session(page)
                found = await session.send("Target.getTargetInfo")
                self._targets[page] = found["targetInfo"]["targetId"]
                await session.detach()
            if self._targets[page] == wanted:
                return page
        return None


class _Scratch:
    """A folder for the driver, and a small shell that removes it when this process ends."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="agentgym-web-trace-"))
        self._wiper = subprocess.Popen(  # noqa: S603 - a script of ours
            ["/bin/bash", "-c", _WIPE, "agentgym-web", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )

    def close(self) -> None:
        """Remove the folder; a second call does nothing."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._wiper.communicate()


@contextmanager
def _temporary_folder(folder: Path) -> Iterator[None]:
    """Name the folder for temporary files of programs that are started meanwhile."""
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("TMPDIR", None)
        else:
            os.environ["TMPDIR"] = before


async def _take_snapshot(page: Page) -> None:
    """Have Playwright take a snapshot, as it does around each call.

    Playwright may hear of the last navigation only during the call, which then fails; the next one works.
    """
    from playwright.async_api import Error

    while not page.is_closed():
        try:
            await page.evaluate("0")
            return
        except Error:
            await asyncio.sleep(0.02)


def _leave_it(dialog: Dialog) -> None:
    """Leave a dialog to the window: without a listener, Playwright would dismiss it."""
