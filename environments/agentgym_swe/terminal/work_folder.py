"""The files that a task starts with, as an archive; and the folder that an agent left, made safe to look at.

Nothing is run here; what the folder should hold is checked in `verify`.
"""

from __future__ import annotations

import base64
import io
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import TaskError

FIXED_TIME = 1_700_000_000
"""Time of change of all files, seconds since 1970, so that listings repeat."""
_GIT_DATA = ("HEAD", "ORIG_HEAD", "refs", "packed-refs", "objects", "index", "logs", "shallow")
_GIT_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"


def archive(files: Mapping[str, Any]) -> bytes:
    """A tar archive of a task's files.

    Args:
        files: By relative path a text, or an object with `content` or `base64`, `mode` as octal text, or `link`. A path
            that ends with "/" is an empty folder.

    Raises:
        TaskError: A path leaves the folder, or an entry is of another form.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, entry in files.items():
            if path.startswith("/") or ".." in path.split("/"):
                raise TaskError(f"the file {path!r} of a task must be relative and inside its work folder")
            _add(tar, path, {"content": entry} if isinstance(entry, str) else entry)
    return buffer.getvalue()


def _add(tar: tarfile.TarFile, path: str, entry: Mapping[str, Any]) -> None:
    unknown = sorted(set(entry) - {"content", "base64", "mode", "link"})
    if unknown:
        raise TaskError(f"the file {path!r} of a task has the unknown keys {unknown}")
    about = tarfile.TarInfo(path.rstrip("/"))
    about.mtime = FIXED_TIME
    content = b""
    if path.endswith("/"):
        about.type, about.mode = tarfile.DIRTYPE, int(entry.get("mode", "755"), 8)
    elif "link" in entry:
        about.type, about.linkname = tarfile.SYMTYPE, entry["link"]
    else:
        content = base64.b64decode(entry["base64"]) if "base64" in entry else entry["content"].encode()
        about.size, about.mode = len(content), int(entry.get("mode", "644"), 8)
    tar.addfile(about, io.BytesIO(content))


def disarm(folder: Path) -> bool:
    """Leave only the data of the repository in a folder: no configuration, hooks, or pointers to elsewhere.

    git runs programs that a repository's own configuration names; without it a repository is data.

    Returns:
        Whether there is a repository at its top.
    """
    git = folder / ".git"
    for pointer in [path for path in folder.rglob("*") if path.name == ".git" and path != git]:
        _remove(pointer)
    if git.is_symlink() or not git.is_dir():
        _remove(git)
        return False
    for entry in git.iterdir():
        if entry.name not in _GIT_DATA:
            _remove(entry)
    _remove(git / "objects" / "info" / "alternates")
    (git / "config").write_text(_GIT_CONFIG)
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
