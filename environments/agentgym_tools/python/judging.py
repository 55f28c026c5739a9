"""Running a submitted function on inputs, and comparing what it returns with what is expected, outside the sandbox.

The sandbox sees inputs alone, so nothing in it can be read or changed into a better verdict.
"""

from __future__ import annotations

import json
import math
import signal
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym_tools.python.interpreter import PYTHON_ENV, program

CALLER = program("caller")
MAX_OUTPUT = 1 << 18
RELATIVE_TOLERANCE = 1e-9
WALL_FACTOR = 3
"""Wall time a second of processor time: a busy machine must not fail a program that is quick enough."""
_OUT_OF_TIME = 128 + signal.SIGXCPU
_KILLED = 128 + signal.SIGKILL
Test = Sequence[Any]
"""Arguments and what is expected, [[argument, …], value]."""


class Verdict(NamedTuple):
    """What one test came to.

    Attributes:
        passed: Whether the right value was returned.
        said: What was returned or went wrong, for the agent.
    """

    passed: bool
    said: str


def run_tests(sandbox: Sandbox, code: str, function: str, tests: Sequence[Test], limit_s: float) -> list[Verdict]:
    """Call a submitted function on the inputs of tests.

    Args:
        sandbox: Where it is called; only the inputs are told to it.
        code: The submitted program.
        function: The function's name.
        tests: The tests.
        limit_s: Processor time of all calls together, in whole seconds, and a third of their wall time; tests that
            were not reached by then have failed.

    Raises:
        SandboxLostError: The sandbox is gone.
        SandboxError: No program could be started in it.
    """
    request = {
        "code": code,
        "function": function,
        "inputs": [arguments for arguments, _ in tests],
        "seconds": math.ceil(limit_s),
    }
    result = sandbox.exec(
        CALLER,
        stdin=json.dumps(request).encode(),
        env=PYTHON_ENV,
        timeout_s=limit_s * WALL_FACTOR,
        max_output_bytes=MAX_OUTPUT,
    )
    was_cut_off = result.exit_code == _KILLED  # a program that kills who runs it takes what was written with it
    if not result.stdout.startswith(b"ready") and not was_cut_off:
        raise SandboxError(f"python3 could not be started in sandbox {sandbox.id}: {result.text()[-300:]!r}")
    if result.exit_code and not result.timed_out:
        sandbox.exec(["true"])  # a sandbox that is gone or hangs as a whole is not the program's doing
    returned = _read(result.stdout)
    is_late = result.timed_out or result.exit_code == _OUT_OF_TIME
    absent = f"did not return within {limit_s:g} s" if is_late else "the program ended before it returned"
    return [_judge(returned.get(index), expected, absent) for index, (_, expected) in enumerate(tests)]


def is_same(expected: Any, got: Any) -> bool:
    """Whether two JSON values are the same; numbers within 1e-9 where one is a float, True never 1."""
    if isinstance(expected, bool) or isinstance(got, bool) or expected is None or got is None:
        return expected is got
    if isinstance(expected, int) and isinstance(got, int):
        return expected == got
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return math.isclose(expected, got, rel_tol=RELATIVE_TOLERANCE, abs_tol=RELATIVE_TOLERANCE)
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(is_same, expected, got))
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(is_same(value, got[key]) for key, value in expected.items())
    return type(expected) is type(got) and bool(expected == got)


def _judge(returned: tuple[str, Any] | None, expected: Any, absent: str) -> Verdict:
    if returned is None:
        return Verdict(False, absent)
    kind, value = returned
    if kind == "error":
        return Verdict(False, f"failed with {str(value)[:300]}")
    try:
        passed = is_same(expected, value)
    except OverflowError:  # an int that no float can hold, against a float
        passed = False
    return Verdict(passed, f"returned {shown(value)}")


def shown(value: Any) -> str:
    """A value as Python writes it, cut where it is long."""
    text = repr(value).encode("utf-8", "replace").decode()
    return text if len(text) <= 200 else f"{text[:200]}…"


def _read(output: bytes) -> dict[int, tuple[str, Any]]:
    """The first readable line of each test; what else a program wrote is passed over."""
    returned: dict[int, tuple[str, Any]] = {}
    for line in output.splitlines():
        try:
            index, kind, value = json.loads(line, parse_constant=_refuse)
        except (ValueError, TypeError, RecursionError):
            continue
        if type(index) is int and kind in ("value", "error"):
            returned.setdefault(index, (kind, value))
    return returned


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that a test expects")
