"""The server: a Python process with the trainer imported that forks itself for each request; SOCKET WATCHED_PID.

A process is killed when who asked for it is gone, and the server ends with the process that it watches.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import site
import socket
import sys
import sysconfig
import types
from contextlib import suppress
from typing import Any, NamedTuple

COMMANDS = ("attribute", "compare", "eval", "export", "play", "record", "report", "train")
IMPORTED = (
    "torch",
    "torch.utils.tensorboard",
    "transformers",
    "agentgym.cli.main",
    *(f"agentgym.cli.{name}" for name in COMMANDS),
    "agentgym_rl.run.cost",
    "agentgym_rl.run.describe",
    "agentgym_rl.run.job",
    "agentgym_rl.groups.learner",
    "agentgym_rl.groups.requirements",
    "agentgym_rl.hierarchical.learner",
    "agentgym_rl.hierarchical.listed.learner",
    "agentgym_rl.hierarchical.requirements",
    "agentgym_rl.offline.actor_critic",
    "agentgym_rl.offline.making",
    "agentgym_rl.offline.requirements",
    "agentgym_rl.replay.requirements",
)
"""What a process need not import again."""

_POLL_S = 1.0
_MAX_REQUEST = 1 << 18


class Job(NamedTuple):
    """What a forked process is to do."""

    request: dict[str, Any]
    files: list[int]


class Server:
    """Forks a process for each connection, and answers with its id and then with its exit code."""

    def __init__(self, path: str, watched: int) -> None:
        self._watched = watched
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(path)
        self._listener.listen(64)

    def serve(self) -> Job | None:
        """Serve until the watched process has ended; returns with a job in each process that was forked."""
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        while os.path.exists(f"/proc/{self._watched}"):
            for key, _ in self._selector.select(_POLL_S):
                if (job := key.data()) is not None:
                    self._selector.close()
                    self._listener.close()
                    return job  # type: ignore[no-any-return]
        return None

    def _accept(self) -> Job | None:
        connection, _ = self._listener.accept()
        message, files, _, _ = socket.recv_fds(connection, _MAX_REQUEST, 3)
        if not message:
            connection.close()
            return None
        pid = os.fork()
        if pid == 0:
            connection.close()
            return Job(json.loads(message), files)
        for each in files:
            os.close(each)
        ended = os.pidfd_open(pid)
        self._selector.register(ended, selectors.EVENT_READ, lambda: self._report(pid, ended, connection))
        self._selector.register(connection, selectors.EVENT_READ, lambda: self._stop(pid, connection))
        connection.send(str(pid).encode())
        return None

    def _stop(self, pid: int, connection: socket.socket) -> None:
        """Who asked is gone."""
        self._selector.unregister(connection)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)

    def _report(self, pid: int, ended: int, connection: socket.socket) -> None:
        _, status = os.waitpid(pid, 0)
        self._selector.unregister(ended)
        os.close(ended)
        with suppress(OSError):
            connection.send(str(os.waitstatus_to_exitcode(status)).encode())
        with suppress(KeyError):
            self._selector.unregister(connection)
        connection.close()


def run(job: Job) -> None:
    """Be the interpreter that was asked for; it ends as any other does."""
    os.setsid()
    for target, given in enumerate(job.files):
        os.dup2(given, target)
        os.close(given)
    request = job.request
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    if prefix := request.get("prefix"):
        sys.prefix, sys.executable = prefix, f"{prefix}/bin/python"
        site.addsitedir(sysconfig.get_path("purelib", vars={"base": prefix}))
        importlib.invalidate_caches()
    sys.modules["__main__"] = types.ModuleType("__main__")
    kind, *rest = request["args"]
    if kind == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), sys.modules["__main__"].__dict__)
    elif kind == "-m":
        sys.argv = rest
        sys.modules.pop(rest[0], None)
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [kind, *rest]
        sys.path.insert(0, os.path.dirname(kind))
        runpy.run_path(kind, run_name="__main__")


def main() -> None:
    path, watched = sys.argv[1:]
    gc.disable()
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()  # what was imported is shared with the processes, not copied when they collect
    gc.enable()
    server = Server(path, int(watched))
    if os.fork():
        os._exit(0)  # who started it goes on now that it answers
    job = server.serve()
    if job is not None:
        run(job)


if __name__ == "__main__":
    main()
