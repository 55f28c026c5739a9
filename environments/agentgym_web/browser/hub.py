"""The hub: one event loop in a thread, and the browsers that run in it, each shared by many environments.

There is one hub a process. A browser that ends is replaced by the next window that is opened.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import uvloop

from agentgym.errors import InfrastructureError
from agentgym_web.browser.devtools import Connection, unheard
from agentgym_web.browser.errors import BrowserLostError, BrowserStartError, DevToolsError
from agentgym_web.browser.gate import Network
from agentgym_web.browser.page import WebPage
from agentgym_web.browser.program.finding import UNPRIVILEGED
from agentgym_web.browser.program.memory import watch_memory
from agentgym_web.browser.program.process import BrowserProcess, ProcessSettings, start_process
from agentgym_web.browser.settings import PageSettings
from agentgym_web.browser.window import Window
from agentgym_web.browser.windows.episodes import use_network

WINDOWS_EACH = 16
"""Windows that one browser holds; the next one goes to a further browser."""
_START_S = 90.0
_AT_ONCE_S = 0.1
T = TypeVar("T")


class Browser:
    """A running browser and its windows; lives in the hub's loop.

    Args:
        process: The process.
        settings: What it was started with.
    """

    def __init__(self, process: BrowserProcess, settings: ProcessSettings) -> None:
        self.process, self.settings = process, settings
        self.windows: list[Window] = []
        self.num_opened = 0
        self._turn = asyncio.Lock() if process.draws_when_asked else None
        self._reopened: set[PageSettings] = set()
        self._spare: tuple[PageSettings, asyncio.Task[Window]] | None = None
        self._ending: threading.Thread | None = None
        self._watching: asyncio.Task[None] | None = None
        self.connection = Connection(process.commands, process.replies, self._lost)
        self.connection.listen("", self._on_event)

    @property
    def is_lost(self) -> bool:
        """Whether it ended."""
        return self.connection.is_lost

    @property
    def num_used(self) -> int:
        """Windows that environments have."""
        spare = self._spare is not None and self._spare[1].done()
        return len(self.windows) - spare

    async def start(self) -> None:
        """Wait until it answers, and ask to be told of its tabs.

        Raises:
            BrowserStartError: It ended, or did not answer in time; carries its last words.
        """
        try:
            await asyncio.wait_for(self.connection.post("Browser.getVersion"), _START_S)
            pages = [{"type": "page", "exclude": False}, {"exclude": True}]
            params = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": pages}
            await asyncio.wait_for(self.connection.post("Target.setAutoAttach", params), _START_S)
            if self._turn is not None:
                await asyncio.wait_for(self._close_first_page(), _START_S)
        except (TimeoutError, InfrastructureError) as error:
            self.connection.close()
            log = self.process.last_words()
            path = self.process.program.path
            raise BrowserStartError(
                f"the browser {path} did not start: {error or 'no answer in time'}; it said: {log}"
            ) from error

        self._watching = asyncio.ensure_future(watch_memory(self.process))

    async def _close_first_page(self) -> None:
        """Close the page that nobody asked for: its frames would come on and on."""
        for target in (await self.connection.post("Target.getTargets"))["targetInfos"]:
            if target["type"] == "page":
                await self.connection.post("Target.closeTarget", {"targetId": target["targetId"]})

    async def open(self, settings: PageSettings, network: Network) -> Window:
        """A new window. Where windows of these settings come and go, the next one is made ahead."""
        window = await self._take_spare(settings) or await self._make(settings)
        use_network(window, network)
        if settings in self._reopened and self._spare is None:
            making = asyncio.ensure_future(self._make(settings))
            making.add_done_callback(unheard)
            self._spare = settings, making
        return window

    async def _take_spare(self, settings: PageSettings) -> Window | None:
        """The window that was made ahead for these settings; None if there is none, or if its page crashed."""
        if self._spare is None or self._spare[0] != settings:
            return None
        (_, making), self._spare = self._spare, None
        try:
            window = await making
        except (DevToolsError, BrowserStartError):
            return None
        if window.is_stained:
            await self.close_window(window)
            return None
        return window

    async def _make(self, settings: PageSettings) -> Window:
        self.num_opened += 1
        folder = self.process.profile / f"window{self.num_opened}"
        try:
            for path in (folder, folder / "downloads", folder / "uploads"):
                path.mkdir()
                if os.geteuid() == 0:
                    os.chown(path, UNPRIVILEGED, UNPRIVILEGED)
        except OSError as error:
            raise BrowserStartError(f"a window has no folder: {error}; free some space there") from error
        window = Window(self.connection, settings, Network(), folder, secrets.token_hex(8), self._turn)
        self.windows.append(window)
        try:
            await window.open()
        except GeneratorExit:  # its loop is gone: nothing can be waited for
            raise
        except BaseException:
            await self.close_window(window)
            raise
        return window

    async def debug_address(self) -> str:
        """Where its debugging port is, as ws://….

        Raises:
            BrowserStartError: It opened none in time.
        """
        file = self.process.profile / "data" / "DevToolsActivePort"
        for _ in range(round(_START_S / 0.05)):
            lines = file.read_text().split() if file.exists() else []
            if len(lines) == 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            await asyncio.sleep(0.05)
        raise BrowserStartError(f"the browser {self.process.program.path} opened no debugging port")

    async def close_window(self, window: Window) -> None:
        """End a window."""
        self._reopened.add(window.settings)
        if window in self.windows:
            self.windows.remove(window)
        if self.is_lost:
            await window.gate.close()
        else:
            await window.close()

    async def end(self) -> None:
        """End the browser with all of its windows."""
        if self._spare is not None:
            self._spare[1].cancel()
            self._spare = None
        for window in list(self.windows):
            with suppress(Exception):
                await window.gate.close()
        self.windows.clear()
        self.connection.close()

    def _lost(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        self._ending = threading.Thread(target=self.process.end, daemon=True, name="browser-end")
        self._ending.start()

    def join(self) -> None:
        """Wait until nothing is left of it."""
        self.process.end()
        if self._ending is not None:
            self._ending.join()

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        if method == "Target.attachedToTarget":
            info, session = params["targetInfo"], params["sessionId"]
            window = self._window_of(info.get("browserContextId", ""))
            if window is not None and info["type"] == "page":
                window.attached(session, info, is_waiting=params["waitingForDebugger"])
            else:
                self.connection.post("Runtime.runIfWaitingForDebugger", session=session).add_done_callback(unheard)
        elif method == "Target.detachedFromTarget":
            for window in self.windows:
                window.detached(params["sessionId"])
            self.connection.forget(params["sessionId"], is_gone=True)
        elif method in ("Browser.downloadWillBegin", "Browser.downloadProgress"):
            frame = params.get("frameId", "")
            for window in self.windows:
                if window.downloads.has(params["guid"]) or any(frame in tab.frames for tab in window.tabs):
                    window.on_download(method, params)

    def _window_of(self, context: str) -> Window | None:
        return next((window for window in self.windows if window.context == context), None)


class Hub:
    """Browsers for the environments of this process; safe from several threads.

    Args:
        windows_each: Windows that one browser holds.
    """

    def __init__(self, windows_each: int = WINDOWS_EACH) -> None:
        self._windows_each = windows_each
        self._pid = os.getpid()
        self._browsers: list[Browser] = []
        self._starting: asyncio.Lock | None = None
        self.loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="browser-hub", daemon=True)
        self._thread.start()

    def open(
        self,
        settings: PageSettings | None = None,
        network: Network | None = None,
        process: ProcessSettings | None = None,
    ) -> WebPage:
        """A window with an empty tab.

        Args:
            settings: How its pages run.
            network: What they can reach; nothing by default.
            process: What kind of browser it runs in.

        Raises:
            ConfigError: There is no fit browser.
            BrowserStartError: The browser or the window did not start.
        """
        window = self.run(self._open(settings or PageSettings(), network or Network(), process or ProcessSettings()))
        return WebPage(self, window)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and wait for it."""
        if os.getpid() != self._pid:
            work.close()
            raise BrowserLostError(
                "the browser belongs to the parent of this forked process; make the environment again"
            )
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def debug_address(self, window: Window) -> str:
        """Where the debugging port of a window's browser is, as ws://…."""
        browser = next(browser for browser in self._browsers if window in browser.windows)
        return await browser.debug_address()

    def close_window(self, window: Window) -> None:
        """End a window, unless its browser is gone."""
        if os.getpid() != self._pid or self.loop.is_closed():
            return
        for browser in self._browsers:
            if window in browser.windows:
                self.run(browser.close_window(window))
                return

    def processes(self) -> list[BrowserProcess]:
        """The processes of the browsers that run."""
        return [browser.process for browser in self._browsers if not browser.is_lost]

    def close(self) -> None:
        """End all browsers; a second call does nothing."""
        if os.getpid() != self._pid or self.loop.is_closed():
            return
        browsers = list(self._browsers)
        self.run(self._end())
        for browser in browsers:
            browser.join()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def close_at_exit(self) -> None:
        """As `close`; Ctrl-C meanwhile kills the browsers, and Python prints no traceback of it."""
        browsers = list(self._browsers)
        try:
            self.close()
        except KeyboardInterrupt:
            for browser in browsers:
                browser.process.end(_AT_ONCE_S)

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        self._starting = asyncio.Lock()
        self.loop.run_forever()

    async def _open(self, settings: PageSettings, network: Network, process: ProcessSettings) -> Window:
        error: Exception | None = None
        for _ in range(2):
            browser = await self._browser(process)
            try:
                return await browser.open(settings, network)
            except (BrowserLostError, BrowserStartError) as failure:
                error = failure
                if not browser.is_lost:
                    await browser.end()
        raise BrowserStartError(f"a window could not be opened: {error}")

    async def _browser(self, settings: ProcessSettings) -> Browser:
        assert self._starting is not None
        async with self._starting:
            self._browsers = [browser for browser in self._browsers if not browser.is_lost]
            for browser in self._browsers:
                if browser.settings == settings and browser.num_used < self._windows_each:
                    return browser
            process = await self.loop.run_in_executor(None, start_process, settings)
            browser = Browser(process, settings)
            await browser.start()
            self._browsers.append(browser)
            return browser

    async def _end(self) -> None:
        for browser in self._browsers:
            await browser.end()
        self._browsers.clear()


_hub: list[Hub] = []
_lock = threading.Lock()


def the_hub() -> Hub:
    """The hub of this process, started when it is first asked for; it ends with the process."""
    with _lock:
        if not _hub or _hub[0]._pid != os.getpid() or _hub[0].loop.is_closed():
            _hub[:] = [Hub()]
            atexit.register(_hub[0].close_at_exit)
        return _hub[0]
