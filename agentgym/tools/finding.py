"""Many tools at once: an agent sees `find_tools` alone, and may call what it has found with it.

Tools are ranked by BM25 over the words of their names, descriptions and parameters; what they do is their owner's.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Self

from agentgym.action import Action
from agentgym.arguments import parameters_of, tool_name
from agentgym.errors import ActionSyntaxError
from agentgym.message import ToolSchema
from agentgym.tools.dispatch import parse_calls
from agentgym.tools.tool import tool

MAX_QUERY = 500
"""Most characters of a query."""
NOTHING = "No tool fits. Say in other words what the tool should do."
EMPTY = "find_tools.query is empty. Say in a few words what the tool should do."
TOO_LONG = "find_tools.query has {got} characters; at most {most} are read. Say in a few words what the tool should do."
_SATURATION, _LENGTH = 1.5, 0.75
# Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with their usual constants.
_NAME_WEIGHT = 3
"""How often a word of a tool's name counts."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_CALLED = re.compile(r'"name"\s*:\s*"([A-Za-z_]\w{0,80})"|\b([A-Za-z_]\w{0,80})\s*\(')


@tool
def find_tools(query: str) -> str:
    """Find tools by what they do; only tools that were found can be called.

    Args:
        query: What the tool should do, in a few words.
    """
    raise NotImplementedError("calls of find_tools are answered by ToolFinder.search")


FIND_TOOLS = "find_tools"


class ToolIndex:
    """Tools that can be searched; nothing changes it.

    Args:
        tools: The tools; no two of one name.
    """

    def __init__(self, tools: Sequence[ToolSchema]) -> None:
        self.tools = {tool_name(each): each for each in tools}
        documents = {name: Counter(_words_of(each)) for name, each in self.tools.items()}
        mean = sum(words.total() for words in documents.values()) / max(len(documents), 1)
        holding = Counter(word for words in documents.values() for word in words)
        self._weights: dict[str, list[tuple[str, float]]] = {}
        for name, words in documents.items():
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * words.total() / mean)
            for word, count in words.items():
                rarity = math.log(1 + (len(documents) - holding[word] + 0.5) / (holding[word] + 0.5))
                weight = rarity * count * (_SATURATION + 1) / (count + norm)
                self._weights.setdefault(word, []).append((name, weight))

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def ranked(self, query: str, most: int) -> list[str]:
        """Names of the tools that fit best, the best first; equal ones by name.

        Args:
            query: What they should do.
            most: How many at most.
        """
        scores: Counter[str] = Counter()
        for word in sorted(set(_words(query))):
            for name, weight in self._weights.get(word, ()):
                scores[name] += weight  # type: ignore[assignment]  # a Counter of floats
        return sorted(scores, key=lambda name: (-scores[name], name))[:most]


class ToolFinder:
    """What one agent has found among many tools.

    Args:
        index: All that can be found.
        always: Tools that it sees from the start, beside `find_tools`.
        most: Tools that one search shows.

    Attributes:
        shown: Schemas that it sees from the start.
    """

    def __init__(self, index: ToolIndex, always: Sequence[ToolSchema] = (), most: int = 5) -> None:
        self._index, self._most = index, most
        self.shown: list[ToolSchema] = [find_tools, *always]
        self._found: dict[str, ToolSchema] = {}

    @property
    def found(self) -> Sequence[str]:
        """Names of the tools that it has found, in this order."""
        return list(self._found)

    @property
    def callable_tools(self) -> list[ToolSchema]:
        """Tools that it may call now."""
        return [*self.shown, *self._found.values()]

    def search(self, query: str) -> str:
        """Search, and show the tools found, each as a line of JSON; what is no query is explained."""
        if not query.strip():
            return EMPTY
        if len(query) > MAX_QUERY:
            return TOO_LONG.format(got=len(query), most=MAX_QUERY)
        names = self._index.ranked(query, self._most)
        self._found |= {name: self._index.tools[name] for name in names}
        shown = [self._index.tools[name].get("function", self._index.tools[name]) for name in names]
        return "\n".join(json.dumps(each, ensure_ascii=False) for each in shown) or NOTHING

    def unfound(self, name: str) -> str:
        """What is said of a tool that can be found and was not yet; "" of all others."""
        if name not in self._index.tools or name in self._found:
            return ""
        return (
            f"{name} has not been found yet. Call {FIND_TOOLS}(query=...) with what it should do, and read its "
            "parameters in the result."
        )

    def parse(self, text: str, parse: Callable[[str, Sequence[ToolSchema]], Action] = parse_calls) -> Action:
        """The calls of a message, which name what may be called now.

        Args:
            text: The message.
            parse: Reads it, given the tools.

        Raises:
            ActionSyntaxError: There is none, or one is wrong; says which tool has to be found first.
        """
        try:
            return parse(text, self.callable_tools)
        except ActionSyntaxError:
            for found in _CALLED.finditer(text):
                if refused := self.unfound(found[1] or found[2]):
                    raise ActionSyntaxError(refused) from None
            raise

    def __str__(self) -> str:
        return f"found {', '.join(sorted(self._found)) or 'nothing'}"

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """A copy that goes on from here; the tools are shared."""
        twin = type(self)(self._index, self.shown[1:], self._most)
        twin._found = dict(self._found)
        return twin


def _words_of(schema: ToolSchema) -> list[str]:
    function = schema.get("function", schema)
    parts = [function.get("description") or ""]
    for name, each in parameters_of(schema).items():
        parts += [name, str(each.get("description", "")) if isinstance(each, dict) else ""]
    return _words(tool_name(schema)) * _NAME_WEIGHT + _words(" ".join(parts))


def _words(text: str) -> list[str]:
    """Words of a text or a name, without the endings of plurals and verbs."""
    return [_stem(word.lower()) for word in _WORD.findall(text)]


def _stem(word: str) -> str:
    for ending, least in (("ing", 6), ("ies", 5), ("ed", 5), ("es", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= least:
            word = word[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    is_doubled = len(word) > 3 and word[-1] == word[-2]  # cancelling, cancelled
    return word[:-1] if is_doubled or (len(word) > 4 and word.endswith("e")) else word
