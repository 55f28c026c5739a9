"""The file system: a tree of folders and text files, kept as rows. No path leads to the machine that this runs on."""

from __future__ import annotations

import difflib
import re
from typing import Any

from agentgym_tools.workbench.rows.people import TODAY
from agentgym_tools.workbench.sets.toolbox import LISTED, OwnTools, require, short
from agentgym_tools.worlds.toolbox import reads, writes

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,59}")
MAX_FILE = 20_000
"""Most characters of a file."""


class FileReading(OwnTools):
    """The tools of the file system that read."""

    @reads
    def list_folder(self, folder: str) -> Any:
        """List the files and folders that are directly in a folder.

        Args:
            folder: Path of the folder, such as /notes; / is the root.
        """
        self._require_folder(folder)
        found = [row for row in self._below(folder) if _parent(row["path"]) == folder]
        self.show(LISTED, f"folder {folder}")
        return [self._entry(row) for row in found]

    @reads
    def find_by_name(self, folder: str, part: str) -> Any:
        """List the paths in a folder, also further down, whose name contains a text.

        Args:
            folder: Path of the folder; / is the root.
            part: A part of the name.
        """
        self._require_folder(folder)
        rows = [row for row in self._below(folder) if part.lower() in _name(row["path"]).lower()]
        self.show(LISTED, f"names {folder} {part}")
        return [self._entry(row)["path"] for row in rows]

    @reads
    def find_by_text(self, folder: str, text: str) -> Any:
        """List the files in a folder, also further down, that contain a text, each with the lines that contain it.

        Args:
            folder: Path of the folder; / is the root.
            text: The text; letters' case counts.
        """
        self._require_folder(folder)
        require(bool(text), "text is empty.")
        self.show(LISTED, f"texts {folder} {text}")
        found = []
        for row in self._below(folder):
            if text in row["text"]:
                self.show("match", row["path"])
                found.append({"path": row["path"], "lines": [line for line in row["text"].split("\n") if text in line]})
        return found

    @reads
    def read_file(self, path: str) -> Any:
        """Show the text of a file.

        Args:
            path: Path of the file.
        """
        row = self._file(path)
        self.show("text", path)
        return row["text"]

    @reads
    def show_details(self, path: str) -> Any:
        """Show the kind of a file or folder, its number of characters and lines, and the day when it was changed.

        Args:
            path: Its path.
        """
        return self._entry(self._node(path))

    @reads
    def count_words(self, path: str) -> Any:
        """Count the words of a file.

        Args:
            path: Path of the file.
        """
        return len(self._file(path)["text"].split())

    @reads
    def compare_files(self, path: str, other: str) -> Any:
        """Show the lines in which two files differ.

        Args:
            path: Path of one file.
            other: Path of the other file.
        """
        one, two = self._file(path)["text"], self._file(other)["text"]
        lines = list(difflib.unified_diff(one.split("\n"), two.split("\n"), lineterm="", n=0))[2:]
        return [line for line in lines if not line.startswith("@@")] or "The files are the same."

    @reads
    def measure_folder(self, folder: str) -> Any:
        """Count the files in a folder, also further down, and their characters.

        Args:
            folder: Path of the folder; / is the root.
        """
        self._require_folder(folder)
        files = [row for row in self._below(folder) if row["kind"] == "file"]
        self.show(LISTED, f"size {folder}")
        return {"files": len(files), "characters": sum(len(row["text"]) for row in files)}

    @reads
    def last_lines(self, path: str, count: int) -> Any:
        """Show the last lines of a file.

        Args:
            path: Path of the file.
            count: How many lines, 1 to 50.
        """
        require(1 <= count <= 50, "count is from 1 to 50.")
        lines = self._file(path)["text"].split("\n")
        if count >= len(lines):
            self.show("text", path)
        return lines[-count:]

    def _node(self, path: str) -> Any:
        _require_path(path)
        row = self.world.row("SELECT * FROM nodes WHERE owner = ? AND path = ?", self.me, path)
        if row is None:
            self.show("missing", path)
            self.is_shown_by(f"folder {_parent(path)}")
            raise self.not_found(f"there is no {short(path)}.")
        self.show("nodes", path)
        return row

    def _file(self, path: str) -> Any:
        row = self._node(path)
        if row["kind"] != "file":
            raise self.not_possible(f"{path} is a folder.")
        return row

    def _require_folder(self, folder: str) -> None:
        if folder != "/" and self._node(folder)["kind"] != "folder":
            raise self.not_possible(f"{folder} is a file.")

    def _below(self, folder: str) -> list[Any]:
        start = f"{folder.rstrip('/')}/"
        sql = "SELECT * FROM nodes WHERE owner = ? AND path > ? AND path < ? ORDER BY path"
        return self.world.rows(sql, self.me, start, f"{start}\U0010ffff")

    def _entry(self, row: Any) -> dict[str, Any]:
        self.show("nodes", row["path"])
        if row["kind"] == "folder":
            return {"path": row["path"], "kind": "folder", "changed": row["changed"]}
        lines = row["text"].count("\n") + 1 if row["text"] else 0
        return {"path": row["path"], "characters": len(row["text"]), "lines": lines, "changed": row["changed"]}


