"""A replay buffer made from the options: an index and a selector for this run and for each earlier one, and hindsight.

Learners decide what to learn from a draw. `reading` reads its tokens, and each part is in its own file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from agentgym.errors import CheckpointError, ContractError
from agentgym.message import ToolSchema
from agentgym.prompting.renderer import ChatRenderer
from agentgym.rollout import draw_seed
from agentgym.store import RunStore
from agentgym.suite import Suite
from agentgym.trajectory import Trajectory
from agentgym_rl.core.part_state import PartState
from agentgym_rl.replay.across_runs import ReplayAcrossRuns
from agentgym_rl.replay.admission import open_runs
from agentgym_rl.replay.draw import Draw, Selector
from agentgym_rl.replay.hindsight import Hindsight
from agentgym_rl.replay.imitation import SelfImitation, UsualReturns
from agentgym_rl.replay.index import ReplayIndex
from agentgym_rl.replay.options import (
    GoodReplay,
    ImitationReplay,
    Memory,
    PrioritisedBuffer,
    ReturnWeightedBuffer,
    StoredPrioritised,
    StoredReturnWeighted,
    SuccessReplay,
)
from agentgym_rl.replay.prioritised import PrioritisedReplay
from agentgym_rl.replay.returns import ReturnWeightedReplay
from agentgym_rl.replay.successes import TaskSuccesses
from agentgym_rl.replay.tables import Admitted, ImitationConfig
from agentgym_rl.replay.uniform import UniformReplay

_SAME_RETURN = 1e-9


class ReplayBuffer:
    """The entries that can be drawn from a run and from earlier ones.

    Args:
        options: The kind of selector, bounds, share of earlier runs.
        indices: The index of the run itself, then of each earlier one.
        hindsight: Relabels failed episodes; None: off.
        seed: Seed of all draws.

    Attributes:
        indices: As given.
        selectors: One for each index, in their order; the kind decides the class.
        usual: For kind imitation, the standard of the selectors; the collector reports fresh groups to it.
    """

    def __init__(self, options: Memory, indices: Sequence[ReplayIndex], hindsight: Hindsight | None, seed: int) -> None:
        self.options, self.indices, self.hindsight = options, tuple(indices), hindsight
        self.usual = UsualReturns(options.imitation if isinstance(options, ImitationReplay) else ImitationConfig())
        self.selectors = [self._selector(index, draw_seed(seed, "replay", n)) for n, index in enumerate(self.indices)]
        self._seed = seed
        self._across = None
        if len(self.indices) > 1:
            chooser = np.random.default_rng(draw_seed(seed, "replay", "runs"))
            self._across = ReplayAcrossRuns(self.selectors[0], self.selectors[1:], chooser, options.runs_share)

    @classmethod
    def open(
        cls,
        options: Memory,
        store: RunStore,
        suite: Suite,
        *,
        tokenizer: PreTrainedTokenizerFast,
        renderer: ChatRenderer,
        tools: Sequence[ToolSchema],
        seed: int,
        admitted: Admitted = "all",
        history: str = "full",
    ) -> Self:
        """The buffer of a run; it is empty until `refresh` or `restore`.

        Args:
            options: The options of replay.
            store: The run, open for writing where hindsight is on.
            suite: The suite that is trained on.
            tokenizer: The tokenizer that is trained with.
            renderer: Renders the prompts of relabelled episodes.
            tools: The environment's tools, as in training.
            seed: Seed of all draws.
            admitted: Which episodes enter: "sampled" for losses with a ratio.
            history: Which turns the prompts of relabelled episodes leave out, as `RolloutSettings.history`.

        Raises:
            StoreError: An earlier run cannot be replayed; see `open_runs`.
            ConfigError: Hindsight is on, and the environment cannot relabel.
        """
        hindsight = None
        if options.hindsight is not None:
            hindsight = Hindsight(suite, renderer, tools, options.hindsight, history)
        own = ReplayIndex(store, options.bounds(admitted), suite=suite.name)
        bounds = options.bounds_of_runs(admitted)
        others = open_runs(options.runs, bounds, suite=suite.name, tokenizer=tokenizer)
        return cls(options, [own, *others], hindsight, seed)

    def close(self) -> None:
        """Close earlier runs and the environment of hindsight; the run's own store stays open. May be called twice."""
        for index in self.indices[1:]:
            index.store.close()
        if self.hindsight is not None:
            self.hindsight.close()

    @property
    def num_turns(self) -> int:
        """Number of turns that can be drawn, over all runs."""
        return sum(index.num_turns for index in self.indices)

    def largest_return(self) -> float:
        """The largest return of an episode that can be drawn, with rewards taken without sign; 0 if there is none."""
        return max(index.largest_return() for index in self.indices)

    def better_episodes(self) -> int:
        """How many episodes that can be drawn returned more than the worst of them."""
        returns = np.concatenate([index.returns() for index in self.indices])
        return int((returns > returns.min(initial=np.inf) + _SAME_RETURN).sum())

    def refresh(self, iteration: int, version: int) -> dict[str, float]:
        """Add newly stored episodes and drop those out of bounds; earlier draws become invalid.

        Args:
            iteration: The iteration of the next draws, counted from 1 as in the store; ages count from it.
            version: Version of the weights that will be trained then; lags count from it.

        Returns:
            Metrics: the turns in the buffer, the turns that were added and dropped, and the episodes of earlier runs
            that exceed the capacity.

        Raises:
            StoreError: The run's file is damaged.
        """
        own = self.indices[0]
        changed = own.refresh(iteration=iteration, version=version)
        counts = {"added": changed.added, "dropped": changed.dropped, "refused": changed.refused}
        sizes = {"turns": self.num_turns, "episodes": sum(index.num_episodes for index in self.indices)}
        if len(self.indices) > 1:
            counts["other_runs_left_out"] = sum(index.left_out for index in self.indices[1:])
        return {f"replay/{name}": float(count) for name, count in (sizes | counts).items()}

    def draw(self, count: int) -> list[Draw]:
        """Draw that many entries with replacement, those of this run first; kind imitation may find fewer good ones.

        Raises:
            ContractError: There is nothing to draw from.
        """
        return [self.selectors[0].draw(count)] if self._across is None else self._across.draw(count)

    def draw_metrics(self, draws: Sequence[Draw]) -> dict[str, float]:
        """Metrics of how stale draws are: ages and lags in this run only, and the share of earlier runs.

        Several draws, such as those of a critic's updates, count as one.
        """
        total = sum(len(draw.entries) for draw in draws)
        own = [draw for draw in draws if draw.index is self.indices[0]]
        entries = np.concatenate([np.zeros(0, np.int64), *(draw.entries for draw in own)])
        metrics = Draw.of(own[0].index, own[0].unit, entries).metrics() if own else {}
        if len(self.indices) > 1 and total:
            metrics["replay/other_runs_share"] = 1.0 - len(entries) / total
        return metrics

    def update(self, draw: Draw, values: NDArray[np.float64]) -> None:
        """Set, for kind prioritised, the priorities of drawn entries by their TD errors or advantages.

        Raises:
            ContractError: Draws have no priorities here, are from another buffer or invalid, or a value is not finite.
        """
        for selector in self.selectors:
            if selector.index is draw.index and isinstance(selector, PrioritisedReplay):
                return selector.update(draw, values)
        raise ContractError(
            f"no priorities to update: replay.kind is {self.options.kind!r}, expected prioritised, and a draw of this "
            "buffer"
        )

    def relabel(self, trajectories: Sequence[Trajectory], iteration: int) -> list[Trajectory]:
        """Store failed episodes with goals that they reached, as derived training episodes; [] without hindsight.

        The next `refresh` adds them.

        Args:
            trajectories: Fresh trajectories of train tasks; successful ones are skipped.
            iteration: The iteration that collected them, counted from 1 as in the store.

        Raises:
            StoreError: They were stored before.
        """
        if self.hindsight is None:
            return []
        made = self.hindsight.relabel(trajectories, draw_seed(self._seed, "hindsight", iteration))
        for one in made:
            self.indices[0].store.write_episode(one, iteration)
        return made

    # Checkpoints.

    def state(self) -> PartState:
        """The state for a checkpoint: the episodes in the buffer, their priorities, and the state of the draws."""
        states = [index.state() for index in self.indices]
        selectors = [self.selectors[0].state()] if self._across is None else self._across.state()
        record = {"kind": self.options.kind, "samplers": selectors, "indices": [dict(each.record) for each in states]}
        return PartState(
            record, {f"{n}.{name}": tensor for n, each in enumerate(states) for name, tensor in each.tensors.items()}
        )

    def restore(self, state: PartState) -> None:
        """Restore the state of a checkpoint, with the same entries in the same order.

        Raises:
            CheckpointError: The state is from another kind of buffer, or the runs lack episodes that it names.
            StoreError: A run cannot be read.
        """
        records = state.record.get("indices", [])
        if state.record.get("kind") != self.options.kind or len(records) != len(self.indices):
            raise CheckpointError(
                f"the checkpoint holds a replay buffer of kind {state.record.get('kind')!r} over {len(records)} runs, "
                f"expected {self.options.kind!r} over {len(self.indices)}; resume with the same settings"
            )
        for n, (index, record) in enumerate(zip(self.indices, records, strict=True)):
            index.restore(PartState(record, _of_index(state.tensors, f"{n}.")))
        selectors = state.record["samplers"]
        if self._across is None:
            self.selectors[0].restore(selectors[0])
        else:
            self._across.restore(selectors)

    def _selector(self, index: ReplayIndex, seed: int) -> Selector:
        options, generator = self.options, np.random.default_rng(seed)
        if isinstance(options, SuccessReplay):
            return TaskSuccesses(index, generator, options.per_task)
        if isinstance(options, ImitationReplay):
            return SelfImitation(index, generator, self.usual)
        if isinstance(options, PrioritisedBuffer | StoredPrioritised):
            return PrioritisedReplay(index, generator, options.priority, options.unit)
        if isinstance(options, GoodReplay | ReturnWeightedBuffer | StoredReturnWeighted):
            return ReturnWeightedReplay(index, generator, options.temperature, options.unit)
        return UniformReplay(index, generator, options.unit)


def _of_index(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
