from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agentgym.errors import ConfigError
from agentgym.picture import PlacedPicture
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.renderer import ChatRenderer
from agentgym.prompting.tiny import build_tokenizer
from agentgym.trajectory import Segment
from agentgym_rl.core.cloning import NameSwaps, clone, clone_step, successes, updates_of
from agentgym_rl.core.config.tables import PackingConfig, WarmStartConfig
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens
from agentgym_rl.core.models import PolicyModel
from tests.trainers.rl import vocabulary
from tests.trainers.rl.toys import install

CONFIG = WarmStartConfig(demonstrations=16, epochs=2, learning_rate=3e-3, batch_episodes=4)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory):
    """A tokenizer and sixteen demonstrations with its tokens."""
    tokenizer = build_tokenizer(vocabulary.texts())
    suite = install(tmp_path_factory.mktemp("suites"), "questions")
    found = collect_demonstrations(suite, "demo", 16, 0)
    return tokenizer, with_tokens(found, ChatRenderer(tokenizer), [])


def cloned(
    shown,
    packing: PackingConfig | None = None,
    num_updates: int = 12,
    seed: int = 0,
    config: WarmStartConfig = CONFIG,
):
    tokenizer, trajectories = shown
    model = PolicyModel(build_tiny_model(tokenizer))
    packing = packing or PackingConfig(128, 4096, is_packed=False)
    return model, clone(model, trajectories, config, packing, seed=seed, num_updates=num_updates)


def test_the_loss_starts_near_that_of_guessing_and_falls(shown) -> None:
    _, losses = cloned(shown)
    assert len(losses) == 12
    assert losses[0] == pytest.approx(np.log(len(shown[0])), abs=1.5)
    assert losses[-1] < 0.6 * losses[0]


@pytest.mark.parametrize("packing", [PackingConfig(128, 128), PackingConfig(256, 1024)])
def test_cloning_does_not_depend_on_micro_batches(shown, packing: PackingConfig) -> None:
    _, ours = cloned(shown, num_updates=3)
    _, losses = cloned(shown, packing, num_updates=3)
    assert losses == pytest.approx(ours, rel=1e-3)


def test_cloning_depends_on_its_seed_alone(shown) -> None:
    first, second, third = cloned(shown)[1], cloned(shown)[1], cloned(shown, seed=1)[1]
    assert first == second
    assert first != third


def chances(model: PolicyModel, segment: Segment) -> tuple[float, float]:
    """The mean chance of the tokens that are written, and of those that are read."""
    ids = torch.from_numpy(segment.tokens).long()[None]
    chances = model.causal_lm(ids).logits[0].softmax(-1)
    right = chances[np.arange(segment.num_tokens - 1), ids[0, 1:]].detach().numpy()
    mask = segment.completion_mask[1:]
    return float(right[mask].mean()), float(right[~mask].mean())


def test_messages_of_others_are_not_cloned(shown) -> None:
    """Trap D-2: the words of the environment alone are never said."""
    model, _ = cloned(shown, num_updates=40)
    written, read = chances(model, shown[1][0].segments()[0])
    assert written > 3 * read


def test_prompts_are_learnt_by_their_weight(shown) -> None:
    config = replace(CONFIG, prompt_weight=1.0)
    model, losses = cloned(shown, num_updates=40, config=config)
    written, read = chances(model, shown[1][0].segments()[0])
    assert min(written, read) > 3 * chances(cloned(shown, num_updates=40)[0], shown[1][0].segments()[0])[1]
    assert losses[0] == pytest.approx(cloned(shown, num_updates=1)[1][0], rel=1e-4)


def test_muon_clones_too(shown) -> None:
    _, losses = cloned(shown, num_updates=24, config=replace(CONFIG, optimiser="muon"))
    assert losses[0] == pytest.approx(cloned(shown, num_updates=1)[1][0], rel=1e-3)
    assert losses[-1] < 0.5 * losses[0]


