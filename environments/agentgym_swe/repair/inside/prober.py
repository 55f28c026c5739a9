"""Computes values with the code under test, where there are neither tests nor what they expect, and prints them.

It runs in a fork of `warm.py`, or by itself with JSON on standard input: `root` and `path`, and what it is asked, which
are `sources` and `modules` (to compile and import) and `groups`. A group is a list of statements, run one by one in a
namespace of its own; in it `__probe__` takes down values. Output: a JSON line for each.
"""

from __future__ import annotations

import importlib
import io
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import threading  # noqa: F401 - it keeps the true clock, which waiting needs
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

MAX_ITEMS, MAX_DEPTH, MAX_TEXT = 300, 8, 2000
MAX_OF_CASE = 150
"""Values taken down of one case; what loops for long repeats itself."""
CASE_S, CASE_WALL_S = 2.0, 30.0
"""Processor time of one case, and seconds in all."""
MAX_SLOW = 2
"""Cases that may take longer; after them it gives up."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")


class Clock:
    """Stands in for the machine's clocks: it goes on only where code sleeps, so that values do not depend on when."""

    START = 1_700_000_000.0

    def __init__(self) -> None:
        self.now = self.START

    def seconds(self) -> float:
        """What a clock shows."""
        return self.now

    def nanoseconds(self) -> int:
        """The same in nanoseconds."""
        return int(self.now * 1e9)

    def sleep(self, seconds: float) -> None:
        """Let time pass without waiting."""
        self.now += max(0.0, seconds)

    def install(self) -> None:
        """Take the place of the clocks."""
        time.time = time.monotonic = self.seconds
        time.time_ns = time.monotonic_ns = self.nanoseconds
        time.sleep = self.sleep  # type: ignore[assignment]


CLOCK = Clock()


class SlowError(BaseException):
    """A case that works for too long; no `except Exception` catches it."""


def stop(number: int, frame: Any) -> None:
    """End a case that works for too long."""
    raise SlowError


