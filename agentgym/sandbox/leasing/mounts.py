"""Mounting on the host: the two system calls, what is mounted below a folder, and a folder whose mounts others can see.

What is mounted and why is in `workspace`.
"""

from __future__ import annotations

import ctypes
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MS_NOSUID = 2
MS_NODEV = 4
MS_BIND = 4096
MS_SHARED = 1 << 20
_MNT_DETACH = 2
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class MountEntry:
    """One line of the kernel's mount table.

    Attributes:
        path: Where it is mounted.
        device: "major:minor" of the file system, which is the same number wherever it is seen from.
        is_shared: Whether what is mounted below it shows in its peers and slaves.
    """

    path: str
    device: str
    is_shared: bool


def mount(source: str, target: Path, kind: str, *, flags: int = 0, options: str = "") -> None:
    """Mount a file system.

    Raises:
        OSError: The kernel refused it.
    """
    encoded = (source.encode(), os.fsencode(target), kind.encode() or None, flags, options.encode() or None)
    if _libc().mount(*encoded):
        raise _failure(f"mount {kind or 'flags'} on {target}")


def unmount(target: Path, *, lazily: bool = False) -> None:
    """Unmount a file system; lazily, it goes when its last user does.

    Raises:
        OSError: It is busy or no mount.
    """
    if _libc().umount2(os.fsencode(target), _MNT_DETACH if lazily else 0):
        raise _failure(f"unmount {target}")


def mount_table(text: str | None = None) -> list[MountEntry]:
    """The mounts that this process sees, or those of the text of a mountinfo file."""
    lines = (Path("/proc/self/mountinfo").read_text() if text is None else text).splitlines()
    entries = []
    for line in lines:
        fields = line.split()
        optional = fields[6 : fields.index("-")]
        path = _OCTAL.sub(lambda match: chr(int(match[1], 8)), fields[4])
        entries.append(MountEntry(path, fields[2], any(field.startswith("shared:") for field in optional)))
    return entries


def mounts_below(folder: Path) -> list[Path]:
    """Mount points below a folder, itself excluded, the last mounted first."""
    prefix = f"{folder}/"
    return [Path(entry.path) for entry in reversed(mount_table()) if entry.path.startswith(prefix)]


def share_mounts(folder: Path) -> None:
    """Make sure that mounts made below a folder reach containers into which it is bound with slave propagation.

    Raises:
        OSError: This process may not mount.
    """
    if _mount_of(folder).is_shared:
        return
    if _mount_of(folder).path != str(folder):
        mount(str(folder), folder, "", flags=MS_BIND)
    mount("", folder, "", flags=MS_SHARED)


def _mount_of(folder: Path) -> MountEntry:
    """The mount that a folder lies on: of those above it the longest path, of equal paths the last."""
    above = {str(parent) for parent in (folder, *folder.parents)}
    return max((entry for entry in reversed(mount_table()) if entry.path in above), key=lambda entry: len(entry.path))


def _failure(what: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{what}: {os.strerror(code)}")


@cache
def _libc() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
    library.umount2.argtypes = [ctypes.c_char_p, ctypes.c_int]
    return library
