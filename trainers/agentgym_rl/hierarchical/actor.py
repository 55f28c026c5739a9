"""One update of the policy under a critic of turns: by new actions, or by the stored ones.

Not here: the losses (actor_losses.py), the critic's own updates (critic/updates.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from agentgym.trajectory import Segment
from agentgym_rl.core import distributed
from agentgym_rl.core.batch import Stream
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.logprobs import Entropy, states_before
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.packing import pack
from agentgym_rl.core.positions import TurnPositions, turn_positions
from agentgym_rl.core.publishing import publish
from agentgym_rl.core.scoring import score_segments
from agentgym_rl.hierarchical.actor_losses import (
    a_lol_loss,
    awr_weights,
    in_sample_loss,
    leave_one_out_advantages,
    resampled_loss,
    scale_of_states,
    token_baseline_loss,
    turn_advantages,
    weighted_cloning_loss,
)
from agentgym_rl.hierarchical.branches import branch_micro_batches
from agentgym_rl.hierarchical.critic.frozen import FrozenPolicy
from agentgym_rl.hierarchical.critic.network import TurnCritic, TurnStates, as_values
from agentgym_rl.hierarchical.critic.pooling import Observed
from agentgym_rl.hierarchical.critic.token_baseline import TokenBaseline
from agentgym_rl.hierarchical.critic.valuation import (
    encode_actions,
    encode_prompts,
    encode_seen,
    prompt_states,
    stored_actions,
)
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.guards import Movement, entropy_bonus, warmup_factor
from agentgym_rl.hierarchical.options import (
    ActorOptions,
    AlolActor,
    AwrActor,
    InSampleActor,
    ResampledActor,
    UnderTurnCritic,
)
from agentgym_rl.hierarchical.resampling import sample_branches
from agentgym_rl.maths.histograms import WEIGHTS, named_shares
from agentgym_rl.maths.importance import importance_weights

_BANDS = tuple(f"ratio_band_{place}" for place in range(len(WEIGHTS) + 1))


@dataclass(frozen=True)
class _Actions:
    """M actions that an update learns from."""

    batches: Sequence[MicroBatch]
    """Where the policy reads them."""
    rows: Int64[np.ndarray, " M"]
    """The turn of each."""
    first: int | None
    """Number of the segment of the first action in the micro-batches; None: they are the stored ones."""
    states: Float[Tensor, "M D"] | None
    """The critic's hidden state at the end of each prompt; None: the one that the policy's own pass gives."""
    read: Float[Tensor, "M D"]
    """The critic's reading of each action."""
    seen: Observed | None
    """Its reading of the observation before each; None: it reads none."""
    of_a_turn: int = 1
    """Actions of each turn."""
    reference: Sequence[Stream] | None = None
    """By segment, log-probabilities under the policy of the start; None: the loss has no ratio to it."""

    def entries(self, turns: TurnPositions, experience: Experience) -> Int64[np.ndarray, " N"]:
        """Which of these actions the turns of a micro-batch are."""
        if self.first is None:
            return experience.turns.entries(turns)
        mine: Int64[np.ndarray, " N"] = turns.segment.cpu().numpy() - self.first
        return mine


