"""Runs what a test does, step by step or as a short program, and says what each step or program gives.

Speaks with the outside as `cold` does; a candidate says in `task` what is wanted: "record", "observe" or "run". Every
tape and every program runs in a fork of its own, which has imported the package.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import json
import os
import resource
import sys
import time
import types
import unittest
from collections.abc import Callable, Iterator
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cold  # type: ignore[import-not-found,unused-ignore]
import failing_call  # type: ignore[import-not-found,unused-ignore]
import pytest
import recorder  # type: ignore[import-not-found,unused-ignore]

WORK = os.getcwd()
CPU_S, MEMORY_BYTES = 5, 2 << 30
MAX_MESSAGE = 300


CHECKS = {
    "assertIn": "in", "assertNotIn": "not in", "assertEqual": "==", "assertEquals": "==", "assertNotEqual": "!=",
    "assertDictEqual": "==", "assertListEqual": "==", "assertTupleEqual": "==", "assertSetEqual": "==",
    "assertSequenceEqual": "==", "assertLess": "<", "assertLessEqual": "<=", "assertGreater": ">",
    "assertGreaterEqual": ">=", "assertIs": "is", "assertIsNot": "is not",
}  # fmt: skip
"""Checks of unittest that compare, with the sign of what they compare by."""


class Follower(recorder.Recorder):  # type: ignore[misc,unused-ignore]
    """A recorder that also follows what unittest compares, and calls of functions that a test's class holds."""

    def method(self, receiver: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method; of a test's own those that are the package's are told as functions."""
        if not self.is_busy and isinstance(receiver, unittest.TestCase):
            if name in CHECKS and len(args) >= 2:
                with contextlib.suppress(Exception):
                    self.compare(CHECKS[name], *args[:2])
            elif name in ("assertTrue", "assertFalse") and args:
                self.truth(args[0])
        found = getattr(receiver, name, None)
        if not self.is_busy and isinstance(found, type | types.FunctionType) and self._is_own(found):
            return self.call(found, *args, **kwargs)
        return super().method(receiver, name, *args, **kwargs)

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        """Compare, and tell it whatever comes of it."""

        def text(refs: set[int]) -> tuple[str, bool]:
            self._need_package(left, right)
            return f"({self._text(left, refs)} {sign} {self._text(right, refs)})", True

        return self._do(lambda: recorder.COMPARED[sign](left, right), text)


def record(candidate: dict[str, Any]) -> dict[str, Any]:
    """The tapes of tests whose files are instrumented now; see `recorder`."""
    writer = Follower(WORK, candidate["sources"])
    writer.temporary = "/tmp/agentgym-excerpts"  # noqa: S108 - inside the sandbox
    builtins.__recorder__ = writer  # type: ignore[attr-defined]
    settings = ["-c", os.devnull, "--rootdir", WORK, "-p", "no:cacheprovider", "-p", "no:terminal", "--assert=plain"]
    settings += ["--basetemp", writer.temporary, "--continue-on-collection-errors"]
    pytest.main([*settings, *candidate["ids"]], plugins=[recorder.Plugin(writer)])
    writer.is_busy = True
    return {"tapes": {test: writer.tape(test) for test in candidate["ids"]}}


def observe(candidate: dict[str, Any]) -> dict[str, Any]:
    """What the steps of tapes give, and where the names in them can be imported from."""
    bring_in(candidate["modules"])
    return {
        "seen": {
            test: in_fork(lambda test=test, tape=tape: steps(test, tape))  # type: ignore[misc]
            for test, tape in candidate["tapes"].items()
        }
    }


def run(candidate: dict[str, Any]) -> dict[str, Any]:
    """What programs give: the value of the last line, or what was raised."""
    bring_in(candidate["modules"])
    if candidate.get("later_s"):
        move_clocks(candidate["later_s"])
    return {"seen": [in_fork(lambda text=text: last_value(text)) for text in candidate["programs"]]}  # type: ignore[misc]


def bring_in(modules: list[str]) -> None:
    """Import the package once, for all forks."""
    for name in modules:
        with contextlib.suppress(BaseException):
            importlib.import_module(name)


def move_clocks(seconds: float) -> None:
    """Let clocks show a later time, so that values that depend on it differ."""
    for name in ("time", "monotonic"):
        true = getattr(time, name)
        setattr(time, name, lambda true=true: true() + seconds)


def in_fork(compute: Callable[[], Any]) -> Any:
    """What a function gives in a fork; None where the fork does not end well."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        try:
            with os.fdopen(writer, "w") as out:
                out.write(json.dumps(compute()))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        text = told.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def steps(test: str, tape: list[Any]) -> dict[str, Any]:
    """What the steps of one tape give, by number, and the public place of each name in them."""
    names: dict[str, str] = {}
    values: dict[int, Any] = {}
    sys.path.append(WORK)
    top = of_file(test.partition("::")[0])
    space = {**top, "v": values, "t": temporary}
    space["define"] = lambda text, name, inner: define(text, name, {**top, **inner})
    space["n"] = lambda module, name: named(module, name, names)
    found: dict[str, Any] = {}
    for number, text, _ in tape:
        try:
            values[number] = eval(text, space)  # noqa: S307 - what a test does
            found[str(number)] = show(values[number])
        except BaseException as error:  # noqa: BLE001 - whatever the package raises
            values[number] = error
            found[str(number)] = raised(error)
    return {"steps": found, "names": names}


def of_file(path: str) -> dict[str, Any]:
    """What a test file defines at its top."""
    with contextlib.suppress(BaseException):
        return dict(vars(importlib.import_module(path.removesuffix(".py").replace("/", "."))))
    space: dict[str, Any] = {"__name__": "excerpt", "__file__": path}
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in tree.body:
        with contextlib.suppress(BaseException):
            exec(compile(ast.Module([node], []), "<excerpt>", "exec", dont_inherit=True), space)  # noqa: S102
    return space


def temporary(path: str) -> str:
    """The path of a temporary file."""
    whole = f"/tmp/agentgym-excerpts/{os.getpid()}/{path}"  # noqa: S108 - inside the sandbox
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    return whole


def define(text: str, name: str, around: dict[str, Any]) -> Any:
    """A function or class from its text."""
    space = dict(around)
    exec(compile(text, "<defined>", "exec", dont_inherit=True), space)  # noqa: S102
    return space[name]


def named(module: str, name: str, names: dict[str, str]) -> Any:
    """Something that can be imported; notes the shortest public module that has it."""
    found = importlib.import_module(module)
    top, _, _ = name.partition(".")
    first = found = getattr(found, top) if top else found
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    if top:
        package = module.partition(".")[0]
        places = [
            place
            for place, each in list(sys.modules.items())
            if place.partition(".")[0] == package and getattr(each, "__dict__", {}).get(top) is first
        ]
        public = [place for place in places if not any(part.startswith("_") for part in place.split("."))]
        names[f"{module}:{name}"] = min(public or [module], key=lambda place: (place.count("."), len(place), place))
    return found


def last_value(text: str) -> dict[str, Any]:
    """What the last line of a program gives; "early" where a line before it raises."""
    tree = ast.parse(text)
    *before, last = tree.body
    space: dict[str, Any] = {"__name__": "excerpt"}
    try:
        exec(compile(ast.Module(before, []), "<excerpt>", "exec", dont_inherit=True), space)  # noqa: S102
    except BaseException as error:  # noqa: BLE001 - whatever the package raises
        return {**raised(error), "early": True}
    try:
        if isinstance(last, ast.Expr):
            code = compile(ast.Expression(last.value), "<excerpt>", "eval", dont_inherit=True)
            return show(eval(code, space), used_up=True)  # noqa: S307
        exec(compile(ast.Module([last], []), "<excerpt>", "exec", dont_inherit=True), space)  # noqa: S102
    except BaseException as error:  # noqa: BLE001 - whatever the package raises
        return raised(error)
    return {"value": None, "type": ""}


def show(value: Any, *, used_up: bool = False) -> dict[str, Any]:
    """A value as text; None where there is none that says something."""
    if isinstance(value, Iterator) and not used_up:
        return {"value": None, "type": type(value).__name__}
    text = failing_call.literal(value)
    is_plain = text is not None
    if text is None and not isinstance(value, Iterator):
        shown = repr(value)
        text = None if " at 0x" in shown else failing_call.short(shown)
    return {
        "value": text if text is not None and failing_call.clean(text) else None,
        "type": type(value).__name__,
        "is_plain": is_plain,
    }


def raised(error: BaseException) -> dict[str, Any]:
    """An error as text."""
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 - of the package under test
        message = ""
    return {"raised": type(error).__name__, "message": message[:MAX_MESSAGE] if failing_call.clean(message) else ""}


TASKS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"record": record, "observe": observe, "run": run}


def work(asked: dict[str, Any], candidate: dict[str, Any], writer: int) -> None:
    """In the fork: do what is wanted and tell it."""
    os.setpgid(0, 0)
    content = json.dumps(TASKS[candidate["task"]](candidate)).encode() + b"\n"
    while content:
        content = content[os.write(writer, content) :]


if __name__ == "__main__":
    cold.main(work)
