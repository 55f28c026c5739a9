"""Runs instrumented tests and writes down what they do with the package, as expressions that can be computed again.

The instrumented files call `__recorder__`. Everything is done as it was; what can be written down goes to a tape, one
expression a step: `v[3]` is what step 3 gave, `n(module, name)` something that can be imported, `t(path)` a temporary
file. What the tests expect of values is not written down.

Standard input: JSON with `root`, `path`, `sources`, `ids` and limits. Output: a JSON object with the tape of each test.
"""

from __future__ import annotations

import builtins
import importlib
import json
import keyword
import operator
import os
import pathlib
import resource
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

MAX_STEPS, MAX_ASKED = 800, 20_000
"""Steps of a tape, and calls of the recorder in a test."""
MAX_TEXT, MAX_ITEMS, MAX_DEPTH = 6000, 400, 8
NEVER = {"open", "input", "compile", "breakpoint", "id", "hash", "exit", "quit", "setattr", "delattr"}
"""Built-in functions that are done and not written down."""
NEVER_OF = {
    "pytest", "_pytest", "unittest", "os", "posix", "sys", "tempfile", "shutil", "subprocess", "threading",
    "multiprocessing", "socket", "logging", "warnings", "importlib", "inspect", "gc", "ctypes", "signal", "asyncio",
    "contextlib", "builtins.open", "faulthandler", "atexit",
}  # fmt: skip
"""Modules of which the same holds."""
BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "|": operator.or_,
    "^": operator.xor, "&": operator.and_, "@": operator.matmul,
}  # fmt: skip
UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "in": lambda item, of: item in of, "not in": lambda item, of: item not in of,
    "is": operator.is_, "is not": operator.is_not,
}  # fmt: skip
ATOMS = (int, str, float, bool, bytes, type(None), complex, type(Ellipsis))


class EnoughError(BaseException):
    """Ends a test of which enough is written down."""


class OpaqueError(Exception):
    """A value that cannot be written down."""


class Step:
    """One thing that was done."""

    def __init__(self, test: str, text: str, refs: set[int], of_package: bool) -> None:
        self.test, self.text, self.refs, self.of_package = test, text, refs, of_package
        self.takes, self.is_again = of_package, False


