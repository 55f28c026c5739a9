"""The desks by name; each is imported on first use."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from agentgym.errors import UnknownNameError
from agentgym_tools.desks.domain import Domain

DESKS = {
    "airline": "agentgym_tools.desks.airline.domain:AIRLINE",
    "bank": "agentgym_tools.desks.bank.domain:BANK",
    "clinic": "agentgym_tools.desks.clinic.domain:CLINIC",
    "insurance": "agentgym_tools.desks.insurance.domain:INSURANCE",
    "shop": "agentgym_tools.desks.shop.domain:SHOP",
    "telecom": "agentgym_tools.desks.telecom.domain:TELECOM",
}
"""Where the `Domain` of each desk is."""


@cache
def desk(name: str) -> Domain:
    """A desk.

    Raises:
        UnknownNameError: There is none of this name.
    """
    if name not in DESKS:
        raise UnknownNameError("desk", name, DESKS)
    module, _, attribute = DESKS[name].partition(":")
    found: Domain = getattr(import_module(module), attribute)
    return found
