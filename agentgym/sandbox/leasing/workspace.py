"""A sandbox's work folder on the host: an overlay whose changes lie on a file system of limited size.

Where this process may not mount, or the engine does not see its mounts, providers do without.

A reset throws the changes away with the file system that holds them and mounts afresh: the cost is a few system calls,
whatever was changed. A running container sees it because the overlay's parent, `view`, is bound into it with slave
propagation.
"""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from agentgym.errors import ConfigError
from agentgym.sandbox.leasing.mounts import MS_NODEV, MS_NOSUID, mount, mounts_below, unmount
from agentgym.sandbox.leasing.tree_copy import TreeCopy

MAX_LAYERS = 16  # the kernel takes one page of options; beyond it a snapshot is a whole copy
_INODES_PER_MIB = 256
_BUSY_WAIT_S = 1.0
_REMOVAL_ATTEMPTS = 20
_REMOVAL_PAUSE_S = 0.1
_REMOVERS, _FEW_FILES = 8, 100
_LEVELS = 8
"""Levels of folders that are emptied where they lie; a path of so many names fits the system's limit."""


class LayerStore:
    """Read-only copies of work folders, one for equal contents.

    Args:
        folder: Where they are kept; its owner removes it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._of_source: dict[tuple[str, int, int], Path] = {}
        self._lock = threading.Lock()

    def layer(self, source: str, uid: int, gid: int) -> Path:
        """The layer of a folder of the host, or the empty one for ""; a folder is read once.

        Args:
            source: The folder.
            uid: Who owns the files in the layer.
            gid: Their group.

        Raises:
            ConfigError: There is no such folder, or it holds something other than files, folders and links.
        """
        key = (source, uid, gid)
        with self._lock:
            known = self._of_source.get(key)
            if known is None:
                known = self._of_source[key] = self._copy(source, uid, gid)
            return known

    def _copy(self, source: str, uid: int, gid: int) -> Path:
        if source and not Path(source).is_dir():
            raise ConfigError(f"the work folder {source!r} of a sandbox spec is no folder on this host")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self.folder / f".new-{os.urandom(6).hex()}"
        digest = hashlib.sha256()
        digest.update(f"{uid}:{gid}\n".encode())
        if source:
            TreeCopy(owner=(uid, gid), digest=digest, skips_special=False).copy(Path(source), new)
        else:
            new.mkdir()
        target = self.folder / digest.hexdigest()[:32]
        try:
            new.rename(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            remove_tree(new)
        return target


class Workspace:
    """The work folder of one sandbox.

    Args:
        folder: A private folder of the sandbox on a mount that is shared (`mounts.share_mounts`).
        size_mib: Limit of the changes; None leaves half of the memory.
        uid: Owner of the folder itself.
        gid: Its group.
    """

    def __init__(self, folder: Path, *, size_mib: int | None, uid: int, gid: int) -> None:
        self.view = folder / "view"
        self.work = self.view / "work"
        self.changes = folder / "changes"
        self.layers: tuple[Path, ...] = ()
        self._owner = (uid, gid)
        self._options = "mode=0700"
        if size_mib is not None:
            self._options += f",size={size_mib}m,nr_inodes={max(4096, size_mib * _INODES_PER_MIB)}"
        self.work.mkdir(parents=True)
        self.changes.mkdir(mode=0o700)

    @property
    def upper(self) -> Path:
        """The layer that takes the changes."""
        return self.changes / "upper"

    @property
    def device(self) -> str:
        """Number of the mounted file system, as "major:minor": by it a container shows that it sees this one."""
        number = os.stat(self.work).st_dev
        return f"{os.major(number)}:{os.minor(number)}"

    def mount(self, layers: Sequence[Path]) -> None:
        """Mount the work folder with no changes over these layers, the topmost first.

        Raises:
            OSError: The kernel refused it; nothing is left mounted.
        """
        mount("agentgym", self.changes, "tmpfs", flags=MS_NOSUID | MS_NODEV, options=self._options)
        try:
            (self.changes / "scratch").mkdir()
            self.upper.mkdir(mode=0o755)
            os.chown(self.upper, *self._owner)
            lower = ":".join(map(str, layers))
            options = f"lowerdir={lower},upperdir={self.upper},workdir={self.changes}/scratch,redirect_dir=on"
            mount("agentgym", self.work, "overlay", flags=MS_NOSUID | MS_NODEV, options=options)
        except OSError:
            unmount(self.changes, lazily=True)
            raise
        self.layers = tuple(layers)

    def unmount(self) -> None:
        """Unmount the work folder and drop its changes.

        Raises:
            OSError: Something inside still uses it.
        """
        deadline = time.monotonic() + _BUSY_WAIT_S
        for target in (self.work, self.changes):
            while True:
                try:
                    unmount(target)
                    break
                except OSError as error:
                    if error.errno != errno.EBUSY or time.monotonic() > deadline:
                        raise
                    time.sleep(0.001)  # a killed process gives its files back a moment after it is gone

    def reset(self, layers: Sequence[Path]) -> None:
        """Throw the changes away and mount over these layers.

        Raises:
            OSError: Something inside still uses the work folder.
        """
        self.unmount()
        self.mount(layers)

    def copy_changes(self, target: Path) -> tuple[Path, ...]:
        """Copy the present state to a new layer; nothing may write meanwhile.

        Args:
            target: The layer's folder, which does not exist yet.

        Returns:
            The layers that make up the state, the topmost first.
        """
        if len(self.layers) < MAX_LAYERS:
            TreeCopy(is_layer=True).copy(self.upper, target)
            return (target, *self.layers)
        TreeCopy().copy(self.work, target)
        return (target,)

    def close(self) -> None:
        """Unmount whatever is mounted; twice is harmless. The folders are the owner's to remove."""
        for target in (self.work, self.changes):
            try:
                unmount(target, lazily=True)
            except OSError as error:
                if error.errno not in (errno.EINVAL, errno.ENOENT):
                    raise


