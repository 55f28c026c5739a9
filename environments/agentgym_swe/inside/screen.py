"""Tries many changed files against a collected session: each in a fork in which the code of functions is exchanged.

Standard input: the orders, then one candidate a line. Standard output: one answer a line, the first of which tells
what was collected and, where files to measure are named, which tests run their lines. A candidate whose change reaches
no function that is alive is answered "cold", and is tried elsewhere in a fresh process.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import direct  # type: ignore[import-not-found,unused-ignore]
import forked  # type: ignore[import-not-found,unused-ignore]
import lines  # type: ignore[import-not-found,unused-ignore]
import pytest
import session  # type: ignore[import-not-found,unused-ignore]

WALL_S = 900.0
MEMORY_BYTES = 3 << 30
Pairs = tuple[tuple[types.CodeType, types.CodeType], ...]


def code_pairs(old: types.CodeType, new: types.CodeType, around: Pairs = ()) -> Iterator[tuple[Any, Any, Pairs]]:
    """Pairs of code objects that stand at the same place in two versions of a file, with the pairs around each."""
    yield old, new, around
    inner_old = [each for each in old.co_consts if isinstance(each, types.CodeType)]
    inner_new = [each for each in new.co_consts if isinstance(each, types.CodeType)]
    places = dict(numbered(inner_new))
    for place, each in numbered(inner_old):
        if place in places:
            yield from code_pairs(each, places[place], (*around, (old, new)))


def numbered(codes: Iterable[types.CodeType]) -> Iterator[tuple[tuple[str, int], types.CodeType]]:
    """Code objects by their name and their number among those of the same name."""
    seen: dict[str, int] = {}
    for code in codes:
        number = seen[code.co_name] = seen.get(code.co_name, -1) + 1
        yield (code.co_name, number), code


def own_part(code: types.CodeType) -> tuple[Any, ...]:
    """What a code object itself does, without the code within it and without line numbers."""
    consts = tuple(each.co_name if isinstance(each, types.CodeType) else (type(each), each) for each in code.co_consts)
    return (
        code.co_code,
        consts,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_argcount,
        code.co_kwonlyargcount,
        getattr(code, "co_exceptiontable", b""),
    )


def live_functions() -> dict[tuple[str, str, int], list[types.FunctionType]]:
    """All functions by file, qualified name and first line of their code."""
    found: dict[tuple[str, str, int], list[types.FunctionType]] = {}
    for each in gc.get_objects():
        if type(each) is types.FunctionType:
            code = each.__code__
            found.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(each)
    return found


class Screen:
    """A plugin that takes the place of the loop over the tests.

    Args:
        orders: Candidates are read from it.
        answers: Answers are written to it.
        outcomes: The plugin that notes outcomes.
        measured: The measurement that is going on; None where nothing is measured.
    """

    def __init__(self, orders: Any, answers: Any, outcomes: Any, measured: Any) -> None:
        self.orders, self.answers, self.outcomes, self.measured = orders, answers, outcomes, measured

    def pytest_runtestloop(self, session: Any) -> bool:
        """Answers candidates until there are none."""
        self.items = {item.nodeid: item for item in session.items}
        self.functions = live_functions()
        self.compiled: dict[str, types.CodeType] = {}
        is_hooked = direct.is_hooked(session.config)
        self.plain = {name for name, item in self.items.items() if not is_hooked and direct.is_plain(item)}
        gc.freeze()
        tried = self.forked(self.try_all, 600)
        self.plain -= set(tried["failed"] if tried["how"] == "tried" else self.plain)
        if self.measured is not None:
            self.measured.stop()
        collected = {"collected": len(self.items), "plain": sorted(self.plain), "lines": tried["lines"]}
        self.answers.write(json.dumps({**collected, "session_s": used()}) + "\n")
        self.answers.flush()
        for line in self.orders:
            candidate = json.loads(line)
            self.answers.write(json.dumps({**self.answer(candidate), "session_s": used()}) + "\n")
            self.answers.flush()
        return True

    def try_all(self, writer: int) -> None:
        """In a fork, before anything is exchanged: run plain tests directly, tell those that fail so, and measure."""
        measured = self.measured
        items = [item for name, item in self.items.items() if measured is not None or name in self.plain]
        failed = []
        for item, following in zip(items, [*items[1:], None], strict=False):
            if measured is not None:
                measured.enter(item.nodeid)
            if item.nodeid not in self.plain:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            elif direct.outcome(item, following) != "passed":
                failed.append(item)
                tell(writer, "! ", item.nodeid)
        if measured is not None:
            for item in failed:  # in pytest's way they may run other lines
                measured.enter(item.nodeid)
                item._initrequest()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            tell(writer, "= ", measured.lines())

    def swaps(self, candidate: dict[str, Any]) -> list[tuple[types.FunctionType, types.CodeType]] | None:
        """Functions and the code that each is to get; None where a fresh process has to try."""
        found: list[tuple[types.FunctionType, types.CodeType]] = []
        for name, text in candidate["files"].items():
            path = os.path.join(session.WORK, name)
            if path not in self.compiled:
                with open(path, encoding="utf-8", newline="") as file:
                    self.compiled[path] = compile(file.read(), path, "exec", dont_inherit=True)
            new = compile(text, path, "exec", dont_inherit=True)
            changed = [each for each in code_pairs(self.compiled[path], new) if own_part(each[0]) != own_part(each[1])]
            if not changed:
                return None
            for old_code, new_code, around in changed:
                reached = self.reached(path, (*around, (old_code, new_code)))
                if not reached:
                    return None
                found += reached
        return found

    def reached(self, path: str, pairs: Pairs) -> list[tuple[types.FunctionType, types.CodeType]]:
        """Live functions that run a code object or make functions of it, with their new code; () where one cannot."""
        found: list[tuple[types.FunctionType, types.CodeType]] = []
        for old_code, new_code in pairs:
            alive = self.functions.get((path, old_code.co_qualname, old_code.co_firstlineno), [])
            if alive and old_code.co_freevars != new_code.co_freevars:
                return []
            found += [(function, new_code) for function in alive]
        return found

    def answer(self, candidate: dict[str, Any]) -> dict[str, Any]:
        """The outcome of one candidate."""
        try:
            swaps = self.swaps(candidate)
        except (SyntaxError, ValueError) as error:
            return {"how": "unusable", "why": str(error)}
        if swaps is None:
            return {"how": "cold"}
        return self.forked(lambda writer: self.work(candidate, swaps, writer), candidate["cpu_s"])

    def forked(self, work: Callable[[int], None], cpu_s: float) -> dict[str, Any]:
        """What a fork tells that does some work."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                limit_this(int(cpu_s) + 1)
                work(writer)
                os.write(writer, b".\n")
            finally:
                os._exit(0)
        os.close(writer)
        return self.collect(child, reader)

    def work(self, candidate: dict[str, Any], swaps: Iterable[tuple[Any, Any]], writer: int) -> None:
        """In the fork: exchange the code, run the tests, and tell each outcome as it comes."""
        for function, code in swaps:
            function.__code__ = code
        items = [self.items[test] for test in candidate["tests"] if test in self.items]
        told: set[str] = set()
        for number, item in enumerate(items):
            os.write(writer, f"> {number}\n".encode())
            following = items[number + 1] if number + 1 < len(items) else None
            if item.nodeid in self.plain:
                failed = [] if direct.outcome(item, following) == "passed" else [item.nodeid]
            else:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                failed = [test for test, how in self.outcomes.of.items() if how != "passed" and test not in told]
            told.update(failed)
            for test in failed:
                tell(writer, "! ", test)
            if len(told) >= candidate["limit"]:
                break

    def collect(self, child: int, reader: int) -> dict[str, Any]:
        """What the fork told of failing tests and of lines, and how it ended."""
        text, how, seconds = forked.told(child, reader, WALL_S)
        told = text.splitlines()
        failed = [json.loads(line[2:]) for line in told if line.startswith("! ")]
        measured = [json.loads(line[2:]) for line in told if line.startswith("= ")]
        if told and told[-1] == ".":
            how = "tried"
        how = "died" if how == "ended" else how
        return {"how": how, "failed": failed, "lines": measured[0] if measured else {}, "cpu_s": seconds}


def limit_this(cpu_s: int) -> None:
    """In a fork: a group of its own, and limits."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    sys.setrecursionlimit(min(sys.getrecursionlimit(), 1000))


def tell(writer: int, kind: str, what: Any) -> None:
    """Write a line, whole."""
    content = f"{kind}{json.dumps(what)}\n".encode()
    while content:
        content = content[os.write(writer, content) :]


def used() -> float:
    """CPU seconds of this process and of those that it waited for."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return round(sum(each.ru_utime + each.ru_stime for each in both), 4)


def main() -> None:
    """Reads its orders from the standard input."""
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    asked = json.loads(orders.readline())
    session.add_path(asked["path"])
    measured = lines.Measured(asked["files"], asked["only"]) if asked["files"] else None
    outcomes = session.Outcomes()
    plugins = [session.Chosen(asked["only"]), outcomes, Screen(orders, answers, outcomes, measured)]
    pytest.main([*session.ARGUMENTS, *asked["tests"]], plugins=plugins)
    os._exit(0)


main()
