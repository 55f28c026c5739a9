"""Contacts: the people that one knows, with addresses, and groups of them."""

from __future__ import annotations

import sqlite3
from typing import Any

from agentgym_tools.apps.api.app import App, change, look, pattern, text, within
from agentgym_tools.worlds.toolbox import ToolFailure


def _entry(row: sqlite3.Row) -> dict[str, Any]:
    return {"contact_id": row["id"], "name": row["name"], "relation": row["relation"]}


def _whole(row: sqlite3.Row) -> dict[str, Any]:
    fields = ("email", "phone", "birthday", "city", "note")
    return {**_entry(row), **{name: row[name] for name in fields}, "is_favourite": bool(row["is_favourite"])}


def _group(row: sqlite3.Row) -> dict[str, Any]:
    return {"group_id": row["id"], "title": row["title"]}


class Contacts(App):
    """The contacts app."""

    about = "people that you know: e-mail addresses, phone numbers, birthdays, groups"

    @look
    def list_contacts(self, page: int = 0, limit: int = 10) -> Any:
        """List your contacts by name."""
        sql = "SELECT * FROM contacts WHERE owner = ? ORDER BY name, id"
        return self.page_of("contacts", _entry, sql, self.user, page=page, limit=limit)

    @look
    def search_contacts(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find contacts by a part of the name; gives e-mail addresses and phone numbers."""
        sql = "SELECT * FROM contacts WHERE owner = ? AND instr(lower(name), ?) ORDER BY name, id"
        return self.page_of("contacts", _whole, sql, self.user, pattern(query), page=page, limit=limit)

    @look
    def find_by_relation(self, relation: str, page: int = 0, limit: int = 10) -> Any:
        """Find contacts by what they are to you, such as sibling, boss, friend or colleague."""
        sql = "SELECT * FROM contacts WHERE owner = ? AND lower(relation) = ? ORDER BY name, id"
        return self.page_of("contacts", _whole, sql, self.user, pattern(relation), page=page, limit=limit)

    @look
    def find_by_city(self, city: str, page: int = 0, limit: int = 10) -> Any:
        """Find contacts who live in a city.

        Args:
            city: Name of the city.
        """
        sql = "SELECT * FROM contacts WHERE owner = ? AND lower(city) = ? ORDER BY name, id"
        return self.page_of("contacts", _whole, sql, self.user, pattern(city), page=page, limit=limit)

    @look
    def find_by_phone(self, phone: str) -> Any:
        """Find the contacts with a phone number."""
        sql = "SELECT * FROM contacts WHERE owner = ? AND phone = ? ORDER BY id"
        return self.page_of("contacts", _whole, sql, self.user, phone.strip(), page=0, limit=10)

    @look
    def list_favourites(self, page: int = 0, limit: int = 10) -> Any:
        """List your favourite contacts."""
        sql = "SELECT * FROM contacts WHERE owner = ? AND is_favourite ORDER BY name, id"
        return self.page_of("contacts", _entry, sql, self.user, page=page, limit=limit)

    @look
    def list_birthdays(self, month: int) -> Any:
        """List the contacts whose birthday is in a month.

        Args:
            month: 1 to 12.
        """
        wanted = f"{within(month, 1, 12, 'month'):02}-"
        sql = "SELECT * FROM contacts WHERE owner = ? AND substr(birthday, 1, 3) = ? ORDER BY birthday, name"
        return self.page_of("contacts", _whole, sql, self.user, wanted, page=0, limit=20)

    @look
    def get_contact(self, contact_id: int) -> Any:
        """Read a contact: e-mail address, phone number, birthday (month-day), city, note."""
        return _whole(self.own("contacts", contact_id, "contact"))

    @change
    def add_contact(self, name: str, email: str = "", phone: str = "", relation: str = "friend") -> Any:
        """Add a contact.

        Args:
            email: Its e-mail address; empty for none.
            phone: Its phone number; empty for none.
        """
        number = self.add(
            "contacts",
            owner=self.user,
            name=text(name, "name", most=80),
            email=email.strip().lower() or None,
            phone=phone.strip() or None,
            birthday=None,
            city=None,
            relation=text(relation, "relation", most=40),
            is_favourite=0,
            note="",
        )
        return {"contact_id": number}

    @change
    def set_email(self, contact_id: int, email: str) -> Any:
        """Change a contact's e-mail address."""
        self.own("contacts", contact_id, "contact")
        if "@" not in email:
            raise ToolFailure(f"{email[:60]!r} is no e-mail address.")
        self.update("contacts", contact_id, email=text(email, "email", most=100).lower())
        return "Changed."

    @change
    def set_phone(self, contact_id: int, phone: str) -> Any:
        """Change a contact's phone number."""
        self.own("contacts", contact_id, "contact")
        self.update("contacts", contact_id, phone=text(phone, "phone", most=30))
        return "Changed."

    @change
    def set_relation(self, contact_id: int, relation: str) -> Any:
        """Change what a contact is to you."""
        self.own("contacts", contact_id, "contact")
        self.update("contacts", contact_id, relation=text(relation, "relation", most=40).lower())
        return "Changed."

    @change
    def set_contact_note(self, contact_id: int, note: str) -> Any:
        """Change the note of a contact."""
        self.own("contacts", contact_id, "contact")
        self.update("contacts", contact_id, note=text(note, "note", may_be_empty=True))
        return "Changed."

    @change
    def set_favourite(self, contact_id: int, is_favourite: bool) -> Any:
        """Make a contact a favourite, or no longer one.

        Args:
            is_favourite: Whether it is one from now on.
        """
        self.own("contacts", contact_id, "contact")
        self.update("contacts", contact_id, is_favourite=int(is_favourite))
        return "Changed."

    @change
    def delete_contact(self, contact_id: int) -> Any:
        """Delete a contact; it leaves its groups."""
        self.own("contacts", contact_id, "contact")
        self.world.write("DELETE FROM group_members WHERE contact_id = ?", contact_id)
        self.remove("contacts", contact_id)
        return "Deleted."

    @look
    def list_groups(self) -> Any:
        """List your groups of contacts."""
        sql = "SELECT * FROM contact_groups WHERE owner = ? ORDER BY id"
        return self.page_of("contact_groups", _group, sql, self.user, page=0, limit=20)

    @look
    def list_group_members(self, group_id: int, page: int = 0, limit: int = 10) -> Any:
        """List the contacts of a group."""
        self.own("contact_groups", group_id, "group")
        sql = (
            "SELECT contacts.* FROM group_members JOIN contacts ON contacts.id = contact_id WHERE group_id = ? "
            "ORDER BY name, contacts.id"
        )
        return self.page_of("contacts", _entry, sql, group_id, page=page, limit=limit)

    @change
    def create_group(self, title: str) -> Any:
        """Make an empty group."""
        return {"group_id": self.add("contact_groups", owner=self.user, title=text(title, "title", most=80))}

    @change
    def add_to_group(self, group_id: int, contact_id: int) -> Any:
        """Put a contact into a group."""
        self.own("contact_groups", group_id, "group")
        self.own("contacts", contact_id, "contact")
        if self._is_member(group_id, contact_id):
            raise ToolFailure("The contact is in the group already.")
        self.world.write("INSERT INTO group_members VALUES (?, ?)", group_id, contact_id)
        return "Added."

    @change
    def remove_from_group(self, group_id: int, contact_id: int) -> Any:
        """Take a contact out of a group."""
        self.own("contact_groups", group_id, "group")
        if not self._is_member(group_id, contact_id):
            raise ToolFailure("The contact is not in the group.")
        self.world.write("DELETE FROM group_members WHERE group_id = ? AND contact_id = ?", group_id, contact_id)
        return "Removed."

    @change
    def delete_group(self, group_id: int) -> Any:
        """Delete a group; its contacts stay."""
        self.own("contact_groups", group_id, "group")
        self.world.write("DELETE FROM group_members WHERE group_id = ?", group_id)
        self.remove("contact_groups", group_id)
        return "Deleted."

    def _is_member(self, group_id: int, contact_id: int) -> bool:
        sql = "SELECT 1 FROM group_members WHERE group_id = ? AND contact_id = ?"
        return self.world.row(sql, group_id, contact_id) is not None