class Probe:
    """What the statements of a group call; `key` says where a value belongs."""

    def __init__(self, writing: int, group: int) -> None:
        self.writing, self.group = writing, group
        self.key, self.count = "", 0
        self.num_slow = 0
        self.folder, self.root = "", os.getcwd()

    def case(self, key: str, run: Callable[[], Any]) -> None:
        """Run one case; what it raises outside of any value is taken down as one."""
        self.key, self.count = key, 0
        random.seed(0)
        CLOCK.now = CLOCK.START
        out, sys.stdout = sys.stdout, io.StringIO()
        signal.setitimer(signal.ITIMER_VIRTUAL, CASE_S)
        signal.setitimer(signal.ITIMER_REAL, CASE_WALL_S)
        try:
            run()
        except SlowError:
            self.put(["slow"])
            self.num_slow += 1
            if self.num_slow >= MAX_SLOW:
                os._exit(3)
        except BaseException as error:  # noqa: BLE001 - whatever the code under test raises
            self.put(["raised", type(error).__name__])
        finally:
            for timer in (signal.ITIMER_VIRTUAL, signal.ITIMER_REAL):
                signal.setitimer(timer, 0)
            printed, sys.stdout = sys.stdout, out
            self._take_printed(printed)
            self._clear()

    def values(self) -> dict[int, Any]:
        """What the steps of a tape give, by their numbers."""
        return {}

    def step(self, values: dict[int, Any], number: int, place: int, takes: bool, compute: Callable[[], Any]) -> None:
        """Do one step of a tape; one that needs what is not there is passed over."""
        self.count = place
        try:
            values[number] = compute()
            found = plain(values[number]) if takes else None
        except SlowError:
            raise
        except BaseException as error:  # noqa: BLE001
            values[number] = error
            found = ["raised", type(error).__name__]
        if takes:
            self.put(found)

    def named(self, module: str, name: str) -> Any:
        """Something that can be imported."""
        found = importlib.import_module(module)
        for part in name.split(".") if name else ():
            found = getattr(found, part)
        return found

    def define(self, around: dict[str, Any], text: str, name: str, inner: dict[str, Any]) -> Any:
        """A function or class from its text."""
        space = {**around, **inner}
        exec(compile(text, "<defined>", "exec", dont_inherit=True), space)  # noqa: S102
        return space[name]

    def temporary(self, path: str) -> str:
        """The path of a temporary file of this case."""
        if not self.folder:
            self.folder = tempfile.mkdtemp(prefix="case", dir=os.getcwd())
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        return whole

    def _take_printed(self, printed: Any) -> None:
        text = printed.getvalue() if type(printed) is io.StringIO else ""
        if text:
            self.count = -1
            self.put(["printed", len(text), text[:MAX_TEXT]])

    def _clear(self) -> None:
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = ""

    def value(self, compute: Callable[[], Any]) -> None:
        """Take down the value of an expression."""
        self._take(compute, plain)

    def truth(self, compute: Callable[[], Any]) -> None:
        """Take down whether an expression is true."""
        self._take(compute, bool)

    def call(self, function: Any, *args: Any, **kwargs: Any) -> None:
        """Take down what a call gives, and what it made of its arguments."""
        self._take(lambda: function(*args, **kwargs), plain)
        self._take(lambda: [list(args), kwargs], plain)

    def instance(self, of: Any) -> Any:
        """An object of a class of tests, set up."""
        made = of.__new__(of)
        if hasattr(made, "_testMethodName") or hasattr(of, "assertEqual"):
            of.__init__(made, "__str__")
        for name in ("setup_method", "setUp"):
            if hasattr(made, name):
                getattr(made, name)(*([None] if name == "setup_method" else []))
                break
        return made

    def _take(self, compute: Callable[[], Any], form: Callable[[Any], Any]) -> None:
        if self.count >= MAX_OF_CASE:
            return
        try:
            found = form(compute())
        except SlowError:
            raise
        except BaseException as error:  # noqa: BLE001
            found = ["raised", type(error).__name__]
        self.put(found)

    def put(self, found: Any) -> None:
        """Write one value."""
        try:
            line = json.dumps([f"{self.group}/{self.key}/{self.count}", found])
        except (TypeError, ValueError, RecursionError):
            line = json.dumps([f"{self.group}/{self.key}/{self.count}", ["unwritable"]])
        if self.folder:
            line = line.replace(self.folder, "TEMPORARY")
        line = line.replace(self.root, "ROOT")
        self.count += 1
        write(self.writing, line)


class Raises:
    """Stands in for pytest.raises: takes down what is raised, and goes on."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.value: Any = None
        self.type: Any = None

    def __enter__(self) -> Raises:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.value, self.type = error, kind
        self.probe.put(["raised", getattr(kind, "__name__", None)])
        return kind is None or issubclass(kind, Exception)


class Permissive:
    """Stands in for the rest of pytest: decorators that change nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What a decorator gives back: the function itself."""
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else self


def pytest_for(probe: Probe) -> types.ModuleType:
    """A module that statements which import pytest get."""
    module = types.ModuleType("pytest")
    permissive = Permissive()
    module.__getattr__ = lambda name: permissive  # type: ignore[method-assign]
    module.raises = lambda *args, **kwargs: Raises(probe)  # type: ignore[attr-defined]
    module.approx = lambda value, *args, **kwargs: value  # type: ignore[attr-defined]
    return module


def plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON, by its exact type: what only claims to be equal is none of these."""
    kind = type(value)
    if value is None or kind is bool or kind is int:
        return ["int", str(value)] if kind is int and abs(value) > 1 << 53 else value
    if kind is str:
        return value if len(value) <= MAX_TEXT else [value[:MAX_TEXT], len(value)]
    if kind is float:
        return ["float", format(value, ".12g")]
    if kind is bytes:
        return ["bytes", value[:MAX_TEXT].hex()]
    if depth >= MAX_DEPTH:
        return ["deep"]
    if kind in (list, tuple):
        return [kind.__name__, [plain(item, depth + 1) for item in value[:MAX_ITEMS]], len(value)]
    if kind is dict:
        return ["dict", [[plain(key, depth + 1), plain(item, depth + 1)] for key, item in first(value.items())]]
    if kind in (set, frozenset):
        return [kind.__name__, sorted((json.dumps(plain(item, depth + 1)) for item in first(value)), key=str)]
    if isinstance(value, type):
        return ["class", value.__qualname__]
    if isinstance(value, BaseException):
        return ["error", kind.__name__, _ADDRESS.sub("0x", str(value))[:MAX_TEXT]]
    if isinstance(value, Iterator):
        return ["iterator", [plain(item, depth + 1) for item in first(value)]]
    if isinstance(value, dict):
        return [kind.__name__, [[plain(key, depth + 1), plain(item, depth + 1)] for key, item in first(value.items())]]
    if isinstance(value, list | tuple | set | frozenset):
        return [kind.__name__, [plain(item, depth + 1) for item in first(value)]]
    return ["object", kind.__name__, _ADDRESS.sub("0x", repr(value))[:MAX_TEXT]]