class FileTools(FileReading):
    """The tools of the file system."""

    @writes
    def create_folder(self, folder: str) -> Any:
        """Make a folder.

        Args:
            folder: Path of the new folder; the folder that it is in has to exist.
        """
        self._require_free(folder)
        self._put(folder, "folder", "")
        return f"Made the folder {folder}."

    @writes
    def create_file(self, path: str, text: str) -> Any:
        """Make a file with a text.

        Args:
            path: Path of the new file.
            text: Its text.
        """
        self._require_free(path)
        self._put(path, "file", text)
        return f"Made the file {path}."

    @writes
    def append_line(self, path: str, line: str) -> Any:
        """Add a line at the end of a file.

        Args:
            path: Path of the file.
            line: The line.
        """
        text = self._file(path)["text"]
        self._change(path, f"{text}\n{line}" if text else line)
        return f"Added a line to {path}."

    @writes
    def replace_in_file(self, path: str, old: str, new: str) -> Any:
        """Replace a text in a file wherever it occurs.

        Args:
            path: Path of the file.
            old: What is replaced; letters' case counts.
            new: What comes in its place.
        """
        text = self._file(path)["text"]
        require(bool(old), "old is empty.")
        if old not in text:
            self.show("text", path)
            raise self.not_found(f"{path} does not contain {short(old)}.")
        self._change(path, text.replace(old, new))
        return f"Replaced {text.count(old)} times."

    @writes
    def delete_line(self, path: str, line: str) -> Any:
        """Delete the lines of a file that are equal to a text.

        Args:
            path: Path of the file.
            line: The whole line.
        """
        lines = self._file(path)["text"].split("\n")
        if line not in lines:
            self.show("text", path)
            raise self.not_found(f"{path} has no line {short(line)}.")
        self._change(path, "\n".join(each for each in lines if each != line))
        return f"Deleted from {path}."

    @writes
    def sort_lines(self, path: str) -> Any:
        """Put the lines of a file into the order of the alphabet.

        Args:
            path: Path of the file.
        """
        lines = self._file(path)["text"].split("\n")
        if lines == sorted(lines):
            self.show("text", path)
            raise self.is_so_already(f"The lines of {path} are in order.")
        self._change(path, "\n".join(sorted(lines)))
        return f"Sorted the lines of {path}."

    @writes
    def move_to_folder(self, path: str, folder: str) -> Any:
        """Move a file or folder into another folder, under its name.

        Args:
            path: Path of what is moved.
            folder: Path of the folder that it comes into.
        """
        self._node(path)
        self._require_folder(folder)
        if _parent(path) == folder:
            raise self.is_so_already(f"{path} is in {folder}.")
        return self._move(path, f"{folder.rstrip('/')}/{_name(path)}")

    @writes
    def rename(self, path: str, name: str) -> Any:
        """Give a file or folder another name, in the same folder.

        Args:
            path: Its path.
            name: The new name, without a folder.
        """
        self._node(path)
        return self._move(path, f"{_parent(path).rstrip('/')}/{name}")

    @writes
    def copy_to_folder(self, path: str, folder: str) -> Any:
        """Copy a file into another folder, under its name.

        Args:
            path: Path of the file.
            folder: Path of the folder that the copy comes into.
        """
        row = self._file(path)
        self._require_folder(folder)
        new = f"{folder.rstrip('/')}/{_name(path)}"
        self._require_free(new)
        self._put(new, "file", row["text"])
        return f"Made the file {new}."

    @writes
    def delete_entry(self, path: str) -> Any:
        """Delete a file, or a folder that is empty.

        Args:
            path: Its path.
        """
        row = self._node(path)
        if row["kind"] == "folder" and self._below(path):
            self.is_shown_by(f"folder {path}")
            raise self.not_possible(f"{path} is not empty.")
        self.world.write("DELETE FROM nodes WHERE owner = ? AND path = ?", self.me, path)
        return f"Deleted {path}."

    def _require_free(self, path: str) -> None:
        _require_path(path)
        self._require_folder(_parent(path))
        if self.world.row("SELECT 1 FROM nodes WHERE owner = ? AND path = ?", self.me, path) is not None:
            self.show("nodes", path)
            raise self.is_so_already(f"{path} exists.")

    def _put(self, path: str, kind: str, text: str) -> None:
        self.world.write("INSERT INTO nodes VALUES (?, ?, ?, ?, ?)", self.me, path, kind, text, TODAY)

    def _change(self, path: str, text: str) -> None:
        require(len(text) <= MAX_FILE, f"a file holds at most {MAX_FILE} characters.")
        sql = "UPDATE nodes SET text = ?, changed = ? WHERE owner = ? AND path = ?"
        self.world.write(sql, text, TODAY, self.me, path)

    def _move(self, path: str, new: str) -> str:
        if f"{new}/".startswith(f"{path}/"):
            raise (
                self.is_so_already(f"{path} is called so.")
                if new == path
                else self.not_possible("it is inside itself.")
            )
        self._require_free(new)
        rows = [path, *(row["path"] for row in self._below(path))]
        for old in rows:
            moved = f"{new}{old[len(path) :]}"
            require(len(moved) <= 200, "a path has at most 200 characters.")
            sql = "UPDATE nodes SET path = ?, changed = ? WHERE owner = ? AND path = ?"
            self.world.write(sql, moved, TODAY, self.me, old)
        return f"{path} is now {new}."


def _require_path(path: str) -> None:
    parts = path.split("/")
    require(path.startswith("/"), f"{short(path)} is no path; paths begin with /, such as /notes.")
    require(
        len(path) <= 200 and len(parts) <= 9 and all(map(_NAME.fullmatch, parts[1:])),
        f"{short(path)} is no path here; names are of letters, digits, and _ . - inside, and .. is none.",
    )


def _parent(path: str) -> str:
    return path.rsplit("/", 1)[0] or "/"


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
