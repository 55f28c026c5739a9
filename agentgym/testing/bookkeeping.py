"""Checks of what a step reports: rewards, JSON, messages, limits, progress, and how episodes end.

`repeatability` checks whether episodes repeat.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import threading
from typing import Any, get_args

from gymnasium.error import ResetNeeded

from agentgym.action import to_message
from agentgym.env import AgentEnv
from agentgym.errors import ActionSyntaxError, CancelledEpisode, ContractError, PartnerError, TaskError
from agentgym.message import text_of
from agentgym.outcome import TRUNCATION_CAUSES, CutReason
from agentgym.reward import event_from_json, event_to_json, weighted_sum
from agentgym.task import Limits, Task
from agentgym.testing.episodes import MAX_TURNS, advance, play_actions, start
from agentgym.testing.report import expect
from agentgym.testing.subject import EnvSubject, different

INTERRUPT_AFTER_S = 0.1
GIVES_UP_WITHIN_S = 30.0
_IDLERS = ("null", "random")
MAX_CUT_PREFIXES = 3
"""How many beginnings of an episode are cut for each reason. For the limit of turns, all beginnings are cut."""
MAX_LISTED_SEQUENCES, MAX_LISTED_STATES, MAX_LISTED_ACTIONS = 2, 3, 8
"""How many sequences, states of each and actions of each state are tried of what is listed as legal."""


def check_rewards(subject: EnvSubject) -> str | None:
    """The reward of a step is the declared aggregation of the events issued at it."""
    env = subject.make()
    weights, role = env.reward_weights, env.role
    for task, record in subject.records():
        for turn, step in enumerate(record.steps):
            where = f"step {turn} of task {task.id!r} after {record.actions[: turn + 1]}"
            total = weighted_sum(step.events, weights)
            expect(abs(total - step.reward) < 1e-9, f"{where}: reward {step.reward}, but its events add up to {total}")
            for event in step.events:
                expect(event.issued_at == turn, f"{where}: {event} says it was issued at turn {event.issued_at}")
                is_share = event.component != "success" or -1 <= event.value <= 1
                expect(is_share, f"{where}: {event} is outside of [-1, 1]; put its size into `reward_weights`")
                expect(-1 <= event.turn <= turn, f"{where}: {event} credits turn {event.turn}, which is no past turn")
                expect(event.role == role, f"{where}: {event} names the role {event.role!r}, expected {role!r}")
    return None


def check_json(subject: EnvSubject) -> str | None:
    """Tasks, observations, messages, actions and reward events survive JSON and UTF-8."""
    env = subject.make()
    for task in subject.tasks:
        again = Task.from_json(_through_json(task.to_json(), f"task {task.id!r}"))
        expect(again.content_hash == task.content_hash, f"task {task.id!r} is another one after a way through JSON")
    for task, record in subject.records():
        for step in (record.first, *record.steps):
            told = [step.text, step.messages]
            same = _through_json(told, f"task {task.id!r}: the messages {str(step.messages)[:200]}") == told
            expect(same, f"task {task.id!r}: the messages {str(step.messages)[:200]} change on their way through JSON")
            for event in step.events:
                back = event_from_json(_through_json(event_to_json(event), f"task {task.id!r}: {event}"))
                expect(back == event, f"task {task.id!r}: {event} changes on its way through JSON")
        for action in record.actions:
            try:
                message = to_message(env.parse(action))
            except ActionSyntaxError:
                continue
            same = _through_json(message, f"the action {action[:200]!r}") == message
            expect(same, f"the action {action[:200]!r} changes on its way through JSON")
    return None


def _through_json(value: Any, what: str) -> Any:
    try:
        return json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise ContractError(
            f"{what} cannot be written as JSON: {error}. Make it of text, numbers, booleans, None, lists and dicts; "
            "numbers of other libraries become Python's by float(VALUE) or int(VALUE)"
        ) from error


def check_messages(subject: EnvSubject) -> str | None:
    """Observations are in the space, and their text is the flat view of the messages of `info`."""
    env = subject.make()
    for task, record in subject.records():
        for step in (record.first, *record.steps):
            expect(step.text == text_of(step.messages), f"task {task.id!r}: {step.text[:200]!r} is not its messages")
            roles = [message.get("role") for message in step.messages]
            strange = set(roles) - {"system", "user", "tool"}
            expect(not strange, f"task {task.id!r}: messages of the environment have the roles {strange}")
    observation, info = env.reset(options={"task": subject.tasks[0]})
    expect(observation in env.observation_space, f"the observation {str(observation)[:200]} is not in its space")
    missing = {"messages", "task_id", "reward_events"} - set(info)
    expect(not missing, f"the info of reset() lacks {sorted(missing)}")
    return None


def check_ends(subject: EnvSubject) -> str | None:
    """Episodes end with an outcome, success and score; afterwards steps are refused and close() is harmless."""
    env = subject.make()
    ended: set[str] = set()
    for task, record in subject.records():
        if not record.is_over:
            continue
        last = record.steps[-1]
        where = f"task {task.id!r} after {record.actions}"
        expect(last.outcome is not None, f"{where}: the episode ended without an outcome in its info")
        assert last.outcome is not None
        by_kind = last.outcome.kind == "truncated"
        expect(last.truncated == by_kind, f"{where}: truncated={last.truncated}, but its outcome is {last.outcome}")
        expect(type(last.success) is bool, f"{where}: success is {last.success!r}, expected True or False")
        expect(isinstance(last.score, (int, float)), f"{where}: score is {last.score!r}, expected a number")
        expect(
            last.score != float(not last.success),
            f"{where}: success is {last.success}, but the score {last.score}; `EnvReply(success=...)` says whether "
            "the task was solved, a score alone does not",
        )
        if task.id not in ended and play_actions(env, task, record.actions).is_over:
            _expect_refused(env, where)
        ended.add(task.id)
    env.close()
    env.close()
    return None if ended else "no episode ended"


def _expect_refused(env: AgentEnv, where: str) -> None:
    try:
        env.step("once more")
    except ResetNeeded:
        return
    expect(False, f"{where}: step() on an ended episode is not refused with ResetNeeded")


def check_limits(subject: EnvSubject) -> str | None:
    """A limit of turns truncates, too many invalid actions end the episode as invalid, and every episode ends."""
    _expect_ends(subject)
    env = subject.make()
    for task in subject.tasks:
        short = dataclasses.replace(task, limits=Limits(max_turns=1))
        try:
            step = play_actions(env, short, [""]).steps[0]
        except TaskError:
            if task.private:
                raise
            return "tasks whose private part is not told here cannot be given other limits"
        except PartnerError:
            return "the partners take more than one turn before the role acts"
        expect(step.is_last, f"task {task.id!r}: an episode with max_turns=1 goes on after one turn")
        if not step.is_invalid:
            continue
        strict = dataclasses.replace(task, limits=Limits(max_invalid=1))
        steps = play_actions(env, strict, [""] * 3).steps
        kind = steps[-1].outcome.kind if steps[-1].outcome else "running"
        expect(
            len(steps) == 2 and kind == "invalid",
            f"task {task.id!r}: with max_invalid=1 the episode is {kind} after {len(steps)} invalid actions",
        )
    return None


def _expect_ends(subject: EnvSubject) -> None:
    """Tasks without a limit end although nothing is done for them."""
    for task in subject.tasks:
        for name in [name for name in _IDLERS if name in subject.scripts and task.limits.has_no_end]:
            num_turns = len(subject.scripted(name, task).steps)
            expect(
                num_turns < MAX_TURNS,
                f"task {task.id!r} has no limit of turns, and an episode of {name} goes on after {num_turns} of them; "
                "give the task limits=Limits(max_turns=...)",
            )


def check_progress(subject: EnvSubject) -> str | None:
    """Progress is a number in [0, 1] at every moment of an episode."""
    env = subject.make()
    task = subject.tasks[0]
    start(env, task)
    if env.progress() is None:
        return "the environment has no progress"
    for actions in subject.sequences(task):
        record = start(env, task)
        for action in (None, *actions):
            if action is not None and not record.is_over:
                advance(env, record, action)
            progress = env.progress()
            expect(
                progress is not None and 0.0 <= progress <= 1.0,
                f"task {task.id!r}: progress() is {progress!r} after {record.actions}, expected a number in [0, 1]",
            )
    return None


def check_legal_actions(subject: EnvSubject) -> str | None:
    """Legal actions are different messages, at least one in each state, and the environment accepts each of them."""
    env = subject.make()
    task = subject.tasks[0]
    start(env, task)
    if env.legal_actions() is None:
        return "the environment lists no actions"
    for actions in itertools.islice(subject.sequences(task), MAX_LISTED_SEQUENCES):
        for length in range(min(len(actions), MAX_LISTED_STATES)):
            steps = play_actions(env, task, actions[:length]).steps
            if steps and steps[-1].is_last:
                break
            legal = list(env.legal_actions() or ())
            where = f"task {task.id!r}, after {actions[:length]}"
            expect(
                len(legal) > 0 and len(set(legal)) == len(legal),
                f"{where}: legal_actions() is {legal!r:.200}, expected different messages, at least one",
            )
            for action in legal[:MAX_LISTED_ACTIONS]:
                step = play_actions(env, task, [*actions[:length], action]).steps[-1]
                expect(not step.is_invalid, f"{where}: {action!r} is listed as legal and refused")
    return None


def check_finalize(subject: EnvSubject) -> str | None:
    """`finalize` grades a cut episode once, whenever and for whatever reason it was cut."""
    env = subject.make()
    if not env.grades_cuts:
        return "the environment declares that it does not grade a cut episode (grades_cuts)"
    task = subject.tasks[0]
    prefixes = different([[], *(actions[:length] for actions in subject.sequences(task) for length in (1, 2))])
    for reason in get_args(CutReason):
        for prefix in prefixes if reason == "turns" else prefixes[:MAX_CUT_PREFIXES]:
            if play_actions(env, task, prefix).is_over:
                continue
            reward, info = env.finalize(reason)
            where = f"finalize({reason!r}) of task {task.id!r} after {prefix}"
            expected = f"truncated:{reason}" if reason in TRUNCATION_CAUSES else reason
            expect(str(info["outcome"]) == expected, f"{where}: outcome {info['outcome']}, expected {expected}")
            total = weighted_sum(info["reward_events"], env.reward_weights)
            expect(abs(total - reward) < 1e-9, f"{where}: reward {reward}, but its events add up to {total}")
            graded = info["success"] is not None and info["score"] is not None
            expect(graded == (reason != "cancelled"), f"{where}: success {info['success']}, score {info['score']}")
            _expect_refused(env, where)
    return None


def check_interrupt(subject: EnvSubject) -> str | None:
    """`interrupt` ends the running step, or the next one, and the environment can be reset afterwards."""
    env = subject.make()
    task = subject.tasks[0]
    action = subject.sequences(task)[0][0]
    start(env, task)
    ended: list[bool] = []
    stepping = threading.Thread(target=_step_until_cancelled, args=(env, action, ended), daemon=True)
    stepping.start()
    stepping.join(INTERRUPT_AFTER_S)
    env.interrupt()
    stepping.join(GIVES_UP_WITHIN_S)
    expect(not stepping.is_alive(), f"a running step went on for {GIVES_UP_WITHIN_S} s after interrupt()")
    start(env, task)
    env.interrupt()
    cancelled: list[bool] = []
    _step_until_cancelled(env, action, cancelled)
    expect(cancelled == [True], "the step after interrupt() did not raise CancelledEpisode")
    expect(bool(play_actions(env, task, [action]).steps), "after interrupt() and reset() no step can be played")
    return None


def _step_until_cancelled(env: AgentEnv, action: str, cancelled: list[bool]) -> None:
    try:
        env.step(action)
        cancelled.append(False)
    except CancelledEpisode:
        cancelled.append(True)
