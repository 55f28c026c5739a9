"""Whether the right ways of requests are all that their words admit, found by search over the writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import cast

from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_tools.workbench.requests.all_requests import TEMPLATES
from agentgym_tools.workbench.sets.all_sets import TOOLS
from agentgym_tools.workbench.template import Template
from agentgym_tools.worlds.calls import Call
from benchmarks.verdicts import workbench_outcomes
from benchmarks.verdicts.requests.searching import Found
from benchmarks.verdicts.requests.workbench_requests import STATEMENTS

NOTHING_WRONG = {"refused": 0, "wrong": 0, "unreached": 0}


def wrong_in(found: Found) -> dict[str, int]:
    return {name: value for name, value in asdict(found).items() if name in NOTHING_WRONG}


def test_every_kind_that_changes_something_is_stated() -> None:
    asking = {name for name in TEMPLATES if name not in STATEMENTS}
    assert not [
        name for name in asking if TEMPLATES[name].key_tool in TOOLS and TOOLS[TEMPLATES[name].key_tool].is_writing
    ]


def test_the_statements_and_the_right_ways_agree(monkeypatch) -> None:
    monkeypatch.setattr(workbench_outcomes, "NUM_PAIRS_WITHOUT_TOOL", 200)
    found = Found()
    for task in load_suite("tools/workbench").tasks("test")[::97]:
        workbench_outcomes.search(task, found)
    assert found.states > 40 * found.tasks > 200
    assert wrong_in(found) == NOTHING_WRONG


def test_a_request_with_another_way_never_lacks_its_tool() -> None:
    """`no_tool` would be wrong: what the usual tool does, two others do together."""
    ways = ("move", "rename", "append", "make_file", "write_answer", "file_invoices", "rename_contact", "unmute")
    assert not [kind for kind in ways if TEMPLATES[kind].key_tool]


def test_the_search_finds_a_way_without_the_missing_tool(monkeypatch, entry: Callable[..., Task]) -> None:
    template = replace(TEMPLATES["move"], key_tool="move_to_folder")
    monkeypatch.setitem(cast("dict[str, Template]", TEMPLATES), "move", template)
    found = Found()
    workbench_outcomes.search(entry(("move", {"path": "/notes/budget.txt", "folder": "/archive"}, "never")), found)
    assert found.refused >= 1


def test_a_file_that_is_moved_by_another_way_is_moved(play, entry: Callable[..., Task]) -> None:
    task = entry(("move", {"path": "/notes/budget.txt", "folder": "/archive"}))
    copied = Call("copy_to_folder", {"path": "/notes/budget.txt", "folder": "/archive"})
    infos = play(task, copied, Call("delete_entry", {"path": "/notes/budget.txt"}), Call("done"))
    assert infos[-1]["success"]
    assert not play(task, copied, Call("done"))[-1]["success"]
