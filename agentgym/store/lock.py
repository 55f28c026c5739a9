"""Who may write a run: one process, on a disk of this machine.

Readers need no lock: the database's write-ahead log lets them read beside the writer.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from agentgym.errors import StoreError

LOCK_FILE = "run.lock"
NETWORK_FILE_SYSTEMS = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "beegfs", "ceph", "gpfs", "lustre")
)
"""Types as the kernel's table of mounts names them; any mounted by FUSE counts too, but for `fuseblk`."""

_MOUNTS = Path("/proc/mounts")


class WriterLock:
    """The right to write one run folder, held until `release`.

    The kernel frees the lock when its process dies, so a lock that a killed run left behind never blocks the next.

    Args:
        folder: The run folder; must exist.

    Raises:
        StoreError: Another writer has the run open, or the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK_FILE
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(
                f"cannot write in the run folder {folder}: {error.strerror}; choose a folder that can be written"
            ) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._descriptor, 32).decode(errors="replace").strip() or "unknown"
            os.close(self._descriptor)
            raise StoreError(
                f"the run in {folder} is being written by process {holder}; a run has one writer: stop that process, "
                "open the run read-only, or choose another run folder"
            ) from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let the next writer in; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def refuse_network_file_system(folder: Path, mounts: Path = _MOUNTS) -> None:
    """Refuse folders on which SQLite's locks cannot be trusted.

    Args:
        folder: An existing folder.
        mounts: The kernel's table of mounts; where there is none, nothing is checked.

    Raises:
        StoreError: The folder lies on a network file system.
    """
    try:
        lines = mounts.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    resolved = folder.resolve()
    point, kind = Path("/"), ""
    for line in lines:
        fields = line.split(" ")
        candidate = Path(fields[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
        if resolved.is_relative_to(candidate) and len(candidate.parts) >= len(point.parts):
            point, kind = candidate, fields[2]
    if kind in NETWORK_FILE_SYSTEMS or kind.startswith("fuse."):
        raise StoreError(
            f"the run folder {folder} lies on {point}, a network file system ({kind}), where a database can be "
            "corrupted; choose a folder on a local disk and copy it when the run has ended"
        )
