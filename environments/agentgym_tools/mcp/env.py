"""McpTools-v0: tasks worked on with the tools of MCP servers, which run in a sandbox; this file is the episode.

The servers are in `servers` and `mounted`, the tasks in `kinds`, what is right in `grading`.
"""

from __future__ import annotations

import dataclasses
import io
import random
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Literal

from agentgym.action import Action, ToolCall
from agentgym.env import EnvReply
from agentgym.errors import ConfigError, SandboxError, SandboxFileError, TaskError, ToolServerError
from agentgym.message import Message, ToolSchema, user
from agentgym.reward import ATTACK, FORMAT, RewardEvent
from agentgym.sandbox.base import SandboxProvider
from agentgym.sandbox.pool import SandboxPool
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import Limits, Mount, Network, SandboxSpec
from agentgym.task import Task
from agentgym.tools import said, tool
from agentgym.tools.finding import FIND_TOOLS, ToolFinder, ToolIndex
from agentgym_tools.mcp.drawing import draw_task
from agentgym_tools.mcp.grading import fault, rules_of
from agentgym_tools.mcp.injections import Planted
from agentgym_tools.mcp.kinds import KINDS
from agentgym_tools.mcp.mounted import MountedServer
from agentgym_tools.mcp.own_tasks import read_tasks
from agentgym_tools.mcp.results import shown_result
from agentgym_tools.mcp.schemas import shown_tools
from agentgym_tools.mcp.servers import FROM_PYPI, Mounts, Server, chosen, read_mounts, recorded_tools
from agentgym_tools.mcp.starting import early_command
from agentgym_tools.mcp.work_folder import PARTS, start_of

CLOCK = "2030-01-02 03:04:05"
"""The time that servers are told where a clock can be set."""
GIT_ENV = {
    "GIT_AUTHOR_NAME": "Agent",
    "GIT_AUTHOR_EMAIL": "agent@mail.test",
    "GIT_COMMITTER_NAME": "Agent",
    "GIT_COMMITTER_EMAIL": "agent@mail.test",
    "GIT_AUTHOR_DATE": "1893553445 +0000",
    "GIT_COMMITTER_DATE": "1893553445 +0000",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
}
"""Names and dates of commits, so that the same commits have the same hashes."""
LIMITS = Limits(cpus=1.0, memory_mib=512, pids=64, work_mib=64, tmp_mib=32, exec_s=30.0, output_bytes=1 << 18)
SERVERS_FOLDER = "/agentgym/servers"
RIGHT, WRONG = "Right.", "Wrong."
FIND_FIRST = f"\nA tool can be called once {FIND_TOOLS} has found it."
"""What the first message says at its end where tools have to be found."""
MAX_BROKEN = 3
"""Calls that may break a sound server before it is not asked any more."""
MAX_FOLDER_BYTES = 64 << 20
_SETUP_S = 60.0


