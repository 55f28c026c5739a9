"""The directions of Muon, against singular values and against PyTorch's own."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from agentgym_rl.maths import muon
from agentgym_rl.maths.muon import Muon, orthogonalised


def drawn(height: int, width: int, seed: int = 0) -> torch.Tensor:
    """A matrix whose singular values differ by a factor of about a hundred."""
    random = torch.Generator().manual_seed(seed)
    small = min(height, width)
    left, _ = torch.linalg.qr(torch.randn(height, small, generator=random))
    right, _ = torch.linalg.qr(torch.randn(width, small, generator=random))
    return left @ torch.diag(torch.logspace(0, -2, small)) @ right.T


@pytest.mark.parametrize("shape", [(24, 24), (40, 16), (16, 40)])
def test_singular_values_become_alike_and_directions_stay(shape: tuple[int, int]) -> None:
    matrix = drawn(*shape)
    made = orthogonalised(matrix)
    left, values, right = torch.linalg.svd(matrix, full_matrices=False)
    within = left.T @ made @ right.T
    found = torch.diagonal(within)
    assert torch.linalg.norm(within - torch.diag(found)) < 1e-3
    assert found.max() < 1.3
    assert found[values > 0.03 * torch.linalg.norm(values)].min() > 0.6
    assert torch.allclose(made, orthogonalised(100 * matrix), atol=1e-5)
    assert torch.equal(orthogonalised(torch.zeros(shape)), torch.zeros(shape))


@pytest.mark.parametrize("shape", [(24, 24), (40, 16), (16, 40)])
def test_several_matrices_are_each_their_own(shape: tuple[int, int]) -> None:
    matrices = [size * drawn(*shape, seed=seed) for seed, size in enumerate((1.0, 100.0, 0.0))]
    together = orthogonalised(torch.stack(matrices))
    torch.testing.assert_close(together, torch.stack([orthogonalised(each) for each in matrices]))


@pytest.mark.parametrize("elements_at_once", [1, 2 * 24 * 16, 2**22])
def test_weights_of_one_shape_move_by_their_own_gradients(
    elements_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(muon, "_ELEMENTS_AT_ONCE", elements_at_once)
    gradients = [drawn(24, 16, seed=seed) for seed in range(3)]
    joint = [nn.Parameter(torch.ones(24, 16)) for _ in gradients]
    alone = [nn.Parameter(torch.ones(24, 16)) for _ in gradients]
    steps = [Muon(joint, lr=1e-2), *(Muon([each], lr=1e-2) for each in alone)]
    for weights in (joint, alone):
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient.clone()
    for each in steps:
        each.step()
    torch.testing.assert_close(torch.stack(list(joint)), torch.stack(list(alone)))


@pytest.mark.parametrize("shape", [(24, 24), (40, 16), (16, 40)])
def test_steps_are_those_of_torch_but_for_its_rounding(shape: tuple[int, int]) -> None:
    ours, theirs = (nn.Parameter(torch.ones(shape)) for _ in range(2))
    mine = Muon([ours], lr=1e-2)
    peer = torch.optim.Muon([theirs], lr=1e-2, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
    for number in range(4):
        ours.grad, theirs.grad = drawn(*shape, seed=number), drawn(*shape, seed=number)
        mine.step()
        peer.step()
    moved = torch.linalg.norm(theirs.detach() - 1)
    assert torch.linalg.norm(ours.detach() - theirs.detach()) < 0.02 * moved


def test_what_has_no_gradient_stays_and_what_is_no_matrix_is_refused() -> None:
    weight = nn.Parameter(torch.ones(3, 4))
    Muon([weight], lr=1.0).step()
    assert torch.equal(weight.detach(), torch.ones(3, 4))
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        Muon([nn.Parameter(torch.ones(3))], lr=1.0)
