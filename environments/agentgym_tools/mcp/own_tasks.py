"""Tasks of your own, from a JSONL file: what is asked, what lies in the work folder, and what has to come of it.

What a task may state is in `work_folder`, and whether its rules can be met in `own_rules`.
"""

from __future__ import annotations

import json
from pathlib import Path

from agentgym.errors import ConfigError, TaskError, unreadable
from agentgym.task import Limits, Task
from agentgym_tools.mcp.own_rules import require_sound
from agentgym_tools.mcp.servers import Mounts
from agentgym_tools.mcp.work_folder import PARTS

LIMITS = Limits(max_turns=20, step_timeout_s=240.0, max_invalid=2)
_KEYS = {"instruction", "servers", "rules", "calls", *PARTS}
_EXPECTED = (
    'expected an object such as {"instruction": "…", "rules": [{"rule": "answer", "type": "text", "value": "…"}]}'
)


def read_tasks(path: Path, mounts: Mounts) -> tuple[Task, ...]:
    """The tasks of a file, one a line.

    Args:
        path: The file.
        mounts: The servers that they may use; a task that names none uses all.

    Raises:
        ConfigError: It cannot be read, or a line is wrong; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"tasks: {unreadable(path, error)}") from error
    tasks = [_read(line, f"{path}:{number}", number, mounts) for number, line in enumerate(lines, 1) if line.strip()]
    if not tasks:
        raise ConfigError(f"{path} holds no task; {_EXPECTED} on each line")
    return tuple(tasks)


def _read(line: str, where: str, number: int, mounts: Mounts) -> Task:
    try:
        stated = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: it is not JSON ({error}); {_EXPECTED}") from error
    if not isinstance(stated, dict) or set(stated) - _KEYS or "instruction" not in stated:
        found = sorted(stated) if isinstance(stated, dict) else type(stated).__name__
        raise ConfigError(f"{where}: got {found}; {_EXPECTED}, with keys of {', '.join(sorted(_KEYS))}")
    if not isinstance(stated["instruction"], str):
        raise ConfigError(f"{where}: instruction must be a text: got {stated['instruction']!r:.80}; {_EXPECTED}")
    servers = stated.get("servers", list(mounts.servers))
    if not isinstance(servers, list) or not servers or not all(isinstance(name, str) for name in servers):
        raise ConfigError(f"{where}: servers must be a list of names of servers: got {servers!r:.80}")
    unknown = sorted(set(servers) - mounts.servers.keys())
    if unknown:
        raise ConfigError(f"{where}: it names the servers {unknown}, but there are {', '.join(mounts.servers)}")
    config = {"servers": servers, **{name: stated[name] for name in PARTS if name in stated}}
    private = {name: stated[name] for name in ("rules", "calls") if name in stated}
    task = Task(f"task-{number}", number, stated["instruction"], config=config, limits=LIMITS, private=private)
    try:
        require_sound(task)
    except TaskError as error:
        raise ConfigError(f"{where}: {error}") from error
    return task
