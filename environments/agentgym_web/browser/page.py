"""A page as environments use it: synchronous calls that run in the hub's loop.

One call is one step: the actions, the wait until the page is quiet, and the observation.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from agentgym.errors import ActionSyntaxError, CancelledEpisode
from agentgym_web.browser.acting import Acting
from agentgym_web.browser.devtools import unheard
from agentgym_web.browser.errors import BrowserLostError, DevToolsError, PageGoneError, ScriptError
from agentgym_web.browser.framing import add_frames, split_lines
from agentgym_web.browser.gate import Network, Traffic
from agentgym_web.browser.person import Person
from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight, TabTitle, decode_picture, draw_marks
from agentgym_web.browser.tracing import Tracer
from agentgym_web.browser.window import Window
from agentgym_web.browser.windows.episodes import enter, start_over

T = TypeVar("T")
_ROUNDS = 6
_SENDING_S = 0.3
_GOING_S = 0.05
_LONGEST_S = 30.0
_PASS_S = 2.0
_KINDS = {
    **dict.fromkeys(("scroll", "scroll_at"), "wheel"),
    **dict.fromkeys(("fill", "clear", "press", "keyboard_press", "keyboard_type", "keyboard_insert_text"), "keys"),
    **dict.fromkeys(("keyboard_down", "keyboard_up"), "keys"),
    **dict.fromkeys(("noop", "focus", "select_option", "goto", "go_back", "go_forward"), ""),
    **dict.fromkeys(("new_tab", "tab_close", "tab_focus"), ""),
}
"""Which input an action consists of; the mouse or a finger where it is not named."""
_QUALITY = 80
"""Of screenshots for people, in percent: text stays sharp, and a page takes about 40 kB."""
Call = tuple[str, Mapping[str, Any]]
"""An action's name and its arguments."""


class Runner(Protocol):
    """What runs the browser's loop: the hub.

    Attributes:
        loop: The event loop.
    """

    loop: asyncio.AbstractEventLoop

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop and wait for it."""

    async def debug_address(self, window: Window) -> str:
        """Where the debugging port of a window's browser is."""

    def close_window(self, window: Window) -> None:
        """End a window."""


