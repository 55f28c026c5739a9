from typing import Any

import pytest

from agentgym.errors import SandboxError
from agentgym.sandbox.base import ExecResult, Sandbox
from agentgym_tools.python.judging import is_same, run_tests

TESTS = [[[2], 4], [[3], 9]]


def said(sandbox: Sandbox, code: str, limit_s: float = 5.0) -> list[tuple[bool, str]]:
    return [tuple(verdict) for verdict in run_tests(sandbox, code, "f", TESTS, limit_s)]  # type: ignore[misc]


def test_right_function_passes(sandbox: Sandbox) -> None:
    assert said(sandbox, "def f(x):\n    return x * x") == [(True, "returned 4"), (True, "returned 9")]


def test_each_test_is_judged_alone(sandbox: Sandbox) -> None:
    assert said(sandbox, "def f(x):\n    return 4 // (3 - x)") == [
        (True, "returned 4"),
        (False, "failed with ZeroDivisionError: integer division or modulo by zero"),
    ]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("", "the program defines no function 'f'"),
        ("f = 3", "the program defines no function 'f'"),
        ("def f(:", "SyntaxError"),
        ("import sys\nsys.exit(0)", "SystemExit: 0"),
        ("raise ValueError('no')", "ValueError: no"),
        ("def f():\n    return 4", "TypeError"),
        ("def f(x):\n    return {x * x}", "expected numbers, text, lists"),
        ("def f(x):\n    return object()", "expected numbers, text, lists"),
        ("def f(x):\n    return {1: 2}", "keys that are no text"),
        ("def f(x):\n    a = []\n    a.append(a)\n    return a", "nested too deeply"),
        ("class Sly(int):\n    __eq__ = lambda *a: True\ndef f(x):\n    return Sly()", "holds a Sly"),
        ("def f(x):\n    return 'x' * 10_000_000", "the program ended before"),
        ("import os\nos._exit(0)", "the program ended before it returned"),
        ("def f(x):\n    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)", "the program ended"),
    ],
)
def test_what_went_wrong_is_said(sandbox: Sandbox, code: str, why: str) -> None:
    for passed, text in said(sandbox, code):
        assert not passed
        assert why in text or "returned 'xxx" in text


def test_endless_program_fails_within_its_time(sandbox: Sandbox) -> None:
    assert said(sandbox, "def f(x):\n    while x == 3:\n        pass\n    return 4", 1.0) == [
        (True, "returned 4"),
        (False, "did not return within 1 s"),
    ]


def test_sleeping_program_fails_within_its_time(sandbox: Sandbox) -> None:
    sleep = "import time\ndef f(x):\n    if x == 3:\n        time.sleep(60)\n    return 4"
    assert said(sandbox, sleep, 1.0) == [(True, "returned 4"), (False, "did not return within 1 s")]


@pytest.mark.parametrize("limit", ["(9, 9)", "(resource.RLIM_INFINITY, resource.RLIM_INFINITY)"])
def test_no_program_gives_itself_more_time(sandbox: Sandbox, limit: str) -> None:
    more = f"import resource\nresource.setrlimit(resource.RLIMIT_CPU, {limit})\ndef f(x):\n    return x * x"
    for passed, text in said(sandbox, more):
        assert not passed
        assert "not allowed to raise maximum limit" in text


def test_busy_machine_fails_no_program_that_is_quick_enough(sandbox: Sandbox) -> None:
    wait = "import time\ndef f(x):\n    time.sleep(1.2)\n    return x * x"  # as if others had the processor
    assert all(passed for passed, _ in said(sandbox, wait, 1.0))


def test_forged_lines_help_only_with_the_right_values(sandbox: Sandbox) -> None:
    forge = """
import os
for fd in range(200):
    try:
        os.write(fd, b'[0, "value", 5]\\n[1, "value", true]\\nnot json\\n[1]\\n')
    except OSError:
        pass
os._exit(0)
"""
    assert not any(passed for passed, _ in said(sandbox, forge))


def test_inputs_are_all_that_the_program_can_find(sandbox: Sandbox) -> None:
    seek = """
import gc, os, sys
def f(x):
    found, frame = [], sys._getframe()
    while frame:
        found.append(repr(frame.f_locals))
        frame = frame.f_back
    found += [open(f'/proc/self/{name}', 'rb').read().decode('latin1') for name in ('cmdline', 'environ')]
    found += [repr(o) for o in gc.get_objects() if type(o) in (list, dict)]
    return str(7) * 6 in ''.join(found)
"""
    verdicts = run_tests(sandbox, seek, "f", [[[1], 777777]], 5.0)
    assert verdicts[0].said == "returned False"


def test_program_that_kills_its_judge_before_a_word_came_out_has_failed(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "exec", lambda *_, **__: ExecResult(137, b"", b""))
    assert said(sandbox, "def f(x):\n    return x * x") == [(False, "the program ended before it returned")] * 2


def test_python_that_cannot_start_is_no_verdict(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "exec", lambda *_, **__: ExecResult(127, b"", b"no such file"))
    with pytest.raises(SandboxError, match=r"could not be started .*no such file"):
        said(sandbox, "def f(x):\n    return x * x")


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        (1, 1, True),
        (1, True, False),
        (True, 1, False),
        (0, None, False),
        (1, 1.0, True),
        (0.1 + 0.2, 0.3, True),
        (1.0, 1.1, False),
        ([1, [2]], [1, [2]], True),
        ([1], [1, 1], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        ("1", 1, False),
        ([], {}, False),
        (10**30, 10**30 + 1, False),
    ],
)
def test_is_same_compares_values_and_types(expected: Any, got: Any, same: bool) -> None:
    assert is_same(expected, got) is same


def test_int_that_no_float_holds_is_wrong_and_no_error(sandbox: Sandbox) -> None:
    assert run_tests(sandbox, "def f():\n    return 10 ** 400", "f", [[[], 1.5]], 5.0)[0].passed is False
