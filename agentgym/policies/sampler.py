"""What a trainer asks of its sampler: batches of messages, new weights, and messages in the middle of episodes.

The one in this process is `agentgym.policies.torch.policy`. Any class with these members can take its place, such as a
client of an inference server; docs/add-a-sampler.md shows one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from agentgym.policy import Policy, Reply, Request, Sampling

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


@dataclass(frozen=True)
class Fork:
    """A message that is wanted in the middle of an episode.

    Attributes:
        start: Number of the episode's tokens that it follows; at least one.
        budget: Largest number of tokens that may be sampled.
        seed: Seed of its draws.
    """

    start: int
    budget: int
    seed: int


class Continuation(NamedTuple):
    """The message that was sampled at a fork.

    Attributes:
        ids: int32[K], the stop token included.
        logprobs: float32[K], at the temperature of sampling.
    """

    ids: NDArray[np.int32]
    logprobs: NDArray[np.float32]


@runtime_checkable
class Branches(Protocol):
    """Samples messages in the middle of episodes, each episode being read once for all of them."""

    def sample(
        self, episodes: Sequence[NDArray[np.int32]], forks: Sequence[Sequence[Fork]], sampling: Sampling
    ) -> list[list[Continuation]]:
        """A message for each fork, from the same distribution as `generate` with the tokens before it as the prompt.

        Args:
            episodes: The tokens of each episode; those after its last fork are not read.
            forks: The forks of each episode, at least one.
            sampling: How all of them are drawn.

        Returns:
            The messages by episode and fork, in order.

        Raises:
            ContextOverflowError: A fork leaves no room for a token.
        """
        ...


@runtime_checkable
class Sampler(Policy, Protocol):
    """A policy that samples token ids from weights that a trainer updates.

    `uses_tokens` is True, and replies carry `ids`. At a temperature above 0 with top_p = 1 they carry `logprobs` too.

    Weights may change while a request runs: `load_weights` may be called from another thread, or the update may reach
    the replicas of a server one after another. The request continues, and its reply stays valid under two conditions:

    - `Reply.logprobs[k]` is the log-probability of token k under the weights that sampled token k, at the request's
      temperature. Importance correction reads these numbers alone and is therefore exact for mixed messages.
    - `Reply.version` is the oldest version that sampled any token of the message.

    A turn records that one version as `Turn.version`, and `Segment.versions` repeats it for each sampled token. So a
    message never counts as fresher than its oldest token: staleness and the age limits of replay count from there. The
    comparison of recorded with recomputed log-probabilities skips any message that is not entirely from the present
    weights.

    Attributes:
        tokenizer: The tokenizer of the weights.
        max_context: Tokens of prompt and message together that a request may have.
        version: Version of the weights that were loaded last; what a request that starts now is sampled with.
        branches: Samples messages in the middle of episodes; None if the sampler cannot. A trainer then sends each of
            them as a separate request.
    """

    tokenizer: PreTrainedTokenizerFast
    max_context: int

    @property
    def version(self) -> int: ...  # noqa: D102 - described above

    @property
    def branches(self) -> Branches | None: ...  # noqa: D102 - described above

    def generate(self, requests: Sequence[Request], *, keeps_states: bool = True) -> list[Reply]:
        """One message for each request, in order.

        Args:
            requests: Any number, each with its `prompt_ids`.
            keeps_states: False means that no later request continues these, so nothing needs to be cached.

        Raises:
            ContextOverflowError: A prompt leaves no room for a token.
            InfrastructureError: The engine or server failed; the episodes of these requests are retried.
        """
        ...

    def load_weights(self, weights: Mapping[str, Any], version: int) -> None:
        """Take new weights; requests that start after it returns are sampled with them.

        Args:
            weights: Whole torch tensors by the names of the trained model's `state_dict`, in its dtype and on its
                device. They may be the tensors that the trainer changes later, so copy what is read later.
            version: Their version. It may be the present one again, if a learner samples between its own updates.

        Raises:
            ConfigError: Names or shapes do not fit.
        """
        ...
