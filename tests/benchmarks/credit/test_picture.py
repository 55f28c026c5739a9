"""The picture of learning curves: who is drawn where, and whether it can be told apart."""

import re
from itertools import pairwise

import pytest

from benchmarks.credit.picture import draw, spread

TURNS = [0, 5_000, 10_000]


def method(title, kind, last, seeds=3, curve=None):
    mean = curve or [0.1, (0.1 + last) / 2, last]
    ends = {"low": [value - 0.05 for value in mean], "high": [value + 0.05 for value in mean]}
    return {
        "title": title,
        "kind": kind,
        "seeds": list(range(seeds)),
        "curve": {"turns": TURNS, "mean": mean, **ends},
        "last": {"mean": last, "low": last - 0.05, "high": last + 0.05},
    }


def task(**methods):
    return {"title": "A task", "oracle": 1.0, "turns": 10_000, "start": {"score": 0.1}, "methods": methods}


LOOP = method("Terminal credit (LOOP)", "terminal", 0.5)
STEPS = {f"s{number}": method(f"Step {number}", "step", 0.5 + number / 1000) for number in range(6)}


def panels_of(drawn):
    """The inside of each panel, by row and then by column."""
    return re.findall(r'<g transform="translate\([\d.]+ 0\)">(.*?)(?=<g transform|</svg>)', drawn, re.DOTALL)


def labels_of(panel):
    """What a panel's labels say and their heights, from the top."""
    return [(text, float(y)) for y, text in re.findall(r'y="([\d.]+)" dy="0.32em">([^<]+)</text></g>', panel)]


def lines_of(panel):
    return re.findall(r'stroke="(#\w+)" stroke-width="(?:1.8|2.2)"( stroke-dasharray="5 3")?', panel)


def test_each_family_is_drawn_beside_the_reference_alone():
    drawn = draw({"a": task(loop=LOOP, ppo=method("Turn PPO", "actor_critic", 0.3), **STEPS)})
    baselines, steps = panels_of(drawn)
    assert [text for text, _ in labels_of(baselines)] == ["Terminal credit", "Turn PPO"]
    names = [f"Step {number}" for number in range(6)]
    assert sorted(text for text, _ in labels_of(steps)) == [*names, "Terminal credit"]
    assert [panel.count("opacity:0.15") for panel in (baselines, steps)] == [1, 1]


def test_a_family_that_was_not_run_on_a_task_leaves_its_place_empty():
    both = task(loop=LOOP, ppo=method("Turn PPO", "actor_critic", 0.3), **STEPS)
    panels = panels_of(draw({"a": both, "b": task(loop=LOOP, **STEPS)}))
    assert [bool(labels_of(panel)) for panel in panels] == [True, True, False, True]


def test_no_two_lines_of_a_panel_look_alike():
    [panel] = panels_of(draw({"a": task(loop=LOOP, **STEPS)}))
    lines = lines_of(panel)
    assert len(lines) == len(set(lines)) == 7


def test_a_method_looks_the_same_on_all_tasks():
    few = {"s5": STEPS["s5"]}
    first, second = panels_of(draw({"a": task(loop=LOOP, **STEPS), "b": task(loop=LOOP, **few)}))
    assert set(lines_of(second)) < set(lines_of(first))


def test_labels_of_equal_ends_do_not_lie_on_one_another():
    [panel] = panels_of(draw({"a": task(loop=LOOP, **STEPS)}))
    heights = [height for _, height in labels_of(panel)]
    assert len(heights) == 7
    assert min(below - above for above, below in pairwise(heights)) >= 12


def test_what_learns_offline_has_a_mark_and_no_line():
    offline = method("Filtered cloning", "offline", 0.6, curve=[0.1, 0.1, 0.1])
    [panel] = panels_of(draw({"a": task(loop=LOOP, filtered_bc=offline)}))
    assert [text for text, _ in labels_of(panel)] == ["Filtered cloning", "Terminal credit"]
    assert len(lines_of(panel)) == 1
    assert panel.count("<circle") == 2


def test_the_picture_says_what_is_drawn_and_who_has_fewer_seeds():
    drawn = draw({"a": task(loop=LOOP, gigpo=method("GiGPO", "step", 0.7, seeds=2))})
    assert "Held-out score over environment turns, 3 seeds" in drawn
    assert "Line: mean over seeds" in drawn
    assert "95 % interval as band" in drawn
    assert ">GiGPO (2)<" in drawn
    assert ">Terminal credit<" in drawn


def test_a_single_seed_has_neither_band_nor_interval():
    alone = method("Terminal credit (LOOP)", "terminal", 0.5, seeds=1)
    alone["curve"] |= {"low": [None] * 3, "high": [None] * 3}
    alone["last"] |= {"low": None, "high": None}
    drawn = draw({"a": task(loop=alone)})
    assert "opacity" not in drawn
    assert "Terminal credit (LOOP): 0.5 at the end, 1 seeds" in drawn


def test_the_scale_of_a_row_holds_its_intervals():
    [panel] = panels_of(draw({"a": task(loop=LOOP, gigpo=method("GiGPO", "step", 0.88))}))
    assert re.findall(r'text-anchor="end" class="quiet">([\d.]+)<', panel) == ["0", "0.5", "1"]


def test_without_runs_the_picture_is_empty():
    assert draw({}).startswith("<svg")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([10, 50], [10, 50]),
        ([10, 12, 40], [10, 20, 40]),
        ([90, 95, 99], [80, 90, 100]),
        ([0, 97, 98], [0, 90, 100]),
        ([], []),
    ],
)
def test_heights_are_spread_no_further_than_needed(wanted, expected):
    assert spread(wanted, 10, 100) == expected
