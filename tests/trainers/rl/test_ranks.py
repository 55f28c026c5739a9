from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from agentgym_rl.maths.aggregation import token_weights
from tests.trainers.rl import planted
from tests.trainers.rl.two_ranks import update

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def of_two_ranks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, torch.Tensor]]:
    """Gradients summed over two processes, by the name of the weights."""
    folder = tmp_path_factory.mktemp("ranks")
    paths = os.pathsep.join(str(ROOT / name) for name in (".", "trainers", "environments"))
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.trainers.rl.two_ranks"]
    ranks = [
        subprocess.Popen([*command, str(rank), "2", str(folder)], env=environment, cwd=ROOT, stderr=subprocess.PIPE)
        for rank in range(2)
    ]
    for rank in ranks:
        _, errors = rank.communicate(timeout=120)
        assert rank.returncode == 0, errors.decode()
    return {path.stem: torch.load(path, weights_only=True) for path in folder.glob("*.pt")}


@pytest.mark.slow
@pytest.mark.parametrize("weigh", [token_weights, planted.weights_of_local_mean], ids=["ours", "bug"])
def test_two_ranks_give_the_gradient_of_one_process(weigh, of_two_ranks: dict[str, dict[str, torch.Tensor]]) -> None:
    """Trap D-7."""
    one = update(0, 1, weigh)

    def check() -> None:
        for mode, flat in of_two_ranks[weigh.__name__].items():
            torch.testing.assert_close(flat, one[mode], rtol=1e-5, atol=1e-9)

    if weigh is token_weights:
        check()
    else:
        with pytest.raises(AssertionError):
            check()
