"""A kind of request: how it is drawn from a world, how it is said, and what it comes to."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Row
from typing import Any, TypeAlias, TypeVar

from agentgym_tools.workbench.cases import Case, View, do
from agentgym_tools.worlds.calls import Call

Facts: TypeAlias = Mapping[str, Any]
"""What a request names, by name; those that are arguments of a tool are called like them."""
ANSWER = "answer"
"""What `Template.after` is called where a request refers to the answer before."""
FRAMES = (
    "{}",
    "{} Thank you.",
    "Please do this for me. {}",
    "One more thing. {}",
    "{} That is all for now.",
    "I need your help. {}",
)
"""What may stand around a request."""
T = TypeVar("T")


class UndrawableError(Exception):
    """The world has nothing that such a request could be about."""


@dataclass(frozen=True)
class Pick:
    """Draws what a request is about.

    Attributes:
        rng: The randomness.
        view: The world as it is when the request is made.
    """

    rng: random.Random
    view: View

    @property
    def me(self) -> str:
        """Whose things the request is about."""
        return self.view.me

    def row(self, sql: str, *values: Any) -> Row:
        """One of the rows of a query.

        Raises:
            UndrawableError: There is none.
        """
        return self.one(self.view.rows(sql, *values))

    def value(self, sql: str, *values: Any) -> Any:
        """The first value of one of the rows of a query."""
        return self.row(sql, *values)[0]

    def one(self, values: Sequence[T]) -> T:
        """One of some values.

        Raises:
            UndrawableError: There is none.
        """
        if not values:
            raise UndrawableError
        return self.rng.choice(values)

    def number(self, low: int, high: int, step: int = 1) -> int:
        """A number from low to high, both included, in steps."""
        return self.rng.randrange(low, high + 1, step)


@dataclass(frozen=True)
class Template:
    """A kind of request.

    Attributes:
        name: Its name in task files.
        tool_set: The set of tools that it is about.
        texts: Ways to say it, with facts in braces.
        draw: Draws the facts.
        solve: What it comes to.
        idle: Draws facts for which nothing is to be done; None if there are none.
        missing: The fact that may be left out, called like the parameter that it is the value of.
        vague: Ways to say it without that fact.
        key_tool: The tool without which it cannot be done; "" if there is another way.
        more_sets: Further sets of tools that it needs.
        after: A table to which an earlier request must have added a row, or `ANSWER` for a whole number as the answer
            before; "" for none.
        is_long: Whether it takes a long list where people have hundreds of things.
    """

    name: str
    tool_set: str
    texts: Sequence[str]
    draw: Callable[[Pick], Facts]
    solve: Callable[[View, Facts], Case]
    idle: Callable[[Pick], Facts] | None = None
    missing: str = ""
    vague: Sequence[str] = ()
    key_tool: str = ""
    more_sets: Sequence[str] = ()
    after: str = ""
    is_long: bool = False

    def text(self, facts: Facts, wording: int, *, is_vague: bool = False) -> str:
        """The request in words.

        Args:
            facts: Its facts.
            wording: Number of the way to say it.
            is_vague: Whether the fact that may be left out is.
        """
        texts = self.vague if is_vague else self.texts
        said = texts[wording % len(texts)].format(**facts)
        return FRAMES[wording // len(texts) % len(FRAMES)].format(said)


def direct(
    name: str, tool_set: str, tool: str, texts: Sequence[str], draw: Callable[[Pick], Facts], **more: Any
) -> Template:
    """A request that names all arguments of one call that writes."""

    def solve(view: View, facts: Facts) -> Case:
        return do(Call(tool, facts))

    return Template(name, tool_set, texts, draw, solve, **{"key_tool": tool, **more})


def nothing(pick: Pick) -> Facts:
    """The facts of a request that names none."""
    return {}
