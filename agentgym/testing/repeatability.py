"""Checks that the same actions lead to the same episode: seeds, replays, concurrency, anchors and forks.

`bookkeeping` checks what a step reports, and `hostility` what a player can do wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

from agentgym.env import AgentEnv
from agentgym.errors import TaskError
from agentgym.task import Task
from agentgym.testing.episodes import Record, Step, advance, difference, play_actions, start
from agentgym.testing.report import Note, expect
from agentgym.testing.subject import EnvSubject, different

NUM_CONCURRENT = 32
NUM_PREFIXES = 60
NUM_SUFFIXES = 20
SUFFIX_LENGTH = 6
MAX_PAIRS = 5
MAX_REPEATED = 12
BARRIER_TIMEOUT_S = 60.0
_REMEDY = "draw from self.rng or from the task's seed alone, and set up everything anew in begin()"


def check_seeds(subject: EnvSubject) -> str | None:
    """The same seed and actions give the same trajectory, in a fresh and in a used environment."""
    env = subject.make()
    if not env.deterministic:
        return "declared as not deterministic"
    for seed in (3, 7):
        actions = subject.mixtures(subject.tasks[0], 1, SUFFIX_LENGTH, seed)[0]
        expected = play_actions(env, None, actions, seed)
        played = (("fresh", subject.play(None, actions, seed)), ("used", play_actions(env, None, actions, seed)))
        for kind, record in played:
            found = difference(expected, record)
            expect(found is None, f"seed {seed} repeated in a {kind} environment: {found}; {_REMEDY}")
    return None


def check_replay(subject: EnvSubject) -> str | None:
    """Recorded actions of a task lead to the same trajectory again after other episodes."""
    used = subject.make()
    if not used.deterministic:
        return "declared as not deterministic"
    first: dict[str, Record] = {}
    for task, expected in subject.records():
        again = subject.play(task, expected.actions)
        first.setdefault(task.id, again)
        found = difference(expected, again)
        expect(found is None, f"task {task.id!r} replayed in a fresh environment: {found}; {_REMEDY}")
    for task in (*subject.tasks, subject.tasks[0]):
        found = difference(first[task.id], play_actions(used, task, first[task.id].actions))
        expect(found is None, f"task {task.id!r} replayed in a used environment: {found}; {_REMEDY}")
    return None


def check_concurrency(subject: EnvSubject) -> str | None:
    """Many episodes of one task, stepped in turns by as many threads, do not disturb each other."""
    if not subject.make().deterministic:
        return "declared as not deterministic"
    task = subject.tasks[0]
    expected = [record for played, record in subject.records() if played is task]
    sequences = [record.actions for record in expected]
    count = subject.few(NUM_CONCURRENT)
    barrier = threading.Barrier(count)
    num_rounds = max(len(actions) for actions in sequences)

    def play(index: int) -> Record:
        try:
            return _play_in_turns(subject.factory(), task, sequences[index % len(sequences)], barrier, num_rounds)
        except BaseException:
            barrier.abort()
            raise

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(play, index) for index in range(count)]
    errors = [error for future in futures if (error := future.exception()) is not None]
    for error in errors:
        if not isinstance(error, threading.BrokenBarrierError):
            raise error
    for index, future in enumerate(futures):
        found = difference(expected[index % len(sequences)], future.result())
        expect(found is None, f"{count} episodes of task {task.id!r} at once: {found}")
    return None


def _play_in_turns(
    env: AgentEnv, task: Task, actions: Sequence[str], barrier: threading.Barrier, num_rounds: int
) -> Record:
    """Play, and wait before each step until every other thread has reached it."""
    record = start(env, task)
    for number in range(num_rounds):
        barrier.wait(BARRIER_TIMEOUT_S)
        if number < len(actions) and not record.is_over:
            advance(env, record, actions[number])
    env.close()
    return record


def check_anchors(subject: EnvSubject) -> str | None:
    """States with equal anchors have equal observations and rewards under random further actions, unlimited turns.

    The check notes an anchor that changes when nothing else does. It may contain the turn, and then no state recurs.
    """
    first = subject.tasks[0]
    task = replace(first, limits=replace(first.limits, max_turns=None))
    env = subject.make()
    start(env, first)
    if env.anchor() is None:
        return "the environment has no anchors"
    try:
        start(env, task)
    except TaskError:
        if first.private:
            raise
        task = first  # its private part is not told here, so that it cannot be given other limits
    prefixes = subject.mixtures(task, subject.few(NUM_PREFIXES), 3)
    prefixes = different([*prefixes, *(prefix[::-1] for prefix in prefixes)])
    by_anchor: dict[str, list[list[str]]] = {}
    for prefix in prefixes:
        if not play_actions(env, task, prefix).is_over:
            anchor = env.anchor()
            expect(isinstance(anchor, str), f"anchor() is {anchor!r} in the middle of an episode, expected text")
            by_anchor.setdefault(str(anchor), []).append(prefix)
    pairs = [(anchor, members[0], member) for anchor, members in by_anchor.items() for member in members[1:]]
    suffixes = different(subject.mixtures(task, subject.few(NUM_SUFFIXES), SUFFIX_LENGTH, seed=1))

    @cache
    def future(prefix: tuple[str, ...], suffix: tuple[str, ...]) -> list[tuple[Any, ...]]:
        return _future(subject, task, prefix, suffix)

    for anchor, one, other in pairs[:: max(1, len(pairs) // subject.few(MAX_PAIRS))]:
        for suffix in suffixes:
            futures = [future(tuple(prefix), tuple(suffix)) for prefix in (one, other)]
            expect(
                futures[0] == futures[1],
                f"anchor {anchor!r} of task {task.id!r} is reached by {one} and by {other}, but {suffix} then leads to "
                f"{str(futures[0])[:200]} and to {str(futures[1])[:200]}; put what differs into the anchor",
            )
    note = _counting_anchor(subject, env, task, suffixes)
    if not pairs:
        return "; ".join(["no two ways to one anchor were found", *([note] if note else [])])
    return Note(note) if note else None


def _counting_anchor(subject: EnvSubject, env: AgentEnv, task: Task, suffixes: Sequence[Sequence[str]]) -> str | None:
    """Name an action that leads to the same later answers whether done once or twice, but to different anchors."""
    known = sorted({action for actions in subject.sequences(task) for action in actions})
    for action in known[:: max(1, -(-len(known) // subject.few(MAX_REPEATED)))]:
        once, anchor = play_actions(env, task, [action]), env.anchor()
        if once.is_over or once.steps[-1].is_invalid:
            continue
        twice, again = play_actions(env, task, [action, action]), env.anchor()
        if twice.is_over or again == anchor or twice.steps[-1].seen != once.steps[-1].seen:
            continue
        if all(_future(subject, task, [action], end) == _future(subject, task, [action] * 2, end) for end in suffixes):
            return (
                f"{action!r} once and twice is answered alike, and so is all that was tried behind it, but the anchors "
                f"are {anchor!r} and {again!r}: leave the turn, or what counts it, out of anchor() unless the rules go "
                "by it; credit by state compares turns whose state comes again"
            )
    return None


def _future(subject: EnvSubject, task: Task, prefix: Sequence[str], suffix: Sequence[str]) -> list[tuple[Any, ...]]:
    """The observations after the prefix."""
    return [step.seen for step in subject.play(task, [*prefix, *suffix]).steps[len(prefix) :]]


def check_forks(subject: EnvSubject) -> str | None:
    """A fork behaves like the original, and neither changes the other."""
    task = subject.tasks[0]
    count = subject.few(NUM_SUFFIXES)
    suffixes = subject.mixtures(task, count, SUFFIX_LENGTH, seed=2)
    prefixes = [[], *subject.mixtures(task, count - 1, 2, seed=3)]
    for prefix, suffix, other in zip(prefixes, suffixes, reversed(suffixes), strict=True):
        env = subject.make()
        if play_actions(env, task, prefix).is_over:
            continue
        try:
            twin, stranger = env.fork(), env.fork(seed=99)
        except NotImplementedError:
            return "the environment cannot be forked"
        _steps(stranger, other)
        stranger.interrupt()
        twins, originals = _steps(twin, suffix), _steps(env, suffix)
        twin.close()
        stranger.close()
        expect(twins == originals, f"after {prefix} the fork answers {suffix} unlike the original")
        if env.deterministic:
            replayed = subject.play(task, [*prefix, *suffix]).steps[len(prefix) :]
            expect(originals == replayed, f"after {prefix} a fork's actions {other} changed the original's future")
    return None


def _steps(env: AgentEnv, actions: Sequence[str]) -> list[Step]:
    """Play more actions, without a reset, until the episode ends."""
    record = Record(Step("", "", [], 0.0, (), False, False, False, None, None, None))
    for action in actions:
        if advance(env, record, action).is_last:
            break
    return record.steps
