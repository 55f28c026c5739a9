"""One episode in flight: its game, the conversation of each role, and the record that it becomes.

It never waits: `agentgym.rollout.engine` runs its calls in threads and asks policies for its messages.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agentgym.errors import (
    AgentGymError,
    CancelledEpisode,
    ContextOverflowError,
    PartnerError,
    PartnerForfeitError,
)
from agentgym.game import Game, GameReply, Inbox
from agentgym.message import Message
from agentgym.origin import describe_error
from agentgym.outcome import CutReason, Outcome
from agentgym.picture import Image
from agentgym.policy import Policy, Reply, Request
from agentgym.prompting.speaker import EpisodeBudget, Speaker, picks_legal_actions, require_actions
from agentgym.reward import weighted_sum
from agentgym.rollout.casting import Casting, is_partner
from agentgym.rollout.costs import COSTS, NO_TRIES, Tries, add_counts
from agentgym.rollout.opening import Opening, play_opening
from agentgym.rollout.settings import RolloutSettings
from agentgym.task import Task
from agentgym.trajectory import (
    FINAL_ACTIONS,
    FINAL_PROGRESS,
    HINT,
    LAST_MESSAGES,
    OF_PARTNERS,
    REFUSED,
    Trajectory,
    Turn,
    TurnTimes,
)

MAX_UNLIMITED_TURNS = 1_000
"""Turns of all roles at which an episode is cut whose task limits neither its turns nor its time."""


class Standing(NamedTuple):
    """What the game says of the state that a message was an action in; None where it says nothing or is not asked."""

    anchor: str | None = None
    progress: float | None = None
    screenshot: Image | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One episode that is wanted.

    Attributes:
        task: The task.
        key: Unique among the jobs of a run; the ids of its trajectories derive from it.
        seed: Seed of the policy's draws.
        group_id: The group that it belongs to; "" for none.
        attempt: Index within the group or evaluation.
        env_seed: Seed that the environment is reset with; None takes the task's.
        hint: Advice that a policy of one role is shown behind the first messages. The record's prompts are without it:
            what is trained is to do as well unadvised, from the log-probabilities under the advice.
        opening: Recorded turns that are played before the first turn of a policy of one role.
    """

    task: Task
    key: str
    seed: int
    group_id: str = ""
    attempt: int = 0
    env_seed: int | None = None
    hint: str = ""
    opening: Opening | None = None


