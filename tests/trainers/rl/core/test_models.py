from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PhiConfig,
    PhiForCausalLM,
)

from agentgym.errors import CheckpointError, ConfigError
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym_rl.core.config.tables import ModelConfig, PackingConfig
from agentgym_rl.core.models import PolicyModel, apply_options, frozen_copy, load_causal_lm, trainable_groups
from agentgym_rl.core.packing import pack
from tests.trainers.rl import vocabulary
from tests.trainers.rl.tiny import random_segments
from tests.warm.python import WarmPython

PACKING = PackingConfig(64, 256)
ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer(vocabulary.texts())


@pytest.fixture
def causal_lm(tokenizer):
    return build_tiny_model(tokenizer)


def scored(model: PolicyModel) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Log-probabilities of some episodes, and the gradient of their sum."""
    model.zero_grad()
    logprobs = torch.cat([model.score(batch)[0] for batch in pack(random_segments(6), PACKING)])
    logprobs.sum().backward()
    gradients = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    return logprobs.detach(), gradients


def test_scores_are_those_of_the_causal_model(causal_lm) -> None:
    [segment] = random_segments(1)
    [batch] = pack([segment], PACKING)
    tokens = torch.from_numpy(segment.tokens).long()[None]
    logits = causal_lm(tokens).logits[0].log_softmax(-1)
    expected = [logits[k - 1, tokens[0, k]].item() for k in np.flatnonzero(segment.completion_mask)]
    logprobs, entropy, values = PolicyModel(causal_lm).score(batch)
    assert logprobs.tolist() == pytest.approx(expected, abs=1e-4)
    assert values is None
    assert (entropy > 0).all()


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_training_scores_as_sampling_did_where_the_checkpoint_has_dropout(family: str) -> None:
    """Trap D-18: with dropout no ratio starts at 1."""
    sizes = {"vocab_size": 128, "bos_token_id": 0, "eos_token_id": 1}
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    causal_lm = (
        GPT2LMHeadModel(GPT2Config(n_positions=64, n_embd=16, n_layer=1, n_head=2, **sizes))
        if family == "gpt2"
        else LlamaForCausalLM(LlamaConfig(attention_dropout=0.5, **small, **sizes))
    )
    batches = pack(random_segments(4), PACKING)

    def gap(model: PolicyModel) -> float:
        training, sampling = ([model.train(mode).score(batch)[0] for batch in batches] for mode in (True, False))
        return float((torch.cat(training) - torch.cat(sampling)).detach().abs().max())

    assert gap(PolicyModel(causal_lm)) > 1e-4
    assert gap(PolicyModel(apply_options(causal_lm, ModelConfig()))) < 1e-6


@pytest.mark.parametrize("has_gradient", [False, True])
def test_reading_without_gradient_makes_no_plan_for_each_shape(causal_lm, has_gradient: bool) -> None:
    model, uses_cudnn = PolicyModel(causal_lm), torch.backends.cuda.cudnn_sdp_enabled()
    seen = []
    model._transformer().register_forward_pre_hook(lambda *_: seen.append(torch.backends.cuda.cudnn_sdp_enabled()))
    ids = torch.zeros(1, 4, dtype=torch.int64)
    with torch.set_grad_enabled(has_gradient):
        model.hidden_states(ids, torch.arange(4)[None], None)
    assert seen == [uses_cudnn and has_gradient]
    assert torch.backends.cuda.cudnn_sdp_enabled() == uses_cudnn


def test_rows_of_one_episode_need_no_mask_however_long_they_are(causal_lm, monkeypatch) -> None:
    masks = []
    attention = torch.nn.functional.scaled_dot_product_attention

    def observed(*args, attn_mask=None, is_causal=False, **options):
        masks.append((attn_mask, is_causal))
        return attention(*args, attn_mask=attn_mask, is_causal=is_causal, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", observed)
    model, segments = PolicyModel(causal_lm), random_segments(3)
    (batch,) = pack(segments, PackingConfig(64, 1024, is_packed=False))
    assert len({len(segment.tokens) for segment in segments}) > 1
    model.score(batch)
    assert masks
    assert all(mask is None and is_causal for mask, is_causal in masks)


def test_gradient_checkpointing_gives_equal_numbers(causal_lm) -> None:
    twin = copy.deepcopy(causal_lm)
    plain, gradients = scored(PolicyModel(causal_lm).train())
    frugal, its_gradients = scored(PolicyModel(apply_options(twin, ModelConfig(gradient_checkpointing=True))).train())
    torch.testing.assert_close(frugal, plain, rtol=0, atol=1e-6)
    assert gradients.keys() == its_gradients.keys()
    for name, gradient in gradients.items():
        torch.testing.assert_close(its_gradients[name], gradient, rtol=1e-4, atol=1e-6)


def test_autocast_leaves_weights_and_loss_in_float32(causal_lm) -> None:
    plain, _ = scored(PolicyModel(causal_lm))
    rounded, gradients = scored(PolicyModel(causal_lm, autocast=True))
    assert rounded.dtype == torch.float32
    assert {gradient.dtype for gradient in gradients.values()} == {torch.float32}
    difference = (rounded - plain).abs().max()
    assert 1e-5 < difference < 0.3


def test_adapters_alone_are_trained(causal_lm) -> None:
    before = {name: p.clone() for name, p in causal_lm.named_parameters()}
    model = PolicyModel(apply_options(causal_lm, ModelConfig(lora_rank=2, lora_alpha=4)), has_value_head=True)
    groups = trainable_groups(model)
    names = {id(p): name for name, p in model.named_parameters()}
    assert all("lora" in names[id(parameter)] for parameter in groups["policy"])
    assert len(groups["value"]) == 2
    optimiser = torch.optim.AdamW(groups["policy"], lr=0.1)
    for _ in range(2):
        scored(model)
        optimiser.step()
    merged = model.causal_lm.merge_and_unload()
    frozen = {name for name, p in merged.named_parameters() if torch.equal(p, before[name])}
    assert "model.embed_tokens.weight" in frozen
    assert "model.layers.0.self_attn.q_proj.weight" not in frozen


def test_adapters_start_as_the_model_itself(causal_lm) -> None:
    plain, _ = scored(PolicyModel(copy.deepcopy(causal_lm)))
    adapted, _ = scored(PolicyModel(apply_options(causal_lm, ModelConfig(lora_rank=2))))
    torch.testing.assert_close(adapted, plain, rtol=0, atol=1e-5)


COMPILED = """
import torch
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import PackingConfig, pack
from tests.trainers.rl.tiny import random_segments

