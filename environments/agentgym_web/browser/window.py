"""The window of one environment: its own cookies and storage, its tabs, its gate to the network, its downloads.

Everything here is asynchronous and lives in the hub's loop; `page` is what environments use.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.errors import ActionSyntaxError
from agentgym_web.browser.devtools import Connection, unheard
from agentgym_web.browser.errors import BrowserLostError, BrowserStartError, DevToolsError
from agentgym_web.browser.fetching import Watch
from agentgym_web.browser.gate import Gate, Network
from agentgym_web.browser.scripts.assembling import clock_script, page_script
from agentgym_web.browser.settings import PageSettings
from agentgym_web.browser.tab import WORLD, Tab
from agentgym_web.browser.windows.downloads import Downloads

_MAX_REFUSED_TABS = 20
_OPEN_S = 60.0
_BARS_PX = 90
"""Height of the browser's own bars above a page, in a window for a person."""
NOT_LOADED = "The page could not be loaded"
_MAX_ADDRESS = 100_000


@dataclass(frozen=True)
class Arriving:
    """An input that is on its way to a page.

    Attributes:
        event: The event in the page that ends it.
        last: Done when the page has dealt with it.
    """

    event: str
    last: asyncio.Future[Any]


class Window:
    """A browser context with its tabs.

    Args:
        connection: The browser's.
        settings: How pages run.
        network: What pages can reach.
        folder: A folder of the browser's user, for downloads and uploads.
        secret: Names the events between the scripts in pages.
        turn: Held by the window of its browser whose frame is drawn; None where all come by themselves.
    """

    def __init__(
        self,
        connection: Connection,
        settings: PageSettings,
        network: Network,
        folder: Path,
        secret: str,
        turn: asyncio.Lock | None = None,
    ) -> None:
        self.connection, self.settings = connection, settings
        self.gate = Gate(network)
        self.tabs: list[Tab] = []
        self.active = 0
        self.notes: list[str] = []
        self.context = ""
        self.folder = folder
        self.seed = 0
        self.files = settings.files
        self.origins: set[str] = set()
        self.downloads = Downloads(connection, self.gate, folder / "downloads", settings.downloads, self.notes.append)
        self.is_between = self.has_cookies = False
        self._is_stained = False
        self._first = ""
        self.span_ms: float = settings.step_ms
        self.num_looks = 0
        self.arriving: Arriving | None = None
        self.on_deed: Callable[[Tab, str, str], None] | None = None
        self._secret = secret
        self._turn = turn if settings.frames_can_wait else None
        self._opening: set[asyncio.Task[None]] = set()
        self._num_awaited = 0
        self._num_refused = 0
        self._arrived = asyncio.Event()

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self.tabs[self.active]

    @property
    def is_unused(self) -> bool:
        """Whether no page was opened in it yet, and no cookie put."""
        return not self.has_cookies and len(self.tabs) == 1 and self.tab.num_pages == 0

    @property
    def is_stained(self) -> bool:
        """Whether its pages left something that only a new context is free of."""
        is_odd = self._is_stained or bool(self._opening) or not self.tabs or self.tabs[0].target != self._first
        return is_odd or any(tab.has_kept or tab.is_crashed or tab.is_storming for tab in self.tabs)

    @property
    def was_disturbed(self) -> bool:
        """Whether the page of the last episode did something after it was over."""
        return self._is_stained or any(tab.was_late or tab.is_crashed or tab.is_storming for tab in self.tabs)

    def begin(self) -> None:
        """The next episode begins: what pages do now is noted."""
        self.is_between = False
        self.arriving = None
        for tab in self.tabs:
            tab.is_mute = False

    async def open(self) -> None:
        """Make the context and its first tab.

        Raises:
            BrowserStartError: They did not come up in time.
        """
        await self.gate.open()
        await self._open_context()

    async def renew(self) -> None:
        """A new context with an empty tab in place of the present one.

        Raises:
            BrowserStartError: It did not come up in time.
        """
        self._is_stained = True  # until there is a new one
        for task in self._opening:
            task.cancel()
        for tab in self.tabs:
            tab.close()
        self.tabs.clear()
        self._opening.clear()
        self.origins.clear()
        old, self.context = self.context, ""
        self.connection.post("Target.disposeBrowserContext", {"browserContextId": old}).add_done_callback(unheard)
        await self._open_context()
        self._is_stained = False

    async def _open_context(self) -> None:
        params = {
            "disposeOnDetach": True,
            "proxyServer": f"http://127.0.0.1:{self.gate.port}",
            "proxyBypassList": "<-loopback>",
        }
        self.has_cookies = False
        self.context = (await self.connection.post("Target.createBrowserContext", params))["browserContextId"]
        self.downloads.allow(self.context)
        await self.new_tab()
        self._first = self.tab.target

    async def new_tab(self, url: str = "about:blank") -> None:
        """Open a tab and put it in front.

        Raises:
            BrowserStartError: It did not come up in time.
        """
        params: dict[str, Any] = {
            "url": url,
            "browserContextId": self.context,
            "width": self.settings.width,
            "height": self.settings.height + (_BARS_PX if self.settings.person else 0),
        }
        if self._turn is not None:
            params["enableBeginFrameControl"] = True
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _OPEN_S
        self._num_awaited += 1
        try:
            made = await asyncio.wait_for(self.connection.post("Target.createTarget", params), _OPEN_S)
            while all(tab.target != made["targetId"] for tab in self.tabs):
                self._arrived.clear()
                await asyncio.wait_for(self._arrived.wait(), max(0.01, deadline - loop.time()))
        except (TimeoutError, DevToolsError) as error:
            raise BrowserStartError(f"a tab did not open within {_OPEN_S:g} s: {error}") from error
        finally:
            self._num_awaited -= 1
        self.active = next(number for number, tab in enumerate(self.tabs) if tab.target == made["targetId"])

    def attached(self, session: str, info: Mapping[str, Any], *, is_waiting: bool) -> None:
        """The browser has a new tab for this window: the first one, or one that a page opened."""
        is_own = self._num_awaited > 0 and not info.get("openerId")
        if self.is_between and not is_own:
            self._is_stained = True
            self._close_unseen(session, info)
            return
        if len(self.tabs) + len(self._opening) >= self.settings.max_tabs and not is_own:
            self._refuse_tab(session, info)
            return
        tab = Tab(self.connection, info["targetId"], session, self.settings, self.notes, self.origins, turn=self._turn)
        tab.is_loading = info.get("url", "") not in ("", "about:blank")
        task = asyncio.ensure_future(self._ready(tab, is_waiting=is_waiting))
        self._opening.add(task)

    def _refuse_tab(self, session: str, info: Mapping[str, Any]) -> None:
        """Close a tab that is one too many; a page that opens them on and on is closed, too."""
        self.notes.append(
            f"The page opened another tab, which was closed: at most {self.settings.max_tabs} may be open."
        )
        self._is_stained = True
        self._close_unseen(session, info)
        self._num_refused += 1
        if self._num_refused > _MAX_REFUSED_TABS:
            for tab in self.tabs:
                tab.storm(f"The page opened more than {_MAX_REFUSED_TABS} tabs too many and was closed.")

    def _close_unseen(self, session: str, info: Mapping[str, Any]) -> None:
        # A tab that still waits to be told to go on would hold up its opener for ever.
        self.connection.post("Runtime.runIfWaitingForDebugger", session=session).add_done_callback(unheard)
        self.connection.post("Target.closeTarget", {"targetId": info["targetId"]}).add_done_callback(unheard)

    def detached(self, session: str) -> None:
        """A tab is gone, closed by its page or by us."""
        for number, tab in enumerate(self.tabs):
            if tab.session == session:
                tab.close()
                del self.tabs[number]
                if self.active > number or self.active >= len(self.tabs):
                    self.active = max(0, self.active - 1)
                return

    def on_download(self, method: str, params: Mapping[str, Any]) -> None:
        """An event of a download of this window."""
        if method == "Browser.downloadWillBegin":
            for tab in self.tabs:
                tab.is_download()
            self.downloads.begins(params)
        else:
            self.downloads.goes_on(params)

    def discard(self, tab: Tab) -> None:
        """Close a tab."""
        tab.close()
        self.tabs.remove(tab)
        self.connection.post("Target.closeTarget", {"targetId": tab.target}).add_done_callback(unheard)

    async def replace(self, why: str) -> None:
        """Close the tab in front and open an empty one in its place."""
        self._is_stained = True
        self.notes.append(why)
        self.discard(self.tab)
        self.active = len(self.tabs)
        await self.new_tab()

    async def goto(self, url: str) -> None:
        """Start to load a page in the tab in front; whoever observes waits for it.

        Raises:
            ActionSyntaxError: It is no address, or too long a one.
            TimeoutError: The page that is there does not answer.
        """
        if len(url) > _MAX_ADDRESS:
            raise ActionSyntaxError(f"The address has {len(url)} characters; at most {_MAX_ADDRESS} can be opened.")
        tab = self.tab
        tab.is_navigating = True
        asked = tab.post("Page.navigate", {"url": url})
        try:
            answer = await self._navigated(tab, asked)
        except DevToolsError as error:
            tab.is_navigating = False
            if "invalid URL" not in str(error):
                raise
            raise ActionSyntaxError(f"{url[:80]!r} is no address. Expected one such as http://shop.test/.") from error
        if "loaderId" not in answer or answer.get("isDownload"):
            tab.is_navigating = False
        said = answer.get("errorText", "")
        if said and said != "net::ERR_ABORTED":
            self.notes.append(f"{NOT_LOADED}: {said.removeprefix('net::')}.")

    async def _navigated(self, tab: Tab, asked: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
        """What came of a navigation; one whose server is silent is stopped, and the page stays."""
        limit = self.settings.load_s
        try:
            return await tab.crash_or(asyncio.shield(asked), limit)  # type: ignore[no-any-return]
        except TimeoutError:
            tab.stop().add_done_callback(unheard)
            answer: dict[str, Any] = await tab.crash_or(asked, self.settings.hang_s)
            if answer.get("errorText") == "net::ERR_ABORTED":
                self.notes.append(f"{NOT_LOADED}: its site did not answer within {limit:g} s.")
            return answer

    def end_action(self) -> list[str]:
        """What happened since the last observation, and a fresh page of notes."""
        for tab in self.tabs:
            tab.end_action()
        said, self.notes[:] = list(dict.fromkeys(self.notes))[:12], []
        self._num_refused = 0
        return said

    async def close(self) -> None:
        """End the context with all of its tabs."""
        for task in self._opening:
            task.cancel()
        for tab in self.tabs:
            tab.close()
        self.tabs.clear()
        if self.context:
            with suppress(Exception):
                await asyncio.wait_for(
                    self.connection.post("Target.disposeBrowserContext", {"browserContextId": self.context}), 5
                )
        await self.gate.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _ready(self, tab: Tab, *, is_waiting: bool) -> None:
        task = asyncio.current_task()
        try:
            tab.watch = Watch(tab.post, self.gate.began, self.gate.ended)
            tab.watch.use(self.gate.network.interceptor)
            own = page_script(self._secret, person=self.settings.person)
            scripts = [(clock_script(self._secret, self.settings, self.seed), ""), (own, WORLD)]
            tab.on_deed = lambda *deed: None if self.on_deed is None else self.on_deed(*deed)
            limit = _OPEN_S if self._num_awaited else self.settings.hang_s
            await asyncio.wait_for(tab.set_up(scripts, is_waiting=is_waiting), limit)
            self.tabs.append(tab)
            if len(self.tabs) > 1:
                self.active = len(self.tabs) - 1
        except (DevToolsError, BrowserLostError):
            tab.close()
        except TimeoutError:
            self.notes.append("The page opened a tab that did not answer; it was closed.")
            self.connection.post("Target.closeTarget", {"targetId": tab.target}).add_done_callback(unheard)
            tab.close()
        finally:
            if task is not None:
                self._opening.discard(task)
            self._arrived.set()

    async def settled(self) -> None:
        """Wait for tabs that are opening."""
        while self._opening:
            await asyncio.wait(set(self._opening), timeout=5)
