"""Muon for matrices, AdamW for what is looked up or is no matrix."""

from __future__ import annotations

import copy

import torch

from agentgym_rl.core.cloning import Several, warm_optimiser
from agentgym_rl.core.config.tables import WarmStartConfig
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.maths.muon import Muon
from tests.trainers.rl.tiny import tiny_llama

MUON = WarmStartConfig(optimiser="muon", learning_rate=1e-2)


def parts(model: PolicyModel) -> tuple[Muon, torch.optim.AdamW]:
    """The two optimisers of a warm start by Muon."""
    made = warm_optimiser(model, MUON)
    assert isinstance(made, Several)
    muon, adamw = made._optimisers
    assert isinstance(muon, Muon)
    assert isinstance(adamw, torch.optim.AdamW)
    return muon, adamw


def test_every_weight_belongs_to_one_optimiser() -> None:
    model = PolicyModel(tiny_llama(), has_value_head=True)
    groups = [group for part in parts(model) for group in part.param_groups]
    weights = [id(weight) for group in groups for weight in group["params"]]
    assert len(set(weights)) == len(weights)
    assert set(weights) == {id(weight) for weight in model.causal_lm.parameters()}
    assert {group["lr"] for group in groups} == {1e-2}


def test_embeddings_and_the_head_are_no_matrices_of_layers() -> None:
    model = PolicyModel(tiny_llama())
    names = {id(weight): name for name, weight in model.causal_lm.named_parameters()}
    muon = [names[id(weight)] for weight in parts(model)[0].param_groups[0]["params"]]
    assert muon
    assert all(".layers." in name and "norm" not in name for name in muon)


def test_a_step_moves_all_directions_of_a_matrix_alike() -> None:
    model = PolicyModel(copy.deepcopy(tiny_llama()))
    made = warm_optimiser(model, MUON)
    weight = model.causal_lm.model.layers[0].mlp.up_proj.weight
    before = weight.detach().clone()
    random = torch.Generator().manual_seed(0)
    height, width = weight.shape
    rows, columns = torch.randn(height, generator=random), torch.randn(width, generator=random)
    noise = torch.randn(height, width, generator=random)
    for each in model.causal_lm.parameters():
        each.grad = torch.zeros_like(each)
    weight.grad = (20 * torch.outer(rows, columns) + noise).to(weight.dtype)
    made.step()
    given, taken = (torch.linalg.svdvals(each.detach()) for each in (weight.grad, weight - before))
    assert given.max() > 20 * given.median()
    assert taken.max() < 3 * taken.min()


def test_gradients_are_dropped_and_rates_are_set_by_group() -> None:
    model = PolicyModel(tiny_llama())
    made = warm_optimiser(model, MUON)
    for each in model.parameters():
        each.grad = torch.ones_like(each)
    for group in made.param_groups:
        group["lr"] = 0.0
    before = torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    made.step()
    assert torch.equal(torch.nn.utils.parameters_to_vector(model.parameters()), before)
    made.zero_grad()
    assert all(each.grad is None for each in model.parameters())


def test_adamw_has_all_weights_by_default() -> None:
    made = warm_optimiser(PolicyModel(tiny_llama()), WarmStartConfig())
    assert isinstance(made, torch.optim.AdamW)
