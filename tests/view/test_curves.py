import re

import pytest

from agentgym.store import RunStore
from agentgym.view import write_report
from agentgym.view.curves import Metric, figure, folded, group
from agentgym.view.run_data import read_run

NAN = float("nan")


@pytest.fixture
def run(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        for at in range(3):
            values = {"a": 1.0 + at, "b": 2.0, "zero": 0.0, "gaps": 0.5 if at else NAN, "alone": NAN if at else 4.0}
            store.log_metrics(at, values)
    return read_run(tmp_path)


def titles_of(drawn):
    return re.findall("<figcaption>([^<]+)<b>([^<]+)</b>", drawn)


def test_a_chart_needs_two_values_that_are_not_all_zero(run):
    assert titles_of(figure(run, Metric("a", "A one"))) == [("A one", "3")]
    assert titles_of(figure(run, Metric("gaps", "Gaps"))) == [("Gaps", "0.5")]
    assert [figure(run, Metric(name, name)) for name in ("zero", "alone", "unknown")] == [None] * 3


def test_a_group_has_a_heading_and_is_left_out_without_charts(run):
    drawn = group(run, "Loss", [Metric("b", "B"), Metric("zero", "Zero"), Metric("a", "A")])
    assert drawn.startswith('<div class="group"><h3>Loss</h3><div class="small"><figure>')
    assert titles_of(drawn) == [("B", "2"), ("A", "3")]
    assert group(run, "Loss", [Metric("zero", "Zero")]) is None


def test_folded_charts_say_what_never_changes_in_a_line(run):
    drawn = folded(run, "Detail", [Metric("a", "A"), Metric("b", "B"), Metric("zero", "Zero")])
    assert '<details class="more"><summary><span>Detail</span><span class="quiet">1 chart</span></summary>' in drawn
    assert titles_of(drawn) == [("A", "3")]
    assert "The same in all iterations: B 2." in drawn
    assert folded(run, "Detail", [Metric("zero", "Zero")]) is None
    assert "nothing that changes" in folded(run, "Detail", [Metric("b", "B")])


def test_learning_is_grouped_with_what_matters_first(run_folder, tmp_path):
    page = write_report(run_folder, tmp_path / "page.html").read_text(encoding="utf-8")
    learning = page.partition("<h2>Learning</h2>")[2].partition("<h2>")[0]
    assert re.findall("<h3>([^<]+)</h3>", learning) == ["Reward", "Loss", "Episodes"]
    shown, _, detail = learning.partition('<details class="more">')
    assert [title for title, _ in titles_of(shown)][:4] == [
        "Return",
        "Reward: success",
        "Loss",
        "Entropy of sampled tokens (nats)",
    ]
    assert "Clipped from above" in dict(titles_of(detail))
