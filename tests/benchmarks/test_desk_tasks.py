from collections import Counter

from agentgym.suite import load_suite
from agentgym_tools.desks.game import DeskGame
from benchmarks import desk_guard, desk_tasks


def test_a_quick_run_finds_nothing_wrong_and_has_tried_every_change(monkeypatch):
    monkeypatch.setattr(desk_tasks, "DESKS", {"telecom": desk_tasks.DESKS["telecom"]})
    report = desk_tasks.measure(quick=True)
    assert [goal.value for goal in report.goals] == [0.0] * 4
    row = report.figures["telecom"]
    assert row["oracle"] == row["tasks"] > 4
    assert all(row[name][1] > 0 for name in desk_tasks.CHANGES)


def test_the_guard_of_customers_is_checked_at_a_desk_whose_tools_documents_name() -> None:
    counts, wrong = Counter[str](), []
    task = load_suite("tools/desk-bank").tasks("test")[120]
    desk_guard.check_task(DeskGame("bank"), task, "wrong first", counts, wrong)
    assert counts["messages"] > 3
    assert not wrong
