"""Shapes and dtypes in the annotations of the trainer's maths are checked while its tests run."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import jaxtyping
import pytest
import torch

MATHS = (
    "advantages",
    "aggregation",
    "discounting",
    "gae",
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
