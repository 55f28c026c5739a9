"""What a program prints in a process whose strings have other hashes."""

from __future__ import annotations

import os
import subprocess
import sys


def printed_elsewhere(*lines: str) -> str:
    """What Python prints of a program in a process with another seed of hashes, without the last line's end."""
    program = "\n".join((f"import sys; sys.path[:0] = {sys.path!r}", *lines))
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stdout.strip()
