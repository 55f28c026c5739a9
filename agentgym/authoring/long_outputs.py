"""The part of a long output that an agent sees: its beginning and end, and how much is left out between them."""

from __future__ import annotations

import re

_SURROGATES = re.compile(r"[\ud800-\udfff]")


def without_middle(text: str, max_chars: int) -> str:
    """The text, without its middle if it is longer than `max_chars`; half of these are kept at each end."""
    if len(text) <= max_chars:
        return text
    half = max_chars // 2
    return join_ends(text[:half], text[len(text) - half :], len(text) - 2 * half, "characters")


def join_ends(head: str, tail: str, num_left_out: int, unit: str) -> str:
    """The beginning and the end of an output, with a line that says how much is left out where it is.

    Args:
        head: The beginning.
        tail: The end.
        num_left_out: How much is between them; 0 for nothing.
        unit: What is counted, such as "bytes".
    """
    middle = f"\n… {num_left_out} {unit} left out …\n" if num_left_out > 0 else ""
    return f"{head}{middle}{tail}"


def without_surrogates(text: str) -> str:
    """The text with a replacement character for each lone surrogate, which UTF-8 cannot hold."""
    return _SURROGATES.sub("�", text)
