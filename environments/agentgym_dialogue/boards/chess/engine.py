"""Stockfish: a bounded pool of its processes, each of whose answers depends on nothing but the question.

Which of its lines is played is decided in `opponent`. The pool speaks UCI itself: the chess library's engine needs an
event loop a process and costs several times as much as the search.
"""

from __future__ import annotations

import atexit
import os
import re
import select
import shutil
import subprocess
import threading
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from agentgym.errors import ConfigError, InfrastructureError

DEBIAN_PATH = "/usr/games/stockfish"
HASH_MIB = 1
MAX_PROCESSES = 4
MATE = 100_000
"""Score of a mate on the board, in centipawns."""
MATE_STEP = 100
"""How much less a mate is worth for each move that it takes."""
ANSWERS_WITHIN_S = 30.0
ENDS_WITHIN_S = 2.0

_LINE = re.compile(rb"^info .*?\bmultipv (\d+) score (cp|mate) (-?\d+).*? pv (\S+)", re.MULTILINE)


class Line(NamedTuple):
    """One of the engine's best lines.

    Attributes:
        move: Its first move in UCI notation.
        score: What it expects of it for who moves, in centipawns; see `MATE`.
    """

    move: str
    score: int


def find_engine() -> str:
    """Path of the program.

    Raises:
        ConfigError: It is not installed.
    """
    path = shutil.which("stockfish") or shutil.which(DEBIAN_PATH)
    if path is None:
        raise ConfigError(
            f"chess is played against Stockfish, which is neither on PATH nor at {DEBIAN_PATH}; "
            "install it with: sudo apt-get install stockfish"
        )
    return path


class Engine:
    """A process of Stockfish with one thread and a fixed hash table, forgetful between questions.

    It ends when its standard input does, so it never outlives this process, however that ends. The signal that Linux
    sends at a parent's death would not do: it is sent at the end of the thread that started the child.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - a program of the system, no shell
            [find_engine()],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt from the keyboard is the parent's matter
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._num_lines = 1
        try:
            self._ask(f"setoption name Threads value 1\nsetoption name Hash value {HASH_MIB}\nisready\n", b"readyok")
        except InfrastructureError:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    def lines(self, fen: str, nodes: int, num_lines: int) -> list[Line]:
        """The best lines of a position, best first; a new game is announced before, so nothing is left of others.

        Raises:
            InfrastructureError: The process ended or does not answer.
        """
        option = "" if num_lines == self._num_lines else f"setoption name MultiPV value {num_lines}\n"
        answer = self._ask(f"{option}ucinewgame\nposition fen {fen}\ngo nodes {nodes}\n", b"bestmove")
        self._num_lines = num_lines
        last: dict[int, Line] = {}
        for rank, kind, value, move in _LINE.findall(answer):
            number = int(value)
            mate = (MATE if number > 0 else -MATE) - MATE_STEP * number
            last[int(rank)] = Line(move.decode(), number if kind == b"cp" else mate)
        return [last[rank] for rank in sorted(last)]

    def close(self) -> None:
        """End the process and wait for that."""
        with suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()

    def abandon(self) -> None:
        """Let go of a process that belongs to the parent of this one, so that it ends with the parent."""
        with suppress(OSError):
            self._stdin.close()
            self._stdout.close()
        self._process.returncode = 0  # not ours to wait for

    def _ask(self, question: str, last_word: bytes) -> bytes:
        """What it says up to the line that begins with a word."""
        answer, deadline = b"", monotonic() + ANSWERS_WITHIN_S
        try:
            self._stdin.write(question.encode())
            while not ((b"\n" + last_word) in (b"\n" + answer) and answer.endswith(b"\n")):
                ready, _, _ = select.select([self._stdout], [], [], max(0.0, deadline - monotonic()))
                piece = os.read(self._stdout.fileno(), 1 << 16) if ready else b""
                if not piece:
                    raise InfrastructureError(
                        f"Stockfish (process {self.pid}) {'ended' if ready else 'is silent'} on {question!r:.200}; the "
                        "episode can be played again"
                    )
                answer += piece
        except OSError as error:
            raise InfrastructureError(f"Stockfish (process {self.pid}) is gone: {error}") from error
        return answer


class EnginePool:
    """Engines that all episodes of this process share; one is started where all are busy and there may be more.

    Args:
        max_processes: Most processes at once; who asks when all are busy waits.
    """

    def __init__(self, max_processes: int = MAX_PROCESSES) -> None:
        self.max_processes = max_processes
        self._engines: list[Engine] = []
        self._idle: list[Engine] = []
        self._renew_locks()
        os.register_at_fork(after_in_child=self._abandon)
        atexit.register(self.close)

    def lines(self, fen: str, nodes: int, num_lines: int) -> list[Line]:
        """The best lines of a position, best first.

        Args:
            fen: The position.
            nodes: Nodes that are searched.
            num_lines: Most lines.

        Raises:
            ConfigError: Stockfish is not installed.
            InfrastructureError: A process ended or does not answer.
        """
        with self._free:
            engine = self._take()
            try:
                lines = engine.lines(fen, nodes, num_lines)
            except BaseException:  # whatever is half-said must not answer the next question
                self._drop(engine)
                raise
            with self._lock:
                self._idle.append(engine)
            return lines

    @property
    def pids(self) -> list[int]:
        """Ids of the processes."""
        return [engine.pid for engine in self._engines]

    def close(self) -> None:
        """End the processes that are not busy; the pool can be used on and starts others."""
        with self._lock:
            idle, self._idle = self._idle, []
        for engine in idle:
            self._drop(engine)

    def _take(self) -> Engine:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        engine = Engine()
        with self._lock:
            self._engines.append(engine)
        return engine

    def _drop(self, engine: Engine) -> None:
        with self._lock:
            self._engines.remove(engine)
        engine.close()

    def _abandon(self) -> None:
        for engine in self._engines:
            engine.abandon()
        self._engines, self._idle = [], []
        self._renew_locks()

    def _renew_locks(self) -> None:
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(self.max_processes)


ENGINES = EnginePool()
"""The pool of this process."""


def close_shared_pools() -> None:
    """End the engines of this process that are not busy; the next question starts others."""
    ENGINES.close()
