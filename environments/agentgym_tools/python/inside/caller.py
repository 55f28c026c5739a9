"""Calls one function of a submitted program on given inputs and writes what it returned, one line of JSON a call.

It knows inputs only; whether an output is right is judged outside, by values and never by anything said here. A
program that writes lines of its own gains nothing: it would have to write the right outputs.

Standard input: JSON with code, function, inputs, seconds (of processor time). Output: a line "ready", then lines of
[index, "value", value] or [index, "error", text].
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

MAX_DEPTH = 20
MAX_ERROR = 300


def plain(value: Any, depth: int = 0) -> Any:
    """The value in JSON types; tuples become lists.

    Raises:
        TypeError: It holds something else.
    """
    kind = type(value)
    if depth > MAX_DEPTH:
        raise TypeError("the value is nested too deeply")
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (list, tuple):
        return [plain(item, depth + 1) for item in value]
    if kind is dict:
        if any(type(key) is not str for key in value):
            raise TypeError("the value is a dict with keys that are no text")
        return {key: plain(item, depth + 1) for key, item in value.items()}
    raise TypeError(f"the value holds a {kind.__name__}, expected numbers, text, lists, dicts, True, False or None")


def described(error: BaseException) -> str:
    """An exception in one line."""
    try:
        return f"{type(error).__name__}: {error}"[:MAX_ERROR]
    except BaseException:  # noqa: BLE001 - its text is the submitted program's
        return type(error).__name__


def define(code: str, name: str) -> Callable[..., Any] | str:
    """The function that the program defines, or why there is none."""
    module = sys.modules["submission"] = ModuleType("submission")
    try:
        exec(compile(code, "<submission>", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - it is what this program is for
    except BaseException as error:  # noqa: BLE001 - SystemExit too: the program is told what it did
        return described(error)
    function = module.__dict__.get(name)
    return function if callable(function) else f"the program defines no function {name!r}"


def outcome(function: Callable[..., Any] | str, arguments: list[Any]) -> tuple[str, Any]:
    """What one call came to."""
    if isinstance(function, str):
        return "error", function
    try:
        return "value", plain(function(*arguments))
    except BaseException as error:  # noqa: BLE001 - whatever the submitted function raises
        return "error", described(error)


def main() -> None:
    """Read the request, call, write."""
    request = json.loads(sys.stdin.buffer.read())
    results = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass")
    results.write("ready\n")
    results.flush()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    random.seed(0)
    resource.setrlimit(resource.RLIMIT_CPU, (request["seconds"], request["seconds"] + 1))
    function = define(request["code"], request["function"])
    for index, arguments in enumerate(request["inputs"]):
        results.write(json.dumps([index, *outcome(function, arguments)]) + "\n")
        results.flush()


if __name__ == "__main__":
    main()
    os._exit(0)
