"""The interpreter as a plain process, spoken to as its host side does."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

from agentgym_tools.python.interpreter import READY, SESSION

Run = Callable[..., tuple[str, str]]


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    started = subprocess.Popen(
        SESSION,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"},
    )
    with started:
        assert started.stdout is not None
        assert started.stdout.read(len(READY)) == READY
        yield started
        started.kill()


@pytest.fixture
def run(process: subprocess.Popen[bytes]) -> Run:
    def run_code(code: str, limit_s: float = 60.0) -> tuple[str, str]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"nonce": "n0", "code": code, "limit_s": limit_s}).encode() + b"\n")
        process.stdin.flush()
        said = b""
        while not (b"\x1en0 " in said and said.endswith(b"\x1e\n")):
            piece = process.stdout.read1()  # type: ignore[attr-defined]
            if not piece:
                return said.decode(), "gone"
            said += piece
        output, _, end = said.rpartition(b"\x1en0 ")
        return output.decode(), end.rstrip(b"\x1e\n").decode()

    return run_code


def test_variables_and_imports_last(run: Run) -> None:
    assert run("import math\nx = 4") == ("", "ok")
    assert run("print(math.sqrt(x))") == ("2.0\n", "ok")


def test_value_of_a_last_expression_is_shown_and_none_is_not(run: Run) -> None:
    assert run("y = 2\ny * 21") == ("42\n", "ok")
    assert run("None") == ("", "ok")


def test_traceback_names_the_agents_lines_alone(run: Run) -> None:
    output, status = run("def f():\n    return 1 / 0\nf()")
    assert status == "error"
    assert output.startswith('Traceback (most recent call last):\n  File "<input 1>", line 3, in <module>\n    f()')
    assert output.endswith("ZeroDivisionError: division by zero\n")
    assert "session" not in output


def test_syntax_error_is_shown(run: Run) -> None:
    output, status = run("def f(:")
    assert status == "error"
    assert "SyntaxError" in output


def test_time_limit_keeps_the_variables(run: Run) -> None:
    run("kept = 7")
    began = time.monotonic()
    assert run("while True:\n    pass", 0.2)[1] == "timeout"
    assert time.monotonic() - began < 60
    assert run("kept") == ("7\n", "ok")


def test_output_of_child_processes_is_in_order(run: Run) -> None:
    output, _ = run("import os\nprint('one')\nos.system('echo two')\nprint('three')")
    assert output == "one\ntwo\nthree\n"


def test_exit_ends_the_process(run: Run, process: subprocess.Popen[bytes]) -> None:
    assert run("print('bye')\nexit()") == ("bye\n", "exit")
    assert process.wait(timeout=60) == 0


@pytest.mark.parametrize("code", ["import os\nos._exit(3)", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"])
def test_hard_end_is_noticed(run: Run, code: str) -> None:
    assert run(code) == ("", "gone")


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nsys.stdout.close()\nsys.stderr = None",
        "import os\nos.close(0)\nos.close(1)\nos.close(2)",
        "import sys\nsys.stdin.read()",
        "import builtins\nbuiltins.print = None",
        "import sys\nsys.excepthook = sys.displayhook = None",
        "import sys\ndel sys.modules['json']",
        "globals().clear()",
        "class Odd(Exception):\n    def __str__(self):\n        raise KeyError\nraise Odd",
        "raise KeyboardInterrupt",
        "print('\\ud800')",
    ],
)
def test_later_code_runs_after_odd_code(run: Run, code: str) -> None:
    run(code)
    assert run("import sys\nsys.stdout.write(str(6 * 7) + '\\n')\nNone")[0].startswith("42\n")


def test_child_that_was_forked_does_not_answer_twice(run: Run) -> None:
    assert run("import os\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)\nNone") == ("", "ok")
    assert run("1") == ("1\n", "ok")


def test_input_is_at_its_end(run: Run) -> None:
    assert "EOFError" in run("input()")[0]


def test_classes_can_be_pickled_and_be_dataclasses(run: Run) -> None:
    code = "import pickle\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: 'int'\n"
    assert run(f"{code}pickle.loads(pickle.dumps(P(3)))") == ("P(x=3)\n", "ok")
