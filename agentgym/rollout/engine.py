"""The event loop of rollouts: many episodes, environment calls in threads, messages from batched policies.

Its callers (`collect_episodes`, `GroupCollector`) decide which episodes are wanted, and in which order.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from agentgym.errors import (
    AgentGymError,
    CancelledEpisode,
    ContextOverflowError,
    EndpointDownError,
    InfrastructureError,
)
from agentgym.game import Game
from agentgym.policy import Policy, Reply, Request
from agentgym.rollout.asking import AskingThreads
from agentgym.rollout.casting import Casting
from agentgym.rollout.costs import NO_TRIES, Tries, retried_costs
from agentgym.rollout.episode import Episode, Job
from agentgym.rollout.faults import FaultWatch, RolloutStats
from agentgym.rollout.notices import Notices
from agentgym.rollout.ray_hosts import RayHosts
from agentgym.rollout.settings import RolloutSettings
from agentgym.rollout.step_pool import Call, StepPool
from agentgym.task import Task
from agentgym.trajectory import Trajectory

_GATHER_S = 0.004
_PATIENCE_S = 1.0
_LOOK_S = 1.0
_log = logging.getLogger(__name__)

Finished = list[Trajectory]


class RolloutEngine:
    """Plays jobs to their end.

    Args:
        make_game: Makes the game of a task; games are reused for tasks with the same environment options.
        policies: The policy of each role; the key "*" stands for all others. A role whose policy `is_partner` has no
            record: it is neither trained on nor counted, and its faults give the episode the outcome partner_fault.
        settings: Concurrency and limits.
        on_finish: Called with the records of each finished episode, on the caller's thread.

    Use as a context manager, or call `close`.
    """

    def __init__(
        self,
        make_game: Callable[[Task], Game],
        policies: Mapping[str, Policy],
        settings: RolloutSettings,
        on_finish: Callable[[Finished], None] | None = None,
    ) -> None:
        self.settings = settings
        self.stats = RolloutStats()
        self._casting = Casting(policies, settings)  # before the hosts: what it refuses must leave no actor behind
        self._hosts = RayHosts(make_game, settings.hosts) if settings.hosts.kind == "ray" else None
        self._make_game = make_game if self._hosts is None else self._hosts.make_game
        self._on_finish = on_finish
        self._pool = StepPool(settings.env_threads)
        # By whether a policy works in this process: such a one is waited for at the end, a server is not.
        concurrency = Counter[bool]()
        for policy in {id(policy): policy for policy in policies.values()}.values():
            concurrency[policy.concurrency == 1] += policy.concurrency
        self._asking = {is_local: AskingThreads(count, self._pool.run) for is_local, count in concurrency.items()}
        self._free_games: dict[str, list[Game]] = {}
        self._calls: dict[Episode, Call] = {}
        self._waiting: deque[tuple[Job, Tries]] = deque()
        self._active: set[Episode] = set()
        self._ready: dict[int, list[tuple[Episode, Request]]] = {}
        self._ready_since = 0.0
        self._busy: Counter[int] = Counter()
        self._finished: deque[Finished] = deque()
        self._faults = FaultWatch(settings, self.stats)
        self._capacity: int | None = None
        self._notices = Notices()

    def __enter__(self) -> RolloutEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, job: Job) -> None:
        """Queue an episode; it starts when a place is free, in the order of submission."""
        self._waiting.append((job, NO_TRIES))

    @property
    def num_in_flight(self) -> int:
        """Episodes that are queued or being played."""
        return len(self._waiting) + len(self._active)

    def next(self) -> Finished | None:
        """The records of the next episode to finish, one for each role except partners; None if nothing is in flight.

        Raises:
            InfrastructureError: More than the declared share of the episodes failed.
            ContractError: Some of them failed again, with the same error of the environment's code for the same seed.
            AgentGymError: A mistake in the environment, the policy or their use.
        """
        while not self._finished:
            if not self.num_in_flight:
                return None
            self._start_waiting()
            self._ask_policies()
            if self._pool.num_pending and not self._finished:
                call = self._pool.next(_GATHER_S if self._ready else _LOOK_S)
                if call is not None:
                    call.then(call)
                elif not self._ready:
                    self._notices.slow(self._calls)
        return self._finished.popleft()

    def settle(self) -> None:
        """Wait until no policy is at work, so that weights may change; environment calls continue meanwhile."""
        while any(self._busy.values()):
            call = self._pool.next()
            if call is not None:
                call.then(call)

    def cancel(self) -> list[Finished]:
        """Cancel all episodes in flight and close their games; returns the records of the cancelled episodes."""
        self._waiting.clear()
        cancelled = []
        for episode in list(self._active):
            if episode.game is not None:
                episode.game.interrupt()
            cancelled.append(episode.fail(CancelledEpisode("cancelled")))
            episode.forget()
            call = self._calls.pop(episode, None)
            if call is None or not self._pool.drop(call):
                self._pool.submit(Call(partial(_close_game, episode), _ignore))
        self._active.clear()
        self._ready.clear()
        return cancelled

    def close(self) -> None:
        """Cancel what is in flight and free games and threads; a second call does nothing."""
        self.cancel()
        self._pool.close()
        for is_local, threads in self._asking.items():
            threads.close(None if is_local else _PATIENCE_S)
        with contextlib.ExitStack() as closing:
            if self._hosts is not None:
                closing.callback(self._hosts.close)  # after the games
            for games in self._free_games.values():
                for game in games:
                    closing.callback(game.close)
            self._free_games.clear()

    # Environment calls.

    def _start_waiting(self) -> None:
        while self._waiting and len(self._active) < self._max_active():
            job, earlier = self._waiting.popleft()
            episode = Episode(job, self._casting, self.settings, earlier)
            games = self._free_games.get(_game_key(job.task))
            if games:
                episode.game = games.pop()
            self._active.add(episode)
            self._call(episode, partial(episode.reset, self._make_game), self._after_reset)

    def _max_active(self) -> int:
        """Episodes that may be played at once: one, until its game has said how many can be held."""
        if self._capacity is None:
            return 1
        return min(self.settings.max_concurrent, self._capacity)

    def _learn_capacity(self, episode: Episode) -> None:
        stated = None if episode.game is None else episode.game.capacity
        self._capacity = self.settings.max_concurrent if stated is None else max(1, stated)

    def _call(self, episode: Episode, function: Callable[[], Any], then: Callable[[Episode, Call], None]) -> None:
        timeout_s = self.settings.step_timeout_s or episode.job.task.limits.step_timeout_s
        call = self._calls[episode] = Call(function, partial(self._after_call, episode, then), timeout_s)
        call.on_late_return = partial(_close_game, episode)
        self._pool.submit(call)

    def _after_call(self, episode: Episode, then: Callable[[Episode, Call], None], call: Call) -> None:
        self._calls.pop(episode, None)
        if self._capacity is None:
            self._learn_capacity(episode)
        if episode not in self._active:
            return
        if call.error is not None:
            self._fail(episode, call.error, is_abandoned=call.is_abandoned)
            return
        self.stats.env_s += call.seconds
        try:
            then(episode, call)
        except InfrastructureError as error:
            self._fail(episode, error)

    def _after_reset(self, episode: Episode, call: Call) -> None:
        episode.begin(call.value)
        self._make_ready(episode)

    def _after_step(self, episode: Episode, call: Call) -> None:
        reply, standing = call.value
        episode.observe(reply, standing, call.seconds)
        if reply.outcome is not None:
            self._finish(episode, episode.finish(reply))
        else:
            self._make_ready(episode)

    def _after_cut(self, episode: Episode, call: Call) -> None:
        self._finish(episode, episode.finish_cut(call.value))

    def _make_ready(self, episode: Episode) -> None:
        reason = episode.cut_reason()
        self._notices.endless(episode)
        request = None if reason else episode.request()
        if request is None:
            self._call(episode, partial(episode.finalize, reason or "context"), self._after_cut)
            return
        if not self._ready:
            self._ready_since = time.monotonic()
        self._ready.setdefault(id(episode.policy), []).append((episode, request))

    # Policy calls.

    def _ask_policies(self) -> None:
        if not self._ready or not self._is_time_to_ask():
            return
        for key, pairs in list(self._ready.items()):
            policy = pairs[0][0].policy
            if policy.concurrency == 1 and self._busy[key]:
                continue
            del self._ready[key]
            pairs.sort(key=lambda pair: pair[1].episode)
            if policy.concurrency == 1:
                self._ask(policy, pairs)
            else:
                for pair in pairs:
                    self._ask(policy, [pair])

    def _is_time_to_ask(self) -> bool:
        if self.settings.is_lockstep:  # until other policies have answered too: whom they let go on joins the batch
            return not self._calls and not any(self._busy.values())
        if not self._calls:
            return True
        if 2 * sum(map(len, self._ready.values())) >= len(self._active):
            return True
        if any(pairs[0][0].policy.concurrency > 1 for pairs in self._ready.values()):
            return True
        return time.monotonic() - self._ready_since > _GATHER_S

    def _ask(self, policy: Policy, pairs: list[tuple[Episode, Request]]) -> None:
        episodes, requests = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        self._busy[id(policy)] += 1
        call = Call(partial(policy.generate, requests), partial(self._after_replies, policy, episodes))
        self._pool.expect(call)
        if self.settings.is_lockstep and policy.concurrency == 1 and not self._ready:
            # Nothing could go on meanwhile, and a thread of its own would keep an allocator's arena of its own.
            self._pool.run(call)
        else:
            self._asking[policy.concurrency == 1].submit(call)

    def _after_replies(self, policy: Policy, episodes: list[Episode], call: Call) -> None:
        self._busy[id(policy)] -= 1
        self.stats.model_busy_s += call.seconds
        if isinstance(call.error, ContextOverflowError) and len(episodes) == 1:
            self._cut_for_context(episodes[0])
            return
        is_passing = isinstance(call.error, InfrastructureError) and not isinstance(call.error, EndpointDownError)
        if call.error is not None and not is_passing:
            raise call.error
        if call.error is not None:
            for episode in episodes:
                self.stats.model_s += call.seconds
                if episode in self._active:
                    self._fail(episode, call.error)
            return
        replies: list[Reply] = call.value
        for episode, reply in zip(episodes, replies, strict=True):
            if episode not in self._active:
                continue
            queue_s = max(0.0, call.started - episode.ready_since)
            self.stats.queue_s += queue_s
            self.stats.model_s += call.seconds
            try:
                text = episode.answer(reply, queue_s, call.seconds)
            except InfrastructureError as error:
                self._fail(episode, error)
                continue
            self._call(episode, partial(episode.step, text), self._after_step)

    def _cut_for_context(self, episode: Episode) -> None:
        """End an episode whose policy, such as a server, says that the conversation is too long for it."""
        if episode in self._active:
            episode.withdraw()
            self._call(episode, partial(episode.finalize, "context"), self._after_cut)

    # Ending.

    def _fail(self, episode: Episode, error: BaseException, *, is_abandoned: bool = False) -> None:
        is_mistake = isinstance(error, AgentGymError) and not isinstance(error, InfrastructureError | CancelledEpisode)
        if is_mistake or not isinstance(error, Exception):
            raise error
        records = episode.fail(error)
        self._active.discard(episode)
        episode.forget()
        if is_abandoned:
            self.stats.abandoned_calls += 1
            if episode.game is not None:
                episode.game.interrupt()
        else:
            self._pool.submit(Call(partial(_close_game, episode), _ignore))
        _log.debug("an episode of task %r failed:", episode.job.task.id, exc_info=error)
        num_before = episode.earlier.number
        if self._faults.may_retry(episode.job.key, records[0], error, num_before):
            self._waiting.appendleft((episode.job, Tries(num_before + 1, retried_costs(records))))
            return
        self._record(records)
        self._faults.check(error)

    def _finish(self, episode: Episode, records: Finished) -> None:
        assert episode.game is not None
        self._active.discard(episode)
        self._faults.forget(episode.job.key)
        episode.forget()
        self._free_games.setdefault(_game_key(episode.job.task), []).append(episode.game)
        self._record(records)

    def _record(self, records: Finished) -> None:
        self.stats.add(records)
        self._finished.append(records)
        if self._on_finish is not None:
            self._on_finish(records)


def _game_key(task: Task) -> str:
    return task.suite


def _close_game(episode: Episode) -> None:
    if episode.game is not None:
        episode.game.close()


def _ignore(call: Call) -> None:
    """A broken game that does not close either is no news."""
