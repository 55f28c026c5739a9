"""The sections of a report: headline, held-out bars, learning curves, outcomes, time, algorithm, the run itself.

Episodes turn by turn are in `transcripts`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentgym.evaluation.tables import UNKNOWN
from agentgym.outcome import KINDS
from agentgym.view.charts import Curve, bar, legend, line_chart, percent, stacked_chart
from agentgym.view.curves import Metric, folded, group
from agentgym.view.markup import Html, join, named, tag
from agentgym.view.moving import WINDOW, moving_mean
from agentgym.view.run_data import RunData

_WIDE = (880, 300)
_LONG_NAME = 24
"""Characters up to which a name fits on one line beside its bar."""
_STAGE_NAMES = {
    "untrained": "Untrained",
    "cloned": "Cloned",
    "filtered_cloned": "Cloned, successes only",
    "trained": "Trained",
}
_LOSSES = (
    Metric("loss/loss", "Loss"),
    Metric("loss/entropy", "Entropy of sampled tokens (nats)"),
    Metric("loss/reference_kl", "KL to the reference (nats)"),
    Metric("actor/kl", "KL to the policy before (nats)"),
    Metric("loss/cloning", "Cloning loss"),
    Metric("value/loss", "Value loss"),
    Metric("critic/loss", "Loss of the critic"),
    Metric("grad_norm/mean", "Gradient norm"),
)
_LENGTHS = (
    Metric("episode/turns", "Turns an episode"),
    Metric("episode/tokens", "Sampled tokens an episode"),
    Metric("policy/invalid_share", "Invalid turns", percent),
    Metric("policy/cut_share", "Messages cut by the token limit", percent),
    Metric("groups/zero_variance_share", "Groups without variance", percent),
)
_SECONDS = (
    Metric("time/iteration_s", "Seconds an iteration"),
    Metric("time/collect_s", "Seconds of its episodes"),
)
_UPDATES = (
    Metric("loss/clip_high", "Clipped from above", percent),
    Metric("loss/clip_low", "Clipped from below", percent),
    Metric("loss/ratio_std", "Spread of the policy ratio"),
    Metric("mismatch/k3", "Sampled against recomputed (nats)"),
    Metric("staleness/mean", "Staleness (versions)"),
)
_TIMES = (("queue", "waiting for the policy"), ("model", "model"), ("env", "environment"), ("verify", "grading"))


def section(title: str, *contents: object, note: str = "") -> Html:
    """A titled section; nothing if it has no contents."""
    if not any(contents):
        return join()
    return tag("section", tag("h2", title), tag("p", note, class_="note") if note else None, *contents)


def headline(run: RunData) -> Html:
    """What the run is, and its result in one sentence."""
    config = run.meta.get("config") or run.facts.get("config") or {}
    suite = str(run.meta.get("suite") or _first(run.held_out, "suite") or "")
    facts = [suite, str(run.meta.get("created_at", "")).replace("T", " ").removesuffix("+00:00")]
    if run.summary.get("seconds"):
        facts.append(_duration(float(run.summary["seconds"])))
    episodes = run.counts.get("episodes", 0)
    facts.append(f"{episodes:,} episodes" if episodes != 1 else "1 episode")
    preset = config.get("preset") or (config.get("algorithm") or {}).get("preset") if isinstance(config, dict) else None
    facts.append(str(preset or ""))
    return tag(
        "header",
        tag("p", " · ".join(fact for fact in facts if fact), class_="facts"),
        tag("h1", run.name),
        _verdict(run),
    )


def _verdict(run: RunData) -> Html:
    found = run.held_out
    if not found:
        return _sentence("Not evaluated on held-out tasks yet.")
    if "trained" not in found and len(found) > 1:
        return _several(run)
    last = "trained" if "trained" in found else next(iter(found))
    success = found[last]["success"]
    names = [name for name in found if name != last]
    before = next((name for name in ("untrained", *names) if name in names), None)
    is_known = found[last].get("trained_on") != "unknown"
    of_what = "tasks that it never trained on" if is_known else f"{_tasks(run)} (trained on: {UNKNOWN})"
    sentence: list[object] = [f"success on {of_what}", _of_stratum(found[last])]
    if before is not None:
        sentence += [
            ", from ",
            tag("b", percent(float(found[before]["success"]["mean"]))),
            f" {stage(run, before).lower()}",
        ]
        if "cloned" in found and before != "cloned":
            sentence += [" and ", tag("b", percent(float(found["cloned"]["success"]["mean"]))), " after cloning"]
    return tag(
        "div",
        tag("div", percent(float(success["mean"])), class_="big"),
        tag("p", *sentence, ". ", tag("span", f"95 % interval {_interval(success)}", class_="quiet")),
        class_="verdict",
    )


def _of_stratum(result: Mapping[str, Any]) -> str:
    """The stratum of a result's rate: the headline for a training run, all strata for an evaluation."""
    if result.get("headline") and result.get("all_strata"):
        return f" (the headline stratum, {str(result['headline']).replace('_', ' ')})"
    return " (all strata together)" if len(result.get("strata") or {}) > 1 else ""


