"""Actions on pages and tabs."""

from __future__ import annotations

from agentgym.errors import ActionSyntaxError
from agentgym.tools import tool
from agentgym_web.browser.actions.hands import Hands


class InTabs(Hands):
    """Addresses, history and tabs."""

    @tool
    async def goto(self, url: str) -> None:
        """Open an address.

        Args:
            url: The address, such as "http://shop.test/".
        """
        scheme, colon, rest = url.partition(":")
        if not colon or "/" in scheme or rest[:1].isdigit():
            url, scheme = f"http://{url}", "http"
        if scheme.lower() not in ("http", "https") and url != "about:blank":
            raise ActionSyntaxError(
                f"Addresses that begin with {scheme[:20]!r} cannot be opened here. Expected http or https."
            )
        await self._window.goto(url)

    @tool
    async def go_back(self) -> None:
        """Go back to the page before."""
        await self._in_history(-1)

    @tool
    async def go_forward(self) -> None:
        """Go forward to the page after this one."""
        await self._in_history(1)

    @tool
    async def new_tab(self) -> None:
        """Open an empty tab and switch to it."""
        window = self._window
        if len(window.tabs) >= window.settings.max_tabs:
            raise ActionSyntaxError(
                f"There are {len(window.tabs)} tabs, as many as may be. Close one with tab_close()."
            )
        await window.new_tab()

    @tool
    async def tab_close(self) -> None:
        """Close the tab in front."""
        window = self._window
        if len(window.tabs) == 1:
            raise ActionSyntaxError("This is the only tab; it stays open.")
        closed = window.tabs.pop(window.active)
        closed.close()
        window.active = max(0, window.active - 1)
        await window.connection.post("Target.closeTarget", {"targetId": closed.target})

    @tool
    async def tab_focus(self, index: int) -> None:
        """Switch to another tab.

        Args:
            index: Its number in the list of tabs.
        """
        window = self._window
        if not 0 <= index < len(window.tabs):
            raise ActionSyntaxError(f"There is no tab {index}. Tabs are numbered from 0 to {len(window.tabs) - 1}.")
        window.active = index

    async def _in_history(self, by: int) -> None:
        history = await self.tab.ask("Page.getNavigationHistory")
        entries, wanted = history["entries"], history["currentIndex"] + by
        if not 0 <= wanted < len(entries) or (wanted == 0 and entries[0]["url"] == "about:blank"):
            raise ActionSyntaxError(f"There is no page to go {'back' if by < 0 else 'forward'} to.")
        self.tab.is_navigating = True
        await self.tab.ask("Page.navigateToHistoryEntry", {"entryId": entries[wanted]["id"]})
