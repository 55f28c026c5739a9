from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentgym.errors import SandboxFileError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.engines.process import ProcessProvider
from agentgym.sandbox.runner.files import packed_tree, unpack_tree
from agentgym.sandbox.spec import SandboxSpec

SPEC = SandboxSpec().relaxed("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")
MIB = 1 << 20


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with ProcessProvider().start(SPEC) as started:
        yield started


def archive(*members: tuple[str, bytes | str | None, bytes]) -> io.BytesIO:
    """An archive of (name, content or link target, type)."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name, content, kind in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            if isinstance(content, str):
                member.linkname = content
            elif content is not None:
                member.size = len(content)
            tar.addfile(member, io.BytesIO(content) if isinstance(content, bytes) else None)
    stream.seek(0)
    return stream


REG, SYM, HARD, DIR = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE
HOSTILE: dict[str, Callable[[], io.BytesIO]] = {
    "absolute name": lambda: archive(("/etc/x", b"1", REG)),
    "name with ..": lambda: archive(("a/../../x", b"1", REG)),
    "absolute link": lambda: archive(("a", "/etc/passwd", SYM)),
    "link with ..": lambda: archive(("a", "../x", SYM)),
    "link through a link": lambda: archive(
        ("deep/er", None, DIR), ("deep/er/up", "../..", SYM), ("deep/er/out", "up/../x", SYM)
    ),
    "file through a link": lambda: archive(("a", "..", SYM), ("a/x", b"1", REG)),
    "file through a link that stays": lambda: archive(("b", None, DIR), ("a", "b", SYM), ("a/x", b"1", REG)),
    "hard link to the outside": lambda: archive(("a", "/etc/passwd", HARD)),
    "hard link with ..": lambda: archive(("a", "../x", HARD)),
    "hard link to a link": lambda: archive(("a", "b", SYM), ("c", "a", HARD)),
    "character device": lambda: archive(("a", None, tarfile.CHRTYPE)),
    "block device": lambda: archive(("a", None, tarfile.BLKTYPE)),
    "pipe": lambda: archive(("a", None, tarfile.FIFOTYPE)),
    "file twice": lambda: archive(("a", b"1", REG), ("a", b"2", REG)),
    "file as folder": lambda: archive(("a", b"1", REG), ("a/b", b"2", REG)),
    "deeper than Python recurses": lambda: archive((f"{'a/' * 1500}x", b"1", REG)),
    "no archive": lambda: io.BytesIO(os.urandom(20480)),
    "cut archive": lambda: io.BytesIO(archive(("a", b"1" * 5000, REG)).getvalue()[:3000]),
    "too large": lambda: archive(("a", b"1" * (MIB + 1), REG)),
    "too large together": lambda: archive(*((str(n), b"1" * (MIB // 4), REG) for n in range(5))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_unpack_refuses(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(SandboxFileError):
        unpack_tree(HOSTILE[name](), folder / "new", MIB)
    assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == [folder]


def test_unpack_refuses_a_header_that_announces_more_than_is_allowed(tmp_path: Path) -> None:
    class Endless:
        num_bytes = 0

        def read(self, size: int) -> bytes:
            self.num_bytes += size
            return header.read(size).ljust(size, b"a")

    member = tarfile.TarInfo("pax")
    member.type, member.size = tarfile.XHDTYPE, 1 << 40
    header = io.BytesIO(member.tobuf(tarfile.GNU_FORMAT))
    source = Endless()
    with pytest.raises(SandboxFileError):
        unpack_tree(source, tmp_path / "new", MIB)
    assert source.num_bytes < 100 * MIB


def test_unpack_takes_no_special_bits(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name, mode in (("a", 0o6755), ("b", 0)):
            member = tarfile.TarInfo(name)
            member.mode = mode
            tar.addfile(member)
    stream.seek(0)
    unpack_tree(stream, tmp_path / "new", MIB)
    assert [(tmp_path / "new" / name).stat().st_mode & 0o7777 for name in "ab"] == [0o755, 0o600]


def test_packed_tree_refuses_links_that_leave_and_special_files(tmp_path: Path) -> None:
    for make in (
        lambda path: path.symlink_to("/etc/passwd"),
        lambda path: path.symlink_to("../../x"),
        lambda path: os.mkfifo(path),
    ):
        folder = tmp_path / os.urandom(4).hex()
        folder.mkdir()
        make(folder / "bad")
        with pytest.raises(SandboxFileError):
            list(packed_tree(folder))


def test_trees_round_trip(sandbox: Sandbox, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a/b").mkdir(parents=True)
    (source / "empty").mkdir()
    (source / "a/b/large").write_bytes(os.urandom(700_001))
    (source / "run").write_text("#!/bin/sh\necho ran\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("a/b/large")
    (source / "dangling").symlink_to("nowhere")
    (source / ("n" * 200)).write_text("long")
    odd = os.fsencode(source) + b"/\xff\n -x"
    with open(odd, "w") as writer:
        writer.write("odd")
    sandbox.upload(source, "up/here")
    assert sandbox.exec(["up/here/run"]).stdout == b"ran\n"
    sandbox.download("up/here", tmp_path / "back")

    def content(folder: Path) -> dict[str, object]:
        found: dict[str, object] = {}
        for path in folder.rglob("*"):
            found[str(path.relative_to(folder))] = (
                os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None,
                path.lstat().st_mode,
            )
        return found

    assert content(tmp_path / "back") == content(source)


def test_upload_and_download_of_one_file(sandbox: Sandbox, tmp_path: Path) -> None:
    content = os.urandom(300_000)
    (tmp_path / "a").write_bytes(content)
    sandbox.upload(tmp_path / "a", "sub/a")
    sandbox.download("sub/a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == content
    with pytest.raises(SandboxFileError):
        sandbox.upload(tmp_path / "missing", "x")


def test_upload_keeps_within_the_work_folder(sandbox: Sandbox, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "x").write_text("1")
    (tmp_path / "outside").mkdir()
    sandbox.exec(["ln", "-s", str(tmp_path / "outside"), "link"])
    with pytest.raises(SandboxFileError):
        sandbox.upload(source, "link")
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize(
    "script",
    [
        "ln -s /etc/passwd tree/x",
        "ln -s ../.. tree/x",
        "mkfifo tree/x",
        "head -c 2000000 /dev/zero > tree/x",
        "rm -r tree",
    ],
)
def test_download_refuses_and_leaves_nothing(sandbox: Sandbox, tmp_path: Path, script: str) -> None:
    sandbox.exec(["sh", "-c", f"mkdir tree; echo 1 > tree/a; {script}"])
    with pytest.raises(SandboxFileError):
        sandbox.download("tree", tmp_path / "new", max_bytes=MIB)
    assert list(tmp_path.iterdir()) == []


def test_download_never_overwrites(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write_file("a", b"1")
    (tmp_path / "a").write_text("kept")
    with pytest.raises(SandboxFileError):
        sandbox.download("a", tmp_path / "a")
    assert (tmp_path / "a").read_text() == "kept"
