"""Comparing two evaluations task by task.

Both must have tasks in common, because a difference between different tasks says little about the policies.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.errors import ConfigError, unreadable
from agentgym.evaluation.result import EvaluationResult
from agentgym.evaluation.runner import kept_results
from agentgym.evaluation.statistics import Estimate, mean_interval, tasks_needed
from agentgym.store import DATABASE, RunStore

_EXPECTED = "expected a run folder with an evaluation, or a file that `agentgym eval --json` wrote"
_DIFFERENCES = (0.01, 0.02, 0.05, 0.1)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the second policy differs from the first, on the tasks that both played.

    Attributes:
        first, second: Names of the policies.
        suite, split: What they played.
        success: Difference of success rates, second minus first, with its paired interval.
        score: Difference of scores.
        num_better, num_worse: Tasks on which the second succeeded more, or less, often.
        num_unpaired: Tasks that only one of them played.
        deviation: Standard deviation over tasks of the difference in success.
        needed: Tasks needed to show a true difference in success of that size (power .8, two-sided level .05); empty if
            all tasks have the same difference, because the spread is then unknown.
        unknown: Those of the two policies that do not say which tasks they were trained on.
    """

    first: str
    second: str
    suite: str
    split: str
    success: Estimate
    score: Estimate
    num_better: int
    num_worse: int
    num_unpaired: int
    deviation: float
    needed: dict[str, float]
    unknown: tuple[str, ...] = ()

    @property
    def is_significant(self) -> bool:
        """Whether the interval of the success difference leaves out zero."""
        return self.success.low > 0 or self.success.high < 0

    def to_json(self) -> dict[str, Any]:
        """A JSON object for programs; infinite numbers of tasks and NaN are null."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name not in ("success", "score", "needed")}
        fields["num_tasks"] = self.success.num_tasks
        fields["success"], fields["score"] = self.success.to_json(), self.score.to_json()
        fields["is_significant"] = self.is_significant
        fields["deviation"] = None if math.isnan(self.deviation) else self.deviation
        fields["needed"] = {size: n if math.isfinite(n) else None for size, n in self.needed.items()}
        return fields


def compare(first: EvaluationResult | Path | str, second: EvaluationResult | Path | str) -> Comparison:
    """The paired difference between two evaluations, second minus first.

    Args:
        first: A result, or its place, as in `load_result`.
        second: The other.

    Raises:
        ConfigError: They are of different suites or splits, or have no task in common.
    """
    one, other = (result if isinstance(result, EvaluationResult) else load_result(result) for result in (first, second))
    if (one.suite, one.split) != (other.suite, other.split):
        raise ConfigError(
            f"cannot compare {one.policy!r} on {one.suite} {one.split} with {other.policy!r} on {other.suite} "
            f"{other.split}: evaluate both on the same split"
        )
    pairs = {task.id: task for task in one.tasks if task.attempts}
    both = [(pairs[task.id], task) for task in other.tasks if task.attempts and task.id in pairs]
    if not both:
        raise ConfigError(f"{one.policy!r} and {other.policy!r} have no task in common: evaluate both on the same ones")
    success = np.array([after.success - before.success for before, after in both])
    score = np.array([after.score - before.score for before, after in both])
    scores = np.array([task.score for pair in both for task in pair])
    is_bounded = bool(((scores >= 0) & (scores <= 1)).all())
    deviation = float(success.std(ddof=1)) if len(success) > 1 else math.nan
    wanted = {*_DIFFERENCES, round(abs(float(success.mean())), 4)} - {0.0}
    return Comparison(
        first=one.policy,
        second=other.policy,
        suite=one.suite,
        split=one.split,
        success=mean_interval(success, bounds=(-1, 1)),
        score=mean_interval(score[~np.isnan(score)], bounds=(-1, 1) if is_bounded else None),
        num_better=int((success > 0).sum()),
        num_worse=int((success < 0).sum()),
        num_unpaired=len({task.id for task in (*one.tasks, *other.tasks)}) - len(both),
        deviation=deviation,
        needed={f"{size:g}": tasks_needed(size, deviation) for size in sorted(wanted)} if deviation > 0 else {},
        unknown=tuple(result.policy for result in (one, other) if result.num_trained_on is None),
    )


def load_result(place: Path | str) -> EvaluationResult:
    """Read a result.

    Args:
        place: A file with what `agentgym eval --json` printed; or a run folder, followed by `#split:policy` if it holds
            several results, and by `:role` and partners as the message lists them if that policy has several.

    Raises:
        ConfigError: There is no result, or there are several and none is named.
    """
    text, _, wanted = str(place).partition("#")
    path = Path(text)
    if (path / DATABASE).is_file():
        return _from_store(path, wanted)
    try:
        return EvaluationResult.from_json(json.loads(path.read_text(encoding="utf-8")))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        if path.is_dir():
            raise ConfigError(f"the folder {path} holds no run; {_EXPECTED}") from error
        if not path.exists():
            raise ConfigError(f"there is no run or file {path}; {_EXPECTED}") from error
        raise ConfigError(unreadable(path, error)) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} holds no result; {_EXPECTED}") from error


def _from_store(folder: Path, wanted: str) -> EvaluationResult:
    with RunStore.open(folder, read_only=True) as store:
        found = kept_results(store.meta)
    matching = {name: value for name, value in found.items() if f":{wanted}:" in f":{name}:" or not wanted}
    if wanted in found:
        matching = {wanted: found[wanted]}
    if not found:
        raise ConfigError(
            f"the run in {folder} holds no evaluation; make one with: agentgym eval --suite NAME --policy NAME --run "
            f"{folder}"
        )
    if len(matching) != 1:
        names = ", ".join(f"{folder}#{name}" for name in matching or found)
        asked = "several evaluations" if matching else f"no evaluation {wanted!r}"
        raise ConfigError(f"the run in {folder} holds {asked}; name one of: {names}")
    return EvaluationResult.from_json(*matching.values())
