"""The record of an episode: turns with messages, tokens and reward events; segments to train on; groups.

`agentgym.rollout` collects them, and `agentgym.store` stores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import ContractError
from agentgym.message import Message
from agentgym.outcome import Outcome
from agentgym.picture import Image, PlacedPicture, hashed_urls
from agentgym.reward import RewardEvent, weighted_sum

Ids = NDArray[np.int32]
NO_IDS: Ids = np.zeros(0, np.int32)
FINAL_PROGRESS = "final_progress"
"""Key of a trajectory's metadata: the progress of a truncated episode at its end."""
HINDSIGHT = "hindsight"
"""Name of the policy of episodes that were replayed with a goal that they had reached."""
FINAL_ACTIONS = "final_actions"
"""Key of a trajectory's metadata: the legal actions of the state in which a limit cut the episode."""
HINT = "hint"
"""Key of a trajectory's metadata: a hint that the policy saw and that the recorded prompts leave out."""
LAST_MESSAGES = "last_messages"
"""Key of a trajectory's metadata: what the role received after its last turn."""
REFUSED = "refused"
"""Key of a trajectory's metadata: what guards refused of partners; each has role, turn, cause, why and text."""
OF_PARTNERS, OF_RETRIED = "partner_", "retried_"
"""How names in a trajectory's usage begin that count what partners cost, and what earlier tries at the episode cost."""
FINAL_PROMPT = "final_prompt_ids"
"""Key of a trajectory's metadata: a truncated episode's final observation as prompt ids."""
FINAL_PICTURES = "final_pictures"
"""Key of a trajectory's metadata: the pictures in that prompt, each as the fields of a `PlacedPicture`."""


@dataclass(slots=True)
class TurnTimes:
    """Where the wall time of a turn went, in seconds.

    Attributes:
        queue_s: Waiting for the policy.
        model_s: In the policy's batch.
        env_s: In the environment's step.
        verify_s: The part of `env_s` spent in grading, if the environment reports it.
    """

    queue_s: float = 0.0
    model_s: float = 0.0
    env_s: float = 0.0
    verify_s: float = 0.0


@dataclass(slots=True)
class Turn:
    """One message of one role and the environment's reply to it.

    Attributes:
        index: From 0, counted over the episode's turns of this role.
        messages: What the role received since its last turn.
        reply: The role's message, normalised (content, reasoning_content, tool_calls).
        text: The role's message as the environment got it.
        prompt_ids: int32[P], the ids that are new since the last turn; the whole prompt if `opens_segment`.
        action_ids: int32[K], exactly what was sampled; never tokenised again.
        behaviour_logprobs: float32[K] under the policy that sampled; None for derived turns.
        version: Version of the weights that sampled; -1 if there are none.
        opens_segment: Whether the prompt does not extend the last one.
        was_cut: Whether the token limit cut the message.
        was_invalid: Whether the environment refused the message as an action.
        anchor: Canonical key of the state that the role acted in, if the environment has anchors.
        progress: Progress of the episode in that state, in [0, 1], if the environment reports it.
        legal_actions: Messages that stand for all actions of that state, if they were listed.
        times: Where the wall time went.
        pictures: The pictures in `prompt_ids`, in order; for a turn without tokens, those in `messages`.
        screenshot: What a person would have seen of that state, if it was recorded; no part of the conversation.
    """

    index: int
    messages: list[Message]
    reply: Message
    text: str
    prompt_ids: Ids = field(default_factory=lambda: NO_IDS)
    action_ids: Ids = field(default_factory=lambda: NO_IDS)
    behaviour_logprobs: NDArray[np.float32] | None = None
    version: int = -1
    opens_segment: bool = False
    was_cut: bool = False
    was_invalid: bool = False
    anchor: str | None = None
    progress: float | None = None
    legal_actions: tuple[str, ...] | None = None
    times: TurnTimes = field(default_factory=TurnTimes)
    pictures: tuple[PlacedPicture, ...] = ()
    screenshot: Image | None = None


@dataclass(slots=True)
class Segment:
    """A linear token sequence of one role: what a trainer packs.

    Attributes:
        tokens: int32[T].
        completion_mask: bool[T], True on tokens that the policy sampled.
        turn_index: int32[T], the turn of each token; a prompt's tokens carry the turn that they lead to.
        behaviour_logprobs: float32[T], NaN for tokens that were not sampled; all NaN for derived turns.
        versions: int32[T], version of the weights that sampled the token, -1 elsewhere.
        trajectory_id: The episode (and role) that it is part of.
        pictures: The pictures in it, in order, each with its place in `tokens`.
        picture_urls: By hash the data URLs of the pictures that tokens stand for.
    """

    tokens: Ids
    completion_mask: NDArray[np.bool_]
    turn_index: Ids
    behaviour_logprobs: NDArray[np.float32]
    versions: Ids
    trajectory_id: str
    pictures: tuple[PlacedPicture, ...] = ()
    picture_urls: Mapping[str, str] = field(default_factory=dict)

    @property
    def num_tokens(self) -> int:
        """T."""
        return len(self.tokens)


