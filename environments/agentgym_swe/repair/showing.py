"""What an agent sees of long texts: whole lines from both ends, what is left out between, and how to see that."""

from __future__ import annotations

from agentgym.authoring.long_outputs import without_surrogates

MAX_LINES = 200
MAX_LINE = 500
"""Characters shown of a line."""


def cut_line(line: str) -> str:
    """A line, without its end if that is far away."""
    if len(line) <= MAX_LINE:
        return line
    return f"{line[:MAX_LINE]} [… {len(line) - MAX_LINE} more characters of this line]"


def cut_lines(text: str, how: str, max_lines: int = MAX_LINES) -> str:
    """A text of at most so many lines.

    Args:
        text: The text.
        how: How the agent sees the lines that are left out, with `{first}` and `{last}`.
        max_lines: Lines shown; the first and the last ones.
    """
    lines = without_surrogates(text.replace("\0", "\\0")).split("\n")
    if len(lines) > max_lines:
        half = max_lines // 2
        first, last = half + 1, len(lines) - half
        left_out = f"[lines {first} to {last} of {len(lines)} left out; {how.format(first=first, last=last)}]"
        lines = [*lines[:half], left_out, *lines[len(lines) - half :]]
    return "\n".join(map(cut_line, lines))


def numbered(lines: list[str], first: int) -> str:
    """Lines with their numbers."""
    return "\n".join(f"{number:6}\t{cut_line(line)}" for number, line in enumerate(lines, start=first))
