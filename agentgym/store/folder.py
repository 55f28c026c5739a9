"""Where a new run may begin: in a folder that holds nothing else; one in which nothing was played is removed again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentgym.errors import AgentGymError, ConfigError
from agentgym.store.lock import LOCK_FILE
from agentgym.store.run_store import DATABASE, RunStore

_OF_A_STORE = {LOCK_FILE, *(f"{DATABASE}{end}" for end in ("", "-wal", "-shm"))}


def require_empty(folder: Path) -> None:
    """Refuse a folder that a new run would share with other files; a missing folder is accepted.

    A lock file and hidden files do not count.

    Raises:
        ConfigError: The folder holds other files, or is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; choose an empty or new folder for --run")
    names = [path.name for path in folder.iterdir()] if folder.exists() else []
    if any(name != LOCK_FILE and not name.startswith(".") for name in names):
        raise ConfigError(f"{folder} holds other files and no run; choose an empty or new folder for --run")


@contextmanager
def removed_if_unused(folder: Path) -> Iterator[None]:
    """Where the block raises, a run folder that it made is removed again, unless it holds an episode or other files.

    Args:
        folder: The folder; one that exists before the block is left alone. The block closes its store.
    """
    was_there = folder.exists()
    try:
        yield
    except BaseException:
        if not was_there and _is_unused(folder):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _is_unused(folder: Path) -> bool:
    """Whether a folder holds a run without episodes and nothing else, and nobody has it open to write."""
    if not folder.is_dir() or not {path.name for path in folder.iterdir()} <= _OF_A_STORE:
        return False
    if not (folder / DATABASE).exists():
        return True
    try:
        with RunStore.open(folder) as store:
            return not store.episode_rows()
    except AgentGymError:
        return False