class ActorUpdates:
    """Trains the policy by the advantages that a critic gives to messages.

    Args:
        place: With the model, its optimiser and the policy that samples from it.
        critic: Read only.
        options: Which actions, and how they count.
        baseline: Of tokens, where the options have one; trained beside the policy.
        frozen: Whose hidden states the critic reads; None: its tower's, or those of the policy.

    Attributes:
        spread: Mean size of the advantages of stored messages, set anew before the updates of each iteration.
    """

    def __init__(
        self,
        place: Workplace[UnderTurnCritic],
        critic: TurnCritic,
        options: ActorOptions | AlolActor,
        baseline: TokenBaseline | None = None,
        frozen: FrozenPolicy | None = None,
    ) -> None:
        self.place, self.critic, self.options = place, critic, options
        self.baseline, self.frozen = baseline, frozen
        self.spread = 1.0
        self._movement: Movement | None = None

    def learn(self, experience: Experience, seed: int, number: int = 0, updates_before: int = 0) -> dict[str, float]:
        """One update on update 0 of an experience; with kind "resampled" its branches, if any, are not read.

        Args:
            experience: What was drawn.
            seed: Of the actions that are sampled.
            number: Of the update in its iteration; 0 is where the bound on movement starts to count.
            updates_before: Updates that the policy has made, for the warm-up.

        Returns:
            For the log.
        """
        optimiser = self.place.optimiser
        optimiser.zero_grad(set_to_none=True)
        sums: Counter[str] = Counter()
        actions = self._actions(experience, seed)
        before: list[Tensor] = []
        for micro in actions.batches:
            moved = micro.to(self.device)
            loss, metrics, logprobs = self._loss(moved, turn_positions(moved), actions, experience)
            torch.autograd.backward(loss)
            sums.update(metrics)
            before.append(logprobs)
        if self.options.max_kl is not None and (number == 0 or self._movement is None):
            temperature = self.place.config.rollout.sampling.temperature
            self._movement = Movement(self.place.model, actions.batches, before, temperature)
        norms = distributed.clip_groups(optimiser, self.place.config.optimiser.max_grad_norm)
        is_finite = all(np.isfinite(norm) for norm in norms)
        if is_finite:
            with _scaled(optimiser, warmup_factor(updates_before, self.options.warmup)):
                optimiser.step()
            publish(self.place.model, self.place.policy, self.place.policy.version)
        if self.baseline is not None:
            self.baseline.step()
        moved_by = {} if self._movement is None else {"actor/kl": self._movement.kl()}
        return _summary(sums) | moved_by | {"grad_norm/mean": norms[0], "updates": float(is_finite)}

    @property
    def device(self) -> torch.device:
        """Of the policy."""
        return next(self.place.model.parameters()).device

    def _actions(self, experience: Experience, seed: int) -> _Actions:
        """What is learnt from: new actions in the states that were drawn, or the stored ones."""
        place, segments, packing = self.place, experience.batch.segments, self.place.config.packing
        reader = self.frozen or place.model
        if isinstance(self.options, ResampledActor):
            rows, first = np.repeat(experience.rows(0), self.options.samples), len(segments)
            sampling = place.config.rollout.sampling
            branches = sample_branches(place.policy, segments, experience.turns, rows, sampling, seed)
            batches = branch_micro_batches(segments, branches, packing, has_stored=False)
            own = [branch.segment(segments[branch.trunk]) for branch in branches]
        else:
            rows, first = np.arange(experience.turns.num_turns), None
            batches, own = pack(segments, packing), stored_actions(segments)
        network = self.critic.online
        with torch.no_grad():
            is_apart = self.frozen is not None or network.tower is not None
            is_read_here = is_apart or not network.reads_history
            turns = torch.from_numpy(rows)
            states = encode_prompts(network, segments, packing, reader)[turns] if is_read_here else None
            seen = encode_seen(network, segments, packing, reader)
            read = encode_actions(network, own, packing, reader)
            num = self.options.samples if isinstance(self.options, ResampledActor) else 1
            observed = None if seen is None else seen.at(turns)
            return _Actions(batches, rows, first, states, read, observed, num, self._reference(segments))

    def _reference(self, segments: Sequence[Segment]) -> list[Stream] | None:
        """What the policy of the start says of stored messages, where the loss has a ratio to it."""
        if not isinstance(self.options, AlolActor) or self.options.a_lol.ratio == "none":
            return None
        place = self.place
        assert place.reference is not None, "the trainer makes one where the start says that it needs one"
        temperature = place.config.rollout.sampling.temperature
        return score_segments(place.reference, segments, place.config.packing, temperature)[0]

    def _loss(
        self, micro: MicroBatch, turns: TurnPositions, actions: _Actions, experience: Experience
    ) -> tuple[Tensor, Mapping[str, float], Tensor]:
        """The loss of a micro-batch, what is logged of it, and the log-probability of each message."""
        model, options = self.place.model, self.options
        hidden = model.hidden_states(micro.tokens, micro.position_ids, micro.attention_mask())
        temperature = self.place.config.rollout.sampling.temperature
        kind: Entropy = "value" if options.min_entropy is None else "gradient"
        logprobs, entropy = model.read(hidden, micro.tokens, micro.completion_mask, temperature, kind)
        mine = actions.entries(turns, experience)
        states = prompt_states(hidden.detach(), turns) if actions.states is None else actions.states[mine]
        seen = None if actions.seen is None else actions.seen.at(torch.from_numpy(mine))
        advantages = self._advantages(TurnStates(states, actions.read[mine], seen), actions.rows[mine])
        weights = torch.from_numpy(experience.weights[0][actions.rows[mine]] / actions.of_a_turn)
        weights = weights.to(self.device, torch.float32)
        metrics = _moments(advantages, weights) | {
            "entropy": float(entropy.detach().sum()),
            "tokens": float(len(entropy)),
        }
        baselines = None
        if isinstance(options, AwrActor):
            worth = awr_weights(advantages, options.awr, self.spread)
            metrics["weight"] = float((weights * worth).sum())
            loss = weighted_cloning_loss(logprobs, worth, turns, weights)
        elif isinstance(options, AlolActor):
            worth = advantages.clamp(min=0) / self.spread
            metrics["weight"] = float((weights * worth).sum())
            reference = logprobs.detach() if actions.reference is None else micro.flatten(actions.reference)
            loss = a_lol_loss(logprobs, reference, advantages, turns, weights * worth, options.a_lol)
        elif isinstance(options, InSampleActor):
            behaviour = micro.flatten([segment.behaviour_logprobs for segment in experience.batch.segments])
            ratios = importance_weights(logprobs.detach(), behaviour, turns.turn_of_token, options.importance)
            metrics |= {"ratio": float((weights * ratios[turns.first]).sum())} | _bands(ratios[turns.first], weights)
            loss = in_sample_loss(logprobs, behaviour, advantages, turns, weights, options.importance)
        else:
            if self.baseline is not None:
                baselines = self.baseline(states_before(hidden.detach(), micro.completion_mask))
                torch.autograd.backward(token_baseline_loss(baselines, advantages, turns, weights))
            loss = resampled_loss(logprobs, advantages, turns, weights, baselines)
        bonus = entropy_bonus(entropy, advantages, weights[turns.turn_of_token], options)
        return loss - bonus, metrics, turns.sum_of_tokens(logprobs.detach())

    @torch.no_grad()
    def _advantages(self, states: TurnStates, rows: Int64[np.ndarray, " N"]) -> Float[Tensor, " N"]:
        """By the online critic, of actions in the turns `rows`."""
        span, outputs = self.critic.config.value_range, self.critic.online(states)
        if isinstance(self.options, ResampledActor) and self.options.samples > 1:
            _, state = np.unique(rows, return_inverse=True)
            q, states_of = as_values(outputs.q, span), torch.from_numpy(state).to(self.device)
            advantages = leave_one_out_advantages(q, states_of)
            return advantages / scale_of_states(q, states_of) if self.options.is_scaled else advantages
        return turn_advantages(as_values(outputs.q, span), as_values(outputs.v, span))


