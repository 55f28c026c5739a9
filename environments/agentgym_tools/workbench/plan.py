"""An entry of the workbench: whose things it is about, which tools are listed, and its requests in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentgym.errors import TaskError
from agentgym.task import Task
from agentgym_tools.workbench.requests.all_requests import TEMPLATES
from agentgym_tools.workbench.rows.people import BY_ID
from agentgym_tools.workbench.sets.all_sets import SETS
from agentgym_tools.workbench.template import Facts, Template

Condition = Literal["", "later", "never", "ask"]
"""What is missing from a request: nothing; its tool, which is supplied later or never; or a value."""
CONDITIONS: tuple[Condition, ...] = ("", "later", "never", "ask")


@dataclass(frozen=True)
class Request:
    """A request.

    Attributes:
        kind: Name of its template.
        facts: What it names.
        wording: Number of the way to say it.
        condition: What is missing from it.
    """

    kind: str
    facts: Facts
    wording: int = 0
    condition: Condition = ""

    @property
    def template(self) -> Template:
        """Its kind."""
        return TEMPLATES[self.kind]

    @property
    def text(self) -> str:
        """It in words."""
        return self.template.text(self.facts, self.wording, is_vague=self.condition == "ask")

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `read_plan` reads back."""
        fields = {"kind": self.kind, "facts": dict(self.facts), "wording": self.wording}
        return {**fields, "condition": self.condition} if self.condition else fields


@dataclass(frozen=True)
class Stage:
    """One message of the user and what is to be done about it: a request, or one that lacks its tool so far."""

    request: Request
    is_without_tool: bool


@dataclass(frozen=True)
class Plan:
    """An entry.

    Attributes:
        me: Handle of the person whose things it is about.
        sets: The sets whose tools are listed.
        requests: The requests in order.
    """

    me: str
    sets: Sequence[str]
    requests: Sequence[Request]

    @property
    def stages(self) -> list[Stage]:
        """The messages of the user: a request whose tool is supplied later is made twice."""
        found = []
        for request in self.requests:
            if request.condition in ("later", "never"):
                found.append(Stage(request, True))
            if request.condition != "never":
                found.append(Stage(request, False))
        return found

    @property
    def withheld(self) -> frozenset[str]:
        """The tools that are not listed at the start although their sets are."""
        return frozenset(each.template.key_tool for each in self.requests if each.condition in ("later", "never"))


def read_plan(task: Task) -> Plan:
    """The entry of a task.

    Raises:
        TaskError: The task is none of this environment.
    """
    try:
        requests = [_request(fields) for fields in task.private["requests"]]
        plan = Plan(task.config["me"], tuple(task.config["sets"]), tuple(requests))
    except (KeyError, TypeError) as error:
        raise TaskError(f"task {task.id!r} is no entry of the workbench: {error!r}") from error
    unknown = {*plan.sets} - SETS.keys()
    if unknown or plan.me not in BY_ID or not requests:
        raise TaskError(f"task {task.id!r} is no entry of the workbench: {plan!r:.200}")
    return plan


def _request(fields: Mapping[str, Any]) -> Request:
    if fields["kind"] not in TEMPLATES or fields.get("condition", "") not in CONDITIONS:
        raise KeyError(f"{fields['kind']} {fields.get('condition', '')}".strip())
    return Request(fields["kind"], fields["facts"], fields["wording"], fields.get("condition", ""))