class WebPage:
    """The window of one environment.

    Args:
        hub: Runs the browser's loop.
        window: The window.
    """

    def __init__(self, hub: Runner, window: Window) -> None:
        self._hub, self._window = hub, window
        self._acting = Acting(window)
        self._running: asyncio.Future[Any] | None = None
        self._tracer: Tracer | None = None
        self.person = Person(window) if window.settings.person else None
        self.is_closed = False

    @property
    def traffic(self) -> Traffic:
        """What its pages asked the network for since the last reset."""
        return self._window.gate.traffic

    @property
    def is_lost(self) -> bool:
        """Whether its browser is gone."""
        return self._window.connection.is_lost

    def step(self, calls: Sequence[Call], view: View, probe: str = "") -> Sight:
        """Carry out actions in order, up to the first that fails, and look at the page.

        Args:
            calls: The actions.
            view: What the observation contains.
            probe: An expression that the harness evaluates in the page's own world, after the page is quiet.

        Raises:
            BrowserLostError: The browser is gone.
            CancelledEpisode: `interrupt` was called.
        """
        return self._run(self._step(calls, view, probe))

    def look(self, view: View, probe: str = "") -> Sight:
        """Look at the page, without an action; see `step`."""
        return self._run(self._step((), view, probe))

    def look_after(self, script: str, view: View, probe: str = "", residue: str = "") -> Sight:
        """Run a script of the harness in the page's own world and look; see `step`.

        Args:
            script: JavaScript.
            view: What the observation contains.
            probe: As in `step`.
            residue: A further question, asked right after the script; its value is `Sight.extra["residue"]`.
        """
        return self._run(self._after(script, view, probe, residue))

    def open(self, url: str, view: View, probe: str = "") -> Sight:
        """Load a page in the tab in front and look at it; see `step`."""
        return self._run(self._open(url, view, probe))

    def start_over(
        self, network: Network | None = None, *, seed: int = 0, files: Mapping[str, Path | bytes] | None = None
    ) -> None:
        """Close all tabs but one and forget notes, traffic, and all that pages kept; `open` is to follow.

        Args:
            network: What can be reached from now on; None leaves it.
            seed: Seed of the pages' random numbers, where their clock is virtual.
            files: Files that the agent may upload from now on; None takes those of the settings.
        """
        self._window.files = self._window.settings.files if files is None else files
        self._run(self._start_over(network, seed))

    def screenshot(self) -> bytes:
        """The window as a WebP file, for people; it changes nothing. Empty where the page does not let itself be drawn.

        Raises:
            BrowserLostError: The browser is gone.
        """
        return self._run(self._screenshot())

    def set_cookies(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        """Give the window cookies, as `Storage.setCookies` takes them, until it starts over.

        Raises:
            DevToolsError: The browser refuses one.
        """
        self._run(self._set_cookies(cookies))

    def history(self) -> list[tuple[int, list[str]]]:
        """For each tab which entry of its history it shows, and the addresses of all entries."""
        return self._run(self._history())

    def run_script(self, expression: str) -> Any:
        """The value of an expression in the world of the page in front: for the harness, never for an agent.

        Raises:
            DevToolsError: It raised an error.
        """
        return self._run(self._evaluate(expression))

    def begin_trace(self, title: str) -> None:
        """Start Playwright's trace of an episode; the browser must have a debugging port, and this window alone.

        Raises:
            MissingExtraError: Playwright is not installed.
            InfrastructureError: It could not connect to the browser.
        """
        self._run(self._begin_trace(title))

    def end_trace(self, path: Path) -> None:
        """Write the trace that was begun; nothing where none was."""
        if self._tracer is not None and not self.is_lost:
            self._run(self._tracer.end(path))

    def interrupt(self) -> None:
        """Make a running step raise CancelledEpisode; may be called from another thread."""
        running = self._running
        if running is not None:
            self._hub.loop.call_soon_threadsafe(running.cancel)

    def close(self) -> None:
        """End the window; a second call does nothing."""
        if not self.is_closed:
            self.is_closed = True
            tracer, self._tracer = self._tracer, None
            if tracer is not None:
                self._hub.run(tracer.close())
            self._hub.close_window(self._window)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self.is_closed or self.is_lost:
            work.close()
            raise BrowserLostError("the browser of this page is gone")
        return self._hub.run(self._watched(work))

    async def _watched(self, work: Coroutine[Any, Any, T]) -> T:
        self._running = task = asyncio.ensure_future(work)
        try:
            return await task
        except asyncio.CancelledError as error:
            raise CancelledEpisode("the step was interrupted") from error
        finally:
            self._running = None

    async def _evaluate(self, expression: str) -> Any:
        tab = self._window.tab
        return await tab.crash_or(
            asyncio.ensure_future(tab.evaluate(expression, own_world=False)), self._window.settings.hang_s
        )

    async def _after(self, script: str, view: View, probe: str, residue: str) -> Sight:
        tab = self._window.tab
        tab.post("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 0, "y": 0}).add_done_callback(unheard)
        await self._evaluate(script)
        left = await self._evaluate(residue) if residue else None
        sight = await self._look(view, probe, "", restart=True)
        return replace(sight, extra={"residue": left})

    async def _history(self) -> list[tuple[int, list[str]]]:
        found = [await tab.post("Page.getNavigationHistory") for tab in self._window.tabs]
        return [(each["currentIndex"], [entry["url"] for entry in each["entries"]]) for each in found]

    async def _set_cookies(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        params = {"cookies": list(cookies), "browserContextId": self._window.context}
        await self._window.connection.post("Storage.setCookies", params)

    async def _start_over(self, network: Network | None, seed: int) -> None:
        window = self._window
        await start_over(window, window.gate.network if network is None else network, seed)
        self._acting.release()

    async def _open(self, url: str, view: View, probe: str) -> Sight:
        window = self._window
        if not window.is_between:
            return await self._step((("goto", {"url": url}),), view, probe)
        error = ""
        try:
            await enter(window, url)
        except ActionSyntaxError as refusal:
            error = str(refusal)
        except (TimeoutError, DevToolsError):
            if window.connection.is_lost:
                raise BrowserLostError("the browser ended") from None
            await self._revive("The page did not answer and was closed.")
        sight = await self._look(view, probe, error)
        window.tab.post("Page.resetNavigationHistory").add_done_callback(unheard)
        return sight

    async def _step(self, calls: Sequence[Call], view: View, probe: str) -> Sight:
        error = ""
        self._window.begin()
        for number, (name, arguments) in enumerate(calls):
            if number:
                await self._quiet()
                await self._traced("")
            await self._traced(_written(name, arguments))
            try:
                await self._let_pass(_KINDS.get(name, "mouse"))
                await asyncio.wait_for(self._acting.run(name, arguments), self._window.settings.load_s + _LONGEST_S)
                await self._let_pass("")
            except ActionSyntaxError as refusal:
                error = str(refusal)
                break
            except TimeoutError:
                await self._revive("The page did not answer and was closed.")
                break
            except PageGoneError:
                if self._window.connection.is_lost:
                    raise BrowserLostError("the browser ended") from None
            except DevToolsError as refusal:
                error = f"The action could not be done: {refusal}"
                break
        sight = await self._look(view, probe, error)
        await self._traced("")
        return sight

    async def _begin_trace(self, title: str) -> None:
        if self._tracer is None:
            self._tracer = Tracer(self._window, await self._hub.debug_address(self._window))
        await self._tracer.begin(title)

    async def _traced(self, call: str) -> None:
        """Tell the trace, where there is one, that an action begins; "" tells that it is over."""
        if self._tracer is not None:
            await (self._tracer.open_action(call) if call else self._tracer.close_action())

    async def _let_pass(self, kind: str) -> None:
        """Where a person uses the window: let the harness's own input of a kind reach pages, and "" nobody's."""
        if self.person is None:
            return
        tab = self._window.tab
        for frame in ("", *(frame for frame, *_ in tab.lettered.values())):
            with suppress(DevToolsError, TimeoutError):
                asked = tab.evaluate(f"agentgymPerson.pass({json.dumps(kind)})", frame=frame)
                await asyncio.wait_for(asked, _PASS_S)

    async def _quiet(self) -> None:
        """Between two actions: wait for pages on their way, and until the page is quiet."""
        said = (await self._look(View(tree=False), "", "")).notes
        self._window.notes[:0] = said

    async def _look(self, view: View, probe: str, error: str, *, restart: bool = False) -> Sight:
        window = self._window
        settings = window.settings
        found: dict[str, Any] = {}
        answer: Any = None
        await window.settled()
        for _ in range(_ROUNDS):
            if not window.tabs:
                await window.new_tab()
            tab = window.tab
            try:
                if tab.is_crashed:
                    await self._revive("The page crashed and was closed.")
                    continue
                if tab.is_storming:
                    await self._revive(tab.storming)
                    continue
                if tab.is_busy and not await tab.loaded(settings.load_s):
                    window.notes.append(f"The page was still loading after {settings.load_s:g} s and was stopped.")
                    await tab.crash_or(tab.stop(), settings.hang_s)
                    tab.is_loading = tab.is_navigating = False
                if window.is_forbidden(tab.url):
                    await window.leave_forbidden()
                    continue
                num_ended = tab.under_way.num_ended
                found = await self._observe(view, restart)
                if tab is not window.tab or tab.is_busy or tab.is_crashed or tab.is_storming or window._opening:
                    await window.settled()
                    continue
                if found["sent"] and await tab.begins(_SENDING_S):
                    continue
                await tab.answered(_SENDING_S)
                if window.gate.in_flight and not await self._idle():
                    continue
                if await tab.under_way.over(settings.settle_s) and tab.under_way.num_ended > num_ended:
                    continue
                if probe:
                    answer = await self._evaluate(probe)
                break
            except TimeoutError:
                await self._revive("The page did not answer and was closed.")
            except PageGoneError:
                if window.connection.is_lost:
                    raise BrowserLostError("the browser ended") from None
                await tab.begins(_GOING_S)
            except ScriptError as failure:
                await self._revive(f"The page could not be read and was closed: {failure}")
        window.num_looks += 1
        window.span_ms = settings.step_ms
        picture = await self._picture(view, found) if view.has_picture else None
        return self._sight(found, error, picture, answer)

    async def _idle(self) -> bool:
        """Wait until no request is under way; whether it was only a moment ago, so that nothing has changed."""
        try:
            await asyncio.wait_for(self._window.gate.idle.wait(), self._window.settings.settle_s)
        except TimeoutError:
            self._window.gate.wait_no_more()
            return True
        return False

    async def _observe(self, view: View, restart: bool) -> dict[str, Any]:
        window, settings = self._window, self._window.settings
        options: dict[str, Any] = {
            "settle": {
                "virtual": settings.virtual_time,
                "spanMs": window.span_ms,
                "limitMs": settings.settle_s * 1000,
                "step": window.num_looks,
            }
        }
        if restart:
            options["restart"] = True
        if view.tree:
            options["tree"] = view.tree_options()
        if view.dom:
            options["dom"] = {"clip": view.max_text, "maxDom": 400_000}
        if view.marks:
            options["marks"] = True
        tab = window.tab
        asked = asyncio.ensure_future(tab.evaluate(f"agentgym.observe({json.dumps(options)})"))
        found: dict[str, Any] = await tab.crash_or(asked, settings.settle_s + settings.hang_s)
        tab.url, tab.title = found["url"], found["title"]
        split_lines(found)
        if found["frames"]:
            await add_frames(tab, found, options)
        return found

    async def _picture(self, view: View, found: Mapping[str, Any]) -> Any:
        tab = self._window.tab
        params = {"format": "png", "optimizeForSpeed": True, "captureBeyondViewport": False}
        try:
            taken = await tab.crash_or(tab.post("Page.captureScreenshot", params), self._window.settings.hang_s)
        except (TimeoutError, DevToolsError):
            return None
        pixels = decode_picture(base64.b64decode(taken["data"]))
        return draw_marks(pixels, found.get("marks", ()), self._window.settings.scale) if view.marks else pixels

    async def _screenshot(self) -> bytes:
        tab = self._window.tab
        params = {"format": "webp", "quality": _QUALITY, "captureBeyondViewport": False}
        try:
            taken = await tab.crash_or(tab.post("Page.captureScreenshot", params), self._window.settings.hang_s)
        except (TimeoutError, DevToolsError):
            return b""
        return base64.b64decode(taken["data"])

    async def _revive(self, why: str) -> None:
        """An empty tab in place of one that hangs, crashed, or floods its window with dialogs."""
        await self._window.replace(why)

    def _sight(self, found: Mapping[str, Any], error: str, picture: Any, probe: Any) -> Sight:
        window = self._window
        if self.person is not None:
            self.person.looked()
        tree = found.get("tree") or {"lines": [], "relevance": "", "above": 0, "below": 0, "cut": False}
        return Sight(
            url=found.get("url", window.tab.url),
            title=found.get("title", ""),
            lines=tree["lines"],
            relevance=tree["relevance"],
            dom="\n".join(found.get("dom", ())),
            focused=str(found.get("focused") or ""),
            tabs=[TabTitle(tab.url, tab.title) for tab in window.tabs],
            active_tab=window.active,
            scroll=tuple(found.get("scroll", (0,) * 6)),
            notes=window.end_action(),
            error=error,
            picture=picture,
            num_left_out=(tree["above"], tree["below"]),
            was_cut=tree["cut"],
            probe=probe,
        )


def _written(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as an agent writes it."""
    values = [json.dumps(value, ensure_ascii=False) for value in arguments.values() if value is not None]
    return f"{name}({', '.join(values)})"
