"""The host's side of the runner: one control connection a sandbox, one stream of frames an operation.

What the operations mean is in `sandbox`, `streams`, `shell` and `files`. No thread is started: callers wait themselves.
"""

from __future__ import annotations

import itertools
import os
import select
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from agentgym.errors import SandboxLostError, SandboxStartError
from agentgym.sandbox.runner.protocol import (
    CONTROL_CHANNEL,
    CONTROL_CLEAR,
    HEADER,
    MAX_PAYLOAD,
    VERSION,
    ExitFlag,
    Kind,
    frame,
    parsed_exit,
)

_CONTROL_PATIENCE_S = 20.0
LOSS_WAIT_MS = 100
"""How long the end of a sandbox may be behind the first sign of it."""
FOR_MEMORY = "the kernel killed it for memory"
"""What `ControlConnection.explain` says of a sandbox whose own processes took too much memory."""
_KILLED = 137
_RECEIVE_BYTES = 1 << 18
_FIRST_BYTES = 65536


_connections: weakref.WeakSet[ControlConnection] = weakref.WeakSet()


def _leave_all_to_parent() -> None:
    for connection in list(_connections):
        connection.leave_to_parent()


os.register_at_fork(after_in_child=_leave_all_to_parent)


class Frame(NamedTuple):
    """One frame from the runner."""

    kind: int
    payload: bytes


