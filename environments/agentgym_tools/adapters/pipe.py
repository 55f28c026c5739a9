"""A process of a peer's interpreter, asked over its input and output; every way it can fail is an error with a remedy.

What is asked and answered is said in `inside.contract`. The process ends with this one, however that ends.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from agentgym.errors import CancelledEpisode, ConfigError, HostLostError, InfrastructureError, StepTimeoutError

_MAIN = Path(__file__).with_name("inside") / "main.py"
_MOST_LOG = 1 << 20
"""Bytes of what the peer prints that are kept, about."""
_LOOK_S = 0.1
_UNSET = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


class Pipe:
    """The process; it starts with the first question, and anew after a failure.

    Args:
        interpreter: The peer's Python.
        driver: Name of the driver in `inside`, or the path of another one.
        settings: What the driver is made with.
        remedy: How the interpreter is made, for errors.
        timeout_s: Wall time of one answer.
        is_stopped: Asked while an answer is waited for; if it is true, the process is ended.
    """

    def __init__(
        self,
        interpreter: str,
        driver: str,
        settings: Mapping[str, Any],
        remedy: str,
        timeout_s: float = 120.0,
        *,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._interpreter, self._driver, self._settings, self._remedy = interpreter, driver, dict(settings), remedy
        self._timeout_s, self._is_stopped = timeout_s, is_stopped
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._read = bytearray()

    @property
    def pid(self) -> int | None:
        """The process's id, while there is one."""
        return None if self._process is None else self._process.pid

    def ask(self, verb: str, **arguments: Any) -> Any:
        """The answer to a question.

        Raises:
            ConfigError: The interpreter, the folder or an option has to be put right.
            StepTimeoutError: No answer came in time; the process was ended.
            HostLostError: The process is gone.
            InfrastructureError: The peer failed.
            CancelledEpisode: The episode was interrupted; the process was ended.
        """
        if self._process is None:
            self._start()
            self._asked({"do": "start", **self._settings})
        return self._asked({"do": verb, **arguments})

    def close(self) -> None:
        """End the process and whatever it has started; a second call does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        if self._log is not None:
            self._log.close()

    def _start(self) -> None:
        self._read.clear()
        self._log = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the interpreter that the user named
                [self._interpreter, str(_MAIN), self._driver],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={key: value for key, value in os.environ.items() if key not in _UNSET},
                cwd=tempfile.gettempdir(),
                start_new_session=True,
            )
        except OSError as error:
            self._log.close()
            raise ConfigError(f"{self._interpreter} cannot be started: {error.strerror}; {self._advice}") from error
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)

    def _asked(self, question: Mapping[str, Any]) -> Any:
        assert self._log is not None
        if os.fstat(self._log.fileno()).st_size > _MOST_LOG:
            self._log.truncate(0)
        deadline = time.monotonic() + self._timeout_s
        try:
            self._send((json.dumps(question) + "\n").encode(), deadline, question["do"])
            answer = json.loads(self._receive(deadline, question["do"]))
        except (OSError, ValueError) as error:
            if isinstance(error, InfrastructureError):
                raise
            raise self._lost(question["do"]) from error
        if "refused" in answer:
            self.close()
            raise ConfigError(f"{answer['refused']}; {self._advice}")
        if "error" in answer and question["do"] == "start":
            self.close()
            raise ConfigError(f"{self._interpreter} cannot serve {self._driver}: {answer['error']}; {self._advice}")
        if "error" in answer:
            raise InfrastructureError(f"{self._driver} failed at {question['do']}: {answer['error']}")
        return answer["ok"]

    def _send(self, line: bytes, deadline: float, verb: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        to = self._process.stdin.fileno()
        while line:
            self._wait(to, select.POLLOUT, deadline, verb)
            line = line[os.write(to, line) :]

    def _receive(self, deadline: float, verb: str) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        source = self._process.stdout.fileno()
        start = 0
        while (end := self._read.find(b"\n", start)) < 0:
            start = len(self._read)
            self._wait(source, select.POLLIN, deadline, verb)
            part = os.read(source, 1 << 16)
            if not part:
                raise self._lost(verb)
            self._read += part
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line

    def _wait(self, descriptor: int, event: int, deadline: float, verb: str) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        while not poll.poll(1000 * min(_LOOK_S, max(0.0, deadline - time.monotonic()))):
            if self._is_stopped():
                self.close()
                raise CancelledEpisode(f"the episode was interrupted while {self._driver} was at {verb}")
            if time.monotonic() >= deadline:
                said = self._last_words()
                self.close()
                raise StepTimeoutError(
                    f"{self._driver} gave no answer to {verb} within {self._timeout_s:g} s and was ended; its last "
                    f"words: {said}; if it needs longer, raise timeout_s"
                )

    def _lost(self, verb: str) -> InfrastructureError:
        """The error for a process that is gone; one that never answered lacks what the driver needs."""
        said, code = self._last_words(), self._exit_code()
        self.close()
        return HostLostError(
            f"the process of {self._driver} ended at {verb} with {code}: {said}"
            + (f"; {self._advice}" if verb == "start" else "")
        )

    def _exit_code(self) -> int | None:
        """How the process ended, if it has; it is not reaped, so that its group can still be named."""
        assert self._process is not None
        for _ in range(50):
            found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is not None:
                return found.si_status
            time.sleep(_LOOK_S)
        return None

    def _last_words(self) -> str:
        assert self._log is not None
        self._log.seek(0)
        return " ".join(self._log.read().decode(errors="replace").split())[-300:] or "it said nothing"

    @property
    def _advice(self) -> str:
        return f"make an interpreter with: {self._remedy}"
