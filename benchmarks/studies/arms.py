"""The studies and their arms, and the suites that arms play.

An arm is a way to train. The arms of a study differ in one thing; the first is what the others are compared with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.config import merged
from agentgym.suite import load_suite, register_suites
from agentgym.task import Task
from benchmarks.credit.suites import write_suite

TWO = "two_mistakes"
NUM_SEEDS = 5


@dataclass(frozen=True)
class Base:
    """What the arms of a study have in common.

    Attributes:
        suite: The suite.
        config: Its shipped configuration, which is changed.
        iterations: Of training.
        tests: How many test tasks a model is tested on.
        num_seeds: How many seeds an arm needs.
    """

    suite: str
    config: str
    iterations: int
    tests: int
    num_seeds: int = NUM_SEEDS


PATCH_LINE = Base("swe/patch-line", "patch_line", 24, 100)
MENU = Base("swe/experiment-menu", "experiment_menu", 6, 48)
SHOP = Base("tools/desk-shop-small", "tools_shop", 30, 100, num_seeds=3)


@dataclass(frozen=True)
class Arm:
    """One way to train.

    Attributes:
        options: Options of the environment over those of the suite.
        settings: Settings of the run over those of the shipped configuration.
        stratum: The only stratum of training and testing; "" for those of the suite.
        base: What is trained on.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    stratum: str = ""
    base: Base = PATCH_LINE


_PARTS = {"parts_weight": 0.1}
_GUIDANCE = {"share": 0.25, "max_tries": 4}
_HINTED = {"algorithm": {"prox": "recompute", "importance": {"mode": "token_tis", "max_weight": 2.0}}}


def _weighing(**weights: float) -> dict[str, Any]:
    """Options of a desk: beside success and format, these components of the reward count, and no other."""
    return {"weights": {"milestone": 0.0, "violation": 0.0, **weights}}


STUDIES: Mapping[str, Mapping[str, Arm]] = {
    "answers": {"tests": Arm(), "verdict": Arm({"feedback": "verdict"})},
    "parts": {
        "success": Arm(),
        "farmable": Arm(_PARTS),
        "gated": Arm(
            _PARTS,
            {"algorithm": {"credit": {"kind": "attribution", "attribution": {"method": "gated,episode_groups"}}}},
        ),
    },
    "hints": {
        "none": Arm(settings=_HINTED, stratum=TWO),
        "hints": Arm(settings=merged(_HINTED, {"curriculum": {"guidance": _GUIDANCE}}), stratum=TWO),
    },
    "durations": {
        "plain": Arm(base=MENU),
        "durations": Arm(settings={"curriculum": {"durations": {"min_weight": 0.25, "max_weight": 4.0}}}, base=MENU),
    },
    "rewards": {
        "success": Arm(_weighing(), base=SHOP),
        "milestones": Arm({**_weighing(milestone=0.3), "keeps_milestones": True}, base=SHOP),
        "calls": Arm(_weighing(call=0.05), base=SHOP),
        "violations": Arm(_weighing(violation=0.1), base=SHOP),
    },
}
"""By study the arms; the first is what the others are compared with."""


def suite_of(arm: Arm) -> str:
    """The name of an arm's suite."""
    return f"{arm.base.suite}-{digest_of([dict(arm.options), arm.stratum])}"


def register_arms(root: Path) -> None:
    """Make the suites of all arms known to this process, each written below the folder if it is not there."""
    for arm in (arm for arms in STUDIES.values() for arm in arms.values()):
        shipped = load_suite(arm.base.suite)
        if not (root / suite_of(arm)).exists():
            options = {**shipped.env_options, **arm.options}
            write_suite(root, suite_of(arm), shipped.env, options, partial(_tasks, arm))
    register_suites(root)


def _tasks(arm: Arm, name: str, split: str) -> Iterator[Task]:
    """The tasks of a split; of the test split those of the headline alone."""
    shipped = load_suite(arm.base.suite)
    wanted = arm.stratum or (shipped.headline if split == "test" else "")
    for task in shipped.tasks(split):
        if wanted in ("", task.stratum):
            yield Task.from_json(task.to_json() | {"id": f"{name}:{task.id.partition(':')[2]}"})


def digest_of(value: Any) -> str:
    """A short digest of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]