class Writer:
    """Writes values down as expressions, and knows which of them come from the package."""

    def __init__(self, root: str, sources: list[str]) -> None:
        self.root, self.temporary = root, f"{root}-tmp"
        self.sources = {os.path.join(root, path) for path in sources}
        self.steps: list[Step] = []
        self.known: dict[int, tuple[str, int, Any]] = {}
        self.texts: dict[int, tuple[Any, str, str]] = {}
        self.test = ""
        self._of_package: dict[str, bool] = {}

    def _call_text(self, function: Any, args: Any, kwargs: Any, refs: set[int]) -> tuple[str, bool]:
        if self._is_never(function) or self._is_of_tests(function):
            raise OpaqueError
        written = self._operand(function, refs)
        text = f"{written}({self._arguments(args, kwargs, refs)})"
        return text, self._is_of_package(function)

    def _arguments(self, args: Any, kwargs: Any, refs: set[int]) -> str:
        named = {key: self._text(value, refs) for key, value in kwargs.items()}
        parts = [f"{key}={text}" if is_keyword(key) else f"**{{{key!r}: {text}}}" for key, text in named.items()]
        return ", ".join([*(self._text(each, refs) for each in args), *parts])

    def _package(self, value: Any, refs: set[int]) -> str:
        """An operand that must be of the package."""
        if not self._is_of_package(value):
            raise OpaqueError
        return self._operand(value, refs)

    def _operand(self, value: Any, refs: set[int]) -> str:
        text = self._text(value, refs)
        return f"({text})" if isinstance(value, int | float | complex) else text

    def _need_package(self, *values: Any) -> bool:
        if not any(self._is_of_package(value) for value in values):
            raise OpaqueError
        return True

    def _text(self, value: Any, refs: set[int], depth: int = 0) -> str:
        """A value as an expression."""
        if id(value) in self.known and self.known[id(value)][2] is value:
            text, number, _ = self.known[id(value)]
            refs.add(number)
            return text
        kind = type(value)
        if kind is str and self.temporary in value:
            inner = value.removeprefix(self.temporary)
            return f"t({inner.lstrip('/')!r})" if inner != value and self.temporary not in inner else opaque()
        if kind in ATOMS:
            text = repr(value)
            return f"n('builtins', 'float')({text!r})" if text in ("inf", "-inf", "nan") else text
        if depth > MAX_DEPTH:
            raise OpaqueError
        if kind in (list, tuple, set, frozenset, dict):
            return self._container(value, kind, refs, depth + 1)
        if kind is slice:
            return f"slice({value.start!r}, {value.stop!r}, {value.step!r})"
        if isinstance(value, pathlib.PurePath):
            return f"n('pathlib', '{kind.__name__}')({self._text(str(value), refs)})"
        if id(value) in self.texts and self.texts[id(value)][0] is value:
            return self._defined(value, refs)
        return self._name(value)

    def _container(self, value: Any, kind: type, refs: set[int], depth: int) -> str:
        if len(value) > MAX_ITEMS:
            raise OpaqueError
        if kind is dict:
            pairs = (f"{self._text(key, refs, depth)}: {self._text(item, refs, depth)}" for key, item in value.items())
            return "{" + ", ".join(pairs) + "}"
        parts = [self._text(item, refs, depth) for item in value]
        if kind in (set, frozenset):
            return f"{kind.__name__}([{', '.join(sorted(parts))}])"
        if kind is tuple:
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        return f"[{', '.join(parts)}]"

    def _defined(self, made: Any, refs: set[int]) -> str:
        """Something that a test defines, with what it takes from around it; it becomes a step of its own."""
        _, text, name = self.texts[id(made)]
        around = {}
        code = getattr(made, "__code__", None)
        for free, cell in zip(code.co_freevars if code else (), getattr(made, "__closure__", None) or (), strict=True):
            if cell.cell_contents is made:
                continue
            around[free] = self._text(cell.cell_contents, refs)
        written = ", ".join(f"{key!r}: {value}" for key, value in around.items())
        self.steps.append(Step(self.test, f"define({text!r}, {name!r}, {{{written}}})", set(refs), of_package=False))
        number = len(self.steps) - 1
        self.known[id(made)] = (f"v[{number}]", number, made)
        refs.add(number)
        return f"v[{number}]"

    def _name(self, value: Any) -> str:
        """Something that can be imported, or that the test file has at its top."""
        if isinstance(value, types.ModuleType):
            own = value.__name__
            return opaque() if sys.modules.get(own) is not value or self._is_test(own) else f"n({own!r}, '')"
        name = getattr(value, "__qualname__", None)
        module = getattr(value, "__module__", None) or "builtins"
        if not isinstance(name, str) or not isinstance(module, str) or "<locals>" in name:
            raise OpaqueError
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not value:
            raise OpaqueError
        return name if self._is_test(module) else f"n({module!r}, {name!r})"

    def _has_name(self, value: Any) -> bool:
        try:
            self._name(value)
        except OpaqueError:
            return False
        return True

    def _is_test(self, module: str) -> bool:
        """Whether a module is one of the tree that is no source."""
        path = getattr(sys.modules.get(module), "__file__", None) or ""
        return self._is_test_file(path)

    def _is_test_file(self, path: str) -> bool:
        return path.startswith(f"{self.root}/") and path not in self.sources

    def _is_of_package(self, value: Any) -> bool:
        if id(value) in self.known and self.known[id(value)][2] is value:
            return self.steps[self.known[id(value)][1]].of_package or self._is_own(type(value))
        if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType | types.MethodType):
            return self._is_own(value) or (isinstance(value, types.MethodType) and self._is_own(type(value.__self__)))
        return self._is_own(type(value))

    def _is_own(self, value: Any) -> bool:
        """Whether a class or function is defined in the sources, or made from one that is."""
        for each in value.__mro__ if isinstance(value, type) else (value,):
            module = getattr(each, "__module__", None)
            if not isinstance(module, str):
                continue
            if module not in self._of_package:
                path = getattr(sys.modules.get(module), "__file__", None)
                self._of_package[module] = path in self.sources
            if self._of_package[module]:
                return True
        return False

    def _is_of_tests(self, function: Any) -> bool:
        """Whether a call goes to a function of the tests, in which calls are recorded one by one."""
        function = getattr(function, "__func__", function)
        return isinstance(function, types.FunctionType) and self._is_test_file(function.__code__.co_filename)

    def _is_never(self, function: Any) -> bool:
        module = getattr(function, "__module__", None) or "builtins"
        name = getattr(function, "__name__", "")
        if not isinstance(module, str):
            return False
        return module.partition(".")[0] in NEVER_OF or (module in ("builtins", "io", "_io") and name in NEVER)