@contextmanager
def _scaled(optimiser: torch.optim.Optimizer, factor: float) -> Iterator[None]:
    """Learning rates times a factor, for a while."""
    rates = [group["lr"] for group in optimiser.param_groups]
    for group, rate in zip(optimiser.param_groups, rates, strict=True):
        group["lr"] = rate * factor
    yield
    for group, rate in zip(optimiser.param_groups, rates, strict=True):
        group["lr"] = rate


def _moments(advantages: Float[Tensor, " N"], weights: Float[Tensor, " N"]) -> dict[str, float]:
    mean, square = (weights * advantages).sum(), (weights * advantages.square()).sum()
    return {"advantage": float(mean), "advantage_square": float(square)}


def _bands(ratios: Float[Tensor, " N"], weights: Float[Tensor, " N"]) -> dict[str, float]:
    """Share of the actions in each band of importance weights."""
    edges = torch.tensor(WEIGHTS, dtype=ratios.dtype, device=ratios.device)
    shares = torch.bincount(torch.bucketize(ratios, edges, right=True), weights, minlength=len(_BANDS))
    return dict(zip(_BANDS, shares.tolist(), strict=True))


def _summary(sums: Mapping[str, float]) -> dict[str, float]:
    """From sums over micro-batches to what is logged."""
    mean, tokens = sums.get("advantage", 0.0), max(1.0, sums.get("tokens", 0.0))
    metrics = {
        "advantage/mean": mean,
        "advantage/std": max(0.0, sums.get("advantage_square", 0.0) - mean**2) ** 0.5,
        "loss/entropy": sums.get("entropy", 0.0) / tokens,
    }
    if "ratio" in sums:
        metrics |= named_shares("actor/ratio", [sums[band] for band in _BANDS], WEIGHTS)
    return metrics | {f"actor/{name}": sums[name] for name in ("weight", "ratio") if name in sums}
