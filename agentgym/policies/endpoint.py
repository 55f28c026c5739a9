"""A model behind an OpenAI-compatible HTTP server as a policy, with its tokens and cost counted.

Retries and limits of the transport are in `agentgym.policies.endpoint_client`; `agentgym.policies.endpoint_answer`
reads and checks answers; `agentgym.policies.endpoint_history` answers calls as strict servers want it.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from agentgym.errors import ConfigError, ContractError, CostLimitError
from agentgym.message import Message
from agentgym.policies.endpoint_answer import Answer, read_chat, read_tokens
from agentgym.policies.endpoint_client import Client, Transport
from agentgym.policies.endpoint_history import with_calls_answered
from agentgym.policy import Reply, Request
from agentgym.ranges import POSITIVE, Range, Ranged

Protocol = Literal["chat", "tokens"]
_SENT_KEYS = ("role", "content", "name", "tool_calls", "tool_call_id")
_MAX_SEED = 2**31
_TOKENS_OF_MESSAGE = 16
"""More than any template spends on the frame of one message."""


@dataclass(frozen=True)
class EndpointSettings(Ranged):
    """How requests are sent to an endpoint, and what they may cost."""

    protocol: Protocol = "chat"
    """chat: messages to /chat/completions. tokens: prompt ids to /completions, for servers that return token ids."""
    transport: Transport = field(default_factory=Transport)
    """Time limits, retries and rates."""
    prompt_price: Annotated[float, Range(0)] = 0.0
    """USD for a million prompt tokens."""
    completion_price: Annotated[float, Range(0)] = 0.0
    """USD for a million sampled tokens."""
    max_cost: Annotated[float | None, POSITIVE] = None
    """USD that may be spent; a request that might exceed it is not sent. None: unlimited."""
    stop_ids: Annotated[Sequence[int], Range(0)] = ()
    """Tokens that end a message, for the tokens protocol."""
    send_seed: bool = True
    """Whether the request's seed is sent along."""
    max_tokens_key: str = "max_tokens"
    """The field that bounds the message; some servers want max_completion_tokens."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of every request."""

    def __post_init__(self) -> None:
        if self.protocol not in get_args(Protocol):
            raise ConfigError(f"endpoint protocol {self.protocol!r} does not exist; expected chat or tokens")
        super().__post_init__()
        if self.max_cost is not None and not (self.prompt_price or self.completion_price):
            raise ConfigError("max_cost needs prompt_price and completion_price, in USD for a million tokens")


class Budget:
    """What was spent, plus the largest cost of requests in flight; shared by threads."""

    def __init__(self, max_cost: float | None) -> None:
        self._max_cost, self._lock = max_cost, threading.Lock()
        self.spent = 0.0

    def spend(self, cost: float) -> None:
        """Spend the largest cost of a request; the unused part is paid back later.

        Raises:
            CostLimitError: It might exceed the limit.
        """
        with self._lock:
            total = self.spent + cost
            if self._max_cost is not None and total > self._max_cost:
                raise CostLimitError(
                    f"the next request might bring the cost to {total:.4f} USD, over max_cost={self._max_cost:g}; "
                    f"{self.spent:.4f} USD are spent or bound. Raise max_cost, or ask for less"
                )
            self.spent = total

    def pay_back(self, cost: float) -> None:
        """Take back what was spent in advance and not used."""
        with self._lock:
            self.spent -= cost


class _RequestMeter:
    """The cost of one request with its retries. An attempt that may have been billed counts at its bound."""

    def __init__(self, budget: Budget, bound: float) -> None:
        self._budget, self._bound = budget, bound
        self.cost, self.num_failed = 0.0, 0

    def start(self) -> None:
        self._budget.spend(self._bound)
        self.cost += self._bound

    def fail(self, was_sent: bool) -> None:
        self.num_failed += 1
        if not was_sent:
            self.settle(0.0)

    def settle(self, cost: float) -> None:
        self._budget.pay_back(self._bound - cost)
        self.cost -= self._bound - cost


