import json

import numpy as np
import pytest
import torch

from agentgym.errors import CheckpointError, ConfigError, ContextOverflowError, ContractError
from agentgym.policies.torch.policy import TorchLimits, TorchPolicy
from agentgym.policy import Policy
from tests.policies.torch.asking import FAMILIES, ask, ragged_prompts, recompute


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_equals_generate_of_transformers(policy_of, family):
    policy = policy_of(family, stop_ids=[10**9])
    prompts = ragged_prompts(7)
    replies = policy.generate([ask(p, episode=str(i), temperature=0.0) for i, p in enumerate(prompts)])
    for prompt, reply in zip(prompts, replies, strict=True):
        ids = torch.tensor([prompt])
        expected = policy.model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False)
        assert reply.ids.tolist() == expected[0, len(prompt) :].tolist()
        assert reply.logprobs is None


@pytest.mark.parametrize("family", FAMILIES)
def test_logprobs_equal_those_recomputed_over_several_turns(policy_of, family):
    # Trap D-19, with the cache of earlier turns in use.
    policy = policy_of(family)
    prompts = ragged_prompts(9)
    for turn in range(3):
        requests = [
            ask(p, episode=str(i), seed=31 * i + turn, turn=turn, temperature=0.7) for i, p in enumerate(prompts)
        ]
        replies = policy.generate(requests)
        for prompt, reply in zip(prompts, replies, strict=True):
            assert reply.logprobs.dtype == np.float32
            np.testing.assert_allclose(reply.logprobs, recompute(policy.model, prompt, reply.ids, 0.7), atol=1e-4)
        new = ragged_prompts(9, seed=turn + 1)
        prompts = [[*p, *r.ids.tolist(), *n] for p, r, n in zip(prompts, replies, new, strict=True)]


def test_a_reply_does_not_depend_on_the_batch(policy_of):
    prompts = ragged_prompts(20)
    requests = [
        ask(p, episode=str(i), seed=i, max_tokens=3 + i, temperature=0.5 + i / 20) for i, p in enumerate(prompts)
    ]
    together = policy_of().generate(requests)
    backwards = policy_of().generate(requests[::-1])[::-1]
    small = policy_of(limits=TorchLimits(batch_tokens=150, prefill_tokens=30, cache_tokens=0)).generate(requests)
    for i, request in enumerate(requests):
        alone = policy_of().generate([request])[0]
        for other in (together[i], backwards[i], small[i]):
            assert alone.ids.tolist() == other.ids.tolist()
            np.testing.assert_allclose(alone.logprobs, other.logprobs, atol=1e-5)


def test_equal_prompts_are_drawn_by_their_own_seeds(policy_of):
    prompt = ragged_prompts(1)[0]
    policy = policy_of(stop_ids=[10**9])
    replies = policy.generate([ask(prompt, episode=str(i), seed=i % 8) for i in range(16)])
    texts = [tuple(reply.ids) for reply in replies]
    assert texts[:8] == texts[8:]
    assert len(set(texts)) == 8
    for reply in replies:
        np.testing.assert_allclose(reply.logprobs, recompute(policy.model, prompt, reply.ids), atol=1e-4)


def test_kept_prefix_saves_the_model_from_old_tokens(policy_of, monkeypatch):
    policy = policy_of("qwen3")
    widths = []
    forward = policy._decoder.forward
    monkeypatch.setattr(
        policy._decoder, "forward", lambda ids, *rest: widths.append(ids.shape[1]) or forward(ids, *rest)
    )
    prompt = ragged_prompts(1, 30, 31)[0]
    first = policy.generate([ask(prompt, max_tokens=5)])[0]
    assert widths[0] == 30
    widths.clear()
    policy.generate([ask([*prompt, *first.ids.tolist(), 7, 8, 9], turn=1)])
    assert widths[0] == 4  # three new tokens and the one sampled last


