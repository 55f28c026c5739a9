"""What a policy is: requests in, replies out. The kinds of policy are in `agentgym.policies`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import PartnerError
from agentgym.message import Message, ToolSchema
from agentgym.picture import PlacedPicture
from agentgym.ranges import POSITIVE_SHARE, Range, Ranged
from agentgym.task import Task


@dataclass(frozen=True, slots=True)
class Sampling(Ranged):
    """How a message is drawn.

    Attributes:
        temperature: 0 is greedy; the recorded log-probabilities are of the distribution at this temperature.
        max_tokens: Largest number of sampled tokens of one message, inclusive.
        top_p: Nucleus mass. Training accepts only 1.0, with which log-probabilities need no renormalising.
    """

    temperature: Annotated[float, Range(0)] = 1.0
    max_tokens: Annotated[int, Range(1)] = 256
    top_p: Annotated[float, POSITIVE_SHARE] = 1.0

    @property
    def is_greedy(self) -> bool:
        """Whether the most likely token is taken."""
        return self.temperature == 0


def sampling_of(policy: Policy, sampling: Sampling, max_tokens: int | None = None) -> Sampling:
    """How the messages of a policy are drawn where nobody says how long they may be.

    Args:
        policy: The policy; `message_limit` is the limit that it was trained with, where it has one.
        sampling: How messages are drawn otherwise.
        max_tokens: The limit of a message that somebody says; None takes the policy's own, else that of `sampling`.
    """
    limit = max_tokens if max_tokens is not None else getattr(policy, "message_limit", None)
    return sampling if limit is None else replace(sampling, max_tokens=limit)


def draw_seed(*parts: object) -> int:
    """A seed in [0, 2^63) that depends on all parts and on nothing else."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


@dataclass(slots=True)
class Request:
    """A request for one message of a policy.

    Attributes:
        episode: Key of the episode and role; policies keep caches under this key until `forget`.
        turn: Index of the role's turn, from 0.
        task: The task; only scripted policies may read its private part.
        messages: The whole conversation of the role as chat messages.
        tools: The tools that the role may call.
        prompt_ids: The whole prompt as token ids; None for policies that take text.
        seed: Seed of this request's draws: same request, same seed, same reply.
        sampling: How to draw.
        role: The role that acts.
        legal_actions: Messages that stand for all actions of the state, if the policy asks for them.
        pictures: The pictures that the policy is shown, in order, each with its place in `messages` and `prompt_ids`;
            the pixels are in the messages. Pictures of turns that the prompt leaves out are not listed.
    """

    episode: str
    turn: int
    task: Task
    messages: Sequence[Message]
    tools: Sequence[ToolSchema]
    prompt_ids: Sequence[int] | None
    seed: int
    sampling: Sampling
    role: str = "agent"
    legal_actions: Sequence[str] | None = None
    pictures: Sequence[PlacedPicture] = ()


class Refusal(NamedTuple):
    """A message of a partner that its guard does not let into the game.

    Attributes:
        cause: What is wrong with it, in a word.
        why: What is wrong with it, said to the partner alone.
        text: The beginning of the message.
    """

    cause: str
    why: str
    text: str = ""

    def to_json(self, role: str, turn: int) -> dict[str, Any]:
        """A JSON object with the role and the turn of the message."""
        return {"role": role, "turn": turn, **self._asdict()}


class Guard(Protocol):
    """Checks each message of a partner before it enters the game, by the task and the conversation so far.

    It keeps nothing between calls: episodes fork, and are played again.

    Attributes:
        version: Names the rules and the prompt that the role is given. Cached replies of another version do not count.
        max_tokens: Tokens that a message of a server may need; it may have as many, unless the partner's options say
            otherwise.
    """

    version: str
    max_tokens: int

    def check(self, request: Request, text: str) -> Refusal | None:
        """Why a message may not enter the game.

        Args:
            request: What the partner was asked with; its messages are the whole conversation of the role.
            text: The message.

        Returns:
            None if it may.
        """
        ...


@dataclass(slots=True)
class Reply:
    """One message of a policy.

    Attributes:
        text: The message as the environment takes it.
        ids: int32[K], the sampled token ids; None for policies that speak text.
        logprobs: float32[K] under the distribution that sampled; None if unknown.
        version: Version of the weights; -1 if there are none.
        was_cut: Whether the token limit cut the message.
        message: The normalised message if the policy already has it; otherwise it is parsed from the text.
        usage: Counters to add up: prompt_tokens, completion_tokens, cost_usd, retries; of a cache, cache_hits and
            cache_misses; of a guard, redraws.
        refused: What a guard refused before this message.
        fault: Why there is no message, for a partner that failed in this episode alone; whoever reads the reply raises
            it.
    """

    text: str
    ids: NDArray[np.int32] | None = None
    logprobs: NDArray[np.float32] | None = None
    version: int = -1
    was_cut: bool = False
    message: Message | None = None
    usage: dict[str, float] = field(default_factory=dict)
    refused: Sequence[Refusal] = ()
    fault: PartnerError | None = None


class Seen(NamedTuple):
    """Which tasks a policy was trained on.

    Attributes:
        hashes: Content hashes of tasks that it was trained on.
        is_all: Whether these are known to be all. If not, any task may have been among its training data.
    """

    hashes: frozenset[str] = frozenset()
    is_all: bool = False


NOTHING_SEEN = Seen(is_all=True)
"""Of a policy that was trained on no task."""


def seen_by(policy: Policy) -> Seen:
    """What a policy says of its training data."""
    says_nothing = not hasattr(policy, "seen_hashes")
    return Seen(frozenset(getattr(policy, "seen_hashes", ())), not says_nothing and getattr(policy, "knows_seen", True))


@runtime_checkable
class Policy(Protocol):
    """Requests in, replies out.

    A policy that knows which tasks it was trained on also has `seen_hashes`, their content hashes. If it knows some of
    them only, its `knows_seen` is False.

    Attributes:
        name: The name under which results are reported.
        uses_tokens: Whether requests need `prompt_ids`.
        concurrency: How many `generate` calls may run at once: 1 for a batched engine, which gets all ready requests in
            one call; more for endpoints, which get one request per call.
    """

    name: str
    uses_tokens: bool
    concurrency: int

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply for each request, in order.

        Raises:
            InfrastructureError: The engine or endpoint failed; the episodes of these requests are retried.
        """
        ...

    def forget(self, episode: str) -> None:
        """Drop whatever is kept for an episode that ended; unknown keys are ignored."""
        ...


class Script(Protocol):
    """A player of one role in one episode, made from the task (and, for oracles, its private part).

    Environments come with scripts as policies, and scripts play the other roles of a game. A script that is used as a
    partner may also have two members: `rng`, the `random.Random` of all its draws, which a fork seeds again, and
    `anchor()`, a canonical key of its state, without which the view of a game has no anchors. A script that can
    continue a recorded episode may have `resume(turns)`, which gets the recorded turns before its first message, and
    the other members of `agentgym.attribution.forks.RolloutPlayer`.
    """

    def act(self, messages: Sequence[Message]) -> str:
        """The next message, given the whole conversation of the role so far."""
        ...


class ScriptFactory(Protocol):
    """Makes the script of one episode."""

    def __call__(self, task: Task, seed: int) -> Script:
        """A fresh script; `seed` drives its random choices."""
        ...
