"""Says what a folder holds: files with type, mode and content, and the state of a git repository in it.

It reads and runs nothing that lies in the folder; what is right is not known here, and is decided outside.

Standard input: JSON with paths (whose content is wanted) and git (what a command of git begins with, or null). Output:
JSON with files and git.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

MAX_CONTENT = 1 << 18
MAX_ENTRIES = 5000


def described(path: str, is_wanted: bool) -> dict[str, Any]:
    """Type, mode and, where it is wanted, content of one entry; links are not followed."""
    found = os.lstat(path)
    mode = f"{stat.S_IMODE(found.st_mode):03o}"
    if stat.S_ISLNK(found.st_mode):
        return {"type": "link", "mode": mode, "link": os.readlink(path)}
    if stat.S_ISDIR(found.st_mode):
        return {"type": "folder", "mode": mode}
    if not stat.S_ISREG(found.st_mode):
        return {"type": "other", "mode": mode}
    entry: dict[str, Any] = {"type": "file", "mode": mode, "size": found.st_size}
    if is_wanted and found.st_size <= MAX_CONTENT:
        try:
            with open(path, "rb") as file:
                entry["content"] = base64.b64encode(file.read(MAX_CONTENT)).decode()
        except OSError as error:
            entry["unreadable"] = str(error)
    return entry


def listed(wanted: set[str]) -> dict[str, Any]:
    """Every entry below this folder, a repository's own files left out."""
    files: dict[str, Any] = {}
    for folder, folders, names in os.walk("."):
        if ".git" in folders:
            folders.remove(".git")
        for name in sorted([*folders, *names]):
            path = os.path.relpath(os.path.join(folder, name))
            if len(files) < MAX_ENTRIES:
                files[path] = described(path, path in wanted)
    return files


def git(*command: str) -> str:
    """Output of a git command; "" where it fails."""
    ran = subprocess.run(  # noqa: S603 - our own arguments; the repository's configuration was taken away outside
        command, capture_output=True, text=True, errors="replace", timeout=20, check=False
    )
    return ran.stdout if ran.returncode == 0 else ""


def repository(command: Sequence[str]) -> dict[str, Any]:
    """Branches with subjects and files, tags, the current branch, and what is not committed."""
    ask = functools.partial(git, *command)
    branches: dict[str, Any] = {}
    for name in ask("for-each-ref", "--format=%(refname:short)", "refs/heads").splitlines()[:50]:
        blobs = {}
        for line in ask("ls-tree", "-r", name).splitlines():
            about, _, path = line.partition("\t")
            blobs[path] = about.split()[2]
        branches[name] = {"subjects": ask("log", "--format=%s", name, "--").splitlines(), "blobs": blobs}
    tags = {}
    for name in ask("for-each-ref", "--format=%(refname:short)", "refs/tags").splitlines()[:50]:
        tags[name] = ask("log", "-1", "--format=%s", name, "--").strip()
    return {
        "branch": ask("symbolic-ref", "--short", "HEAD").strip(),
        "branches": branches,
        "tags": tags,
        "status": ask("status", "--porcelain").splitlines(),
    }


def main() -> None:
    """Read the request, look, write."""
    request = json.loads(sys.stdin.read())
    state = {"files": listed(set(request["paths"])), "git": None}
    if request["git"]:
        state["git"] = repository(request["git"])
    sys.stdout.write(json.dumps(state))


if __name__ == "__main__":
    main()
