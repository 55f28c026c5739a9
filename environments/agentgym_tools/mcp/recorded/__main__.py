"""Starts each server from PyPI in its image and writes the tools that it lists."""

from __future__ import annotations

import json
from pathlib import Path

from agentgym.sandbox.source import provider_named
from agentgym.sandbox.spec import SandboxSpec
from agentgym_tools.mcp.mounted import MountedServer
from agentgym_tools.mcp.servers import FROM_PYPI


def record(folder: Path, provider: str = "docker") -> None:
    """Write the tools of each server into a folder."""
    with provider_named(provider).start(SandboxSpec(image=FROM_PYPI.image, env={"TZ": "UTC"})) as sandbox:
        for server in FROM_PYPI.servers.values():
            mounted = MountedServer(server, sandbox)
            kept = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in mounted.listed]
            mounted.close()
            text = json.dumps(kept, indent=1, ensure_ascii=False)
            (folder / f"{server.name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    record(Path(__file__).parent)
