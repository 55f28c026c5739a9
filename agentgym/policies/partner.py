"""Policies as partners: players of a game's other roles, whose faults and records are not those of the learner.

Which policy plays which role is decided in `agentgym.policies.cast`; `agentgym.policies.guarding` draws again what a
guard refuses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl

from agentgym.errors import ConfigError, ContextOverflowError, InfrastructureError, PartnerError
from agentgym.policies.by_name import load
from agentgym.policies.guarding import REDRAWS, GuardedDraws
from agentgym.policies.reply_cache import ReplyCache
from agentgym.policy import Guard, Policy, Reply, Request, Sampling

ENDPOINT = "endpoint:"
_DRAWN = tuple(field.name for field in fields(Sampling))


@dataclass(frozen=True)
class PartnerOptions:
    """What stands behind a partner's name: `endpoint:URL#MODEL?temperature=0&max_tokens=300&cache=FILE`."""

    name: str
    """The name without the options."""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Sampling` that hold for the partner whatever the learner's are: temperature, top_p, max_tokens."""
    cache: str = ""
    """File that keeps the replies of an endpoint; "" takes one in the run's folder."""
    redraws: int = REDRAWS
    """How often a message that the guard refuses is drawn again."""
    is_guarded: bool = True
    """Whether a guard checks the messages, where the role has one; `guard=false` turns it off."""
    policy: Mapping[str, Any] = field(default_factory=dict)
    """Further options, which are the policy's."""

    @classmethod
    def of(cls, text: str) -> Self:
        """The options of a partner's name.

        Raises:
            ConfigError: One is malformed or out of range.
        """
        name, _, listed = text.partition("?") if "#" not in text else _behind_model(text)
        try:
            pairs = parse_qsl(listed, strict_parsing=bool(listed))
        except ValueError:
            raise ConfigError(f"partner {text!r}: expected KEY=VALUE, joined by &, behind the question mark") from None
        given: dict[str, Any] = {key: _value(value) for key, value in pairs}
        sampling = {key: given.pop(key) for key in _DRAWN if key in given}
        redraws, is_guarded = given.pop("redraws", REDRAWS), given.pop("guard", True)
        if type(redraws) is not int or redraws < 0 or type(is_guarded) is not bool:
            raise ConfigError(f"partner {text!r}: redraws must be a whole number and guard true or false")
        cache = str(given.pop("cache", ""))
        if cache and not name.startswith(ENDPOINT):
            raise ConfigError(f"partner {text!r}: only the replies of endpoints are kept; remove cache")
        wrong = [key for key, value in sampling.items() if type(value) not in (int, float)]
        if wrong:
            raise ConfigError(f"partner {text!r}: {', '.join(wrong)} must be numbers")
        replace(Sampling(), **sampling)
        return cls(name, sampling, cache, redraws, is_guarded, given)


class PartnerPolicy:
    """A policy whose turns rollouts neither train on nor count: a frozen checkpoint, an endpoint, scripts.

    Args:
        policy: Who plays.
        sampling: How it samples; None takes that of the rollout.
        cache: Keeps its replies; None asks it every time.
        guards: What checks its messages, by role.
        options: What was said behind its name.
    """

    is_partner = True

    def __init__(
        self,
        policy: Policy,
        sampling: Sampling | None = None,
        cache: ReplyCache | None = None,
        guards: Mapping[str, Guard] | None = None,
        options: PartnerOptions | None = None,
    ) -> None:
        self.policy, self.sampling, self.cache = policy, sampling, cache
        self.options = options or PartnerOptions(policy.name)
        self.name, self.uses_tokens, self.concurrency = policy.name, policy.uses_tokens, policy.concurrency
        self._guards = dict(guards or {}) if self.options.is_guarded else {}
        self._draws = GuardedDraws(self._guards, self.options.redraws)

    @classmethod
    def named(
        cls,
        name: str,
        guards: Mapping[str, Guard] | None = None,
        sampling: Sampling | None = None,
        replies: Path | None = None,
    ) -> Self:
        """The partner of a name, such as `torch:PATH` or `endpoint:URL#MODEL?temperature=0`.

        Args:
            name: The policy's name, with options behind a question mark.
            guards: What checks its messages, by role.
            sampling: How it samples where its options do not say; None: like the rollout.
            replies: File that keeps the replies of an endpoint whose options name none; None keeps them in memory.

        Raises:
            ConfigError: A checkpoint, an address or an option cannot be used.
        """
        options = PartnerOptions.of(name)
        cache = None
        if options.name.startswith(ENDPOINT):
            cache = ReplyCache(Path(options.cache) if options.cache else replies)
        return cls(load(options.name, **options.policy), sampling, cache, guards, options)

    @property
    def tokenizer(self) -> Any:
        """The policy's tokenizer."""
        return self.policy.tokenizer  # type: ignore[attr-defined]

    @property
    def max_context(self) -> int | None:
        """The policy's largest context, if it states one."""
        longest: int | None = getattr(self.policy, "max_context", None)
        return longest

    def pin(self, role: str, sampling: Sampling) -> str:
        """What fixes a model's replies in a role: its name and settings, how it draws, and the prompt's version.

        Args:
            role: The role.
            sampling: How messages are drawn in the rollout.
        """
        drawn, settings = self._drawn(role, sampling), getattr(self.policy, "fingerprint", "")
        if not settings:
            return self.name
        parts = [self.name, *(f"{name}={getattr(drawn, name):g}" for name in _DRAWN), f"settings={settings}"]
        parts += [f"prompt={self._guards[role].version}"] if role in self._guards else []
        return " ".join(parts)

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """The policy's replies, from the cache if they are there, as the guards allow them.

        Raises:
            PartnerError: The policy failed.
        """
        requests = [replace(each, sampling=self._drawn(each.role, each.sampling)) for each in requests]
        try:
            return self._draws.draw(self.name, self._ask, requests)
        except (InfrastructureError, ContextOverflowError) as error:
            raise PartnerError(f"the partner {self.name} failed: {error}", type(error).__name__) from error

    def forget(self, episode: str) -> None:
        """Let the policy drop what it keeps for an episode."""
        self.policy.forget(episode)

    def _drawn(self, role: str, sampling: Sampling) -> Sampling:
        """How a message is drawn: as the options say, with room for what the role may have to say at once."""
        drawn = self.sampling or sampling
        if role in self._guards and not self.uses_tokens:
            drawn = replace(drawn, max_tokens=max(drawn.max_tokens, self._guards[role].max_tokens))
        return replace(drawn, **self.options.sampling)

    def _ask(self, requests: Sequence[Request]) -> list[Reply]:
        if self.cache is None:
            return self.policy.generate(requests)
        return self.cache.replies(self.policy, requests, {role: each.version for role, each in self._guards.items()})


def _behind_model(text: str) -> tuple[str, str, str]:
    """The name and the options of an endpoint; its address has no question mark."""
    address, mark, rest = text.partition("#")
    model, question, listed = rest.partition("?")
    return address + mark + model, question, listed


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
