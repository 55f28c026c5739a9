from benchmarks import desk_tasks


def test_a_quick_run_finds_nothing_wrong_and_has_tried_every_change(monkeypatch):
    monkeypatch.setattr(desk_tasks, "DESKS", {"telecom": desk_tasks.DESKS["telecom"]})
    report = desk_tasks.measure(quick=True)
    assert [goal.value for goal in report.goals] == [0.0] * 4
    row = report.figures["telecom"]
    assert row["oracle"] == row["tasks"] > 4
    assert all(row[name][1] > 0 for name in desk_tasks.CHANGES)
