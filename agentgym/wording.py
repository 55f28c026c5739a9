"""Words for numbers in messages to people."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun, such as "1 day" and "3 days"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
