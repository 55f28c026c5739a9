"""What customers of the desks want, as the facts of a goal state it: by kind, what must be true of the rows afterwards.

A statement yields nothing where the rules forbid what is wanted. It reads the rules from the policy's values, by the
words in which the agent reads them; of goals, planners and objections of the desk it knows nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from sqlite3 import Row
from typing import Any

from agentgym_tools.desks.setting.days import EPOCH
from agentgym_tools.worlds import Base, World
from benchmarks.verdicts.requests.effects import Effect, Look, Rules

RULES = Rules(owner="customer_id", defaults={}, parts={}, follows={})
DAY = 24 * 60
Alternatives = Iterator[Sequence[Effect]]


class Wished(Look):
    """The world when a goal is begun, with its facts and the rules.

    Args:
        world: The world.
        base: Its base.
        me: The key of the customer.
        facts: The facts of the goal.
        policy: The rules.
    """

    def __init__(self, world: World, base: Base, me: str, facts: Mapping[str, Any], policy: Any) -> None:
        super().__init__(world, base, me, facts, RULES)
        self.policy = policy

    def one(self, sql: str, **more: Any) -> Row:
        """The row of a query that has just one."""
        (row,) = self.rows(sql, **more)
        return row

    def has(self, sql: str, **more: Any) -> bool:
        """Whether a query has rows."""
        return bool(self.rows(sql, **more))

    def set(self, table: str, row: Row, **values: Any) -> Effect:
        """A row ends with these values."""
        return self.put(table, [row], **values)

    def added(self, table: str, row: Row, **amounts: int) -> Effect:
        """To columns of a row something is added."""
        return self.put(table, [row], **{name: row[name] + amount for name, amount in amounts.items()})

    def renamed(self, table: str, rows: Sequence[Row], **values: Any) -> list[Effect]:
        """Rows whose keys change: they go, and come with these values."""
        return [self.gone(table, rows), *(self.new(table, **{**dict(row), **values}) for row in rows)]


Statement = Callable[[Wished], Alternatives]
STATEMENTS: dict[str, dict[str, Statement]] = defaultdict(dict)
"""By desk and kind of goal, what is wanted."""


def wants(desk: str, *kinds: str) -> Callable[[Statement], Statement]:
    """Decorator: the statement of some kinds of goals of a desk."""

    def add(statement: Statement) -> Statement:
        STATEMENTS[desk].update(dict.fromkeys(kinds, statement))
        return statement

    return add


def alternatives_of(desk: str, kind: str, wished: Wished) -> list[Sequence[Effect]]:
    """What a goal wants and the rules allow: alternatives, each a list of effects."""
    with wished.world.call(may_write=False):
        return list(STATEMENTS[desk][kind](wished))


def number_of_day(text: str) -> int:
    """A date, such as 2031-09-28, as a day of the desks."""
    return (type(EPOCH).fromisoformat(text) - EPOCH).days
