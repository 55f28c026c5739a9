"""Shapes and dtypes in the annotations of the trainer's maths are checked while its tests run."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jaxtyping
import pytest
import torch

MATHS = (
    "advantages",
    "aggregation",
    "discounting",
    "gae",
    "hierarchical",
    "importance",
    "kl",
    "logprobs",
    "loss_metrics",
    "losses",
    "micro_batch",
    "overlong",
    "packing",
    "ratios",
    "reinforce_pp",
    "values",
)

torch.set_num_threads(1)
jaxtyping.install_import_hook([f"agentgym_rl.{name}" for name in MATHS], "beartype.beartype")


@pytest.fixture
def unchecked() -> Iterator[None]:
    """For tests of what our own validation says, which types would refuse first."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(autouse=True)
def _clear_gradients() -> None:
    """The tiny model is shared; a test that failed half-way must not leave gradients to the next."""
    tiny = sys.modules.get("tests.trainers.rl.tiny")
    if tiny is not None:
        tiny.tiny_llama().zero_grad()


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Any]:
    """Makes a trainer on a toy: suite by name, tables of the configuration, task_config for the tasks."""
    # Imported late: the toys import modules whose types the hook above checks.
    numbers = itertools.count()

    def make(name: str, *, task_config: dict[str, Any] | None = None, limits: Any = (), **tables: Any):
        from tests.trainers.rl import toys

        toys.Bandit.draws = 0
        folder = tmp_path / str(next(numbers))
        suite = toys.install(folder, name, 16, task_config, **dict(limits))
        return toys.toy_trainer(toys.toy_config(name, **tables), suite, folder / "run")

    return make
