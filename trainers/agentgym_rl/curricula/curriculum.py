"""The curriculum of a run: plans each group before it is admitted, and learns from what came of it.

The parts decide (bands, difficulty, starts, guidance, horizon); here they are put together, in the order of the groups.
What a group is depends on its index and on the results known when it is admitted, so that a run repeats.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from agentgym.errors import CheckpointError
from agentgym.registration.env_spec import Hints
from agentgym.rollout import Job, draw_seed, shuffled_tasks
from agentgym.suite import Suite
from agentgym.task import Task
from agentgym.trajectory import Group, Trajectory
from agentgym_rl.core.config.curriculum import CurriculumConfig
from agentgym_rl.core.metrics import Metrics
from agentgym_rl.core.part_state import Part, PartState
from agentgym_rl.curricula.bands import SuccessBands
from agentgym_rl.curricula.difficulty import TaskMaker
from agentgym_rl.curricula.guidance import Guidance
from agentgym_rl.curricula.ladder import Ladder
from agentgym_rl.curricula.measures import measure
from agentgym_rl.curricula.plan import Plan, Result
from agentgym_rl.curricula.starts import RecordedStarts

_NAME = "curriculum"


class Curriculum:
    """Decides what each group of a run plays.

    Args:
        config: What of it is on.
        suite: Its train tasks are drawn from.
        seed: The run's seed.
        options: Options that its environment is made with.
        hint: Gives advice on a task, as `EnvSpec.load_hints`; None where guidance is off.
    """

    def __init__(
        self,
        config: CurriculumConfig,
        suite: Suite,
        seed: int,
        *,
        options: Mapping[str, Any] | None = None,
        hint: Hints | None = None,
    ) -> None:
        self.config, self._seed, self._hint = config, seed, hint
        self._tasks = suite.train_tasks() if config.plans_groups else ()
        self._suite = suite
        self._iteration = 0
        self._drawn = 0
        self._stream: Iterator[Task] | None = None
        self._plans: dict[int, Plan] = {}
        self.bands = SuccessBands(config.bands, self._tasks) if config.bands else None
        self.starts = RecordedStarts(config.starts, self._tasks) if config.starts else None
        self.guidance = Guidance(config.guidance) if config.guidance else None
        self.ladder, self._maker = None, None
        if config.difficulty is not None:
            wanted = config.difficulty
            self.ladder = Ladder(wanted.levels + 1, wanted.raise_above, wanted.window)
            self._maker = TaskMaker(suite, {**(options or {}), **wanted.options}, draw_seed(seed, "made tasks"))

    # What the collector asks.

    def tasks(self, first: int, rank: int = 0, world: int = 1) -> Iterator[Task]:
        """The tasks of this process, of every `world` groups the one at `rank`; all processes plan all groups."""
        if not self.config.plans_groups:
            every = shuffled_tasks(self._suite.train_tasks(), draw_seed(self._seed, "tasks"), first)
            yield from itertools.islice(every, rank, None, world)
        for row in itertools.count(first, world):
            plans = [self.plan(row + place) for place in range(world)]
            yield plans[rank].played

    def prepare(self, job: Job) -> Job:
        """An episode with what its group's plan says of it: the opening, and a hint in as many episodes as it says."""
        plan = self._plans.get(_index(job.group_id))
        if plan is None:
            return job
        if plan.opening is not None:
            return replace(job, opening=plan.opening, env_seed=plan.opening.seed)
        chance = random.Random(draw_seed(self._seed, "hint", job.key)).random()
        if self._hint is not None and chance < plan.hint_probability:
            return replace(job, hint=self._hint(plan.task, plan.blame))
        return job

    def plan(self, index: int) -> Plan:
        """The plan of a group: the one made before where it is in flight."""
        if index not in self._plans:
            plan = self._new_plan(index)
            horizon = self.config.horizon
            if horizon is not None:
                plan = replace(plan, horizon=horizon.turns[horizon.stage(self._iteration)])
            self._plans[index] = plan
        return self._plans[index]

    # What the loop tells.

    def take(self, demonstrations: Iterable[Trajectory]) -> None:
        """Episodes from before the run that groups may start in."""
        if self.starts is not None:
            self.starts.take(demonstrations)

    def observe(self, groups: Sequence[Group], iteration: int) -> Metrics:
        """Learn from the groups of an iteration, counted from 0; those that are admitted later are of the next one.

        Returns:
            What is logged; see `measures.py`.
        """
        if not self.config.plans_groups:
            return {}
        by_index: dict[int, list[Group]] = {}
        for group in groups:
            by_index.setdefault(_index(group.id), []).append(group)
        results = [Result.of(self._plans.pop(index), by_index[index]) for index in sorted(by_index)]
        for result in results:
            self._record(result)
        metrics = measure(results, self.config, iteration) | self._standing()
        if self.bands is not None:
            self.bands.grow_old()
        self._iteration = iteration + 1
        return metrics

    def parts(self) -> dict[str, Part]:
        """What a checkpoint keeps: this, where it decides anything."""
        return {_NAME: self} if self.config.plans_groups else {}

    def state(self) -> PartState:
        """Stage, estimates, and the plans of groups in flight."""
        bands = PartState({}) if self.bands is None else self.bands.state()
        record = {
            "iteration": self._iteration,
            "drawn": self._drawn,
            "plans": [plan.to_json() for plan in self._plans.values()],
            "bands": dict(bands.record),
            "ladder": None if self.ladder is None else self.ladder.to_json(),
            "starts": None if self.starts is None else self.starts.to_json(),
            "guidance": None if self.guidance is None else self.guidance.to_json(),
        }
        return PartState(record, bands.tensors)

    def restore(self, state: PartState) -> None:
        """Go on from a state.

        Raises:
            CheckpointError: It is incomplete, or of other tasks.
        """
        try:
            record = state.record
            plans = [Plan.from_json(each) for each in record["plans"]]
            self._plans = {plan.index: plan for plan in plans}
            self._iteration, self._drawn, self._stream = record["iteration"], record["drawn"], None
            if self.bands is not None:
                self.bands.restore(state)
            for name, part in (("ladder", self.ladder), ("starts", self.starts), ("guidance", self.guidance)):
                if part is not None:
                    part.restore(record[name])
        except (KeyError, TypeError) as error:
            raise CheckpointError(
                f"the checkpoint's state of the curriculum lacks {error}; start the run anew"
            ) from error

    # Inside.

    def _new_plan(self, index: int) -> Plan:
        """Tries with help come first, then starts in the middle, then the choice among tasks."""
        rng = random.Random(draw_seed(self._seed, _NAME, index))
        busy = {plan.task.id for plan in self._plans.values()}
        failure = self.guidance.draw(rng, busy) if self.guidance is not None else None
        if self.guidance is not None and failure is not None:
            probability = self.guidance.probability(failure)
            return Plan(index, failure.task, "retry", hint_probability=probability, blame=failure.blame)
        start = self.starts.draw(rng, busy) if self.starts is not None else None
        if start is not None:
            return Plan(index, start.task, "recorded", start.rung, opening=start.opening)
        if self.config.difficulty is not None and self.ladder is not None and self._maker is not None:
            rung, levels = self.ladder.rung, self.config.difficulty.levels
            if rung < levels:
                return Plan(index, self._maker.make(rung / max(1, levels - 1), index), "level", rung)
        task = self.bands.draw(rng, busy) if self.bands is not None else None
        return Plan(index, self._next_of_all(), "stream") if task is None else Plan(index, task, "band")

    def _next_of_all(self) -> Task:
        if self._stream is None:
            self._stream = shuffled_tasks(self._tasks, draw_seed(self._seed, "tasks"), self._drawn)
        self._drawn += 1
        return next(self._stream)

    def _record(self, result: Result) -> None:
        if self.bands is not None:
            self.bands.record(result)
        if self.ladder is not None and result.plan.source == "level":
            self.ladder.record(result.plan.rung, result.success)
        if self.starts is not None:
            self.starts.record(result)
        if self.guidance is not None:
            self.guidance.record(result)

    def _standing(self) -> Metrics:
        """Where the parts stand after an iteration."""
        metrics: Metrics = {}
        if self.bands is not None:
            seen, in_band = self.bands.is_seen, self.bands.is_in_band
            metrics["curriculum/seen_share"] = float(np.mean(seen))
            metrics["curriculum/band_share"] = float(in_band.sum() / max(1, seen.sum()))
        if self.ladder is not None:
            metrics["curriculum/rung"] = float(self.ladder.rung)
            metrics["curriculum/rung_success"] = self.ladder.success
        if self.starts is not None:
            metrics["curriculum/start_rung"] = float(self.starts.ladder.rung)
            metrics["curriculum/recorded_tasks"] = float(len(self.starts))
        if self.guidance is not None:
            metrics["curriculum/waiting_tasks"] = float(len(self.guidance))
        return metrics


def _index(group_id: str) -> int:
    """The index in a group's id, such as 12 in "g000012/seller"."""
    return int(group_id.partition("/")[0].removeprefix("g"))
