"""Finds short programs on which a broken package differs from the original, from what its failing tests do.

Both packages run in a sandbox; `excerpts` writes the programs, and `reword` the issues.
"""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from agentgym.python_source import parse
from agentgym_swe.making.screening import Worker, worker_of
from agentgym_swe.repair.verdict.instrumenting import instrumented
from agentgym_swe.repair.verdict.slices import changed_value, is_plain
from agentgym_swe.repair.verdict.test_source import TestFile, functions_of, parsed
from agentgym_swe.repositories.definitions import module_name
from agentgym_swe.repositories.layer import Layer
from agentgym_swe.rewording.excerpts import (
    Around,
    Excerpt,
    NoExcerptError,
    Step,
    excerpt_of,
    excerpts_of_body,
    is_inner,
)
from agentgym_swe.room import Wanted, open_room, put_programs

MAX_TESTS, MAX_PLACES, MAX_SHOWN, MAX_VARIANTS = 6, 2, 2, 10
_BATCH, _LATER_S = 30, 100_000.0
_NAMED = re.compile(r"\bn\('([\w.]+)', '([\w.]*)'\)")
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
Seen = Mapping[str, Any]
Files = Mapping[str, str]


@dataclass(frozen=True)
class Shown:
    """A program with what it gives.

    Attributes:
        excerpt: The program.
        observed: What it gives on the broken package, as `inside/excerpts.py` says it.
        expected: The same on the original.
    """

    excerpt: Excerpt
    observed: Seen
    expected: Seen

    @property
    def cost(self) -> tuple[bool, int]:
        """What is shown by plain values comes first, then what is short."""
        return not self.expected.get("is_plain", False), len(self.excerpt.text)


@contextmanager
def demonstrator(layer: Layer, sandbox: Wanted = None) -> Iterator[Demonstrator]:
    """What finds programs for tasks of a package, for as long as the block runs.

    Raises:
        SandboxError: No sandbox can be started.
    """
    with open_room(layer.folder, sandbox) as room:
        with resources.as_file(resources.files("agentgym_swe.repair.inside").joinpath("recorder.py")) as path:
            put_programs(room.sandbox, [Path(path)])
        with worker_of(room, "excerpts", 0) as worker:
            worker.send({"path": layer.python_path, "tests": layer.run, "only": layer.tests})
            yield Demonstrator(layer, worker)