def first(items: Any) -> list[Any]:
    """The first items of something that may never end."""
    return list(itertools.islice(items, MAX_ITEMS))


def write(writing: int, line: str) -> None:
    """Write a line, whole."""
    content = line.encode() + b"\n"
    while content:
        content = content[os.write(writing, content) :]


def why_not_compiled(path: str) -> str:
    """Why a source does not compile; "" where it does."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            compile(file.read(), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
        return f"{type(error).__name__}: {error}"[:300]
    return ""


def why_not_imported(module: str) -> str:
    """Why a module cannot be imported; "" where it can."""
    try:
        __import__(module)
    except BaseException as error:  # noqa: BLE001 - whatever the code under test raises
        return f"{type(error).__name__}: {error}"[:300]
    return ""


def main() -> None:
    """Run by itself, with limits of its own."""
    asked = json.loads(sys.stdin.read())
    writing = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    limits = ((resource.RLIMIT_CPU, asked["cpu_s"]), (resource.RLIMIT_AS, 1 << 30), (resource.RLIMIT_FSIZE, 32 << 20))
    for name, most in (*limits, (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(name, (most, most))
    os.chdir(asked["root"])
    sys.path[:0] = [os.path.normpath(os.path.join(asked["root"], entry)) for entry in asked["path"]]
    os._exit(run(asked, writing))


def run(asked: dict[str, Any], writing: int) -> int:
    """Look at the sources, run the groups, and give the exit code."""
    CLOCK.install()
    sys.argv = ["probes"]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("pytest", "_pytest")]:
        del sys.modules[name]  # a fork of a process that runs tests has them
    for timer in (signal.SIGVTALRM, signal.SIGALRM):
        signal.signal(timer, stop)
    write(writing, json.dumps(["begun", True]))
    uncompiled = {path: why for path in asked["sources"] if (why := why_not_compiled(path))}
    write(writing, json.dumps(["compiled", uncompiled]))
    unimported = {name: why for name in asked["modules"] if (why := why_not_imported(name))}
    write(writing, json.dumps(["imported", unimported]))
    for number, statements in enumerate(asked["groups"]):
        run_group(Probe(writing, number), statements)
    write(writing, json.dumps(["done", True]))
    return 0


def run_group(probe: Probe, statements: list[str]) -> None:
    """Run the statements one by one; one that fails, such as an import of a test's helper, is passed over."""
    name = f"group{probe.group}"
    module = sys.modules[name] = types.ModuleType(name)
    module.__dict__["__probe__"] = probe
    sys.modules["pytest"] = pytest_for(probe)
    for number, statement in enumerate(statements):
        try:
            exec(compile(statement, f"<{name} {number}>", "exec", dont_inherit=True), module.__dict__)  # noqa: S102
        except BaseException:  # noqa: BLE001, S112
            continue


if __name__ == "__main__":
    main()