class ControlConnection:
    """The one connection to a runner; as long as it is open, the sandbox lives.

    Args:
        sock: Its socket, on which the runner has said nothing yet.
        name: The sandbox, for messages.
        timeout_s: How long the runner may take to say hello.

    Raises:
        SandboxStartError: It said something else, or nothing.
    """

    def __init__(self, sock: socket.socket, name: str, *, timeout_s: float = 30.0) -> None:
        self.name = name
        self.explain: Callable[[], str] = lambda: ""  # why the sandbox ended, if its provider can tell
        self._sock = sock
        self._lock = threading.Lock()
        self._channels: set[Channel] = set()
        self._standby: socket.socket | None = None
        self._is_closed = False
        self.is_parents = False  # whether this process was forked off, so that the sandbox is none of its business
        self.runner_pid = self._hello(timeout_s)
        sock.settimeout(_CONTROL_PATIENCE_S)
        _connections.add(self)

    def _hello(self, timeout_s: float) -> int:
        self._sock.settimeout(timeout_s)
        try:
            words = self._sock.recv(256).decode("ascii", "replace").split()
        except OSError as error:
            self._sock.close()
            raise SandboxStartError(f"the runner of sandbox {self.name} did not report: {error}") from error
        if len(words) != 3 or words[:2] != ["agentgym-runner", str(VERSION)] or not words[2].isdigit():
            self._sock.close()
            raise SandboxStartError(
                f"the runner of sandbox {self.name} reported {' '.join(words)!r}, expected version {VERSION}; "
                "build its image again: agentgym images build"
            )
        return int(words[2])

    def run(self, request: bytes) -> Channel:
        """Start an operation of one request, on the keeper that the last one has left free if there is one.

        Raises:
            SandboxLostError: The sandbox is gone.
        """
        with self._lock:
            standby, self._standby = self._standby, None
            if standby is not None:
                channel = Channel(standby, self)
                self._channels.add(channel)
        if standby is None:
            return self.open(request)
        channel.request = request
        try:
            standby.sendall(request)
        except OSError:  # killed from inside, or the sandbox is gone
            try:
                self.start_again(channel)
            except SandboxLostError:
                channel.close()
                raise
        return channel

    def start_again(self, channel: Channel) -> None:
        """Give a channel another keeper: the free one was gone before it had read the request."""
        request, channel.request = channel.request, b""
        fresh = self.open(request)
        with self._lock:
            channel.sock.close()
            channel.sock = fresh.sock
            self._channels.discard(fresh)
            if channel.is_interrupted:
                channel.interrupt()

    def end(self, channel: Channel) -> None:
        """Close a channel, or keep its free keeper for the next operation."""
        with self._lock:
            self._channels.discard(channel)
            if channel.is_free and not channel.is_interrupted and self._standby is None and not self._is_closed:
                self._standby = channel.sock
                channel.is_free = False
                return
        channel.sock.close()

    def _dismiss_standby(self) -> None:
        standby, self._standby = self._standby, None
        if standby is not None:
            standby.close()

    def open(
        self, request: bytes, *, clears: bool = False, lasts: bool = False, passed: socket.socket | None = None
    ) -> Channel:
        """Start an operation on a keeper made for it; one that was free goes.

        Args:
            request: Its first frames.
            clears: Whether everything else that runs in the sandbox is killed before.
            lasts: Whether the operation goes on when the others are interrupted.
            passed: A socket that the runner gets beside the channel.

        Raises:
            SandboxLostError: The sandbox is gone.
        """
        ours, theirs = socket.socketpair()
        channel = Channel(ours, self, lasts=lasts)
        descriptors = [theirs.fileno()] if passed is None else [theirs.fileno(), passed.fileno()]
        letter = CONTROL_CLEAR if clears else CONTROL_CHANNEL
        try:
            # A keeper that finds its request waiting need not sleep for it; more than the buffer takes must wait.
            ours.sendall(request[:_FIRST_BYTES])
            with self._lock:
                if self._is_closed:
                    raise SandboxLostError(f"sandbox {self.name} was closed")
                self._dismiss_standby()
                self._channels.add(channel)
                socket.send_fds(self._sock, [letter], descriptors)
        except SandboxLostError:
            channel.close()
            raise
        except OSError as error:
            channel.close()
            raise self.loss(f"sandbox {self.name} is gone") from error
        finally:
            theirs.close()
        if len(request) > _FIRST_BYTES:
            channel.queue(request[_FIRST_BYTES:])
        return channel

    def is_lost(self, wait_ms: int = 0) -> bool:
        """Whether the sandbox is gone."""
        if self._is_closed:
            return True
        try:
            return bool(polled(self._sock, select.POLLIN, wait_ms))
        except ValueError:  # closed by another thread
            return True

    def reason(self) -> str:
        """Why the sandbox ended, as the end of a sentence; "" where nobody can tell, or it was closed from here."""
        why = "" if self._is_closed else self.explain()
        return f": {why}" if why else ""

    def loss(self, what: str) -> SandboxLostError:
        """The error of a sandbox that ended by itself, with the reason if there is one.

        Args:
            what: What happened, such as "sandbox x is gone".
        """
        why = self.reason()
        return SandboxLostError(f"{what}{why}", is_for_memory=why.endswith(FOR_MEMORY))

    def interrupt(self) -> None:
        """End every operation under way; what they run is killed."""
        with self._lock:
            for channel in self._channels:
                if not channel.lasts:
                    channel.interrupt()

    def close(self) -> None:
        """End the sandbox: its runner kills all and exits. Twice is harmless."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            # Shut down first: a thread that waits on a socket does not notice that it was closed.
            for sock in (self._sock, *(channel.sock for channel in self._channels)):
                _shut_down(sock, socket.SHUT_RDWR)
            self._sock.close()
            self._dismiss_standby()
            lasting = [channel for channel in self._channels if channel.lasts]
        for channel in lasting:  # nobody waits on these
            channel.close()

    def leave_to_parent(self) -> None:
        """In a forked child: let go without ending anything, or the sandbox would outlive the parent."""
        self._lock = threading.Lock()  # its holder may be a thread that a fork does not bring along
        self._is_closed = self.is_parents = True
        self._dismiss_standby()
        for sock in (self._sock, *(channel.sock for channel in self._channels)):
            sock.close()

    def forget(self, channel: Channel) -> None:
        """Take a closed channel off the list of those to interrupt."""
        with self._lock:
            self._channels.discard(channel)


class Channel:
    """One operation's stream of frames. One thread uses it; any may interrupt it.

    Attributes:
        reads_ahead: Whether more may be read than the present frame; not before a stream of bytes begins.
        request: What a keeper left free by another operation was sent, until it answers; else b"".
        is_free: Whether the operation came to its whole end, so that its keeper may serve another.
    """

    def __init__(self, sock: socket.socket, control: ControlConnection, *, lasts: bool = False) -> None:
        self.sock = sock
        self.lasts = lasts
        self.is_interrupted = False
        self.reads_ahead = True
        self.request = b""
        self.is_free = False
        self._control = control
        self._received = bytearray()
        self._queue: list[memoryview] = []

    def queue(self, content: bytes) -> None:
        """Send bytes whenever the runner takes them, while `receive` waits for its answer."""
        self._queue.append(memoryview(content))

    def send(self, kind: Kind, payload: bytes = b"", *, timeout_s: float = 60.0) -> bool:
        """Send one frame now; False where the operation has ended.

        Raises:
            TimeoutError: The runner did not take it in time.
        """
        self.sock.settimeout(timeout_s)
        try:
            self.sock.sendall(frame(kind, payload))
        except TimeoutError:
            raise
        except OSError:
            return False
        return True

    def receive(self, timeout_s: float | None = None, feed: Iterator[bytes] | None = None) -> Frame | None:
        """The next frame; None where the operation was killed from inside, or interrupted.

        Args:
            timeout_s: How long to wait; None for ever.
            feed: Content to be sent meanwhile, as whole frames.

        Raises:
            TimeoutError: Nothing came in time.
            SandboxLostError: The sandbox is gone.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            whole = self._parse()
            if whole is not None:
                if whole.kind == Kind.EXIT and _is_killed(whole):
                    self._check_life()
                return whole
            if not self._queue and feed is not None:
                self._queue += [memoryview(content) for content in itertools.islice(feed, 1)]
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            if self._queue and not self._sends_before_reading(left):
                continue
            received = self._take(left)
            if received is None:
                self._check_life()
                return None
            if received:
                self.request = b""
            self._received += received

    def _sends_before_reading(self, left: float | None) -> bool:
        """Send what the runner takes; True where there is something to read first."""
        events = polled(self.sock, select.POLLIN | select.POLLOUT, None if left is None else int(left * 1000) + 1)
        if not events:
            raise TimeoutError(f"sandbox {self._control.name} took nothing in time")
        if events & select.POLLIN or not events & select.POLLOUT:
            return True
        self.sock.settimeout(0)
        try:
            sent = self.sock.send(self._queue[0][:_FIRST_BYTES])
        except BlockingIOError:
            return False
        except OSError:  # it reads no more; its last words may still lie there
            self._queue.clear()
            return True
        self._queue[0] = self._queue[0][sent:]
        if not self._queue[0]:
            del self._queue[0]
        return False

    def _take(self, left: float | None) -> bytes | None:
        self.sock.settimeout(left if left is None or left > 0 else 0.0)
        try:
            return self.sock.recv(_RECEIVE_BYTES if self.reads_ahead else self._missing()) or None
        except BlockingIOError:
            raise TimeoutError(f"sandbox {self._control.name} said nothing in time") from None
        except TimeoutError:
            raise
        except ConnectionResetError:  # it has not read all that it was sent
            if not self.request or self.is_interrupted:
                return None
            self._control.start_again(self)
            return b""
        except OSError:
            return None

    def _missing(self) -> int:
        """Bytes that the present frame still lacks, as far as is known."""
        if len(self._received) < HEADER.size:
            return HEADER.size - len(self._received)
        return HEADER.size + int(HEADER.unpack_from(self._received)[0]) - len(self._received)

    def _parse(self) -> Frame | None:
        if len(self._received) < HEADER.size:
            return None
        length, kind = HEADER.unpack_from(self._received)
        if length > MAX_PAYLOAD:
            raise SandboxLostError(f"the runner of sandbox {self._control.name} sent a frame of {length} bytes")
        end = HEADER.size + length
        if len(self._received) < end:
            return None
        payload = bytes(memoryview(self._received)[HEADER.size : end])
        del self._received[:end]
        return Frame(kind, payload)

    def _check_life(self) -> None:
        """Tell the death of one process from that of all, in which the news of one may come first."""
        if self._control.is_lost(0 if self.is_interrupted else LOSS_WAIT_MS):
            raise self._control.loss(f"sandbox {self._control.name} ended while it worked")

    def interrupt(self) -> None:
        """End the operation from any thread: what it runs is killed, and who waits for it gets its end."""
        self.is_interrupted = True
        _shut_down(self.sock, socket.SHUT_WR)

    def give_up(self) -> None:
        """End the whole sandbox, whose runner does not answer."""
        self._control.close()

    def detach(self) -> socket.socket:
        """The bare socket, for an operation that has become a stream of bytes; it is the caller's to close."""
        self._control.forget(self)
        self.sock.settimeout(None)
        return self.sock

    def close(self) -> None:
        """End the operation."""
        self._control.end(self)

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _is_killed(ended: Frame) -> bool:
    """Whether a process was killed, and not by the runner for its time."""
    end = parsed_exit(ended.payload)
    return end.exit_code == _KILLED and not end.flags & (ExitFlag.TIMED_OUT | ExitFlag.INTERRUPTED)


def input_frames(content: Iterable[bytes]) -> Iterator[bytes]:
    """Content as INPUT frames, closed by their end."""
    for piece in content:
        yield frame(Kind.INPUT, piece)
    yield frame(Kind.INPUT_END)


def polled(sock: socket.socket, events: int, wait_ms: int | None) -> int:
    """Which of the events, or failures, a socket has within so many milliseconds, None for ever; 0 for none."""
    poller = select.poll()
    poller.register(sock, events)
    ready = poller.poll(wait_ms)
    return ready[0][1] if ready else 0


def _shut_down(sock: socket.socket, how: int) -> None:
    try:
        sock.shutdown(how)
    except OSError:
        return