class EndpointPolicy:
    """Asks a server for messages.

    The key is read from the environment for each request and never stored.

    Args:
        url: Base address with its version, such as "http://127.0.0.1:8000/v1"; "/v1" is added if it has no path.
        model: The model's name at the server.
        settings: How requests are sent.

    Raises:
        ConfigError: The address is not an http(s) address, or it contains a password.
    """

    def __init__(self, url: str, model: str, settings: EndpointSettings | None = None) -> None:
        self.settings = settings or EndpointSettings()
        self._client = Client(url, self.settings.transport)
        self._model = model
        self._budget = Budget(self.settings.max_cost)
        self.name = f"endpoint:{self._client.url}#{model}"
        self.uses_tokens = self.settings.protocol == "tokens"
        self.concurrency = self.settings.transport.max_concurrency

    @classmethod
    def load(cls, address: str, **options: Any) -> EndpointPolicy:
        """The policy of "URL#MODEL".

        Args:
            address: The base address and the model's name.
            options: Fields of `EndpointSettings`, and of `Transport`.

        Raises:
            ConfigError: The address lacks the model, or an option is out of range.
        """
        url, _, model = address.partition("#")
        if not url or not model:
            raise ConfigError(f"endpoint {url!r} names no model; expected endpoint:URL#MODEL")
        fields = Transport.__dataclass_fields__
        transport = Transport(**{key: value for key, value in options.items() if key in fields})
        rest = {key: value for key, value in options.items() if key not in fields}
        return cls(url, model, EndpointSettings(transport=transport, **rest))

    @property
    def fingerprint(self) -> str:
        """Digest of the settings that affect answers, by which evaluations resume; limits and prices do not count.

        The weights behind an address cannot be seen. If they change, give the model or the run folder a new name.
        """
        settings = self.settings
        shaping = [settings.protocol, list(settings.stop_ids), settings.send_seed, settings.extra]
        return hashlib.blake2b(json.dumps(shaping, sort_keys=True, default=repr).encode(), digest_size=8).hexdigest()

    @property
    def cost(self) -> float:
        """USD spent so far; requests that the server did not count enter with their largest cost."""
        return self._budget.spent

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """Ask for one message after another; calls may run at once in several threads.

        Raises:
            EndpointError: The server is down, slow or gives wrong answers, also after retries.
            ConfigError: The server refuses the key or does not know the model.
            ContextOverflowError: The conversation is longer than the model's context.
            CostLimitError: The next request might exceed `max_cost`.
        """
        return [self._ask(request) for request in requests]

    def forget(self, episode: str) -> None:
        """Do nothing: no state of episodes is kept."""

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, request: Request) -> Reply:
        body = self._body(request)
        meter = _RequestMeter(self._budget, self._cost(_most_tokens(body), request.sampling.max_tokens))
        if self.uses_tokens:
            answer = self._client.post("completions", body, read_tokens, meter, request.seed)
        else:
            answer = self._client.post("chat/completions", body, read_chat, meter, request.seed)
        if answer.prompt_tokens is not None and answer.completion_tokens is not None:
            meter.settle(self._cost(answer.prompt_tokens, answer.completion_tokens))
        return self._reply(request, answer, meter)

    def _reply(self, request: Request, answer: Answer, meter: _RequestMeter) -> Reply:
        usage = {"retries": float(meter.num_failed), "cost_usd": meter.cost}
        if answer.prompt_tokens is not None and answer.completion_tokens is not None:
            usage |= {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
        sampling = request.sampling
        # Servers report log-probabilities before temperature and nucleus are applied.
        is_known = sampling.temperature == 1 and sampling.top_p == 1
        return Reply(
            answer.text,
            answer.ids,
            answer.logprobs if is_known else None,
            was_cut=answer.was_cut,
            message=answer.message,
            usage=usage,
        )

    def _body(self, request: Request) -> dict[str, Any]:
        sampling, settings = request.sampling, self.settings
        body: dict[str, Any] = {
            "model": self._model,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            settings.max_tokens_key: sampling.max_tokens,
        }
        if settings.send_seed:
            body["seed"] = request.seed % _MAX_SEED
        if self.uses_tokens:
            if request.prompt_ids is None:
                raise ContractError(
                    f"the request of episode {request.episode!r} has no prompt_ids; this policy needs them"
                )
            body |= {"prompt": [int(i) for i in request.prompt_ids], "logprobs": 1, "return_token_ids": True}
            body |= {"skip_special_tokens": False, "stop_token_ids": list(settings.stop_ids)}
        else:
            body["messages"] = [_sent(message) for message in with_calls_answered(request.messages)]
            if request.tools:
                body["tools"] = list(request.tools)
        return body | dict(settings.extra)

    def _cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        prices = self.settings
        return (prompt_tokens * prices.prompt_price + completion_tokens * prices.completion_price) / 1e6


def _sent(message: Message) -> Message:
    return {key: message[key] for key in _SENT_KEYS if key in message}


def _most_tokens(body: Mapping[str, Any]) -> int:
    """A bound on the tokens of a prompt: a token is at least one byte."""
    if "prompt" in body:
        return len(body["prompt"])
    written = json.dumps([*body["messages"], *body.get("tools", ())], ensure_ascii=False, default=str)
    return len(written.encode(errors="replace")) + _TOKENS_OF_MESSAGE * (len(body["messages"]) + 1)
