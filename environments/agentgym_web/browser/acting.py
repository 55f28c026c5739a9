"""What an agent does to a page: one method an action, in BrowserGym's action syntax, with real input events.

The names and parameters are the tools that the agent sees; `Sets` groups them. A mistake of the agent's raises
`ActionSyntaxError`, whose text explains it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from agentgym.errors import ActionSyntaxError
from agentgym.tools import Tool, tool
from agentgym_web.browser.elements import Bid, Elements
from agentgym_web.browser.input import BITS, Button, Input
from agentgym_web.browser.keys import MODIFIERS, combination, key_named
from agentgym_web.browser.tab import Tab
from agentgym_web.browser.window import Window

Modifier = Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]
Direction = Literal["up", "down", "left", "right"]
_UNTYPED_KINDS = {"date", "time", "month", "week", "datetime-local", "color", "range"}
_LONG_PRESS_S = 0.6

SETS: Mapping[str, tuple[str, ...]] = {
    "chat": ("send_msg_to_user",),
    "infeas": ("report_infeasible",),
    "bid": ("scroll", "fill", "select_option", "click", "dblclick", "hover", "press", "focus", "clear", "drag_and_drop", "upload_file", "check", "uncheck"),
    "coord": ("scroll_at", "mouse_move", "mouse_up", "mouse_down", "mouse_click", "mouse_dblclick", "mouse_drag_and_drop", "mouse_upload_file",
              "keyboard_down", "keyboard_up", "keyboard_press", "keyboard_type", "keyboard_insert_text"),
    "nav": ("go_back", "go_forward", "goto"),
    "tab": ("tab_close", "tab_focus", "new_tab"),
    "touch": ("tap", "long_press", "swipe"),
}  # fmt: skip
"""Actions by the names of their sets; `noop` is always among them."""


class Acting:
    """The actions of one window.

    Args:
        window: The window.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self._input = Input(window)
        self._elements = Elements(window)

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self._window.tab

    def release(self) -> None:
        """Forget what is held down, for a new episode."""
        self._input.release()

    async def run(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Carry out an action.

        Raises:
            ActionSyntaxError: It cannot be done; says why.
        """
        method = getattr(self, name)
        await method(**arguments)

    @tool
    async def noop(self, wait_ms: float = 1000) -> None:
        """Do nothing for a while.

        Args:
            wait_ms: How long, in milliseconds, at most 10000.
        """
        wait_ms = min(max(wait_ms, 0), 10_000)
        if self._window.settings.virtual_time:
            options = {"virtual": True, "spanMs": wait_ms, "limitMs": 3000}
            await self.tab.crash_or(
                asyncio.ensure_future(self.tab.evaluate(f"agentgym.settle({json.dumps(options)})")), 8
            )
        else:
            await asyncio.sleep(wait_ms / 1000)

    # By element.

    @tool
    async def click(self, bid: Bid, button: Button = "left", modifiers: list[Modifier] | None = None) -> None:
        """Click an element.

        Args:
            bid: Id of the element.
            button: The mouse button.
            modifiers: Keys held down meanwhile.
        """
        x, y = await self._elements.point(bid)
        await self._input.click(x, y, button, 1, modifiers or [])

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
        await self.mouse_move(*await self._elements.point(bid))

    @tool
    async def fill(self, bid: Bid, value: str, enable_autocomplete_menu: bool = False) -> None:
        """Replace the text of a field.

        Args:
            bid: Id of the field.
            value: The new text; "" empties the field. Dates are written 2026-03-02, times 09:30.
            enable_autocomplete_menu: Whether the text is typed key by key, so that suggestions appear.
        """
        frame, number = await self._elements.find(bid, {"needsPoint": False, "editable": True})
        kind = (await self._elements.call(frame, "focus", number, True)).get("type", "")
        if kind in _UNTYPED_KINDS:
            await self._elements.call(frame, "setValue", number, value)
        elif not value:
            await self._input.press(key_named("Delete"))
        elif enable_autocomplete_menu:
            await self._input.type(value)
        else:
            await self.tab.post("Input.insertText", {"text": value})

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
        frame, number = await self._elements.find(bid, {"needsPoint": False})
        await self._elements.call(frame, "focus", number, False)

    @tool
    async def press(self, bid: Bid, key_comb: str) -> None:
        """Focus an element and press a key or a combination of keys.

        Args:
            bid: Id of the element.
            key_comb: Such as "Enter", "ArrowDown", "a" or "Control+A".
        """
        modifiers, key = combination(key_comb)
        frame, number = await self._elements.find(bid, {"needsPoint": False})
        await self._elements.call(frame, "focus", number, False)
        await self._input.press(key, modifiers)

    @tool
    async def select_option(self, bid: Bid, options: str | list[str]) -> None:
        """Choose options of a list by their texts or values.

        Args:
            bid: Id of the list.
            options: One option, or several where the list allows that.
        """
        frame, number = await self._elements.find(bid, {"needsPoint": False})
        await self._elements.call(frame, "selectOptions", number, [options] if isinstance(options, str) else options)

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
        """Drag an element onto another one.

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
        frame, number = await self._elements.find(bid, {"needsPoint": False})
        found = await self.tab.evaluate(f"agentgym.elementOf({number})", frame=frame, by_value=False)
        if found.get("className") == "HTMLInputElement":
            await self.tab.post("DOM.setFileInputFiles", {"files": paths, "objectId": found["objectId"]})
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

    # By place.

    @tool
    async def scroll_at(self, x: float, y: float, dx: float, dy: float) -> None:
        """Scroll what lies under a point.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
            dx: To the right, in pixels.
            dy: Down, in pixels.
        """
        await self._input.wheel(x, y, dx, dy)

    @tool
    async def mouse_move(self, x: float, y: float) -> None:
        """Move the mouse.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
        """
        if self._input.buttons and self.tab.drag is not None:
            await self._input.drag_event("dragOver", x, y)
        else:
            await self._input.mouse_event("mouseMoved", x, y, "left" if self._input.buttons else "none")

    @tool
    async def mouse_down(self, x: float, y: float, button: Button = "left") -> None:
        """Move the mouse and press a button.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
            button: The mouse button.
        """
        self._input.mouse_event("mouseMoved", x, y, "none")
        self._input.buttons |= BITS[button]
        await self._input.mouse_event("mousePressed", x, y, button, 1)

    @tool
    async def mouse_up(self, x: float, y: float, button: Button = "left") -> None:
        """Move the mouse and release a button.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
            button: The mouse button.
        """
        if self.tab.drag is not None:
            await self._input.drop(x, y)
            return
        self._input.mouse_event("mouseMoved", x, y, button if self._input.buttons else "none")
        self._input.buttons &= ~BITS[button]
        await self._input.mouse_event("mouseReleased", x, y, button, 1)

    @tool
    async def mouse_click(self, x: float, y: float, button: Button = "left") -> None:
        """Click at a point.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
            button: The mouse button.
        """
        await self._input.click(x, y, button, 1, [])

    @tool
    async def mouse_dblclick(self, x: float, y: float, button: Button = "left") -> None:
        """Double-click at a point.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
            button: The mouse button.
        """
        await self._input.click(x, y, button, 2, [])

    @tool
    async def mouse_drag_and_drop(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        """Drag from one point to another.

        Args:
            from_x: Where the drag begins, from the left edge of the window, in pixels.
            from_y: Where it begins, from the top edge, in pixels.
            to_x: Where it ends, from the left edge, in pixels.
            to_y: Where it ends, from the top edge, in pixels.
        """
        await self._input.drag((from_x, from_y), (to_x, to_y))

    @tool
    async def mouse_upload_file(self, x: float, y: float, file: str | list[str]) -> None:
        """Click a button that asks for a file, and give it files.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
            file: Name of a file that you were given, or several.
        """
        paths = self._files([file] if isinstance(file, str) else file)
        await self._input.click(x, y, "left", 1, [])
        await self._give_files(paths)

    @tool
    async def keyboard_down(self, key: str) -> None:
        """Press a key and hold it.

        Args:
            key: Such as "Shift" or "a".
        """
        found = key_named(key)
        await self._input.key_event("keyDown" if found.text else "rawKeyDown", found, [])
        if found.key in MODIFIERS:
            self._input.held.append(found.key)

    @tool
    async def keyboard_up(self, key: str) -> None:
        """Release a key.

        Args:
            key: Such as "Shift" or "a".
        """
        found = key_named(key)
        if found.key in self._input.held:
            self._input.held.remove(found.key)
        await self._input.key_event("keyUp", found, [])

    @tool
    async def keyboard_press(self, key: str) -> None:
        """Press a key or a combination of keys.

        Args:
            key: Such as "Enter", "Tab", "a" or "Control+A".
        """
        modifiers, found = combination(key)
        await self._input.press(found, modifiers)

    @tool
    async def keyboard_type(self, text: str) -> None:
        """Type a text key by key into the focused element.

        Args:
            text: The text.
        """
        await self._input.type(text)

    @tool
    async def keyboard_insert_text(self, text: str) -> None:
        """Insert a text at once into the focused element.

        Args:
            text: The text.
        """
        await self.tab.post("Input.insertText", {"text": text})

    # Pages and tabs.

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

    # By touch.

    @tool
    async def tap(self, bid: Bid) -> None:
        """Tap an element with a finger.

        Args:
            bid: Id of the element.
        """
        x, y = await self._elements.point(bid)
        self._input.touch("touchStart", [(x, y)])
        await self._input.touch("touchEnd", [])

    @tool
    async def long_press(self, bid: Bid) -> None:
        """Hold a finger on an element until its menu opens.

        Args:
            bid: Id of the element.
        """
        x, y = await self._elements.point(bid)
        await self._input.touch("touchStart", [(x, y)])
        if self._window.settings.virtual_time:
            await self.noop(_LONG_PRESS_S * 1000)
        else:
            await asyncio.sleep(_LONG_PRESS_S)
        await self._input.touch("touchEnd", [])

    @tool
    async def swipe(self, bid: Bid, direction: Direction) -> None:
        """Swipe a finger over an element.

        Args:
            bid: Id of the element.
            direction: Where the finger goes.
        """
        x, y = await self._elements.point(bid)
        settings = self._window.settings
        dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[direction]
        length = 0.6 * (settings.width if dx else settings.height / 2)
        await self._input.touch("touchStart", [(x, y)])
        for part in range(1, 7):
            point = (
                _within(x + dx * length * part / 6, settings.width),
                _within(y + dy * length * part / 6, settings.height),
            )
            await self._input.touch("touchMove", [point])
        await self._input.touch("touchEnd", [])

    # Below the actions.

    async def _set_checked(self, bid: Bid, wanted: bool) -> None:
        frame, number = await self._elements.find(bid, {"needsPoint": False})
        state = await self._elements.call(frame, "checked", number)
        if state["checked"] != wanted:
            await self._input.click(*await self._elements.point(bid), "left", 1, [])

    async def _in_history(self, by: int) -> None:
        history = await self.tab.post("Page.getNavigationHistory")
        entries, wanted = history["entries"], history["currentIndex"] + by
        if not 0 <= wanted < len(entries) or (wanted == 0 and entries[0]["url"] == "about:blank"):
            raise ActionSyntaxError(f"There is no page to go {'back' if by < 0 else 'forward'} to.")
        self.tab.is_navigating = True
        await self.tab.post("Page.navigateToHistoryEntry", {"entryId": entries[wanted]["id"]})

    def _files(self, names: Sequence[str]) -> list[str]:
        given = self._window.settings.files
        for name in names:
            if name not in given:
                listed = ", ".join(sorted(given)) or "none"
                raise ActionSyntaxError(f"You were given no file {name[:80]!r}. Files: {listed}.")
        return [str(self._window.upload(Path(given[name]))) for name in names]

    async def _give_files(self, paths: Sequence[str]) -> None:
        tab = self.tab
        for _ in range(50):
            if tab.file_input is not None:
                break
            await asyncio.sleep(0.01)
        else:
            raise ActionSyntaxError("The click opened no dialog for files.")
        await tab.post("DOM.setFileInputFiles", {"files": list(paths), "backendNodeId": tab.file_input})
        tab.file_input = None
        self._window.notes[:] = [note for note in self._window.notes if "asks for a file" not in note]


def _within(value: float, size: int) -> float:
    return min(max(value, 1), size - 2)


ACTIONS: Mapping[str, Tool] = {
    name: getattr(Acting, name) for names in (("noop",), *SETS.values()) for name in names if hasattr(Acting, name)
}
"""The actions as tools, by name."""
