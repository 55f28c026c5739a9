"""Training with samplers that are not the policy of this process."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from agentgym.policies.sampler import Sampler
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policy import Reply, Request
from agentgym.suite import register_suites
from agentgym_rl.run.job import train
from tests.trainers.rl.planted import noticed, parametrised, swapped
from tests.trainers.rl.toys import install, toy_config


class Server:
    """Stands for the client of an inference server: other weights in other memory, and nothing but the protocol."""

    name, uses_tokens, concurrency, branches = "server", True, 1, None

    def __init__(self, model, tokenizer) -> None:
        self.engine = TorchPolicy(copy.deepcopy(model), tokenizer)
        self.tokenizer, self.max_context = tokenizer, self.engine.max_context
        self.loaded: list[int] = []

    @property
    def version(self) -> int:
        return self.engine.version

    def generate(self, requests: Sequence[Request], *, keeps_states: bool = True) -> list[Reply]:
        return self.engine.generate(requests, keeps_states=keeps_states)

    def forget(self, episode: str) -> None:
        self.engine.forget(episode)

    def load_weights(self, weights: Mapping[str, Tensor], version: int) -> None:
        self.loaded.append(version)
        self.engine.load_weights(weights, version)


ARCHER = {
    "preset": "archer",
    "critic": {"updates": 1, "batch": 4, "warmup": 0, "network": {"width": 32}},
    "actor": {"updates": 2, "batch": 4},
}


@pytest.mark.parametrize("algorithm", [{}, ARCHER], ids=["groups", "archer, whose messages are requests of their own"])
def test_a_run_trains_by_a_sampler_of_another_kind(algorithm: dict, tmp_path: Path) -> None:
    install(tmp_path / "suites", "arms")
    register_suites(tmp_path / "suites")
    made: list[Server] = []

    def make_sampler(model, tokenizer, config) -> Sampler:
        made.append(Server(model, tokenizer))
        return made[-1]

    run = {"iterations": 1}
    config = toy_config("arms", run=run, group={"tasks": 2, "size": 4}, algorithm=algorithm)
    train(config, tmp_path / "run", make_sampler=make_sampler)
    [server] = made
    assert isinstance(server, Sampler)
    assert server.loaded == [0, 0, 1] if algorithm else [1]
    trained = TorchPolicy.load(tmp_path / "run" / "models" / "trained").model.state_dict()
    for name, tensor in server.engine.model.state_dict().items():
        torch.testing.assert_close(tensor, trained[name])


class Overtaken(Server):
    """Gets the weights of an iteration while the first requests of the next one run."""

    pending: tuple[dict[str, Tensor], int] | None = None

    def load_weights(self, weights: Mapping[str, Tensor], version: int) -> None:
        self.pending = {name: tensor.clone() for name, tensor in weights.items()}, version

    def generate(self, requests: Sequence[Request], *, keeps_states: bool = True) -> list[Reply]:
        if self.pending is None:
            return super().generate(requests)
        begun = super().generate([replace(each, sampling=replace(each.sampling, max_tokens=1)) for each in requests])
        super().load_weights(*self.pending)
        self.pending = None
        return [self._finished(request, reply) for request, reply in zip(requests, begun, strict=True)]

    def _finished(self, request: Request, begun: Reply) -> Reply:
        if not begun.was_cut:
            return begun
        assert request.prompt_ids is not None
        longer = [*request.prompt_ids, *begun.ids.tolist()]
        sampling = replace(request.sampling, max_tokens=request.sampling.max_tokens - 1)
        [rest] = super().generate([replace(request, prompt_ids=longer, sampling=sampling, seed=request.seed + 1)])
        ids, logprobs = np.append(begun.ids, rest.ids), np.append(begun.logprobs, rest.logprobs)
        return Reply(begun.text + rest.text, ids, logprobs, self.merged(begun.version, rest.version), rest.was_cut)

    @staticmethod
    def merged(begun: int, finished: int) -> int:
        return min(begun, finished)


OLDEST = Overtaken.merged


def newest(begun: int, finished: int) -> int:
    """D-36: a message counts as sampled by the weights that finished it."""
    return max(begun, finished)


@parametrised(OLDEST, newest)
def test_messages_that_span_an_update_count_as_old_and_keep_their_own_logprobs(
    build, implementation, is_bug: bool
) -> None:
    """Trap D-36."""
    made = build(
        "bandit",
        run={"iterations": 2},
        group={"tasks": 2, "size": 8, "dynamic_sampling": "keep"},
        rollout={"sampling": {"max_tokens": 3}},
        algorithm={"prox": "recompute", "importance": {"mode": "token_tis"}},
        optimiser={"learning_rate": 0.03},
    )
    made.policy = sampler = Overtaken(made.model.causal_lm, made.policy.tokenizer)
    with swapped(Overtaken, "merged", staticmethod(implementation)):
        made.run()
    assert sampler.loaded == [1]
    _, batch, _ = made.traced[1]
    spanning, fresh, begun = [], [], []
    for segment, owner, prox in zip(batch.segments, batch.owner, batch.prox_logprobs, strict=True):
        far = np.abs(prox - segment.behaviour_logprobs)
        for turn in batch.trajectories[owner].turns:
            at = np.flatnonzero(segment.completion_mask & (segment.turn_index == turn.index))
            if turn.index == 0 and len(at) > 1:
                spanning.append(segment.versions[at])
                begun.append(far[at[0]])
                fresh.append(far[at[1:]])
    assert max(begun) > 0.01, "the first token is of the old weights"
    assert np.concatenate(fresh).max() < 1e-3, "the others are of the new ones"
    row = made.journalled.rows[1]
    assert row["loss/importance_mean"] != pytest.approx(1.0, abs=1e-6)
    with noticed(is_bug):
        assert (np.concatenate(spanning) == 0).all()
        assert row["staleness/max"] == 1
        assert row["mismatch/max"] < 1e-3
