"""A person at the terminal as a policy.

Nothing is scored here: `agentgym play` runs the episode and shows its rewards.
"""

from __future__ import annotations

import json
import re
import select
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from agentgym.arguments import parameters_of, tool_name
from agentgym.errors import CancelledEpisode
from agentgym.message import Message, ToolSchema, content_text
from agentgym.policy import Reply, Request
from agentgym.reward import BLAME, FORMAT, RewardEvent

MARKER = '"""'
"""Opens and closes a message of several lines."""

_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor, screen
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, clipboard
    r"|\x1b[ -/]*[0-~]"
)
_STYLES = {"system": "dim", "user": "cyan", "tool": "magenta", "assistant": "green"}
_KEPT_CONTROLS = "\n\t"
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of what is not shown: controls, direction marks, halves of pairs, private and unassigned ones."""


_SAMPLES: dict[str, Any] = {"integer": 12, "number": 12, "string": "text", "boolean": True, "array": [], "object": {}}
"""Values by JSON type that the example of a call shows."""
_NOTHING: tuple[Any, ...] = (None, "", [], {})
"""Values of a detail that say nothing; 0 and false say something."""
_POLL_S = 0.1
_BRIEF_LINES = 12


@runtime_checkable
class Window(Protocol):
    """What a person uses instead of the terminal, such as a browser's window."""

    def next_message(self, timeout_s: float) -> str | None:
        """The message that does what the person did; None if nothing was done in time."""


def printable(text: str) -> str:
    """Text that can do nothing to a terminal: no escape sequences, control or direction-changing characters.

    Args:
        text: The text of an environment, a tool or a model.

    Returns:
        The text with line ends as newlines; other invisible characters are left out.
    """
    text = _ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(c for c in text if c in _KEPT_CONTROLS or unicodedata.category(c) not in _UNSAFE)


class HumanPolicy:
    """Shows a person what an agent reads, and reads the person's messages.

    Args:
        console: Where things are shown; None is the terminal's standard error, so that results keep standard output.
        read_line: Reads one line, given a prompt; raises EOFError at the end of the input.
        window: A window in which the person can act, too; lines of the terminal are read beside it.
    """

    name = "human"
    uses_tokens = False
    concurrency = 1
    seen_hashes: frozenset[str] = frozenset()

    def __init__(
        self,
        console: Console | None = None,
        read_line: Callable[[str], str] = input,
        window: Window | None = None,
    ) -> None:
        self._console = console or Console(stderr=True)
        self._read_line = read_line
        self._window = window
        self._num_shown: dict[str, int] = {}

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """Show each conversation's new messages and read the reply.

        Raises:
            CancelledEpisode: The input ended.
        """
        return [Reply(self._reply(request)) for request in requests]

    def forget(self, episode: str) -> None:
        """Drop what is known of an episode that ended."""
        self._num_shown.pop(episode, None)

    def show(self, messages: Iterable[Message]) -> None:
        """Show messages, each in a frame that names its author."""
        for message in messages:
            role = printable(str(message.get("role", "user")))
            title = " ".join(filter(None, (role, printable(str(message.get("name") or "")))))
            body = [printable(content_text(message))]
            for call in message.get("tool_calls") or ():
                function = call.get("function", call)
                body.append(printable(f"{function.get('name')}({function.get('arguments')})"))
            style = _STYLES.get(role, "cyan")
            text = "\n".join(filter(None, body))
            if self._window is not None:
                text = _brief(text)
            self._console.print(Panel(Text(text), title=Text(title), border_style=style))

    def show_tools(self, tools: Sequence[ToolSchema]) -> None:
        """Show which tools may be called, and how."""
        if not tools:
            return
        lines = Text()
        for tool in tools:
            lines.append(printable(_signature(tool)), "bold").append(
                f"  {printable(str(tool.get('function', tool).get('description') or ''))}\n"
            )
        call, as_json = _example(tools)
        lines.append(f"Call one as {call}, or as JSON: {as_json}", "dim")
        self._console.print(Panel(lines, title=Text("tools"), border_style="magenta"))

    def show_events(self, events: Iterable[RewardEvent], weights: Mapping[str, float] | None = None) -> None:
        """Show the reward events of a step; turns are counted from 1, and what a message refuses it says itself.

        Args:
            events: The events.
            weights: The weight of each component. Without one it is 1. Events of weight 0 are marked.
        """
        for event in events:
            detail = {key: value for key, value in (event.detail or {}).items() if value not in _NOTHING}
            if event.component == FORMAT:
                detail.pop("why", None)
            if event.component == BLAME:
                detail.pop("is_unfinished", None)  # for counts of blame, which also see how the episode ended
                if isinstance(detail.get("turn"), int):
                    detail["turn"] += 1
            said = printable(_detail_text(detail))
            style = "green" if event.value > 0 else "red" if event.value < 0 else "dim"
            unweighed = ", weight 0" if (weights or {}).get(event.component) == 0 else ""
            where = f"(turn {event.turn + 1}, {event.source}{unweighed})"
            self._console.print(Text(f"reward {event.value:+g}  {printable(event.component)}  {where}{said}", style))

    def ask(self) -> str:
        """Read one message: a line that is not empty, or several between lines of three double quotes.

        Raises:
            CancelledEpisode: The input ended.
        """
        try:
            if self._window is not None:
                return self._ask_both(self._window)
            while not (line := self._read_line("> ")).strip():
                pass
            if line.strip() != MARKER:
                return line
            lines: list[str] = []
            while (line := self._read_line("… ")).strip() != MARKER:
                lines.append(line)
            return "\n".join(lines)
        except EOFError:
            raise CancelledEpisode("the input ended before a message was read") from None

    def _ask_both(self, window: Window) -> str:
        """What comes first: an action in the window, or a line of the terminal."""
        while True:
            said = window.next_message(_POLL_S)
            if said is not None:
                self._console.print(Text(f"> {printable(said)}", "bold green"))
                return said
            if line_waits() and (line := self._read_line("")).strip():
                return line

    def _reply(self, request: Request) -> str:
        shown = self._num_shown.get(request.episode, 0)
        if not shown:
            self.show_tools(request.tools)
            hint = f"Write a line; for several, open and close with {MARKER}. Ctrl-D ends the episode."
            if self._window is not None:
                hint = "Act in the window, or write an action here, one a line. Ctrl-D ends the episode."
            self._console.print(Text(hint, "dim"))
        self.show(m for m in request.messages[shown:] if m.get("role") != "assistant")
        self._num_shown[request.episode] = len(request.messages)
        return self.ask()


