"""A page as environments use it: synchronous calls that run in the hub's loop.

One call is one step: the actions, the wait until the page is quiet, and the observation.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from agentgym.errors import ActionSyntaxError, CancelledEpisode
from agentgym_web.browser.acting import Acting
from agentgym_web.browser.devtools import unheard
from agentgym_web.browser.errors import BrowserLostError, DevToolsError, PageGoneError, PageHangsError
from agentgym_web.browser.gate import Network, Traffic
from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight
from agentgym_web.browser.watching.person import Person
from agentgym_web.browser.watching.tracing import Tracer
from agentgym_web.browser.window import Window
from agentgym_web.browser.windows.episodes import enter, start_over
from agentgym_web.browser.windows.looking import Looking

T = TypeVar("T")
_LONGEST_S = 30.0
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
        self._looking = Looking(window)
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
        """The window as a WebP file, for people. Empty where the page does not let itself be drawn.

        A page hears of it no more than that a frame is drawn.

        Raises:
            BrowserLostError: The browser is gone.
        """
        return self._run(self._looking.screenshot())

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
            PageHangsError: The page did not answer in time; an empty tab has taken its place.
            DevToolsError: It raised an error.
        """
        return self._run(self._script(expression))

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

    async def _after(self, script: str, view: View, probe: str, residue: str) -> Sight:
        tab = self._window.tab
        tab.post("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 0, "y": 0}).add_done_callback(unheard)
        # All are sent before the first is answered; the page takes them one after the other.
        asked = [asyncio.ensure_future(tab.evaluate(each, own_world=False)) for each in (script, residue) if each]
        await asyncio.sleep(0)
        try:
            sight = await self._sight(view, probe, "", restart=True)
            values = [await tab.crash_or(each, self._window.settings.hang_s) for each in asked]
        finally:
            for each in asked:
                each.cancel()
        return replace(sight, extra={"residue": values[-1] if residue else None})

    async def _script(self, expression: str) -> Any:
        try:
            return await self._looking.evaluate(expression)
        except TimeoutError as error:
            if self._window.connection.is_lost:
                raise BrowserLostError("the browser ended") from error
            await self._window.replace("The page did not answer and was closed.")
            raise PageHangsError("the page did not answer a script in time") from error

    async def _history(self) -> list[tuple[int, list[str]]]:
        found = [await tab.post("Page.getNavigationHistory") for tab in self._window.tabs]
        return [(each["currentIndex"], [entry["url"] for entry in each["entries"]]) for each in found]

    async def _set_cookies(self, cookies: Sequence[Mapping[str, Any]]) -> None:
        self._window.has_cookies = True
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
            await self._window.replace("The page did not answer and was closed.")
        sight = await self._sight(view, probe, error)
        window.tab.post("Page.resetNavigationHistory").add_done_callback(unheard)
        return sight

    async def _step(self, calls: Sequence[Call], view: View, probe: str) -> Sight:
        error = ""
        self._window.begin()
        for number, (name, arguments) in enumerate(calls):
            if number:
                await self._looking.pause()
                await self._traced("")
            await self._traced(_written(name, arguments))
            try:
                await self._let_pass(name)
                await asyncio.wait_for(self._acting.run(name, arguments), self._window.settings.load_s + _LONGEST_S)
                await self._let_pass("")
            except ActionSyntaxError as refusal:
                error = str(refusal)
                break
            except TimeoutError:
                await self._window.replace("The page did not answer and was closed.")
                break
            except PageGoneError:
                if self._window.connection.is_lost:
                    raise BrowserLostError("the browser ended") from None
            except DevToolsError as refusal:
                error = f"The action could not be done: {refusal}"
                break
        sight = await self._sight(view, probe, error)
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

    async def _let_pass(self, action: str) -> None:
        if self.person is not None:
            await self.person.let_pass(action)

    async def _sight(self, view: View, probe: str, error: str, *, restart: bool = False) -> Sight:
        sight = await self._looking.look(view, probe, error, restart=restart)
        if self.person is not None:
            self.person.looked()
        return sight


def _written(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as an agent writes it."""
    values = [json.dumps(value, ensure_ascii=False) for value in arguments.values() if value is not None]
    return f"{name}({', '.join(values)})"
