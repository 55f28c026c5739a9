"""Repositories written and read without git: git agrees, and what git does is found."""

import subprocess
from pathlib import Path

import pytest

from agentgym_tools.mcp.kinds.git_scene import CLEAN, MODIFIED, STAGED, draw_repository
from agentgym_tools.mcp.repository.model import Repository
from agentgym_tools.mcp.repository.objects import DamagedError, packed, read_index, unpacked
from agentgym_tools.mcp.rules.repositories import difference

WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@mail.test")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *WHO, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def lay(repository: Repository, folder: Path) -> Path:
    for path, content in repository.to_files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


@pytest.fixture
def start() -> Repository:
    return next(iter(draw_repository(7, MODIFIED).values()))


@pytest.fixture
def folder(start: Repository, tmp_path: Path) -> Path:
    return lay(start, tmp_path)


@pytest.mark.parametrize("mode", [CLEAN, MODIFIED, STAGED])
def test_git_reads_what_was_written(mode: str, tmp_path: Path) -> None:
    ((_, repository),) = draw_repository(3, mode).items()
    lay(repository, tmp_path)
    assert git(tmp_path, "fsck", "--full", "--strict") == ""
    assert git(tmp_path, "log", "--format=%H", "main").split() == repository.log("main")
    status = git(tmp_path, "status", "--porcelain")
    assert ("??" in status, "M " in status) == (mode != CLEAN, mode == STAGED or "M " in status)
    assert (status == "") is repository.is_clean()
    assert difference(tmp_path, repository, repository) == ""


def test_the_same_number_draws_the_same_repository() -> None:
    draw_repository.cache_clear()
    one = next(iter(draw_repository(5, STAGED).values())).to_files()
    draw_repository.cache_clear()
    assert next(iter(draw_repository(5, STAGED).values())).to_files() == one


def test_what_git_does_is_right_if_it_is_what_was_asked(start: Repository, folder: Path) -> None:
    first, second, *_ = sorted(path for path in start.index if start.work_ids()[path] != start.index[path])
    expected = start.copy()
    expected.apply([["stage", first], ["commit", "One"], ["branch", "plan"], ["switch", "plan"], ["stage", second]])
    git(folder, "checkout", "-q", "-b", "plan")
    git(folder, "add", first)
    git(folder, "commit", "-qm", "One")
    assert "main: it is at another commit" in difference(folder, start, expected) or "missing" in difference(
        folder, start, expected
    )
    git(folder, "branch", "-f", "main", "plan")
    assert difference(folder, start, expected) == f"what is staged differs: {second}"
    git(folder, "add", second)
    git(folder, "pack-refs", "--all")
    assert difference(folder, start, expected) == ""


@pytest.mark.parametrize(
    ("commands", "why"),
    [
        ([["branch", "more"]], "missing or too many: refs/heads/more"),
        ([["tag", "-f", "v1"]], "refs/tags/v1: it is at another commit"),
        ([["commit", "-qm", "Empty", "--allow-empty"]], "refs/heads/main: it is at another commit"),
        ([["add", "."]], "what is staged differs"),
        ([["checkout", "-q", "--", "."]], "files in the folder differ"),
        ([["checkout", "-q", "--detach"]], "is checked out, not main"),
        ([["config", "core.hooksPath", "/tmp"]], "settings of the repository differ: .git/config"),
        ([["stash", "-q"]], "missing or too many: refs/stash"),
    ],
)
def test_whatever_else_is_done_is_seen(start: Repository, folder: Path, commands: list[list[str]], why: str) -> None:
    for command in commands:
        git(folder, *command)
    assert why in difference(folder, start, start)


def test_a_commit_with_another_message_or_content_is_wrong(start: Repository, folder: Path) -> None:
    path = next(path for path in sorted(start.index) if start.work_ids()[path] != start.index[path])
    expected = start.copy()
    expected.apply([["stage", path], ["commit", "Right"]])
    git(folder, "add", path)
    git(folder, "commit", "-qm", "Wrong")
    assert "a commit says 'Wrong', not 'Right'" in difference(folder, start, expected)
    git(folder, "commit", "-q", "--amend", "-m", "Right")
    assert difference(folder, start, expected) == ""
    git(folder, "commit", "-qam", "Right", "--amend")
    assert "holds other files" in difference(folder, start, expected)


def test_hooks_and_filters_of_a_repository_do_nothing(start: Repository, folder: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    hook = folder / ".git/hooks/post-checkout"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {trap}\n")
    hook.chmod(0o755)
    (folder / ".git/config").write_text(f"[core]\n\tfsmonitor = touch {trap}\n")
    assert "settings of the repository differ" in difference(folder, start, start)
    assert not trap.exists()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".git/index", b"DIRC\0\0\0\2\0\0\xff\xff"),
        (".git/index", b""),
        (".git/HEAD", b"\xff\xfe"),
        (".git/refs/heads/main", b"../../../etc/passwd\n"),
        (".git/refs/heads/main", b"0" * 40),
    ],
)
def test_a_damaged_repository_is_wrong_and_raises_nothing(
    start: Repository, folder: Path, path: str, content: bytes
) -> None:
    (folder / path).write_bytes(content)
    assert difference(folder, start, start)


def test_objects_and_indexes_that_are_none_are_refused() -> None:
    for bad in (b"", b"no zlib", packed("blob", b"x" * 5_000_000)):
        with pytest.raises(DamagedError):
            unpacked(bad)
    with pytest.raises(DamagedError):
        read_index(b"DIRC\0\0\0\4\0\0\0\0")
