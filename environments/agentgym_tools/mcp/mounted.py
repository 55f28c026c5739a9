"""One MCP server that runs in a sandbox: started, asked and ended; what goes wrong with it has a name and a remedy.

The client of the package `mcp` asks it, through `transport`; which servers there are is in `servers`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from agentgym.errors import InfrastructureError, SandboxError, StepTimeoutError, ToolServerError
from agentgym.remote.client.mcp_tools import McpServer, McpTools
from agentgym.sandbox.base import Sandbox, SandboxProcess
from agentgym_tools.mcp.servers import IMAGE, Server
from agentgym_tools.mcp.starting import EARLY_ERRORS, EarlyProcess, command_of, end_of
from agentgym_tools.mcp.transport import process_streams

_ERRORS = "agentgym-{}.err"


class MountedServer:
    """A running server.

    Args:
        server: Which one.
        sandbox: Where it runs.
        folder: Where its folder is in the sandbox.
        clock: The time that it is told, as "2030-01-02 03:04:05"; "" for the real one.
        expected: Its tools as it should list them; None for whatever it lists.
        is_early: Whether the sandbox has started it early; where that failed, it is started now.

    Raises:
        ToolServerError: It does not start, or lists other tools; says what to do.
    """

    def __init__(
        self,
        server: Server,
        sandbox: Sandbox,
        folder: str = "",
        clock: str = "",
        expected: Sequence[Mapping[str, Any]] | None = None,
        *,
        is_early: bool = False,
    ) -> None:
        self.server, self._sandbox = server, sandbox
        self._folder, self._clock = folder, clock
        self._errors, self._is_early = EARLY_ERRORS, is_early
        self._process: SandboxProcess | EarlyProcess | None = None
        self._client: McpTools | None = None
        self._expected = None if expected is None else _key(expected)
        self.start()

    def start(self) -> None:
        """Start it, or start it again; one that fails to start is given a second try."""
        try:
            self._start()
        except ToolServerError:
            self._start()
        if self._expected is not None:
            assert self._client is not None
            self._compare(self._client.listed)

    def _start(self) -> None:
        self.close()
        server = self.server
        begun = time.monotonic()
        self._process = process = self._begun()
        stated = McpServer(
            command=server.command, start_timeout_s=server.start_timeout_s, call_timeout_s=server.call_timeout_s
        )
        try:
            self._client = McpTools(stated, connect=partial(process_streams, process))
        except InfrastructureError as error:
            is_late = time.monotonic() - begun >= server.start_timeout_s
            when = f" within {server.start_timeout_s:g} s" if is_late else ""
            said = self.last_words()
            self.close()
            raise ToolServerError(
                f"the MCP server {server.name!r} did not start{when}{said}; {remedy_of(server)}"
            ) from error

    def _begun(self) -> SandboxProcess | EarlyProcess:
        """The server that was started early, once, or one that is started now."""
        is_early, self._is_early = self._is_early, False
        if is_early:
            with suppress(ConnectionRefusedError):
                return EarlyProcess(self._sandbox)
            self._sandbox.end_command()
        self._errors = _ERRORS.format(secrets.token_hex(8))
        command = command_of(self.server, self._errors, self._folder, self._clock)
        return self._sandbox.spawn(command, env=self.server.env)

    @property
    def listed(self) -> list[dict[str, Any]]:
        """Its tools, as it listed them when it started."""
        assert self._client is not None
        return self._client.listed

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """The result of a tool, as the client of the package `mcp` returns it.

        Raises:
            ToolServerError: The server died, did not answer in time, wrote too much, or changed its tools; says
                what to do.
        """
        server = self.server
        assert self._client is not None
        try:
            result = self._client.result(tool, arguments)
            if self._client.has_changed:
                self._client.has_changed = False
                self._compare(self._client.list_again())
        except StepTimeoutError as error:
            raise ToolServerError(
                f"the MCP server {server.name!r} did not answer {tool} within {server.call_timeout_s:g} s"
                f"{self.last_words()}; raise its call_timeout_s, or mend it"
            ) from error
        except ToolServerError:
            raise
        except (InfrastructureError, RuntimeError) as error:  # RuntimeError: what it said is not of its own schema
            raise ToolServerError(
                f"the MCP server {server.name!r} broke down during {tool}: it ended, or wrote what is no answer"
                f"{self.last_words()}; mend it, or give its sandbox more memory"
            ) from error
        return result

    def is_sound(self) -> bool:
        """Whether it starts again and answers its probe: then it is the last call that it could not bear."""
        if self.server.probe is None:
            return False
        tool, arguments = self.server.probe
        try:
            self.start()
            self.call(tool, arguments)
        except InfrastructureError:
            return False
        return True

    def last_words(self) -> str:
        """The last line that it wrote to its standard error, for a message."""
        with suppress(SandboxError):
            told = self._sandbox.exec(end_of(self._errors), timeout_s=5)
            lines = told.stdout.decode("utf-8", "replace").split("\n") if told.is_ok else []
            last = next((line.strip() for line in reversed(lines) if line.strip()), "")
            return f" (it said last: {last!r})" if last else ""
        return ""

    def cancel(self) -> None:
        """Make a running call give up; may be called from another thread."""
        if self._client is not None:
            self._client.cancel()

    def close(self) -> None:
        """End it and all that it started; twice is harmless."""
        process, self._process = self._process, None
        client, self._client = self._client, None
        if process is not None:
            process.close()
        if client is not None:
            client.close()

    def _compare(self, listed: Sequence[Mapping[str, Any]]) -> None:
        name = self.server.name
        if self._expected is not None and _key(listed) != self._expected:
            raise ToolServerError(
                f"the MCP server {name!r} changed its tools: {', '.join(str(tool['name']) for tool in listed)[:200]}; "
                "name in `tools` what does not change, or pin its version"
            )


def remedy_of(server: Server) -> str:
    """What to do about a server that does not start."""
    if server.module:
        return f"run it in the image {IMAGE}, or name an interpreter that has the module {server.module}"
    return "check its command, and that its sandbox holds its program"


def _key(listed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What of a list of tools an agent depends on."""
    return {str(tool["name"]): (tool.get("description") or "", tool.get("inputSchema")) for tool in listed}
