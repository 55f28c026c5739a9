"""Work folders on the host: what a reset throws away, what a snapshot keeps, and what is never left behind."""

import errno
import hashlib
import os
import stat
import threading
from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym.sandbox.leasing.mounts import mount_table, mounts_below, share_mounts, unmount
from agentgym.sandbox.leasing.tree_copy import TreeCopy
from agentgym.sandbox.leasing.workspace import MAX_LAYERS, LayerStore, Workspace, remove_tree

needs_mount = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a work folder needs root")


@pytest.fixture
def state(tmp_path):
    """A folder whose mounts are shared, gone at the end."""
    folder = tmp_path / "state"
    folder.mkdir()
    share_mounts(folder)
    yield folder
    remove_tree(folder / "sandbox")
    assert mounts_below(folder) == []
    unmount(folder)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("a = 1\n")
    (folder / "src" / "run").write_text("#!/bin/sh\n")
    (folder / "src" / "run").chmod(0o755)
    (folder / "link").symlink_to("src/a.py")
    return folder


@pytest.fixture
def workspace(state, repository):
    space = Workspace(state / "sandbox", size_mib=8, uid=1000, gid=1000)
    space.mount([LayerStore(state / "sandbox" / "layers").layer(str(repository), 1000, 1000)])
    return space


@needs_mount
def test_workspace_shows_the_pristine_files_as_the_user_s_own(workspace):
    assert (workspace.work / "src" / "a.py").read_text() == "a = 1\n"
    assert os.readlink(workspace.work / "link") == "src/a.py"
    owners = {(os.lstat(path).st_uid, os.lstat(path).st_gid) for path in [workspace.work, *workspace.work.rglob("*")]}
    assert owners == {(1000, 1000)}
    assert stat.S_IMODE((workspace.work / "src" / "run").stat().st_mode) == 0o755


@needs_mount
def test_reset_throws_every_change_away(workspace, repository):
    (workspace.work / "src" / "a.py").write_text("a = 2\n")
    (workspace.work / "src" / "run").unlink()
    (workspace.work / "new").mkdir()
    os.rename(workspace.work / "src", workspace.work / "moved")
    workspace.reset(workspace.layers)
    assert sorted(os.listdir(workspace.work)) == ["link", "src"]
    assert (workspace.work / "src" / "a.py").read_text() == "a = 1\n"
    assert (workspace.work / "src" / "run").exists()
    assert (repository / "src" / "a.py").read_text() == "a = 1\n"


@needs_mount
def test_device_is_that_of_the_mounted_folder(workspace):
    workspace.reset(workspace.layers)
    assert workspace.device in {entry.device for entry in mount_table() if entry.path == str(workspace.work)}


@needs_mount
def test_changes_beyond_the_limit_are_refused(workspace):
    with pytest.raises(OSError, match="No space left"):
        (workspace.work / "large").write_bytes(bytes(9 << 20))
    assert (workspace.work / "large").stat().st_size <= 8 << 20


@needs_mount
def test_a_reset_of_a_folder_in_use_fails_instead_of_hiding_it(workspace, monkeypatch):
    monkeypatch.setattr("agentgym.sandbox.leasing.workspace._BUSY_WAIT_S", 0.01)
    with open(workspace.work / "src" / "a.py", "r+"), pytest.raises(OSError, match="busy"):
        workspace.reset(workspace.layers)


@needs_mount
def test_snapshot_keeps_changes_removals_and_moves(workspace, state):
    (workspace.work / "src" / "a.py").write_text("a = 2\n")
    (workspace.work / "src" / "run").unlink()
    os.rename(workspace.work / "src", workspace.work / "moved")
    (workspace.work / "both").write_text("one")
    os.link(workspace.work / "both", workspace.work / "same")
    layers = workspace.copy_changes(state / "sandbox" / "snapshot")
    workspace.reset(layers)
    assert sorted(os.listdir(workspace.work)) == ["both", "link", "moved", "same"]
    assert os.listdir(workspace.work / "moved") == ["a.py"]
    assert (workspace.work / "moved" / "a.py").read_text() == "a = 2\n"
    assert os.stat(workspace.work / "same").st_nlink == 2


@needs_mount
def test_snapshots_of_snapshots_go_on_beyond_the_number_of_layers(workspace, state):
    for turn in range(MAX_LAYERS + 2):
        (workspace.work / f"turn{turn}").write_text(str(turn))
        if turn:
            (workspace.work / f"turn{turn - 1}").unlink()
        workspace.reset(workspace.copy_changes(state / "sandbox" / f"snapshot{turn}"))
        assert sorted(os.listdir(workspace.work)) == ["link", "src", f"turn{turn}"]
    assert len(workspace.layers) < MAX_LAYERS


@needs_mount
def test_close_unmounts_even_what_is_in_use_and_twice_is_harmless(workspace, state):
    with open(workspace.work / "src" / "a.py", "r+"):
        workspace.close()
        assert mounts_below(state) == []
    workspace.close()