class FinalPrompt(NamedTuple):
    """A prompt that no message answers.

    Attributes:
        tokens: int32[T].
        pictures: The pictures in it, in order, each with its place in `tokens`.
        picture_urls: By hash the data URLs of the pictures that tokens stand for.
    """

    tokens: Ids
    pictures: tuple[PlacedPicture, ...]
    picture_urls: Mapping[str, str]


@dataclass(slots=True)
class Trajectory:
    """The record of one role in one episode.

    Attributes:
        id: Unique in a run.
        task_id, suite, split, stratum, content_hash: Those of its task.
        role: Whose record this is.
        seed: Seed that the environment was reset with.
        attempt: Index among the episodes of this task in the same group or evaluation, from 0.
        group_id: The group that it was collected for; "" outside groups.
        policy: Name of the policy that played the role.
        turns: In order.
        events: Reward events of this role, in order of issue; kept so that credit can be assigned again.
        weights: The declared weight of each reward component.
        outcome: How the episode ended; None only while it runs.
        score: The suite's official metric; None if the outcome carries no reward.
        success: Whether the task was solved; None if the outcome carries no reward.
        is_derived: The tokens were not sampled by the policy being trained (demonstrations, text endpoints, people).
        parent_id, parent_turn: For a forked episode, the parent and the turn at which it was left. For an episode that
            was started in the middle, the trajectory whose first turns were played before its own, and how many; they
            are in the first turn's messages.
        usage: Counters such as prompt_tokens, completion_tokens, cost_usd, retries; those of partners begin with
            "partner_", those of earlier tries that broke with "retried_".
        error: What broke, for outcomes without reward.
        last_screenshot: What a person would have seen at the end, if it was recorded.
    """

    id: str
    task_id: str
    role: str = "agent"
    suite: str = ""
    split: str | None = None
    stratum: str = ""
    content_hash: str = ""
    seed: int = 0
    attempt: int = 0
    group_id: str = ""
    policy: str = ""
    turns: list[Turn] = field(default_factory=list)
    events: list[RewardEvent] = field(default_factory=list)
    weights: Mapping[str, float] = field(default_factory=dict)
    outcome: Outcome | None = None
    score: float | None = None
    success: bool | None = None
    is_derived: bool = False
    parent_id: str | None = None
    parent_turn: int | None = None
    usage: dict[str, float] = field(default_factory=dict)
    error: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    last_screenshot: Image | None = None

    @property
    def total_reward(self) -> float | None:
        """The undiscounted return; None if the outcome carries no reward."""
        if self.outcome is None or not self.outcome.is_graded:
            return None
        return weighted_sum(self.events, self.weights)

    @property
    def is_truncated(self) -> bool:
        """Whether a limit cut it, according to its outcome, so that more could have followed."""
        return self.outcome is not None and self.outcome.kind == "truncated"

    @property
    def num_action_tokens(self) -> int:
        """Number of sampled tokens."""
        return sum(len(turn.action_ids) for turn in self.turns)

    def step_rewards(self) -> NDArray[np.float64]:
        """float64[N]: reward of each turn, by the turn that events credit (-1 and later than the last are clamped)."""
        return rewards_by_turn(self.events, self.weights, len(self.turns))

    def segments(self) -> list[Segment]:
        """The token sequences to train on, in order; turns without tokens yield none."""
        urls = _picture_urls(self.turns)
        return [_segment(self.id, turns, urls) for turns in _linear_runs(self.turns)]

    def final_prompt(self) -> FinalPrompt | None:
        """The final observation of a truncated episode; None where it was not recorded."""
        ids = self.metadata.get(FINAL_PROMPT)
        if ids is None:
            return None
        pictures = tuple(PlacedPicture(*fields) for fields in self.metadata.get(FINAL_PICTURES, ()))
        shown = [message for turn in self.turns for message in turn.messages] if pictures else []
        urls = dict(hashed_urls([*shown, *self.metadata.get(LAST_MESSAGES, ())])) if pictures else {}
        own = {place.hash: urls[place.hash] for place in pictures if place.hash in urls}
        return FinalPrompt(np.asarray(ids, np.int32), pictures, own)

    def record_final_prompt(self, ids: Sequence[int], pictures: Sequence[PlacedPicture]) -> None:
        """Keep the final observation in the metadata.

        Args:
            ids: Of a prompt that shows it.
            pictures: Those in the prompt, each with its token, if it has one.
        """
        self.metadata[FINAL_PROMPT] = list(ids)
        if any(place.token >= 0 for place in pictures):
            self.metadata[FINAL_PICTURES] = [list(place) for place in pictures]

    def transcript(self) -> Iterator[Message]:
        """The conversation as chat messages."""
        for turn in self.turns:
            yield from turn.messages
            yield turn.reply


