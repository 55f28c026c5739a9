"""Whether outcomes are all that the words of a task admit, found by search over the writes."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from agentgym.suite import load_suite
from agentgym_tools.apps.base.bases import bench_of
from agentgym_tools.apps.planning import plan_of
from agentgym_tools.apps.templates import TEMPLATES
from agentgym_tools.worlds import World
from agentgym_tools.worlds.changes import Change
from benchmarks.verdicts import app_outcomes
from benchmarks.verdicts.requests.app_requests import RULES, STATEMENTS, words_of
from benchmarks.verdicts.requests.effects import Named, New, Put, is_met
from benchmarks.verdicts.requests.searching import Found

from .conftest import task_of

NOTHING_WRONG = {"refused": 0, "wrong": 0, "unreached": 0}


def wrong_in(found: Found) -> dict[str, int]:
    return {name: value for name, value in asdict(found).items() if name in NOTHING_WRONG}


def test_every_template_that_asks_for_a_change_is_stated() -> None:
    changing = {
        each.name for each in TEMPLATES.values() if each.is_infeasible or plan_of(task_of(each.name)).draft.outcomes[0]
    }
    assert changing == set(STATEMENTS)


def test_the_statements_and_the_listed_outcomes_agree() -> None:
    found = Found()
    for task in filter(app_outcomes.is_searched, load_suite("tools/apps").tasks("test")[::41]):
        app_outcomes.search(task, found)
    assert found.tasks > 5
    assert found.states > 40 * found.tasks
    assert wrong_in(found) == NOTHING_WRONG


@pytest.mark.parametrize(("template", "number"), [("archive_sender", 0), ("invite_who_proposed", 0), ("order_gift", 1)])
def test_the_search_finds_an_outcome_that_is_not_listed(monkeypatch, template: str, number: int) -> None:
    """The last change is left out of what is listed: right work is refused, and what is listed cannot be reached."""
    task = task_of(template, number)
    plan = plan_of(task)
    shorter = replace(plan.outcomes[0], contents=plan.outcomes[0].contents[:-1])
    monkeypatch.setattr(app_outcomes, "plan_of", lambda _: replace(plan, outcomes=[shorter]))
    found = Found()
    app_outcomes.search(task, found)
    assert found.refused >= 1
    assert found.unreached + found.wrong >= 1


def test_the_search_finds_that_a_task_can_be_done_after_all(monkeypatch) -> None:
    """A draft that asks for the lock of a file that there is, but says that this cannot be done."""
    task = task_of("lock_missing_file")
    plan = plan_of(task)
    world = World(bench_of("full"))
    with world.call(may_write=False):
        name = world.rows("SELECT name FROM files WHERE owner = ? AND NOT is_locked", plan.user)[0]["name"]
    draft = replace(plan.draft, text=f"Lock my file {name}, wherever it is.")
    monkeypatch.setattr(app_outcomes, "plan_of", lambda _: replace(plan, draft=draft))
    found = Found()
    app_outcomes.search(task, found)
    assert found.refused == 1


def test_words_are_read_without_their_quotes() -> None:
    assert words_of("Rename {one} to {other}.", "Rename 'a b' to \"it's\".") == {"one": "a b", "other": "it's"}
    with pytest.raises(ValueError, match="expected the words"):
        words_of("Rename {one}.", "Delete a.")


def test_changes_meet_effects_only_as_a_whole() -> None:
    gone = Put({("notes", (1,)): ({"id": 1, "text": "a"}, None)})
    new = [New("todo_lists", {"title": "x"}, "list"), New("todos", {"list_id": Named("list"), "title": "y"})]
    removed = Change("notes", (1,), {"id": 1, "text": "a"}, None)
    added = Change("todo_lists", (7,), None, {"id": 7, "title": "x"})
    task = Change("todos", (9,), None, {"id": 9, "list_id": 7, "title": "y"})
    elsewhere = Change("todos", (9,), None, {"id": 9, "list_id": 8, "title": "y"})
    assert is_met([[gone, *new]], [removed, added, task], RULES)
    assert is_met([[gone], [*new]], [task, added], RULES)
    assert not is_met([[gone, *new]], [removed, added, elsewhere], RULES)
    assert not is_met([[gone, *new]], [removed, added], RULES)
    assert not is_met([new], [removed, added, task], RULES)
    assert not is_met([], [], RULES)


def test_what_follows_from_a_payment_is_no_further_change() -> None:
    paid = New("transfers", {"amount": 5})
    transfer = Change("transfers", (3,), None, {"id": 3, "amount": 5})
    wallet = Change("wallets", (1,), {"owner": 1, "balance": 9}, {"owner": 1, "balance": 4})
    assert is_met([[paid]], [transfer, wallet], RULES)
    assert not is_met([[paid]], [transfer, replace(wallet, table="cards")], RULES)
