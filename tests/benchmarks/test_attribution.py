import gc
import json

import numpy as np
import pytest

from agentgym.attribution import METHODS, Steps
from benchmarks import attribution
from benchmarks.attribution import COMPOSED, Size, make_steps, make_trajectories, measure
from benchmarks.report import main

SMALL = Size(trajectories=16, turns=5)


def test_both_forms_of_the_batch_are_the_same():
    columns, laid_out = make_steps(SMALL), Steps.of(make_trajectories(SMALL))
    for name in ("rewards", "offsets", "groups", "is_truncated", "progress", "final_progress"):
        np.testing.assert_array_equal(getattr(columns, name), getattr(laid_out, name))
    same = [anchors[:, None] == anchors[None] for anchors in (columns.anchors, laid_out.anchors)]
    np.testing.assert_array_equal(*same)


def test_every_method_has_a_goal_and_a_figure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(attribution, "Size", lambda: SMALL)
    monkeypatch.setattr(gc, "collect", lambda: 0)  # between sides, through the objects of all tests of this process
    report = measure(True)
    names = (*METHODS, *COMPOSED)
    assert [goal.name for goal in report.goals] == [f"{name}, ms" for name in names]
    assert all(goal.goal == 50 and goal.value > 0 for goal in report.goals)
    assert list(report.figures["columns_ms"]) == list(names)
    assert report.setting["trajectories"] == SMALL.trajectories
    assert main("attribution", lambda _: report, ("numpy",), ["--json"]) == 0
    assert json.loads(capsys.readouterr().out)["setting"]["turns"] == SMALL.turns
