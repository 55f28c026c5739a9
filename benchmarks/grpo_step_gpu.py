"""One training iteration of a 0.5 B-parameter model on a GPU, with the share of its arithmetic peak that is used.

The model is a Llama from a configuration with random weights in bfloat16 and the tiny tokenizer of tools/lookup. Random
weights make no tool call, so that the work is fixed: every episode is three messages of the full length, each refused
as invalid, each prompt rendered and prefilled as in training. 16 groups of 16 episodes an iteration.

Model FLOPs utilisation counts, for a token of context T, 6 N + 6 L D T floating-point operations in the update and a
third of that in the rollout, N being the parameters, L the layers and D the width of all heads (Chowdhery et al. 2022,
arXiv 2204.02311, appendix B; half of its attention term, as attention is causal); padding and recomputation count as
nothing. Without a GPU a tiny model runs in the same way, to show that it does; its figures mean little.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from agentgym.config import Source
from agentgym.prompting.tiny import tiny_llama_config
from agentgym.registration import make
from agentgym.store import RunStore
from agentgym.suite import load_suite
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.run.config import config_from_tables
from agentgym_rl.run.journal import Journal, Metrics
from agentgym_rl.run.setup import assemble, suite_tokenizer
from agentgym_rl.run.trainer import Trainer
from benchmarks.measure import Spread
from benchmarks.report import Report, main, progress

PACKAGES = ("agentgymnasium", "torch", "transformers")
PEAK_FLOPS = {"H100": 989e12, "H200": 989e12, "A100": 312e12, "L40S": 362e12, "4090": 165e12}
"""Dense bfloat16 operations a second, from the vendor's data sheets, by a part of the device's name."""
_SUITE = "tools/lookup"


@dataclass(frozen=True)
class Load:
    """The size of the work."""

    tasks: int = 16
    group_size: int = 16
    message_tokens: int = 256
    iterations: int = 3
    micro_batch_tokens: int = 16_384


class Keeper(Journal):
    """A journal that keeps each iteration's metrics."""

    def __init__(self, store: RunStore, folder: Path) -> None:
        super().__init__(store, folder)
        self.kept: list[Metrics] = []

    def record(self, iteration: int, metrics: Metrics, phase: str = "train") -> None:
        """Write and keep an iteration's numbers."""
        super().record(iteration, metrics, phase)
        self.kept.append(metrics)


def half_billion(tokenizer: PreTrainedTokenizerFast) -> LlamaConfig:
    """A Llama of 0.52 billion parameters."""
    config = tiny_llama_config(tokenizer)
    config.update(
        {
            "hidden_size": 1280,
            "intermediate_size": 4608,
            "num_hidden_layers": 24,
            "num_attention_heads": 20,
            "num_key_value_heads": 4,
            "head_dim": 64,
        }
    )
    return config


def save_model(folder: Path, is_tiny: bool) -> LlamaConfig:
    """Write a model with random weights, and its tokenizer."""
    suite = load_suite(_SUITE)
    env = make(suite.env, **suite.env_options)
    tokenizer = suite_tokenizer(suite, [dict(tool) for tool in env.tools])
    config = tiny_llama_config(tokenizer) if is_tiny else half_billion(tokenizer)
    torch.manual_seed(0)
    model = cast(nn.Module, LlamaForCausalLM(config)).to(torch.bfloat16)
    cast(LlamaForCausalLM, model).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return config


def config_of(model: Path, load: Load) -> TrainConfig:
    """The trainer's configuration."""
    tables: dict[str, Any] = {
        "run": {"suite": _SUITE, "iterations": load.iterations + 1},
        "model": {"path": str(model), "dtype": "bfloat16"},
        "group": {"size": load.group_size, "tasks": load.tasks, "dynamic_sampling": "keep"},
        "rollout": {"sampling": {"temperature": 1.0, "max_tokens": load.message_tokens}},
        "algorithm": {"preset": "dapo"},
        "packing": {"row_length": 2048, "micro_batch_tokens": load.micro_batch_tokens},
        "validation": {"every": 0, "has_final_test": False},
        "checkpoint": {"every": 1000},
        "watch": {"max_zero_variance_iterations": 1000, "max_invalid_iterations": 1000},
    }
    return config_from_tables(tables, Source())


