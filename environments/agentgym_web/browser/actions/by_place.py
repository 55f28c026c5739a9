"""Actions at places in the window, and on the keyboard."""

from __future__ import annotations

from agentgym.tools import tool
from agentgym_web.browser.actions.hands import Hands
from agentgym_web.browser.input import BITS, Button
from agentgym_web.browser.keys import MODIFIERS, combination, key_named


class ByPlace(Hands):
    """The mouse by coordinates, and keys for whatever has the focus."""

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
        await self._input.move(x, y)

    @tool
    async def mouse_down(self, x: float, y: float, button: Button = "left") -> None:
        """Move the mouse and press a button.

        Args:
            x: From the left edge of the window, in pixels.
            y: From its top edge, in pixels.
            button: The mouse button.
        """
        self._input.check_point(x, y)
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
        self._input.check_point(x, y)
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
        await self._insert(text)
