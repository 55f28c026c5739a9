"""Fixed phrases of trees and of actions, each a single token for a tiny tokenizer: a line takes half the tokens.

`[12] link "Cart"` below another element is then five tokens instead of eleven.
"""

from __future__ import annotations

from agentgym_web.browser.acting import ACTIONS

ROLES = (
    "banner", "box", "button", "cell", "checkbox", "circle", "clickable", "columnheader", "combobox", "contentinfo",
    "dialog", "figure", "form", "group", "heading", "img", "line", "link", "list", "listbox", "listitem", "main",
    "menuitem", "navigation", "option", "path", "polygon", "radio", "rect", "region", "row", "search", "searchbox",
    "slider", "spinbutton", "status", "svg", "tab", "table", "tablist", "tabpanel", "text", "textbox",
)  # fmt: skip
"""Roles that lines of trees begin with, or name after an id."""
_MAX_DEPTH = 12
_HEADS = ("page: ", "scrolled: ", " pixels", ", http://", " · ", " lines left out)")
_STATES = (' value="', ' placeholder="', " focused", " selected", " checked", " required")


def phrases() -> list[str]:
    """All phrases: of lines, of states, of what stands above the tree, of actions."""
    starts = [f"\n{' ' * depth}{mark}" for depth in range(_MAX_DEPTH + 1) for mark in ("[", '"')]
    lines = [*starts, *(f'] {role} "' for role in ROLES)]
    actions = [f"{name}('" for name in (*ACTIONS, "send_msg_to_user", "report_infeasible")]
    return [*lines, *_STATES, *_HEADS, *actions, "', '", "')"]
