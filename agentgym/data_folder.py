"""Where agentgym's own data is: inside an installed wheel, or in the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from agentgym.errors import ConfigError

_PACKAGE = Path(__file__).resolve().parent


def data_folder(name: Literal["tasks", "containers"]) -> Path:
    """The folder of that name: package data if it exists, else the checkout's.

    Raises:
        ConfigError: Neither is there; the installation is broken.
    """
    candidates = (_PACKAGE / "_data" / name, _PACKAGE.parent / name)
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise ConfigError(f"no folder {name!r} in {candidates[0]} or {candidates[1]}; install agentgym again")
