from benchmarks.verdicts import app_tasks


def test_a_quick_run_finds_nothing_wrong_and_has_tried_every_change(monkeypatch):
    monkeypatch.setattr(app_tasks, "SUITES", ("tools/apps",))
    report = app_tasks.measure(quick=True)
    assert [goal.value for goal in report.goals] == [0.0] * 4
    row = report.figures["tools/apps"]
    assert row["oracle"] == row["tasks"] == 20
    assert all(row[name][1] > 0 for name in app_tasks.CHANGES)
