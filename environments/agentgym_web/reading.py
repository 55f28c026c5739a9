"""Observations read back: the lines of the tree as nodes, and the searches that scripted players need.

The format is that of `browser/sight.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agentgym.message import Message, content_text

_LINE = re.compile(r'( *)(?:\[([a-z]*\d+)\] )?(?:([a-z][a-zA-Z]*)(?= |$))?(?: ?"((?:[^"\\]|\\.)*)")?(.*)')
_PROPERTY = re.compile(r'([a-zA-Z]+)(?:=("(?:[^"\\]|\\.)*"|\S+))?')


@dataclass(frozen=True, slots=True)
class Node:
    """A line of the tree.

    Attributes:
        index: Its number among the lines.
        depth: How deep it is indented.
        id: What actions take; "" if nothing can be done to it.
        role: Its role; "text" for a text of the page.
        name: Its name, or the text.
        properties: Its properties by name; those without a value have "".
    """

    index: int
    depth: int
    id: str
    role: str
    name: str
    properties: dict[str, str]

    @property
    def value(self) -> str:
        """The value of a field."""
        return self.properties.get("value", "")

    @property
    def at(self) -> tuple[int, int]:
        """The centre in the window, in pixels; (0, 0) if the line does not say."""
        x, _, y = self.properties.get("at", "0,0").partition(",")
        return int(x), int(y)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, in pixels; (0, 0) if the line does not say."""
        width, _, height = self.properties.get("size", "0x0").partition("x")
        return int(width), int(height)


class Reading:
    """An observation, read.

    Args:
        text: The text, with or without what stands around the tree.
    """

    def __init__(self, text: str) -> None:
        self.nodes = [replace(node, index=index) for index, node in enumerate(_nodes(text))]

    def all(self, role: str | None = None, name: str | None = None, *, part: str | None = None) -> list[Node]:
        """The nodes that fit, in order.

        Args:
            role: Their role; None for any.
            name: Their name; None for any.
            part: A part of their name, in any case.
        """
        return [
            node
            for node in self.nodes
            if (role is None or node.role == role)
            and (name is None or node.name == name)
            and (part is None or part.lower() in node.name.lower())
        ]

    def find(
        self,
        role: str | None = None,
        name: str | None = None,
        *,
        nth: int = 0,
        within: str | None = None,
        part: str | None = None,
    ) -> Node | None:
        """One node that fits and has an id; None if there is none.

        Args:
            role: Its role; None for any.
            name: Its name; None for any.
            nth: Which of them.
            within: A text in its row, list item, article, section or other group: the smallest one that has a fitting
                node is taken.
            part: A part of its name, in any case.
        """
        found = [node for node in self.all(role, name, part=part) if node.id]
        if within is not None:
            found = self._nearest(found, within)
        return found[nth] if -len(found) <= nth < len(found) else None

    def inside(self, node: Node) -> list[Node]:
        """The nodes below one."""
        found = []
        for other in self.nodes[node.index + 1 :]:
            if other.depth <= node.depth:
                break
            found.append(other)
        return found

    def parent(self, node: Node) -> Node | None:
        """The node that it is in."""
        for other in reversed(self.nodes[: node.index]):
            if other.depth < node.depth:
                return other
        return None

    def after(self, node: Node) -> list[Node]:
        """The nodes that follow."""
        return self.nodes[node.index + 1 :]

    def _nearest(self, found: Sequence[Node], text: str) -> list[Node]:
        wanted = " ".join(text.split()).lower()
        best: list[tuple[int, Node]] = []
        for node in found:
            group: Node | None = node
            size = 0
            while group is not None:
                members = [group, *self.inside(group)]
                size = len(members)
                if wanted in " ".join(" ".join(member.name for member in members).split()).lower():
                    best.append((size, node))
                    break
                group = self.parent(group)
        if not best:
            return []
        smallest = min(size for size, _ in best)
        return [node for size, node in best if size == smallest]


def read_last(messages: Sequence[Message]) -> Reading:
    """The last message that an agent received, read."""
    return Reading(content_text(messages[-1]))


def _nodes(text: str) -> Iterator[Node]:
    for line in text.split("\n"):
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        indent, number, role, name, rest = found.groups()
        if role is None and name is None:
            continue
        if number is None and role is not None and name is None and rest.strip() != "" and "=" not in rest:
            continue  # a sentence around the tree
        properties = {key: _plain(value) for key, value in _PROPERTY.findall(rest)}
        yield Node(0, len(indent), number or "", role or "text", _unquoted(name or ""), properties)


def _plain(value: str) -> str:
    return _unquoted(value[1:-1]) if value.startswith('"') else value


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
