"""A look at a window: the wait until its page is quiet, and the observation.

What the page tells is found by the scripts. An empty tab takes the place of one that hangs, crashed or storms.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentgym_web.browser.errors import BrowserLostError, DevToolsError, PageGoneError, ScriptError
from agentgym_web.browser.framing import add_frames, split_lines
from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight, TabTitle, decode_picture, draw_marks
from agentgym_web.browser.tab import Tab
from agentgym_web.browser.window import NOT_LOADED, Arriving, Window

_GOOD_SCHEMES = ("http:", "https:", "about:", "data:", "blob:")
_ROUNDS = 6
_SENDING_S = 0.3
_GOING_S = 0.05
_UNHEARD_S = 0.02
_DRAWS = 3
"""Most frames that a page gets before one observation."""
_QUALITY = 80
"""Of screenshots for people, in percent: text stays sharp, and a page takes about 40 kB."""


class Looking:
    """Looks at a window.

    Args:
        window: The window.
    """

    def __init__(self, window: Window) -> None:
        self._window = window

    async def look(self, view: View, probe: str, error: str, *, restart: bool = False) -> Sight:
        """The page once it is quiet; see `WebPage.step`.

        Args:
            view: What the observation contains.
            probe: An expression to evaluate in the page's own world.
            error: Why the last action failed; "" if it did not.
            restart: Whether ids begin at 1 again.
        """
        window = self._window
        settings = window.settings
        found: dict[str, Any] = {}
        answer, refusal = None, ""
        await window.settled()
        for _ in range(_ROUNDS):
            if not window.tabs:
                await window.new_tab()
            tab = window.tab
            num_pages = tab.num_pages
            try:
                if tab.is_storming:
                    await window.replace(tab.storming)
                    continue
                if tab.is_crashed:
                    await window.replace("The page crashed and was closed.")
                    continue
                if tab.is_busy and not await tab.loaded(settings.load_s):
                    window.notes.append(f"The page was still loading after {settings.load_s:g} s and was stopped.")
                    await tab.crash_or(tab.stop(), settings.hang_s)
                    tab.is_loading = tab.is_navigating = False
                if _is_forbidden(tab.url):
                    await self._leave_forbidden()
                    continue
                num_ended, num_pages = tab.under_way.num_ended, tab.num_pages  # after what was loading
                found = await self._observe(view, restart, probe)
                if "missed" in found:
                    if found["leaves"] and tab.num_pages == num_pages:
                        await tab.begins(_GOING_S)
                    continue
                is_other = tab is not window.tab or tab.num_pages != num_pages
                if is_other or tab.is_busy or tab.is_crashed or tab.is_storming or window._opening:
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
                    answer, refusal = (found["probed"], "") if "probed" in found else await self._probed(probe)
                break
            except TimeoutError:
                await window.replace("The page did not answer and was closed.")
            except PageGoneError:
                if window.connection.is_lost:
                    raise BrowserLostError("the browser ended") from None
                if tab.num_pages == num_pages:
                    await tab.begins(_GOING_S)
            except ScriptError as failure:
                await window.replace(f"The page could not be read and was closed: {failure}")
        window.num_looks += 1
        window.span_ms = settings.step_ms
        picture = await self._picture(view, found) if view.has_picture else None
        return replace(self._sight(found, error, picture, answer), probe_error=refusal)

    async def pause(self) -> None:
        """Between two actions: wait for pages on their way, and until the page is quiet."""
        said = (await self.look(View(tree=False), "", "")).notes
        self._window.notes[:0] = said

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression in the world of the page in front."""
        tab = self._window.tab
        return await tab.crash_or(
            asyncio.ensure_future(tab.evaluate(expression, own_world=False)), self._window.settings.hang_s
        )

    async def _probed(self, probe: str) -> tuple[Any, str]:
        """The page's answer to the probe and "", or None and the error that the probe raised."""
        try:
            return await self.evaluate(probe), ""
        except PageGoneError:
            raise
        except DevToolsError as failure:  # what it raised, or why its value cannot be sent
            return None, str(failure)

    async def screenshot(self) -> bytes:
        """The window as a WebP file; empty where the page does not let itself be drawn."""
        try:
            return await self._window.tab.drawing.picture({"format": "webp", "quality": _QUALITY})
        except (TimeoutError, DevToolsError):
            return b""

    async def _leave_forbidden(self) -> None:
        """Show an empty page in place of one that may not be shown, such as the browser's own page of an error."""
        window = self._window
        if not window.tab.url.startswith("chrome-error:"):
            window.notes.append(f"Pages of {window.tab.url.partition(':')[0]}: cannot be shown here.")
        elif not any(note.startswith(NOT_LOADED) for note in window.notes):
            window.notes.append(f"{NOT_LOADED}.")
        await window.goto("about:blank")

    async def _idle(self) -> bool:
        """Wait until no request is under way; whether it was only a moment ago, so that nothing has changed."""
        try:
            await asyncio.wait_for(self._window.gate.idle.wait(), self._window.settings.settle_s)
        except TimeoutError:
            self._window.gate.wait_no_more()
            return True
        return False

    async def _observe(self, view: View, restart: bool, probe: str = "") -> dict[str, Any]:
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
        if not settings.person:
            options["closePickers"] = True
        if view.tree:
            options["tree"] = view.tree_options()
        if view.dom:
            options["dom"] = view.dom_options()
        if view.marks:
            options["marks"] = True
        if probe and settings.virtual_time:  # a foreign page's policy may forbid it and report each try
            options["probe"] = probe
        tab = window.tab
        arriving, window.arriving = window.arriving, None
        if arriving is not None:
            options["after"] = arriving.event
        if tab.drawing.is_asked:
            options["settle"]["draws"] = _DRAWS
        found = await self._asked(tab, options, arriving)
        options.pop("after", None)
        while "draw" in found:
            await tab.drawing.next()
            options["settle"] |= {"draws": options["settle"]["draws"] - 1, "drawn": True}
            found = await self._asked(tab, options, None)
        if "missed" in found:
            return found
        if "draws" in options["settle"]:
            options["settle"]["draws"] = 0
        tab.url, tab.title = found["url"], found["title"]
        split_lines(found)
        if found["frames"]:
            options.pop("probe", None)
            await tab.drawing.next()  # the pages in them cannot ask for a frame
            await add_frames(tab, found, options)
        return found

    async def _asked(self, tab: Tab, options: Mapping[str, Any], arriving: Arriving | None) -> dict[str, Any]:
        """What `observe` of the scripts says in the outermost page."""
        settings = self._window.settings
        asked = asyncio.ensure_future(tab.evaluate(f"agentgym.observe({json.dumps(options)})"))
        waiting = [asyncio.ensure_future(self._told(tab, arriving, asked))] if arriving is not None else []
        try:
            found: dict[str, Any] = await tab.crash_or(asked, settings.settle_s + settings.hang_s)
            for each in waiting:
                await each
        finally:
            for each in waiting:
                each.cancel()
        return found

    async def _told(self, tab: Tab, arriving: Arriving, asked: asyncio.Future[Any]) -> None:
        """Wait until an input was dealt with; tell a page that did not hear of it, such as one that kept it back."""
        try:
            await tab.handled(arriving.last)
            if not asked.done():
                await asyncio.wait({asked}, timeout=_UNHEARD_S)
            if not asked.done():
                await tab.evaluate("agentgym.released()")
        except DevToolsError as refusal:
            if not asked.done():
                self._window.notes.append(f"The action could not be done: {refusal}")

    async def _picture(self, view: View, found: Mapping[str, Any]) -> Any:
        try:
            png = await self._window.tab.drawing.picture({"format": "png", "optimizeForSpeed": True})
        except (TimeoutError, DevToolsError):
            return None
        pixels = decode_picture(png)
        return draw_marks(pixels, found.get("marks", ()), self._window.settings.scale) if view.marks else pixels

    def _sight(self, found: Mapping[str, Any], error: str, picture: Any, probe: Any) -> Sight:
        window = self._window
        tree = found.get("tree") or {"lines": [], "relevance": "", "above": 0, "below": 0, "cut": False}
        dom = found.get("dom") or {"lines": [], "relevance": ""}
        return Sight(
            url=found.get("url", window.tab.url),
            title=found.get("title", ""),
            lines=tree["lines"],
            relevance=tree["relevance"],
            dom="\n".join(dom["lines"]),
            dom_relevance=dom["relevance"],
            focused=str(found.get("focused") or ""),
            tabs=[TabTitle(tab.url, tab.title) for tab in window.tabs],
            active_tab=window.active,
            scroll=tuple(found.get("scroll", (0,) * 6)),
            notes=window.end_action(),
            error=error,
            picture=picture,
            num_left_out=(tree["above"], tree["below"]),
            was_cut=tree["cut"],
            status=found.get("status", 0),
            probe=probe,
        )


def _is_forbidden(url: str) -> bool:
    """Whether a page of this address may not be shown."""
    return bool(url) and not url.startswith(_GOOD_SCHEMES)
