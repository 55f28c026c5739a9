"""Critics over the vocabulary from stored episodes, and the cloned policy that they steer: ILQL, Monte-Carlo returns.

Not here: the losses (ilql.py), the steered output layer (agentgym.policies.torch.steering). Policy and
critic share the transformer, which learns from both.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from agentgym.policies.torch.steering import SteeredHead
from agentgym.rollout import draw_seed
from agentgym.trajectory import Group
from agentgym_rl.core import distributed
from agentgym_rl.core.batch import Stream, TrainBatch
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.logprobs import states_before
from agentgym_rl.core.metrics import Metrics, mean_by_name
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.module_part import ModulePart
from agentgym_rl.core.packing import pack
from agentgym_rl.core.part_state import Part
from agentgym_rl.core.scoring import final_probe
from agentgym_rl.hierarchical.critic.fresh_values import has_return
from agentgym_rl.hierarchical.critic.targets import (
    episode_successors,
    monte_carlo_targets,
    next_values,
    one_step_targets,
)
from agentgym_rl.hierarchical.transitions import require_carried
from agentgym_rl.maths.calibration import calibration_metrics
from agentgym_rl.maths.gae import rewards_at_turn_ends
from agentgym_rl.offline.ilql import ilql_loss, monte_carlo_loss, taken
from agentgym_rl.offline.options import IlqlOptions, MonteCarloOptions
from agentgym_rl.offline.stored_episodes import StoredEpisodes


class TokenValue(nn.Module):
    """V of the state before a token, and the copy of Q that V regresses to.

    Args:
        head: Of the policy that is steered.
        num_features: Size of hidden states.
    """

    def __init__(self, head: SteeredHead, num_features: int) -> None:
        super().__init__()
        self.v = nn.Sequential(nn.Linear(num_features, head.width), nn.ReLU(), nn.Linear(head.width, 1))
        self.target = copy.deepcopy(head.q_heads).requires_grad_(False)

    def forward(self, states: Float[Tensor, "T D"]) -> Float[Tensor, " T"]:
        """V, with gradient."""
        values: Tensor = self.v(states.float()).squeeze(-1)
        return values

    def target_q(self, states: Float[Tensor, "T D"]) -> Float[Tensor, "2 T V"]:
        """Q of the copy."""
        return torch.stack([head(states.float()) for head in self.target])

    @torch.no_grad()
    def follow(self, head: SteeredHead, polyak: float) -> None:
        """Copy <- (1 - tau) copy + tau Q."""
        for lagging, leading in zip(self.target.parameters(), head.q_heads.parameters(), strict=True):
            lagging.lerp_(leading, polyak)


class SteeredLearner:
    """Clones stored episodes, and fits Q to their returns or by ILQL; the policy that the loop publishes is steered.

    Args:
        place: What it works with; the model has a steered output layer.
        episodes: What is learnt from.
    """

    def __init__(self, place: Workplace[MonteCarloOptions | IlqlOptions], episodes: StoredEpisodes) -> None:
        self.place, self.episodes = place, episodes
        self.options = place.config.algorithm
        self.head = cast(SteeredHead, cast(Any, place.model.causal_lm).get_output_embeddings())
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(draw_seed(place.config.run.seed, "token value"))
            size = int(place.model.causal_lm.config.get_text_config().hidden_size)
            self.value = TokenValue(self.head, size).to(place.model.causal_lm.device)
        learning_rate = place.config.optimiser.learning_rate
        self.optimiser = torch.optim.AdamW(self.value.v.parameters(), lr=learning_rate, weight_decay=0.0)

    def learn(self, groups: list[Group], state: TrainerState) -> Metrics:
        """The updates of an iteration; there are no groups."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.place.optimiser.param_groups[0]["lr"]  # the loop schedules that one alone
        rows: list[Metrics] = []
        judged: list[tuple[Stream, Stream]] = []
        for _ in range(self.options.updates):
            drawn = self.episodes.draw(self.options.batch)
            state.seen_hashes.update(each.content_hash for each in drawn)
            row, values, returns = self._step(TrainBatch.of_trajectories(drawn))
            rows.append(row)
            judged.append((values, returns))
        return {
            **mean_by_name(rows),
            **calibration_metrics(*zip(*judged, strict=True)),
            "updates": sum(row["updates"] for row in rows),
            **self.episodes.metrics(),
        }

    def parts(self) -> Mapping[str, Part]:
        """Where the draws stand, V, and the copy of Q."""
        return {"offline": self.episodes, "token_value": ModulePart(self.value, self.optimiser)}

    def close(self) -> None:
        """Close the runs that are learnt from."""
        self.episodes.close()

    def _step(self, batch: TrainBatch) -> tuple[Metrics, Stream, Stream]:
        """An update; Q before it at the sampled tokens of episodes that ended, and the returns that followed."""
        place, optimisers = self.place, (self.place.optimiser, self.optimiser)
        targets, returns = self._targets(batch)
        said: list[Stream] = [np.zeros(0)] * len(batch.segments)
        num_tokens = sum(int(segment.completion_mask.sum()) for segment in batch.segments)
        for optimiser in optimisers:
            optimiser.zero_grad(set_to_none=True)
        cloning = critic = 0.0
        for micro in pack(batch.segments, place.config.packing):
            moved = micro.to(place.model.causal_lm.device)
            hidden = place.model.hidden_states(moved.tokens, moved.position_ids, moved.attention_mask())
            logprobs, _ = place.model.read(hidden, moved.tokens, moved.completion_mask, entropy="none")
            cloning_loss = -logprobs.sum() / num_tokens
            critic_loss, q = self._critic_loss(moved, states_before(hidden, moved.completion_mask), targets, num_tokens)
            for index, stream in moved.unflatten(q).items():
                said[index] = stream.astype(np.float64)
            torch.autograd.backward(cloning_loss + critic_loss)
            cloning, critic = cloning + float(cloning_loss.detach()), critic + float(critic_loss.detach())
        norms = [distributed.clip_groups(each, place.config.optimiser.max_grad_norm) for each in optimisers]
        is_finite = bool(np.isfinite(np.concatenate(norms)).all())
        if is_finite:
            for optimiser in optimisers:
                optimiser.step()
            if isinstance(self.options, IlqlOptions):
                self.value.follow(self.head, self.options.polyak)
        metrics = {
            "loss/cloning": cloning,
            "critic/loss": critic,
            "grad_norm/mean": norms[0][0],
            "updates": float(is_finite),
        }
        whole = [index for index, each in enumerate(batch.trajectories) if has_return(each)]
        values, came = ([np.zeros(0), *(batch.sampled(each, index) for index in whole)] for each in (said, returns))
        return metrics, np.concatenate(values), np.concatenate(came)

    def _critic_loss(
        self, micro: MicroBatch, states: Float[Tensor, "T D"], targets: list[Stream], num_tokens: int
    ) -> tuple[Float[Tensor, ""], Float[Tensor, " T"]]:
        """With gradient; and the mean of Q_1 and Q_2 at the sampled tokens, without."""
        tokens = micro.tokens[micro.completion_mask]
        q, wanted = self.head.q(states), micro.flatten(targets)
        said = taken(q.detach(), tokens).mean(0)
        weights = torch.full_like(wanted, 1 / num_tokens)
        options = self.options
        if not isinstance(options, IlqlOptions):
            return monte_carlo_loss(q, tokens, wanted, weights, options.cql_weight), said
        with torch.no_grad():
            target_q = taken(self.value.target_q(states), tokens)
        return ilql_loss(q, self.value(states), tokens, wanted, target_q, weights, config=options.loss), said

    def _targets(self, batch: TrainBatch) -> tuple[list[Stream], list[Stream]]:
        """What Q of each sampled token regresses to, and the return that followed.

        Raises:
            ContractError: A reward is no finite number, or belongs to a turn without sampled tokens and would be lost.
        """
        targets, returns = ([np.zeros(segment.num_tokens) for segment in batch.segments] for _ in range(2))
        values = self._values(batch) if isinstance(self.options, IlqlOptions) else None
        is_cut = [each.is_truncated for each in batch.trajectories]
        for index, trajectory in enumerate(batch.trajectories):
            turn, turn_rewards = batch.turn_index(index), trajectory.step_rewards()
            require_carried(turn_rewards, turn, trajectory.id)
            if not len(turn):
                continue
            rewards = rewards_at_turn_ends(turn_rewards, turn)
            successor = episode_successors(np.array([len(turn)]), np.array([is_cut[index]]))
            found = monte_carlo_targets(rewards, successor, np.zeros(len(turn)), self.options.discount)
            batch.spread(found, index, returns)
            if values is not None:
                tokens, end = values
                final = np.full((1, len(turn)), end[index])
                following = next_values(batch.sampled(tokens, index)[None], final, successor)
                found = one_step_targets(rewards, following, self.options.discount)[0]
            batch.spread(found, index, targets)
        return targets, returns

    @torch.no_grad()
    def _values(self, batch: TrainBatch) -> tuple[list[Stream], np.ndarray]:
        """V before each sampled token, and of the final observation of each episode that a limit cut (else NaN)."""
        is_cut = [each.is_truncated for each in batch.trajectories]
        cut = [index for index, is_it in enumerate(is_cut) if is_it and batch.segments_of(index)]
        packing, size = self.place.config.packing, len(batch.segments)
        segments = [*batch.segments, *(final_probe(batch, index, packing.row_length) for index in cut)]
        streams: list[Stream] = [np.zeros(0)] * len(segments)
        for micro in pack(segments, packing):
            moved = micro.to(self.place.model.causal_lm.device)
            hidden = self.place.model.hidden_states(moved.tokens, moved.position_ids, moved.attention_mask())
            found = moved.unflatten(self.value(states_before(hidden, moved.completion_mask)))
            for index, stream in found.items():
                streams[index] = stream.astype(np.float64)
        ends = np.full(batch.num_sequences, np.nan)
        ends[cut] = [stream[-1] for stream in streams[size:]]
        return streams[:size], ends
