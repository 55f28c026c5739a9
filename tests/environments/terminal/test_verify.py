import base64
import hashlib
from typing import Any

import pytest

from agentgym.errors import TaskError
from agentgym_swe.terminal.verify import failures


def entry(text: str, mode: str = "644") -> dict[str, Any]:
    return {"type": "file", "mode": mode, "content": base64.b64encode(text.encode()).decode()}


def blob(text: str) -> str:
    return hashlib.sha1(f"blob {len(text)}\0{text}".encode()).hexdigest()


STATE: dict[str, Any] = {
    "files": {
        "a.txt": entry("one\ntwo\n"),
        "run.sh": entry("#!", "755"),
        "dir": {"type": "folder", "mode": "700"},
        "current": {"type": "link", "mode": "777", "link": "releases/2"},
        "pipe": {"type": "other", "mode": "644"},
    },
    "git": {
        "branch": "main",
        "branches": {"main": {"subjects": ["Two", "One"], "blobs": {"a.txt": blob("one\n")}}},
        "tags": {"v1": "One"},
        "status": [],
    },
}


@pytest.mark.parametrize(
    "check",
    [
        {"path": "a.txt", "content": "one\ntwo"},
        {"path": "run.sh", "mode": "755"},
        {"path": "dir", "folder": True},
        {"path": "dir", "mode": "700"},
        {"path": "current", "link": "releases/2"},
        {"path": "gone", "absent": True},
        {"branch": "main"},
        {"of": "main", "subjects": ["Two", "One"]},
        {"of": "main", "blob": "a.txt", "content": "one\n"},
        {"of": "main", "blob": "b.txt", "content": None},
        {"no_branch": "topic"},
        {"tag": "v1", "subject": "One"},
        {"clean": True},
    ],
)
def test_check_that_holds_is_no_failure(check: dict[str, Any]) -> None:
    assert failures(STATE, [check]) == []


@pytest.mark.parametrize(
    ("check", "why"),
    [
        ({"path": "a.txt", "content": "one"}, "another content"),
        ({"path": "a.txt", "content": "one\n\ntwo"}, "another content"),
        ({"path": "current", "content": "one"}, "no readable file"),
        ({"path": "pipe", "content": ""}, "no readable file"),
        ({"path": "b.txt", "content": ""}, "missing"),
        ({"path": "run.sh", "mode": "700"}, "has the mode 755"),
        ({"path": "a.txt", "folder": True}, "no folder"),
        ({"path": "current", "link": "releases/1"}, "no link"),
        ({"path": "a.txt", "link": "releases/1"}, "no link"),
        ({"path": "a.txt", "absent": True}, "still there"),
        ({"branch": "topic"}, "the branch is 'main'"),
        ({"of": "main", "subjects": ["One"]}, "others"),
        ({"of": "topic", "subjects": ["One"]}, "no branch"),
        ({"of": "main", "blob": "a.txt", "content": "two"}, "another"),
        ({"of": "main", "blob": "a.txt", "content": None}, "another"),
        ({"no_branch": "main"}, "still there"),
        ({"tag": "v1", "subject": "Two"}, "stands on 'One'"),
        ({"tag": "v2", "subject": "Two"}, "stands on None"),
    ],
)
def test_check_that_does_not_hold_says_why(check: dict[str, Any], why: str) -> None:
    (found,) = failures(STATE, [check])
    assert why in found


def test_repository_that_is_not_there_fails_its_checks() -> None:
    assert failures({"files": {}, "git": None}, [{"branch": "main"}]) == ["there is no repository"]


def test_uncommitted_changes_are_not_clean() -> None:
    dirty = {"files": {}, "git": {**STATE["git"], "status": [" M a.txt"]}}
    assert failures(dirty, [{"clean": True}]) == ["1 changes are not committed"]


def test_malformed_check_is_the_tasks_fault() -> None:
    with pytest.raises(TaskError, match=r"unknown keys \['size'\]"):
        failures(STATE, [{"path": "a.txt", "size": 3}])
