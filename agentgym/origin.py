"""Where in an environment's own code an exception was raised, as text for an error message.

Whole tracebacks are not here: the command line shows them with --debug.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from types import FrameType

_NOT_THEIRS = sys.stdlib_module_names | {"agentgym", "gymnasium"}


def describe_error(error: BaseException) -> str:
    """An exception in one line: its type, what it says, and where the environment's own code raised it.

    Args:
        error: The exception as it was caught.

    Returns:
        A text such as "KeyError: 'map' (.../env.py, line 42, in begin)". It has no place if none of the environment's
        code ran. For a package, the place is its innermost frame; calls into other libraries are not named.
    """
    text = f"{type(error).__name__}: {str(error)[:500]}"
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}, line {error.lineno})"
    return f"{text}{innermost_own(list(traceback.walk_tb(error.__traceback__)))}"


def innermost_own(frames: Sequence[tuple[FrameType, int]]) -> str:
    """Where the environment's own code is in a stack, in brackets after a space; "" if it is not in it.

    Args:
        frames: Frames with their lines, the outermost first.
    """
    packages = [frame.f_globals.get("__name__", "").partition(".")[0] for frame, _ in frames]
    theirs = next((package for package in packages if package not in _NOT_THEIRS), None)
    if theirs is None:
        return ""
    frame, line = [pair for pair, package in zip(frames, packages, strict=True) if package == theirs][-1]
    return f" ({frame.f_code.co_filename}, line {line}, in {frame.f_code.co_name})"
