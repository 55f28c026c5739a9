"""Actions on elements by their ids."""

from __future__ import annotations

import asyncio
from typing import Literal

from agentgym.tools import tool
from agentgym_web.browser.actions.hands import Hands
from agentgym_web.browser.elements import Bid
from agentgym_web.browser.input import Button
from agentgym_web.browser.keys import combination, key_named

Modifier = Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]
_UNTYPED_KINDS = {"date", "time", "month", "week", "datetime-local", "color", "range"}


class ByElement(Hands):
    """Clicks, fields, lists, files and scrolling."""

    @tool
    async def click(self, bid: Bid, button: Button = "left", modifiers: list[Modifier] | None = None) -> None:
        """Click an element.

        Args:
            bid: Id of the element.
            button: The mouse button.
            modifiers: Keys held down meanwhile.
        """
        x, y = await self._elements.point(bid)
        await self._input.click(x, y, button, 1, modifiers or [], is_awaited=False)

    @tool
    async def dblclick(self, bid: Bid, button: Button = "left", modifiers: list[Modifier] | None = None) -> None:
        """Double-click an element.

        Args:
            bid: Id of the element.
            button: The mouse button.
            modifiers: Keys held down meanwhile.
        """
        x, y = await self._elements.point(bid)
        await self._input.click(x, y, button, 2, modifiers or [])

    @tool
    async def hover(self, bid: Bid) -> None:
        """Move the mouse over an element.

        Args:
            bid: Id of the element.
        """
        await self._input.move(*await self._elements.point(bid))

    @tool
    async def fill(self, bid: Bid, value: str, enable_autocomplete_menu: bool = False) -> None:
        """Replace the text of a field.

        Args:
            bid: Id of the field.
            value: The new text; "" empties the field. Dates are written 2026-03-02, times 09:30.
            enable_autocomplete_menu: Whether the text is typed key by key, so that suggestions appear.
        """
        letters, number, field = await self._elements.located(bid, {"editable": True, "focusing": "all"})
        if field["type"] == "number" and value:
            await self._elements.call(letters, "requireNumber", number, value)
        if field["type"] in _UNTYPED_KINDS:
            await self._elements.call(letters, "setValue", number, value)
        elif not value:
            await self._input.press(key_named("Delete"))
        elif enable_autocomplete_menu:
            await self._input.type(value)
        else:
            await self._insert(value, is_awaited=False)

    @tool
    async def clear(self, bid: Bid) -> None:
        """Empty a field.

        Args:
            bid: Id of the field.
        """
        await self.fill(bid, "")

    @tool
    async def focus(self, bid: Bid) -> None:
        """Put the keyboard's focus on an element.

        Args:
            bid: Id of the element.
        """
        await self._elements.located(bid, {"focusing": "field"})

    @tool
    async def press(self, bid: Bid, key_comb: str) -> None:
        """Focus an element and press a key or a combination of keys.

        Args:
            bid: Id of the element.
            key_comb: Such as "Enter", "ArrowDown", "a" or "Control+A".
        """
        modifiers, key = combination(key_comb)
        await self._elements.located(bid, {"focusing": "field"})
        await self._input.press(key, modifiers)

    @tool
    async def select_option(self, bid: Bid, options: str | list[str]) -> None:
        """Choose options of a list by their texts or values.

        Args:
            bid: Id of the list.
            options: One option, or several where the list allows that.
        """
        letters, number = await self._elements.find(bid, {"listed": True})
        await self._elements.call(letters, "selectOptions", number, [options] if isinstance(options, str) else options)

    @tool
    async def check(self, bid: Bid) -> None:
        """Tick a checkbox or choose a radio button.

        Args:
            bid: Id of the element.
        """
        await self._set_checked(bid, True)

    @tool
    async def uncheck(self, bid: Bid) -> None:
        """Untick a checkbox.

        Args:
            bid: Id of the element.
        """
        await self._set_checked(bid, False)

    @tool
    async def drag_and_drop(self, from_bid: Bid, to_bid: Bid) -> None:
        """Drag an element onto the middle of another one.

        Args:
            from_bid: Id of the element to drag.
            to_bid: Id of the element to drop it on.
        """
        start = await self._elements.point(from_bid)
        await self._input.drag(start, await self._elements.point(to_bid, covered_is_fine=True))

    @tool
    async def upload_file(self, bid: Bid, file: str | list[str]) -> None:
        """Give files to a field for files.

        Args:
            bid: Id of the field, or of the button that asks for a file.
            file: Name of a file that you were given, or several.
        """
        paths = self._files([file] if isinstance(file, str) else file)
        letters, number = await self._elements.find(bid, {"needsPoint": False})
        asked = self.tab.evaluate(f"agentgym.elementOf({number})", frame=self._elements.frame(letters), by_value=False)
        found = await self.tab.crash_or(asyncio.ensure_future(asked), self._window.settings.hang_s)
        if found.get("className") == "HTMLInputElement":
            await self.tab.ask("DOM.setFileInputFiles", {"files": paths, "objectId": found["objectId"]})
            return
        await self._input.click(*await self._elements.point(bid), "left", 1, [])
        await self._give_files(paths)

    @tool
    async def scroll(self, delta_x: float, delta_y: float) -> None:
        """Scroll the page.

        Args:
            delta_x: To the right, in pixels; negative to the left.
            delta_y: Down, in pixels; negative up.
        """
        settings = self._window.settings
        await self._input.wheel(settings.width / 2, settings.height / 2, delta_x, delta_y)

    async def _set_checked(self, bid: Bid, wanted: bool) -> None:
        letters, number = await self._elements.find(bid, {"needsPoint": False})
        state = await self._elements.call(letters, "checked", number)
        if state["checked"] != wanted:
            await self._input.click(*await self._elements.point(bid), "left", 1, [])