torch.set_num_threads(1)
model = PolicyModel(build_tiny_model(build_tokenizer(["a b"])))
batches = [pack(random_segments(count), PackingConfig(64, 512))[0] for count in (6, 9)]
plain = [model.score(batch)[0] for batch in batches]
model.compile(dynamic=True, backend="eager")
for batch, expected in zip(batches, plain):
    compiled = model.score(batch)[0]
    compiled.sum().backward()
    torch.testing.assert_close(compiled, expected, rtol=1e-4, atol=1e-4)
"""


@pytest.mark.slow
def test_a_compiled_model_gives_the_same_numbers(warm_python: WarmPython) -> None:
    """In a process of its own, where no annotations are checked at run time, which compiling does not follow."""
    ran = warm_python.run(["-c", COMPILED], cwd=ROOT)
    assert ran.returncode == 0, ran.stderr[-3000:]


def test_the_value_head_starts_at_zero_and_reads_the_state_before_a_token(causal_lm) -> None:
    model = PolicyModel(causal_lm, has_value_head=True)
    [batch] = pack(random_segments(1), PACKING)
    _, _, values = model.score(batch)
    assert values.tolist() == [0.0] * len(values)
    torch.nn.init.ones_(model.value_head.weight)
    hidden = causal_lm.model(batch.tokens, position_ids=batch.position_ids).last_hidden_state[0]
    expected = hidden.sum(-1)[np.flatnonzero(batch.completion_mask[0]) - 1]
    torch.testing.assert_close(model.score(batch)[2], expected, rtol=1e-4, atol=1e-4)


def test_a_frozen_copy_does_not_follow(causal_lm) -> None:
    model = PolicyModel(causal_lm)
    twin = frozen_copy(model)
    with torch.no_grad():
        causal_lm.model.embed_tokens.weight.add_(1.0)
    assert not any(parameter.requires_grad for parameter in twin.parameters())
    assert not torch.equal(twin.causal_lm.model.embed_tokens.weight, causal_lm.model.embed_tokens.weight)


def test_capped_logits_are_refused() -> None:
    config = Gemma2Config(
        vocab_size=8,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
        head_dim=8,
    )
    with pytest.raises(ConfigError, match="final_logit_softcapping"):
        PolicyModel(Gemma2ForCausalLM(config))


SMALL_PHI = {"vocab_size": 8, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}


@pytest.mark.parametrize("options", [{}, {"lora_rank": 2}], ids=["all weights", "adapters"])
def test_a_bias_of_the_output_layer_is_refused_where_it_is_not_zero(options: dict) -> None:
    model = PhiForCausalLM(PhiConfig(**SMALL_PHI, num_attention_heads=1, eos_token_id=1))
    assert not model.lm_head.bias.any()
    PolicyModel(copy.deepcopy(model))
    torch.nn.init.normal_(model.lm_head.bias)
    with pytest.raises(ConfigError, match="such as to add a bias"):
        PolicyModel(apply_options(model, ModelConfig(**options)))


def test_the_probe_of_logits_leaves_a_model_in_its_mode(causal_lm) -> None:
    assert PolicyModel(causal_lm.train()).causal_lm.training
    assert not PolicyModel(causal_lm.eval()).causal_lm.training


def share_moved(model: PolicyModel) -> float:
    """The share of trained weights that a hundred steps at a learning rate of 1e-6 move."""
    parameters = trainable_groups(model)["policy"]
    before = [parameter.detach().clone() for parameter in parameters]
    optimiser = torch.optim.AdamW(parameters, lr=1e-6, weight_decay=0.0)
    generator = torch.Generator().manual_seed(0)
    for parameter in parameters:
        parameter.grad = torch.randn(parameter.shape, generator=generator).to(parameter.dtype)
    for _ in range(100):
        optimiser.step()
    moved = [(now != then).float().mean() for now, then in zip(parameters, before, strict=True) if now.ndim == 2]
    return float(torch.stack(moved).mean())


@pytest.mark.parametrize("options", [{}, {"lora_rank": 2}], ids=["all weights", "adapters"])
def test_small_updates_move_the_weights_of_a_model_in_bfloat16(causal_lm, options: dict) -> None:
    config = ModelConfig(dtype="bfloat16", **options)
    assert share_moved(PolicyModel(apply_options(causal_lm, config))) > 0.98


def test_pure_bfloat16_rounds_small_updates_away(causal_lm) -> None:
    assert share_moved(PolicyModel(apply_options(causal_lm, ModelConfig(dtype="pure_bfloat16")))) < 0.3


def test_bfloat16_weights_are_scored_in_float32(causal_lm) -> None:
    model = PolicyModel(apply_options(causal_lm, ModelConfig(dtype="pure_bfloat16")))
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    logprobs, _ = scored(model)
    assert logprobs.dtype == torch.float32


def test_a_saved_model_is_loaded_with_its_tokenizer(causal_lm, tokenizer, tmp_path: Path) -> None:
    causal_lm.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    loaded, its_tokenizer = load_causal_lm(str(tmp_path / "model"), ModelConfig())
    assert its_tokenizer.get_vocab() == tokenizer.get_vocab()
    assert TorchPolicy(loaded, its_tokenizer).stop_ids
    for name, parameter in loaded.named_parameters():
        assert torch.equal(parameter, causal_lm.get_parameter(name))


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model.path .* holds no model; expected a folder with config\.json"):
        load_causal_lm(str(tmp_path), ModelConfig())
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        load_causal_lm(str(tmp_path), ModelConfig())


def test_first_weights_are_for_tiny_models_alone():
    assert ModelConfig(first_weights="copying").first_weights == "copying"
    with pytest.raises(ConfigError, match=r"a model of model\.path has its own weights"):
        ModelConfig(path="models/mine", first_weights="copying")
