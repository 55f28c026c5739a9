"""A conversation as servers take it that check tool calls: each call is answered once, right behind its message.

Environments answer a refused message, or all of its calls at once, as the user. What is stored and trained on stays so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentgym.message import Message, tool_result

_WITH_FIRST = "The answer to the first call is for all calls of the message."
_BELOW = "The next message is the answer."
_NO_ANSWER = "This call has no answer of its own."


def with_calls_answered(messages: Sequence[Message]) -> list[Message]:
    """The messages with one `tool` message for each call of an assistant, before anything else that follows it.

    A user's answer to a message of calls becomes that of its first call. A result of no call becomes a user message.

    Args:
        messages: A conversation as rollouts keep it; it is not changed.
    """
    sent: list[Message] = []
    for turn in _turns(messages):
        calls = (turn[0].get("tool_calls") or ()) if turn[0]["role"] == "assistant" else ()
        if calls:
            names = {call["id"]: call["function"]["name"] for call in calls}
            sent += [turn[0], *_answered(names, turn[1:])]
        else:
            sent += [_as_user(message) for message in turn]
    return sent


def _turns(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """What comes before the first message of the assistant, then each of these with what follows it."""
    starts = [number for number, message in enumerate(messages) if message["role"] == "assistant"]
    for start, end in zip([0, *starts], [*starts, len(messages)], strict=True):
        if start < end:
            yield messages[start:end]


def _answered(names: dict[str, str], answers: Sequence[Message]) -> list[Message]:
    """The answers to calls, by id and name of each call, and then the other messages."""
    results: dict[str, list[Message]] = {call_id: [] for call_id in names}
    others: list[Message] = []
    for answer in answers:
        is_result = answer["role"] == "tool" and answer.get("tool_call_id") in results
        (results[answer["tool_call_id"]] if is_result else others).append(answer)
    missing = _NO_ANSWER
    if not any(results.values()) and others and others[0]["role"] == "user":
        missing = _BELOW
        if isinstance(others[0]["content"], str):  # pictures are for users' messages
            first = next(iter(names))
            results[first] = [tool_result(first, names[first], others.pop(0)["content"])]
            missing = _WITH_FIRST
    told = [_joined(found) if found else tool_result(i, names[i], missing) for i, found in results.items()]
    return [*told, *map(_as_user, others)]


def _joined(results: Sequence[Message]) -> Message:
    """The results of one call as one message."""
    contents = [result["content"] for result in results]
    if len(results) == 1:
        return results[0]
    if all(isinstance(content, str) for content in contents):
        return {**results[0], "content": "\n".join(contents)}
    parts = [[{"type": "text", "text": each}] if isinstance(each, str) else each for each in contents]
    return {**results[0], "content": [part for content in parts for part in content]}


def _as_user(message: Message) -> Message:
    if message["role"] != "tool":
        return message
    return {"role": "user", "content": message["content"]}
