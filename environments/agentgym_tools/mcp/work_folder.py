"""What lies in the servers' work folder when an episode begins: files, databases, repositories, as a task states them.

What they should have become is in `grading`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from agentgym.errors import ConfigError, TaskError
from agentgym_tools.mcp.kinds import SCENES
from agentgym_tools.mcp.repository.model import Repository
from agentgym_tools.mcp.rules.rows import changed

PARTS = ("files", "databases", "repositories", "scene")
"""Keys of a task's config that say what lies in the folder."""
_MAX_BYTES = 16 << 20


@dataclass(frozen=True)
class Start:
    """What lies in the folder at the start.

    Attributes:
        files: By path the content of plain files.
        databases: By path the bytes of SQLite files.
        repositories: By folder.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    databases: Mapping[str, bytes] = field(default_factory=dict)
    repositories: Mapping[str, Repository] = field(default_factory=dict)

    def to_files(self) -> dict[str, bytes]:
        """All of it as files by path."""
        inner = {
            f"{folder}/{path}": content
            for folder, repository in self.repositories.items()
            for path, content in repository.to_files().items()
        }
        return {**self.files, **self.databases, **inner}


def start_of(config: Mapping[str, Any]) -> Start:
    """What a task's config says.

    Raises:
        TaskError: It is malformed; says how.
    """
    return _start(json.dumps({name: config[name] for name in PARTS if name in config}, sort_keys=True))


@lru_cache(maxsize=64)
def _start(text: str) -> Start:
    stated = json.loads(text)
    try:
        start = _scene(stated["scene"]) if "scene" in stated else Start()
        files = {_inside(path): text.encode() for path, text in stated.get("files", {}).items()}
        databases = {_inside(path): changed(b"", sql) for path, sql in stated.get("databases", {}).items()}
        repositories = {_inside(name): _repository(steps) for name, steps in stated.get("repositories", {}).items()}
    except (AttributeError, KeyError, TypeError, ValueError, sqlite3.Error) as error:
        raise TaskError(
            f"what lies in the work folder is malformed: {type(error).__name__}: {error}; expected files by path, "
            "databases as SQL by path, repositories as steps by folder, or a scene"
        ) from error
    return Start({**start.files, **files}, {**start.databases, **databases}, {**start.repositories, **repositories})


def _scene(stated: Mapping[str, Any]) -> Start:
    """What a scene of ours draws: kind and number."""
    if stated["kind"] not in SCENES:
        raise ConfigError(f"there is no scene {stated['kind']!r}; expected one of {', '.join(SCENES)}")
    made = SCENES[stated["kind"]](*stated["of"])
    return Start(repositories=made) if stated["kind"] == "git" else Start(databases=made)


def _repository(steps: Any) -> Repository:
    made = Repository()
    made.apply(steps)
    return made


def _inside(path: str) -> str:
    """A path that stays in the folder.

    Raises:
        ConfigError: It does not.
    """
    pure = PurePosixPath(path)
    if pure.is_absolute() or not pure.parts or ".." in pure.parts or "\0" in path:
        raise ConfigError(f"{path!r} is no path inside the work folder")
    return str(pure)
