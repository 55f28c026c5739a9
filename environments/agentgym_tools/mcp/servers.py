"""Which MCP servers there are: three from PyPI, and those that a TOML or JSON file of the user's describes.

Running one is in `mounted`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from agentgym.config import parsed_toml
from agentgym.errors import ConfigError, UnknownNameError, unreadable

IMAGE = "agentgym/mcp"
"""The image that holds the servers from PyPI."""
FOLDER = "{folder}"
"""What stands in a command for the server's folder."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,23}")
_SERVED = resources.files("agentgym_tools.mcp.inside").joinpath("served.py").read_text(encoding="utf-8")
_KINDS = ("type", "transport")
"""Keys by which some clients' files say how a server is spoken to."""
_KEYS = {"command", "args", "env", "tools", "folder", "probe", "start_timeout_s", "call_timeout_s"}


@dataclass(frozen=True)
class Server:
    """One MCP server, started for each episode that uses it.

    Attributes:
        name: Its name; tools are called NAME__TOOL.
        command: Program and arguments; `{folder}` is its folder.
        env: Environment variables of its own.
        tools: Tools that are shown; () shows all.
        folder: A folder of this machine with its program, which it may read; "" for none.
        probe: A harmless call, tool and arguments, that tells a broken server from a bad call; None for none.
        start_timeout_s: Wall time of starting and listing the tools.
        call_timeout_s: Wall time of one call.
        module: The module of a server from PyPI; "" for another server.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    tools: tuple[str, ...] = ()
    folder: str = ""
    probe: tuple[str, Mapping[str, Any]] | None = field(default=None, hash=False)
    start_timeout_s: float = 60.0
    call_timeout_s: float = 20.0
    module: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or "__" in self.name:
            raise ConfigError(f"an MCP server's name is up to 24 letters, digits and single '_': got {self.name!r}")
        if not self.command:
            raise ConfigError(f"the MCP server {self.name!r} has no command")
        if self.start_timeout_s <= 0 or self.call_timeout_s <= 0:
            raise ConfigError(f"time limits of the MCP server {self.name!r} must be positive")
        if any(FOLDER in part for part in self.command) and not self.folder:
            raise ConfigError(f"the command of the MCP server {self.name!r} names {FOLDER}, but it has no folder")


@dataclass(frozen=True)
class Mounts:
    """The servers that an environment may use, and where they run.

    Attributes:
        servers: By name.
        image: The image of their sandbox.
        allow: Hosts that they may reach; none unless the user names some.
    """

    servers: Mapping[str, Server]
    image: str = IMAGE
    allow: tuple[str, ...] = ()


def _from_pypi(name: str, probe: tuple[str, Mapping[str, Any]], *arguments: str) -> Server:
    module = f"mcp_server_{name}"
    # Not by the installed script, whose first line names another interpreter where the folder was moved.
    return Server(name, ("python3", "-I", "-c", _SERVED, module, *arguments), probe=probe, module=module)


GIT = _from_pypi("git", ("git_branch", {"repo_path": ".", "branch_type": "local"}))
SQLITE = _from_pypi("sqlite", ("list_tables", {}), "--db-path", "data.db")
TIME = _from_pypi("time", ("convert_time", {"source_timezone": "UTC", "time": "00:00", "target_timezone": "UTC"}))
FROM_PYPI = Mounts({server.name: server for server in (GIT, SQLITE, TIME)})
"""mcp-server-git, mcp-server-sqlite and mcp-server-time, at the versions of their image."""


@cache
def recorded_tools(name: str) -> list[dict[str, Any]]:
    """The tools of a server from PyPI as it lists them, recorded so that nothing has to be started to show them."""
    text = resources.files("agentgym_tools.mcp.recorded").joinpath(f"{name}.json").read_text(encoding="utf-8")
    tools: list[dict[str, Any]] = json.loads(text)
    return tools


def read_mounts(path: str | Path) -> Mounts:
    """Servers that a TOML or JSON file describes.

    Raises:
        ConfigError: The file cannot be read, or describes none; says what is wrong.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        stated = json.loads(text) if path.suffix == ".json" else parsed_toml(text)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(unreadable(path, error)) from error
    named = stated.get("servers", stated.get("mcpServers"))
    unknown = sorted(set(stated) - {"servers", "mcpServers", "image", "allow"})
    if unknown or not isinstance(named, Mapping) or not named:
        raise ConfigError(
            f"{path} has the keys {sorted(stated)}; expected [servers.NAME] tables, or mcpServers, and perhaps image "
            "and allow"
        )
    servers = {name: _server(name, each, path) for name, each in named.items()}
    image = stated.get("image", IMAGE)
    if not isinstance(image, str):
        raise ConfigError(f"{path}: image must be the name of an image: got {image!r:.80}")
    return Mounts(servers, image, _texts(stated, "allow", str(path)))


def chosen(mounts: Mounts, names: Sequence[str]) -> list[Server]:
    """Servers by name.

    Raises:
        UnknownNameError: One is not mounted.
    """
    for name in names:
        if name not in mounts.servers:
            raise UnknownNameError("MCP server", name, mounts.servers)
    return [mounts.servers[name] for name in names]


def _server(name: str, stated: Any, path: Path) -> Server:
    where = f"server {name!r} of {path}"
    if isinstance(stated, Mapping):
        if "url" in stated or any(stated.get(key, "stdio") != "stdio" for key in _KINDS):
            raise ConfigError(
                f"{where} is reached over a network; only servers that a command starts run in the sandbox of an "
                "episode: give its command, or use agentgym.remote.client.mcp_tools.McpToolEnv for an address"
            )
        stated = {key: value for key, value in stated.items() if key not in _KINDS}
    if not isinstance(stated, Mapping) or set(stated) - _KEYS or "command" not in stated:
        found = sorted(stated) if isinstance(stated, Mapping) else stated
        raise ConfigError(f"{where} has {found}; expected command and some of {sorted(_KEYS)}")
    command = stated["command"]
    folder = stated.get("folder", "")
    probe = stated.get("probe")
    try:
        at = (path.parent / folder).resolve() if folder else None
        if at is not None and not at.is_dir():
            raise ConfigError(f"{where} has the folder {folder!r}, but there is no folder {at}; check the path")
        return Server(
            name,
            ((command,) if isinstance(command, str) else _texts(stated, "command", where))
            + _texts(stated, "args", where),
            {key: str(value) for key, value in dict(stated.get("env", {})).items()},
            _texts(stated, "tools", where),
            "" if at is None else str(at),
            None if probe is None else (probe["tool"], dict(probe.get("arguments", {}))),
            float(stated.get("start_timeout_s", 60.0)),
            float(stated.get("call_timeout_s", 20.0)),
        )
    except (TypeError, ValueError, KeyError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"{where} is malformed: {type(error).__name__}: {error}") from error


def _texts(stated: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    """A list of texts; a text alone would be read as its letters."""
    found = stated.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ConfigError(f"{where}: {key} must be a list of texts: got {found!r:.80}")
    return tuple(found)
