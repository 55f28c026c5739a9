"""Hunts the original of edited files in everything that a sandbox holds: texts, byte code, archives and git objects.

Standard input: JSON with the work folder, the folders to search, and per case its snippets and modules. Standard
output: JSON with the traces of each case.
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

MAX_BYTES = 16 << 20
SKIPPED = ("/proc", "/sys", "/dev")
GIT = (
    "git",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.directory=*",
)


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


def names_in(path: str) -> list[str]:
    """Names of the members of an archive."""
    try:
        if zipfile.is_zipfile(path):
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


def git_contents(folder: str) -> Iterator[tuple[str, bytes | None]]:
    """Every text of a repository, reachable or not; None stands for more commits than one."""
    listed = subprocess.run(  # noqa: S603 - git, with settings of ours
        [*GIT, "-C", folder, "cat-file", "--batch-all-objects", "--batch-check"], capture_output=True, check=False
    )
    commits = 0
    for line in listed.stdout.decode().splitlines():
        name, kind, _ = line.split()
        commits += kind == "commit"
        if kind == "blob":
            shown = subprocess.run([*GIT, "-C", folder, "cat-file", "blob", name], capture_output=True, check=False)  # noqa: S603
            yield f"{folder}: object {name[:12]}", shown.stdout
    if commits > 1:
        yield f"{folder}: {commits} commits", None


def traces(asked: dict[str, Any]) -> dict[str, list[str]]:
    """Where the original of each case was found."""
    found: dict[str, list[str]] = {name: [] for name in asked["cases"]}
    cases = {
        name: ([each.encode() for each in case["snippets"]], tuple(case["modules"]))
        for name, case in asked["cases"].items()
    }
    skipped = (*SKIPPED, *asked["skipped"])
    for folder in asked["folders"]:
        for path in files_below(folder, skipped):
            content = content_of(path)
            inner = [file_of_code(content)] if path.endswith(".pyc") else names_in(path)
            is_work = path.startswith(asked["work"] + "/")
            for name, (snippets, modules) in cases.items():
                if any(snippet in content for snippet in snippets):
                    found[name].append(f"{path}: holds the original text")
                elif any(each.endswith(modules) for each in inner):
                    found[name].append(f"{path}: was made of the module")
                elif not is_work and path.endswith(tuple(f"/{module}" for module in modules)):
                    found[name].append(f"{path}: is named as the module")
    for folder in asked["repositories"]:
        for place, blob in git_contents(folder) if os.path.isdir(os.path.join(folder, ".git")) else ():
            for name, (snippets, _) in cases.items():
                if blob is None:
                    found[name].append(place)
                elif any(snippet in blob for snippet in snippets):
                    found[name].append(f"{place}: holds the original text")
    return found


if __name__ == "__main__":
    json.dump(traces(json.load(sys.stdin)), sys.stdout)
    sys.stdout.write("\n")