class Episode:
    """One episode in flight.

    Args:
        job: What is to be played.
        casting: Who plays the roles, and with which conversation.
        settings: Limits and what happens to cut messages.
        earlier: Tries at the job that broke.
    """

    def __init__(self, job: Job, casting: Casting, settings: RolloutSettings, earlier: Tries = NO_TRIES) -> None:
        self.job, self.settings, self.earlier = job, settings, earlier
        self.started = time.monotonic()
        self.ready_since, self.num_unlimited_turns = 0.0, 0
        self.game: Game | None = None
        self._casting = casting
        self._acted = ""
        self._speakers: dict[str, Speaker] = {}
        self._records: dict[str, Trajectory] = {}
        self._received: dict[str, list[Message]] = {}
        self._partners: dict[str, str] = {}  # by role, what fixes the replies
        self._budget = EpisodeBudget(job.task.limits.max_tokens)
        self._final_progress: dict[str, float | None] = {}
        self._last_screenshot: Image | None = None
        self._legal_actions: dict[str, tuple[str, ...] | None] = {}
        self._refused: list[Any] = []

    # Calls that the engine runs in a thread.

    def reset(self, make_game: Callable[[Task], Game]) -> Inbox:
        """Reset the game, made first where the episode has none, to the job's task."""
        if self.game is None:
            self.game = make_game(self.job.task)
        inbox = self.game.reset(self.job.task, self.job.env_seed)
        if self.job.opening is not None:
            inbox = play_opening(self.game, inbox, self.job.opening)
        self._list_actions(self.game.acting_role)
        return inbox

    def step(self, text: str) -> tuple[GameReply, Standing]:
        """Step the game; also returns what it said of the state that the message was an action in."""
        assert self.game is not None
        assert self.game.acting_role is not None
        standing = Standing(
            self.game.anchor() if self.settings.record_anchors else None,
            self.game.progress(self.game.acting_role) if self.settings.record_progress else None,
            self.game.screenshot() if self.settings.record_screenshots else None,
        )
        return self._ended(self.game.step(text)), standing

    def finalize(self, reason: CutReason) -> GameReply:
        """Close the game because the harness cuts the episode; the game grades what is there."""
        assert self.game is not None
        return self._ended(self.game.finalize(reason))

    def _ended(self, reply: GameReply) -> GameReply:
        """Ask what is recorded of the state after a step: what can be done, at a limit also how far each role came."""
        assert self.game is not None
        if reply.outcome is None:
            self._list_actions(self.game.acting_role)
        elif reply.outcome.kind == "truncated":
            if self.settings.record_progress:
                self._final_progress = {role: self.game.progress(role) for role in self._records}
            self._list_actions(*self._records)
        if reply.outcome is not None and self.settings.record_screenshots:
            self._last_screenshot = self.game.screenshot()
        return reply

    def _list_actions(self, *roles: str | None) -> None:
        """Ask what roles can do now, where that is recorded or their policy picks among it.

        Raises:
            ContractError: A policy has nothing to pick among.
        """
        assert self.game is not None
        for role in filter(None, roles):
            picks = picks_legal_actions(self._casting.policy_of(role))
            if not (picks or self.settings.record_legal_actions):
                continue
            found = self.game.legal_actions(role)
            if picks:
                require_actions(found, self.job.task, role)
            self._legal_actions[role] = None if found is None else tuple(found)

    # What the engine calls on its own thread.

    def begin(self, inbox: Inbox) -> None:
        """Take up the first messages."""
        assert self.game is not None
        for role in self.game.roles:
            policy = self._casting.policy_of(role)
            self._received[role] = []
            self._records[role] = self._open_record(role, policy)
            self._speakers[role] = self._make_speaker(role, policy)
        speakers = self._speakers.items()
        self._partners = {role: _pin(each, self.settings) for role, each in speakers if is_partner(each.policy)}
        self._deliver(inbox)

    @property
    def policy(self) -> Policy:
        """The policy that acts now."""
        assert self.game is not None
        assert self.game.acting_role is not None
        return self._speakers[self.game.acting_role].policy

    def cut_reason(self) -> CutReason | None:
        """Why the episode has to be cut now, if it has."""
        limits = self.job.task.limits
        if self._budget.is_spent:
            return "tokens"
        if limits.max_seconds is not None and time.monotonic() - self.started >= limits.max_seconds:
            return "time"
        return "turns" if self.num_unlimited_turns >= MAX_UNLIMITED_TURNS else None

    def request(self) -> Request | None:
        """The request of the acting role; None where its context is full."""
        assert self.game is not None
        assert self.game.acting_role is not None
        role = self._acted = self.game.acting_role
        record, can_do = self._records[role], self._legal_actions.get(role)
        try:
            request, prompt = self._speakers[role].request(can_do)
        except ContextOverflowError as error:
            if role in self._partners:
                raise PartnerError(
                    f"the conversation of the partner {role!r} is too long for it: {error}", type(error).__name__
                ) from error
            return None
        turn = Turn(len(record.turns), self._received[role], {}, "", legal_actions=can_do)
        self._received[role] = []
        if prompt is not None:
            turn.prompt_ids = np.asarray(prompt.new_ids, np.int32)
            turn.opens_segment, turn.pictures = prompt.opens_segment, prompt.new_pictures
        else:
            first = len(request.messages) - len(turn.messages)
            turn.pictures = tuple(place for place in request.pictures if place.message >= first)
        record.turns.append(turn)
        self.num_unlimited_turns += self.job.task.limits.has_no_end
        self.ready_since = time.monotonic()
        return request

    def withdraw(self) -> None:
        """Take back a request that the policy could not answer."""
        turn = self._records[self._acted].turns.pop()
        self._received[self._acted] = turn.messages

    def answer(self, reply: Reply, queue_s: float, model_s: float) -> str:
        """Take up the acting role's message; returns the text to step the game with.

        Raises:
            PartnerError: The reply says that a partner failed.
        """
        role = self._acted
        self._refused += [refusal.to_json(role, len(self._records[role].turns) - 1) for refusal in reply.refused]
        turn = self._records[role].turns[-1]
        add_counts(self._records[role].usage, reply.usage)
        said = self._speakers[role].take(reply)
        turn.text, turn.reply, turn.was_cut, turn.version = said.text, said.message, reply.was_cut, reply.version
        if reply.ids is not None:
            turn.action_ids, turn.behaviour_logprobs = reply.ids, reply.logprobs
        turn.times = TurnTimes(queue_s=queue_s, model_s=model_s)
        return said.action

    def observe(self, reply: GameReply, standing: Standing, env_s: float) -> Turn:
        """Take up the game's answer to the last message; returns the turn that is complete now.

        Raises:
            PartnerForfeitError: It was a partner's, and ended the game as invalid.
        """
        if self._acted in self._partners and reply.outcome is not None and reply.outcome.kind == "invalid":
            last = self._records[self._acted].turns[-1].text
            raise PartnerForfeitError(f"the partner {self._acted!r} broke the rules too often, last with {last!r:.200}")
        turn = self._records[self._acted].turns[-1]
        turn.was_invalid, turn.times.env_s = reply.is_invalid, env_s
        turn.anchor, turn.progress, turn.screenshot = standing
        self._deliver(reply.inbox)
        self._take_events(reply)
        return turn

    def finish(self, reply: GameReply) -> list[Trajectory]:
        """The records of an episode that the game closed with this reply."""
        assert reply.outcome is not None
        for role, record in self._records.items():
            if record.turns and not record.turns[-1].reply:
                record.turns.pop()
            record.outcome = reply.outcome
            if reply.outcome.is_graded:
                record.success, record.score = reply.successes[role], reply.scores[role]
            if self._received[role]:
                record.metadata[LAST_MESSAGES] = self._received[role]
            record.last_screenshot = self._last_screenshot
            if self._final_progress.get(role) is not None:
                record.metadata[FINAL_PROGRESS] = self._final_progress[role]
            if reply.outcome.kind == "truncated" and self._legal_actions.get(role):
                record.metadata[FINAL_ACTIONS] = list(self._legal_actions[role] or ())
            if self.settings.record_final_prompt and reply.outcome.kind == "truncated":
                self._record_final_prompt(role, record)
            record.usage["seconds"] = time.monotonic() - self.started
            record.usage["retries"] = record.usage.get("retries", 0.0) + self.earlier.number
        return self._counted()

    def finish_cut(self, reply: GameReply) -> list[Trajectory]:
        """The records of an episode that `finalize` closed."""
        self._take_events(reply)
        return self.finish(reply)

    def fail(self, error: BaseException) -> list[Trajectory]:
        """The records of an episode that something outside the task and the policy broke."""
        if not self._records:
            for role in self._casting.roles or (["agent"] if self.game is None else self.game.roles):
                self._records[role], self._received[role] = self._open_record(role, None), []
        outcome = Outcome("infrastructure", type(error).__name__)
        if isinstance(error, PartnerError):
            outcome, self._refused = Outcome("partner_fault", error.cause), [*self._refused, *error.refused]
        elif isinstance(error, CancelledEpisode):
            outcome = Outcome("cancelled")
        for record in self._records.values():
            record.error = (
                f"{type(error).__name__}: {error}" if isinstance(error, AgentGymError) else describe_error(error)
            )
        return self.finish(GameReply(outcome=outcome))

    def forget(self) -> None:
        """Let the policies drop what they keep for this episode."""
        for speaker in self._speakers.values():
            speaker.forget()

    def _counted(self) -> list[Trajectory]:
        """The records of all roles but partners'; what partners cost stands in the first."""
        counted = [record for role, record in self._records.items() if role not in self._partners]
        for role, pin in sorted(self._partners.items()):
            counted[0].metadata.setdefault("partners", {})[role] = pin
            own = self._records[role].usage
            add_counts(counted[0].usage, {f"{OF_PARTNERS}{name}": own[name] for name in COSTS if name in own})
        add_counts(counted[0].usage, self.earlier.costs)
        if self._refused:
            counted[0].metadata[REFUSED] = self._refused
        return counted

    def _record_final_prompt(self, role: str, record: Trajectory) -> None:
        with contextlib.suppress(ContextOverflowError):
            prompt = self._speakers[role].talk.prompt()
            if prompt is not None:
                record.record_final_prompt(prompt.ids, prompt.pictures)

    def _make_speaker(self, role: str, policy: Policy) -> Speaker:
        assert self.game is not None
        tools, casting = self.game.tools.get(role, ()), self._casting
        return Speaker(
            policy,
            self.job.task,
            casting.open_talk(policy, tools),
            self._records[role].id,
            self.job.seed,
            role,
            tools,
            self.settings.sampling,
            refuses_cut=self.settings.cut_messages == "invalid",
            advised=casting.open_talk(policy, tools) if self.job.hint else None,
            budget=self._budget,
        )

    def _open_record(self, role: str, policy: Policy | None) -> Trajectory:
        task, job = self.job.task, self.job
        has_roles = self.game is not None and len(self.game.roles) > 1
        return Trajectory(
            id=f"{job.key}/{role}",
            task_id=task.id,
            role=role,
            suite=task.suite,
            split=task.split,
            stratum=task.stratum,
            content_hash=task.content_hash,
            seed=task.seed if job.env_seed is None else job.env_seed,
            attempt=job.attempt,
            group_id=f"{job.group_id}/{role}" if has_roles else job.group_id,
            policy="" if policy is None else policy.name,
            weights={} if self.game is None else self.game.reward_weights,
            is_derived=policy is None or not policy.uses_tokens or picks_legal_actions(policy),
            parent_id=None if job.opening is None else job.opening.parent,
            parent_turn=None if job.opening is None else len(job.opening.actions),
            metadata={HINT: job.hint} if job.hint else {},
        )

    def _deliver(self, inbox: Inbox) -> None:
        for role, messages in inbox.items():
            if not messages:
                continue
            speaker = self._speakers[role]
            speaker.observe(messages, "" if speaker.talk.messages else self.job.hint)
            self._received[role] += messages

    def _take_events(self, reply: GameReply) -> None:
        assert self.game is not None
        weighted_sum(reply.events, self.game.reward_weights)  # refuses rewards that are none, before they are recorded
        before = 0 if self.job.opening is None else len(self.job.opening.actions)
        for event in reply.events:
            if before:  # turns are counted from the policy's first
                event = event._replace(turn=event.turn - before, issued_at=event.issued_at - before)
            self._records[event.role].events.append(event)


def _pin(speaker: Speaker, settings: RolloutSettings) -> str:
    """What fixes the replies of a partner; its name where nothing more does."""
    pin = getattr(speaker.policy, "pin", None)
    return speaker.policy.name if pin is None else str(pin(speaker.role, settings.sampling))
