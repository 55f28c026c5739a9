"""The guard of a model that plays a customer, in acts and in words.

What a customer may say is judged in `guarding`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym.errors import ActionSyntaxError
from agentgym.policy import Guard
from agentgym.tools.game import calls_or_words
from agentgym_tools.desks import talk
from agentgym_tools.desks.conditions.options import Options
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.guarding.guard import AgendaGuard, Heard, read_acts
from agentgym_tools.desks.words.lexicon.language import language_of
from agentgym_tools.desks.words.reading.customer import understand_customer
from agentgym_tools.worlds.calls import Call


def read_message(text: str, heard: Heard) -> Sequence[Call]:
    """The calls of a message, or in a task in words the acts that it says.

    Raises:
        ActionSyntaxError: There is none, or one is wrong.
    """
    task, tools = heard.request.task, heard.request.tools
    if Options.of(task).talk != "words":
        return read_acts(text, heard)
    action = calls_or_words(text, tools)
    if action.tool_calls:
        return [Call(call.name, call.arguments) for call in action.tool_calls]
    language = language_of(desk(task.config["desk"]), task.config["size"])
    asked = [act.arguments["fact"] for act in heard.acts if act.tool == talk.ASK]
    num_proposed = sum(act.tool == talk.PROPOSE for act in heard.acts)
    understood = understand_customer(language, action.content, asked=asked, num_proposed=num_proposed)
    if not understood.acts:
        raise ActionSyntaxError(f"this was not understood: {', '.join(understood.unclear) or 'it says nothing'}")
    return understood.acts


GUARDS: Mapping[str, Guard] = {"user": AgendaGuard(read_message)}