@pytest.mark.parametrize("batch_tokens", [10_000, 160])
@pytest.mark.parametrize("family", FAMILIES)
def test_prompts_that_begin_alike_pass_through_the_model_once(policy_of, monkeypatch, family, batch_tokens):
    policy = policy_of(family, limits=TorchLimits(batch_tokens=batch_tokens))
    first, second = ragged_prompts(2, 30, 31)
    fork = [*first[:20], (first[20] + 1) % 200, 4]
    prompts = [first[:22], second, first, first[:16], fork, first[:16], second[:29]]
    requests = [ask(p, episode=str(i), seed=i, max_tokens=5) for i, p in enumerate(prompts)]
    alone = [policy_of(family).generate([request])[0] for request in requests]
    num_new = []
    forward = policy._decoder.forward
    monkeypatch.setattr(
        policy._decoder, "forward", lambda ids, *rest: num_new.append(ids.numel()) or forward(ids, *rest)
    )
    replies = policy.generate(requests)
    if batch_tokens == 10_000:
        assert num_new[:2] == [2 * 30 + 30, 3], "of first, second and fork all, of three others the last token"
    for prompt, reply, expected in zip(prompts, replies, alone, strict=True):
        assert reply.ids.tolist() == expected.ids.tolist()
        np.testing.assert_allclose(reply.logprobs, recompute(policy.model, prompt, reply.ids), atol=1e-4)


def test_what_has_no_next_turn_is_not_kept(policy_of):
    policy = policy_of()
    prompt = ragged_prompts(1, 30, 31)[0]
    kept = policy.generate([ask(prompt, max_tokens=5)])[0]
    num_tokens = policy.cached_tokens
    other = policy.generate([ask(prompt[:20], episode="other", max_tokens=5)], keeps_states=False)[0]
    assert policy.cached_tokens == num_tokens > 0
    np.testing.assert_allclose(other.logprobs, recompute(policy.model, prompt[:20], other.ids), atol=1e-4)
    followed = [*prompt, *kept.ids.tolist(), 7]
    reply = policy.generate([ask(followed, turn=1)])[0]
    np.testing.assert_allclose(reply.logprobs, recompute(policy.model, followed, reply.ids), atol=1e-4)


def test_a_changed_prefix_is_computed_anew(policy_of):
    policy = policy_of()
    prompt = ragged_prompts(1, 30, 31)[0]
    policy.generate([ask(prompt, max_tokens=5)])
    changed = [*prompt[:10], (prompt[10] + 1) % 200, *prompt[11:], 5]
    reply = policy.generate([ask(changed, turn=1)])[0]
    np.testing.assert_allclose(reply.logprobs, recompute(policy.model, changed, reply.ids), atol=1e-4)
    shorter = policy.generate([ask(prompt[:4], turn=2)])[0]
    np.testing.assert_allclose(shorter.logprobs, recompute(policy.model, prompt[:4], shorter.ids), atol=1e-4)


def test_new_weights_drop_what_the_old_ones_computed(policy_of, make_model):
    # Trap D-23: the module is shared with a trainer that changes it in place.
    model = make_model("llama")
    policy = policy_of(model=model)
    prompt = ragged_prompts(1, 30, 31)[0]
    before = policy.generate([ask(prompt, temperature=0.0)])[0]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(0)))
    policy.load_weights(model, 1)
    assert policy.cached_tokens == 0
    after = policy.generate([ask(prompt, temperature=0.0)])[0]
    assert (before.version, after.version) == (0, 1)
    assert before.ids.tolist() != after.ids.tolist()
    sampled = policy.generate([ask(prompt)])[0]
    np.testing.assert_allclose(sampled.logprobs, recompute(model, prompt, sampled.ids), atol=1e-4)


def test_fingerprint_tells_weights_apart(policy_of, make_model):
    policy = policy_of("llama")
    before = policy.fingerprint
    assert before == policy_of("llama").fingerprint
    with torch.no_grad():
        next(policy.model.parameters())[0, 0] += 1e-6
    assert policy.fingerprint != before
    policy.model.to(torch.bfloat16)
    assert policy.fingerprint not in (before, "")


def test_weights_changed_without_a_version_are_refused(policy_of):
    policy = policy_of()
    optimizer = torch.optim.AdamW(policy.model.parameters())
    for parameter in policy.model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    with pytest.raises(ContractError, match="load_weights"):
        policy.generate([ask([1, 2])])


