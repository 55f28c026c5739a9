"""Runs of small episodes to replay from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.store import RunStore
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.tables import ReplayConfig
from tests.trainers.rl.replay.episodes import SUITE


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore.create(tmp_path / "run", {"suite": SUITE}) as opened:
        yield opened


@pytest.fixture
def make_index(store: RunStore) -> Callable[..., ReplayIndex]:
    """An index of the run, filled with what is there."""

    def make(iteration: int = 0, version: int = 0, **bounds: Any) -> ReplayIndex:
        index = ReplayIndex(store, ReplayConfig(**bounds), suite=SUITE)
        index.refresh(iteration=iteration, version=version)
        return index

    return make


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(7)
