import re

import numpy as np
import pytest

from agentgym.view.charts import Curve, Frame, bar, line_chart, number, percent, stacked_chart, ticks


def curve(values, **fields):
    return Curve("a", np.arange(len(values)), np.array(values, float), **fields)


def test_frame_places_values():
    frame = Frame(100, 50, (0, 10), (0, 1), left=0, right=0, top=0, bottom=0)
    assert (frame.x(5), frame.y(0), frame.y(1), frame.y(0.25)) == (50, 50, 0, 37.5)
    assert frame.y(7) == 0


@pytest.mark.parametrize(
    ("span", "count", "expected"),
    [
        ((0, 1), 4, [0, 0.25, 0.5, 0.75, 1]),
        ((0, 37), 4, [0, 10, 20, 30]),
        ((-0.3, 0.3), 3, [-0.2, 0, 0.2]),
        ((1e-14, 4e-14), 3, [1e-14, 2e-14, 3e-14, 4e-14]),
    ],
)
def test_ticks_are_round_numbers_inside_the_span(span, count, expected):
    assert ticks(*span, count) == pytest.approx(expected, abs=1e-20)


def test_gaps_split_a_line_and_lone_points_are_marked():
    drawn = line_chart([curve([0.1, 0.2, np.nan, 0.4, np.nan, 0.6, 0.7])], size=(300, 100))
    assert drawn.count('class="line') == 2
    assert drawn.count("<circle") == 1


def test_hover_names_values_and_intervals():
    found = line_chart([curve([0.5], low=np.array([0.4]), high=np.array([0.6]))], size=(300, 100), show=percent)
    assert "iteration 0\na 50\xa0% [40\xa0%, 60\xa0%]" in found


def test_long_curves_keep_the_page_small():
    assert line_chart([curve(np.random.default_rng(0).random(20_000))], size=(300, 100)).count("<title") <= 400


def test_a_share_is_drawn_between_none_and_all():
    drawn = line_chart([curve([1.0, 1.0])], size=(300, 130), show=percent)
    assert "100\xa0%</text>" in drawn
    assert "110\xa0%" not in drawn
    assert "105\xa0%" not in drawn
    assert ">-" not in line_chart([curve([0.0, 0.001])], size=(300, 130), show=percent)


def test_charts_without_values_say_so():
    assert "No values" in line_chart([curve([np.nan])], size=(300, 100))
    assert "No values" in stacked_chart([curve([0.0, 0.0])], size=(300, 100))


def test_stacked_areas_lie_on_one_another():
    drawn = stacked_chart([curve([0.25, 0.25]), curve([0.75, 0.75])], size=(154, 134))
    tops = [float(re.search(r"M[\d.]+ ([\d.]+)", path).group(1)) for path in re.findall(r'd="(M[^"]+Z)"', drawn)]
    assert tops == [85.0, 10.0]


def test_bar_is_as_long_as_its_rate_and_stays_inside():
    assert 'width="300" height="20" rx="3" class="bar' in bar(0.5, 0.4, 0.6, 1, "x")
    assert "M240 13H360" in bar(0.5, 0.4, 0.6, 1, "x")
    assert "nan" not in bar(0.5, float("nan"), float("nan"), 1, "x")


def test_numbers_are_short():
    assert [percent(value) for value in (0.0, 1.0, 0.5, 0.991, 0.004)] == [
        "0\xa0%",
        "100\xa0%",
        "50\xa0%",
        "99.1\xa0%",
        "0.4\xa0%",
    ]
    assert [number(value) for value in (0, 0.123456, 1234.5, 1e-8)] == ["0", "0.123", "1,234", "1.0e-08"]
    assert percent(float("nan")) == number(float("nan")) == "–"
