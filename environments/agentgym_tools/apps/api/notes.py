"""Notes: texts in notebooks, pinned or archived."""

from __future__ import annotations

import sqlite3
from typing import Any

from agentgym_tools.apps.api.app import App, change, look, pattern, text
from agentgym_tools.apps.calendar_days import DAY, date_of
from agentgym_tools.worlds.toolbox import ToolFailure


def _entry(row: sqlite3.Row) -> dict[str, Any]:
    marks = {"is_pinned": bool(row["is_pinned"]), "is_archived": bool(row["is_archived"])}
    return {
        "note_id": row["id"],
        "title": row["title"],
        "notebook": row["notebook"],
        "updated": date_of(row["updated"] // DAY),
        **marks,
    }


class Notes(App):
    """The notes app."""

    about = "notes in notebooks: lists, minutes, ideas"

    @look
    def list_notes(self, page: int = 0, limit: int = 10) -> Any:
        """List your notes that are not archived, the one changed last first."""
        sql = "SELECT * FROM notes WHERE owner = ? AND NOT is_archived ORDER BY updated DESC, id"
        return self.page_of("notes", _entry, sql, self.user, page=page, limit=limit)

    @look
    def list_notebook(self, notebook: str, page: int = 0, limit: int = 10) -> Any:
        """List the notes of a notebook, archived ones too."""
        sql = "SELECT * FROM notes WHERE owner = ? AND lower(notebook) = ? ORDER BY updated DESC, id"
        return self.page_of("notes", _entry, sql, self.user, pattern(notebook), page=page, limit=limit)

    @look
    def list_notebooks(self) -> Any:
        """List the names of your notebooks with how many notes they have."""
        sql = "SELECT notebook, count(*) AS notes FROM notes WHERE owner = ? GROUP BY notebook ORDER BY notebook"
        return [dict(row) for row in self.world.rows(sql, self.user)]

    @look
    def list_pinned(self, page: int = 0, limit: int = 10) -> Any:
        """List your pinned notes."""
        sql = "SELECT * FROM notes WHERE owner = ? AND is_pinned ORDER BY updated DESC, id"
        return self.page_of("notes", _entry, sql, self.user, page=page, limit=limit)

    @look
    def list_archived(self, page: int = 0, limit: int = 10) -> Any:
        """List your archived notes."""
        sql = "SELECT * FROM notes WHERE owner = ? AND is_archived ORDER BY updated DESC, id"
        return self.page_of("notes", _entry, sql, self.user, page=page, limit=limit)

    @look
    def search_notes(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find notes by a part of their title or text, archived ones too."""
        sql = "SELECT * FROM notes WHERE owner = ? AND instr(lower(title || ' ' || text), ?) ORDER BY updated DESC, id"
        return self.page_of("notes", _entry, sql, self.user, pattern(query), page=page, limit=limit)

    @look
    def get_note(self, note_id: int) -> Any:
        """Read a note."""
        row = self.own("notes", note_id, "note")
        self.show("note texts", note_id)
        return {**_entry(row), "text": row["text"]}

    @change
    def create_note(self, title: str, text: str, notebook: str = "home") -> Any:
        """Write a new note."""
        return {"note_id": self._add(title, text, notebook)}

    @change
    def edit_note(self, note_id: int, text: str) -> Any:
        """Replace the text of a note."""
        self.own("notes", note_id, "note")
        self.update("notes", note_id, text=_kept(text), updated=self.now)
        return "Changed."

    @change
    def append_to_note(self, note_id: int, text: str) -> Any:
        """Add a line to the end of a note."""
        row = self.own("notes", note_id, "note")
        self.update("notes", note_id, text=_kept(f"{row['text']}\n{_kept(text)}"), updated=self.now)
        return "Added."

    @change
    def rename_note(self, note_id: int, title: str) -> Any:
        """Change the title of a note."""
        self.own("notes", note_id, "note")
        self.update("notes", note_id, title=text(title, "title", most=100), updated=self.now)
        return "Renamed."

    @change
    def move_note(self, note_id: int, notebook: str) -> Any:
        """Move a note to a notebook, which is made if there is none of that name."""
        self.own("notes", note_id, "note")
        self.update("notes", note_id, notebook=text(notebook, "notebook", most=40).lower())
        return "Moved."

    @change
    def copy_note(self, note_id: int, title: str) -> Any:
        """Copy a note within its notebook, under another title."""
        row = self.own("notes", note_id, "note")
        return {"note_id": self._add(title, row["text"], row["notebook"])}

    @change
    def pin_note(self, note_id: int, is_pinned: bool = True) -> Any:
        """Pin a note, or unpin it.

        Args:
            is_pinned: Whether it is pinned from now on.
        """
        self.own("notes", note_id, "note")
        self.update("notes", note_id, is_pinned=int(is_pinned))
        return "Done."

    @change
    def archive_note(self, note_id: int) -> Any:
        """Archive a note."""
        row = self.own("notes", note_id, "note")
        if row["is_archived"]:
            raise ToolFailure(f"Note {note_id} is archived already.")
        self.update("notes", note_id, is_archived=1)
        return "Archived."

    @change
    def unarchive_note(self, note_id: int) -> Any:
        """Take a note out of the archive."""
        row = self.own("notes", note_id, "note")
        if not row["is_archived"]:
            raise ToolFailure(f"Note {note_id} is not archived.")
        self.update("notes", note_id, is_archived=0)
        return "Done."

    @change
    def delete_note(self, note_id: int) -> Any:
        """Delete a note."""
        self.own("notes", note_id, "note")
        self.remove("notes", note_id)
        return "Deleted."

    def _add(self, title: str, kept: str, notebook: str) -> int:
        return self.add(
            "notes",
            owner=self.user,
            title=text(title, "title", most=100),
            text=_kept(kept),
            notebook=text(notebook, "notebook", most=40).lower(),
            is_pinned=0,
            is_archived=0,
            updated=self.now,
        )


def _kept(value: str) -> str:
    return text(value, "text")
