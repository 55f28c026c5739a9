import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from agentgym.errors import TaskError
from agentgym_swe.terminal.work_folder import archive, disarm


def test_archive_holds_texts_bytes_modes_links_and_folders() -> None:
    files = {
        "a.txt": "text",
        "b/run.sh": {"content": "#!/bin/sh\n", "mode": "755"},
        "raw": {"base64": "AP8="},
        "link": {"link": "a.txt"},
        "empty/": {},
    }
    with tarfile.open(fileobj=io.BytesIO(archive(files))) as tar:
        members = {member.name: member for member in tar.getmembers()}
        raw = tar.extractfile("raw")
        assert raw is not None
        assert raw.read() == b"\x00\xff"
    assert (members["b/run.sh"].mode, members["a.txt"].mode) == (0o755, 0o644)
    assert members["link"].linkname == "a.txt"
    assert members["empty"].isdir()


@pytest.mark.parametrize("path", ["/etc/passwd", "../out", "a/../../out"])
def test_archive_refuses_paths_that_leave(path: str) -> None:
    with pytest.raises(TaskError, match="inside its work folder"):
        archive({path: "x"})


def test_archive_refuses_unknown_keys() -> None:
    with pytest.raises(TaskError, match=r"unknown keys \['owner'\]"):
        archive({"a": {"content": "", "owner": "root"}})


def test_disarmed_repository_runs_nothing_and_keeps_its_commits(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
        environment |= {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        command = ["git", "-C", str(tmp_path / "work"), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    (tmp_path / "work").mkdir()
    git("init", "-q", "-b", "main")
    (tmp_path / "work" / "a.txt").write_text("a")
    git("add", "a.txt")
    git("commit", "-q", "-m", "One")
    owned = tmp_path / "owned"
    git("config", "core.fsmonitor", f"touch {owned}")
    hook = tmp_path / "work" / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {owned}\n")
    hook.chmod(0o755)
    (tmp_path / "work" / "sub").mkdir()
    (tmp_path / "work" / "sub" / ".git").write_text("gitdir: /elsewhere\n")
    assert disarm(tmp_path / "work")
    assert git("log", "--format=%s") == "One\n"
    assert git("status", "--porcelain") == "?? sub/\n" or git("status", "--porcelain") == ""
    assert not owned.exists()
    assert not hook.exists()
    assert not (tmp_path / "work" / "sub" / ".git").exists()


def test_folder_without_a_repository_is_said_so(tmp_path: Path) -> None:
    assert not disarm(tmp_path)
    (tmp_path / ".git").symlink_to("/nowhere")
    assert not disarm(tmp_path)
    assert not (tmp_path / ".git").is_symlink()
