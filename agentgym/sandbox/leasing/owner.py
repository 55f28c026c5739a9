"""Who a sandbox belongs to: a process, alive exactly as long as the kernel holds its lock for it.

No process id is compared and no clock read, so neither a reused id nor a changed clock makes a live owner look dead.
Removing what dead owners left is in `sweeper`.
"""

from __future__ import annotations

import atexit
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agentgym.errors import SandboxStartError
from agentgym.sandbox.leasing.file_lock import FileLock, locked
from agentgym.sandbox.leasing.workspace import remove_tree
from agentgym.stopping import last_work

OWNER_LABEL = "agentgym.owner"
STATE_LABEL = "agentgym.state"
LEASE_LABEL = "agentgym.lease"
SPEC_LABEL = "agentgym.spec"
SANDBOX_LABEL = "agentgym.sandbox"
_ROOT_STATE = Path("/var/lib/agentgym")
_LOCK = "lock"
_OWNER_ID = re.compile(r"[0-9a-f]{12}")

_in_process = threading.RLock()  # guards `_owners`
_sweeping = threading.Lock()  # of the threads of a process, one sweeps at a time
_owners: dict[Path, Owner] = {}


@dataclass(frozen=True)
class Owner:
    """This process as the owner of sandboxes; a forked child is another owner.

    Attributes:
        id: Unique.
        state: The folder of all owners that can see each other's locks.
    """

    id: str
    state: Path
    _lock: FileLock

    @property
    def folder(self) -> Path:
        """Everything on the host that belongs to it."""
        return owners_folder(self.state) / self.id

    @property
    def lock_path(self) -> Path:
        """The file that the kernel holds locked as long as the process lives."""
        return self.folder / _LOCK

    def labels(self) -> dict[str, str]:
        """Labels of everything that an engine holds for it."""
        return {OWNER_LABEL: self.id, STATE_LABEL: state_id(self.state)}

    def new_folder(self, name: str) -> Path:
        """A new private folder for one sandbox."""
        folder = self.folder / "sandboxes" / name
        folder.mkdir(parents=True, mode=0o711)
        folder.chmod(0o711)
        return folder

    def release(self) -> None:
        """Remove its folder and stop being an owner; in a forked child this does nothing."""
        with _in_process:
            if _owners.get(self.state) is not self:
                return
            del _owners[self.state]
            remove_tree(self.folder)
            self._lock.close()


def state_folder() -> Path:
    """Where owners keep locks, sockets and work folders: AGENTGYM_STATE_DIR, else one that fits this user.

    Root's is /var/lib/agentgym: work folders may be too large for /run, which is memory on many systems.

    Raises:
        SandboxStartError: The folder belongs to somebody else.
    """
    named = os.environ.get("AGENTGYM_STATE_DIR")
    if named:
        folder = Path(named).absolute()
    elif os.geteuid() == 0:
        folder = _ROOT_STATE
    else:
        runtime = os.environ.get("XDG_RUNTIME_DIR")
        folder = Path(runtime or tempfile.gettempdir()) / ("agentgym" if runtime else f"agentgym-{os.geteuid()}")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != os.geteuid() or folder.is_symlink():
        raise SandboxStartError(
            f"the state folder {folder} belongs to another user; name one of your own in AGENTGYM_STATE_DIR"
        )
    return folder.resolve()


def owners_folder(state: Path) -> Path:
    """The folder with one folder an owner."""
    return state / "owners"


def is_owner_id(text: str) -> bool:
    """Whether a text is such as `this_owner` draws."""
    return _OWNER_ID.fullmatch(text) is not None


def state_id(state: Path) -> str:
    """What tells this state folder from all others, also of other machines that share an engine."""
    path = state / "id"
    with _exclusively(state):
        if not path.exists():
            path.write_text(os.urandom(8).hex())
        return path.read_text()


def this_owner(state: Path | None = None) -> Owner:
    """This process as an owner; the first call makes it one.

    Args:
        state: The state folder; None for `state_folder()`.
    """
    place = state or state_folder()
    with _in_process:
        if place not in _owners:
            _owners[place] = _new_owner(place)
            atexit.register(_release, _owners[place])
        return _owners[place]


def _release(owner: Owner) -> None:
    """Release an owner at the end of the process."""
    with last_work("removing the folders of sandboxes; Ctrl-C leaves them to agentgym sweep"):
        owner.release()


@contextmanager
def dead_owner(state: Path, owner_id: str) -> Iterator[bool]:
    """Whether an owner is dead; while the block runs, no other sweeper finds it so.

    An owner whose folder is gone counts as dead. A live one is never disturbed: asking takes no lock away.
    """
    with _sweeping:
        with _exclusively(state):
            lock = _lock_of(state, owner_id)
            is_dead = lock is None or lock.try_to_take()
        try:
            yield is_dead
        finally:
            if lock is not None:
                lock.close()


def known_owners(state: Path) -> list[str]:
    """Ids of all owners with a folder, dead or alive."""
    try:
        return sorted(os.listdir(owners_folder(state)))
    except FileNotFoundError:
        return []


def _new_owner(state: Path) -> Owner:
    with _exclusively(state):  # no sweeper may see the folder before its lock is held
        owner_id = os.urandom(6).hex()
        folder = owners_folder(state) / owner_id
        folder.mkdir(parents=True, mode=0o711)
        return Owner(owner_id, state, locked(folder / _LOCK))


def _lock_of(state: Path, owner_id: str) -> FileLock | None:
    """An owner's lock, which is not taken yet; None for one without: it went, or died before it had one."""
    try:
        return FileLock(owners_folder(state) / owner_id / _LOCK, creates=False)
    except FileNotFoundError:
        return None


@contextmanager
def _exclusively(state: Path) -> Iterator[None]:
    """One process and one thread at a time; never nested."""
    lock = locked(state / _LOCK)
    try:
        yield
    finally:
        lock.close()


def _start_anew() -> None:
    """A forked child owns nothing and starts with free locks: their holders are threads that it does not have."""
    global _in_process, _sweeping
    _in_process, _sweeping = threading.RLock(), threading.Lock()
    _owners.clear()


os.register_at_fork(after_in_child=_start_anew)
