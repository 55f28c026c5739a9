"""What tests of the trainer share."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jaxtyping
import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture
def unchecked() -> Iterator[None]:
    """For tests of what our own validation says, which types would refuse first."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(autouse=True)
def _types_are_checked_in_short_tests(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests that train call the same few functions a hundred thousand times; their types are checked by the others."""
    if request.node.get_closest_marker("slow") is None:
        yield
        return
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
    numbers = itertools.count()

    def make(name: str, *, task_config: dict[str, Any] | None = None, limits: Any = (), **tables: Any):
        from tests.trainers.rl import toys

        toys.Bandit.draws = 0
        folder = tmp_path / str(next(numbers))
        suite = toys.install(folder, name, 16, task_config, **dict(limits))
        return toys.toy_trainer(toys.toy_config(name, **tables), suite, folder / "run")

    return make
