"""Results and comparisons as text for a terminal.

The results themselves make JSON for programs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from agentgym.evaluation.blame import WHO
from agentgym.evaluation.compare import Comparison
from agentgym.evaluation.result import EvaluationResult, mean_success
from agentgym.evaluation.statistics import Estimate
from agentgym.wording import counted

UNKNOWN = "unknown; the policy does not say which tasks it was trained on"
"""What stands beside the scores of such a policy."""


def estimate_text(estimate: Estimate, is_signed: bool = False) -> str:
    """Mean and interval, such as `0.812 [0.744, 0.875]`."""
    if math.isnan(estimate.mean):
        return "-"
    sign = "+" if is_signed else ""
    if math.isnan(estimate.low):
        return f"{estimate.mean:{sign}.3f}"
    return f"{estimate.mean:{sign}.3f} [{estimate.low:{sign}.3f}, {estimate.high:{sign}.3f}]"


def _rate_text(rate: float) -> str:
    return "-" if math.isnan(rate) else f"{rate:.3f}"


def result_text(result: EvaluationResult, *, with_tasks: bool = False) -> str:
    """A result as lines: rates by stratum, pass@k, outcomes, costs; optionally every task."""
    temperature = result.sampling.get("temperature")
    drawn = "" if temperature is None else f", sampled at temperature {temperature:g}" if temperature else ", greedy"
    size = f"{counted(len(result.tasks), 'task')} x {counted(result.attempts, 'attempt')}{drawn}"
    lines = [f"{result.policy} on {result.suite} {result.split}: {size}"]
    if result.role:
        others = ", ".join(f"{role} by {name}" for role, name in result.partners.items()) or "itself"
        lines.append(f"as {result.role}, with {others}")
    lines += _notes(result)
    further = (*result.measures, *(["attacked [95 %]"] if result.attacked else []))
    rows: list[tuple[str, ...]] = [("stratum", "tasks", "success [95 %]", "score [95 %]", *further)]
    rows += [
        (
            name or "-",
            str(part.success.num_tasks),
            estimate_text(part.success),
            estimate_text(part.score),
            *_further_of(result, name),
        )
        for name, part in result.strata.items()
    ]
    total = ("all", str(len(result.tasks)), estimate_text(result.success), estimate_text(result.score))
    rows.append(total + _further_of(result, "all"))
    lines += _aligned(rows)
    rates = result.game_rates() if result.role else {}
    if rates:
        played, quality, product = ("-" if math.isnan(rate) else f"{rate:.3f}" for rate in rates.values())
        lines.append(f"played by the rules: {played} of the episodes; mean score of these {quality}; product {product}")
    for role, tasks in result.other_roles.items():
        lines.append(f"as {role}: success {estimate_text(mean_success(tasks))}")
    if result.attempts > 1:
        rows = [("k", *result.pass_at()), ("pass@k", *map(_rate_text, result.pass_at().values()))]
        lines += _aligned([*rows, ("pass^k", *map(_rate_text, result.pass_hat().values()))])
    outcomes = ", ".join(f"{name} {count}" for name, count in result.outcomes.items())
    lines.append(f"outcomes: {outcomes or 'no episode ended'}")
    if result.num_faults:
        lines.append(f"faults: {counted(result.num_faults, 'episode')} without reward, left out of all rates")
    lines += _blame_table(result)
    costs = ", ".join(f"{name} {value:g}" for name, value in result.costs.items())
    lines.append(f"costs: {costs or 'none'}; {result.seconds:.1f} s")
    if with_tasks:
        heads = ("task", "stratum", "successes", "score", "faults")
        rows = [(*heads, "blame") if result.blame else heads]
        rows += [
            (
                *(task.id, task.stratum, f"{task.successes}/{task.attempts}", f"{task.score:.3f}", str(task.faults)),
                *([", ".join(task.blame) or "-"] if result.blame else []),
            )
            for task in result.tasks
        ]
        lines += _aligned(rows)
    return "\n".join(lines)


def _notes(result: EvaluationResult) -> list[str]:
    """What a reader has to know before the rates."""
    lines = []
    if result.is_unseen_env:
        lines.append("UNSEEN ENVIRONMENT: the environment itself is held out from training")
    if result.num_trained_on is None:
        lines.append(f"TRAINED ON: {UNKNOWN}")
    if result.num_trained_on:
        lines.append(f"TRAINED ON: {result.num_trained_on} of these tasks were in the policy's training data")
    if result.unknown_words is not None and result.unknown_words.share:
        lines.append(
            f"UNKNOWN WORDS: the policy's tokenizer does not know {result.unknown_words}, and spells them in bytes"
        )
    if result.cut_share:
        share = f"{result.cut_share:.0%}" if result.cut_share >= 0.01 else "less than 1%"
        limit = result.sampling.get("max_tokens")
        of_tokens = "" if limit is None else f" of {limit:g} tokens"
        lines.append(f"CUT: {share} of the messages hit the limit{of_tokens}; --max-tokens sets another one")
    if result.num_resumed:
        lines.append(f"RESUMED: the run folder has {result.num_resumed} of the episodes; they were not played again")
    if result.num_missing:
        lines.append(f"INCOMPLETE: {result.num_missing} episodes were not played")
    return lines


def _blame_table(result: EvaluationResult) -> list[str]:
    """Who failed the episodes that failed; nothing where the environment does not say it."""
    if not result.blame:
        return []
    rows = [("blame", "why", "episodes")]
    rows += [(*blame.split(": ", 1), str(count)) for blame, count in result.blame.items()]  # type: ignore[misc]
    totals = Counter[str]()
    for blame, count in result.blame.items():
        totals[blame.split(":")[0]] += count
    listed = ", ".join(f"{who} {totals[who]}" for who in WHO)
    return [f"failed by: {listed}", *_aligned(rows)]


def _further_of(result: EvaluationResult, stratum: str) -> tuple[str, ...]:
    """The columns of measures, and that of planted texts where there are some."""
    measures = [f"{values[stratum]:.3f}" if stratum in values else "-" for values in result.measures.values()]
    attacked = result.attacked
    if attacked:
        measures.append(estimate_text(attacked[stratum]) if stratum in attacked else "-")
    return tuple(measures)


def comparison_text(comparison: Comparison) -> str:
    """A comparison as lines."""
    verdict = (
        "The interval of success does not contain zero, so this comparison shows a difference."
        if comparison.is_significant
        else "The interval of success contains zero, so this comparison does not show a difference."
    )
    lines = [
        f"{comparison.second} minus {comparison.first} on {comparison.suite} {comparison.split}, "
        f"{counted(comparison.success.num_tasks, 'task')} in common ({comparison.num_unpaired} left out)",
        f"success {estimate_text(comparison.success, True)}",
        f"score   {estimate_text(comparison.score, True)}",
        verdict,
        f"better on {counted(comparison.num_better, 'task')}, worse on {comparison.num_worse}",
        *(f"TRAINED ON: {UNKNOWN}: {name}" for name in comparison.unknown),
    ]
    rows = [("true difference", "tasks needed")]
    rows += [(size, "-" if math.isinf(count) else f"{count:.0f}") for size, count in comparison.needed.items()]
    return "\n".join(lines + (_aligned(rows) if comparison.needed else []))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    return [("  " + "  ".join(cells)).rstrip() for cells in padded]
