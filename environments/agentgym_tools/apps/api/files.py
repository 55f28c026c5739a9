"""Files: texts in folders, shared with others to read or to edit."""

from __future__ import annotations

import sqlite3
from typing import Any

from agentgym_tools.apps.api.app import App, change, look, pattern, text
from agentgym_tools.apps.calendar_days import DAY, date_of
from agentgym_tools.worlds.toolbox import ToolFailure


def _entry(row: sqlite3.Row) -> dict[str, Any]:
    place = {"file_id": row["id"], "folder": row["folder"], "name": row["name"], "size": len(row["text"])}
    return {**place, "updated": date_of(row["updated"] // DAY), "is_locked": bool(row["is_locked"])}


class Files(App):
    """The files app."""

    about = "text files in folders; sharing with others"

    @look
    def list_folders(self) -> Any:
        """List your folders."""
        rows = self.world.rows("SELECT path FROM folders WHERE owner = ? ORDER BY path", self.user)
        return [row["path"] for row in rows]

    @look
    def list_files(self, folder: str, page: int = 0, limit: int = 10) -> Any:
        """List the files of a folder by name."""
        sql = "SELECT * FROM files WHERE owner = ? AND folder = ? ORDER BY name, id"
        return self.page_of("files", _entry, sql, self.user, self._folder(folder), page=page, limit=limit)

    @look
    def list_all_files(self, page: int = 0, limit: int = 10) -> Any:
        """List your files of all folders, the one changed last first."""
        sql = "SELECT * FROM files WHERE owner = ? ORDER BY updated DESC, id"
        return self.page_of("files", _entry, sql, self.user, page=page, limit=limit)

    @look
    def search_files(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find your files by a part of the name or of the text."""
        sql = "SELECT * FROM files WHERE owner = ? AND instr(lower(name || ' ' || text), ?) ORDER BY folder, name, id"
        return self.page_of("files", _entry, sql, self.user, pattern(query), page=page, limit=limit)

    @look
    def read_file(self, file_id: int) -> Any:
        """Read a file of yours, or one that is shared with you."""
        row = self._readable(file_id)
        self.show("file texts", file_id)
        return {**_entry(row), "text": row["text"]}

    @look
    def list_shares(self, file_id: int) -> Any:
        """List the people with whom a file of yours is shared."""
        self.own("files", file_id, "file")
        self.show("shares", file_id)
        sql = (
            "SELECT name, email, can_edit FROM shares JOIN people ON people.id = person_id WHERE file_id "
            "= ? ORDER BY name"
        )
        return [{**dict(row), "can_edit": bool(row["can_edit"])} for row in self.world.rows(sql, file_id)]

    @look
    def list_shared_with_me(self, page: int = 0, limit: int = 10) -> Any:
        """List the files that others share with you."""
        sql = (
            "SELECT files.*, people.name AS owner_name, can_edit FROM shares JOIN files ON files.id = file_id JOIN "
            "people ON people.id = files.owner WHERE person_id = ? ORDER BY files.id"
        )
        return self.page_of("files", self._shared, sql, self.user, page=page, limit=limit)

    @change
    def create_folder(self, folder: str) -> Any:
        """Make a folder."""
        path = _path(folder)
        if self._has_folder(path):
            raise ToolFailure(f"There is a folder {path} already.")
        self.add("folders", owner=self.user, path=path)
        return "Made."

    @change
    def delete_folder(self, folder: str) -> Any:
        """Delete an empty folder."""
        path = self._folder(folder)
        if path == "/":
            raise ToolFailure("The folder / stays.")
        if self.world.row("SELECT 1 FROM files WHERE owner = ? AND folder = ?", self.user, path):
            raise ToolFailure(f"The folder {path} is not empty.")
        self.world.write("DELETE FROM folders WHERE owner = ? AND path = ?", self.user, path)
        return "Deleted."

    @change
    def create_file(self, folder: str, name: str, text: str) -> Any:
        """Write a new file."""
        return {"file_id": self._add(self._folder(folder), name, text)}

    @change
    def write_file(self, file_id: int, text: str) -> Any:
        """Replace the text of a file of yours, or of one that you may edit."""
        self._editable(file_id)
        self.update("files", file_id, text=_kept(text), updated=self.now)
        return "Written."

    @change
    def append_to_file(self, file_id: int, text: str) -> Any:
        """Add a line to the end of a file of yours, or of one that you may edit."""
        row = self._editable(file_id)
        self.update("files", file_id, text=_kept(f"{row['text']}\n{_kept(text)}"), updated=self.now)
        return "Added."

    @change
    def rename_file(self, file_id: int, name: str) -> Any:
        """Rename a file of yours."""
        row = self._unlocked(file_id)
        self.update("files", file_id, name=self._free(row["folder"], name))
        return "Renamed."

    @change
    def move_file(self, file_id: int, folder: str) -> Any:
        """Move a file of yours to another folder."""
        row, path = self._unlocked(file_id), self._folder(folder)
        self._free(path, row["name"])
        self.update("files", file_id, folder=path)
        return "Moved."

    @change
    def copy_file(self, file_id: int, folder: str, name: str) -> Any:
        """Copy a file of yours, or one that is shared with you.

        Args:
            name: The name of the copy.
        """
        row = self._readable(file_id)
        return {"file_id": self._add(self._folder(folder), name, row["text"])}

    @change
    def delete_file(self, file_id: int) -> Any:
        """Delete a file of yours; nobody it was shared with has it any longer."""
        self._unlocked(file_id)
        self.world.write("DELETE FROM shares WHERE file_id = ?", file_id)
        self.remove("files", file_id)
        return "Deleted."

    @change
    def lock_file(self, file_id: int, is_locked: bool = True) -> Any:
        """Lock a file of yours, so that it can be read and copied only; or unlock it.

        Args:
            is_locked: Whether it is locked from now on.
        """
        self.own("files", file_id, "file")
        self.update("files", file_id, is_locked=int(is_locked))
        return "Done."

    @change
    def share_file(self, file_id: int, email: str, can_edit: bool = False) -> Any:
        """Share a file of yours with a person, or change what the person may do with it.

        Args:
            can_edit: Whether the person may change it.
        """
        self.own("files", file_id, "file")
        person = self.person("email", email)["id"]
        if person == self.user:
            raise ToolFailure("That is your own address.")
        self.world.write("REPLACE INTO shares VALUES (?, ?, ?)", file_id, person, int(can_edit))
        return "Shared."

    @change
    def unshare_file(self, file_id: int, email: str) -> Any:
        """No longer share a file of yours with a person."""
        self.own("files", file_id, "file")
        person = self.person("email", email)["id"]
        if not self.world.write("DELETE FROM shares WHERE file_id = ? AND person_id = ?", file_id, person):
            raise ToolFailure("It is not shared with that person.")
        return "Done."

    def _shared(self, row: sqlite3.Row) -> dict[str, Any]:
        return {**_entry(row), "owner": row["owner_name"], "can_edit": bool(row["can_edit"])}

    def _has_folder(self, path: str) -> bool:
        sql = "SELECT 1 FROM folders WHERE owner = ? AND path = ?"
        return self.world.row(sql, self.user, path) is not None

    def _folder(self, folder: str) -> str:
        path = _path(folder)
        if not self._has_folder(path):
            raise ToolFailure(f"You have no folder {path[:60]!r}.")
        return path

    def _share(self, number: int) -> sqlite3.Row | None:
        return self.world.row("SELECT * FROM shares WHERE file_id = ? AND person_id = ?", number, self.user)

    def _readable(self, number: int) -> sqlite3.Row:
        row = self.world.row("SELECT * FROM files WHERE id = ?", number)
        if row is None or (row["owner"] != self.user and self._share(number) is None):
            raise ToolFailure(f"You have no file {number}.")
        self.show("files", number)
        return row

    def _editable(self, number: int) -> sqlite3.Row:
        row, share = self._readable(number), self._share(number)
        if row["owner"] != self.user and not (share is not None and share["can_edit"]):
            raise ToolFailure(f"File {number} is shared with you for reading only.")
        if row["is_locked"]:
            raise ToolFailure(f"File {number} is locked.")
        return row

    def _unlocked(self, number: int) -> sqlite3.Row:
        row = self.own("files", number, "file")
        if row["is_locked"]:
            raise ToolFailure(f"File {number} is locked.")
        return row

    def _free(self, folder: str, name: str) -> str:
        kept = text(name, "name", most=80)
        if "/" in kept:
            raise ToolFailure("A name has no slash.")
        if self.world.row("SELECT 1 FROM files WHERE owner = ? AND folder = ? AND name = ?", self.user, folder, kept):
            raise ToolFailure(f"There is a file {kept} in {folder} already.")
        return kept

    def _add(self, folder: str, name: str, kept: str) -> int:
        values = {"owner": self.user, "folder": folder, "name": self._free(folder, name), "text": _kept(kept)}
        return self.add("files", **values, updated=self.now, is_locked=0)


def _path(folder: str) -> str:
    return f"/{text(folder, 'folder', most=120).strip('/')}".lower()


def _kept(value: str) -> str:
    return text(value, "text")
