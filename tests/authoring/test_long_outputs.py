from __future__ import annotations

import pytest

from agentgym.authoring.long_outputs import join_ends, without_middle, without_surrogates


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("abcdef", "abcdef"),
        ("abcdefg", "abc\n… 1 characters left out …\nefg"),
        ("abc" + "-" * 50 + "xyz", "abc\n… 50 characters left out …\nxyz"),
    ],
)
def test_middle_of_a_long_text_is_left_out_and_counted(text, shown):
    assert without_middle(text, 6) == shown


def test_ends_without_anything_between_are_joined_as_they_are():
    assert join_ends("ab", "cd", 0, "bytes") == "abcd"
    assert join_ends("ab", "cd", 7, "bytes") == "ab\n… 7 bytes left out …\ncd"


def test_text_without_surrogates_can_be_encoded():
    assert without_surrogates("a\udc80b").encode() == "a�b".encode()
