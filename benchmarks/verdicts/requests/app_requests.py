"""What the apps' requests have in common: what their words name, usual rows, and where statements are listed."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from sqlite3 import Row
from typing import Any

from agentgym_tools.apps.calendar_days import read_day, read_time
from agentgym_tools.worlds import World
from agentgym_tools.worlds.base import Base
from benchmarks.verdicts.requests.effects import ME, Effect, Look, Named, New, Rules

RULES = Rules(
    owner="owner",
    defaults={
        "events": {"owner": ME, "place": "", "note": "", "reminder": None},
        "guests": {"response": "pending"},
        "notes": {"owner": ME, "notebook": "home", "is_pinned": 0, "is_archived": 0},
        "chats": {"is_group": 0, "title": ""},
        "chat_members": {"is_muted": 0},
        "messages": {"sender": ME, "is_pinned": 0},
        "reactions": {"person_id": ME},
        "library": {"owner": ME, "is_liked": 0, "plays": 0, "rating": None},
        "playlists": {"owner": ME, "is_public": 0},
        "transfers": {"sender": ME, "note": "", "is_private": 0},
        "requests": {"requester": ME, "state": "pending", "reminders": 0, "note": ""},
        "cart": {"owner": ME, "quantity": 1},
        "orders": {"owner": ME, "state": "processing", "delivered": None},
        "reviews": {"author": ME},
        "folders": {"owner": ME},
        "files": {"owner": ME, "is_locked": 0},
        "shares": {"can_edit": 0},
        "contact_groups": {"owner": ME},
        "todo_lists": {"owner": ME},
        "todos": {"owner": ME, "due": None, "priority": "normal", "is_done": 0, "note": ""},
    },
    parts={
        "events": ("guests", "event_id"),
        "contacts": ("group_members", "contact_id"),
        "todos": ("steps", "todo_id"),
        "messages": ("reactions", "message_id"),
    },
    follows={"transfers": ("wallets",), "orders": ("products",)},
)
NO_PERSON = ("friend", "colleague", "service")
"""Relations that several contacts of a person have."""


class Asked(Look):
    """The person's part of the apps at the start, with what a request names."""

    @property
    def mine(self) -> Row:
        """The person."""
        return self.rows("SELECT * FROM people WHERE id = :me")[0]

    def person(self, column: str, value: str) -> Row:
        """A person by an address, a number or a name."""
        return self.rows(f"SELECT * FROM people WHERE {column} = :value", value=value)[0]

    def day(self, text: str) -> int:
        """A day by its date."""
        return read_day(text)

    def contacts(self, where: str, **more: Any) -> list[Row]:
        """Contacts of the person."""
        return self.own("contacts", where, **more)

    def members(self, title: str) -> list[Row]:
        """The contacts of a group of the person."""
        where = (
            "id IN (SELECT contact_id FROM group_members JOIN contact_groups ON contact_groups.id = group_id WHERE "
            "contact_groups.owner = :me AND title = :group_title)"
        )
        return self.contacts(where, group_title=title)

    def mail(self, to: Sequence[str], subject: str, body: str, **more: Any) -> list[Effect]:
        """A mail that is sent: it is kept, and reaches everybody that it is sent to."""
        people = sorted({self.person("email", each)["id"] for each in to})
        recipients = json.dumps(sorted(set(to)))
        same = {"sender": self.mine["email"], "recipients": recipients, "subject": subject, "body": body}
        usual = {"thread": "T0", "is_starred": 0, "label": None, "attachment": None, "attached": None, **same, **more}
        kept = self.new("mails", **{"owner": self.me, "folder": "sent", "is_read": 1, **usual})
        copies = [{**usual, "owner": each, "folder": "inbox", "is_read": 0} for each in people]
        return [kept, *(self.new("mails", **copy) for copy in copies)]

    def mails(self, where: str, **more: Any) -> list[Row]:
        """Mails that the person got and has not thrown away."""
        return self.own("mails", f"folder IN ('inbox', 'archive') AND ({where})", **more)

    def written(self, person: int, text: str) -> Iterator[list[Effect]]:
        """A message to one person: in a chat with this person alone, or in a new one."""
        both = (
            "SELECT * FROM chats WHERE NOT is_group AND id IN (SELECT chat_id FROM chat_members WHERE person_id = :me) "
            "AND id IN (SELECT chat_id FROM chat_members WHERE person_id = :other)"
        )
        chats = self.rows(both, other=person)
        for chat in chats:
            yield [self.new("messages", chat_id=chat["id"], text=text)]
        if not chats:
            chat_id = Named("chat")
            members = [self.new("chat_members", chat_id=chat_id, person_id=each) for each in (self.me, person)]
            yield [self.new("chats", "chat"), *members, self.new("messages", chat_id=chat_id, text=text)]

    def told(self, name: str, like: str) -> list[Row]:
        """Messages by a person of this name, in chats of the person, that say something."""
        return self.rows(
            "SELECT messages.*, people.email FROM messages JOIN people ON people.id = sender WHERE people.name = "
            ":told_name AND text LIKE :told_like AND chat_id IN "
            "(SELECT chat_id FROM chat_members WHERE person_id = :me)",
            told_name=name,
            told_like=like,
        )

    def event(self, title: str, day: str, start: str, minutes: int, place: str = "", name: str = "") -> New:
        """A new event."""
        when = {"day": read_day(day), "start": read_time(start), "minutes": minutes}
        return self.new("events", name, title=title, **when, place=place)

    def guests(self, event: Any, emails: Sequence[str]) -> list[Effect]:
        """Invitations to an event."""
        return [self.new("guests", event_id=event, person_id=self.person("email", each)["id"]) for each in emails]

    def payment(self, email: str, cents: int, note: str) -> New:
        """Money that is sent."""
        return self.new("transfers", receiver=self.person("email", email)["id"], amount=cents, note=note)

    def ordered(self, lines: Sequence[Row], card: Row) -> list[Effect]:
        """An order of these products, each with its `quantity`, paid by a card."""
        total = sum(line["price"] * line["quantity"] for line in lines)
        number = Named("order")
        lined = [{"product_id": line["id"], "quantity": line["quantity"], "price": line["price"]} for line in lines]
        items = [self.new("order_items", order_id=number, **each) for each in lined]
        paid = self.put("cards", [card], room=card["room"] - total)
        return [self.new("orders", "order", card_id=card["id"], total=total), *items, paid]

    def given_back(self, orders: Sequence[Row], state: str) -> list[Effect]:
        """Orders that end in a state in which their cards have their money back."""
        cards = [card for card in self.own("cards") if card["id"] in {order["card_id"] for order in orders}]
        back = {card["id"]: sum(each["total"] for each in orders if each["card_id"] == card["id"]) for card in cards}
        refunds = [self.put("cards", [card], room=card["room"] + back[card["id"]]) for card in cards]
        return [self.put("orders", orders, state=state), *refunds]


Says = Callable[[Asked], Iterator[Sequence[Effect]]]
STATEMENTS: dict[str, tuple[str, Says]] = {}
"""By template its text, with what is drawn in braces, and what it wants."""


def wants(text: str) -> Callable[[Says], Says]:
    """Decorator: what the template of this name wants, whose text is this; quotes around a value are no part of it."""

    def add(says: Says) -> Says:
        STATEMENTS[says.__name__] = (text, says)
        return says

    return add


def words_of(text: str, said: str) -> Mapping[str, str]:
    """What a request names.

    Raises:
        ValueError: It is worded otherwise.
    """
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(text))
    found = re.fullmatch(pattern, said)
    if found is None:
        raise ValueError(f"expected the words {text!r}, got {said!r}")
    return {name: ast.literal_eval(value) if value[0] in "'\"" else value for name, value in found.groupdict().items()}


def alternatives_of(world: World, base: Base, me: int, template: str, said: str) -> list[Sequence[Effect]]:
    """All that a request in words wants of the world as it stands."""
    text, says = STATEMENTS[template]
    with world.call(may_write=False):
        return [list(each) for each in says(Asked(world, base, me, words_of(text, said), RULES))]
