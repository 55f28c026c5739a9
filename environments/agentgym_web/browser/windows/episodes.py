"""Between two episodes of a window: nothing of the last one may be left for the next.

A well-behaved window keeps its context and its tab, which costs a millisecond. What cannot be cleared for certain, such
as the storage of a session, a storm of windows or a page that hangs, costs a new context.
"""

from __future__ import annotations

import asyncio
from typing import Any

from agentgym_web.browser.errors import BrowserLostError, DevToolsError
from agentgym_web.browser.gate import Network, Traffic
from agentgym_web.browser.tab import Tab
from agentgym_web.browser.window import Window

_KEPT = "file_systems,indexeddb,local_storage,service_workers,cache_storage,storage_buckets"
_MAX_ORIGINS = 8
_PATIENCE_S = 5.0
# Whether the page has something to do when it is left, where it could still keep things; and no name for the window.
_ASK = """self.name = ""; [window, document].some((each) => Object.keys(getEventListeners(each))
    .some((type) => ["beforeunload", "unload", "pagehide", "visibilitychange", "freeze"].includes(type)))"""


async def start_over(window: Window, network: Network, seed: int) -> None:
    """One tab, no notes, nothing that pages kept: as good as new.

    Raises:
        BrowserStartError: A new context was needed and did not come up.
    """
    had_credentials = window.gate.traffic.has_credentials
    has_other_sites = network != window.gate.network
    window.gate.network, window.gate.traffic, window.seed = network, Traffic(), seed
    window.gate.cut()
    window.downloads.clear()
    if window.is_stained or had_credentials or len(window.origins) > _MAX_ORIGINS:
        await window.renew()
    elif not window.is_unused:
        try:
            await asyncio.wait_for(_clear(window, has_other_sites=has_other_sites), _PATIENCE_S)
        except (TimeoutError, DevToolsError):
            if window.connection.is_lost:
                raise BrowserLostError("the browser ended between two episodes") from None
            await window.renew()
    window.notes.clear()
    window.end_action()
    window.is_between = True
    use_network(window, network)
    for tab in window.tabs:
        tab.is_mute = True


def use_network(window: Window, network: Network) -> None:
    """Let the pages of a window reach another network from now on."""
    window.gate.network = network
    for tab in window.tabs:
        if tab.watch is not None:
            tab.watch.use(network.interceptor)


async def enter(window: Window, url: str) -> None:
    """Begin an episode with a page, whatever the page of the last one does about being left."""
    try:
        await window.goto(url)
        is_fine = not window.was_disturbed
    except (TimeoutError, DevToolsError):
        is_fine = False
    if not is_fine:
        if window.connection.is_lost:
            raise BrowserLostError("the browser ended between two episodes")
        await window.renew()
        await window.goto(url)
    window.begin()


async def _clear(window: Window, *, has_other_sites: bool) -> None:
    """Remove what pages kept, and all tabs but one; the browser's cache stays for the same sites."""
    tab = window.tabs[0]
    for other in window.tabs[1:]:
        window.discard(other)
    window.active = 0
    asked = await _ask(tab)
    if asked or not window.settings.virtual_time or len(tab.frames) > 1:
        await window.goto("about:blank")
    sent = [window.connection.post("Storage.clearCookies", {"browserContextId": window.context})]
    for origin in window.origins:
        sent += [tab.post("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _KEPT})]
    window.origins.clear()
    if has_other_sites:
        sent += [tab.post("Network.clearBrowserCache")]
    await asyncio.gather(*sent)


async def _ask(tab: Tab) -> bool:
    params: dict[str, Any] = {"expression": _ASK, "includeCommandLineAPI": True, "returnByValue": True}
    answer = await tab.post("Runtime.evaluate", {**params, "contextId": await tab._world(tab.main_frame)})
    return bool(answer["result"].get("value"))