def remove_tree(folder: Path) -> None:
    """Remove a folder with everything in it, unmounting what is mounted below; a missing one is fine.

    What just ended may still write there or clean up after itself, so that it is tried several times.

    Raises:
        OSError: Something cannot be removed.
    """
    for attempt in range(_REMOVAL_ATTEMPTS):
        try:
            for target in mounts_below(folder):
                unmount(target, lazily=True)
            _remove(folder)
        except OSError:
            if attempt == _REMOVAL_ATTEMPTS - 1:
                raise
            time.sleep(_REMOVAL_PAUSE_S)
        else:
            return


def _remove(folder: Path) -> None:
    if not folder.exists():
        return
    _unlink_many(folder)
    while not _emptied(folder, folder, _LEVELS):
        pass
    os.rmdir(folder)


def _unlink_many(folder: Path) -> None:
    """Unlink the files below in several threads, where they are many: some disks take milliseconds for each.

    What cannot be unlinked, or lies too deep, is left.
    """
    files = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    if len(files) <= _FEW_FILES:
        return
    shares = (files[number::_REMOVERS] for number in range(_REMOVERS))
    threads = [threading.Thread(target=_unlink, args=(share,), daemon=True) for share in shares]
    try:
        for thread in threads:
            thread.start()
    except RuntimeError:  # an interpreter that ends may start no threads
        return
    finally:
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def _unlink(files: Sequence[str]) -> None:
    for file in files:
        with suppress(OSError):
            os.unlink(file)


def _emptied(folder: Path, top: Path, levels: int) -> bool:
    """Empty a folder; False where folders below so many levels were moved up to `top`, which is to be emptied again.

    So no path gets too long for the system, however deep the folders lie.
    """
    is_empty = True
    for entry in list(os.scandir(folder)):
        if not entry.is_dir(follow_symlinks=False):
            Path(entry.path).unlink(missing_ok=True)
        elif levels == 0:
            os.rename(entry.path, top / f".{os.urandom(8).hex()}")
            is_empty = False
        else:
            is_empty &= _emptied(Path(entry.path), top, levels - 1)
            os.rmdir(entry.path)
    return is_empty
