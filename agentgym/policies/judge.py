"""Judges by name: a policy that is asked about a line or a work; its answers are kept by question.

Each environment decides what to ask and how to read an answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError, ContextOverflowError, InfrastructureError
from agentgym.message import user
from agentgym.picture import with_pictures
from agentgym.policies.by_name import load
from agentgym.policies.reply_cache import ReplyCache
from agentgym.policy import Policy, Request, Sampling
from agentgym.task import Task

SAMPLING = Sampling(temperature=0.0, max_tokens=200)
_KEYS = itertools.count()
_TASK = Task("judge", 0)


class PolicyJudge:
    """A policy as a judge. It answers greedily, and its answers are kept, so that equal questions get equal answers.

    Args:
        policy: The policy that judges; it must work on text.
        path: File that keeps the answers across runs; None keeps them as long as the process runs.

    Raises:
        ConfigError: The policy needs token ids.
    """

    def __init__(self, policy: Policy, path: Path | None = None) -> None:
        if policy.uses_tokens:
            raise ConfigError(f"the judge {policy.name} needs token ids; expected an endpoint:URL#MODEL")
        self._policy, self._cache = policy, ReplyCache(path)

    def ask(self, question: str, pictures: Sequence[str] = ()) -> str:
        """The answer to a question.

        Args:
            question: The question.
            pictures: Data URLs of pictures that it is about, which the policy's model must be able to see.

        Raises:
            InfrastructureError: The policy failed; never a verdict.
        """
        key = f"judge-{next(_KEYS)}"
        asked = with_pictures(user(question), pictures)
        request = Request(key, 0, _TASK, [asked], (), None, 0, SAMPLING, "judge")
        try:
            [reply] = self._cache.replies(self._policy, [request])
        except (InfrastructureError, ContextOverflowError) as error:
            raise InfrastructureError(f"the judge {self._policy.name} failed: {error}") from error
        finally:
            self._policy.forget(key)
        return reply.text

    def __deepcopy__(self, memo: dict[int, Any]) -> PolicyJudge:
        return self


@cache
def judge_named(name: str, path: str = "") -> PolicyJudge:
    """The judge of a policy's name, the same one for the same name and path.

    Args:
        name: Such as `endpoint:URL#MODEL`.
        path: File that keeps the answers across runs; "" keeps them as long as the process runs.

    Raises:
        UnknownNameError: No such policy.
        ConfigError: It cannot judge.
    """
    return PolicyJudge(load(name), Path(path) if path else None)