def _detail_text(detail: Mapping[str, Any]) -> str:
    """What an event says beside its value: behind it, or below it where there are parts or texts of several lines."""
    if not any(isinstance(value, Mapping | list) or "\n" in str(value) for value in detail.values()):
        return "".join(f"  {key}: {value}" for key, value in detail.items())
    return "".join(f"\n  {line}" for key, value in detail.items() for line in _lines_of(key, value))


def _lines_of(name: str, value: Any) -> list[str]:
    """A value below its name, a line each part; nothing for one that is empty."""
    if value in _NOTHING:
        return []
    if isinstance(value, Mapping):
        return [f"{name}:", *(f"  {line}" for key, part in value.items() for line in _lines_of(str(key), part))]
    if isinstance(value, list):
        return [f"{name}:", *(f"  {part}" for part in value)]
    lines = _brief(str(value).rstrip("\n")).split("\n")
    return [f"{name}: {lines[0]}"] if len(lines) == 1 else [f"{name}:", *(f"  {line}" for line in lines)]


def _example(tools: Sequence[ToolSchema]) -> tuple[str, str]:
    """A call of the first tool that needs one argument, else of the first tool: in Python's syntax, and as JSON."""
    needed = [_needed_of(tool) for tool in tools]
    chosen = next((number for number, names in enumerate(needed) if len(names) == 1), 0)
    schemas = parameters_of(tools[chosen])
    arguments = {name: _sample(schemas.get(name, {})) for name in needed[chosen]}
    values = (str(value) if isinstance(value, bool) else json.dumps(value) for value in arguments.values())
    name = tool_name(tools[chosen])
    shown = [f"{name}({', '.join(values)})", json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)]
    return printable(shown[0]), printable(shown[1])


def _signature(tool: ToolSchema) -> str:
    """How a tool is called; parameters in brackets may be left out."""
    needed = _needed_of(tool)
    names = [name if name in needed else f"[{name}]" for name in parameters_of(tool)]
    return f"{tool_name(tool)}({', '.join(names)})"


def _needed_of(tool: ToolSchema) -> list[str]:
    """The parameters that a call must give."""
    return list((tool.get("function", tool).get("parameters") or {}).get("required") or [])


def _sample(schema: Any) -> Any:
    """A value that a parameter takes; a number in quotes where it is an id, which may be written both ways."""
    found = schema if isinstance(schema, dict) else {}
    if found.get("enum"):
        return found["enum"][0]
    kinds = found.get("type", "string")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return "12" if {"string", "integer"} <= set(kinds) else _SAMPLES.get(kinds[0], "text")


def _brief(text: str) -> str:
    """The first lines of a text, for somebody who sees the page itself."""
    lines = text.split("\n")
    left_out = len(lines) - _BRIEF_LINES
    return text if left_out <= 0 else "\n".join([*lines[:_BRIEF_LINES], f"… {left_out} more lines"])


def line_waits() -> bool:
    """Whether the terminal has a line, or its end, to read; an input that is no file always has."""
    try:
        return bool(select.select([sys.stdin], [], [], 0)[0])
    except (OSError, ValueError):
        return True
