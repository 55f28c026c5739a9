"""Requests of random prompts, and what a model says of the replies."""

import numpy as np
import torch

from agentgym.policy import Request, Sampling
from agentgym.task import Task

TASK = Task("t", 0)
FAMILIES = ["llama", "llama-grouped", "qwen3", "gpt2", "mistral", "gemma3"]


def ask(prompt, *, episode="e", seed=0, turn=0, **sampling):
    settings = Sampling(**{"temperature": 1.0, "max_tokens": 12, **sampling})
    return Request(episode, turn, TASK, [], [], prompt, seed, settings)


def ragged_prompts(count, low=2, high=40, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 250, rng.integers(low, high)).tolist() for _ in range(count)]


def recompute(model, prompt, ids, temperature=1.0):
    with torch.no_grad():
        tokens = torch.tensor([[*prompt, *ids]], device=model.device)
        logits = model(input_ids=tokens).logits[0, len(prompt) - 1 : -1].cpu()
    logprobs = torch.log_softmax(logits.float() / temperature, -1)
    return logprobs.gather(1, torch.tensor(ids).long()[:, None])[:, 0].numpy()
