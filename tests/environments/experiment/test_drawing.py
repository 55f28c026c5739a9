from __future__ import annotations

import csv
import io
from collections import Counter

import numpy as np
import pytest

from agentgym.suite import load_suite
from agentgym_swe.experiment.drawing import Data, draw_data
from agentgym_swe.experiment.generate import SIZES
from agentgym_swe.experiment.grading import dummy_metric, metric, read_predictions, score
from agentgym_swe.experiment.hardships import HARDSHIPS
from agentgym_swe.experiment.inside.reference import fit_predict
from agentgym_swe.experiment.problem import read_task
from agentgym_swe.experiment.themes import THEMES, TRAINED, UNSEEN


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def reached(theme: str, data: Data, **about: object) -> float:
    """The metric of the reference, with changes to what it is told."""
    values = fit_predict(rows(data.train), rows(data.test), {**data.about, **about})
    return metric(THEMES[theme].kind, values, data.labels)


def test_the_same_seed_gives_the_same_tables_and_themes_give_others() -> None:
    first, again = (draw_data("loans", ["shift"], 4) for _ in range(2))
    assert (first.train, first.test, first.ids) == (again.train, again.test, again.ids)
    assert draw_data("loans", ["shift"], 5).train != first.train
    assert not np.array_equal(draw_data("visits", ["shift"], 4).labels, first.labels)


@pytest.mark.parametrize("theme", ["machines", "houses", "wines", "sugar"])
def test_a_leaking_column_says_the_target_where_it_is_known_and_does_not_pay(theme: str) -> None:
    data = draw_data(theme, ["leak"], 1)
    leak, target = THEMES[theme].leak, THEMES[theme].target
    known = np.array([(float(row[leak]), float(row[target])) for row in rows(data.train)]).T
    assert abs(np.corrcoef(known)[0, 1]) > 0.99
    late = np.array([float(row[leak]) for row in rows(data.test)])
    assert abs(np.corrcoef(late, data.labels)[0, 1]) < 0.25
    trusting = {name: text.replace("Known later", "") for name, text in data.about["columns"].items()}
    assert reached(theme, data, columns=trusting) < reached(theme, data) - 0.1


def test_units_that_are_not_mended_cost_accuracy() -> None:
    data = draw_data("houses", ["units"], 2)
    assert {row["area_unit"] for row in rows(data.train)} == {"m2", "ft2"}
    assert reached("houses", data, units={}) < reached("houses", data) - 0.02


def test_hardships_are_in_the_tables() -> None:
    data = draw_data("loans", ["missing", "imbalance"], 1)
    gaps = [value == "" for row in rows(data.train) for name, value in row.items() if name in ("age", "income")]
    assert 0.05 < np.mean(gaps) < 0.2
    assert data.labels.mean() < 0.35
    shifted = draw_data("loans", ["shift"], 1)
    income = [np.mean([float(row["income"]) for row in rows(text)]) for text in (shifted.train, shifted.test)]
    assert income[1] > income[0] + 500


def test_no_row_of_bundled_data_is_as_it_was() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    known = {f"{value:.6g}" for value in datasets.load_breast_cancer().data[:, 0]}
    drawn = [row["m1"] for row in rows(draw_data("cells", [], 1).train)]
    assert np.mean([value in known for value in drawn]) < 0.05


def test_metrics_agree_with_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    labels, values = rng.integers(0, 2, 200).astype(float), rng.integers(0, 9, 200).astype(float)
    assert metric("binary", values, labels) == pytest.approx(metrics.roc_auc_score(labels, values))
    assert metric("regression", values, labels) == pytest.approx(metrics.r2_score(labels, values))
    assert metric("classes", values, labels) == pytest.approx(metrics.accuracy_score(labels, values))


def test_scores_run_from_a_floor_above_the_dummy_to_the_reference() -> None:
    assert [score(value, 0.5, 0.9) for value in (0.4, 0.5, 0.6, 0.75, 0.9, 1.0)] == pytest.approx([0, 0, 0, 0.5, 1, 1])
    assert dummy_metric("classes", np.array([1.0, 2.0, 2.0, 2.0])) == 0.75


def test_predictions_are_read_in_any_order_and_line_end() -> None:
    reading = read_predictions(b"id,prediction\r\nr2,2.5\r\nr1,-1e-3\r\n\r\n", ["r1", "r2"])
    assert reading.values is not None
    assert reading.values.tolist() == [-0.001, 2.5]
    assert read_predictions(b"\xff\xfe", ["r1"]).values is None


def test_suite_has_sixty_tasks_with_themes_held_out_and_every_hardship() -> None:
    suite = load_suite("swe/experiment")
    assert sum(sum(strata.values()) for strata in SIZES.values()) == 60
    hardships: Counter[str] = Counter()
    for split, strata in SIZES.items():
        tasks = suite.tasks(split)
        assert Counter(task.stratum for task in tasks) == Counter(strata)
        for task in tasks:
            assert task.config["theme"] in (UNSEEN if task.stratum == "unseen_themes" else TRAINED)
            hardships.update(task.config["hardships"])
    assert set(hardships) == set(HARDSHIPS)
    for task in suite.tasks("test")[::6]:
        problem = read_task(task)
        assert problem.reference > problem.dummy
