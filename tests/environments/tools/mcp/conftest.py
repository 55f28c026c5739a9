import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

with warnings.catch_warnings():  # pydantic and others warn while the package mcp is imported
    warnings.simplefilter("ignore")
    from agentgym_tools.mcp.env import McpToolsEnv

FOLDER = Path(__file__).parent
SUM = {"instruction": "Add 20 and 22.", "rules": [{"rule": "answer", "type": "number", "value": "42"}]}


class MakeOwn(Protocol):
    def __call__(self, fault: str, *tasks: dict[str, Any], **options: Any) -> McpToolsEnv: ...


@pytest.fixture
def own(tmp_path: Path) -> Iterator[MakeOwn]:
    """Makes an environment over a server with a fault, which runs beside this process."""
    made: list[McpToolsEnv] = []

    def make(fault: str, *tasks: dict[str, Any], **options: Any) -> McpToolsEnv:
        named = {name: options.pop(name) for name in ("probe", "tools", "env") if name in options}
        limits = {name: options.pop(name, 60.0) for name in ("call_timeout_s", "start_timeout_s")}
        command = {"command": "python3", "args": ["{folder}/faulty_server.py", fault], "folder": str(FOLDER)}
        (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"sums": {**command, **limits, **named}}}))
        lines = [json.dumps(task) for task in tasks or (SUM,)]
        (tmp_path / "tasks.jsonl").write_text("\n".join(lines))
        stated = {"sandbox": "process", **options}
        made.append(McpToolsEnv(servers=tmp_path / "servers.json", tasks=tmp_path / "tasks.jsonl", **stated))
        return made[-1]

    yield make
    for env in made:
        env.close()
