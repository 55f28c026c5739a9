"""Where a new run may begin: in a folder that holds nothing else."""

from __future__ import annotations

from pathlib import Path

from agentgym.errors import ConfigError
from agentgym.store.lock import LOCK_FILE


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