class Recorder(Writer):
    """What instrumented files call; every method does what it is named for, and says what comes of it."""

    def __init__(self, root: str, sources: list[str]) -> None:
        super().__init__(root, sources)
        self.is_busy, self.num_before, self.num_asked = False, 0, 0

    # What instrumented files ask for.

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function."""
        return self._do(lambda: function(*args, **kwargs), lambda refs: self._call_text(function, args, kwargs, refs))

    def method(self, receiver: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method, or a function of a module."""
        if isinstance(receiver, types.ModuleType):
            return self.call(getattr(receiver, name), *args, **kwargs)

        def text(refs: set[int]) -> tuple[str, bool]:
            if self._is_never(type(receiver)):
                raise OpaqueError
            called = f"{self._operand(receiver, refs)}.{name}"
            if not refs and not self._is_of_package(receiver):
                raise OpaqueError
            return f"{called}({self._arguments(args, kwargs, refs)})", self._is_of_package(receiver)

        return self._do(lambda: getattr(receiver, name)(*args, **kwargs), text)

    def get(self, receiver: Any, name: str) -> Any:
        """Read an attribute."""
        if isinstance(receiver, types.ModuleType) or self.is_busy:
            return getattr(receiver, name)
        return self._do(lambda: getattr(receiver, name), lambda refs: (f"{self._package(receiver, refs)}.{name}", True))

    def item(self, receiver: Any, index: Any) -> Any:
        """Read an item."""
        return self._do(
            lambda: receiver[index],
            lambda refs: (f"{self._package(receiver, refs)}[{self._text(index, refs)}]", True),
        )

    def put(self, receiver: Any, name: str, value: Any) -> None:
        """Set an attribute."""
        self._do(
            lambda: setattr(receiver, name, value),
            lambda refs: (f"setattr({self._package(receiver, refs)}, {name!r}, {self._text(value, refs)})", True),
        )

    def set_item(self, receiver: Any, index: Any, value: Any) -> None:
        """Set an item."""

        def text(refs: set[int]) -> tuple[str, bool]:
            written = f"{self._package(receiver, refs)}, {self._text(index, refs)}, {self._text(value, refs)}"
            return f"n('_operator', 'setitem')({written})", True

        self._do(lambda: operator.setitem(receiver, index, value), text)

    def delete_item(self, receiver: Any, index: Any) -> None:
        """Take an item out."""
        self._do(
            lambda: operator.delitem(receiver, index),
            lambda refs: (
                f"n('_operator', 'delitem')({self._package(receiver, refs)}, {self._text(index, refs)})", True
            ),
        )  # fmt: skip

    def binary(self, sign: str, left: Any, right: Any) -> Any:
        """Compute with two values."""

        def text(refs: set[int]) -> tuple[str, bool]:
            written = f"({self._text(left, refs)} {sign} {self._text(right, refs)})"
            return written, self._need_package(left, right)

        return self._do(lambda: BINARY[sign](left, right), text)

    def unary(self, sign: str, value: Any) -> Any:
        """Compute with one value."""
        return self._do(lambda: UNARY[sign](value), lambda refs: (f"({sign}{self._package(value, refs)})", True))

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        """Compare; what is written out in a test may be what it expects, and is not written down for a yes or no."""
        both = self.is_busy or (self._is_of_package(left) and self._is_of_package(right))

        def text(refs: set[int]) -> tuple[str, bool]:
            self._need_package(left, right)
            if sign in ("is", "is not") and not both:
                raise OpaqueError
            return f"({self._text(left, refs)} {sign} {self._text(right, refs)})", True

        return self._do(lambda: COMPARED[sign](left, right), text, is_open=both or sign not in ("==", "!="))

    def truth(self, value: Any) -> Any:
        """See whether something is true."""
        if not self.is_busy and type(value) is not bool and self._is_of_package(value):
            self._do(lambda: None, lambda refs: (f"bool({self._package(value, refs)})", True))
        return value

    def each(self, items: Any) -> Any:
        """Items one after another."""
        if self.is_busy or id(items) not in self.known or isinstance(items, list | tuple | dict | set):
            return items
        return self._each(items)

    def _each(self, items: Any) -> Iterator[Any]:
        reading = self.call(iter, items)
        while True:
            try:
                item = self.call(next, reading)
            except StopIteration:
                return
            yield item

    def context(self, entered: Any) -> Any:
        """A context that is entered and left."""
        return entered if self.is_busy or id(entered) not in self.known else Context(self, entered)

    def written(self, made: Any, text: str, name: str) -> Any:
        """A function or class that is defined inside a test, with its text."""
        self.texts[id(made)] = (made, text, name)
        return made

    # How it is written down.

    def _do(
        self, compute: Callable[[], Any], write: Callable[[set[int]], tuple[str, bool]], *, is_open: bool = True
    ) -> Any:
        """Do something and write it down; what is not open, only where it gives more than a yes or no."""
        if self.is_busy:
            return compute()
        self.num_asked += 1
        if self.num_asked > MAX_ASKED or len(self.steps) > self.num_before + 2 * MAX_STEPS:
            if self.test:
                raise EnoughError
            return compute()
        refs: set[int] = set()
        self.is_busy = True
        try:
            text, of_package = write(refs)
        except OpaqueError:
            text = ""
        except Exception:  # noqa: BLE001 - objects under test may do anything when they are looked at
            text = ""
        finally:
            self.is_busy = False
        if not text or len(text) > MAX_TEXT:
            return compute()
        of_package = of_package or any(self.steps[ref].of_package for ref in refs)
        step = Step(self.test, text, refs, of_package)
        self.is_busy = True
        try:
            found = compute()
        except BaseException as error:
            if of_package and is_open:
                self.steps.append(step)
                self.known[id(error)] = (f"v[{len(self.steps) - 1}]", len(self.steps) - 1, error)
            raise
        finally:
            self.is_busy = False
        if (of_package or refs or not is_atom(found)) and (is_open or type(found) is not bool):
            self._keep(step, found)
        return found

    def _keep(self, step: Step, found: Any) -> None:
        self.steps.append(step)
        number = len(self.steps) - 1
        if is_atom(found) or self._has_name(found):
            return
        if id(found) not in self.known:
            self.known[id(found)] = (f"v[{number}]", number, found)
        if isinstance(found, Iterator):  # its value is taken by using it up, where nothing else uses it
            step.takes, step.is_again = False, self.known[id(found)][1] != number
        inner: Any = ()
        if type(found) in (list, tuple):
            inner = enumerate(found[:50])
        elif type(found) is dict:
            inner = ((key, value) for key, value in list(found.items())[:50] if is_atom(key))
        for key, value in inner:
            if not is_atom(value) and id(value) not in self.known:
                self.known[id(value)] = (f"v[{number}][{key!r}]", number, value)

    # What is kept of it.

    def tape(self, test: str) -> list[tuple[int, str, bool]]:
        """The steps of a test, and the earlier ones that they need."""
        own = [number for number, step in enumerate(self.steps) if step.test == test]
        needed: set[int] = set()
        for number in own:
            if self.steps[number].of_package:
                self._need(number, needed)
        for number in own:
            step = self.steps[number]
            if number not in needed and step.refs & needed and not step.text.startswith("define("):
                self._need(number, needed)
        chosen = sorted(needed)[:MAX_STEPS]
        read = {ref for number in chosen for ref in self.steps[number].refs}
        tape = []
        for number in chosen:
            step = self.steps[number]
            tape.append((number, step.text, step.of_package and (step.takes or not (number in read or step.is_again))))
        return tape

    def _need(self, number: int, needed: set[int]) -> None:
        waiting = [number]
        while waiting:
            each = waiting.pop()
            if each not in needed:
                needed.add(each)
                waiting += self.steps[each].refs


