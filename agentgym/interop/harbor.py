"""Harbor task folders as tasks of Terminal-v0: task.toml, instruction.md, environment/, solution/, tests/.

This module reads folders and builds the image if there is a Dockerfile; `agentgym_swe.terminal` plays the episode.
Several steps, GPUs, other systems than Linux, MCP servers and an open network are refused by name.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import re
import tarfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agentgym.config import not_toml, parsed_toml
from agentgym.errors import SandboxStartError, TaskError, UnsupportedSpecError, unreadable
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.images.foreign import provide_foreign_image
from agentgym.sandbox.images.named import base_images
from agentgym.sandbox.spec import Limits as SandboxLimits
from agentgym.sandbox.spec import Network, SandboxSpec
from agentgym.task import Limits, Task

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped]

ENV_ID = "agentgym/Terminal-v0"
IMAGE_PREFIX = "agentgym-harbor"
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "": (
        *("schema_version", "version", "task", "metadata", "agent", "verifier", "solution", "environment"),
        *("multi_step_reward_strategy", "steps", "artifacts"),
    ),
    "task": ("name", "version", "description", "authors", "keywords"),
    "agent": ("timeout_sec", "user", "network_mode", "allowed_hosts"),
    "verifier": ("timeout_sec", "env", "user", "environment_mode", "environment", "collect", "network_mode"),
    "solution": ("env",),
    "environment": (
        *("build_timeout_sec", "docker_image", "os", "cpus", "memory_mb", "storage_mb", "gpus", "gpu_types", "tpu"),
        *("network_mode", "allowed_hosts", "mcp_servers", "env", "skills_dir", "healthcheck", "workdir"),
    ),
}
"""Keys of each table; metadata is free."""
_POSITIVE = ("a positive number", lambda value: type(value) in (int, float) and 0 < value < math.inf)
_TEXT = ("text", lambda value: isinstance(value, str))
_USER = ("a name or number", lambda value: type(value) in (int, str))
_TEXTS = ("a list of texts", lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value))
_ENV = ("a table", lambda value: isinstance(value, dict))
_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("timeout_sec", "build_timeout_sec", "cpus", "memory_mb"), _POSITIVE),
    **dict.fromkeys(("name", "docker_image", "workdir"), _TEXT),
    "user": _USER,
    "allowed_hosts": _TEXTS,
    "env": _ENV,
}
"""What values of the keys that are used here have to be, in any table."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CHUNK = 12_000
_COMMAND_MARGIN_S = 120.0
_OUTPUT_BYTES = 1 << 20


@dataclass(frozen=True)
class HarborOptions:
    """How task folders become tasks.

    Attributes:
        relaxed: Settings that need not be enforced: "storage_mb" (nothing limits an image's own files), "network_mode"
            (a task that asks for the open network gets none), "gpus".
        grade_in: "declared": as the folder says; "fresh": always in a fresh sandbox with the agent's work folder.
        ignores_unknown: Whether unknown keys are ignored; otherwise they are errors.
        max_turns: Turns of an episode.
        command_limit_s: Wall time of one command of the agent.
    """

    relaxed: tuple[str, ...] = ()
    grade_in: Literal["declared", "fresh"] = "declared"
    ignores_unknown: bool = False
    max_turns: int = 100
    command_limit_s: float = 120.0


def load_harbor_tasks(folder: Path, options: HarborOptions | None = None) -> list[Task]:
    """The tasks of all Harbor folders directly below a folder, in order of name.

    Raises:
        TaskError: There is none, or one is malformed.
    """
    folders = sorted(path.parent for path in folder.glob("*/task.toml"))
    if not folders:
        raise TaskError(f"no Harbor task folder below {folder}; expected <name>/task.toml")
    return [load_harbor(each, options) for each in folders]


