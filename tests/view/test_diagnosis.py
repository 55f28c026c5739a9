import re

import numpy as np

from agentgym.store import RunStore
from agentgym.view import write_report
from agentgym_rl.maths.calibration import calibration_metrics
from agentgym_rl.maths.histograms import AGES, WEIGHTS, histogram_metrics, named_shares


def page_of(folder, *rows):
    with RunStore.create(folder, {}) as store:
        for iteration, values in enumerate(rows):
            store.log_metrics(iteration, values)
    return write_report(folder).read_text(encoding="utf-8")


def test_calibration_is_drawn_for_the_first_middle_and_last_iteration(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(5):
        values = rng.random(40)
        rows.append(calibration_metrics([values], [values + rng.normal(0, 0.1, 40)]))
    page = page_of(tmp_path, *rows)
    assert "Are the values right?" in page
    assert [f"iteration {at}</span>" in page for at in range(5)] == [True, False, True, False, True]
    assert page.count("\npredicted ") == 30
    assert "Variance of returns that values explain" in page


def test_histograms_of_replay_are_drawn_from_its_bands(tmp_path):
    rows = [histogram_metrics("replay/age", np.arange(3 * at + 1), AGES) for at in range(4)]
    page = page_of(tmp_path, *rows)
    assert "Age of replayed turns" in page
    assert "iteration 3\n8-15: 20\xa0%" in page
    assert "replay/age/histogram" not in page


def test_histograms_have_titles_in_words(tmp_path):
    shares = [0.5 if place == 3 else 0.5 / 6 for place in range(7)]
    names = ("replay/weight", "replay/importance", "loss/importance", "later/some_thing")
    page = page_of(tmp_path, *[{k: v for name in names for k, v in named_shares(name, shares, WEIGHTS).items()}] * 2)
    titles = re.findall(r"<figcaption><span>([^<]+)</span><span class=\"quiet\">share by iteration", page)
    assert titles == [
        "Later: some thing",
        "Importance weights of tokens",
        "Importance weights of replayed tokens in the loss",
        "Importance weights of replayed tokens",
    ]


def test_states_and_stages_are_curves(tmp_path):
    rows = [{"states/singleton_share": 0.5, "curriculum/stage": at, "replay/size": 3.0} for at in range(3)]
    page = page_of(tmp_path, *rows)
    assert "<figcaption>Turns alone in their state<b>" in page
    assert "<figcaption>Stage of the curriculum<b>" in page


def test_metrics_of_replay_are_folded_with_the_important_ones_first(tmp_path):
    rows = [
        {"replay/added": at, "replay/return": at, "replay/size": 3.0, "replay/refused": 0.0, "curriculum/rung": at}
        for at in range(3)
    ]
    page = page_of(tmp_path, *rows, {"replay/late": 1.0})
    replay = page.partition('<details class="more"><summary><span>Replay</span>')[2].partition("</details>")[0]
    assert "2 charts" in replay
    assert re.findall("<figcaption>([^<]+)<b>", replay) == ["Return", "Added"]
    assert "The same in all iterations: Size 3." in replay
    assert "Refused" not in page, "0 throughout"
    assert "Late" not in page, "a single value"
    assert "<summary><span>Curriculum</span>" in page


def test_a_run_without_any_of_it_has_no_such_section(tmp_path):
    page = page_of(tmp_path, {"success/mean": 0.5}, {"success/mean": 0.6, "calibration/error": 0.1})
    assert "Under the hood" not in page


def test_the_ranking_of_a_critic_is_shown_with_its_pairs_and_their_error(tmp_path):
    rows = [
        {"critic/ranking": 0.5, "critic/ranking_pairs": 9.0},
        {},
        {"critic/ranking": 0.75, "critic/ranking_pairs": 16.0},
    ]
    page = page_of(tmp_path, *rows)
    assert "Does the critic know the better message?" in page
    assert "0.75 of 16 pairs, with a standard error of up to 0.12" in page
    assert "2 measures together have 0.66 of 25 pairs right" in page


def test_a_ranking_without_a_pair_is_not_shown(tmp_path):
    assert "better message" not in page_of(tmp_path, {"critic/ranking_pairs": 0.0}, {"critic/ranking_pairs": 0.0})