def test_equal_folders_share_a_layer_and_a_folder_is_read_once(tmp_path, repository):
    owner = (os.geteuid(), os.getegid())
    store = LayerStore(tmp_path / "layers")
    first = store.layer(str(repository), *owner)
    (repository / "later").write_text("x")
    assert store.layer(str(repository), *owner) == first
    assert not (first / "later").exists()
    (repository / "later").unlink()
    assert LayerStore(tmp_path / "layers").layer(str(repository), *owner) == first
    assert os.listdir(tmp_path / "layers") == [first.name]


def test_layers_differ_where_content_names_or_modes_do(tmp_path, repository):
    def digest() -> str:
        copy = TreeCopy(digest=hashlib.sha256())
        copy.copy(repository, tmp_path / f"copy{len(os.listdir(tmp_path))}")
        return str(copy.digest.hexdigest())

    seen = [digest()]
    (repository / "src" / "a.py").write_text("a = 3\n")
    seen.append(digest())
    (repository / "src" / "a.py").chmod(0o600)
    seen.append(digest())
    (repository / "src" / "a.py").rename(repository / "src" / "b.py")
    seen.append(digest())
    assert len(set(seen)) == 4


def test_a_missing_or_special_work_folder_is_refused(tmp_path, repository):
    with pytest.raises(ConfigError, match="no folder"):
        LayerStore(tmp_path / "layers").layer(str(tmp_path / "absent"), 0, 0)
    os.mkfifo(repository / "pipe")
    with pytest.raises(ConfigError, match="pipe"):
        LayerStore(tmp_path / "layers").layer(str(repository), os.geteuid(), os.getegid())


def test_tree_copy_keeps_holes_and_never_opens_pipes(tmp_path, repository):
    with open(repository / "sparse", "wb") as file:
        file.truncate(1 << 40)
        file.seek(1 << 30)
        file.write(b"here")
    os.mkfifo(repository / "pipe")
    copy = TreeCopy()
    copy.copy(repository, tmp_path / "copy")
    info = os.stat(tmp_path / "copy" / "sparse")
    assert info.st_size == 1 << 40
    assert copy.num_bytes < 1 << 20
    assert not (tmp_path / "copy" / "pipe").exists()


def test_tree_copy_refuses_a_tree_without_end(tmp_path):
    deep = tmp_path / "deep"
    for _ in range(300):
        deep = deep / "d"
    deep.mkdir(parents=True)
    with pytest.raises(OSError, match="nest deeper"):
        TreeCopy().copy(tmp_path / "deep", tmp_path / "copy")


def test_mount_table_reads_escaped_names():
    line = r"36 35 98:0 /mnt1 /mnt\0402 rw,noatime shared:1 master:2 - ext3 /dev/root rw"
    assert [(entry.path, entry.device, entry.is_shared) for entry in mount_table(line)] == [("/mnt 2", "98:0", True)]


def test_remove_tree_follows_no_link(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    gone = Path(tmp_path / "gone")
    gone.mkdir()
    (gone / "link").symlink_to(tmp_path / "kept")
    remove_tree(gone)
    remove_tree(gone)
    assert not gone.exists()
    assert (tmp_path / "kept" / "file").exists()


def test_remove_tree_goes_deeper_than_any_path(tmp_path, monkeypatch):
    folder = tmp_path / "deep"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for _ in range(1500):
        os.mkdir("further-down")
        os.chdir("further-down")
        Path("file").write_text("x")
    os.chdir(tmp_path)
    remove_tree(folder)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("can_start_threads", [True, False])
def test_remove_tree_unlinks_many_files_in_several_threads(tmp_path, monkeypatch, can_start_threads):
    for number in range(150):
        path = tmp_path / "gone" / f"folder{number % 7}" / f"file{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "gone" / "link").symlink_to(tmp_path / "kept")
    threads, start, unlink = set(), threading.Thread.start, os.unlink

    def refuse(thread):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", start if can_start_threads else refuse)
    monkeypatch.setattr(os, "unlink", lambda path: (threads.add(threading.get_ident()), unlink(path)))
    remove_tree(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()
    assert (tmp_path / "kept" / "file").exists()
    assert (len(threads) > 1) == can_start_threads


@pytest.mark.parametrize(("refusals", "is_removed"), [(2, True), (1000, False)])
def test_remove_tree_tries_again_where_somebody_still_writes(tmp_path, monkeypatch, refusals, is_removed):
    real, left = os.rmdir, [refusals]

    def rmdir(path):
        if left[0]:
            left[0] -= 1
            raise OSError(errno.ENOTEMPTY, "Directory not empty")
        real(path)

    monkeypatch.setattr("agentgym.sandbox.leasing.workspace.os.rmdir", rmdir)
    monkeypatch.setattr("agentgym.sandbox.leasing.workspace._REMOVAL_PAUSE_S", 0.0)
    folder = tmp_path / "folder"
    folder.mkdir()
    if is_removed:
        remove_tree(folder)
    else:
        with pytest.raises(OSError, match="not empty"):
            remove_tree(folder)
    assert folder.exists() is not is_removed