def load_harbor(folder: Path, options: HarborOptions | None = None) -> Task:
    """A Harbor task folder as a task of Terminal-v0.

    The image of its Dockerfile is not built here, but by `prepare_image`.

    Args:
        folder: The folder with task.toml.
        options: How it becomes a task.

    Raises:
        TaskError: A file is missing or malformed, or a key is unknown; the message names it.
        UnsupportedSpecError: It asks for something that cannot be enforced here; the message names it and what to do.
    """
    options = options or HarborOptions()
    folder = folder.resolve()
    tables = _read_tables(folder, options)
    _refuse_unsupported(folder, tables, options)
    environment, agent, verifier = (_table(tables, name) for name in ("environment", "agent", "verifier"))
    test_s = float(verifier.get("timeout_sec", 600.0))
    digest = _digest(folder)
    image = environment.get("docker_image") or f"{IMAGE_PREFIX}/{_slug(folder.name)}:{digest[:16]}"
    spec = SandboxSpec(
        image=image,
        user=str(agent.get("user") or "root"),
        env=_plain_env(folder, "environment", environment),
        work_dir=environment.get("workdir") or _work_dir(folder),
        writable_root=True,
        limits=_limits(environment, options),
        network=_network(environment),
    )
    script = {"folder": str(folder), "timeout_s": test_s, "user": str(verifier.get("user") or spec.user)}
    script["env"] = _plain_env(folder, "verifier", verifier)
    return Task(
        id=f"harbor:{_table(tables, 'task').get('name') or folder.name}",
        seed=0,
        instruction=_read_text(folder / "instruction.md"),
        stratum="harbor",
        config={
            "kind": "harbor",
            "sandbox": json.loads(json.dumps(spec.to_json())),
            "command_limit_s": options.command_limit_s,
            "dockerfile": "" if environment.get("docker_image") else str(folder / "environment"),
        },
        limits=Limits(
            max_turns=options.max_turns,
            max_seconds=float(agent["timeout_sec"]) if "timeout_sec" in agent else None,
            step_timeout_s=max(test_s, options.command_limit_s) + _COMMAND_MARGIN_S,
        ),
        private={
            "script": {**script, "digest": digest, "is_separate": _is_separate(verifier, options)},
            "solution": _solution(folder, tables),
        },
    )


def prepare_image(task: Task, client: DockerClient | None = None) -> str:
    """Build the image of a task that has a Dockerfile, unless it exists; returns its tag.

    Raises:
        SandboxStartError: No engine answers, or the build failed; shows its last lines.
    """
    tag: str = task.config["sandbox"]["image"]
    folder: str = task.config["dockerfile"]
    if not folder:
        return tag
    engine = client or connect_engine()
    try:
        _build(engine, tag, Path(folder))
    finally:
        if client is None:
            engine.close()
    return tag


def _build(client: DockerClient, tag: str, folder: Path) -> None:
    import docker

    if client.images.list(name=tag):
        return
    for base in base_images(_read_text(folder / "Dockerfile")):
        provide_foreign_image(client, base, lambda text: None)
    try:
        client.images.build(path=str(folder), tag=tag, rm=True, forcerm=True, labels={"agentgym.harbor": tag})
    except docker.errors.BuildError as error:
        lines = [part["stream"].rstrip() for part in error.build_log if part.get("stream", "").strip()]
        shown = "\n".join(lines[-15:])
        raise SandboxStartError(f"the image of {folder.parent} could not be built: {error}\n{shown}") from error
    except docker.errors.DockerException as error:
        raise SandboxStartError(f"the image of {folder.parent} could not be built: {error}") from error


# Reading task.toml.