class Demonstrator:
    """Records tests, and runs programs on the original and on broken packages.

    Args:
        layer: The package.
        worker: Runs inside.excerpts.
    """

    def __init__(self, layer: Layer, worker: Worker) -> None:
        self._layer, self._worker = layer, worker
        self._tapes: dict[str, list[Step]] = {}
        self._originals: dict[str, Seen] = {}
        self._tops = sorted({module_name(path, layer.python_path).partition(".")[0] for path in layer.sources})
        self._modules = sorted(module_name(path, layer.python_path) for path in layer.sources)

    def demonstrate(self, broken: Files, failing: Sequence[str]) -> list[Shown]:
        """Programs made of failing tests, the best first.

        Args:
            broken: The changed files.
            failing: Ids of tests that fail.
        """
        tests = [ids[0] for ids in functions_of(failing).values()]
        tests = [*tests, *(test for test in failing if test not in tests)][:MAX_TESTS]
        self._record(tests)
        tapes = {test: self._tapes[test] for test in tests if self._tapes.get(test)}
        there = self._observe(broken, tapes)
        excerpts: dict[str, Excerpt] = {}
        for function in functions_of(tests):
            files = self._files(function.file)
            node = files[0].find(function) if files else None
            if isinstance(node, ast.FunctionDef):
                excerpts |= {each.text: each for each in excerpts_of_body(node, files)}
        for test in tapes:
            before, after = self._originals.get(test), there.get(test)
            if before and after:
                excerpts |= {each.text: each for each in self._excerpts(test, before, after)}
        found: list[Shown] = []
        for each in sorted(self.tried(list(excerpts.values()), broken), key=lambda shown: shown.cost):
            short = self._shortened(each, broken) if len(found) < MAX_SHOWN else each
            found += [short] if short.excerpt.is_short and not names_inner(short) else []
        known: dict[str, Shown] = {}
        for each in sorted(found, key=lambda shown: shown.cost):
            known.setdefault(each.excerpt.text, each)
        return list(known.values())

    def uses(self, failing: Sequence[str]) -> list[str]:
        """Public names of the package that the first recorded one of some tests uses."""
        own = {module.partition(".")[0] for module in self._modules}
        for test in failing:
            called = [_NAMED.findall(text) for _, text in self._tapes.get(test, ())]
            names = [name for pairs in called for module, name in pairs if name and module.partition(".")[0] in own]
            found = list(dict.fromkeys(name for name in names if not is_inner(name)))
            if found:
                return found[:4]
        return []

    def tried(self, excerpts: Sequence[Excerpt], broken: Files, *, is_steady: bool = False) -> list[Shown]:
        """Those programs whose last line differs on the broken package, and does not depend on the clock.

        Args:
            excerpts: The programs.
            broken: The changed files.
            is_steady: Whether it is known that they do not depend on it.
        """
        if not excerpts:
            return []
        programs = [each.text for each in excerpts]
        original, other = self._run({}, programs), self._run(broken, programs)
        later = original if is_steady else self._run({}, programs, _LATER_S)
        return [
            Shown(excerpt, seen, wanted)
            for excerpt, wanted, again, seen in zip(excerpts, original, later, other, strict=True)
            if wanted and seen and wanted == again and _tells(wanted, seen)
        ]

    def variants(self, shown: Excerpt, broken: Files, seed: int) -> list[Shown]:
        """The same program with other inputs, where it still tells."""
        rng = random.Random(seed)
        made: dict[str, Excerpt] = {}
        for _ in range(MAX_VARIANTS):
            tree = copy.deepcopy(parse(shown.code))
            places = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and is_plain(node.value)]
            if not places:
                return []
            node = rng.choice(places)
            assert isinstance(node.value, int | str | float)
            node.value = changed_value(node.value, rng)
            code = ast.unparse(tree)
            made.setdefault(code, Excerpt(shown.imports, code))
        made.pop(ast.unparse(parse(shown.code)), None)
        found = [
            each for each in self.tried(list(made.values()), broken, is_steady=True) if "raised" not in each.expected
        ]
        return sorted(found, key=lambda each: each.cost)

    def _record(self, tests: Sequence[str]) -> None:
        """Record tests on the original, and what their steps give there."""
        new = [test for test in tests if test not in self._tapes]
        if not new:
            return
        files = {}
        for path in self._layer.files:
            if path.endswith(".py") and self._layer.is_test(path):
                text = instrumented(self._layer.text(path))
                if text is not None:
                    files[path] = text
        asked = {"task": "record", "ids": new, "sources": list(self._layer.sources)}
        tapes = self._ask(files, asked).get("tapes", {})
        self._tapes |= {test: [(number, text) for number, text, _ in tapes.get(test, ())] for test in new}
        self._originals |= self._observe({}, {test: self._tapes[test] for test in new if self._tapes[test]})

    def _observe(self, files: Files, tapes: Mapping[str, Sequence[Step]]) -> dict[str, Seen]:
        written = {test: [(*step, False) for step in tape] for test, tape in tapes.items()}
        asked = {"task": "observe", "tapes": written, "modules": self._modules}
        found = self._ask(files, asked).get("seen", {}) if tapes else {}
        return {test: seen for test, seen in found.items() if seen}

    def _run(self, files: Files, programs: Sequence[str], later_s: float = 0.0) -> list[Seen | None]:
        asked = {"task": "run", "programs": list(programs), "modules": self._tops, "later_s": later_s}
        found: list[Seen | None] = self._ask(files, asked).get("seen", [])
        return found if len(found) == len(programs) else [None] * len(programs)

    def _ask(self, files: Files, asked: Mapping[str, Any]) -> dict[str, Any]:
        self._worker.send({"files": dict(files), **asked})
        return self._worker.receive()

    def _excerpts(self, test: str, before: Seen, after: Seen) -> Iterator[Excerpt]:
        """Programs for the first steps of a test that differ."""
        tape, files = self._tapes[test], self._files(test.partition("::")[0])
        raising = frozenset(int(number) for number, seen in before["steps"].items() if "raised" in seen)
        around = Around(before["names"], raising, files)
        left = MAX_PLACES
        for number, _ in tape:
            wanted, seen = before["steps"].get(str(number)), after["steps"].get(str(number))
            if not left:
                return
            if wanted is None or seen is None or not _tells(wanted, seen):
                continue
            for is_whole in (False, True):
                try:
                    yield excerpt_of(tape, number, around, is_whole=is_whole)
                except (NoExcerptError, SyntaxError, ValueError, RecursionError):
                    continue
                left -= not is_whole

    def _files(self, path: str) -> list[TestFile]:
        """A test's file, and the others below the folder of its tests, from which it may take names."""
        top = path.partition("/")[0]
        own = [each for each in self._layer.files if each.endswith(".py") and self._layer.is_test(each)]
        near = [each for each in own if each != path and each.partition("/")[0] == top and "/test_" not in each]
        return [file for each in (path, *near) if (file := parsed(self._layer, each)) is not None]

    def _shortened(self, shown: Shown, broken: Files) -> Shown:
        """The program without the lines that it does not need: halves, quarters, then one by one."""
        size = max(1, (len(parse(shown.excerpt.code).body) - 1) // 2)
        while True:
            body = parse(shown.excerpt.code).body
            fewer = [
                _joined(shown.excerpt, [*body[:start], *body[start + size : -1], body[-1]])
                for start in range(0, len(body) - 1, size)
            ]
            same = (
                each
                for each in self.tried(fewer, broken, is_steady=True)
                if (each.observed, each.expected) == (shown.observed, shown.expected)
            )
            found = next(same, None)
            if found is not None:
                shown = found
            elif size == 1:
                return self._with_few_imports(shown, broken)
            size = size if found is not None else size // 2
            size = max(1, min(size, (len(parse(shown.excerpt.code).body) - 1) // 2))

    def _with_few_imports(self, shown: Shown, broken: Files) -> Shown:
        """The program without the imports that it does not need."""
        kept = _with_read_imports(shown.excerpt)
        for each in shown.excerpt.imports:
            fewer = Excerpt(tuple(other for other in kept.imports if other != each), kept.code)
            if each.endswith("*") and self.tried([fewer], broken, is_steady=True):
                kept = fewer
        return Shown(kept, shown.observed, shown.expected)


def _joined(excerpt: Excerpt, body: Sequence[ast.stmt]) -> Excerpt:
    return Excerpt(excerpt.imports, "\n".join(ast.unparse(node) for node in body))


def names_inner(shown: Shown) -> bool:
    """Whether a program, or what it gives, names something inner."""
    parts = [shown.excerpt.text]
    parts += [str(each.get(key, "")) for each in (shown.observed, shown.expected) for key in ("value", "raised")]
    return any(is_inner(name) for part in parts for name in _DOTTED.findall(part))


def _tells(wanted: Seen, seen: Seen) -> bool:
    """Whether a reader can see how two values differ."""
    if wanted.get("early") or seen.get("early"):
        return False
    if "raised" in wanted and "raised" in seen:
        return bool(wanted["raised"] != seen["raised"] or wanted["message"] != seen["message"])
    if "raised" in wanted or "raised" in seen:
        return True
    if wanted["value"] is None or seen["value"] is None:
        return bool(wanted["type"] != seen["type"])
    return bool(wanted["value"] != seen["value"])


def _with_read_imports(excerpt: Excerpt) -> Excerpt:
    """Without imports that nothing reads."""
    kept = [
        each
        for each in excerpt.imports
        if each.endswith("*") or re.search(rf"\b{re.escape(_bound_by(each))}\b", excerpt.code)
    ]
    return Excerpt(tuple(kept), excerpt.code)


def _bound_by(statement: str) -> str:
    """The name that an import binds."""
    return statement.split(" as ")[-1].split("import ")[-1].strip()
