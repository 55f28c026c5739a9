"""The connection to desk: who listens there may lie, and is believed in nothing but the form."""

from __future__ import annotations

import socket
import struct
import threading

import pytest

from agentgym_gui.desktop.link import DeskLink, DesktopLostError


class Listener:
    """A sandbox whose desk answers one request with fixed bytes."""

    id = "lying"

    def __init__(self, answer: bytes, *, stays: bool = False) -> None:
        self._answer, self._stays = answer, stays

    def connect(self, path: str) -> socket.socket:
        ours, theirs = socket.socketpair()
        self._theirs = theirs
        threading.Thread(target=self._serve, daemon=True).start()
        return ours

    def _serve(self) -> None:
        asked = self._theirs.recv(1000)
        while len(asked) < 4 + struct.unpack("<I", asked[:4])[0]:
            asked += self._theirs.recv(1000)
        self._theirs.sendall(self._answer)
        if self._stays:
            self._theirs.recv(1)
        self._theirs.close()


def asked(answer: bytes, *, stays: bool = False, timeout_s: float = 60.0):
    link = DeskLink(Listener(answer, stays=stays))
    try:
        return link.ask(["ready"], timeout_s)
    finally:
        link.close()


def whole(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


def test_link_reads_the_blocks_of_an_answer():
    blocks = asked(whole(b"ready 2\nokwindows 0\ntree 3\na\nb"))
    assert [(name, bytes(content)) for name, content in blocks] == [
        ("ready", b"ok"),
        ("windows", b""),
        ("tree", b"a\nb"),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x01",
        whole(b"ready 2\nokX")[:-1],
        whole(b"ready 99\nok"),
        whole(b"ready -1\n"),
        whole(b"no number\n"),
        struct.pack("<I", 1 << 31),
    ],
)
def test_link_refuses_an_answer_that_is_none(answer):
    with pytest.raises(DesktopLostError):
        asked(answer)


def test_link_gives_up_a_desk_that_never_answers():
    with pytest.raises(DesktopLostError, match="did not answer within"):
        asked(b"\x05\0", stays=True, timeout_s=0.05)
