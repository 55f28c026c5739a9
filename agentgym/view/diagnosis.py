"""Diagnosis of an algorithm's parts: calibration of values, replay, state groups, curriculum.

A figure is drawn only if the run logged what it needs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym.view.charts import Curve, legend, percent, scatter_chart
from agentgym.view.curves import Metric, figure, folded
from agentgym.view.heat import heat_table
from agentgym.view.markup import Html, tag
from agentgym.view.run_data import RunData
from agentgym.view.sections import section

_BESIDE = (420, 140)
_HISTOGRAM = re.compile(r"(?P<of>.+)/histogram/(?P<place>\d+)_(?P<band>.+)")
_POINT = re.compile(r"calibration/(?P<side>predicted|realised)/(?P<place>\d+)")
_TITLES = {
    "replay/age": "Age of replayed turns (iterations)",
    "replay/weight": "Importance weights of replayed tokens",
    "replay/importance": "Importance weights of replayed tokens in the loss",
    "loss/importance": "Importance weights of tokens",
    "actor/ratio": "Importance weights of stored messages",
}
_CURVES = (
    Metric("states/singleton_share", "Turns alone in their state", percent),
    Metric("states/mean_size", "Rollouts compared in a state"),
    Metric("proxy/correlation", "Shaped reward with score (correlation)"),
    Metric("curriculum/stage", "Stage of the curriculum"),
)
_FAMILIES = {"replay": "Replay", "curriculum": "Curriculum"}
"""Families of metrics that are drawn in full, but folded."""
_FIRST = ("return", "loss", "entropy", "effective_share", "age_mean", "drawn", "distinct_share")
"""What is read first of a family."""
_MAX_COLUMNS = 120
_HALF = 0.5
"""The standard deviation of a pair that is right by chance: at most that of any pair."""


def diagnosis(run: RunData) -> Html:
    """The section; nothing if the run logged none of it."""
    note = "How far the estimates and samplers that the algorithm leans on can be trusted."
    return section("Under the hood", _calibration(run), _ranking(run), _histograms(run), *_curves(run), note=note)


# Calibration


class _Calibration(NamedTuple):
    iteration: int
    predicted: NDArray[np.float64]
    realised: NDArray[np.float64]


def _calibration(run: RunData) -> Html | None:
    found = _calibrations(run)
    if not found:
        return None
    chosen = [found[at] for at in sorted({0, len(found) // 2, len(found) - 1})]
    colours = {1: (1,), 2: (6, 1), 3: (6, 2, 1)}[len(chosen)]
    curves = [
        Curve(f"iteration {each.iteration}", each.predicted, each.realised, colour=colour, is_dotted=True)
        for each, colour in zip(chosen, colours, strict=True)
    ]
    chart = scatter_chart(curves, size=(420, 300), x_name="predicted", y_name="realised")
    text = (
        "Values of turns against the returns that followed, in bands of equal size by the value. On the dashed line a "
        "value is what came; below it the critic hopes for too much."
    )
    words = tag("div", tag("h3", "Are the values right?"), tag("p", text, class_="note"), legend(curves))
    side = [
        figure(run, Metric("calibration/error", "Mean distance of value and return in a band"), _BESIDE),
        figure(run, Metric("calibration/explained_variance", "Variance of returns that values explain"), _BESIDE),
    ]
    return tag("div", tag("div", words, *side, class_="beside"), tag("figure", chart), class_="calibration")


def _calibrations(run: RunData) -> list[_Calibration]:
    """The calibration bands by iteration, for iterations that have them."""
    points: dict[int, dict[str, dict[int, float]]] = {}
    for name, curve in run.metrics.get("train", {}).items():
        if matched := _POINT.fullmatch(name):
            for iteration, value in zip(curve.x.tolist(), curve.y.tolist(), strict=True):
                sides = points.setdefault(iteration, {"predicted": {}, "realised": {}})
                sides[matched["side"]][int(matched["place"])] = value
    found = []
    for iteration, sides in sorted(points.items()):
        places = sorted(sides["predicted"].keys() & sides["realised"].keys())
        predicted, realised = (np.array([sides[side][at] for at in places]) for side in ("predicted", "realised"))
        is_finite = np.isfinite(predicted) & np.isfinite(realised)
        if is_finite.any():
            found.append(_Calibration(iteration, predicted[is_finite], realised[is_finite]))
    return found


# Ranking


def _ranking(run: RunData) -> Html | None:
    """Pairs of messages that a critic ranked right, and how many there were: few pairs say little."""
    rows = run.metrics.get("train", {})
    if "critic/ranking" not in rows or "critic/ranking_pairs" not in rows:
        return None
    _, here, there = np.intersect1d(rows["critic/ranking"].x, rows["critic/ranking_pairs"].x, return_indices=True)
    share, pairs = rows["critic/ranking"].y[here], rows["critic/ranking_pairs"].y[there]
    if not pairs.sum():
        return None
    latest, error = share[-1], _HALF / np.sqrt(pairs[-1])
    text = (
        "In how many pairs the critic has the better of two messages right, where both were played in a copy of the "
        f"environment. Chance has half of them right. At last these are {latest:.2f} of {pairs[-1]:.0f} pairs, with a "
        f"standard error of up to {error:.2f}. All {len(share)} measures together have "
        f"{(share * pairs).sum() / pairs.sum():.2f} of {pairs.sum():.0f} pairs right; the first one is of a critic "
        "that has learnt nothing."
    )
    figures = [
        figure(run, Metric("critic/ranking", "Pairs ranked right")),
        figure(run, Metric("critic/ranking_pairs", "Pairs with different returns")),
    ]
    words = tag("div", tag("h3", "Does the critic know the better message?"), tag("p", text, class_="note"))
    return tag("div", words, tag("div", *figures, class_="small"))


# Histograms


def _histograms(run: RunData) -> Html | None:
    families: dict[str, dict[int, tuple[str, Curve]]] = {}
    for name, curve in run.metrics.get("train", {}).items():
        if matched := _HISTOGRAM.fullmatch(name):
            families.setdefault(matched["of"], {})[int(matched["place"])] = (matched["band"], curve)
    figures = [_histogram(of, [bands[place] for place in sorted(bands)]) for of, bands in sorted(families.items())]
    return tag("div", *figures, class_="histograms") if any(figures) else None


def _histogram(of: str, bands: Sequence[tuple[str, Curve]]) -> Html | None:
    """Shares of the bands over iterations; many iterations are thinned out evenly."""
    columns = np.unique(np.concatenate([curve.x for _, curve in bands]))
    columns = columns[np.linspace(0, len(columns) - 1, min(len(columns), _MAX_COLUMNS)).round().astype(int)]
    shares = np.full((len(bands), len(columns)), np.nan)
    for row, (_, curve) in enumerate(bands):
        _, at, here = np.intersect1d(columns, curve.x, return_indices=True)
        shares[row, at] = curve.y[here]
    if not np.nan_to_num(shares).any():
        return None
    title = _TITLES.get(of) or _in_words(of)
    caption = tag("figcaption", tag("span", title), tag("span", "share by iteration", class_="quiet"))
    return tag(
        "figure", caption, heat_table(columns.tolist(), [name for name, _ in bands], shares, (420, 190), percent, title)
    )


# Curves


def _curves(run: RunData) -> list[Html | None]:
    figures = [drawn for metric in _CURVES if (drawn := figure(run, metric)) is not None]
    known = {metric.name for metric in _CURVES}
    names = [name for name in run.metrics.get("train", {}) if name not in known and "/histogram/" not in name]
    families = [_family(run, family, heading, names) for family, heading in _FAMILIES.items()]
    return [tag("div", *figures, class_="small") if figures else None, *families]


def _family(run: RunData, family: str, heading: str, names: Sequence[str]) -> Html | None:
    own = [name.removeprefix(f"{family}/") for name in names if name.startswith(f"{family}/")]
    own.sort(key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    return folded(run, heading, [Metric(f"{family}/{name}", name.replace("_", " ").capitalize()) for name in own])


def _in_words(name: str) -> str:
    """A metric's name as a title: "Replay: effective share"."""
    family, _, rest = name.partition("/")
    return f"{family.capitalize()}: {rest.replace('_', ' ')}"