def _several(run: RunData) -> Html:
    """The success rates of several policies that this run did not train, the best first."""
    rates = {name: float(result["success"]["mean"]) for name, result in run.held_out.items()}
    ordered = sorted(rates, key=lambda name: -rates[name])
    parts = [part for name in ordered for part in (", ", tag("b", percent(rates[name])), f" {stage(run, name)}")]
    which = _of_stratum(run.held_out[ordered[0]])
    return _sentence(f"Success on {_tasks(run)}{which}: ", *parts[1:], ".")


def _tasks(run: RunData) -> str:
    return "held-out tasks" if run.is_held_out else "tasks"


def _sentence(*words: object) -> Html:
    """A verdict without a large figure; its words are one child of the row, which would set each of them apart."""
    return tag("div", tag("p", *words), class_="verdict")


def held_out(run: RunData) -> Html:
    """Success on held-out tasks before and after, with intervals, and by stratum."""
    rows = []
    is_long = any(len(stage(run, name)) > _LONG_NAME for name in run.held_out)
    for place, (name, result) in enumerate(run.held_out.items(), start=1):
        mean, low, high = (_float(result["success"].get(key)) for key in ("mean", "low", "high"))
        label = f"{stage(run, name)}: {percent(mean)}, 95 % interval {percent(low)} to {percent(high)}"
        colour = 1 if name == "trained" or len(run.held_out) == 1 else 6
        figures = (tag("b", percent(mean)), " ", tag("span", _interval(result["success"]), class_="quiet"))
        cells = (tag("div", named(stage(run, name)), class_="name"), bar(mean, low, high, colour, label))
        look = "barrow long" if is_long else "barrow"
        rows.append(tag("div", *cells, tag("div", *figures, class_="figure"), class_=look, data_row=place))
    note = f"The success rate on {_tasks(run)}. Whiskers are 95 % intervals, clustered by task."
    stratum = _first(run.held_out, "headline")
    if stratum and _first(run.held_out, "all_strata"):
        in_words = str(stratum).replace("_", " ")
        note += f" The bars show the suite's headline stratum, {in_words}. The table shows all strata."
    unknown = [stage(run, name) for name, result in run.held_out.items() if result.get("trained_on") == "unknown"]
    if unknown:
        note += f" Trained on ({', '.join(unknown)}): {UNKNOWN}."
    return section("Held out" if run.is_held_out else "Success", *rows, _strata(run), note=note)


def _strata(run: RunData) -> Html | None:
    results = run.held_out
    names = list(dict.fromkeys(name for result in results.values() for name in result.get("strata") or {}))
    if not names:
        return None
    head = tag(
        "tr", tag("th", "Stratum"), tag("th", "Tasks"), *(tag("th", named(stage(run, name))) for name in results)
    )
    body = []
    for stratum in names:
        parts = [(result.get("strata") or {}).get(stratum) for result in results.values()]
        tasks = next((part["num_tasks"] for part in parts if part and "num_tasks" in part), "")
        cells = [
            tag(
                "td",
                percent(_float(part["success"]["mean"])),
                " ",
                tag("span", _interval(part["success"]), class_="quiet"),
            )
            if part
            else tag("td", "–")
            for part in parts
        ]
        body.append(tag("tr", tag("td", stratum.replace("_", " ")), tag("td", tasks), *cells))
    return tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="scroll")


def learning(run: RunData) -> Html:
    """Success over iterations, and small charts of the other metrics."""
    validation = run.curve("success/mean", "validation", label="validation tasks", colour=2, is_dotted=True)
    training, note = _training(run, has_validation=validation is not None)
    drawn = [*training, *([] if validation is None else [validation])]
    chart = None
    if drawn:
        chart = join(
            legend(drawn),
            _scrolled(line_chart(drawn, size=_WIDE, y_range=(0, 1), show=percent, label="Success over iterations")),
        )
    return section("Learning", chart, *_groups(run), note=f"{note} Move the pointer over a chart to read its values.")


