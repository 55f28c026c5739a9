"""A stateful interpreter: reads pieces of code from its standard input, runs them in one namespace, marks their ends.

It runs in the sandbox beside the agent's code, so nothing that it says is believed by anyone but the agent: what it
protects itself against are accidents (closed streams, forks, endless loops), not forgery.

It says RS ready RS when it listens. A request is a line of JSON: nonce, code, limit_s. Output is what the code writes,
then RS nonce space status RS and a newline. Code may ask the other side by `import host; host.ask(text)`: that writes
RS nonce space "ask" space text as JSON RS, and reads a line of JSON, the answer.
"""

from __future__ import annotations

import ast
import contextlib
import fcntl
import json
import linecache
import os
import random
import signal
import sys
import threading
import traceback
from types import FrameType, ModuleType
from typing import Any

MARK = b"\x1e"
READY = MARK + b"ready" + MARK
MAX_ASKED = 60_000


class TimeLimit(BaseException):
    """The code ran past its time limit; no `except Exception` catches it."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise TimeLimit


class Session:
    """One namespace and the streams around it."""

    def __init__(self) -> None:
        self.requests = os.fdopen(_out_of_reach(0), "rb")
        self.output_fd = _out_of_reach(1)
        self.nothing_fd = _out_of_reach(os.open(os.devnull, os.O_RDONLY))
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        self.namespace: dict[str, Any] = module.__dict__
        self.namespace["__builtins__"] = __builtins__
        self.count = 0
        self.pid = os.getpid()
        self.nonce = ""
        self.asking = threading.Lock()
        host = ModuleType("host")
        host.ask = self.ask  # type: ignore[attr-defined]
        sys.modules["host"] = host
        self.restore_streams()
        signal.signal(signal.SIGALRM, _stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def restore_streams(self) -> None:
        """Point the standard streams where they belong, whatever the last code did to them."""
        os.dup2(self.nothing_fd, 0)
        for number in (1, 2):
            os.dup2(self.output_fd, number)
        options: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace", "closefd": False}
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", buffering=1, **options)  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, **options)  # noqa: SIM115

    def run(self, code: str, limit_s: float) -> str:
        """Run one piece of code; returns its status: ok, error, timeout or exit."""
        self.count += 1
        name = f"<input {self.count}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        status = "ok"
        try:
            signal.setitimer(signal.ITIMER_REAL, limit_s)
            try:
                self._execute(code, name)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except TimeLimit:
            status = "timeout"
        except SystemExit:
            status = "exit"
        except BaseException as error:  # noqa: BLE001 - whatever the agent's code raises
            status = "error"
            self._show(error, name)
        if os.getpid() != self.pid:  # a child that the code forked and that came back here
            os._exit(0)
        return status

    def ask(self, text: str) -> str:
        """Ask the other side, which may refuse; only while code runs.

        Raises:
            RuntimeError: No code runs, or it is a child's.
            ValueError: The text is too long.
        """
        if not self.nonce or os.getpid() != self.pid:
            raise RuntimeError("the other side can be asked only while code runs, and not by its children")
        asked = json.dumps(text)
        if len(asked) > MAX_ASKED:
            raise ValueError(f"what is asked has {len(asked)} characters; at most {MAX_ASKED} are sent")
        with self.asking:
            self._flush()
            masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})  # half an exchange would upset the next
            try:
                _write(self.output_fd, MARK + f"{self.nonce} ask {asked}".encode() + MARK)
                answer: str = json.loads(self.requests.readline())
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        return answer

    def _execute(self, code: str, name: str) -> None:
        """The statements, then the value of a last expression, as an interactive interpreter shows it."""
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec", dont_inherit=True), self.namespace)  # noqa: S102 - it is what this program is for
        if last is not None:
            exec(compile(ast.Interactive([last]), name, "single", dont_inherit=True), self.namespace)  # noqa: S102

    def _show(self, error: BaseException, name: str) -> None:
        """Print a traceback without this program's own frames."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != name:
            trace = trace.tb_next
        try:
            text = "".join(traceback.format_exception(type(error), error, trace))
        except BaseException:  # noqa: BLE001 - an exception of the agent's own that cannot be shown
            text = f"{type(error).__name__}\n"
        self._flush()
        _write(self.output_fd, text.encode("utf-8", "backslashreplace"))

    def _flush(self) -> None:
        with contextlib.suppress(BaseException):  # closed or replaced by the agent's code
            sys.stdout.flush()
            sys.stderr.flush()

    def serve(self) -> None:
        """Run requests until there are no more, or the code asks to exit."""
        _write(self.output_fd, READY)
        while line := self.requests.readline():
            request = json.loads(line)
            self.nonce = request["nonce"]
            status = self.run(request["code"], request["limit_s"])
            self.nonce = ""
            self._flush()
            self.restore_streams()
            _write(self.output_fd, MARK + f"{request['nonce']} {status}".encode() + MARK + b"\n")
            if status == "exit":
                return


def _out_of_reach(fd: int) -> int:
    """A copy with a number that code does not close by accident, and that no child inherits."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100)


def _write(fd: int, content: bytes) -> None:
    while content:
        content = content[os.write(fd, content) :]


if __name__ == "__main__":
    random.seed(0)
    Session().serve()
    os._exit(0)
