"""All actions of an agent together, and their sets by name.

The names and parameters are the tools that the agent sees; what they do is in `actions/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.tools import Tool
from agentgym_web.browser.actions.by_element import ByElement
from agentgym_web.browser.actions.by_place import ByPlace
from agentgym_web.browser.actions.by_touch import ByTouch
from agentgym_web.browser.actions.in_tabs import InTabs

SETS: Mapping[str, tuple[str, ...]] = {
    "chat": ("send_msg_to_user",),
    "infeas": ("report_infeasible",),
    "bid": (
        "scroll",
        "fill",
        "select_option",
        "click",
        "dblclick",
        "hover",
        "press",
        "focus",
        "clear",
        "drag_and_drop",
        "upload_file",
        "check",
        "uncheck",
    ),
    "coord": (
        "scroll_at",
        "mouse_move",
        "mouse_up",
        "mouse_down",
        "mouse_click",
        "mouse_dblclick",
        "mouse_drag_and_drop",
        "mouse_upload_file",
        "keyboard_down",
        "keyboard_up",
        "keyboard_press",
        "keyboard_type",
        "keyboard_insert_text",
    ),
    "nav": ("go_back", "go_forward", "goto"),
    "tab": ("tab_close", "tab_focus", "new_tab"),
    "touch": ("tap", "long_press", "swipe"),
    "touch_coord": ("tap_at", "long_press_at", "swipe_at"),
}
"""Actions by the names of their sets; `noop` is always among them."""


class Acting(ByElement, ByPlace, InTabs, ByTouch):
    """All actions on a window."""

    async def run(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Carry out an action.

        Raises:
            ActionSyntaxError: It cannot be done; says why.
        """
        method = getattr(self, name)
        await method(**arguments)


ACTIONS: Mapping[str, Tool] = {
    name: getattr(Acting, name) for names in (("noop",), *SETS.values()) for name in names if hasattr(Acting, name)
}
"""The actions as tools, by name."""
