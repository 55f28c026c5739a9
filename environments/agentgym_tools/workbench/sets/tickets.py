"""Tickets: queues, priorities, states, assignees and notes."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_tools.workbench.rows.people import TODAY
from agentgym_tools.workbench.sets.toolbox import LISTED, OwnTools, require
from agentgym_tools.worlds.toolbox import reads, writes

Queue = Literal["accounts", "hardware", "network", "printing", "software"]
Staff = Literal["dora", "emre", "fiona", "gil", "hedda"]


class TicketTools(OwnTools):
    """The tools of tickets."""

    @reads
    def list_tickets(self, state: Literal["open", "waiting", "closed", "any"]) -> Any:
        """List tickets.

        Args:
            state: Their state.
        """
        sql = "SELECT * FROM tickets WHERE owner = ? AND ? IN (state, 'any') ORDER BY id"
        self.show(LISTED, f"tickets {state}")
        return [self._shown(row) for row in self.world.rows(sql, self.me, state)]

    @reads
    def list_queue(self, queue: Queue) -> Any:
        """List the tickets of a queue, whatever their state.

        Args:
            queue: Which queue.
        """
        self.show(LISTED, f"queue {queue}")
        rows = self.world.rows("SELECT * FROM tickets WHERE owner = ? AND queue = ? ORDER BY id", self.me, queue)
        return [self._shown(row) for row in rows]

    @reads
    def get_ticket(self, ticket_id: int) -> Any:
        """Show a ticket with its notes.

        Args:
            ticket_id: Number of the ticket.
        """
        row = self._ticket(ticket_id)
        notes = self.world.rows("SELECT text FROM ticket_notes WHERE ticket = ? ORDER BY id", ticket_id)
        self.show(LISTED, f"notes {ticket_id}")
        return {**self._shown(row), "opened": row["opened"], "notes": [note[0] for note in notes]}

    @reads
    def find_tickets(self, words: str) -> Any:
        """List the tickets whose title contains a text.

        Args:
            words: The text.
        """
        sql = "SELECT * FROM tickets WHERE owner = ? AND instr(lower(title), lower(?)) ORDER BY id"
        self.show(LISTED, f"titles {words.lower()}")
        return [self._shown(row) for row in self.world.rows(sql, self.me, words)]

    @reads
    def list_assigned(self, person: Staff) -> Any:
        """List the tickets that are assigned to a person, whatever their state.

        Args:
            person: Who.
        """
        self.show(LISTED, f"assigned {person}")
        rows = self.world.rows("SELECT * FROM tickets WHERE owner = ? AND assignee = ? ORDER BY id", self.me, person)
        return [self._shown(row) for row in rows]

    @reads
    def list_staff(self) -> Any:
        """List the people to whom tickets can be assigned."""
        return ["dora", "emre", "fiona", "gil", "hedda"]

    @writes
    def open_ticket(self, title: str, queue: Queue, priority: int) -> Any:
        """Open a new ticket.

        Args:
            title: What it is about.
            queue: The queue that it comes into.
            priority: From 1, urgent, to 5.
        """
        require(3 <= len(title) <= 120, "title has 3 to 120 characters.")
        require(1 <= priority <= 5, "priority is from 1 to 5.")
        number = self.world.new_id("tickets")
        row = (number, self.me, title, queue, priority, "open", "", TODAY)
        self.world.write("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)
        return {"ticket_id": number}

    @writes
    def close_ticket(self, ticket_id: int) -> Any:
        """Close a ticket.

        Args:
            ticket_id: Number of the ticket.
        """
        return self._change(ticket_id, "state", "closed")

    @writes
    def reopen_ticket(self, ticket_id: int) -> Any:
        """Open a closed ticket again.

        Args:
            ticket_id: Number of the ticket.
        """
        state = self._ticket(ticket_id)["state"]
        if state == "waiting":
            self.show("tickets", ticket_id)
            raise self.not_possible(f"ticket {ticket_id} is waiting, not closed.")
        return self._change(ticket_id, "state", "open")

    @writes
    def set_waiting(self, ticket_id: int) -> Any:
        """Mark an open ticket as waiting for somebody.

        Args:
            ticket_id: Number of the ticket.
        """
        if self._ticket(ticket_id)["state"] == "closed":
            self.show("tickets", ticket_id)
            raise self.not_possible(f"ticket {ticket_id} is closed.")
        return self._change(ticket_id, "state", "waiting")

    @writes
    def set_priority(self, ticket_id: int, priority: int) -> Any:
        """Change the priority of a ticket.

        Args:
            ticket_id: Number of the ticket.
            priority: From 1, urgent, to 5.
        """
        require(1 <= priority <= 5, "priority is from 1 to 5.")
        return self._change(ticket_id, "priority", priority)

    @writes
    def assign_ticket(self, ticket_id: int, person: Staff) -> Any:
        """Assign a ticket to a person.

        Args:
            ticket_id: Number of the ticket.
            person: Who gets it.
        """
        return self._change(ticket_id, "assignee", person)

    @writes
    def unassign_ticket(self, ticket_id: int) -> Any:
        """Take a ticket from the person to whom it is assigned.

        Args:
            ticket_id: Number of the ticket.
        """
        return self._change(ticket_id, "assignee", "")

    @writes
    def move_to_queue(self, ticket_id: int, queue: Queue) -> Any:
        """Move a ticket to another queue.

        Args:
            ticket_id: Number of the ticket.
            queue: The queue that it comes into.
        """
        return self._change(ticket_id, "queue", queue)

    @writes
    def rename_ticket(self, ticket_id: int, title: str) -> Any:
        """Change the title of a ticket.

        Args:
            ticket_id: Number of the ticket.
            title: The new title.
        """
        require(3 <= len(title) <= 120, "title has 3 to 120 characters.")
        return self._change(ticket_id, "title", title)

    @writes
    def add_note(self, ticket_id: int, text: str) -> Any:
        """Add a note to a ticket.

        Args:
            ticket_id: Number of the ticket.
            text: The note.
        """
        self._ticket(ticket_id)
        require(len(text) >= 2, "text has at least 2 characters.")
        number = self.world.new_id("ticket_notes")
        self.world.write("INSERT INTO ticket_notes VALUES (?, ?, ?)", number, ticket_id, text)
        return f"Added a note to ticket {ticket_id}."

    def _ticket(self, ticket_id: int) -> Any:
        row = self.world.row("SELECT * FROM tickets WHERE owner = ? AND id = ?", self.me, ticket_id)
        if row is None:
            self.show("missing", f"ticket {ticket_id}")
            self.is_shown_by("tickets any")
            raise self.not_found(f"there is no ticket {ticket_id}.")
        return row

    def _shown(self, row: Any) -> dict[str, Any]:
        self.show("tickets", row["id"])
        shown = ("title", "queue", "priority", "state", "assignee")
        return {"ticket_id": row["id"], **{key: row[key] for key in shown}}

    def _change(self, ticket_id: int, column: str, value: int | str) -> str:
        if self._ticket(ticket_id)[column] == value:
            self.show("tickets", ticket_id)
            raise self.is_so_already(f"{column} of ticket {ticket_id} is {value or 'empty'}.")
        self.world.write(f"UPDATE tickets SET {column} = ? WHERE id = ?", value, ticket_id)  # noqa: S608 - our names
        return f"{column} of ticket {ticket_id} is now {value or 'empty'}."
