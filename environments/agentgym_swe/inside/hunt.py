"""Hunts the original of edited files in everything that a sandbox holds: texts, byte code, archives and git objects.

Standard input: JSON with the work folder, the folders to search, what a command of git begins with, and per case its
snippets and modules. Standard output: JSON with the traces of each case, and how many files and git objects were read.
"""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
import tarfile
import types
import zipfile
from collections.abc import Iterator
from typing import Any

MAX_BYTES = 1 << 20
SKIPPED = ("/proc", "/sys", "/dev")


def files_below(folder: str, skipped: tuple[str, ...]) -> Iterator[str]:
    """Regular files below a folder; links are not followed."""
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(at, name) not in skipped]
        for name in names:
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def content_of(path: str) -> bytes:
    """A file's content; empty where it cannot be read or is too large for a text."""
    try:
        if os.path.getsize(path) > MAX_BYTES:
            return b""
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def names_in(path: str, content: bytes) -> list[str]:
    """Names of the members of an archive, which its first bytes or its name tell."""
    try:
        if content[:2] == b"PK" or path.endswith((".zip", ".whl", ".egg")):
            with zipfile.ZipFile(path) as packed:
                return packed.namelist()
        if path.endswith((".tar", ".tgz", ".gz", ".bz2", ".xz")) and tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                return archive.getnames()
    except (OSError, zipfile.BadZipFile, tarfile.TarError, EOFError):
        return []
    return []


def file_of_code(content: bytes) -> str:
    """The source that byte code was made of; "" where it is none."""
    try:
        code = marshal.loads(content[16:])  # noqa: S302 - hostile byte code can at worst end this process
    except (ValueError, EOFError, TypeError):
        return ""
    return code.co_filename if isinstance(code, types.CodeType) else ""


def git_contents(git: list[str], folder: str) -> Iterator[tuple[str, bytes | None]]:
    """Every text of a repository, reachable or not; None stands for more commits than one."""
    command = [*git, "-C", folder, "cat-file", "--batch-all-objects", "--batch"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603 - with settings of ours
    commits = at = 0
    while at < len(listed):
        head = listed.index(b"\n", at)
        name, kind, size = listed[at:head].decode().split()
        at = head + 1 + int(size) + 1
        commits += kind == "commit"
        if kind == "blob":
            yield f"{folder}: object {name[:12]}", listed[head + 1 : at - 1]
    if commits > 1:
        yield f"{folder}: {commits} commits", None


class Hunted:
    """What is hunted, and where it was found.

    Args:
        cases: By name the pieces of text and the paths of modules.
    """

    def __init__(self, cases: dict[str, dict[str, list[str]]]) -> None:
        self.found: dict[str, list[str]] = {name: [] for name in cases}
        self.by_line: dict[bytes, list[tuple[str, bytes]]] = {}
        self.by_module: dict[str, list[str]] = {}
        for name, case in cases.items():
            for text in case["snippets"]:
                longest = max(text.encode().split(b"\n"), key=len).strip()
                self.by_line.setdefault(longest, []).append((name, text.encode()))
            for module in case["modules"]:
                self.by_module.setdefault(f"/{module}", []).append(name)

    def look(self, place: str, content: bytes) -> None:
        """Look for the pieces in a text; one line of each is looked up first."""
        for line in self.by_line.keys() & {line.strip() for line in content.split(b"\n")}:
            for name, piece in self.by_line[line]:
                if piece in content:
                    self.found[name].append(f"{place}: holds the original text")

    def compare(self, place: str, names: list[str], what: str) -> None:
        """Compare names of files with those of the modules."""
        ends = tuple(self.by_module)
        for each in (f"/{name}" for name in names):
            for module in [end for end in ends if each.endswith(end)] if each.endswith(ends) else ():
                for name in self.by_module[module]:
                    self.found[name].append(f"{place}: {what}")


def traces(asked: dict[str, Any]) -> dict[str, Any]:
    """Where the original of each case was found, and how much was read."""
    hunted = Hunted(asked["cases"])
    num_files = num_objects = 0
    for path in (path for folder in asked["folders"] for path in files_below(folder, (*SKIPPED, *asked["skipped"]))):
        num_files += 1
        content = content_of(path)
        hunted.look(path, content)
        inner = [file_of_code(content)] if path.endswith(".pyc") else names_in(path, content)
        hunted.compare(path, inner, "was made of the module")
        if not path.startswith(asked["work"] + "/"):
            hunted.compare(path, [path], "is named as the module")
    for folder in (each for each in asked["repositories"] if os.path.isdir(os.path.join(each, ".git"))):
        for place, blob in git_contents(asked["git"], folder):
            num_objects += blob is not None
            if blob is not None:
                hunted.look(place, blob)
                continue
            for name in hunted.found:
                hunted.found[name].append(place)
    return {"traces": hunted.found, "files": num_files, "objects": num_objects}


if __name__ == "__main__":
    json.dump(traces(json.load(sys.stdin)), sys.stdout)
    sys.stdout.write("\n")
