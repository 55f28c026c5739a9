"""Trap D-20: eager attention and windows score packed rows and branches as they do episodes alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPTNeoConfig,
    GPTNeoForCausalLM,
    GptOssConfig,
    GptOssForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedModel,
)

from agentgym.trajectory import Segment
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.packing import pack
from agentgym_rl.hierarchical.branches import Branch, branch_micro_batches
from agentgym_rl.hierarchical.critic.network import CriticNetwork
from agentgym_rl.hierarchical.options import CriticConfig
from agentgym_rl.learned_attribution.towers import TurnNetwork
from tests.trainers.rl.tiny import VOCABULARY, random_segment

ALONE, PACKED = PackingConfig(32, 32), PackingConfig(64, 128)
WINDOW = 4
GROUPED: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "initializer_range": 0.3,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
KINDS = ["sliding_attention", "full_attention"]


def make(family: str) -> PreTrainedModel:
    """A model of two layers."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model: Any
        if family.startswith("llama"):
            model = LlamaForCausalLM(LlamaConfig(**GROUPED))
        elif family == "gpt-oss":
            experts = {"num_local_experts": 2, "num_experts_per_tok": 1}
            sizes = {"head_dim": 8, "sliding_window": WINDOW, "layer_types": KINDS}
            model = GptOssForCausalLM(GptOssConfig(**GROUPED, **experts, **sizes, attn_implementation="eager"))
        elif family == "gpt-neo":
            sizes = {"vocab_size": VOCABULARY, "hidden_size": 16, "num_layers": 2, "num_heads": 2}
            kinds = [[["global"], 2]]
            model = GPTNeoForCausalLM(
                GPTNeoConfig(**sizes, attention_types=kinds, initializer_range=0.3, bos_token_id=1, eos_token_id=2)
            )
        elif family == "mistral":
            model = MistralForCausalLM(MistralConfig(**GROUPED, sliding_window=WINDOW))
        else:
            sizes = {"head_dim": 8, "sliding_window": WINDOW, "layer_types": KINDS}
            model = Gemma3ForCausalLM(Gemma3TextConfig(**GROUPED, **sizes))
        model.set_attn_implementation("sdpa" if family in ("llama", "mistral", "gemma3") else "eager")
        return model.eval() if family == "gpt-oss" else model.double().eval()  # its experts take no float64


families = pytest.mark.parametrize("family", ["llama", "llama-eager", "gpt-oss", "gpt-neo", "mistral", "gemma3"])


def episodes() -> list[Segment]:
    """Two turns each, longer than the window."""
    rng = np.random.default_rng(1)
    return [random_segment(rng, f"e{i}", [(3 + i, 4), (2, 3)]) for i in range(4)]


@torch.no_grad()
def scores(model: PreTrainedModel, batches: Iterable[MicroBatch]) -> dict[int, np.ndarray]:
    """Log-probabilities by segment; NaN where nothing was sampled."""
    policy, found = PolicyModel(model), {}
    for batch in batches:
        found.update(batch.unflatten(policy.score(batch)[0]))
    return found


def alone(model: PreTrainedModel, segments: list[Segment]) -> list[np.ndarray]:
    """The same of each in a row of its own."""
    return [scores(model, pack([segment], ALONE))[0] for segment in segments]


@families
def test_packed_episodes_are_scored_as_if_each_were_alone(family: str) -> None:
    model, segments = make(family), episodes()
    packed = scores(model, pack(segments, PACKED))
    for index, expected in enumerate(alone(model, segments)):
        np.testing.assert_allclose(packed[index], expected, atol=1e-5)


@families
def test_branches_are_scored_as_if_each_were_alone(family: str) -> None:
    model, segments = make(family), episodes()
    rng = np.random.default_rng(2)
    actions = [rng.integers(1, VOCABULARY, 3).astype(np.int32) for _ in range(2 * len(segments))]
    starts = [start for i in range(len(segments)) for start in (3 + i, 9 + i)]
    branches = [Branch(n // 2, starts[n], n % 2, ids) for n, ids in enumerate(actions)]
    found = scores(model, branch_micro_batches(segments, branches, PACKED, has_stored=True))
    for index, expected in enumerate(alone(model, segments)):
        np.testing.assert_allclose(found[index], expected, atol=1e-5)
    for number, branch in enumerate(branches):
        trunk, at = segments[branch.trunk], branch.start
        plain = random_segment(rng, "plain", [(at, len(branch.action_ids))])
        plain.tokens[:] = np.append(trunk.tokens[:at], branch.action_ids)
        [expected] = alone(model, [plain])
        np.testing.assert_allclose(found[len(segments) + number][1:], expected[at:], atol=1e-5)


@families
def test_a_token_moves_no_earlier_logprob_of_a_packed_row(family: str) -> None:
    model, segments = make(family), episodes()
    before = scores(model, pack(segments, PACKED))
    at = 8
    segments[1].tokens[at] = segments[1].tokens[at] % (VOCABULARY - 1) + 1
    after = scores(model, pack(segments, PACKED))
    for index in before:
        kept = slice(0, at) if index == 1 else slice(None)
        np.testing.assert_allclose(after[index][kept], before[index][kept], atol=1e-6)
    assert np.nanmax(np.abs(after[1] - before[1])) > 1e-4


@families
def test_towers_of_critics_and_raters_read_packed_rows_as_rows_of_their_own(family: str) -> None:
    segments = episodes()
    critic = CriticNetwork(16, CriticConfig(reads="history"), make(family))
    rater = TurnNetwork(make(family).base_model, 16, trains_tower=False)

    @torch.no_grad()
    def read(batch: MicroBatch) -> dict[int, np.ndarray]:
        states = [critic.encode(batch), rater.hidden(batch)]
        spans = {p.segment: (p.row, slice(p.start, p.start + p.length)) for p in batch.placements}
        return {index: np.stack([each[span].double().numpy() for each in states]) for index, span in spans.items()}

    packed = {index: states for batch in pack(segments, PACKED) for index, states in read(batch).items()}
    for index, segment in enumerate(segments):
        [batch] = pack([segment], ALONE)
        np.testing.assert_allclose(packed[index], read(batch)[0], atol=1e-5)


@pytest.mark.parametrize("family", ["llama-eager", "mistral"])
def test_packed_rows_are_scored_so_under_autocast(family: str) -> None:
    model, segments = make(family).float(), episodes()
    policy = PolicyModel(model, autocast=True)
    found: list[dict[int, np.ndarray]] = []
    for config in (PACKED, PackingConfig(64, 1024, is_packed=False)):
        with torch.no_grad():
            found.append({k: v for b in pack(segments, config) for k, v in b.unflatten(policy.score(b)[0]).items()})
    for index, values in found[0].items():
        np.testing.assert_allclose(values, found[1][index], atol=0.1)
