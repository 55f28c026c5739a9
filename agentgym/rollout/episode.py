"""One episode in flight: its game, the conversation of each role, and the record that it becomes.

It never waits: `agentgym.rollout.engine` runs its calls in threads and asks policies for its messages.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from agentgym.action import to_message
from agentgym.env import CutMessage
from agentgym.errors import (
    AgentGymError,
    CancelledEpisode,
    ContextOverflowError,
    ContractError,
    PartnerError,
    PartnerForfeitError,
)
from agentgym.game import GameEnv, GameReply, Inbox
from agentgym.message import Message, ToolSchema, with_text
from agentgym.origin import told
from agentgym.outcome import CutReason, Outcome
from agentgym.policy import Policy, Reply, Request
from agentgym.prompting.parsing import canonical_text
from agentgym.reward import weighted_sum
from agentgym.rollout.opening import Opening, parse_reply, play_opening
from agentgym.rollout.settings import RolloutSettings
from agentgym.task import Task
from agentgym.trajectory import (
    FINAL_ACTIONS,
    FINAL_PROGRESS,
    FINAL_PROMPT,
    HINT,
    LAST_MESSAGES,
    Trajectory,
    Turn,
    TurnTimes,
)

_MIN_ROOM = 1
_COSTS = {"prompt_tokens", "completion_tokens", "cost_usd"}


class Standing(NamedTuple):
    """What the game says of the state that a message was an action in; None where it says nothing or is not asked."""

    anchor: str | None = None
    progress: float | None = None


class Talk(Protocol):
    """The conversation of one role; `agentgym.prompting.Conversation` where tokens are needed."""

    messages: list[Message]

    def observe(self, messages: Sequence[Message]) -> None:
        """Take up what the role is told."""

    def prompt(self) -> Any:
        """The prompt's ids, what of them is new, and whether it opens a segment."""

    def reply(self, ids: Sequence[int], text: str, message: Message, cut: bool) -> None:
        """Take up what the role said."""


@dataclass(slots=True)
class PlainTalk:
    """A conversation without tokens, for policies that take text."""

    messages: list[Message] = field(default_factory=list)

    def observe(self, messages: Sequence[Message]) -> None:
        """Take up what the role is told."""
        self.messages += messages

    def prompt(self) -> None:
        """There are no ids."""

    def reply(self, ids: Sequence[int], text: str, message: Message, cut: bool) -> None:
        """Take up what the role said."""
        self.messages.append(message)


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


