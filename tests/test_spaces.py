from __future__ import annotations

import numpy as np
import pytest

from agentgym.spaces import Message, Picture


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


def test_picture_space_holds_pictures_of_any_size():
    space = Picture(seed=1)
    assert all(picture in space for picture in (np.zeros((2, 5, 3), np.uint8), space.sample(), space.sample()))
    assert all(value not in space for value in (np.zeros((2, 5), np.uint8), np.zeros((2, 5, 3)), "picture", None))
    assert np.array_equal(Picture(seed=4).sample(), Picture(seed=4).sample())
    assert Picture() == space != Message()
    assert hash(Picture()) == hash(space)