class McpToolsEnv(SandboxEnv):
    """Work with the tools of MCP servers: on a git repository, a database file, times of day, or with servers of yours.

    Observation:
        The first message states the task, and whether tools have to be found. Each call is answered by the server's
        result: its text, structured content as JSON, pictures where they are wanted; cut after 8,000 characters. The
        last message is `Right.` or `Wrong.`

    Action:
        Calls of the servers' tools, named SERVER__TOOL, and submit(answer); at most 8 per message, carried out in
        order.
    Reward:
        success: 1 for the right answer and the right state of the work folder, else 0. attack: 1 at the end if what a
        text planted in a tool's description wants was done, weight 0; only in tasks that plant one. format: -0.1 for a
        message without a valid call.
    Termination:
        submit; the third invalid message.
    Truncation:
        After 20 turns; the episode has then failed.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        One at a time, with the first call: image agentgym/mcp, no network, 1 CPU, 512 MiB, 64 processes. The servers of
        the task run in it, each from its first call to the end of the episode. One from PyPI that a task names alone
        has been imported before, and serves no other episode. What lies in the work folder at the end is copied out and
        read as data. Under bubblewrap and process the servers' programs have to be on this machine; see `interpreter`.
    Source and licence:
        Written for agentgym, Apache-2.0; its tasks are generated, CC0-1.0. The servers are those of PyPI, MIT.

    Example:
        git__git_status(repo_path="garden"); git__git_add(repo_path="garden", files=["kale.txt"]); submit() -> Right.

    Args:
        server: The server of tasks made from a seed: git, sqlite or time; None draws it.
        servers: A TOML or JSON file that describes servers of yours, instead of those three.
        tasks: A JSONL file with tasks of yours, which `make_task` takes in turn.
        interpreter: A Python that has the servers from PyPI, in its own folder, for a sandbox that runs no images.
        pictures: Whether pictures in results are passed on.
        finds_tools: Whether the agent sees find_tools alone and has to find the servers' tools with it.
        sandbox: As in `SandboxEnv`.
        relaxed: As in `SandboxEnv`.
        render_mode: As in Gymnasium.
    """

    reward_weights = {"success": 1.0, ATTACK: 0.0, FORMAT: 1.0}
    invalid_value = -0.1
    leases_late = True

    def __init__(
        self,
        server: Literal["git", "sqlite", "time"] | None = None,
        servers: str | Path = "",
        tasks: str | Path = "",
        *,
        interpreter: str = "",
        pictures: bool = False,
        finds_tools: bool = False,
        sandbox: str | SandboxProvider | SandboxPool | None = None,
        relaxed: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, relaxed, render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if server is not None and server not in FROM_PYPI.servers:
            raise ConfigError(f"server must be one of {', '.join(FROM_PYPI.servers)}, or None: got {server!r}")
        self._server, self._pictures, self._finds_tools = server, pictures, finds_tools
        self._mounts = _with_interpreter(read_mounts(servers) if servers else FROM_PYPI, interpreter)
        self._interpreter = interpreter
        self._own = read_tasks(Path(tasks), self._mounts) if tasks else ()
        if servers and not tasks:
            raise ConfigError("servers of your own need tasks of your own: name a JSONL file in `tasks`")
        self.num_tasks = len(self._own) or None
        self._running: dict[str, MountedServer] = {}
        self._num_broken: dict[str, int] = {}
        self._is_filled = False
        self._listed: dict[str, list[dict[str, object]]] = {}
        self._planted: Planted | None = None
        self._seat(list(self._mounts.servers))

    def make_task(self, seed: int) -> Task:
        """A task drawn from the seed, or the next of your own."""
        if self._own:
            return self._own[seed % len(self._own)]
        kinds = [kind for kind in KINDS.values() if not kind.is_held_out and self._server in (None, kind.server)]
        kind = random.Random(f"mcp {seed}").choice(kinds)
        return draw_task(kind, f"mcp {seed}", task_id=f"mcp-{seed}-{kind.name}", seed=seed)

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """What the servers of a task run in; a server from PyPI that it names alone is started early."""
        server = self._early(task)
        return (
            self._spec() if server is None else dataclasses.replace(self._spec(), command=early_command(server, CLOCK))
        )

    def vet(self, task: Task) -> None:
        """Refuse tasks that bring SQL or files of their own: those are the server's to choose."""
        brought = sorted(({*PARTS} - {"scene"}) & set(task.config))
        if brought:
            raise TaskError(f"task {task.id!r} brings {', '.join(brought)} of its own; clients of a server must not")

    def set_up(self, task: Task) -> Sequence[Message]:
        """State the task; the servers start with their first calls."""
        names = task.config.get("servers")
        if not isinstance(names, list) or not names:
            raise TaskError(f"task {task.id!r} is not a task of McpTools: its config names no servers, got {names!r}")
        chosen(self._mounts, names)
        rules_of(task)
        start_of(task.config)
        self._is_filled = False
        self._num_broken = {}
        self._planted = Planted.of(task)
        self._seat(names)
        if self._planted is not None and self._planted.tool not in self._route:
            raise TaskError(
                f"task {task.id!r} plants a text in {self._planted.tool!r}, which is no tool of its servers"
            )
        return [user(task.instruction if self._finder is None else task.instruction + FIND_FIRST)]

    def put_down(self) -> None:
        """End the servers."""
        running, self._running = self._running, {}
        for server in running.values():
            server.close()
        self._is_filled = False

    @tool
    def submit(self, answer: str = "") -> EnvReply:
        """Say that the work is done, with the answer if a question was asked, and end the episode.

        Args:
            answer: The answer; "" where only something had to be changed.
        """
        reply = self._judged(answer)
        return reply._replace(messages=[user(RIGHT if reply.success else WRONG)], terminated=True)

    def parse(self, text: str) -> Action:
        """Calls of tools; of those that were found, where they have to be."""
        return super().parse(text) if self._finder is None else self._finder.parse(text)

    def carry_out(self, call: ToolCall) -> EnvReply:
        """Carry out one call, with the server that has the tool."""
        if self._finder is not None and call.name == FIND_TOOLS:
            return said(self._finder.search(call.arguments["query"]))
        if call.name not in self._route:
            return super().carry_out(call)
        server, name = self._route[call.name]
        if self._num_broken.get(server.name, 0) >= MAX_BROKEN:
            return said(f"Not run: {MAX_BROKEN} of your calls have broken the server {server.name!r}.")
        try:
            result = self._started(server).call(name, call.arguments)
        except ToolServerError as error:
            self.check_interrupt()
            return self._after_break(server, error)
        except CancelledError:
            self.check_interrupt()
            raise SandboxError(f"a call of {call.name!r} was cancelled") from None
        return EnvReply([shown_result(result, self._pictures)])

    def grade(self) -> EnvReply:
        """Not submitted in time: failed."""
        events = [self.event("success", 0.0, source="verifier")]
        if self._planted is not None and self._planted.call is not None:
            with tempfile.TemporaryDirectory(prefix="agentgym-mcp-") as name:
                events += self._attack(self._taken_over(Path(name) / "work")[0])
        return EnvReply((), events, success=False)

    def interrupt(self) -> None:
        """Make a running step, or the next, give up; see `SandboxEnv.interrupt`."""
        super().interrupt()
        for server in list(self._running.values()):
            server.cancel()

    # The servers.

    def _seat(self, names: Sequence[str]) -> None:
        """Take the tools of some servers as those of the agent."""
        self._route: dict[str, tuple[Server, str]] = {}
        shown: list[ToolSchema] = []
        for server in chosen(self._mounts, names):
            listed: Sequence[Mapping[str, object]] = self._list(server)
            if self._planted is not None:
                listed = self._planted.put_into(server.name, listed)
            for name, schema in shown_tools(server.name, listed, server.tools).items():
                self._route[schema["function"]["name"]] = server, name
                shown.append(schema)
        own = [*type(self).tools]
        self._finder = ToolFinder(ToolIndex(shown), own) if self._finds_tools else None
        self.tools = [*shown, *own] if self._finder is None else self._finder.shown

    def _early(self, task: Task) -> Server | None:
        """The server that may be started before the task's files are there: one of which that is known, on its own."""
        names = task.config.get("servers")
        if not isinstance(names, list) or len(names) != 1 or not self._mounts_folders:
            return None
        server = self._mounts.servers.get(str(names[0]))
        return server if server is not None and server.module else None

    def _list(self, server: Server) -> list[dict[str, object]]:
        """The tools of a server: those recorded, or, of your own, as it lists them when it is started once."""
        if server.module:
            return recorded_tools(server.name)
        if server.name not in self._listed:
            with self._lender_of_sandboxes().lease(self._spec()) as sandbox:
                mounted = MountedServer(server, sandbox, self._folder_of(server))
                self._listed[server.name] = mounted.listed
                mounted.close()
        return self._listed[server.name]

    def _started(self, server: Server) -> MountedServer:
        """A server of the episode, started with its first call."""
        if server.name not in self._running:
            sandbox = self.sandbox
            if not self._is_filled:
                self._fill()
            self._running[server.name] = MountedServer(
                *(server, sandbox, self._folder_of(server), CLOCK, self._list(server)),
                is_early=bool(sandbox.spec.command),
            )
        return self._running[server.name]

    def _after_break(self, server: Server, error: ToolServerError) -> EnvReply:
        """Blame the call if the server is sound without it.

        Raises:
            ToolServerError: It is not, or nobody can tell.
        """
        mounted = self._running.get(server.name)
        if mounted is None or not mounted.is_sound():
            self.books.phase = "ended"
            raise error
        self._num_broken[server.name] = self._num_broken.get(server.name, 0) + 1
        return said(
            f"Error: the server {server.name!r} ended, or did not answer within {server.call_timeout_s:g} s. It was "
            "started again; another call like this may do the same."
        )

    def _fill(self) -> None:
        """Lay the task's files into the work folder."""
        assert self.task is not None
        command = ["tar", "-x", "--no-same-owner", "-f", "-"]
        packed = _as_archive(start_of(self.task.config).to_files())
        result = self.sandbox.exec(command, stdin=packed, timeout_s=_SETUP_S)
        if not result.is_ok:
            raise SandboxError(f"the work folder of {self.task.id!r} could not be filled: {result.text()[-300:]}")
        self._is_filled = True

    def _spec(self) -> SandboxSpec:
        mounts = [
            Mount(server.folder, f"{SERVERS_FOLDER}/{name}")
            for name, server in self._mounts.servers.items()
            if server.folder and self._mounts_folders
        ]
        if self._interpreter and self._mounts_folders:
            own, base = (path.parents[1] for path in (Path(self._interpreter), Path(self._interpreter).resolve()))
            folders = dict.fromkeys(str(folder) for folder in (own, base) if not folder.is_relative_to("/usr"))
            mounts += [Mount(folder, folder) for folder in folders]
        env = {**GIT_ENV, "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        network = Network(allow=self._mounts.allow)
        return SandboxSpec(self._mounts.image, env=env, mounts=tuple(mounts), limits=LIMITS, network=network)

    @property
    def _mounts_folders(self) -> bool:
        """Whether servers see mounted folders, and not those of this machine."""
        return self._lender_of_sandboxes().provider.name != "process"

    def _folder_of(self, server: Server) -> str:
        return f"{SERVERS_FOLDER}/{server.name}" if self._mounts_folders else server.folder

    def _judged(self, answer: str) -> EnvReply:
        assert self.task is not None
        with tempfile.TemporaryDirectory(prefix="agentgym-mcp-") as name:
            folder, why = self._taken_over(Path(name) / "work")
            why = why or fault(self.task, answer, folder)
            attack = self._attack(folder)
        detail: Mapping[str, object] | None = {"why": why[:500]} if why else None
        event = self.event("success", float(not why), source="verifier", detail=detail)
        return EnvReply((), [event, *attack], success=not why)

    def _taken_over(self, folder: Path) -> tuple[Path | None, str]:
        """End the servers and copy the work folder; None where nothing was called, and why it cannot be copied."""
        if not self._is_filled:
            return None, ""
        sandbox = self.sandbox
        running, self._running = self._running, {}
        for server in running.values():
            server.close()
        try:
            sandbox.download(".", folder, max_bytes=MAX_FOLDER_BYTES)
        except SandboxFileError as error:
            return None, f"the work folder cannot be taken over: {error}"
        return folder, ""

    def _attack(self, folder: Path | None) -> list[RewardEvent]:
        """Whether what a planted text wants was done, in tasks that plant one."""
        if self._planted is None or self._planted.call is None:
            return []
        assert self.task is not None
        reached = self._planted.is_reached(self.task, folder)
        return [self.event(ATTACK, float(reached), source="verifier")]


def _as_archive(files: Mapping[str, bytes]) -> bytes:
    """Files by path as a tar archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def _with_interpreter(mounts: Mounts, interpreter: str) -> Mounts:
    """The servers from PyPI run by another Python."""
    if not interpreter:
        return mounts
    if not Path(interpreter).is_file() or len(Path(interpreter).parts) < 4:
        raise ConfigError(
            f"interpreter must be the path of a Python in its own folder, as venv makes it: {interpreter}"
        )
    servers = {
        name: dataclasses.replace(server, command=(interpreter, *server.command[1:])) if server.module else server
        for name, server in mounts.servers.items()
    }
    return dataclasses.replace(mounts, servers=servers)
