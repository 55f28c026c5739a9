import contextlib
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from agentgym.remote import frames
from agentgym.remote.frames import FrameFault, FrameReader

SIZES = (0, 1, 125, 126, 127, 65_535, 65_536, 300_000)


def reader(is_server=True, max_bytes=2**20):
    return FrameReader(max_bytes, is_server)


@pytest.mark.parametrize("size", SIZES)
def test_masked_frames_come_back(size):
    payload = os.urandom(size)
    assert reader().feed(frames.masked_frame(payload)) == [(frames.TEXT, payload)]


@pytest.mark.parametrize("size", SIZES)
def test_frames_of_the_websockets_package_are_read_and_ours_by_it(size):
    payload = os.urandom(size)
    theirs = Frame(Opcode.BINARY, payload).serialize(mask=True)
    assert reader().feed(theirs) == [(frames.BINARY, payload)]
    assert frames.frame(payload, frames.BINARY) == Frame(Opcode.BINARY, payload).serialize(mask=False)


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(1, 40))
@settings(max_examples=200, deadline=None)
def test_bytes_may_arrive_in_any_pieces(payloads, step):
    stream = b"".join(map(frames.masked_frame, payloads))
    found, each = [], reader()
    for start in range(0, len(stream), step):
        found += each.feed(stream[start : start + step])
    assert found == [(frames.TEXT, payload) for payload in payloads]


@given(st.binary(max_size=200))
@settings(max_examples=500, deadline=None)
def test_any_bytes_give_messages_or_a_fault(data):
    for is_server in (True, False):
        with contextlib.suppress(FrameFault):
            for opcode, payload in reader(is_server, 64).feed(data):
                assert opcode in (frames.TEXT, frames.BINARY, frames.CLOSE, frames.PING, frames.PONG)
                assert len(payload) <= 125


def fragment(payload, opcode, is_last):
    data = bytearray(frames.masked_frame(payload, opcode))
    if not is_last:
        data[0] &= 0x7F
    return bytes(data)


def test_fragments_are_joined_with_control_frames_between():
    data = fragment(b"ab", frames.TEXT, False) + frames.masked_frame(b"!", frames.PING)
    data += fragment(b"", frames.CONTINUATION, False) + fragment(b"cd", frames.CONTINUATION, True)
    assert reader().feed(data) == [(frames.PING, b"!"), (frames.TEXT, b"abcd")]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (frames.frame(b"unmasked"), frames.PROTOCOL_ERROR),
        (b"\xc1\x80\0\0\0\0", frames.PROTOCOL_ERROR),
        (b"\x83\x80\0\0\0\0", frames.PROTOCOL_ERROR),
        (b"\x8b\x80\0\0\0\0", frames.PROTOCOL_ERROR),
        (b"\x09\x80\0\0\0\0", frames.PROTOCOL_ERROR),
        (b"\x89\xfe\x00\x7e", frames.PROTOCOL_ERROR),
        (fragment(b"x", frames.CONTINUATION, True), frames.PROTOCOL_ERROR),
        (fragment(b"x", frames.TEXT, False) + frames.masked_frame(b"y"), frames.PROTOCOL_ERROR),
        (b"\x81\xff" + (2**20 + 1).to_bytes(8), frames.TOO_BIG),
        (b"\x81\xff" + (2**63).to_bytes(8), frames.TOO_BIG),
    ],
    ids=[
        "unmasked",
        "reserved-bit",
        "opcode-3",
        "opcode-11",
        "ping-in-pieces",
        "long-ping",
        "continuation-first",
        "text-in-text",
        "over-the-bound",
        "over-63-bits",
    ],
)
def test_broken_protocol_is_a_fault_of_its_code(data, code):
    with pytest.raises(FrameFault) as fault:
        reader().feed(data)
    assert fault.value.code == code


def test_long_message_in_fragments_is_refused_before_it_is_read():
    each = reader(max_bytes=100)
    each.feed(fragment(b"x" * 60, frames.TEXT, False))
    with pytest.raises(FrameFault):
        each.feed(b"\x80\xbc\0\0\0\0")


def test_close_codes_come_back():
    assert frames.read_close(frames.close_payload(1001, "going")) == (1001, "going")
    assert frames.read_close(b"") == (frames.NO_CODE, "")
    long = frames.close_payload(1000, "aé" * 200)
    assert len(long) <= 125
    assert frames.read_close(long)[1] in "aé" * 200


def test_accept_key_is_that_of_the_standard():
    # RFC 6455, section 1.3
    assert frames.accept_key(b"dGhlIHNhbXBsZSBub25jZQ==") == b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
