"""Messages: chats of two and of groups, by phone number."""

# ruff: noqa: S608 - parts of statements are written in this package

from __future__ import annotations

import sqlite3
from typing import Any, Literal

from agentgym_tools.apps.api.app import App, change, look, pattern, text, within
from agentgym_tools.apps.calendar_days import moment
from agentgym_tools.worlds.toolbox import ToolFailure

Emoji = Literal["thumbs_up", "heart", "laugh", "sad"]
MAX_MEMBERS = 20
_WITH_SENDER = "SELECT messages.*, people.name AS sender_name FROM messages JOIN people ON people.id = sender"


def _entry(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "message_id": row["id"],
        "chat_id": row["chat_id"],
        "from": row["sender_name"],
        "text": row["text"],
        "sent": moment(row["sent"]),
    }


class Messages(App):
    """The messages app."""

    about = "short messages in chats with one person or a group"

    @look
    def list_chats(self, page: int = 0, limit: int = 10) -> Any:
        """List your chats with the names of the others in them."""
        sql = (
            "SELECT chats.*, is_muted FROM chats JOIN chat_members ON chat_id = chats.id WHERE person_id = ? "
            "ORDER BY chats.id"
        )
        return self.page_of("chats", self._chat, sql, self.user, page=page, limit=limit)

    @look
    def find_chat(self, query: str) -> Any:
        """Find your chats by a part of the title or of the name of somebody in it."""
        wanted = pattern(query)
        sql = (
            "SELECT chats.*, mine.is_muted FROM chats JOIN chat_members AS mine ON mine.chat_id = chats.id WHERE "
            "mine.person_id = ? AND (instr(lower(title), ?) OR EXISTS (SELECT 1 FROM chat_members AS other JOIN people "
            "ON people.id = other.person_id WHERE other.chat_id = chats.id AND other.person_id != mine.person_id AND "
            "instr(lower(name), ?))) ORDER BY chats.id"
        )
        return self.page_of("chats", self._chat, sql, self.user, wanted, wanted, page=0, limit=20)

    @look
    def list_members(self, chat_id: int) -> Any:
        """List who is in a chat, with phone numbers."""
        self._own_chat(chat_id)
        sql = (
            "SELECT people.id, name, phone FROM chat_members JOIN people ON people.id = person_id WHERE chat_id = ? "
            "ORDER BY name"
        )
        self.show("members", chat_id)
        return [{"name": row["name"], "phone": row["phone"]} for row in self.world.rows(sql, chat_id)]

    @look
    def list_messages(self, chat_id: int, page: int = 0, limit: int = 10) -> Any:
        """List the messages of a chat, the newest first."""
        self._own_chat(chat_id)
        sql = f"{_WITH_SENDER} WHERE chat_id = ? ORDER BY sent DESC, messages.id"
        return self.page_of("messages", _entry, sql, chat_id, page=page, limit=limit)

    @look
    def search_messages(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find messages in your chats by a part of their text, the newest first."""
        sql = (
            f"{_WITH_SENDER} WHERE chat_id IN (SELECT chat_id FROM chat_members WHERE person_id = ?) AND "
            "instr(lower(text), ?) ORDER BY sent DESC, messages.id"
        )
        return self.page_of("messages", _entry, sql, self.user, pattern(query), page=page, limit=limit)

    @look
    def list_pinned_messages(self, chat_id: int) -> Any:
        """List the pinned messages of a chat."""
        self._own_chat(chat_id)
        sql = f"{_WITH_SENDER} WHERE chat_id = ? AND is_pinned ORDER BY sent DESC, messages.id"
        return self.page_of("messages", _entry, sql, chat_id, page=0, limit=20)

    @look
    def get_message(self, message_id: int) -> Any:
        """Read a message with its reactions."""
        row = self._message(message_id)
        sql = (
            "SELECT name, emoji FROM reactions JOIN people ON people.id = person_id WHERE message_id = ? ORDER BY name"
        )
        reactions = [dict(each) for each in self.world.rows(sql, message_id)]
        self.show("reactions", message_id)
        return {**_entry(row), "is_pinned": bool(row["is_pinned"]), "reactions": reactions}

    @change
    def send_message(self, chat_id: int, text: str) -> Any:
        """Write into a chat."""
        self._own_chat(chat_id)
        return {"message_id": self._write(chat_id, text)}

    @change
    def send_to_phone(self, phone: str, text: str) -> Any:
        """Write to one person, in your chat with the person, which is made if there is none."""
        person = self.person("phone", phone)["id"]
        if person == self.user:
            raise ToolFailure("That is your own number.")
        row = self.world.row(
            "SELECT id FROM chats WHERE NOT is_group AND id IN (SELECT chat_id FROM chat_members WHERE person_id = ?) "
            "AND id IN (SELECT chat_id FROM chat_members WHERE person_id = ?) ORDER BY id",
            self.user,
            person,
        )
        chat = row["id"] if row is not None else self._open("", 0, [self.user, person])
        return {"chat_id": chat, "message_id": self._write(chat, text)}

    @change
    def create_group_chat(self, title: str, phones: list[str]) -> Any:
        """Make a chat with several others.

        Args:
            phones: Phone numbers of the others.
        """
        within(len(phones), 2, MAX_MEMBERS, "the number of the others")
        people = {self.user, *(self.person("phone", phone)["id"] for phone in phones)}
        return {"chat_id": self._open(text(title, "title", most=80), 1, sorted(people))}

    @change
    def rename_chat(self, chat_id: int, title: str) -> Any:
        """Change the title of a group's chat."""
        self._own_group(chat_id)
        self.update("chats", chat_id, title=text(title, "title", most=80))
        return "Renamed."

    @change
    def add_member(self, chat_id: int, phone: str) -> Any:
        """Take a person into a group's chat."""
        self._own_group(chat_id)
        person = self.person("phone", phone)["id"]
        if self._is_member(chat_id, person):
            raise ToolFailure("That person is in the chat already.")
        self.world.write("INSERT INTO chat_members VALUES (?, ?, 0)", chat_id, person)
        return "Added."

    @change
    def leave_chat(self, chat_id: int) -> Any:
        """Leave a group's chat."""
        self._own_group(chat_id)
        self.world.write("DELETE FROM chat_members WHERE chat_id = ? AND person_id = ?", chat_id, self.user)
        return "Left."

    @change
    def mute_chat(self, chat_id: int, is_muted: bool = True) -> Any:
        """Mute a chat, or hear it again.

        Args:
            is_muted: Whether it is muted from now on.
        """
        self._own_chat(chat_id)
        sql = "UPDATE chat_members SET is_muted = ? WHERE chat_id = ? AND person_id = ?"
        self.world.write(sql, int(is_muted), chat_id, self.user)
        return "Done."

    @change
    def edit_message(self, message_id: int, text: str) -> Any:
        """Change the text of a message of yours."""
        self._own_message(message_id)
        self.update("messages", message_id, text=_kept(text))
        return "Changed."

    @change
    def delete_message(self, message_id: int) -> Any:
        """Delete a message of yours."""
        self._own_message(message_id)
        self.world.write("DELETE FROM reactions WHERE message_id = ?", message_id)
        self.remove("messages", message_id)
        return "Deleted."

    @change
    def pin_message(self, message_id: int, is_pinned: bool = True) -> Any:
        """Pin a message in its chat, or unpin it.

        Args:
            is_pinned: Whether it is pinned from now on.
        """
        self._message(message_id)
        self.update("messages", message_id, is_pinned=int(is_pinned))
        return "Done."

    @change
    def react(self, message_id: int, emoji: Emoji) -> Any:
        """React to somebody's message, in place of your earlier reaction."""
        row = self._message(message_id)
        if row["sender"] == self.user:
            raise ToolFailure("That message is your own.")
        self.world.write("DELETE FROM reactions WHERE message_id = ? AND person_id = ?", message_id, self.user)
        self.world.write("INSERT INTO reactions VALUES (?, ?, ?)", message_id, self.user, emoji)
        return "Done."

    @change
    def remove_reaction(self, message_id: int) -> Any:
        """Take your reaction to a message back."""
        self._message(message_id)
        sql = "DELETE FROM reactions WHERE message_id = ? AND person_id = ?"
        if not self.world.write(sql, message_id, self.user):
            raise ToolFailure("You have not reacted to it.")
        return "Done."

    def _chat(self, row: sqlite3.Row) -> dict[str, Any]:
        sql = (
            "SELECT name FROM chat_members JOIN people ON people.id = person_id WHERE chat_id = ? AND person_id != ? "
            "ORDER BY name"
        )
        others = [each["name"] for each in self.world.rows(sql, row["id"], self.user)]
        shown = {"chat_id": row["id"], "title": row["title"], "with": others}
        return {**shown, "is_group": bool(row["is_group"]), "is_muted": bool(row["is_muted"])}

    def _is_member(self, chat: int, person: int) -> bool:
        sql = "SELECT 1 FROM chat_members WHERE chat_id = ? AND person_id = ?"
        return self.world.row(sql, chat, person) is not None

    def _own_chat(self, chat: int) -> sqlite3.Row:
        row = self.world.row("SELECT * FROM chats WHERE id = ?", chat)
        if row is None or not self._is_member(chat, self.user):
            raise ToolFailure(f"You have no chat {chat}.")
        self.show("chats", chat)
        return row

    def _own_group(self, chat: int) -> None:
        if not self._own_chat(chat)["is_group"]:
            raise ToolFailure(f"Chat {chat} is one of two people, not of a group.")

    def _message(self, number: int) -> sqlite3.Row:
        row = self.world.row(f"{_WITH_SENDER} WHERE messages.id = ?", number)
        if row is None or not self._is_member(row["chat_id"], self.user):
            raise ToolFailure(f"There is no message {number} in your chats.")
        self.show("messages", number)
        return row

    def _own_message(self, number: int) -> None:
        if self._message(number)["sender"] != self.user:
            raise ToolFailure("Only your own messages can be changed.")

    def _open(self, title: str, is_group: int, people: list[int]) -> int:
        chat = self.add("chats", title=title, is_group=is_group)
        for person in people:
            self.world.write("INSERT INTO chat_members VALUES (?, ?, 0)", chat, person)
        return chat

    def _write(self, chat: int, kept: str) -> int:
        return self.add("messages", chat_id=chat, sender=self.user, text=_kept(kept), sent=self.now, is_pinned=0)


def _kept(value: str) -> str:
    return text(value, "text", most=1000)