def cut_share(trajectories: Iterable[Trajectory]) -> float | None:
    """The share of messages that the token limit cut; None where there are none."""
    cuts = [turn.was_cut for trajectory in trajectories for turn in trajectory.turns]
    return sum(cuts) / len(cuts) if cuts else None


def rewards_by_turn(events: Iterable[RewardEvent], weights: Mapping[str, float], num_turns: int) -> NDArray[np.float64]:
    """float64[N]: reward of each turn, by the turn that events credit (-1 and later than the last are clamped)."""
    rewards = np.zeros(num_turns)
    for event in events:
        if num_turns:
            rewards[min(max(event.turn, 0), num_turns - 1)] += weights[event.component] * event.value
    return rewards


def _linear_runs(turns: Sequence[Turn]) -> list[list[Turn]]:
    runs: list[list[Turn]] = []
    for turn in turns:
        if len(turn.action_ids) == 0 and len(turn.prompt_ids) == 0:
            continue
        if turn.opens_segment or not runs:
            runs.append([])
        runs[-1].append(turn)
    return runs


def _picture_urls(turns: Sequence[Turn]) -> dict[str, str]:
    """By hash the data URLs in messages, where tokens stand for pictures."""
    if all(place.token < 0 for turn in turns for place in turn.pictures):
        return {}
    return dict(hashed_urls(message for turn in turns for message in turn.messages))


def _segment(trajectory_id: str, turns: Sequence[Turn], urls: Mapping[str, str]) -> Segment:
    size = sum(len(turn.prompt_ids) + len(turn.action_ids) for turn in turns)
    tokens, turn_index, versions = (np.full(size, fill, np.int32) for fill in (0, 0, -1))
    mask = np.zeros(size, np.bool_)
    logprobs = np.full(size, np.nan, np.float32)
    pictures: list[PlacedPicture] = []
    at = 0
    for turn in turns:
        pictures += [place.moved(at) for place in turn.pictures]
        middle, end = at + len(turn.prompt_ids), at + len(turn.prompt_ids) + len(turn.action_ids)
        tokens[at:middle], tokens[middle:end] = turn.prompt_ids, turn.action_ids
        turn_index[at:end], mask[middle:end], versions[middle:end] = turn.index, True, turn.version
        if turn.behaviour_logprobs is not None:
            logprobs[middle:end] = turn.behaviour_logprobs
        at = end
    own = {place.hash: urls[place.hash] for place in pictures if place.hash in urls}
    return Segment(tokens, mask, turn_index, logprobs, versions, trajectory_id, tuple(pictures), own)


@dataclass(slots=True)
class Group:
    """The trajectories of one task and role that share a baseline.

    Attributes:
        id: Unique in a run, even if one batch contains a task twice.
        task_id: The task.
        size: Number of episodes that were admitted.
        members: Those that ended with a reward.
        missing: Those that failed because of the infrastructure after all retries, or were cancelled.
        is_sealed: Whether every admitted episode has finished; only sealed groups are trained on.
    """

    id: str
    task_id: str
    size: int
    members: list[Trajectory] = field(default_factory=list)
    missing: list[Trajectory] = field(default_factory=list)
    is_sealed: bool = False

    def add(self, trajectory: Trajectory) -> None:
        """Add one finished episode; the last one seals the group.

        Raises:
            ContractError: The group is sealed or the trajectory has not ended.
        """
        if self.is_sealed or trajectory.outcome is None:
            state = "sealed" if self.is_sealed else "open, but the trajectory has no outcome"
            raise ContractError(f"cannot add {trajectory.id!r} to group {self.id!r}: the group is {state}")
        (self.members if trajectory.outcome.is_graded else self.missing).append(trajectory)
        self.is_sealed = len(self.members) + len(self.missing) == self.size
        if self.is_sealed:
            self.members.sort(key=lambda member: member.attempt)