def test_load_weights_takes_a_state_dict_and_refuses_another_shape(policy_of, make_model):
    policy, source = policy_of(), make_model("llama")
    with torch.no_grad():
        source.model.norm.weight.mul_(2)
    policy.load_weights(source.state_dict(), 4)
    reply = policy.generate([ask([1, 2, 3])])[0]
    assert reply.version == 4
    np.testing.assert_allclose(reply.logprobs, recompute(source, [1, 2, 3], reply.ids), atol=1e-4)
    with pytest.raises(ConfigError, match="version 5"):
        policy.load_weights(make_model("llama-grouped").state_dict(), 5)


def test_training_mode_of_each_part_is_restored(policy_of):
    policy = policy_of()
    policy.model.train()
    policy.model.model.norm.eval()
    policy.generate([ask([1, 2])])
    assert policy.model.training
    assert policy.model.model.layers[0].training
    assert not policy.model.model.norm.training


def test_message_ends_at_a_stop_token_or_is_cut(policy_of, tokenizer):
    policy = policy_of()
    with torch.no_grad():
        policy.model.model.embed_tokens.weight[tokenizer.eos_token_id].mul_(2)
    policy.load_weights(policy.model, 1)
    replies = policy.generate([ask([1, 2, 3], episode=str(i), seed=i, max_tokens=20) for i in range(60)])
    stopped = [r for r in replies if not r.was_cut]
    assert 0 < len(stopped) < 60
    for reply in replies:
        stops = np.flatnonzero(reply.ids == tokenizer.eos_token_id)
        assert stops.tolist() == ([] if reply.was_cut else [len(reply.ids) - 1])
        assert len(reply.ids) == 20 if reply.was_cut else len(reply.ids) <= 20
        assert len(reply.ids) == len(reply.logprobs)
        text = reply.ids if reply.was_cut else reply.ids[:-1]
        assert reply.text == tokenizer.decode(text.tolist(), skip_special_tokens=False)


def test_drawn_tokens_follow_the_distribution(policy_of):
    policy = policy_of()
    prompt, temperature, count = [5, 6, 7], 0.8, 4000
    requests = [ask(prompt, episode=str(i), seed=i, max_tokens=1, temperature=temperature) for i in range(count)]
    drawn = np.array([reply.ids[0] for reply in policy.generate(requests)])
    with torch.no_grad():
        logits = policy.model(input_ids=torch.tensor([prompt])).logits[0, -1]
    expected = torch.softmax(logits / temperature, -1).numpy()
    counts = np.bincount(drawn, minlength=len(expected))
    spread = np.sqrt(count * expected * (1 - expected))
    assert (np.abs(counts - count * expected) <= 5 * spread + 3).all()


def test_oldest_episodes_leave_the_cache_first(policy_of):
    policy = policy_of(limits=TorchLimits(cache_tokens=100))
    prompt = list(range(30))
    for episode in ("a", "b", "c"):
        policy.generate([ask(prompt, episode=episode, max_tokens=1)])
    assert policy.cached_tokens <= 100
    assert policy._store.known("a", np.array(prompt)) == 0
    assert policy._store.known("c", np.array(prompt)) == 29
    policy.forget("c")
    policy.forget("never seen")
    assert policy._store.known("c", np.array(prompt)) == 0


def test_an_episode_that_an_earlier_batch_pushed_out_is_computed_anew(policy_of):
    policy = policy_of(limits=TorchLimits(cache_tokens=50, batch_tokens=48), stop_ids=[10**9])
    prompts = [list(range(10)), list(range(20, 30))]
    openings = policy.generate([ask(p, episode=str(i), max_tokens=4) for i, p in enumerate(prompts)])
    longer = [
        [*p, *reply.ids.tolist(), *range(18 - 4 * i)]
        for i, (p, reply) in enumerate(zip(prompts, openings, strict=True))
    ]
    requests = [ask(p, episode=str(i), turn=1, seed=i, max_tokens=4) for i, p in enumerate(longer)]
    assert all(policy._store.known(request.episode, np.array(request.prompt_ids)) for request in requests)
    replies = policy.generate(requests)
    fresh = policy_of(model=policy.model, stop_ids=[10**9]).generate(requests)
    assert [reply.ids.tolist() for reply in replies] == [reply.ids.tolist() for reply in fresh]


