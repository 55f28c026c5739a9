"""What templates that edit one text file share: the goal is the whole text, so any other change in it is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym_gui.templates.making import text
from agentgym_gui.templates.plan import Ending, Plan, goal
from agentgym_gui.templates.steps import finish, line_edits, press


@dataclass(frozen=True)
class Edit:
    """One text file before and after.

    Attributes:
        path: The file.
        old: Its lines at the start.
        new: Its lines in the end.
        wrong: Lines of ends that are nearly right.
        others: Further files in the home.
    """

    path: str
    old: Sequence[str]
    new: Sequence[str]
    wrong: Sequence[Sequence[str]] = ()
    others: Mapping[str, bytes] = field(default_factory=dict)


def joined(lines: Sequence[str]) -> bytes:
    """A text file of lines."""
    return text("".join(f"{line}\n" for line in lines))


def edit_plan(application: str, words: str, edit: Edit, seen: Sequence[str] = (), **rest: Any) -> Plan:
    """The plan to change a text file that is open in an editor.

    Args:
        application: The editor.
        words: What is asked.
        edit: The file before and after.
        seen: The lines that the editor shows, where they are not those of the file.
        rest: Further fields of the plan.
    """
    steps = (*line_edits(seen or edit.old, edit.new, indents=application == "geany"), press("ctrl+s"), finish())
    return Plan(
        goal=words,
        oracle=steps,
        applications=(application,),
        start=((application, f"~/{edit.path}"),),
        files={edit.path: joined(edit.old), **edit.others},
        goals=(goal("text", "lines", path=edit.path, equals=list(edit.new)),),
        may_change=(edit.path, *(f"{edit.path}{end}" for end in ("~", ".bak"))),
        ending=Ending({edit.path: joined(edit.new)}),
        near_misses=tuple(Ending({edit.path: joined(lines)}) for lines in edit.wrong),
        **rest,
    )