def _training(run: RunData, has_validation: bool) -> tuple[list[Curve], str]:
    """Success in training as curves, and the meaning of the chart's intervals.

    If few tasks were failed, the stored intervals of single iterations jump between equal rates (docs/evaluation.md).
    Therefore a long run is drawn with the interval of a moving mean.
    """
    found = run.curve("success/mean", label="training tasks", colour=1)
    if found is None or len(found.y) < 2 * WINDOW:
        return [found] if found else [], "Success by iteration. Bands are 95 % intervals, clustered by task."
    single = replace(found, label="training tasks, single iterations", low=None, high=None, colour=6)
    mean = moving_mean(found, f"training tasks, mean of {WINDOW} iterations", colour=1)
    note = (
        f"Success by iteration. For training, single iterations are grey, and the line is the mean of {WINDOW} "
        f"neighbouring iterations; its band is the 95 % interval of that mean, from how far the {WINDOW} lie apart."
    )
    of_validation = " For validation, bands are 95 % intervals, clustered by task."
    return [single, mean], note + of_validation if has_validation else note


def _scrolled(chart: Html) -> Html:
    return tag("div", chart, class_="scroll wide")


def _groups(run: RunData) -> list[Html | None]:
    """The other metrics of training: first what a reader looks for, and folded what few updates need."""
    rewards = [Metric("return/mean", "Return")]
    rewards += [
        Metric(name, f"Reward: {name.removeprefix('reward/')}")
        for name in sorted(run.metrics.get("train", {}))
        if name.startswith("reward/")
    ]
    return [
        group(run, "Reward", rewards),
        group(run, "Loss", _LOSSES),
        group(run, "Episodes", _LENGTHS),
        group(run, "Time", _SECONDS),
        folded(run, "Updates in detail", _UPDATES),
    ]


def outcomes(run: RunData) -> Html:
    """The outcomes of episodes, by iteration."""
    curves = _shares(run, [(f"outcome/{kind}", kind) for kind in KINDS])
    if not curves:
        return join()
    note = "How training episodes ended, as shares. Faults (infrastructure, partner, cancelled) carry no reward."
    return section("How episodes ended", legend(curves), _scrolled(stacked_chart(curves, size=(880, 170))), note=note)


def times(run: RunData) -> Html:
    """How episodes spent their time, by iteration."""
    curves = _shares(run, [(f"time/{name}_share", label) for name, label in _TIMES])
    if not curves:
        return join()
    note = "The share of the episodes' own time. Episodes wait for a batch together, so their waiting times overlap."
    return section("Where the time went", legend(curves), _scrolled(stacked_chart(curves, size=(880, 170))), note=note)


def _shares(run: RunData, names: Sequence[tuple[str, str]]) -> list[Curve]:
    found = [run.curve(name, label=label, colour=colour) for colour, (name, label) in enumerate(names, start=1)]
    return [curve for curve in found if curve is not None and curve.y.any()]


def stalled(run: RunData) -> Html:
    """Why the run did not learn, if the trainer says so."""
    reasons = run.meta.get("why_not_learning") or run.summary.get("notes") or []
    reasons = reasons.splitlines() if isinstance(reasons, str) else reasons
    if not reasons:
        return join()
    return section("Why it is not learning", tag("ul", *(tag("li", reason) for reason in reasons), class_="warning"))


def algorithm(run: RunData) -> Html:
    """The algorithm as equations, and the whole configuration."""
    equations = run.meta.get("equations") or run.summary.get("equations")
    text = "\n".join(map(str, equations)) if isinstance(equations, list) else equations
    config = run.meta.get("config") or run.facts.get("config")
    parts = [
        tag("pre", text, class_="equations") if text else None,
        _folded("Configuration", config) if config else None,
        _folded("Versions", run.facts["versions"]) if run.facts.get("versions") else None,
    ]
    return section("Algorithm", *parts)


def _folded(title: str, value: Any) -> Html:
    shown = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return tag("details", tag("summary", title), tag("pre", shown))


def stage(run: RunData, name: str) -> str:
    """The page's name for a policy or a stage of training."""
    return run.names[name].capitalize() if name in run.names else _STAGE_NAMES.get(name, name)


def _interval(estimate: Mapping[str, Any]) -> str:
    low, high = _float(estimate.get("low")), _float(estimate.get("high"))
    unit = percent(0.0)[1:]
    return "" if math.isnan(low) else f"{percent(low).removesuffix(unit)} – {percent(high)}"


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)


def _first(results: Mapping[str, Mapping[str, Any]], key: str) -> Any:
    return next((result[key] for result in results.values() if key in result), None)


def _duration(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 100
        else f"{seconds / 60:.1f} min"
        if seconds < 6000
        else f"{seconds / 3600:.1f} h"
    )
