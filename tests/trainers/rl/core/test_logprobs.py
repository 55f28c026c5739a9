from __future__ import annotations

import pytest
import torch

from agentgym.errors import ConfigError, ContractError
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.logprobs import states_before, token_logprobs
from agentgym_rl.core.packing import pack
from tests.trainers.rl import planted
from tests.trainers.rl.planted import trap
from tests.trainers.rl.tiny import VOCABULARY, hidden_states, random_segments, tiny_llama

ROWS, LENGTH, WIDTH = 3, 11, 5


def random_inputs(dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(ROWS, LENGTH, WIDTH, generator=generator, dtype=dtype).requires_grad_()
    head = torch.randn(VOCABULARY, WIDTH, generator=generator, dtype=dtype).requires_grad_()
    tokens = torch.randint(0, VOCABULARY, (ROWS, LENGTH), generator=generator)
    mask = torch.rand(ROWS, LENGTH, generator=generator) < 0.6
    mask[:, 0] = False
    return hidden, head, tokens, mask


def slow_logprobs(hidden, head, tokens, mask, temperature: float) -> tuple[torch.Tensor, torch.Tensor]:
    logprobs, entropies = [], []
    for row, k in mask.nonzero().tolist():
        distribution = torch.distributions.Categorical(logits=head @ hidden[row, k - 1] / temperature)
        logprobs.append(distribution.log_prob(tokens[row, k]))
        entropies.append(distribution.entropy())
    return torch.stack(logprobs), torch.stack(entropies)


@pytest.mark.parametrize("chunk_tokens", [None, 1, 4, 1000])
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_logprobs_entropies_and_gradients_equal_the_slow_version(chunk_tokens: int | None, temperature: float) -> None:
    hidden, head, tokens, mask = random_inputs()
    options = {"temperature": temperature, "chunk_tokens": chunk_tokens, "entropy": "gradient"}
    got = token_logprobs(hidden, head, tokens, mask, **options)
    expected = slow_logprobs(hidden, head, tokens, mask, temperature)
    torch.testing.assert_close(got, expected)
    scale = torch.linspace(-1, 1, len(got[0]), dtype=torch.float64)
    ours = torch.autograd.grad((scale * got[0] + got[1]).sum(), (hidden, head))
    slow = torch.autograd.grad((scale * expected[0] + expected[1]).sum(), (hidden, head))
    torch.testing.assert_close(ours, slow)


def test_half_precision_states_are_normalised_in_float32() -> None:
    hidden, head, tokens, mask = random_inputs(torch.bfloat16)
    logprobs, entropy = token_logprobs(hidden, head, tokens, mask)
    assert logprobs.dtype == entropy.dtype == torch.float32


def test_chunks_bound_the_memory_that_the_backward_pass_keeps() -> None:
    hidden, head, tokens, mask = random_inputs()
    num_sampled = int(mask.sum())

    def largest_saved(chunk_tokens: int) -> int:
        sizes = [0]

        def note(tensor: torch.Tensor) -> torch.Tensor:
            sizes.append(tensor.shape[0] if tensor.shape[-1:] == (VOCABULARY,) else 0)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            token_logprobs(hidden, head, tokens, mask, chunk_tokens=chunk_tokens)
        return max(sizes)

    assert largest_saved(num_sampled) == num_sampled
    assert largest_saved(4) == 0


@trap(token_logprobs, planted.logprobs_from_own_state, planted.logprobs_with_shifted_mask)
def test_a_sampled_token_trains_exactly_the_state_before_it(logprobs_of) -> None:
    """Trap D-1."""
    hidden, head, tokens, _ = random_inputs()
    k = 6
    mask = torch.zeros(ROWS, LENGTH, dtype=torch.bool)
    mask[1, k] = True
    (gradient,) = torch.autograd.grad(logprobs_of(hidden, head, tokens, mask)[0].sum(), hidden)
    assert gradient.abs().sum(-1).nonzero().tolist() == [[1, k - 1]]


@trap(token_logprobs, planted.logprobs_of_prompts, planted.logprobs_with_shifted_mask)
def test_text_of_others_gets_no_gradient(logprobs_of) -> None:
    """Trap D-2."""
    hidden, head, tokens, mask = random_inputs()
    (gradient,) = torch.autograd.grad(logprobs_of(hidden, head, tokens, mask)[0].sum(), hidden)
    touched = gradient.abs().sum(-1) > 0
    assert torch.equal(touched[:, :-1], mask[:, 1:])
    assert not touched[:, -1].any()


@trap(token_logprobs, planted.logprobs_of_prompts)
def test_a_step_with_positive_advantage_raises_the_sampled_tokens(logprobs_of) -> None:
    """Trap D-2: only what the policy sampled is judged, so the check reads it without the function under test."""
    hidden, head, tokens, mask = random_inputs()
    before = slow_logprobs(hidden, head, tokens, mask, 1.0)[0].sum()
    (gradient,) = torch.autograd.grad(-logprobs_of(hidden, head, tokens, mask)[0].sum(), hidden)
    after = slow_logprobs(hidden - 1e-3 * gradient, head, tokens, mask, 1.0)[0].sum()
    assert after > before + 1e-4


@trap(token_logprobs, planted.logprobs_without_temperature)
def test_recomputed_logprobs_equal_those_recorded_while_sampling(logprobs_of) -> None:
    """Trap D-19: tokens drawn one by one at temperature 0.7, recomputed in one pass, in float32."""
    model, temperature = tiny_llama(), 0.7
    generator = torch.Generator().manual_seed(0)
    ids, recorded = torch.randint(0, VOCABULARY, (2, 4), generator=generator), []
    with torch.no_grad():
        for _ in range(8):
            logits = model(input_ids=ids, use_cache=False).logits[:, -1].float() / temperature
            drawn = torch.multinomial(logits.softmax(-1), 1, generator=generator)
            recorded.append(logits.log_softmax(-1).gather(-1, drawn))
            ids = torch.cat([ids, drawn], dim=1)
        hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state.float()
        mask = torch.zeros_like(ids, dtype=torch.bool)
        mask[:, 4:] = True
        got, _ = logprobs_of(hidden, model.lm_head.weight.float(), ids, mask, temperature=temperature)
    assert (got - torch.cat(recorded, dim=1).flatten()).abs().max() < 1e-4


def test_values_and_logprobs_read_the_same_states() -> None:
    (batch,) = pack(random_segments(2), PackingConfig(64, 128))
    states = states_before(hidden_states(batch), batch.completion_mask)
    logits = states @ tiny_llama().lm_head.weight.T
    expected = logits.log_softmax(-1).gather(-1, batch.tokens[batch.completion_mask][:, None])[:, 0]
    got, _ = token_logprobs(hidden_states(batch), tiny_llama().lm_head.weight, batch.tokens, batch.completion_mask)
    torch.testing.assert_close(got, expected)


def test_entropy_carries_a_gradient_only_on_request() -> None:
    hidden, head, tokens, mask = random_inputs()
    assert not token_logprobs(hidden, head, tokens, mask)[1].requires_grad
    assert token_logprobs(hidden, head, tokens, mask, entropy="gradient")[1].requires_grad


@pytest.mark.parametrize("chunk_tokens", [None, 3])
def test_entropy_is_left_out_on_request(chunk_tokens: int | None) -> None:
    hidden, head, tokens, mask = random_inputs()
    expected, _ = token_logprobs(hidden, head, tokens, mask)
    logprobs, entropy = token_logprobs(hidden, head, tokens, mask, chunk_tokens=chunk_tokens, entropy="none")
    torch.testing.assert_close(logprobs, expected)
    assert len(entropy) == 0


def test_no_sampled_token_gives_an_empty_result_that_can_be_differentiated() -> None:
    hidden, head, tokens, mask = random_inputs()
    logprobs, entropy = token_logprobs(hidden, head, tokens, torch.zeros_like(mask))
    logprobs.sum().backward()
    assert len(logprobs) == len(entropy) == 0
    assert hidden.grad is not None
    assert not hidden.grad.any()


def test_impossible_inputs_are_refused() -> None:
    hidden, head, tokens, mask = random_inputs()
    with pytest.raises(ConfigError, match="greedy samples have no log-probability"):
        token_logprobs(hidden, head, tokens, mask, temperature=0.0)
    with pytest.raises(ContractError, match="first token of a row"):
        token_logprobs(hidden, head, tokens, torch.ones_like(mask))
