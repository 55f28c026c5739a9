from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from agentgym.errors import SandboxLostError, SandboxStartError
from agentgym.sandbox.runner.channel import Channel, ControlConnection, input_frames
from agentgym.sandbox.runner.protocol import MAX_PAYLOAD, Command, ExitFlag, Kind, frame, packed_strings


@dataclass
class Runner:
    """The other end of a control connection, played by the test."""

    control: socket.socket

    def take(self) -> tuple[bytes, list[socket.socket]]:
        letter, descriptors, _, _ = socket.recv_fds(self.control, 1, 2)
        return letter, [socket.socket(fileno=descriptor) for descriptor in descriptors]


@pytest.fixture
def pair() -> Iterator[tuple[ControlConnection, Runner]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.send(b"agentgym-runner 1 42")
    control = ControlConnection(ours, "test")
    yield control, Runner(theirs)
    control.close()
    theirs.close()


@pytest.fixture
def opened(pair: tuple[ControlConnection, Runner]) -> Iterator[tuple[Channel, socket.socket]]:
    control, runner = pair
    with control.open(frame(Kind.STATUS, b"ask")) as channel:
        _, (stream,) = runner.take()
        assert stream.recv(100) == frame(Kind.STATUS, b"ask")
        with stream:
            yield channel, stream


def test_control_knows_the_runner(pair: tuple[ControlConnection, Runner]) -> None:
    control, _ = pair
    assert control.runner_pid == 42
    assert not control.is_lost()


def test_open_sends_one_end_of_a_channel_and_what_is_passed(pair: tuple[ControlConnection, Runner]) -> None:
    control, runner = pair
    with socket.socket() as passed, control.open(b"", clears=True, passed=passed):
        letter, streams = runner.take()
        assert letter == b"k"
        assert len(streams) == 2
        for stream in streams:
            stream.close()


def test_receive_joins_pieces(opened: tuple[Channel, socket.socket]) -> None:
    channel, stream = opened
    content = frame(Kind.OUTPUT, b"hello") + frame(Kind.READY) + frame(Kind.OUTPUT, b"x" * 300_000)

    def dribble() -> None:
        for at in range(20):
            stream.sendall(content[at : at + 1])
            time.sleep(0.001)
        stream.sendall(content[20:])

    thread = threading.Thread(target=dribble)
    thread.start()
    received = [channel.receive(60) for _ in range(3)]
    thread.join()
    assert received == [(Kind.OUTPUT, b"hello"), (Kind.READY, b""), (Kind.OUTPUT, b"x" * 300_000)]


def test_receive_times_out_and_goes_on(opened: tuple[Channel, socket.socket]) -> None:
    channel, stream = opened
    stream.sendall(frame(Kind.OUTPUT, b"hello")[:7])
    for timeout_s in (0.05, 0):
        with pytest.raises(TimeoutError):
            channel.receive(timeout_s)
    stream.sendall(frame(Kind.OUTPUT, b"hello")[7:])
    assert channel.receive(60) == (Kind.OUTPUT, b"hello")


def test_receive_feeds_meanwhile(opened: tuple[Channel, socket.socket]) -> None:
    channel, stream = opened
    pieces = [os.urandom(65536) for _ in range(40)]
    taken = bytearray()

    def echo() -> None:
        while not taken.endswith(frame(Kind.INPUT_END)):
            taken.extend(stream.recv(65536))
            stream.sendall(frame(Kind.OUTPUT, b"x" * 1000))
        stream.sendall(frame(Kind.EXIT, bytes(24)))

    thread = threading.Thread(target=echo)
    thread.start()
    feed = input_frames(pieces)
    while (received := channel.receive(60, feed)) is not None and received.kind != Kind.EXIT:
        assert received.payload == b"x" * 1000
    thread.join()
    assert bytes(taken) == b"".join(frame(Kind.INPUT, piece) for piece in pieces) + frame(Kind.INPUT_END)


def test_receive_hears_the_last_words_of_one_that_reads_no_more(opened: tuple[Channel, socket.socket]) -> None:
    channel, stream = opened
    stream.sendall(frame(Kind.FAILED, b"why"))
    stream.close()
    endless = (frame(Kind.INPUT, b"x" * 65536) for _ in range(1000))
    assert channel.receive(60, endless) == (Kind.FAILED, b"why")
    started = time.monotonic()
    assert channel.receive(100, endless) is None
    assert time.monotonic() - started < 50


def test_receive_of_an_operation_that_ended_alone(opened: tuple[Channel, socket.socket]) -> None:
    channel, stream = opened
    stream.sendall(frame(Kind.OUTPUT, b"cut off")[:8])
    stream.close()
    assert channel.receive(60) is None


def test_receive_of_an_operation_that_ended_with_its_sandbox(
    pair: tuple[ControlConnection, Runner], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentgym.sandbox.runner.channel.LOSS_WAIT_MS", 60_000)
    control, runner = pair
    with control.open(b"") as channel:
        _, (stream,) = runner.take()
        stream.close()
        threading.Timer(0.02, runner.control.close).start()  # a runner's end is seen a moment after its keepers'
        with pytest.raises(SandboxLostError):
            channel.receive(60)
    assert control.is_lost()
    with pytest.raises(SandboxLostError):
        control.open(b"")


def test_receive_refuses_absurd_lengths(opened: tuple[Channel, socket.socket]) -> None:
    channel, stream = opened
    stream.sendall((MAX_PAYLOAD + 1).to_bytes(4, "little") + b"\x20")
    with pytest.raises(SandboxLostError, match="8388609"):
        channel.receive(60)


def test_interrupt_spares_what_lasts(pair: tuple[ControlConnection, Runner]) -> None:
    control, runner = pair
    with control.open(b""), control.open(b"", lasts=True):
        (_, (first,)), (_, (second,)) = runner.take(), runner.take()
        control.interrupt()
        assert first.recv(1) == b""
        second.settimeout(0.05)
        with pytest.raises(TimeoutError):
            second.recv(1)
        first.close()
        second.close()


def test_close_lets_waiting_threads_go(pair: tuple[ControlConnection, Runner]) -> None:
    control, runner = pair
    with control.open(b"") as channel:
        _, (stream,) = runner.take()
        threading.Timer(0.1, control.close).start()
        with pytest.raises(SandboxLostError):
            channel.receive(60)
        stream.close()


def test_detach_leaves_the_streams_first_bytes(pair: tuple[ControlConnection, Runner]) -> None:
    control, runner = pair
    channel = control.open(b"")
    channel.reads_ahead = False
    _, (stream,) = runner.take()
    stream.sendall(frame(Kind.READY, b"abc") + b"banner")
    assert channel.receive(60) == (Kind.READY, b"abc")
    with channel.detach() as bare, stream:
        assert bare.recv(100) == b"banner"


def test_operations_of_many_threads(pair: tuple[ControlConnection, Runner]) -> None:
    control, runner = pair

    def serve() -> None:
        for _ in range(200):
            _, (stream,) = runner.take()
            with stream:
                stream.sendall(stream.recv(100))

    def ask(number: int) -> None:
        for turn in range(25):
            sent = frame(Kind.OUTPUT, f"{number} {turn}".encode())
            with control.open(sent) as channel:
                answers.append(channel.receive(60) == (Kind.OUTPUT, f"{number} {turn}".encode()))

    answers: list[bool] = []
    threads = [threading.Thread(target=serve), *(threading.Thread(target=ask, args=(n,)) for n in range(8))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 200


def test_forked_child_lets_go_and_disturbs_nothing(pair: tuple[ControlConnection, Runner]) -> None:
    control, runner = pair
    with control.open(b"") as channel:
        _, (stream,) = runner.take()
        release, hold = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(hold)
            os.read(release, 1)  # the parent lets go of the pipe at the end of this test
            os._exit(0 if control.is_lost() else 1)
        os.close(release)
        stream.sendall(frame(Kind.OUTPUT, b"still here"))
        assert channel.receive(60) == (Kind.OUTPUT, b"still here")
        control.close()
        runner.control.settimeout(60)
        assert runner.control.recv(1) == b""  # although the child lives
        stream.close()
        os.close(hold)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_strings_without_null() -> None:
    assert packed_strings("a", b"\xff", "\udcff", "\ud800") == b"a\0\xff\0\xff\0?\0"
    with pytest.raises(ValueError, match="null"):
        packed_strings("a\0b")
    with pytest.raises(ValueError, match="null"):
        Command(["a"], {"b": "c\0"}).packed()


def test_hello_must_come_in_time() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs, pytest.raises(SandboxStartError, match="did not report"):
        ControlConnection(ours, "test", timeout_s=0.05)


@pytest.mark.parametrize("exit_code", [0, 137])
def test_the_news_of_a_killed_process_waits_for_that_of_its_sandbox(
    opened: tuple[Channel, socket.socket],
    pair: tuple[ControlConnection, Runner],
    exit_code: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agentgym.sandbox.runner.channel.LOSS_WAIT_MS", 60_000)
    channel, stream = opened
    stream.sendall(frame(Kind.EXIT, struct.pack("<iIQQ", exit_code, 0, 0, 1)))
    ending = threading.Timer(0.01, pair[1].control.close)
    ending.start()
    if exit_code:
        with pytest.raises(SandboxLostError, match="ended while it worked"):
            channel.receive(60)
    else:
        assert channel.receive(60) is not None
    ending.join()


@pytest.mark.parametrize("flags", [0, ExitFlag.TIMED_OUT])
def test_a_killed_process_in_a_living_sandbox_is_news_of_its_own(
    opened: tuple[Channel, socket.socket], flags: int
) -> None:
    channel, stream = opened
    content = struct.pack("<iIQQ", 137, flags, 0, 1)
    stream.sendall(frame(Kind.EXIT, content))
    assert channel.receive(60) == (Kind.EXIT, content)