def _read_tables(folder: Path, options: HarborOptions) -> dict[str, Any]:
    path = folder / "task.toml"
    try:
        tables = parsed_toml(_read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise TaskError(not_toml(path, error)) from error
    for name, known in _KNOWN.items():
        table = tables if not name else _table(tables, name)
        unknown = sorted(set(table) - set(known))
        if unknown and not options.ignores_unknown:
            where = f"[{name}] of {path}" if name else str(path)
            raise TaskError(
                f"{where} has the unknown keys {', '.join(unknown)}; known: {', '.join(sorted(known))}. "
                "HarborOptions(ignores_unknown=True) passes over them"
            )
    _check_values(path, tables)
    version = str(tables.get("schema_version", tables.get("version", "1")))
    if version.split(".")[0] != "1":
        raise TaskError(f"{path}: schema_version is {version!r}; 1.x is read")
    for needed in ("instruction.md", "tests/test.sh"):
        if not (folder / needed).is_file():
            raise TaskError(f"{folder} has no {needed}")
    if not _table(tables, "environment").get("docker_image") and not (folder / "environment" / "Dockerfile").is_file():
        raise TaskError(f"{folder} has neither environment/Dockerfile nor a docker_image in task.toml")
    return tables


def _table(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise TaskError(f"task.toml: {name} must be a table, got {table!r}")
    return table


def _check_values(path: Path, tables: Mapping[str, Any]) -> None:
    for name in filter(None, _KNOWN):
        for key, value in _table(tables, name).items():
            expected, is_kind = _KINDS.get(key, ("", bool))
            if expected and not is_kind(value):
                raise TaskError(f"{path}: {name}.{key} must be {expected}, got {value!r}")


def _refuse_unsupported(folder: Path, tables: Mapping[str, Any], options: HarborOptions) -> None:
    """Name everything that is asked for and cannot be had."""
    environment, agent, verifier = (_table(tables, name) for name in ("environment", "agent", "verifier"))
    is_separate = _is_separate(verifier, options)
    asked: dict[str, bool] = {
        "steps": bool(tables.get("steps")),
        "artifacts": bool(tables.get("artifacts")),
        "verifier.environment": bool(verifier.get("environment")),
        "verifier.collect": bool(verifier.get("collect")),
        "agent.allowed_hosts": agent.get("allowed_hosts", environment.get("allowed_hosts"))
        != environment.get("allowed_hosts"),
        "verifier.user": not is_separate and verifier.get("user") not in (None, agent.get("user") or "root"),
        "os": environment.get("os", "linux") != "linux",
        "gpus": bool(environment.get("gpus")) or bool(environment.get("gpu_types")),
        "tpu": bool(environment.get("tpu")),
        "mcp_servers": bool(environment.get("mcp_servers")),
        "skills_dir": bool(environment.get("skills_dir")),
        "healthcheck": bool(environment.get("healthcheck")),
        "storage_mb": "storage_mb" in environment,
    }
    modes = {
        _network_mode(environment, None),
        _network_mode(agent, environment.get("network_mode")),
        _network_mode(verifier, environment.get("network_mode")),
    }
    asked["network_mode"] = "public" in modes or len(modes) > 1
    refused = sorted(name for name, is_asked in asked.items() if is_asked and name not in options.relaxed)
    if refused:
        raise UnsupportedSpecError(
            f"{folder / 'task.toml'} asks for {', '.join(refused)}, which cannot be had or enforced here; those of "
            "storage_mb, network_mode and gpus can be left out by name: HarborOptions(relaxed=(…))"
        )


def _is_separate(verifier: Mapping[str, Any], options: HarborOptions) -> bool:
    mode = verifier.get("environment_mode", "shared")
    if mode not in ("shared", "separate"):
        raise TaskError(f"verifier.environment_mode is {mode!r}; expected shared or separate")
    return options.grade_in == "fresh" or mode == "separate"


def _network_mode(table: Mapping[str, Any], default: str | None) -> str:
    """The declared mode; without one there is no network."""
    mode = str(table.get("network_mode") or default or "no-network")
    if mode not in ("public", "no-network", "allowlist"):
        raise TaskError(f"network_mode is {mode!r}; expected public, no-network or allowlist")
    return mode


def _network(environment: Mapping[str, Any]) -> Network:
    if _network_mode(environment, None) != "allowlist":
        return Network()
    return Network(allow=tuple(environment.get("allowed_hosts", ())))


def _limits(environment: Mapping[str, Any], options: HarborOptions) -> SandboxLimits:
    return SandboxLimits(
        cpus=float(environment.get("cpus", 1)),
        memory_mib=int(environment.get("memory_mb", 2048)),
        pids=512,
        work_mib=None,
        tmp_mib=512,
        output_bytes=_OUTPUT_BYTES,
        exec_s=options.command_limit_s,
        wall_s=None,
    )


def _plain_env(folder: Path, name: str, table: Mapping[str, Any]) -> dict[str, str]:
    """Environment variables; references to the host's are refused, for they would carry secrets in."""
    env = {str(key): str(value) for key, value in table.get("env", {}).items()}
    for key, value in env.items():
        if not _NAME.fullmatch(key):
            raise TaskError(f"{folder / 'task.toml'}: [{name}] env has the malformed name {key!r}")
        if "${" in value:
            raise UnsupportedSpecError(
                f"{folder / 'task.toml'}: [{name}] env.{key} is {value!r}; the host's variables stay outside a sandbox"
            )
    return env


def _work_dir(folder: Path) -> str:
    """The last WORKDIR of the Dockerfile, where the container's commands start."""
    path = folder / "environment" / "Dockerfile"
    found = "/app"
    if path.is_file():
        for line in _read_text(path).splitlines():
            words = line.split(maxsplit=1)
            if len(words) == 2 and words[0].upper() == "WORKDIR":
                found = words[1].strip().strip('"')
    return found if found.startswith("/") else f"/{found}"


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(unreadable(path, error)) from error


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "task"


def _digest(folder: Path) -> str:
    """SHA-256 in hex of everything in the folder: names, modes and contents."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            about = f"{path.relative_to(folder).as_posix()}\0{path.stat().st_mode & 0o777:o}\0{len(content)}\0"
            digest.update(about.encode() + content)
    return digest.hexdigest()


def _solution(folder: Path, tables: Mapping[str, Any]) -> list[str]:
    """Commands that bring solution/ into the sandbox and run solve.sh, for the oracle; [] where there is none."""
    source = folder / "solution"
    if not (source / "solve.sh").is_file():
        return []
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.add(source, arcname=".")
    text = base64.b64encode(buffer.getvalue()).decode()
    pieces: Sequence[str] = [text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK)]
    env = _plain_env(folder, "solution", _table(tables, "solution"))
    exports = "".join(f"{name}={_quoted(value)} " for name, value in env.items())
    return [
        "mkdir -p /solution",
        *(f"printf %s '{piece}' >> /solution/.packed" for piece in pieces),
        "base64 -d /solution/.packed | tar -xz -C /solution && rm /solution/.packed",
        f"{exports}bash /solution/solve.sh",
    ]


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"
