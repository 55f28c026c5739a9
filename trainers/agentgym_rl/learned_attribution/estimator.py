"""A predictor that learns from the run's own episodes: a window of them, the fit, and what a checkpoint keeps.

What is fitted, and what becomes of the outputs, are a file for each method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from transformers import PreTrainedModel

from agentgym.attribution.learned.predicted import FitConfig
from agentgym.attribution.steps import Floats
from agentgym.errors import CheckpointError, ConfigError
from agentgym.trajectory import Segment, Trajectory
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.packing import pack
from agentgym_rl.core.part_state import PartState
from agentgym_rl.core.positions import turn_positions
from agentgym_rl.learned_attribution.reading import (
    Episode,
    episodes_from_tensors,
    episodes_to_tensors,
    read_tokens,
    read_words,
)
from agentgym_rl.learned_attribution.towers import make_network

_MICRO_BATCH_TOKENS = 8192
_WEIGHT_DECAY = 0.01


@dataclass(frozen=True)
class EpisodeOutputs:
    """Outputs for the turns of some whole episodes, by episode and then by turn.

    Attributes:
        before, after: As `TurnOutputs` has them.
        episode: Index of the episode of each turn.
        turn: Its index in the episode.
        targets: Of every episode.
    """

    before: Float[Tensor, " N"]
    after: Float[Tensor, " N"]
    episode: Int[Tensor, " N"]
    turn: Int[Tensor, " N"]
    targets: Float[Tensor, " E"]

    @property
    def is_last(self) -> Tensor:
        """bool[N], the last turn of each episode."""
        return torch.cat([self.episode[1:] != self.episode[:-1], self.episode.new_ones(1).bool()])

    @property
    def is_first(self) -> Tensor:
        """bool[N], the first turn of each episode."""
        return torch.cat([self.episode.new_ones(1).bool(), self.episode[1:] != self.episode[:-1]])

    @property
    def after_reply(self) -> Float[Tensor, " N"]:
        """What is said where the environment has replied to each turn; of the last one, at its own last token."""
        return torch.where(self.is_last, self.after, torch.roll(self.before, -1))

    def sums(self, values: Float[Tensor, " N"]) -> Float[Tensor, " E"]:
        """The sum of a value over each episode, with gradient."""
        return values.new_zeros(len(self.targets)).index_add(0, self.episode, values)

    def means(self, values: Float[Tensor, " N"]) -> Float[Tensor, " E"]:
        """The mean of a value over each episode, with gradient; 0 for one without turns."""
        return self.sums(values) / self.sums(torch.ones_like(values)).clamp_min(1.0)


class Estimator(ABC):
    """Fits a network to episodes of the run, and says of turns what it has learnt.

    A subclass says what is fitted (`loss`) and what is read off (`read`). Its fits depend on nothing but the episodes
    that it was given, in their order, and the configuration. One process; it is a `Part` and a `Predictor`.

    Args:
        name: Names its state in checkpoints.
        fit: How it learns.
        policy: The weights that training starts from, for a tower that copies them; its device is the tower's.

    Attributes:
        names: Of its predictions.
        num_fits: How often it was fitted.
    """

    names: ClassVar[tuple[str, ...]]

    def __init__(self, name: str, fit: FitConfig, policy: PreTrainedModel | None = None) -> None:
        self.name, self.config = name, fit
        self.network, self._reads = make_network(fit, policy)
        self._window: list[Episode] = []
        self.num_fits = 0
        self._scale = 1.0

    @abstractmethod
    def loss(self, outputs: EpisodeOutputs) -> Float[Tensor, " E"]:
        """The loss of each episode; targets are divided by their scale."""

    @abstractmethod
    def read(self, outputs: EpisodeOutputs) -> dict[str, Float[Tensor, " N"]]:
        """The predictions for each turn, by name, in units of the scale."""

    def target(self, trajectory: Trajectory) -> float:
        """What is to be predicted of an episode: its undiscounted return."""
        return float(trajectory.step_rewards().sum())

    def examples(self) -> list[Episode]:
        """What it is fitted on: the window."""
        return self._window

    def observe(self, trajectories: Sequence[Trajectory]) -> None:
        """Put episodes into the window, which forgets the oldest."""
        self._window += [self.episode_of(each, self.target(each)) for each in trajectories if each.turns]
        self._window = self._window[-self.config.window :]

    def episode_of(self, trajectory: Trajectory, target: float) -> Episode:
        """An episode as the tower reads it."""
        segments = read_words(trajectory) if self._reads == "words" else read_tokens(trajectory)
        return Episode(segments, target, len(trajectory.turns))

    def fit(self) -> dict[str, float]:
        """Fit the network to the window, going on from where it is.

        Returns:
            By name: `loss` of the last pass (of targets divided by their scale), `episodes`.

        Raises:
            ConfigError: No update of the last pass had a finite gradient: the fit has diverged.
        """
        episodes, config = self.examples(), self.config
        if not episodes:
            return {}
        if self.num_fits == 0:
            self._scale = max([abs(episode.target) for episode in episodes]) or 1.0
        rng = np.random.default_rng(np.random.SeedSequence([config.seed, self.num_fits]))
        trained = [each for each in self.network.parameters() if each.requires_grad]
        optimiser = torch.optim.AdamW(trained, lr=config.learning_rate, weight_decay=_WEIGHT_DECAY)
        self.network.train()
        losses: list[float] = []
        taken: list[bool] = []
        for _ in range(config.epochs if self.num_fits else config.first_epochs):
            order = rng.permutation(len(episodes))
            chunks = np.array_split(order, -(-len(order) // config.batch_episodes))
            updates = [self._update(optimiser, trained, [episodes[at] for at in chunk]) for chunk in chunks]
            losses, taken = [loss for loss, _ in updates], [is_taken for _, is_taken in updates]
        if not any(taken):
            raise ConfigError(f"no gradient of the last pass is finite: {self._how_it_diverged()}")
        self.network.eval()
        self.num_fits += 1
        return {"loss": float(np.mean(losses)), "episodes": float(len(episodes))}

    def _update(
        self, optimiser: torch.optim.Optimizer, trained: Sequence[Tensor], episodes: Sequence[Episode]
    ) -> tuple[float, bool]:
        """One update, left out where the gradient is not finite; returns the loss, and whether it was taken."""
        optimiser.zero_grad()
        total = 0.0
        for outputs in self._outputs(episodes):
            loss = self.loss(outputs).sum() / len(episodes)
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        norm = torch.nn.utils.clip_grad_norm_(trained, self.config.max_grad_norm)
        is_taken = bool(norm.isfinite())
        if is_taken:
            optimiser.step()
        return total, is_taken

    @torch.no_grad()
    def predict(self, trajectories: Sequence[Trajectory]) -> dict[str, list[Floats]]:
        """The predictions for every turn; 0 for turns of which nothing was read. See `Predictor.predict`.

        Raises:
            ConfigError: One is no finite number: the fit has diverged.
        """
        self.network.eval()
        episodes = [self.episode_of(each, 0.0) for each in trajectories]
        found = {name: [np.zeros(episode.num_turns) for episode in episodes] for name in self.names}
        for outputs in self._outputs(episodes):
            where = list(zip(outputs.episode.tolist(), outputs.turn.tolist(), strict=True))
            for name, values in self.read(outputs).items():
                for (episode, turn), value in zip(where, (self._scale * values.double()).tolist(), strict=True):
                    found[name][episode][turn] = value
        for predicted in found.values():
            self._require_finite(trajectories, predicted)
        return found

    def _require_finite(self, trajectories: Sequence[Trajectory], predicted: Sequence[Floats]) -> None:
        for trajectory, values in zip(trajectories, predicted, strict=True):
            if not np.isfinite(values).all():
                turn = int(np.flatnonzero(~np.isfinite(values))[0])
                raise ConfigError(
                    f"the predictor of {self.name} says {values[turn]} of turn {turn} of episode {trajectory.id!r}, "
                    f"expected a finite number: {self._how_it_diverged()}"
                )

    def _how_it_diverged(self) -> str:
        rate = self.config.learning_rate
        return f"the fit of {self.name} has diverged; lower {self.name}.fit.learning_rate, which is {rate:g}"

    def _outputs(self, episodes: Sequence[Episode]) -> Iterator[EpisodeOutputs]:
        """Outputs by micro-batch, each holding whole episodes."""
        segments = [segment for episode in episodes for segment in episode.segments]
        owner = np.repeat(np.arange(len(episodes)), [len(episode.segments) for episode in episodes])
        device = next(self.network.parameters()).device
        targets = torch.tensor([each.target / self._scale for each in episodes], dtype=torch.float32, device=device)
        for batch in pack(segments, _shape(segments, owner), sequence_index=owner) if segments else ():
            yield self._outputs_of(batch.to(device), torch.from_numpy(owner).to(device), targets)

    def _outputs_of(self, batch: MicroBatch, owner: Tensor, targets: Tensor) -> EpisodeOutputs:
        positions = turn_positions(batch)
        outputs = self.network(batch, positions)
        episode = owner[positions.segment]
        order = torch.argsort(episode * (int(positions.turn.max()) + 1) + positions.turn, stable=True)
        return EpisodeOutputs(
            outputs.before[order], outputs.after[order], episode[order], positions.turn[order], targets
        )

    def state(self) -> PartState:
        """The network, the window and how often it was fitted."""
        tensors = {f"network.{name}": each.detach().clone() for name, each in self.network.state_dict().items()}
        tensors |= {f"window.{name}": each for name, each in episodes_to_tensors(self._window).items()}
        return PartState({"predictor": self.name, "num_fits": self.num_fits, "scale": self._scale}, tensors)

    def restore(self, state: PartState) -> None:
        """Go on from a state.

        Raises:
            CheckpointError: It is of another predictor, or of another tower.
        """
        if state.record.get("predictor") != self.name:
            raise CheckpointError(
                f"the checkpoint holds the predictor {state.record.get('predictor')!r}, this run has {self.name!r}; "
                "resume with the run's own configuration"
            )
        parts: dict[str, dict[str, Tensor]] = {"network": {}, "window": {}}
        for name, tensor in state.tensors.items():
            kind, _, rest = name.partition(".")
            parts[kind][rest] = tensor
        try:
            self.network.load_state_dict(parts["network"])
        except RuntimeError as error:
            raise CheckpointError(f"the predictor {self.name} of the checkpoint has another tower: {error}") from error
        self._window = episodes_from_tensors(parts["window"])
        self.num_fits, self._scale = int(state.record["num_fits"]), float(state.record["scale"])
        self.network.eval()


def _shape(segments: Sequence[Segment], owner: np.ndarray) -> PackingConfig:
    """Rows that take the longest segment, micro-batches that take the episode of most segments."""
    longest = max(2, *(segment.num_tokens for segment in segments))
    most = int(np.bincount(owner).max())
    return PackingConfig(longest, max(_MICRO_BATCH_TOKENS, longest * most), is_packed=False, keep_sequences_whole=True)
