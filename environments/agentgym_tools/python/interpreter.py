"""The agent's stateful interpreter: a long-lived process in its sandbox, spoken to over its standard streams.

What runs there is `inside/session.py`; judging submissions is the work of `judging`.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import time
from collections.abc import Callable
from importlib import resources
from typing import Literal, NamedTuple

from agentgym.authoring.long_outputs import join_ends
from agentgym.errors import SandboxError, SandboxLostError
from agentgym.sandbox.base import Sandbox, SandboxProcess

Status = Literal["ok", "error", "timeout", "exit", "killed", "crash"]
PYTHON = ("python3", "-s")
PYTHON_ENV = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
"""Order of sets and hashes is the same in every run."""
MARK = b"\x1e"
READY = MARK + b"ready" + MARK
GRACE_S = 1.0
START_S = 20.0
MAX_GREETING = 4096
MAX_ASKED = 1 << 17
"""Most bytes of a question of the code's that are waited for."""


def program(name: str) -> tuple[str, ...]:
    """The command that runs one of the programs in `inside`, which need not be in the image."""
    source = resources.files("agentgym_tools.python.inside").joinpath(f"{name}.py")
    return (*PYTHON, "-c", source.read_text(encoding="utf-8"))


SESSION = program("session")


class Shown(NamedTuple):
    """What running one piece of code came to.

    Attributes:
        output: What it wrote, the middle left out where it was too much.
        status: "ok"; "error" with a traceback in the output; "timeout", stopped with its variables kept; "exit",
            "killed" (for time) and "crash": the interpreter ended, and the next piece starts another one.
        num_dropped: Bytes left out.
    """

    output: str
    status: Status
    num_dropped: int


class Interpreter:
    """A Python interpreter whose variables last from one piece of code to the next.

    Args:
        sandbox: Where it runs.
        max_output: Bytes of output kept of one piece of code, from its beginning and its end.
        prelude: Code that runs first, in each new interpreter.
        answer: Answers what code asks with `host.ask(text)`, in this process; it must expect anything, and raise
            nothing. None where code has nobody to ask.
    """

    def __init__(
        self, sandbox: Sandbox, max_output: int, prelude: str = "", answer: Callable[[str], str] | None = None
    ) -> None:
        self._sandbox = sandbox
        self._prelude, self._answer = prelude, answer
        self._half = max_output // 2
        self._process: SandboxProcess | None = None
        self.has_run = False

    def run(self, code: str, limit_s: float) -> Shown:
        """Run a piece of code; starts the interpreter where none is running.

        Args:
            code: Statements; the value of a last expression is shown.
            limit_s: Wall time, after which the code is stopped, and the interpreter killed where that does not help.

        Raises:
            SandboxLostError: The sandbox is gone.
            SandboxError: There is no interpreter to be started in a sandbox in which no code ran yet.
        """
        shown = self._run(code, limit_s)
        if shown.status in ("killed", "crash"):
            self._sandbox.exec(["true"])  # a sandbox that is gone or hangs as a whole is not the code's doing
        return shown

    def _run(self, code: str, limit_s: float) -> Shown:
        process = self._process or self._start()
        if process is None:
            return Shown("", "crash", 0)
        try:
            shown = self._exchange(process, code, limit_s)
        except SandboxLostError:
            raise
        except SandboxError:  # it ended since, by a thread or a signal of its own
            self.close()
            return Shown("", "crash", 0)
        if shown.status in ("exit", "killed", "crash"):
            self.close()
        return shown

    def _exchange(self, process: SandboxProcess, code: str, limit_s: float) -> Shown:
        nonce = secrets.token_hex(8)
        request = json.dumps({"nonce": nonce, "code": code, "limit_s": limit_s})
        process.send(request.encode() + b"\n")
        self.has_run = self.has_run or code is not self._prelude
        return self._collect(process, MARK + nonce.encode() + b" ", limit_s + GRACE_S)

    def close(self) -> None:
        """End the interpreter and whatever it started; twice is harmless."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _start(self) -> SandboxProcess | None:
        """A new interpreter that listens; None where earlier code left no room for one."""
        process = self._process = self._sandbox.spawn(SESSION, env=PYTHON_ENV)
        said = b""
        with contextlib.suppress(TimeoutError):
            while not said.endswith(READY) and len(said) < MAX_GREETING:
                piece = process.receive(timeout_s=START_S)
                if not piece:
                    break
                said += piece
        if said.endswith(READY) and (
            not self._prelude or self._exchange(process, self._prelude, START_S).status == "ok"
        ):
            return process
        self.close()
        if self.has_run:
            return None
        raise SandboxError(f"python3 could not be started in sandbox {self._sandbox.id}: {said[-300:]!r}")

    def _collect(self, process: SandboxProcess, mark: bytes, within_s: float) -> Shown:
        """Read up to the mark, keeping the first and the last bytes."""
        deadline = time.monotonic() + within_s
        head, tail, num_read = bytearray(), bytearray(), 0
        while True:
            try:
                piece = process.receive(timeout_s=max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                return self._shown(head, tail, num_read, "killed")
            if not piece:
                return self._shown(head, tail, num_read, "crash")
            tail += piece
            num_read += len(piece)
            num_asked, is_asking = self._answer_asked(process, tail, mark + b"ask ")
            num_read -= num_asked
            if is_asking:
                if time.monotonic() > deadline:
                    return self._shown(head, tail, num_read, "killed")
                continue
            found = tail.rfind(mark)
            end = tail.find(MARK, found + len(mark)) if found >= 0 else -1
            if end >= 0:
                word = bytes(tail[found + len(mark) : end]).decode("ascii", "replace")
                status: Status = word if word in ("ok", "error", "timeout", "exit") else "crash"  # type: ignore[assignment]
                num_read -= len(tail) - found
                return self._shown(head, tail[:found], num_read, status)
            if len(head) < self._half and len(tail) > 4096:
                room = min(self._half - len(head), len(tail) - 4096)
                head += tail[:room]
                del tail[:room]
            if len(tail) > self._half + 4096:
                del tail[: len(tail) - self._half - 128]
            if time.monotonic() > deadline:
                return self._shown(head, tail, num_read, "killed")

    def _answer_asked(self, process: SandboxProcess, tail: bytearray, mark: bytes) -> tuple[int, bool]:
        """Answer what the code asks, and take it out; how many bytes it was, and whether a question is half written."""
        num_bytes = 0
        while self._answer is not None and (found := tail.find(mark)) >= 0:
            end = tail.find(MARK, found + len(mark))
            if end < 0:
                return num_bytes, len(tail) - found < MAX_ASKED
            asked = bytes(tail[found + len(mark) : end])
            del tail[found : end + 1]
            num_bytes += end + 1 - found
            process.send(json.dumps(self._answer(_read_text(asked))).encode() + b"\n")
        return num_bytes, False

    def _shown(self, head: bytearray, tail: bytearray, num_read: int, status: Status) -> Shown:
        room = self._half - len(head)
        if room > 0:
            head = head + tail[:room]
            tail = tail[room:]
        tail = tail[-self._half :]
        num_dropped = num_read - len(head) - len(tail)
        ends = (head.decode("utf-8", "replace"), tail.decode("utf-8", "replace"))
        output = join_ends(*ends, num_dropped, "bytes")
        return Shown(output, status, max(0, num_dropped))


def _read_text(asked: bytes) -> str:
    """The text of a question; what the code wrote itself need not be one, and is empty then."""
    try:
        text = json.loads(asked)
    except (ValueError, RecursionError):
        return ""
    return text if isinstance(text, str) else ""
