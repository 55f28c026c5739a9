"""The workbench's requests as their facts state them: what each kind wants of the world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from sqlite3 import Row
from typing import Any

from agentgym_tools.workbench.base import bench
from agentgym_tools.workbench.cases import Settled
from agentgym_tools.workbench.plan import Request
from agentgym_tools.worlds import World
from benchmarks.verdicts.requests.effects import ME, Effect, Look, New, Put, Rules

RULES = Rules(
    owner="owner",
    defaults={
        "nodes": {"owner": ME},
        "messages": {"owner": ME, "is_mine": 1, "is_read": 1, "starred": 0},
        "contacts": {"owner": ME, "muted": 0},
        "posts": {"author": ME, "pinned": 0, "original": 0},
        "comments": {"author": ME},
        "likes": {"person": ME},
        "follows": {"person": ME},
        "tickets": {"owner": ME, "state": "open", "assignee": ""},
        "orders": {"owner": ME},
        "watches": {"owner": ME},
        "alerts": {"owner": ME},
        "bookings": {"owner": ME, "bags": 0, "insured": 0, "state": "booked"},
    },
    parts={},
    follows={"bookings": ("flights",)},
)
BAG, INSURANCE = 2500, 1900
Alternatives = Iterator[Sequence[Effect]]


class Wished(Look):
    """The world when a request is made, with its facts, and what the requests before came to.

    Args:
        past: The requests before.
    """

    def __init__(self, world: World, me: str, facts: Mapping[str, Any], past: Sequence[Settled]) -> None:
        super().__init__(world, bench().base, me, facts, RULES)
        self.past = past

    def just_made(self, table: str) -> Any:
        """The key of the row that the last request added to a table."""
        made = [each.key[-1] for each in self.past[-1].changes if each.table == table and each.before is None]
        return made[-1]

    @property
    def number(self) -> str:
        """The number that was answered before, as text."""
        return str(self.past[-1].answer)

    def file(self, path: str) -> list[Row]:
        """The file at a path."""
        return self.own("nodes", "path = :at AND kind = 'file'", at=path)

    def has_folder(self, path: str) -> bool:
        """Whether there is such a folder."""
        return path == "/" or bool(self.own("nodes", "path = :at AND kind = 'folder'", at=path))

    def written(self, path: str, text: str) -> New:
        """A new file."""
        return self.new("nodes", path=path, kind="file", text=text)

    def moved(self, path: str, new: str) -> list[Effect]:
        """A file that is at another path."""
        return [
            effect for row in self.file(path) for effect in (self.gone("nodes", [row]), self.written(new, row["text"]))
        ]

    def says(self, path: str, change: Callable[[str], str]) -> list[Effect]:
        """A file whose text is changed."""
        return [self.put("nodes", [row], text=change(row["text"])) for row in self.file(path)]

    def contact(self, nickname: str) -> list[Row]:
        """The contact of a nickname."""
        return self.own("contacts", "nickname = :called", called=nickname)

    def conversation(self, nickname: str, where: str = "1") -> list[Row]:
        """The messages to and from a contact."""
        return self.own(
            "messages",
            f"other IN (SELECT person FROM contacts WHERE owner = :me AND nickname = :called) AND ({where})",
            called=nickname,
        )

    def account(self, change: int) -> Put:
        """The trading account with more, or less, on it."""
        row = self.own("accounts")
        return self.put("accounts", row, balance=row[0]["balance"] + change)

    def traded(self, side: str, symbol: str, shares: int) -> list[Effect]:
        """Shares that are bought or sold at the present price."""
        price = self.rows("SELECT price FROM stocks WHERE symbol = :what", what=symbol)[0]["price"]
        sign = 1 if side == "buy" else -1
        held = self.own("positions", "symbol = :what", what=symbol)
        now = (held[0]["shares"] if held else 0) + sign * shares
        if not held:
            position: Effect = self.new("positions", owner=self.me, symbol=symbol, shares=now)
        else:
            position = self.put("positions", held, shares=now) if now else self.gone("positions", held)
        order = {"side": side, "symbol": symbol, "shares": shares, "limit_cents": price, "state": "filled"}
        return [self.account(-sign * price * shares), position, self.new("orders", **order)]

    def booked(self, flight: Row, card: Row) -> list[Effect]:
        """A flight that is booked."""
        paid = self.put("cards", [card], balance=card["balance"] - flight["price"])
        return [self.new("bookings", flight=flight["id"], card=card["id"], paid=flight["price"]), paid]

    def charged(self, booking: Row, cents: int, **values: Any) -> list[Effect]:
        """A booking that changes, with what that costs on its card."""
        card = self.own("cards", "id = :number", number=booking["card"])
        return [
            self.put("bookings", [booking], paid=booking["paid"] + cents, **values),
            self.put("cards", card, balance=card[0]["balance"] - cents),
        ]

    def live(self, number: int) -> list[Row]:
        """A booking that stands."""
        return self.own("bookings", "id = :number AND state = 'booked'", number=number)

    def car(self, **values: Any) -> list[Effect]:
        """The car with other values."""
        return [self.put("cars", self.own("cars"), **values)]

    def ticket(self, number: int, where: str = "1") -> list[Row]:
        """A ticket."""
        return self.own("tickets", f"id = :number AND ({where})", number=number)

    def post(self, number: int) -> list[Row]:
        """A post of the person's own."""
        return self.rows("SELECT * FROM posts WHERE author = :me AND id = :number", number=number)

    def deleted(self, posts: Sequence[Row]) -> list[Effect]:
        """Posts that are gone, with comments and likes."""
        parts = [
            self.gone(table, self.rows(f"SELECT * FROM {table} WHERE post = :number", number=post["id"]))
            for post in posts
            for table in ("comments", "likes")
        ]
        return [self.gone("posts", posts), *parts]

    def pinned(self, posts: Sequence[Row]) -> list[Effect]:
        """A post that is pinned, and no other one."""
        effects: list[Effect] = [self.put("posts", posts, pinned=1)]
        for post in posts:
            before = "SELECT * FROM posts WHERE author = :me AND pinned AND id <> :number"
            effects.append(self.put("posts", self.rows(before, number=post["id"]), pinned=0))
        return effects

    def tagged(self) -> list[Row]:
        """The person's posts with a tag."""
        return self.rows("SELECT * FROM posts WHERE author = :me AND text LIKE '%' || :tag || '%'")


Says = Callable[[Wished], Alternatives]
STATEMENTS: dict[str, Says] = {}
"""By kind of request what it wants."""


def wants(*kinds: str) -> Callable[[Says], Says]:
    """Decorator: what requests of these kinds want."""

    def add(says: Says) -> Says:
        STATEMENTS.update(dict.fromkeys(kinds, says))
        return says

    return add


def alternatives_of(world: World, me: str, request: Request, past: Sequence[Settled]) -> list[Sequence[Effect]]:
    """All that a request wants of the world as it stands; what has no effect is no way to meet it."""
    with world.call(may_write=False):
        found = [list(each) for each in STATEMENTS[request.kind](Wished(world, me, request.facts, past))]
    return [effects for effects in found if effects]
