"""MCP servers mounted as tools of an environment: over standard input and output, or over HTTP.

The client is asynchronous, and its loop runs in a thread behind synchronous calls. A server that is started here is
trusted code, because it runs with the rights of this process; `agentgym/McpTools-v0` runs servers in sandboxes.
`agentgym.remote.server.rpc` serves an environment's tools.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from agentgym.action import ToolCall
from agentgym.arguments import tool_name
from agentgym.env import EnvReply
from agentgym.errors import ConfigError, InfrastructureError, MissingExtraError, StepTimeoutError
from agentgym.message import ToolSchema
from agentgym.remote.client.foreign import tool_schemas
from agentgym.tools import ToolEnv, said

try:
    import anyio
    from mcp import ClientSession, McpError, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.types import CallToolResult, ServerNotification, TextContent, ToolListChangedNotification
except ImportError as error:
    raise MissingExtraError("tools of MCP servers", "mcp") from error

MAX_RESULT_CHARS = 100_000
"""Longest text of a result that is passed on."""
Connect = Callable[[], AbstractAsyncContextManager[tuple[Any, Any]]]
"""Opens the streams to a server, from it and to it, as the transports of the package `mcp` do."""
_CLOSE_S = 10.0


@dataclass(frozen=True)
class McpServer:
    """One MCP server; `{seed}` in its command or address becomes the episode's seed."""

    command: Sequence[str] = ()
    """Program and arguments of a server to start, which communicates over its standard input and output."""
    url: str = ""
    """Address of a running server instead."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """HTTP headers sent with each request to the address."""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Environment variables of a server to start, in addition to the few that MCP passes on."""
    start_timeout_s: float = 30.0
    """Wall time of starting, connecting and listing the tools."""
    call_timeout_s: float = 60.0
    """Wall time of one call; a task's limit may be less."""
    is_fresh: bool = False
    """Whether each episode gets its own server or session; always true if the seed is asked for."""

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise ConfigError("an MCP server has either a command or a url")
        if self.start_timeout_s <= 0 or self.call_timeout_s <= 0:
            raise ConfigError(f"time limits of an MCP server must be positive: got {self}")

    @property
    def takes_seed(self) -> bool:
        """Whether the server is told the episode's seed."""
        return "{seed}" in self.url or any("{seed}" in part for part in self.command)


class McpTools:
    """The tools of one MCP server, called synchronously. Use as a context manager, or call `close`.

    Args:
        server: The server.
        seed: What `{seed}` becomes.
        connect: Opens the streams to a server that runs elsewhere, such as in a sandbox; None starts or connects it
            here.

    Attributes:
        tools: Its tools, as OpenAI function schemas.
        listed: Its tools, as it listed them.
        has_changed: Whether it has said since that its tools have changed.

    Raises:
        InfrastructureError: The server does not start, or cannot be reached.
    """

    def __init__(self, server: McpServer, seed: int = 0, connect: Connect | None = None) -> None:
        self._server, self._seed = server, seed
        self._connect = connect or self._streams
        self.has_changed = False
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._running: Future[Any] | None = None
        self._session: Future[ClientSession] = Future()
        self._thread = threading.Thread(target=self._run, name="agentgym-mcp", daemon=True)
        self._thread.start()
        try:
            session = self._session.result(server.start_timeout_s)
            listed = self._wait(session.list_tools(), server.start_timeout_s, "tools/list")
        except TimeoutError:
            self.close()
            raise InfrastructureError(f"{self} did not start within {server.start_timeout_s:g} s") from None
        except BaseException:
            self.close()
            raise
        self.listed = [tool.model_dump() for tool in listed.tools]
        self.tools: list[ToolSchema] = tool_schemas(self.listed)

    def __enter__(self) -> McpTools:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        return f"the MCP server {self._server.url or ' '.join(self._server.command)!r}"

    def call(self, name: str, arguments: Mapping[str, Any], timeout_s: float | None = None) -> str:
        """Call a tool.

        Args:
            name: Name of the tool.
            arguments: By name.
            timeout_s: Wall time; None takes the server's limit.

        Returns:
            The text of its result, even if the result says that the call failed, so that the agent can read it.

        Raises:
            StepTimeoutError: It took too long.
            InfrastructureError: The server is gone.
            CancelledError: `cancel` was called.
        """
        return text_of(self.result(name, arguments, timeout_s))

    def result(self, name: str, arguments: Mapping[str, Any], timeout_s: float | None = None) -> CallToolResult:
        """Call a tool as `call` does, and return its result as it came; a refusal is one that says so."""
        limit_s = min(timeout_s or self._server.call_timeout_s, self._server.call_timeout_s)
        call = self._session.result(0).call_tool(name, dict(arguments))
        try:
            found: CallToolResult = self._wait(call, limit_s, name)
        except McpError as refusal:
            if refusal.error.code == _CONNECTION_CLOSED:
                raise InfrastructureError(f"{self} is gone") from refusal
            return CallToolResult(content=[TextContent(type="text", text=f"Error: {refusal}")], isError=True)
        return found

    def list_again(self) -> list[dict[str, Any]]:
        """Its tools as it lists them now; raises as `call` does."""
        session = self._session.result(0)
        listed = self._wait(session.list_tools(), self._server.call_timeout_s, "tools/list")
        return [tool.model_dump() for tool in listed.tools]

    def cancel(self) -> None:
        """Make a running call raise CancelledError; may be called from another thread."""
        running = self._running
        if running is not None:
            running.cancel()

    def close(self) -> None:
        """Stop the server, or end the session; a second call does nothing."""
        if self._thread.is_alive():
            with suppress(RuntimeError):  # the loop may end by itself just now
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(_CLOSE_S)

    def _wait(self, coroutine: Any, timeout_s: float, what: str) -> Any:
        if not self._thread.is_alive():
            coroutine.close()
            raise InfrastructureError(f"{self} is gone")
        running = self._running = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return running.result(timeout_s)
        except TimeoutError:
            running.cancel()
            raise StepTimeoutError(f"{what} of {self} took longer than {timeout_s:g} s") from None
        except (OSError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise InfrastructureError(f"{self} is gone") from error
        finally:
            self._running = None

    # In the loop's thread.

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._live())
        except BaseException as error:  # noqa: BLE001 - a boundary: whatever ends the thread is told to its caller
            if not self._session.done():
                self._session.set_exception(InfrastructureError(f"{self} cannot be used: {_cause(error)}"))
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _live(self) -> None:
        """Stay connected until `close`; the task that opens something also closes it."""
        async with (
            self._connect() as (reading, writing),
            ClientSession(reading, writing, message_handler=self._note) as session,
        ):
            await asyncio.wait_for(session.initialize(), self._server.start_timeout_s)
            self._session.set_result(session)
            await self._stop.wait()

    async def _note(self, message: Any) -> None:
        """Take in what the server says unasked."""
        if isinstance(message, ServerNotification) and isinstance(message.root, ToolListChangedNotification):
            self.has_changed = True

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[tuple[Any, Any]]:
        server, seed = self._server, str(self._seed)
        if server.url:
            url = server.url.replace("{seed}", seed)
            timeout = httpx.Timeout(server.call_timeout_s, connect=server.start_timeout_s)
            async with (
                httpx.AsyncClient(headers=dict(server.headers), timeout=timeout) as http,
                streamable_http_client(url, http_client=http) as (reading, writing, _),
            ):
                yield reading, writing
        else:
            program, *args = (part.replace("{seed}", seed) for part in server.command)
            with open(os.devnull, "w", encoding="utf-8") as nowhere:
                parameters = StdioServerParameters(command=program, args=args, env=dict(server.env) or None)
                async with stdio_client(parameters, errlog=nowhere) as (reading, writing):
                    yield reading, writing


