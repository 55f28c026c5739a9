"""Messages: contacts with nicknames, and messages to and from them."""

from __future__ import annotations

from typing import Any

from agentgym_tools.workbench.rows.people import TODAY
from agentgym_tools.workbench.sets.toolbox import LISTED, OwnTools, require, short
from agentgym_tools.worlds.toolbox import reads, writes


class MessageTools(OwnTools):
    """The tools of messages."""

    @reads
    def list_contacts(self) -> Any:
        """List your contacts: handle, nickname, and whether they are muted."""
        self.show(LISTED, "contacts")
        found = []
        for row in self.world.rows("SELECT * FROM contacts WHERE owner = ? ORDER BY person", self.me):
            self.show("contacts", row["person"])
            found.append({"contact": row["person"], "nickname": row["nickname"], "muted": bool(row["muted"])})
        return found

    @reads
    def find_contact(self, nickname: str) -> Any:
        """Show the handle of the contact with a nickname.

        Args:
            nickname: The nickname.
        """
        sql = "SELECT person FROM contacts WHERE owner = ? AND lower(nickname) = lower(?)"
        row = self.world.row(sql, self.me, nickname)
        if row is None:
            self.show("missing", nickname)
            raise self.not_found(f"you have no contact with the nickname {short(nickname)}.")
        self.show("handles", row[0])
        return {"contact": row[0]}

    @reads
    def list_unread(self) -> Any:
        """List the messages that you have not read."""
        self.show(LISTED, "unread")
        return self._listed("is_read = 0", ())

    @reads
    def list_conversation(self, contact: str) -> Any:
        """List the messages to and from a contact.

        Args:
            contact: Handle of the contact.
        """
        self._contact(contact)
        self.show(LISTED, f"conversation {contact}")
        return self._listed("other = ?", (contact,))

    @reads
    def find_messages(self, text: str) -> Any:
        """List the messages that contain a text.

        Args:
            text: The text.
        """
        self.show(LISTED, f"messages {text.lower()}")
        return self._listed("instr(lower(text), lower(?))", (text,))

    @reads
    def list_starred(self) -> Any:
        """List the messages that are starred."""
        self.show(LISTED, "starred")
        return self._listed("starred = 1", ())

    @reads
    def get_message(self, message_id: int) -> Any:
        """Show one of your messages.

        Args:
            message_id: Number of the message.
        """
        return self._shown(self._message(message_id))

    @writes
    def send_message(self, contact: str, text: str) -> Any:
        """Send a message to a contact.

        Args:
            contact: Handle of the contact.
            text: What it says.
        """
        self._contact(contact)
        require(len(text) >= 2, "text has at least 2 characters.")
        return self._send(contact, text)

    @writes
    def forward_message(self, message_id: int, contact: str) -> Any:
        """Send the text of one of your messages to another contact.

        Args:
            message_id: Number of the message.
            contact: Handle of the contact who gets it.
        """
        row = self._message(message_id)
        self._contact(contact)
        return self._send(contact, row["text"])

    @writes
    def delete_message(self, message_id: int) -> Any:
        """Delete one of your messages.

        Args:
            message_id: Number of the message.
        """
        self._message(message_id)
        self.world.write("DELETE FROM messages WHERE id = ?", message_id)
        return f"Deleted message {message_id}."

    @writes
    def mark_read(self, message_id: int) -> Any:
        """Mark a message as read.

        Args:
            message_id: Number of the message.
        """
        return self._mark(message_id, "is_read", 1, "read")

    @writes
    def mark_unread(self, message_id: int) -> Any:
        """Mark a message as not read.

        Args:
            message_id: Number of the message.
        """
        return self._mark(message_id, "is_read", 0, "not read")

    @writes
    def star_message(self, message_id: int) -> Any:
        """Put a star on a message.

        Args:
            message_id: Number of the message.
        """
        return self._mark(message_id, "starred", 1, "starred")

    @writes
    def unstar_message(self, message_id: int) -> Any:
        """Take the star off a message.

        Args:
            message_id: Number of the message.
        """
        return self._mark(message_id, "starred", 0, "not starred")

    @writes
    def add_contact(self, person: str, nickname: str) -> Any:
        """Add a person to your contacts.

        Args:
            person: The person's handle, such as ada.amsel.
            nickname: A nickname that no other contact has.
        """
        if self.world.row("SELECT 1 FROM people WHERE id = ?", person) is None:
            self.show("missing", person)
            raise self.not_found(f"there is nobody called {short(person)}.")
        self.show("contacts", person)
        if self.world.row("SELECT 1 FROM contacts WHERE owner = ? AND person = ?", self.me, person) is not None:
            raise self.is_so_already(f"{person} is a contact.")
        self._require_free(nickname)
        self.world.write("INSERT INTO contacts VALUES (?, ?, ?, 0)", self.me, person, nickname)
        return f"{person} is a contact now, with the nickname {nickname}."

    @writes
    def remove_contact(self, contact: str) -> Any:
        """Remove a contact; the messages stay.

        Args:
            contact: Handle of the contact.
        """
        self._contact(contact)
        self.world.write("DELETE FROM contacts WHERE owner = ? AND person = ?", self.me, contact)
        return f"{contact} is no contact any more."

    @writes
    def rename_contact(self, contact: str, nickname: str) -> Any:
        """Give a contact another nickname.

        Args:
            contact: Handle of the contact.
            nickname: A nickname that no other contact has.
        """
        if self._contact(contact)["nickname"] == nickname:
            raise self.is_so_already(f"{contact} has the nickname {short(nickname)}.")
        self._require_free(nickname)
        sql = "UPDATE contacts SET nickname = ? WHERE owner = ? AND person = ?"
        self.world.write(sql, nickname, self.me, contact)
        return f"{contact} has the nickname {nickname} now."

    @writes
    def mute_contact(self, contact: str) -> Any:
        """Mute a contact.

        Args:
            contact: Handle of the contact.
        """
        return self._mute(contact, 1, "muted")

    @writes
    def unmute_contact(self, contact: str) -> Any:
        """Take back that a contact is muted.

        Args:
            contact: Handle of the contact.
        """
        return self._mute(contact, 0, "not muted")

    def _contact(self, contact: str) -> Any:
        row = self.world.row("SELECT * FROM contacts WHERE owner = ? AND person = ?", self.me, contact)
        if row is None:
            self.show("missing", contact)
            self.is_shown_by("contacts")
            raise self.not_found(f"{short(contact)} is no contact of yours; contacts are named by handles.")
        self.show("contacts", contact)
        return row

    def _require_free(self, nickname: str) -> None:
        require(bool(nickname.strip()) and len(nickname) <= 40, "nickname has 1 to 40 characters.")
        sql = "SELECT person FROM contacts WHERE owner = ? AND lower(nickname) = lower(?)"
        row = self.world.row(sql, self.me, nickname)
        if row is not None:
            self.show("contacts", row[0])
            raise self.not_possible(f"{row[0]} has the nickname {nickname}.")

    def _message(self, message_id: int) -> Any:
        row = self.world.row("SELECT * FROM messages WHERE owner = ? AND id = ?", self.me, message_id)
        if row is None:
            self.show("missing", f"message {message_id}")
            raise self.not_found(f"you have no message {message_id}.")
        self.show("messages", message_id)
        return row

    def _listed(self, condition: str, values: tuple[Any, ...]) -> list[Any]:
        sql = f"SELECT * FROM messages WHERE owner = ? AND {condition} ORDER BY id"  # noqa: S608 - our conditions
        return [self._shown(row) for row in self.world.rows(sql, self.me, *values)]

    def _shown(self, row: Any) -> dict[str, Any]:
        self.show("messages", row["id"])
        shown = {"message_id": row["id"], "to" if row["is_mine"] else "from": row["other"], "text": row["text"]}
        marks = {name: True for name, is_so in (("unread", not row["is_read"]), ("starred", row["starred"])) if is_so}
        return {**shown, "day": row["day"], **marks}

    def _send(self, contact: str, text: str) -> dict[str, int]:
        number = self.world.new_id("messages")
        row = (number, self.me, contact, 1, text, TODAY, 1, 0)
        self.world.write("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)
        return {"message_id": number}

    def _mark(self, message_id: int, column: str, value: int, words: str) -> str:
        if self._message(message_id)[column] == value:
            raise self.is_so_already(f"message {message_id} is {words}.")
        self.world.write(f"UPDATE messages SET {column} = ? WHERE id = ?", value, message_id)  # noqa: S608 - our names
        return f"Message {message_id} is {words} now."

    def _mute(self, contact: str, value: int, words: str) -> str:
        if self._contact(contact)["muted"] == value:
            raise self.is_so_already(f"{contact} is {words}.")
        self.world.write("UPDATE contacts SET muted = ? WHERE owner = ? AND person = ?", value, self.me, contact)
        return f"{contact} is {words} now."
