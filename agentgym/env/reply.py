"""The reply of an environment, and the errors for wrong types of replies.

Who answers is in `agentgym.env.agent_env`; what games of several roles answer is in `agentgym.game`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym.errors import ActionSyntaxError, ContractError
from agentgym.message import Message
from agentgym.reward import RewardEvent
from agentgym.task import Task


class CutMessage(str):
    """A message that the token limit cut: environments refuse it as an invalid action."""

    __slots__ = ()


CUT_EXPLANATION = "Your message was cut because it was too long. Send a shorter one."
"""What the agent reads in answer to a message that was cut."""


def require_whole(action: object) -> None:
    """Refuse an action that is not a text, or that the token limit cut.

    Raises:
        ContractError: It is not a text; this is a mistake of the caller, not of the agent.
        ActionSyntaxError: It is a `CutMessage`; the message explains this to the agent.
    """
    if not isinstance(action, str):
        raise ContractError(f"an action is the text of the agent's message: got {type(action).__name__}")
    if type(action) is CutMessage:
        raise ActionSyntaxError(CUT_EXPLANATION)


class EnvReply(NamedTuple):
    """What an environment answers to one action.

    Attributes:
        messages: What the agent receives.
        events: Reward events issued by this step.
        terminated: Whether the task has ended.
        success: Whether it was solved; given with `terminated` or by `grade`.
        score: The suite's official metric, in [0, 1]; defaults to 1.0 for success, else 0.0.
        image: uint8[H, W, 3] beside the text, if the environment has images.
    """

    messages: Sequence[Message] = ()
    events: Sequence[RewardEvent] = ()
    terminated: bool = False
    success: bool | None = None
    score: float | None = None
    image: NDArray[np.uint8] | None = None


def require_reply(reply: object, env: object, method: str) -> EnvReply:
    """What a method of a subclass answered, if that is a reply.

    Raises:
        ContractError: It is another object. Says which method returned what.
    """
    if isinstance(reply, EnvReply):
        messages, events = reply.messages, reply.events
        if events or (type(events) is not tuple and type(events) is not list):
            require_events(events, getattr(env, method))
        if type(messages) is list and len(messages) == 1:  # the short way of most steps
            message = messages[0]
            if type(message) is dict and type(message.get("content")) is str:
                return reply
        require_messages(messages, getattr(env, method), "a reply whose messages are ")
        return reply
    raise wrong_return(getattr(env, method), reply, "an agentgym.EnvReply")


def require_messages(messages: object, method: Callable[..., Any], within: str = "") -> Sequence[Message]:
    """What a method of a subclass tells the agent, if that is a list of messages.

    Raises:
        ContractError: It is another object.
    """
    expected = 'a list of messages such as [{"role": "user", "content": TEXT}]'
    if not isinstance(messages, (list, tuple)):
        raise wrong_return(method, messages, expected, within)
    for message in messages:
        if not isinstance(message, dict) or not _is_content(message.get("content")):
            raise wrong_return(method, message, f"{expected}, where content is text or a list of parts", within)
    return messages


def require_events(events: object, method: Callable[..., Any]) -> None:
    """Refuse what a method of a subclass gives as the reward events of its reply, unless that is a list of them.

    Raises:
        ContractError: It is another object, or an event's value is no number.
    """
    expected = 'a list of reward events such as [self.event("success", 1.0)]'
    if not isinstance(events, (list, tuple)):
        raise wrong_return(method, events, expected, "a reply whose events are ")
    for number, event in enumerate(events):
        if not isinstance(event, RewardEvent):
            raise wrong_return(method, event, expected, f"a reply whose event {number} is ")
        if not isinstance(event.value, (float, int)):
            within = f"a reply whose event {number}, of the component {event.component!r}, has as its value "
            raise wrong_return(method, event.value, "a float of Python's, as float(VALUE) makes it", within)


def _is_content(content: object) -> bool:
    """Whether it is text, nothing, or parts as `content_text` reads them."""
    if content is None or isinstance(content, str):
        return True
    return isinstance(content, (list, tuple)) and all(
        isinstance(part, dict) and (part.get("type") != "text" or isinstance(part.get("text"), str)) for part in content
    )


def require_task(task: object, method: Callable[..., Any]) -> Task:
    """What `make_task` made, if that is a task.

    Raises:
        ContractError: It is another object.
    """
    if isinstance(task, Task):
        return task
    raise wrong_return(method, task, "an agentgym.Task")


def wrong_return(method: Callable[..., Any], value: object, expected: str, within: str = "") -> ContractError:
    """The error that a method of a subclass is missing, or returned something else than it has to; says where it is."""
    if getattr(method, "__isabstractmethod__", False):
        owner = type(getattr(method, "__self__", None)).__name__
        return ContractError(f"{owner} has no method {method.__name__}(); write it, so that it returns {expected}")
    code = inspect.unwrap(method).__code__
    shown = "None" if value is None else f"the {type(value).__name__} {value!r:.80}"
    return ContractError(
        f"{method.__qualname__}() ({code.co_filename}, line {code.co_firstlineno}) returned {within}{shown}, "
        f"expected {expected}"
    )
