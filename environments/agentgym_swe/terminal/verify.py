"""Whether the folder that an agent left is what the task asks for: checks of data, on the harness's side.

A check is a JSON object; its keys say what it is about:

    {"path", "content"}             a regular file with this text, but for newlines at its end
    {"path", "mode"}                permissions as octal text
    {"path", "link"}                a symbolic link with this target
    {"path", "absent": true}        nothing of that name
    {"path", "folder": true}        a folder
    {"branch"}                      the branch that is checked out
    {"of", "subjects"}              the subjects of a branch's commits, newest first
    {"of", "blob", "content"}       a file as it is committed on a branch; content null: not there
    {"no_branch"}                   no branch of that name
    {"tag", "subject"}              a tag, on the commit with this subject
    {"clean": true}                 nothing uncommitted
"""

from __future__ import annotations

import base64
import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from agentgym.errors import SandboxError, SandboxFileError, TaskError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.inert_git import INERT_GIT
from agentgym_swe.terminal.work_folder import disarm

Check = Mapping[str, Any]
MAX_FOLDER_BYTES = 32 << 20
INSPECT_S = 30.0
_INSPECTOR = resources.files("agentgym_swe.terminal.inside").joinpath("inspector.py").read_text(encoding="utf-8")
_GIT_KEYS = ("branch", "of", "no_branch", "tag", "clean")
_KEYS = {"path", "content", "mode", "link", "absent", "folder", "subjects", "blob", "subject", *_GIT_KEYS}


def fetch(sandbox: Sandbox, target: Path, source: str = ".", max_bytes: int = MAX_FOLDER_BYTES) -> str:
    """Copy the agent's work folder out of its sandbox; says what is wrong with it, "" for nothing.

    A folder that cannot be copied safely (links that leave it, devices, too much) is the agent's failure.

    Raises:
        SandboxLostError: The sandbox is gone.
    """
    try:
        sandbox.download(source, target, max_bytes=max_bytes)
    except SandboxFileError as error:
        return f"the work folder could not be taken over: {error}"
    return ""


def state_of(folder: Path, checks: Sequence[Check], sandbox: Sandbox) -> Mapping[str, Any]:
    """What a folder holds, looked at in a fresh sandbox.

    Args:
        folder: The folder on the host; its repository is disarmed.
        checks: They say which contents are needed.
        sandbox: One that the agent never touched.

    Raises:
        SandboxError: The look failed.
    """
    needs_git = any(key in check for check in checks for key in _GIT_KEYS) and disarm(folder)
    sandbox.upload(folder, ".")
    request = {
        "paths": [check["path"] for check in checks if "content" in check and "path" in check],
        "git": [*INERT_GIT, "-c", "core.quotePath=false"] if needs_git else None,
    }
    result = sandbox.exec(
        ["python3", "-I", "-c", _INSPECTOR],
        stdin=json.dumps(request).encode(),
        timeout_s=INSPECT_S,
        max_output_bytes=MAX_FOLDER_BYTES,
    )
    if not result.is_ok:
        raise SandboxError(f"looking at a work folder failed with {result.exit_code}: {result.text()[-300:]}")
    state: Mapping[str, Any] = json.loads(result.stdout)
    return state


def failures(state: Mapping[str, Any], checks: Sequence[Check]) -> list[str]:
    """The checks that do not hold, in words.

    Raises:
        TaskError: A check is malformed.
    """
    return [why for check in checks if (why := _failure(state, check))]


def faults(folder: Path, checks: Sequence[Check], sandbox: Sandbox) -> list[str]:
    """As `failures`, of a folder on the host looked at in a fresh sandbox."""
    return failures(state_of(folder, checks, sandbox), checks)


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Where a work folder is taken over to; removed at the end of the block."""
    return tempfile.TemporaryDirectory(prefix="agentgym-produced-", ignore_cleanup_errors=True)


def _failure(state: Mapping[str, Any], check: Check) -> str:
    unknown = sorted(set(check) - _KEYS)
    if unknown:
        raise TaskError(f"the check {dict(check)} has the unknown keys {unknown}; known: {sorted(_KEYS)}")
    if "path" in check:
        return _file_failure(state["files"].get(check["path"]), check)
    if state["git"] is None:
        return "there is no repository"
    return _git_failure(state["git"], check)


def _file_failure(entry: Mapping[str, Any] | None, check: Check) -> str:
    path = check["path"]
    if check.get("absent"):
        return f"{path} is still there" if entry is not None else ""
    if entry is None:
        return f"{path} is missing"
    if "link" in check:
        return "" if entry.get("link") == check["link"] else f"{path} is no link to {check['link']}"
    if check.get("folder"):
        return "" if entry["type"] == "folder" else f"{path} is no folder"
    if "mode" in check and entry["mode"] != check["mode"]:
        return f"{path} has the mode {entry['mode']}, not {check['mode']}"
    if "content" in check:
        if entry["type"] != "file" or "content" not in entry:
            return f"{path} is no readable file"
        if base64.b64decode(entry["content"]).rstrip(b"\n") != check["content"].encode().rstrip(b"\n"):
            return f"{path} has another content"
    return ""


def _git_failure(git: Mapping[str, Any], check: Check) -> str:
    if "branch" in check:
        return "" if git["branch"] == check["branch"] else f"the branch is {git['branch']!r}, not {check['branch']!r}"
    if "no_branch" in check:
        return f"the branch {check['no_branch']!r} is still there" if check["no_branch"] in git["branches"] else ""
    if "tag" in check:
        found = git["tags"].get(check["tag"])
        return "" if found == check["subject"] else f"the tag {check['tag']!r} stands on {found!r}"
    if "clean" in check:
        return "" if not git["status"] else f"{len(git['status'])} changes are not committed"
    branch = git["branches"].get(check["of"])
    if branch is None:
        return f"there is no branch {check['of']!r}"
    if "subjects" in check:
        same = branch["subjects"] == list(check["subjects"])
        return "" if same else f"the commits of {check['of']!r} are others"
    expected = None if check["content"] is None else _blob_hash(check["content"].encode())
    same = branch["blobs"].get(check["blob"]) == expected
    return "" if same else f"{check['blob']} on {check['of']!r} is another"


def _blob_hash(content: bytes) -> str:
    """The name that git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
