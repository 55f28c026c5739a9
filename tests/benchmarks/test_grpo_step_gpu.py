import pytest
import torch
from transformers import LlamaForCausalLM

from agentgym.prompting.tiny import build_tokenizer
from benchmarks.grpo_step_gpu import Load, figures_of, flops_per_token, half_billion, run


def test_half_billion_has_half_a_billion_parameters():
    with torch.device("meta"):
        model = LlamaForCausalLM(half_billion(build_tokenizer(["some words"])))
    assert sum(parameter.numel() for parameter in model.parameters()) == pytest.approx(0.5e9, rel=0.05)


def test_flops_are_six_a_parameter_and_grow_with_context():
    shape = half_billion(build_tokenizer([]))
    assert flops_per_token(shape, 1000, 0) == 6000
    assert flops_per_token(shape, 1000, 10) == 6000 + 6 * 24 * 1280 * 10


def test_rates_follow_from_an_iterations_metrics():
    metrics = {
        "time/iteration_s": 5.0,
        "time/collect_s": 2.0,
        "tokens/sampled": 100.0,
        "tokens/mask_coverage": 0.25,
    }
    found = figures_of(metrics, half_billion(build_tokenizer([])), 10, Load(tasks=1, group_size=1))
    assert found["sampled_tokens_per_s"] == 50.0
    assert found["trained_tokens_per_s"] == pytest.approx(400 / 3)


def test_a_tiny_model_runs_the_same_way(tmp_path):
    found = run(tmp_path, Load(tasks=1, group_size=2, message_tokens=4, iterations=1), is_tiny=True)
    assert found["iteration_s"]["median"] > 0
    assert found["parameters"] > 100_000