class McpToolEnv(ToolEnv):
    """An environment with the tools of MCP servers and its own tools.

    A subclass writes `make_task`, `begin` and `grade` as for any environment, and lists its own tools in `own_tools`.
    These are methods that `@tool` decorates, or schemas, whose calls it answers in `call_own`. A tool that ends the
    episode is one of these. Servers know nothing about episodes. They are reset by starting them again if they declare
    that (`is_fresh`, or `{seed}` in their command or address).

    Args:
        servers: The servers.
        render_mode: None or "ansi".

    Raises:
        ConfigError: Two tools have one name.
        InfrastructureError: A server does not start.
    """

    own_tools: Sequence[ToolSchema] = ()

    def __init__(self, servers: Sequence[McpServer], render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self._servers = list(servers)
        self._mounted: list[McpTools] = []
        self._is_used = False
        try:
            for server in self._servers:
                self._mounted.append(McpTools(server))
            self._route()
        except BaseException:
            self.close()
            raise

    def call_own(self, call: ToolCall) -> EnvReply:
        """Carry out a call of one of `own_tools`; by default the decorated function is called."""
        return super().call(call)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode; servers that declare it are started again."""
        result = super().reset(seed=seed, options=options)
        for number, server in enumerate(self._servers):
            if server.takes_seed or (server.is_fresh and self._is_used):
                self._mounted[number].close()
                self._mounted[number] = McpTools(server, self.episode_seed)
        self._is_used = True
        self._route()
        return result

    def call(self, call: ToolCall) -> EnvReply:
        """Carry out one call, with the server that has the tool."""
        tools = self._by_name.get(call.name)
        if tools is None:
            return self.call_own(call)
        assert self.task is not None
        try:
            return said(tools.call(call.name, call.arguments, self.task.limits.step_timeout_s))
        except CancelledError:
            self.check_interrupt()
            raise InfrastructureError(f"a call of {call.name!r} was cancelled") from None

    def interrupt(self) -> None:
        """End the running step, or the next one."""
        super().interrupt()
        for tools in self._mounted:
            tools.cancel()

    def close(self) -> None:
        """Stop the servers."""
        mounted, self._mounted = self._mounted, []
        for tools in mounted:
            tools.close()

    def _route(self) -> None:
        self._by_name: dict[str, McpTools] = {}
        self.tools = [*self.own_tools]
        taken = {tool_name(tool) for tool in self.own_tools}
        for tools in self._mounted:
            for tool in tools.tools:
                name = tool_name(tool)
                if name in taken:
                    raise ConfigError(f"two tools are called {name!r}; leave one of their servers out")
                taken.add(name)
                self._by_name[name] = tools
            self.tools += tools.tools


_CONNECTION_CLOSED = -32000


def text_of(result: CallToolResult) -> str:
    """The text of a tool's result; parts without text are named."""
    parts = []
    for part in result.content:
        resource = getattr(part, "resource", None)
        text = getattr(part, "text", None) or getattr(resource, "text", None)
        parts.append(text if isinstance(text, str) else f"[{part.type}]")
    if not parts and result.structuredContent is not None:
        parts.append(json.dumps(result.structuredContent, ensure_ascii=False))
    text = "\n".join(parts)
    cut = f"{text[:MAX_RESULT_CHARS]}\n[cut: {len(text)} characters]" if len(text) > MAX_RESULT_CHARS else text
    return f"Error: {cut}" if result.isError and not cut.startswith("Error") else cut


def _cause(error: BaseException) -> BaseException:
    """The first error in nested groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
