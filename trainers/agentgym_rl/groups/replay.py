"""Replay in learning from groups: what joins the groups, what is learnt beside them, what is kept for later.

An iteration calls `fill`, `weigh`, `objectives` and `keep`, in this order. Kinds `successes`, `imitation` and
`return_weighted`, and hindsight; with none of them nothing happens here. What is drawn is drawn by rank 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch

from agentgym.errors import ContractError
from agentgym.prompting.renderer import ChatRenderer
from agentgym.rollout import draw_seed
from agentgym.trajectory import Group, Segment, Trajectory
from agentgym_rl.core import distributed
from agentgym_rl.core.batch import Stream, TrainBatch
from agentgym_rl.core.checkpoint import TrainerState
from agentgym_rl.core.learner import Workplace
from agentgym_rl.core.part_state import Part
from agentgym_rl.core.roles import tools_of, training_cast
from agentgym_rl.core.scoring import score_segments
from agentgym_rl.groups.options import GroupOptions
from agentgym_rl.groups.replay_weights import weight_metrics
from agentgym_rl.groups.update import Objective
from agentgym_rl.groups.weighing import mask_by_covariance, weigh_replayed
from agentgym_rl.maths.options import NoImportance, ReinforceLoss
from agentgym_rl.replay.buffer import ReplayBuffer
from agentgym_rl.replay.draw import Draw
from agentgym_rl.replay.options import (
    DrawnReplay,
    ImitationReplay,
    Memory,
    NoReplay,
    SuccessReplay,
    UniformBuffer,
)
from agentgym_rl.replay.reading import read_episodes
from agentgym_rl.replay.returns import task_advantages
from agentgym_rl.replay.successes import TaskSuccesses, is_replayed
from agentgym_rl.replay.tables import Admitted

Drawn = list[tuple[Trajectory, float]]
"""Trajectories that were drawn, and their advantages."""


class GroupReplay:
    """What a learner of groups remembers beside its weights.

    Args:
        place: What the learner works with.

    Attributes:
        buffer: Of sampled episodes; None without a kind, and on ranks other than 0.
        relabelled: Of hindsight; None where it is off, and on ranks other than 0.
    """

    def __init__(self, place: Workplace[GroupOptions]) -> None:
        self.place, self.options = place, place.config.algorithm.replay
        self.buffer = self.relabelled = None
        options = self.options
        if not isinstance(options, NoReplay):
            self.buffer = self._open(replace(options, hindsight=None), "sampled")
        if options.hindsight is not None:
            uniform = UniformBuffer(
                "episode", options.capacity, options.max_age, options.max_lag, hindsight=options.hindsight
            )
            self.relabelled = self._open(uniform, "derived")
        self._metrics: dict[str, float] = {}

    def _open(self, options: Memory, admitted: Admitted) -> ReplayBuffer | None:
        place, tokenizer = self.place, self.place.policy.tokenizer
        if distributed.rank() != 0:
            return None
        if place.store is None:
            raise ContractError(
                "replay needs the run's store, which is None; train in a run folder, or leave replay out"
            )
        return ReplayBuffer.open(
            options,
            place.store,
            place.suite,
            tokenizer=tokenizer,
            renderer=ChatRenderer(tokenizer),
            tools=tools_of(training_cast(place.config.roles, place.suite)),
            seed=place.config.run.seed,
            admitted=admitted,
            history=place.config.rollout.history,
        )

    def parts(self) -> Mapping[str, Part]:
        """What a checkpoint keeps, by name; rank 0 writes it and reads it."""
        parts = {"replay": self.buffer, "hindsight": self.relabelled}
        return {name: buffer for name, buffer in parts.items() if buffer is not None}

    def close(self) -> None:
        """Close earlier runs and environments; twice is harmless."""
        for buffer in (self.buffer, self.relabelled):
            if buffer is not None:
                buffer.close()

    # An iteration.

    def fill(self, groups: list[Group], state: TrainerState) -> list[Group]:
        """Kind successes: the groups, with a stored success more where there was none and one is stored.

        The tasks of the added members count as seen, whichever run they come from.
        """
        self._metrics = {}
        if not isinstance(self.options, SuccessReplay):
            return groups
        filled = groups
        if self.buffer is not None:
            selectors = [selector for selector in self.buffer.selectors if isinstance(selector, TaskSuccesses)]
            for selector in selectors:
                filled = selector.fill(filled, self._fits)
            self._metrics |= self.buffer.draw_metrics([selector.filled for selector in selectors])
            added = sum(is_replayed(member) for group in filled for member in group.members)
            drawn = sum(len(selector.filled.entries) for selector in selectors)
            self._metrics |= {"replay/drawn": float(added), "replay/too_long": float(drawn - added)}
        filled = distributed.broadcast(filled)
        state.seen_hashes.update(member.content_hash for group in filled for member in group.members)
        return filled

    def weigh(self, batch: TrainBatch) -> None:
        """Give the members that `fill` added their weights, in the loss and in the baselines of their groups."""
        chosen = [index for index, each in enumerate(batch.trajectories) if is_replayed(each)]
        options = self.options
        if not chosen or isinstance(options, NoReplay):
            return
        is_scored = self.place.config.algorithm.prox == "recompute"
        weights = weigh_replayed(batch, chosen, options, self._score, is_scored=is_scored)
        for index, of_tokens in weights.items():
            batch.baseline_weights[batch.trajectories[index].id] = float(of_tokens.mean()) if len(of_tokens) else 0.0
        self._metrics |= weight_metrics(torch.cat(list(weights.values())), options.max_weight)

    def objectives(self, batch: TrainBatch, groups: Sequence[Group], state: TrainerState) -> list[Objective]:
        """What is learnt beside the groups; and, for kind imitation, the covariance mask of the groups' own tokens.

        Args:
            batch: Of the groups, with advantages.
            groups: As they were collected.
            state: The iteration that is under way.
        """
        found: list[Objective] = []
        if isinstance(self.options, ImitationReplay):
            seed = draw_seed(self.place.config.run.seed, "covariance", state.iteration)
            share = mask_by_covariance(batch, self.options.fresh_covariance, seed)
            self._metrics["replay/fresh_covariance_share"] = share
        if isinstance(self.options, DrawnReplay):
            found += self._replayed(self._draw(groups, self.options, state), state, self.options)
        if self.options.hindsight is not None:
            found += self._cloned(self._relabel(groups, state), self.options.hindsight.coefficient)
        return found

    def keep(self, state: TrainerState) -> dict[str, float]:
        """Take in what the iteration stored, for the next one; returns what is logged of this one."""
        for name, buffer in self.parts().items():
            assert isinstance(buffer, ReplayBuffer)
            changed = buffer.refresh(state.iteration + 2, state.version + 1)
            self._metrics |= {key.replace("replay/", f"{name}/"): value for key, value in changed.items()}
        return self._metrics

    # What is drawn.

    def _draw(self, groups: Sequence[Group], options: DrawnReplay, state: TrainerState) -> Drawn:
        """What is learnt from beside the groups, whose tasks count as seen."""
        drawn: Drawn = []
        if self.buffer is not None:
            for group in groups if isinstance(options, ImitationReplay) else ():
                returns = np.array([member.total_reward for member in group.members], np.float64)
                self.buffer.usual.observe(returns[np.isfinite(returns)])
            draws = self.buffer.draw(options.episodes) if self.buffer.num_turns else []
            drawn = self._fitting([pair for draw in draws for pair in self._read(draw)], "replay")
            self._metrics |= self.buffer.draw_metrics(draws) | {"replay/drawn": float(len(drawn))}
        drawn = distributed.broadcast(drawn)
        state.seen_hashes.update(one.content_hash for one, _ in drawn)
        return drawn

    def _read(self, draw: Draw) -> Drawn:
        assert self.buffer is not None
        if isinstance(self.options, ImitationReplay):
            advantages = self.buffer.usual.recalibrated(draw.index.reward[draw.entries])
        else:
            advantages = task_advantages(draw.index, draw.entries)
        return list(zip(read_episodes(draw), advantages.tolist(), strict=True))

    def _relabel(self, groups: Sequence[Group], state: TrainerState) -> Drawn:
        drawn: Drawn = []
        buffer, hindsight = self.relabelled, self.options.hindsight
        if buffer is not None and hindsight is not None:
            made = buffer.relabel([member for group in groups for member in group.members], state.iteration + 1)
            state.seen_hashes.update(one.content_hash for one in made)
            buffer.refresh(state.iteration + 1, state.version)
            draws = buffer.draw(hindsight.episodes) if buffer.num_turns else []
            drawn = self._fitting([(one, 1.0) for draw in draws for one in read_episodes(draw)], "hindsight")
            metrics = buffer.draw_metrics(draws) | {"replay/made": float(len(made)), "replay/drawn": float(len(drawn))}
            self._metrics |= {name.replace("replay/", "hindsight/"): value for name, value in metrics.items()}
        return distributed.broadcast(drawn)

    def _fitting(self, drawn: Drawn, name: str) -> Drawn:
        """Without trajectories that no row holds."""
        kept = [pair for pair in drawn if self._fits(pair[0])]
        self._metrics[f"{name}/too_long"] = float(len(drawn) - len(kept))
        return kept

    def _fits(self, trajectory: Trajectory) -> bool:
        """Whether rows hold it: the prompts of another goal, or of another run, may be longer."""
        longest = self.place.config.packing.row_length
        return all(segment.num_tokens <= longest for segment in trajectory.segments())

    # What is made of it.

    def _replayed(self, drawn: Drawn, state: TrainerState, options: DrawnReplay) -> list[Objective]:
        """The algorithm's own surrogate of replayed episodes, weighed once; KL and entropy are of fresh ones alone."""
        coefficient = options.weight_at(state.iteration)
        self._metrics["replay/coefficient"] = coefficient
        if not drawn or coefficient == 0:
            return []
        config = self.place.config
        batch = _batch_of(drawn)
        chosen = range(batch.num_sequences)
        weights = weigh_replayed(batch, chosen, options, self._score, is_scored=False)
        self._metrics |= weight_metrics(torch.cat(list(weights.values())), options.max_weight)
        if isinstance(options, ImitationReplay):
            seed = draw_seed(config.run.seed, "replayed covariance", state.iteration)
            share = mask_by_covariance(batch, options.covariance, seed)
            self._metrics["replay/covariance_share"] = share
        loss = replace(config.algorithm.loss, kl_coefficient=0.0, entropy_coefficient=0.0)
        algorithm = replace(config.algorithm, loss=loss, importance=NoImportance())
        return [Objective("replay", batch, replace(config, algorithm=algorithm), coefficient)]

    def _cloned(self, drawn: Drawn, coefficient: float) -> list[Objective]:
        """-log pi of what succeeded in hindsight, a mean over tokens: it has no ratio, having no log-probabilities."""
        if not drawn:
            return []
        config = self.place.config
        loss = ReinforceLoss()
        algorithm = replace(config.algorithm, loss=loss, aggregation="token_mean")
        return [Objective("hindsight", _batch_of(drawn), replace(config, algorithm=algorithm), coefficient)]

    def _score(self, segments: Sequence[Segment]) -> list[Stream]:
        place = self.place
        temperature = place.config.rollout.sampling.temperature
        place.model.eval()
        streams, _ = score_segments(place.model, segments, place.config.packing, temperature)
        place.model.train()
        return streams


def _batch_of(drawn: Drawn) -> TrainBatch:
    batch = TrainBatch.of_trajectories([one for one, _ in drawn])
    advantages = np.array([advantage for _, advantage in drawn])
    batch.advantages = [
        np.full(segment.num_tokens, advantages[owner])
        for segment, owner in zip(batch.segments, batch.owner, strict=True)
    ]
    return batch
