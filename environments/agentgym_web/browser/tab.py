"""One tab: its session with the browser, whether it loads, and what happened in it that nobody asked for.

`window` holds the tabs of an environment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from agentgym_web.browser.devtools import Connection, unheard
from agentgym_web.browser.drawing import Drawing
from agentgym_web.browser.errors import PageGoneError, ScriptError
from agentgym_web.browser.fetching import Watch
from agentgym_web.browser.settings import PageSettings
from agentgym_web.browser.sight import one_line
from agentgym_web.browser.underway import Asked, UnderWay
from agentgym_web.browser.windows.dialogs import Dialogs

WORLD = "agentgym"
TELL = "agentgymTell"
"""The function by which the script in a page tells what a person did."""
_SCHEMES = {"http", "https", "about", "data", "blob", "javascript"}
_KEEPING = {"DOMStorage.domStorageItemAdded", "DOMStorage.domStorageItemUpdated"}
_NAVIGATIONS = {"Page.frameRequestedNavigation", "Page.frameScheduledNavigation", "Page.frameStartedNavigating"}


class Tab:
    """A tab; lives in the loop of its connection.

    Args:
        connection: The browser's.
        target: The id of its target.
        session: The id of its session.
        settings: How its pages run.
        notes: What the agent is told with the next observation; shared by the tabs of a window.
        origins: Takes the origins of its pages; shared by the tabs of a window.
        turn: As of `Drawing`.
    """

    def __init__(
        self,
        connection: Connection,
        target: str,
        session: str,
        settings: PageSettings,
        notes: list[str],
        origins: set[str],
        *,
        turn: asyncio.Lock | None = None,
    ) -> None:
        self._connection = connection
        self.target, self.session = target, session
        self._settings, self._notes, self._origins = settings, notes, origins
        self.url, self.title = "about:blank", ""
        self.is_loading = False
        self.is_navigating = False
        self.is_crashed = False
        self.is_mute = False
        self.has_kept = False
        self.was_late = False
        self.asked = Asked()
        self.storming = ""
        self._dialogs = Dialogs(settings, notes)
        self.frames: dict[str, str] = {}
        self.drag: dict[str, Any] | None = None
        self.file_input: int | None = None
        self.own_script = ""
        self.watch: Watch | None = None
        self.lettered: dict[str, tuple[str, str, int]] = {}
        self.under_way = UnderWay()
        self.on_deed: Callable[[Tab, str, str], None] | None = None
        self.num_pages = 0
        draw = partial(connection.post, session=session, is_lasting=True)
        self.drawing = Drawing(draw, self._answer, self._give_up, turn)
        self._worlds: dict[str, int] = {}
        self._changed = asyncio.Event()
        connection.listen(session, self._on_event)

    async def set_up(self, scripts: Sequence[tuple[str, str]], *, is_waiting: bool) -> None:
        """Make it ready: scripts, size, focus, dialogs.

        Args:
            scripts: Source and world ("" being the page's own) of what runs before any page's scripts.
            is_waiting: Whether it waits to be told to go on.
        """
        self.own_script = next(source for source, world in scripts if world)
        sent = [self.post(method, params) for method, params in _first_commands(self._settings, scripts)]
        if is_waiting:
            sent.append(self.post("Runtime.runIfWaitingForDebugger"))
        tree = self.post("Page.getFrameTree")
        for future in sent:
            await future
        frame = (await tree)["frameTree"]["frame"]
        self.url = frame["url"]
        self._remember(frame)

    def post(self, method: str, params: Mapping[str, Any] | None = None) -> asyncio.Future[dict[str, Any]]:
        """Send a command to the tab; see `Connection.post`."""
        return self._connection.post(method, params, self.session)

    async def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a command, which a page that hangs does not give.

        Raises:
            TimeoutError: It did not come in time.
            PageGoneError: The tab crashed, or a storm of dialogs holds it.
        """
        answer: dict[str, Any] = await self.crash_or(self.post(method, params), self._settings.hang_s)
        return answer

    def _give_up(self, why: str) -> None:
        """End a page whose frame is never drawn; it would keep all others of the browser from being drawn."""
        self.storm(why)
        self.post("Page.crash").add_done_callback(unheard)

    async def _answer(self, future: asyncio.Future[Any]) -> Any:
        return await self.crash_or(future, self._settings.hang_s)

    @property
    def main_frame(self) -> str:
        """The id of its outermost frame."""
        return next((frame for frame, parent in self.frames.items() if not parent), "")

    @property
    def is_storming(self) -> bool:
        """Whether it floods its window with dialogs or tabs; `storming` says with what."""
        return bool(self.storming)

    def storm(self, why: str) -> None:
        """Give the page up: whoever waits for it hears of it."""
        self.storming = why
        self._changed.set()

    @property
    def is_busy(self) -> bool:
        """Whether a page is on its way."""
        return self.is_navigating or self.is_loading

    async def evaluate(self, expression: str, *, own_world: bool = True, frame: str = "", by_value: bool = True) -> Any:
        """The value of an expression in a frame, promises awaited.

        Args:
            expression: JavaScript.
            own_world: Whether it runs in the world of our own scripts; else in the page's own.
            frame: The frame's id; "" is the outermost.
            by_value: Whether the value itself is returned; else the remote object.

        Raises:
            PageGoneError: The page went on to another.
            ScriptError: The expression raised an error.
        """
        for is_last in (False, True):
            params: dict[str, Any] = {"expression": expression, "awaitPromise": True, "returnByValue": by_value}
            if own_world or frame:
                params["contextId"] = await self._world(frame or self.main_frame)
            answer = await self.post("Runtime.evaluate", params)
            failed = answer.get("exceptionDetails")
            if failed is None:
                return answer["result"].get("value") if by_value else answer["result"]
            said = failed.get("exception", {}).get("description") or failed.get("text", "")
            is_missing = "agentgym is not defined" in said or ("agentgym." in said and "is not a function" in said)
            if is_last or not is_missing:
                raise ScriptError(f"a script in the page failed: {said[:500]}")
            # A document that has no scripts, or that began before the browser knew of ours.
            await self.post("Runtime.evaluate", {**params, "expression": self.own_script, "awaitPromise": False})
        raise AssertionError

    async def loaded(self, timeout_s: float) -> bool:
        """Wait until no page is on its way; False if that took too long."""
        return await _until(self._changed, lambda: not self.is_busy or self.is_crashed or self.is_storming, timeout_s)

    async def begins(self, timeout_s: float) -> bool:
        """Wait until a page is on its way, such as the answer to a form; False if none is in time."""
        return await _until(self._changed, lambda: self.is_busy, timeout_s)

    async def answered(self, timeout_s: float) -> bool:
        """Wait a moment for the download that an answer without a page may turn out to be."""
        return await _until(self._changed, lambda: not self.asked.unanswered, timeout_s)

    async def crash_or(self, future: asyncio.Future[Any] | asyncio.Task[Any], timeout_s: float) -> Any:
        """The result of a command, unless the tab crashes first.

        Raises:
            TimeoutError: Neither came in time.
            PageGoneError: The tab crashed, or a storm of dialogs holds it.
        """
        now = asyncio.get_running_loop().time
        deadline = now() + timeout_s
        try:
            while not future.done():
                if self.is_crashed or self.is_storming:
                    raise PageGoneError("the page is gone")
                if now() >= deadline:
                    raise TimeoutError
                await asyncio.wait({future}, timeout=min(deadline - now(), 0.25))
            return future.result()
        finally:
            future.cancel()  # where it was not waited for to its end, nobody is left to hear of it

    async def handled(self, last: asyncio.Future[Any]) -> None:
        """Wait until an input event was dealt with; a page that went away has dealt with it."""
        with suppress(TimeoutError, PageGoneError):
            await self.crash_or(last, self._settings.hang_s)

    def end_action(self) -> None:
        """Say what became of a page that was asked for and did not come, and count dialogs anew."""
        self._dialogs.count = 0
        if self.asked.unanswered:
            url = self.asked.unanswered
            self._notes.append(f'The page asked for "{url}", which answered with no page; this one stays.')
            self.asked.came()

    def stop(self) -> asyncio.Future[dict[str, Any]]:
        """Stop to load; the page stays as far as it came."""
        self.asked.came()
        return self.post("Page.stopLoading")

    def is_download(self) -> None:
        """What was asked for is a download."""
        self.is_navigating = False
        self.asked.came()
        self._changed.set()

    def close(self) -> None:
        """Forget its session; the target is closed by who owns it."""
        self.drawing.close()
        self._connection.forget(self.session)

    async def _world(self, frame: str) -> int:
        found = self._worlds.get(frame)
        if found is None:
            answer = await self.post("Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
            found = self._worlds[frame] = answer["executionContextId"]
        return found

    def _remember(self, frame: Mapping[str, Any]) -> None:
        self.frames[frame["id"]] = frame.get("parentId", "")

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        self.under_way.heard(method, params, self.main_frame)
        if method in _NAVIGATIONS:
            if params.get("frameId") == self.main_frame and params.get("navigationType") != "sameDocument":
                self.is_navigating = params.get("disposition", "currentTab") == "currentTab"
                self._asked_for(method, str(params.get("url", "")))
        elif method == "Page.frameNavigated":
            self._navigated(params["frame"])
        elif method in ("Page.loadEventFired",):
            self.is_loading = False
        elif method == "Page.frameStartedLoading":
            if params["frameId"] == self.main_frame:
                self.is_loading = True
        elif method == "Page.frameClearedScheduledNavigation":  # it was given up, or it is under way
            if params["frameId"] == self.main_frame:
                self.is_navigating = False
        elif method == "Page.frameStoppedLoading":
            if params["frameId"] == self.main_frame:
                self.is_loading = self.is_navigating = False
                self.asked.stopped()
        elif method == "Page.navigatedWithinDocument":
            if params["frameId"] == self.main_frame:
                self.url = params["url"]
                self.is_navigating = False
        elif method == "Page.frameAttached":
            self.frames[params["frameId"]] = params["parentFrameId"]
        elif method == "Page.frameDetached":
            if params.get("reason") != "swap":
                self.frames.pop(params["frameId"], None)
            self._worlds.pop(params["frameId"], None)
        elif method == "Page.javascriptDialogOpening":
            self._answer_dialog(params)
        elif method == "Page.fileChooserOpened":
            self.file_input = params.get("backendNodeId")
            if not self.is_mute:
                self._notes.append("The page asks for a file. Use upload_file to give it one.")
        elif method == "Input.dragIntercepted":
            self.drag = params["data"]
        elif method == "Fetch.requestPaused":
            if self.watch is not None:
                self.watch.paused(params)
        elif method == "Runtime.bindingCalled":
            if self.on_deed is not None:
                frames = {context: frame for frame, context in self._worlds.items()}
                self.on_deed(self, frames.get(params["executionContextId"], ""), params["payload"])
        elif method == "Inspector.targetCrashed":
            self.is_crashed = True
        elif method in _KEEPING and not params["storageId"]["isLocalStorage"]:
            self.has_kept = True
            self.was_late |= self.is_mute
            self.post("DOMStorage.disable").add_done_callback(unheard)
        self._changed.set()

    def _asked_for(self, method: str, url: str) -> None:
        scheme = url.partition(":")[0]
        if method == "Page.frameStartedNavigating":
            self.asked.begins(one_line(url, 100))
        elif scheme not in _SCHEMES and method == "Page.frameScheduledNavigation" and not self.is_mute:
            self._notes.append(
                f'The page asked for "{one_line(url, 100)}". Pages of {scheme[:20]}: cannot be opened here.'
            )

    def _navigated(self, frame: Mapping[str, Any]) -> None:
        self._worlds.pop(frame["id"], None)
        origin = str(frame.get("securityOrigin", ""))
        if origin.startswith("http"):
            self._origins.add(origin)
        if frame.get("parentId"):
            self._remember(frame)
            return
        self.num_pages += 1
        self.frames.clear()
        self.lettered.clear()
        self.under_way.forget()
        self._worlds.clear()
        self._remember(frame)
        self.url = frame["url"] + frame.get("urlFragment", "")
        self.is_navigating = self.is_mute = False
        self.asked.came()
        self.is_loading = True
        self.file_input = None

    def _answer_dialog(self, params: Mapping[str, Any]) -> None:
        """Answer at once: a dialog holds up all of its page."""
        answer, storm = self._dialogs.answer(params, is_told=not self.is_mute)
        if storm:
            self.storm(storm)
        self.post("Page.handleJavaScriptDialog", answer).add_done_callback(unheard)


def _first_commands(settings: PageSettings, scripts: Sequence[tuple[str, str]]) -> list[tuple[str, dict[str, Any]]]:
    """What makes a new tab ready: events, scripts, size, focus, dialogs."""
    metrics = {
        "width": settings.width,
        "height": settings.height,
        "deviceScaleFactor": settings.scale,
        "mobile": settings.touch,
    }
    commands: list[tuple[str, dict[str, Any]]] = [
        ("Page.enable", {}),
        ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
    ]
    for source, world in scripts:
        named = {"worldName": world} if world else {}
        commands.append(("Page.addScriptToEvaluateOnNewDocument", {"source": source, **named}))
    commands += [
        ("Emulation.setDeviceMetricsOverride", metrics),
        ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        ("Page.setInterceptFileChooserDialog", {"enabled": True}),
        ("Inspector.enable", {}),
        ("DOMStorage.enable", {}),
    ]
    if settings.touch:
        commands.append(("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5}))
        commands.append(("Emulation.setEmitTouchEventsForMouse", {"enabled": False}))
    if settings.user_agent:
        commands.append(("Emulation.setUserAgentOverride", {"userAgent": settings.user_agent}))
    if settings.person:
        commands.append(("Runtime.enable", {}))
        commands.append(("Runtime.addBinding", {"name": TELL, "executionContextName": WORLD}))
    return commands


async def _until(changed: asyncio.Event, holds: Callable[[], bool], timeout_s: float) -> bool:
    """Whether something comes to hold in time; it is asked at each change."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    while not holds():
        changed.clear()
        left = deadline - loop.time()
        if left <= 0:
            return False
        with suppress(TimeoutError):
            await asyncio.wait_for(changed.wait(), left)
    return True