class Context:
    """A context whose entering and leaving are steps."""

    def __init__(self, recorder: Recorder, entered: Any) -> None:
        self.recorder, self.entered = recorder, entered

    def __enter__(self) -> Any:
        return self.recorder.method(self.entered, "__enter__")

    def __exit__(self, *how: Any) -> Any:
        return self.recorder.method(self.entered, "__exit__", *how)


class Plugin:
    """Tells the recorder which test is run."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self._go_on(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """A test has ended."""
        self._go_on("")

    def _go_on(self, test: str) -> None:
        self.recorder.test, self.recorder.num_before, self.recorder.num_asked = test, len(self.recorder.steps), 0


def is_atom(value: Any) -> bool:
    """Whether a value stands for itself, nothing can be done to it, and it need not be told from an equal one."""
    if type(value) in ATOMS:
        return True
    return type(value) in (list, tuple, dict, set, frozenset) and is_plain(value, 0)


def is_plain(value: Any, depth: int) -> bool:
    """Whether a value is made of atoms alone."""
    kind = type(value)
    if kind in ATOMS:
        return True
    if depth > MAX_DEPTH or kind not in (list, tuple, dict, set, frozenset) or len(value) > MAX_ITEMS:
        return False
    items = (part for pair in value.items() for part in pair) if kind is dict else value
    return all(is_plain(item, depth + 1) for item in items)


def is_keyword(name: str) -> bool:
    """Whether an argument can be given by this name as it is."""
    return name.isidentifier() and not keyword.iskeyword(name)


def opaque() -> str:
    """Say that a value cannot be written down."""
    raise OpaqueError


def main() -> None:
    """Run the tests that are asked for, and write their tapes."""
    asked = json.loads(sys.stdin.read())
    writing = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    for name, most in ((resource.RLIMIT_CPU, asked["cpu_s"]), (resource.RLIMIT_AS, 1 << 30)):
        resource.setrlimit(name, (most, most))
    os.chdir(asked["root"])
    sys.path[:0] = [os.path.normpath(os.path.join(asked["root"], entry)) for entry in asked["path"]]
    sys.dont_write_bytecode = True
    recorder = Recorder(asked["root"], asked["sources"])
    builtins.__recorder__ = recorder  # type: ignore[attr-defined]
    pytest = importlib.import_module("pytest")
    settings = ["-c", os.devnull, "--rootdir", asked["root"], "-p", "no:cacheprovider", "-p", "no:terminal"]
    settings += ["--basetemp", recorder.temporary, "--assert=plain", "--continue-on-collection-errors"]
    pytest.main([*settings, *asked["ids"]], plugins=[Plugin(recorder)])
    recorder.is_busy = True
    tapes = {test: recorder.tape(test) for test in asked["ids"]}
    with open(writing, "w", encoding="utf-8") as output:
        json.dump(tapes, output)
        output.write("\n")
        output.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
