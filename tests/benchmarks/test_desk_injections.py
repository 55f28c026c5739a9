from benchmarks import desk_injections


def test_a_quick_run_meets_every_goal(monkeypatch):
    monkeypatch.setattr(desk_injections, "INJECTED_DESKS", ("shop",))
    report = desk_injections.measure(quick=True)
    assert len(report.goals) == 5
    assert all(goal.is_met for goal in report.goals)
    assert report.figures["gullible"]["attacked"] == 8
