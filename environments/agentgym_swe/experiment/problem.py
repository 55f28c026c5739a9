"""A task of Experiment-v0: a theme, hardships and a seed, from which tables, labels and the score to reach follow."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from agentgym.errors import TaskError
from agentgym.task import Limits, Task
from agentgym_swe.experiment.drawing import Data, draw_data
from agentgym_swe.experiment.grading import ASKS, METRICS, dummy_metric, metric
from agentgym_swe.experiment.hardships import HARDSHIPS
from agentgym_swe.experiment.inside.reference import fit_predict
from agentgym_swe.experiment.themes import THEMES, TRAINED, Kind

MAX_TURNS, MENU_TURNS = 16, 6
STEP_S = 1000.0
MIN_GAP = 0.12
"""Least distance of dummy and reference: else chance decides."""
_SAMPLED = ("shift", "imbalance", "interactions")
"""Hardships that are drawn with the rows; a task has two of them at most."""


@dataclass(frozen=True)
class Problem:
    """What is worked on, and what is reached by doing nothing and by the reference.

    Attributes:
        data: The tables.
        kind: Of the target.
        dummy: The metric of a constant.
        reference: The metric of the reference.
    """

    data: Data
    kind: Kind
    dummy: float
    reference: float

    def files(self) -> Mapping[str, bytes]:
        """The files of the work folder."""
        about = json.dumps(self.data.about, indent=1) + "\n"
        return {name: text.encode() for name, text in zip(FILES, (self.data.train, self.data.test, about), strict=True)}


FILES = ("train.csv", "test.csv", "about.json")


@lru_cache(maxsize=8)
def make_problem(theme: str, hardships: tuple[str, ...], seed: int) -> Problem:
    """Draw the tables and let the reference work on them.

    Raises:
        TaskError: There is no such theme or hardship.
    """
    data = draw_data(theme, hardships, seed)
    train, test = ([*csv.DictReader(io.StringIO(text))] for text in (data.train, data.test))
    kind = THEMES[theme].kind
    reached = metric(kind, fit_predict(train, test, data.about), data.labels)
    return Problem(data, kind, dummy_metric(kind, data.labels), reached)


def read_task(task: Task) -> Problem:
    """The problem of a task.

    Raises:
        TaskError: It is no task of this environment.
    """
    theme, hardships = task.config.get("theme"), task.config.get("hardships")
    if theme not in THEMES or not isinstance(hardships, list) or not set(hardships) <= set(HARDSHIPS):
        raise TaskError(
            f"task {task.id!r} is not a task of Experiment-v0: expected a theme of {', '.join(THEMES)} and hardships "
            f"of {', '.join(HARDSHIPS)}, got the config {dict(task.config)}"
        )
    problem = make_problem(theme, tuple(hardships), task.seed)
    if problem.reference - problem.dummy < MIN_GAP:
        raise TaskError(f"task {task.id!r} cannot be learned: the reference reaches {problem.reference:.3f}")
    return problem


def draw_hardships(rng: Random, theme: str) -> list[str]:
    """Two to four hardships, in their order: missing values, units, a leak, and what the theme allows of the rest."""
    allowed = [name for name in _SAMPLED if name == "shift" or not THEMES[theme].bundled]
    if THEMES[theme].kind != "binary" and "imbalance" in allowed:
        allowed.remove("imbalance")
    written = rng.sample(("missing", "units", "leak"), rng.randint(1, 2))
    drawn = rng.sample(allowed, rng.randint(1, min(2, len(allowed))))
    return [name for name in HARDSHIPS if name in (*written, *drawn)]


def to_task(theme: str, hardships: Sequence[str], *, seed: int, task_id: str = "", stratum: str = "") -> Task:
    """The task; its tables follow from the seed, so nothing private is written down."""
    about = THEMES[theme]
    text = (
        f"{about.text} Learn from train.csv to predict {about.target}, and write predictions.csv with the columns id "
        f"and prediction for each row of test.csv: {ASKS[about.kind]}. The metric is the {METRICS[about.kind]}. "
        "about.json says what the columns are."
    )
    return Task(
        id=task_id or f"experiment:{theme}-{seed}",
        seed=seed,
        instruction=text,
        stratum=stratum,
        config={"theme": theme, "hardships": list(hardships)},
        limits=Limits(max_turns=MAX_TURNS, step_timeout_s=STEP_S),
        seed_is_content=True,
    )


def draw_task(rng: Random, theme: str, *, seed: int, task_id: str = "", stratum: str = "") -> Task:
    """A task of a theme that can be learned.

    Args:
        rng: Draws the hardships.
        theme: The theme.
        seed: Its seed.
        task_id: Its id.
        stratum: Its stratum.
    """
    while True:
        hardships = draw_hardships(rng, theme)
        problem = make_problem(theme, tuple(hardships), seed)
        if problem.reference - problem.dummy >= MIN_GAP:
            return to_task(theme, hardships, seed=seed, task_id=task_id, stratum=stratum)
        seed = rng.randrange(2**31)


def for_menu(task: Task) -> Task:
    """The task with fewer turns, and with the mode in its config, which environment and players go by."""
    limits = dataclasses.replace(task.limits, max_turns=MENU_TURNS)
    return dataclasses.replace(task, config={**task.config, "mode": "menu"}, limits=limits)


def pick_theme(rng: Random) -> str:
    """A theme that training shows and that needs no bundled data."""
    return rng.choice([name for name in TRAINED if not THEMES[name].bundled])
