"""A process that has imported scikit-learn and trains models of the menu, each in a fork of itself.

Its first argument is the text of `menu`. A request is a line of JSON: `files`, `choice` and `wall_s`. So is an answer:
`said` and `errors`, what the fork wrote; `predictions`; `exit_code`; `timed_out`; `duration_s`. Before the first
request it writes a line that says it is ready. Nothing of a request outlasts its answer.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import tempfile
import time
import traceback
import types
from typing import IO, Any

READY = "ready"
MENU = types.ModuleType("menu")


def main() -> None:
    """Warm up, and serve until the input ends."""
    exec(compile(sys.argv[1], "<menu>", "exec"), MENU.__dict__)  # noqa: S102 - a program of ours
    gc.freeze()
    answer(READY)
    while line := sys.stdin.readline():
        answer(json.dumps(serve(json.loads(line))))


def answer(line: str) -> None:
    """Write a line that is read at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def serve(request: dict[str, Any]) -> dict[str, Any]:
    """Train in a fork, and wait for its end or kill it."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as found:
        child = os.fork()
        if child == 0:
            run_forked(request, said, errors, found)
        exit_of = os.pidfd_open(child)
        timed_out = not select.select([exit_of], [], [], request["wall_s"])[0]
        if timed_out:
            os.kill(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.close(exit_of)
        return {
            "said": text_of(said),
            "errors": text_of(errors),
            "predictions": text_of(found),
            "exit_code": code if code >= 0 else 128 - code,
            "timed_out": timed_out,
            "duration_s": time.monotonic() - began,
        }


def run_forked(request: dict[str, Any], said: IO[bytes], errors: IO[bytes], found: IO[bytes]) -> None:
    """Train, and leave what came of it in the files; never returns."""
    os.dup2(said.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    code = 1
    try:
        metric, predictions = MENU.train(request["files"], request["choice"])
        os.write(1, f"{metric}\n".encode())
        found.write(predictions.encode())
        found.flush()
        code = 0
    except BaseException:  # noqa: BLE001 - told, and the fork must end here
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def text_of(file: IO[bytes]) -> str:
    """What was written to a file."""
    file.seek(0)
    return file.read().decode("utf-8", "replace")


main()
