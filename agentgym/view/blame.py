"""Who failed the held-out episodes that failed: counts by cause, and each episode.

What each verdict means is in `agentgym.evaluation.blame`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.view.markup import Html, join, named, tag
from agentgym.view.run_data import RunData
from agentgym.view.sections import section, stage

_MAX_LISTED = 500


def blame(run: RunData) -> Html:
    """Counts of failed held-out episodes by who failed them and why, and the episodes; nothing without verdicts."""
    results = {name: result for name, result in run.held_out.items() if result.get("blame")}
    if not results:
        return join()
    causes = list(dict.fromkeys(cause for result in results.values() for cause in result["blame"]))
    head = tag(
        "tr", tag("th", "Failed by"), tag("th", "Why"), *(tag("th", named(stage(run, name))) for name in results)
    )
    body = []
    for cause in causes:
        who, _, why = cause.partition(": ")
        counts = [tag("td", result["blame"].get(cause, 0)) for result in results.values()]
        body.append(tag("tr", tag("td", who), tag("td", why.replace("_", " ")), *counts))
    table = tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="scroll")
    note = "The first fault that can make an episode fail, found by rules. Faults of users and tools enter no rate."
    return section("Who failed", table, *(_listed(stage(run, name), each) for name, each in results.items()), note=note)


def _listed(name: str, result: Mapping[str, Any]) -> Html:
    """Each failed episode of a result, folded."""
    failed = [(task["id"], cause) for task in result.get("tasks") or [] for cause in task.get("blame") or []]
    rows = [tag("tr", tag("td", task), tag("td", cause.replace("_", " "))) for task, cause in failed[:_MAX_LISTED]]
    plural = "" if len(failed) == 1 else "s"
    rest = f", the first {_MAX_LISTED}" if len(failed) > _MAX_LISTED else ""
    summary = tag("summary", tag("span", named(name), f": {len(failed)} failed episode{plural}{rest}", class_="what"))
    return tag("details", summary, tag("div", tag("table", tag("tbody", *rows)), class_="scroll"), class_="listed")