def draw_seed(*parts: object) -> int:
    """A seed in [0, 2^63) that depends on all parts and on nothing else."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def is_partner(policy: Policy) -> bool:
    """Whether a policy plays the part of a partner, without a record of its own; see `PartnerPolicy`."""
    return getattr(policy, "is_partner", False)


def picks_listed(policy: Policy) -> bool:
    """Whether a policy picks among the actions that the environment lists; see `ListedPolicy`."""
    return getattr(policy, "picks_listed", False)


class Casting(Protocol):
    """Who plays the roles of a game, and with which conversation.

    Attributes:
        roles: The roles that are no partner's; none where only games know them.
    """

    roles: Sequence[str]

    def policy_of(self, role: str) -> Policy:
        """The policy that plays a role."""

    def make_talk(self, policy: Policy, tools: Sequence[ToolSchema]) -> Talk:
        """A fresh conversation for a policy."""


class Episode:
    """One episode in flight.

    Args:
        job: What is to be played.
        casting: Who plays the roles, and with which conversation.
        settings: Limits and what happens to cut messages.
        retry: How often the job was tried before.
    """

    def __init__(self, job: Job, casting: Casting, settings: RolloutSettings, retry: int = 0) -> None:
        self.job, self.settings, self.retry = job, settings, retry
        self.started = time.monotonic()
        self.ready_since = 0.0
        self.game: GameEnv | None = None
        self.policies: dict[str, Policy] = {}
        self._casting = casting
        self._acted = ""
        self._talks: dict[str, Talk] = {}
        self._advised: dict[str, Talk] = {}
        self._records: dict[str, Trajectory] = {}
        self._told: dict[str, list[Message]] = {}
        self._partners: frozenset[str] = frozenset()
        self._num_tokens = 0
        self._final_progress: dict[str, float | None] = {}
        self._listed: dict[str, tuple[str, ...] | None] = {}

    # Calls that the engine runs in a thread.

    def reset(self, make_game: Callable[[Task], GameEnv]) -> Inbox:
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
        return reply

    def _list_actions(self, *roles: str | None) -> None:
        """Ask what roles can do now, where that is recorded or their policy picks among it.

        Raises:
            ContractError: A policy has nothing to pick among.
        """
        assert self.game is not None
        for role in filter(None, roles):
            picks = picks_listed(self._casting.policy_of(role))
            if not (picks or self.settings.record_legal_actions):
                continue
            found = self.game.legal_actions(role)
            if picks and not found:
                raise ContractError(
                    f"task {self.job.task.id!r}: the environment lists no actions of the role {role!r}, and its policy "
                    "picks among them; write legal_actions(), or let the policy write its messages"
                )
            self._listed[role] = None if found is None else tuple(found)

    # What the engine calls on its own thread.

    def begin(self, inbox: Inbox) -> None:
        """Take up the first messages."""
        assert self.game is not None
        for role in self.game.roles:
            policy = self.policies[role] = self._casting.policy_of(role)
            self._talks[role] = self._casting.make_talk(policy, self._tools(role))
            self._told[role] = []
            self._records[role] = self._open_record(role, policy)
            if self.job.hint:
                self._advised[role] = self._casting.make_talk(policy, self._tools(role))
        self._partners = frozenset(role for role, policy in self.policies.items() if is_partner(policy))
        self._deliver(inbox)

    @property
    def policy(self) -> Policy:
        """The policy that acts now."""
        assert self.game is not None
        assert self.game.acting_role is not None
        return self.policies[self.game.acting_role]

    def cut_reason(self) -> CutReason | None:
        """Why the episode has to be cut now, if it has."""
        limits = self.job.task.limits
        if limits.max_tokens is not None and self._num_tokens >= limits.max_tokens:
            return "tokens"
        if limits.max_seconds is not None and time.monotonic() - self.started >= limits.max_seconds:
            return "time"
        return None

    def request(self) -> Request | None:
        """The request of the acting role; None where its context is full."""
        assert self.game is not None
        assert self.game.acting_role is not None
        role = self._acted = self.game.acting_role
        talk, record = self._talks[role], self._records[role]
        turn = Turn(len(record.turns), self._told[role], {}, "", legal_actions=self._listed.get(role))
        asked = self._advised.get(role, talk)
        try:
            prompt = talk.prompt()
            shown = prompt if asked is talk else asked.prompt()
        except ContextOverflowError as error:
            if role in self._partners:
                raise PartnerError(f"the conversation of the partner {role!r} is too long for it: {error}") from error
            return None
        self._told[role] = []
        if prompt is not None:
            turn.prompt_ids = np.asarray(prompt.new_ids, np.int32)
            turn.opens_segment = prompt.opens_segment
        record.turns.append(turn)
        self.ready_since = time.monotonic()
        return Request(
            episode=record.id,
            turn=turn.index,
            task=self.job.task,
            messages=asked.messages,
            tools=self._tools(role),
            prompt_ids=None if shown is None else shown.ids,
            seed=draw_seed(self.job.seed, role, turn.index),
            sampling=self._sampling(),
            role=role,
            legal_actions=turn.legal_actions,
        )

    def withdraw(self) -> None:
        """Take back a request that the policy could not answer."""
        turn = self._records[self._acted].turns.pop()
        self._told[self._acted] = turn.messages

    def answer(self, reply: Reply, queue_s: float, model_s: float) -> str:
        """Take up the acting role's message; returns the text to step the game with."""
        role = self._acted
        turn = self._records[role].turns[-1]
        tools = self._tools(role)
        text = canonical_text(reply.text, tools) if tools and reply.ids is not None else reply.text
        turn.text, turn.was_cut, turn.version = text, reply.was_cut, reply.version
        turn.reply = reply.message or to_message(parse_reply(text, tools))
        if reply.ids is not None:
            turn.action_ids, turn.behaviour_logprobs = reply.ids, reply.logprobs
            self._num_tokens += len(reply.ids)
        else:
            self._num_tokens += int(reply.usage.get("completion_tokens", 0))
        turn.times = TurnTimes(queue_s=queue_s, model_s=model_s)
        usage = self._records[role].usage
        for key, count in reply.usage.items():
            usage[key] = usage.get(key, 0.0) + count
        ids = () if reply.ids is None else reply.ids.tolist()
        for talk in (self._talks[role], *filter(None, [self._advised.get(role)])):
            talk.reply(ids, text, turn.reply, reply.was_cut)
        is_refused = reply.was_cut and self.settings.cut_messages == "invalid"
        return CutMessage(text) if is_refused else text

    def observe(self, reply: GameReply, standing: Standing, env_s: float) -> None:
        """Take up the game's answer to the last message.

        Raises:
            PartnerForfeitError: It was a partner's, and ended the game as invalid.
        """
        if self._acted in self._partners and reply.outcome is not None and reply.outcome.kind == "invalid":
            last = self._records[self._acted].turns[-1].text
            raise PartnerForfeitError(f"the partner {self._acted!r} broke the rules too often, last with {last!r:.200}")
        turn = self._records[self._acted].turns[-1]
        turn.was_invalid, turn.times.env_s = reply.is_invalid, env_s
        turn.anchor, turn.progress = standing
        self._deliver(reply.inbox)
        self._take_events(reply)

    def finish(self, reply: GameReply) -> list[Trajectory]:
        """The records of an episode that the game closed with this reply."""
        assert reply.outcome is not None
        for role, record in self._records.items():
            self._drop_unanswered(record)
            record.outcome = reply.outcome
            if reply.outcome.is_graded:
                record.success, record.score = reply.successes[role], reply.scores[role]
            if self._told[role]:
                record.metadata[LAST_MESSAGES] = self._told[role]
            if self._final_progress.get(role) is not None:
                record.metadata[FINAL_PROGRESS] = self._final_progress[role]
            if reply.outcome.kind == "truncated" and self._listed.get(role):
                record.metadata[FINAL_ACTIONS] = list(self._listed[role] or ())
            if self.settings.record_final_prompt and reply.outcome.kind == "truncated":
                self._record_final_prompt(role, record)
            record.usage["seconds"] = time.monotonic() - self.started
            record.usage["retries"] = record.usage.get("retries", 0.0) + self.retry
        return self._counted()

    def finish_cut(self, reply: GameReply) -> list[Trajectory]:
        """The records of an episode that `finalize` closed."""
        self._take_events(reply)
        return self.finish(reply)

    def fail(self, error: BaseException) -> list[Trajectory]:
        """The records of an episode that something outside the task and the policy broke."""
        if not self._records:
            for role in self._casting.roles or (["agent"] if self.game is None else self.game.roles):
                self._records[role], self._told[role] = self._open_record(role, None), []
        outcome = Outcome("infrastructure", type(error).__name__)
        if isinstance(error, PartnerError):
            outcome = Outcome("partner_fault", type(error).__name__)
        elif isinstance(error, CancelledEpisode):
            outcome = Outcome("cancelled")
        for record in self._records.values():
            record.error = f"{type(error).__name__}: {error}" if isinstance(error, AgentGymError) else told(error)
        return self.finish(GameReply(outcome=outcome))

    def forget(self) -> None:
        """Let the policies drop what they keep for this episode."""
        for role, policy in self.policies.items():
            policy.forget(self._records[role].id)

    def _counted(self) -> list[Trajectory]:
        """The records of all roles but partners'; what partners cost stands in the first."""
        counted = [record for role, record in self._records.items() if role not in self._partners]
        for role in sorted(self._partners):
            counted[0].metadata.setdefault("partners", {})[role] = self._records[role].policy
            for name in _COSTS & self._records[role].usage.keys():
                usage = counted[0].usage
                usage[f"partner_{name}"] = usage.get(f"partner_{name}", 0.0) + self._records[role].usage[name]
        return counted

    def _record_final_prompt(self, role: str, record: Trajectory) -> None:
        with contextlib.suppress(ContextOverflowError):
            prompt = self._talks[role].prompt()
            if prompt is not None:
                record.metadata[FINAL_PROMPT] = list(prompt.ids)

    def _tools(self, role: str) -> Sequence[ToolSchema]:
        assert self.game is not None
        return self.game.tools.get(role, ())

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
            is_derived=policy is None or not policy.uses_tokens or picks_listed(policy),
            parent_id=None if job.opening is None else job.opening.parent,
            parent_turn=None if job.opening is None else len(job.opening.actions),
            metadata={HINT: job.hint} if job.hint else {},
        )

    def _sampling(self) -> Any:
        sampling, limit = self.settings.sampling, self.job.task.limits.max_tokens
        if limit is None or limit - self._num_tokens >= sampling.max_tokens:
            return sampling
        room = max(_MIN_ROOM, limit - self._num_tokens)
        return type(sampling)(sampling.temperature, room, sampling.top_p)

    def _deliver(self, inbox: Inbox) -> None:
        for role, messages in inbox.items():
            if not messages:
                continue
            talk, advised = self._talks[role], self._advised.get(role)
            if advised is not None:
                hint = "" if talk.messages else self.job.hint
                advised.observe([*messages[:-1], with_text(messages[-1], hint)] if hint else messages)
            talk.observe(messages)
            self._told[role] += messages

    def _take_events(self, reply: GameReply) -> None:
        assert self.game is not None
        weighted_sum(reply.events, self.game.reward_weights)  # refuses rewards that are none, before they are recorded
        before = 0 if self.job.opening is None else len(self.job.opening.actions)
        for event in reply.events:
            if before:  # turns are counted from the policy's first
                event = event._replace(turn=event.turn - before, issued_at=event.issued_at - before)
            self._records[event.role].events.append(event)

    def _drop_unanswered(self, record: Trajectory) -> None:
        if record.turns and not record.turns[-1].reply:
            record.turns.pop()