def run(folder: Path, load: Load, is_tiny: bool) -> dict[str, Any]:
    """Train and return the figures of the measured iterations; the first one is not measured."""
    shape = save_model(folder / "model", is_tiny)
    config = config_of(folder / "model", load)
    parts = assemble(config)
    num_parameters = sum(parameter.numel() for parameter in parts.model.parameters())
    with RunStore.create(folder / "run", {"kind": "train"}) as store:
        keeper = Keeper(store, folder / "run")
        Trainer(
            config,
            parts.suite,
            parts.model,
            parts.policy,
            reference=None,
            store=store,
            folder=folder / "run",
            journal=keeper,
        ).run()
        keeper.close()
    measured = [figures_of(metrics, shape, num_parameters, load) for metrics in keeper.kept[1:]]
    names = measured[0]
    return {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "parameters": num_parameters,
        "peak_mb": peak_bytes() / 1e6,
        **{name: Spread.of([each[name] for each in measured]).to_json() for name in names},
    }


def figures_of(metrics: Mapping[str, float], shape: LlamaConfig, num_parameters: int, load: Load) -> dict[str, float]:
    """Rates and utilisation of one iteration."""
    collect_s = metrics["time/collect_s"]
    update_s = metrics["time/iteration_s"] - collect_s
    sampled = metrics["tokens/sampled"]
    tokens = sampled / metrics["tokens/mask_coverage"]
    length = tokens / (load.tasks * load.group_size)
    flops = tokens * flops_per_token(shape, num_parameters, length)
    figures = {
        "iteration_s": metrics["time/iteration_s"],
        "collect_s": collect_s,
        "sampled_tokens_per_s": sampled / collect_s,
        "trained_tokens_per_s": tokens / update_s,
    }
    peak = peak_flops()
    if peak:
        figures["update_mfu"] = flops / update_s / peak
        figures["collect_mfu"] = flops / 3 / collect_s / peak
        figures["iteration_mfu"] = flops * 4 / 3 / metrics["time/iteration_s"] / peak
    return figures


def flops_per_token(shape: LlamaConfig, num_parameters: int, length: float) -> float:
    """Operations of forward and backward for one token of a sequence of this length."""
    width = shape.num_attention_heads * (shape.head_dim or shape.hidden_size // shape.num_attention_heads)
    return 6 * num_parameters + 6 * shape.num_hidden_layers * width * length


def peak_flops() -> float | None:
    """The GPU's arithmetic peak; None without a GPU or for an unknown one."""
    if not torch.cuda.is_available():
        return None
    name = torch.cuda.get_device_name()
    return next((flops for part, flops in PEAK_FLOPS.items() if part in name), None)


def peak_bytes() -> int:
    """Largest memory so far: of torch on the GPU, else resident."""
    if torch.cuda.is_available():
        return int(torch.cuda.max_memory_allocated())
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(is_quick: bool) -> Report:
    """The figures on this machine's device."""
    has_gpu = torch.cuda.is_available()
    if not has_gpu:
        progress("no GPU: a tiny model runs instead, its figures mean little")
    load = Load() if has_gpu and not is_quick else Load(tasks=2, group_size=8, message_tokens=32, iterations=1)
    with tempfile.TemporaryDirectory(prefix="grpo-step-gpu-") as folder:
        return Report(figures=run(Path(folder), load, is_tiny=not has_gpu), setting=load.__dict__)


if __name__ == "__main__":
    sys.exit(main("grpo_step_gpu", measure, PACKAGES))
