"""All kinds of requests, and those that training never shows."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_tools.workbench.requests import (
    calculations,
    files,
    messages,
    out_of_reach,
    posts,
    tickets,
    trading,
    travel,
    vehicle,
)
from agentgym_tools.workbench.template import Template

_MODULES = (files, trading, travel, vehicle, tickets, posts, messages, calculations, out_of_reach)
TEMPLATES: Mapping[str, Template] = {each.name: each for module in _MODULES for each in module.TEMPLATES}
"""The kinds by name."""
HELD_OUT = frozenset(
    {
        *("sort", "file_invoices", "copy_last", "withdraw", "sell_dearest", "alert", "other_day", "bags_of_last"),
        *("move_money", "tyres", "nearest", "fan", "move_queue", "most_urgent", "note_on_last", "edit", "follow_back"),
        *("pin_about", "forward_last", "rename_contact", "read_all", "median"),
    }
)
"""Names of the kinds that training never shows."""
