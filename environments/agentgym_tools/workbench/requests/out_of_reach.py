"""Questions and wishes that no tool of any set can meet."""

from __future__ import annotations

from agentgym_tools.workbench.cases import Case, View, leave
from agentgym_tools.workbench.rows.people import TOWNS
from agentgym_tools.workbench.template import Facts, Pick, Template

_MANY = (
    "Will it rain in {town} tomorrow?",
    "Who is the mayor of {town}?",
    "Reserve a table for {count} people at a restaurant in {town}.",
    "Call me in {count} minutes.",
    "Print {count} copies of my calendar.",
    "Which team has won the match in {town}?",
    "Translate my last letter into the language of {town}.",
    "Order a taxi for {count} people in {town}.",
)


def _facts(pick: Pick) -> Facts:
    return {"town": pick.one(TOWNS), "count": pick.number(2, 60)}


def _solve(view: View, facts: Facts) -> Case:
    return leave("no_tool", ())


OUT_OF_REACH = ""
TEMPLATES = (Template("out_of_reach", OUT_OF_REACH, _MANY, _facts, _solve, idle=_facts),)
"""Those that belong to no set of tools."""
