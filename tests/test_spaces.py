from __future__ import annotations

import pytest

from agentgym.spaces import Message


def test_message_space_holds_every_text_up_to_its_length():
    space = Message(max_chars=5)
    assert all(text in space for text in ("", "né", "名前は何", "\x00", "12345"))
    assert all(value not in space for value in ("123456", b"x", None, 5))


def test_message_space_samples_repeat_with_a_seed():
    one, other = Message(seed=3), Message(seed=3)
    texts = [one.sample() for _ in range(20)]
    assert texts == [other.sample() for _ in range(20)]
    assert len(set(texts)) > 5
    assert all(text in one for text in texts)


@pytest.mark.parametrize(("other", "same"), [(Message(7), True), (Message(8), False), ("text", False)])
def test_message_spaces_are_equal_by_length(other, same):
    assert (Message(7) == other) is same
    assert (hash(Message(7)) == hash(other)) is same