@pytest.mark.parametrize("packing", [PackingConfig(128, 128), PackingConfig(256, 1024)])
def test_the_loss_on_prompts_is_a_mean_over_their_tokens(shown, packing: PackingConfig) -> None:
    """The gradient of both means, each over its own tokens, whatever the micro-batches; pictures are not predicted."""
    tokenizer, trajectories = shown[0], copy.deepcopy(shown[1])
    trajectories[0].turns[0].pictures = (PlacedPicture("", 0, 0, token=5), PlacedPicture("", 0, 1))
    model = PolicyModel(build_tiny_model(tokenizer))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.0)
    clone_step(model, optimiser, trajectories[:4], packing, 1e9, prompt_weight=0.5)
    found = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    written, read = [], []
    for segment in (each for trajectory in trajectories[:4] for each in trajectory.segments()):
        ids = torch.from_numpy(segment.tokens).long()[None]
        logprobs = model.causal_lm(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
        mask = torch.from_numpy(segment.completion_mask[1:])
        written.append(logprobs[mask])
        is_text = torch.tensor(
            [place not in {each.token for each in segment.pictures} for place in range(1, len(mask) + 1)]
        )
        read.append(logprobs[~mask & is_text])
    (-torch.cat(written).mean() - 0.5 * torch.cat(read).mean()).backward()
    for ours, parameter in zip(found, model.parameters(), strict=True):
        torch.testing.assert_close(ours, parameter.grad, rtol=1e-3, atol=1e-5)


def test_each_update_clones_other_names(shown, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer, trajectories = shown
    segment = trajectories[0].segments()[0]
    written = {tokenizer.decode([token]) for token in segment.tokens[segment.completion_mask]}
    swaps = NameSwaps([sorted({*written, "5", "6", "7"})], tokenizer)
    seen, score = [], PolicyModel.score
    monkeypatch.setattr(
        PolicyModel,
        "score",
        lambda self, micro, **options: seen.append(micro.tokens.numpy()) or score(self, micro, **options),
    )
    model, packing = PolicyModel(build_tiny_model(tokenizer)), PackingConfig(128, 4096, is_packed=False)
    clone(model, trajectories[:1], CONFIG, packing, seed=0, num_updates=4, swaps=swaps)
    assert len({tokens.tobytes() for tokens in seen}) == 4
    is_read = ~np.isin(segment.tokens, segment.tokens[segment.completion_mask])
    for (tokens,) in seen:
        assert len(tokens) == len(segment.tokens)
        assert (tokens == segment.tokens)[is_read].mean() > 0.9


def one_update(shown, monkeypatch: pytest.MonkeyPatch, scale: float = 1.0, max_grad_norm: float = 1.0):
    """An update of plain gradient descent by a scaled loss, and how far it moved the weights."""
    tokenizer, trajectories = shown
    model = PolicyModel(build_tiny_model(tokenizer))
    score = model.score
    monkeypatch.setattr(model, "score", lambda micro, **options: (scale * score(micro)[0], None, None))
    before = torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
    step = clone_step(model, optimiser, trajectories[:4], PackingConfig(128, 4096), max_grad_norm)
    return step, float((torch.nn.utils.parameters_to_vector(model.parameters()).detach() - before).norm())


def test_gradients_are_scaled_down_to_the_norm_that_is_given(shown, monkeypatch) -> None:
    step, moved = one_update(shown, monkeypatch, max_grad_norm=1e-2)
    assert step.grad_norm > 0.1
    assert moved == pytest.approx(1e-2, rel=1e-2)


@pytest.mark.parametrize("scale", [float("nan"), float("inf")])
def test_an_update_that_is_not_finite_is_left_out(shown, monkeypatch, scale: float) -> None:
    step, moved = one_update(shown, monkeypatch, scale)
    assert not step.is_taken
    assert moved == 0.0


def test_each_update_is_reported(shown) -> None:
    tokenizer, trajectories = shown
    seen = []
    clone(
        PolicyModel(build_tiny_model(tokenizer)),
        trajectories,
        CONFIG,
        PackingConfig(128, 4096),
        seed=0,
        num_updates=3,
        on_update=lambda update, total, step: seen.append((update, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_updates_are_counted_by_passes() -> None:
    assert updates_of(CONFIG, 16) == 8
    assert updates_of(CONFIG, 17) == 10
    assert updates_of(CONFIG, 0) == 0


def test_filtering_keeps_successes(shown, tmp_path: Path) -> None:
    kept = successes(shown[1])
    assert 0 < len(kept) < 16
    assert all(each.success for each in kept)
    with pytest.raises(ConfigError, match=r"none of 3 demonstrations succeeded.*better demonstrator"):
        successes([each for each in shown[1] if not each.success][:3])