def test_context_bounds_prompt_and_message(policy_of):
    policy = policy_of(stop_ids=[10**9], limits=TorchLimits(max_context=10))
    reply = policy.generate([ask([1] * 7)])[0]
    assert len(reply.ids) == 3
    assert reply.was_cut
    for prompt in ([1] * 10, []):
        with pytest.raises(ContextOverflowError, match="expected 1 to 9"):
            policy.generate([ask(prompt)])


def test_nucleus_sampling_draws_likely_tokens_without_logprobs(policy_of):
    policy = policy_of()
    replies = policy.generate([ask([5, 6], episode=str(i), seed=i, max_tokens=1, top_p=0.3) for i in range(300)])
    with torch.no_grad():
        probabilities = torch.softmax(policy.model(input_ids=torch.tensor([[5, 6]])).logits[0, -1], -1)
    ranked = probabilities.sort(descending=True)
    size = int((ranked.values.cumsum(0) < 0.3).sum()) + 1
    assert {int(reply.ids[0]) for reply in replies} == set(ranked.indices[:size].tolist())
    assert all(reply.logprobs is None for reply in replies)


def test_diverged_weights_are_reported(policy_of):
    policy = policy_of()
    with torch.no_grad():
        policy.model.model.norm.weight.fill_(float("nan"))
    policy.load_weights(policy.model, 1)
    with pytest.raises(ContractError, match="diverged"):
        policy.generate([ask([1, 2])])
    with torch.no_grad():
        policy.model.model.norm.weight.fill_(1.0)
    policy.load_weights(policy.model, 2)
    assert np.isfinite(policy.generate([ask([1, 2])])[0].logprobs).all()


def test_load_reads_a_saved_folder(policy_of, tokenizer, tmp_path):
    source = policy_of()
    source.model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    loaded = TorchPolicy.load(tmp_path, max_context=100)
    assert isinstance(loaded, Policy)
    assert loaded.max_context == 100
    assert loaded.name == f"torch:{tmp_path}"
    assert loaded.stop_ids == {tokenizer.eos_token_id}
    requests = [ask(p, episode=str(i), seed=i) for i, p in enumerate(ragged_prompts(5))]
    for ours, theirs in zip(loaded.generate(requests), source.generate(requests), strict=True):
        assert ours.ids.tolist() == theirs.ids.tolist()


def test_load_refuses_folders_without_a_usable_model(tmp_path):
    with pytest.raises(ConfigError, match=r"config\.json"):
        TorchPolicy.load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such-model"}))
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        TorchPolicy.load(tmp_path)


def test_half_precision_decodes_nearly_the_same(policy_of, tokenizer, tmp_path):
    source = policy_of("qwen3")
    source.model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    policy = TorchPolicy.load(tmp_path, dtype="bfloat16")
    requests = [ask(p, episode=str(i), seed=i) for i, p in enumerate(ragged_prompts(5))]
    for request, reply in zip(requests, policy.generate(requests), strict=True):
        assert reply.logprobs.dtype == np.float32
        recomputed = recompute(policy.model, request.prompt_ids, reply.ids)
        assert np.abs(reply.logprobs - recomputed).mean() < 0.15


def test_requests_without_ids_are_refused(policy_of):
    with pytest.raises(ContractError, match="prompt_ids"):
        policy_of().generate([ask(None)])
    assert policy_of().generate([]) == []


@pytest.mark.parametrize("family", ["llama", "llama-grouped"])
def test_short_path_equals_transformers(policy_of, family):
    policy = policy_of(family)
    assert policy._network.llama is not None
    seen = []
    short = policy._decoder.forward

    def both(ids, positions, masks, window):
        logits = short(ids, positions, masks, window)
        expected = policy._network.transformers(ids, positions, masks, window, 1)[:, 0]
        seen.append(float((logits - expected).abs().max() / expected.abs().max()))
        return logits

    policy._decoder.forward = both
    policy.generate([ask(p, episode=str(i), seed=i) for i, p in enumerate(ragged_prompts(9))])
    assert len(seen) > 5
    assert max(seen) < 1e-5


@pytest.mark.parametrize("settings", [{"max_context": 1}, {"batch_tokens": 0}, {"cache_tokens": -1}])
def test_limits_are_checked(settings):
    with pytest.raises(ConfigError):
        TorchLimits(**settings)
