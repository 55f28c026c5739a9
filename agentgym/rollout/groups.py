"""Groups for training: admitted and handed out in a seeded order, with a limit on how many are in flight.

Groups are handed out in the order of their admission, so fast episodes are not preferred and nothing is dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from agentgym.errors import ConfigError
from agentgym.policy import draw_seed
from agentgym.rollout.engine import RolloutEngine
from agentgym.rollout.episode import Job
from agentgym.suite import require_trainable
from agentgym.task import Task
from agentgym.trajectory import Group, Trajectory


@dataclass
class _Admission:
    """The episodes of a task that are in flight together: one `Group` for each role in the end."""

    index: int
    task: Task
    finished: list[list[Trajectory]] = field(default_factory=list)

    def groups(self) -> list[Group]:
        """The sealed groups; an episode that failed before its game had roles is missing in each."""
        graded = [records for records in self.finished if records[0].outcome and records[0].outcome.is_graded]
        groups = []
        for own in (graded or self.finished)[0]:
            group = Group(own.group_id, self.task.id, len(self.finished))
            for records in self.finished:
                by_role = {record.role: record for record in records}
                group.add(by_role.get(own.role) or _absent(own, records[0]))
            groups.append(group)
        return groups


def _absent(own: Trajectory, failed: Trajectory) -> Trajectory:
    """The record of a role in an episode that failed before it was told of it."""
    key = failed.id.rpartition("/")[0]
    return replace(failed, id=f"{key}/{own.role}", role=own.role, group_id=own.group_id, turns=[])


class GroupCollector:
    """Collects groups of trajectories to train on.

    Args:
        engine: Plays the episodes; nobody else may use it meanwhile.
        tasks: An endless stream of train tasks, in a seeded order.
        group_size: Episodes per group.
        max_in_flight: Largest number of groups in flight when the collecting of a batch begins: (staleness + 1) x
            groups per batch. No group is admitted while the batch is handed out, so a group is trained on at most
            `staleness` batches late.
        seed: Seed of the policies' draws.
        first_index: Index of the first group, counted over the run.
        index_step: Distance between indices: the number of processes that collect in parallel.
        prepare: Changes an episode before it is admitted, such as by a hint.
    """

    def __init__(
        self,
        engine: RolloutEngine,
        tasks: Iterator[Task],
        *,
        group_size: int,
        max_in_flight: int,
        seed: int,
        first_index: int = 0,
        index_step: int = 1,
        prepare: Callable[[Job], Job] | None = None,
    ) -> None:
        if group_size < 1 or max_in_flight < 1:
            raise ConfigError(f"group_size and max_in_flight must be positive: got {group_size}, {max_in_flight}")
        self._engine, self._tasks = engine, tasks
        self._group_size, self._max_in_flight, self._seed = group_size, max_in_flight, seed
        self._next_index, self._index_step, self._prepare = first_index, index_step, prepare
        self._in_flight: deque[_Admission] = deque()
        self._by_key: dict[str, _Admission] = {}

    def collect(self, num_groups: int, on_episode: Callable[[list[Trajectory]], None] | None = None) -> list[Group]:
        """The next groups in order of admission, all sealed; one for each role except partners.

        No policy is at work when it returns, so the weights may change while other groups are in flight.

        Args:
            num_groups: How many admissions to wait for.
            on_episode: Called with the records of each episode as it ends.
        """
        groups: list[Group] = []
        for handed_out in range(num_groups):
            self._admit(max(1, self._max_in_flight - handed_out))
            while len(self._in_flight[0].finished) < self._group_size:
                self._take(on_episode)
            groups += self._in_flight.popleft().groups()
        self._engine.settle()
        return groups

    @property
    def next_index(self) -> int:
        """Index of the first group that was not handed out; a resumed run starts there again."""
        return self._in_flight[0].index if self._in_flight else self._next_index

    def _admit(self, most: int) -> None:
        while len(self._in_flight) < most:
            task = next(self._tasks)
            require_trainable([task])
            admission = _Admission(self._next_index, task)
            self._next_index += self._index_step
            self._in_flight.append(admission)
            group_id = f"g{admission.index:06d}"
            self._by_key[group_id] = admission
            for attempt in range(self._group_size):
                seed = draw_seed(self._seed, group_id, attempt)
                job = Job(task, f"{group_id}-{attempt:03d}", seed, group_id, attempt)
                self._engine.submit(job if self._prepare is None else self._prepare(job))

    def _take(self, on_episode: Callable[[list[Trajectory]], None] | None) -> None:
        records = self._engine.next()
        assert records is not None, "groups are in flight"
        if on_episode is not None:
            on_episode(records)
        group_id = records[0].group_id.partition("/")[0]
        admission = self._by_key[group_id]
        admission.finished.append(records)
        if len(admission.finished) == self._group_size:
            del self._by_key[group_id]


def shuffled_tasks(tasks: tuple[Task, ...], seed: int, start: int = 0) -> Iterator[Task]:
    """An endless stream over tasks: each pass in a new order that depends on the seed and the pass alone.

    Args:
        tasks: The tasks; not empty.
        seed: Seed of the order.
        start: How many to skip, for resuming.
    """
    if not tasks:
        raise ConfigError("there are no tasks to train on; the train split is empty or filtered to nothing")
    position = start
    while True:
        epoch, offset = divmod(position, len(tasks))
        order = sorted(range(len(tasks)), key=lambda index: draw_seed(seed, epoch, index))
        for index in order[offset:]:
            position += 1
            yield tasks[index]
