"""Hundreds of tools, among which those of a desk have to be found: tools of all desks and other environments, and more.

Where that is not enough, further departments have tools that are worded like those of the desks. None of them does
anything. How tools are searched is in `agentgym.tools.finding`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache

from agentgym.arguments import tool_name
from agentgym.message import ToolSchema
from agentgym.tools.finding import FIND_TOOLS, ToolIndex
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.domain import Domain
from agentgym_tools.desks.unlisted import shown_tools
from agentgym_tools.specs import SPECS

NUM_TOOLS = 500
"""How many tools can be found at a desk, its own among them."""
DEPARTMENTS = ("warehouse", "school", "museum", "fleet", "theatre", "harbour")


@cache
def many_tools(domain: Domain) -> list[ToolSchema]:
    """Tools that are not the desk's, in an order that is always the same."""
    taken = {FIND_TOOLS, *domain.toolbox.tools, *domain.user_tools, *talk.ACTS_OF_AGENT}
    found: dict[str, ToolSchema] = {}
    wanted = NUM_TOOLS - len(shown_tools(domain))
    for tool in (*_of_desks(), *_of_environments(), *_of_departments()):
        name = tool_name(tool)
        if name not in taken and len(found) < wanted:
            found.setdefault(name, tool)
    return list(found.values())


@cache
def index_of(domain: Domain) -> ToolIndex:
    """The desk's own tools among the many others."""
    return ToolIndex([*shown_tools(domain).values(), *many_tools(domain)])


def _of_desks() -> Iterator[ToolSchema]:
    for name in DESKS:
        yield from desk(name).toolbox.tools.values()
        yield from desk(name).user_tools.values()


def _of_environments() -> Iterator[ToolSchema]:
    """Tools of the environments that run in process and need no extra."""
    for spec in SPECS:
        if "local" not in spec.runtimes or spec.roles or spec.extra:
            continue
        module, _, name = spec.entry_point.partition(":")
        yield from getattr(importlib.import_module(module), name).tools


def _of_departments() -> Iterator[ToolSchema]:
    for department in DEPARTMENTS:
        for tool in _of_desks():
            function = tool["function"]
            named = {"name": f"{department}_{function['name']}"}
            described = {"description": f"In the {department}: {function['description']}"}
            yield {"type": "function", "function": {**function, **named, **described}}
