"""Reading the answers of a model server; every field is checked, because servers may answer wrongly.

`agentgym.policies.endpoint_client` sends requests, retries, and counts the cost of failures.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import EndpointError
from agentgym.message import Message

_TOKEN_ID = "token_id:"  # noqa: S105 - a prefix in vLLM's lists of tokens, no secret
_MAX_ID = 2**31


@dataclass(frozen=True, slots=True)
class Answer:
    """One message of a server.

    Attributes:
        text: The message as environments accept it, tool calls as `<tool_call>` blocks.
        was_cut: Whether the token limit cut it.
        prompt_tokens: As counted by the server; None if it does not say.
        completion_tokens: The same for the message.
        message: The message in OpenAI's form; None for the tokens protocol.
        ids: int32[K], sampled ids, for the tokens protocol.
        logprobs: float32[K] as the server states them, if it does.
    """

    text: str
    was_cut: bool
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    message: Message | None = None
    ids: NDArray[np.int32] | None = None
    logprobs: NDArray[np.float32] | None = None


def read_chat(body: Any) -> Answer:
    """The answer of /chat/completions.

    Raises:
        EndpointError: The body is not such an answer; the message says what is wrong with it.
    """
    choice = _choice(body)
    given = _field(choice, "message", Mapping)
    content = given.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    if content is not None and not isinstance(content, str):
        raise EndpointError(f"the server answered content of type {type(content).__name__}, expected text")
    message: Message = {"role": "assistant", "content": content or ""}
    reasoning = given.get("reasoning_content") or given.get("reasoning")
    if isinstance(reasoning, str):
        message["reasoning_content"] = reasoning
    calls = given.get("tool_calls") or []
    if not isinstance(calls, list):
        raise EndpointError(f"the server answered tool_calls of type {type(calls).__name__}, expected a list")
    if calls:
        message["tool_calls"] = [_call(call, index) for index, call in enumerate(calls)]
    parts = [message["content"], *(_block(call) for call in message.get("tool_calls", ()))]
    return Answer("\n".join(filter(None, parts)), choice.get("finish_reason") == "length", *_usage(body), message)


def read_tokens(body: Any) -> Answer:
    """The answer of /completions to a prompt of token ids.

    Raises:
        EndpointError: The body is not such an answer, or it has no token ids.
    """
    choice = _choice(body)
    text = _field(choice, "text", str)
    stated = choice.get("logprobs")
    stated = stated if isinstance(stated, Mapping) else {}
    ids = _ids(choice.get("token_ids"), stated.get("tokens"))
    logprobs = _logprobs(stated.get("token_logprobs"), len(ids))
    return Answer(text, choice.get("finish_reason") == "length", *_usage(body), ids=ids, logprobs=logprobs)


def _choice(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise EndpointError(f"the server answered a JSON {type(body).__name__}, expected an object with choices")
    if body.get("error"):
        raise EndpointError(f"the server answered status 200 with an error: {str(body['error'])[:300]}")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise EndpointError(f"the server answered no choices: got the keys {sorted(map(str, body))[:10]}")
    return choices[0]


def _field(choice: Mapping[str, Any], key: str, kind: type) -> Any:
    value = choice.get(key)
    if not isinstance(value, kind):
        raise EndpointError(f"the server's choice has a {key} of type {type(value).__name__}, expected {kind.__name__}")
    return value


def _call(call: Any, index: int) -> dict[str, Any]:
    function = call.get("function") if isinstance(call, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(name, str):
        raise EndpointError(f"the server's tool call {index} has no function with a name: got {str(call)[:200]}")
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
    call_id = call.get("id")
    call_id = call_id if isinstance(call_id, str) and call_id else f"call_{index}"
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _block(call: dict[str, Any]) -> str:
    """A call as text; arguments that are no JSON stay as they are, for the environment to explain what is wrong."""
    function = call["function"]
    arguments = (function["arguments"].strip() or "{}").replace("</", "<\\/")  # within JSON text the same
    opening = f'{{"name": {json.dumps(function["name"], ensure_ascii=False)}, "id": {json.dumps(call["id"])}'
    return f'<tool_call>{opening}, "arguments": {arguments}}}</tool_call>'


def _usage(body: Mapping[str, Any]) -> tuple[int | None, int | None]:
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return None, None
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
    if any(type(count) is not int or count < 0 for count in counts):
        raise EndpointError(f"the server counts its tokens as {str(dict(usage))[:200]}, expected numbers")
    return counts[0], counts[1]


def _ids(plain: Any, spelt: Any) -> NDArray[np.int32]:
    if isinstance(plain, list):
        ids = plain
    elif isinstance(spelt, list) and all(isinstance(t, str) and t.startswith(_TOKEN_ID) for t in spelt):
        ids = [int(t.removeprefix(_TOKEN_ID)) if t.removeprefix(_TOKEN_ID).isdigit() else -1 for t in spelt]
    else:
        raise EndpointError(
            "the server returns no token ids (choices[0].token_ids); use a server that does, such as vLLM, or "
            "protocol='chat'"
        )
    if not ids or not all(type(i) is int and 0 <= i < _MAX_ID for i in ids):
        raise EndpointError(f"the server's token ids are {str(ids)[:100]}, expected at least one id of 0 or more")
    return np.array(ids, np.int32)


def _logprobs(values: Any, count: int) -> NDArray[np.float32] | None:
    if values is None:
        return None
    if not isinstance(values, list) or len(values) != count:
        size = len(values) if isinstance(values, list) else type(values).__name__
        raise EndpointError(f"the server stated {size} log-probabilities for {count} tokens")
    if not all(isinstance(v, (int, float)) and math.isfinite(v) and v <= 1e-3 for v in values):
        raise EndpointError(f"the server's log-probabilities are {str(values)[:100]}, expected numbers of at most 0")
    return np.minimum(np.array(values, np.float32), 0)
