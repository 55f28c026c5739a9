"""Start-up check of a chat template: after which turns a prompt extends the last one, and after which it does not.

Where it does not, conversations open a new segment, which is correct but costs a full prompt and loses the cache
(trap D-5). Nothing is repaired here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from agentgym.arguments import parameters_of, tool_name
from agentgym.errors import TemplateError
from agentgym.message import Message, ToolSchema
from agentgym.prompting.renderer import ChatRenderer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_FITTING: WeakKeyDictionary[Any, set[tuple[str, str]]] = WeakKeyDictionary()
"""Template and tools that fit each other, by tokenizer."""
Verdict = Literal["extends", "new segment", "refused", "lost"]


class Probe(NamedTuple):
    """A short dialogue: what came before a reply, the reply, and what came after."""

    before: list[Message]
    reply: Message
    after: list[Message]
    tools: Sequence[ToolSchema] = ()


@dataclass(frozen=True)
class StabilityReport:
    """What a template does after each kind of turn."""

    verdicts: dict[str, Verdict]
    """By name of the pattern: `extends`, `new segment`, `refused`, or `lost` where the template leaves the call out."""
    reasons: dict[str, str]
    """Why a pattern was refused, in the template's words."""

    def extends(self, pattern: str) -> bool:
        """Whether a prompt extends the last one after that kind of turn."""
        return self.verdicts.get(pattern) == "extends"

    def describe(self) -> str:
        """The report in a line a pattern."""
        lines = []
        for name, verdict in self.verdicts.items():
            reason = f" ({self.reasons[name]})" if name in self.reasons else ""
            lines.append(f"{name}: {verdict}{reason}")
        return "\n".join(lines)


def check_template(
    tokenizer: PreTrainedTokenizerFast,
    tools: Sequence[ToolSchema] = (),
    *,
    needs_system: bool = False,
    template_kwargs: dict[str, Any] | None = None,
) -> StabilityReport:
    """Tries a tokenizer's chat template on short dialogues of every kind.

    Args:
        tokenizer: A fast tokenizer.
        tools: The tools that will be used; none leaves the patterns with tools out.
        needs_system: Whether the conversations will have a system message.
        template_kwargs: Further variables for the template.

    Raises:
        TemplateError: There is no chat template, or it refuses dialogues, system messages or tools that are needed.
    """
    renderer = ChatRenderer(tokenizer, template_kwargs=template_kwargs)
    verdicts: dict[str, Verdict] = {}
    reasons: dict[str, str] = {}
    for name, probe in probes(tools).items():
        try:
            if "tool_calls" in probe.reply and renderer.drops_calls(tools):
                verdicts[name], reasons[name] = "lost", "the template leaves tool calls out of prompts"
            else:
                verdicts[name] = "extends" if _extends(renderer, probe) else "new segment"
        except TemplateError as error:
            verdicts[name] = "refused"
            reasons[name] = str(error)
    report = StabilityReport(verdicts, reasons)
    needs = {
        "plain": (True, "use an instruction-tuned model"),
        "system": (needs_system, "put the instructions into the first user message, or use another model"),
        "tool call": (bool(tools), "use a model trained on tool calls, or describe the tools in the first message"),
    }
    for name, (needed, advice) in needs.items():
        if needed and verdicts.get(name) in ("refused", "lost"):
            raise TemplateError(f"the chat template cannot render the pattern {name!r}: {reasons[name]}; {advice}")
    return report


def require_template(tokenizer: PreTrainedTokenizerFast, tools: Sequence[ToolSchema] = ()) -> None:
    """`check_template`, once for each tokenizer, template and set of tools that fit.

    Args:
        tokenizer: A fast tokenizer.
        tools: The tools that will be used.

    Raises:
        TemplateError: There is no chat template, or it refuses dialogues or tools that are needed.
    """
    known = _FITTING.setdefault(tokenizer, set())
    key = (str(getattr(tokenizer, "chat_template", None)), repr(tools))
    if key not in known:
        check_template(tokenizer, tools)
        known.add(key)


def probes(tools: Sequence[ToolSchema] = ()) -> dict[str, Probe]:
    """The dialogues that a template is tried on, by name of the pattern.

    Args:
        tools: With tools, calls of the first one are tried too.
    """
    ask, go_on = _user("What is 2 + 2?"), _user("And 3 + 3?")
    system: Message = {"role": "system", "content": "You are terse."}
    plain = {
        "plain": Probe([ask], _reply("4"), [go_on]),
        "system": Probe([system, ask], _reply("4"), [go_on]),
        "empty content": Probe([ask], _reply(""), [go_on]),
        "reasoning": Probe([ask], _reply("4", reasoning="two and two"), [go_on]),
        "earlier reasoning": Probe(
            [ask, _reply("4", reasoning="two and two"), go_on], _reply("6", reasoning="three"), [_user("And?")]
        ),
        "unicode": Probe([_user("Grüße 你好 👋🏽 e\u0301")], _reply("שלום"), [_user("\u200bдальше\u2028")]),
        "whitespace": Probe([_user("  Two lines:\n\n")], _reply("4 \n"), [_user("\n next  \n")]),
    }
    if not tools:
        return plain
    result, failed = _result("call_0", tools[0], "4"), _result("call_0", tools[0], "Error: no such page\n")
    call = _reply("", calls=1, tool=tools[0])
    thinking = _reply("", reasoning="I look it up", calls=1, tool=tools[0])
    with_tools = {
        "tool call": Probe([ask], call, [result]),
        "tool call with content": Probe([ask], _reply("I look.", calls=1, tool=tools[0]), [result]),
        "tool call with reasoning": Probe([ask], thinking, [result]),
        "tool error": Probe([ask], call, [failed]),
        "parallel tool calls": Probe(
            [ask], _reply("", calls=2, tool=tools[0]), [result, _result("call_1", tools[0], "5")]
        ),
        "second tool call": Probe([ask, call, result], call, [result]),
        "second tool call with reasoning": Probe([ask, thinking, result], thinking, [result]),
        "answer after tools": Probe([ask, call, result], _reply("4"), [go_on]),
        "answer after tools with reasoning": Probe([ask, thinking, result], _reply("4", reasoning="so"), [go_on]),
    }
    return {**plain, **{name: probe._replace(tools=tools) for name, probe in with_tools.items()}}


def _extends(renderer: ChatRenderer, probe: Probe) -> bool:
    """Whether the prompt after the reply is the prompt before it, the reply, and the extension."""
    before = renderer.render(probe.before, probe.tools)
    after = renderer.render([*probe.before, probe.reply, *probe.after], probe.tools)
    extension = renderer.extension(probe.before, probe.reply, probe.after, probe.tools, end=None)
    if extension is None:
        return False
    return after[: len(before)] == before and after[len(after) - len(extension) :] == extension


def _user(content: str) -> Message:
    return {"role": "user", "content": content}


def _reply(content: str, *, reasoning: str | None = None, calls: int = 0, tool: ToolSchema | None = None) -> Message:
    message: Message = {"role": "assistant", "content": content}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if calls and tool is not None:
        arguments = {name: _example(schema) for name, schema in parameters_of(tool).items()}
        function = {"name": tool_name(tool), "arguments": arguments}
        message["tool_calls"] = [
            {"id": f"call_{index}", "type": "function", "function": function} for index in range(calls)
        ]
    return message


def _example(schema: dict[str, Any]) -> Any:
    kinds = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}, "null": None}
    kind = schema.get("type")
    return kinds.get(kind, "text") if isinstance(kind, str) else "text"


def _result(call_id: str, tool: ToolSchema, content: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "name": tool_name(tool), "content": content}
