from __future__ import annotations

from pathlib import Path

import pytest
import torch

from agentgym_rl.maths.aggregation import token_weights
from tests.trainers.rl import planted
from tests.trainers.rl.processes import in_two_ranks
from tests.trainers.rl.two_ranks import update
from tests.warm.python import WarmPython


@pytest.fixture(scope="module")
def of_two_ranks(
    tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython
) -> dict[str, dict[str, torch.Tensor]]:
    """Gradients summed over two processes, by the name of the weights."""
    folder = tmp_path_factory.mktemp("ranks")
    in_two_ranks(warm_python, folder, "tests.trainers.rl.two_ranks", str(folder))
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


@pytest.mark.slow
def test_a_judge_that_answers_each_rank_otherwise_is_heard_once(tmp_path: Path, warm_python: WarmPython) -> None:
    in_two_ranks(warm_python, tmp_path, "tests.trainers.rl.rating_ranks", str(tmp_path))
    first, second = (torch.load(tmp_path / f"credit-{rank}.pt") for rank in (0, 1))
    assert first == second
    assert first[0][0] > first[0][1]
