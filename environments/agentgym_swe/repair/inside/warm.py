"""A process that has imported pytest and runs tests and probes in forks of itself, for the first that connects to it.

It never imports the code under test. It cannot be looked into, not even by a process of the same user. It alone tells
how a fork ended, with a number that it learns after the fork. Its arguments are the texts of
`agentgym_swe/inside/direct.py` and of `prober.py`.

A request is a line of JSON and, behind it, the content of the files that it names. Keys: `files`, each [path, seconds,
size]; `root`, the folder that they are written to; `fork`, what is run there: `path`, limits, and either `probe`, what
a prober is asked, or `ids` of tests and the ways that `link.Way` says.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import fcntl
import gc
import importlib.util
import json
import os
import resource
import select
import signal
import socket
import sys
import time
import types
from typing import Any

WARMED = ("pytest", "unittest.mock", "_pytest.assertion.rewrite", "pdb")
"""What every run needs, with pytest's own plugins; pytest must come first."""
PORT = 7211
SET_DUMPABLE, BECOME_SUBREAPER = 4, 36
MAX_RECORDS = 8 << 20
"""Most bytes of records that are taken from a run; more is a fault of the code under test."""
MAX_LINES = 200_000
PIPE_BYTES = 1 << 20
MAX_REWRITTEN = 1 << 20
"""Most bytes of a test file that is rewritten ahead."""
LIMITS = ((resource.RLIMIT_AS, 1 << 30), (resource.RLIMIT_FSIZE, 32 << 20), (resource.RLIMIT_CORE, 0))
MANY_OBJECTS = 200_000
POLL_S = 0.05
TICKS = os.sysconf("SC_CLK_TCK")
DIRECT, PROBER = types.ModuleType("direct"), types.ModuleType("prober")
"""They run plain tests and compute values. They are not among the modules, whose names belong to the package."""
rewritten: dict[str, tuple[bytes, Any]] = {}
"""By path the text of a test file and the code that pytest makes of it, assertions rewritten."""


def main() -> None:
    """Listen, warm up, and serve the first connection until it ends."""
    library = ctypes.CDLL(None)
    library.prctl(SET_DUMPABLE, 0, 0, 0, 0)
    library.prctl(BECOME_SUBREAPER, 1, 0, 0, 0)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", PORT))
    listener.listen(1)
    warm_up()
    connection, _ = listener.accept()
    listener.close()
    stream = connection.makefile("rb")
    while line := stream.readline():
        request = json.loads(line)
        for path, seconds, size in request.get("files", ()):
            write(os.path.join(request["root"], path), stream.read(size), seconds)
        answer = run(request, stream, connection) if "fork" in request else {}
        connection.sendall(json.dumps(answer).encode() + b"\n")


def warm_up() -> None:
    """Import what every run needs, so that forks have it."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    for name in WARMED:
        importlib.import_module(name)
    for name in sys.modules["_pytest.config"].default_plugins:
        importlib.import_module(f"_pytest.{name}")
    for text, module in zip(sys.argv[1:], (DIRECT, PROBER), strict=True):
        exec(compile(text, f"<{module.__name__}>", "exec"), module.__dict__)  # noqa: S102 - programs of ours
    gc.freeze()


def write(path: str, content: bytes, seconds: int) -> None:
    """Write a file with a time of change, and the folders above it."""
    try:
        target = open(path, "wb")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        target = open(path, "wb")  # noqa: SIM115
    with target:
        target.write(content)
    if seconds:
        os.utime(path, (seconds, seconds))


def run(request: dict[str, Any], stream: Any, connection: socket.socket) -> dict[str, Any]:
    """Run tests or probes in a fork, wait for its end, and say what came of it."""
    asked = request["fork"]
    if "ids" in asked and not asked.get("plain"):
        rewrite_ahead(request["root"], asked["ids"])
    reading, writing = os.pipe()
    with contextlib.suppress(OSError):  # then the fork waits sometimes
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    child = os.fork()
    if child == 0:
        os.close(reading)
        connection.close()
        stream.close()
        run_forked(request, writing)
    os.close(writing)
    connection.sendall(b"forked\n")
    nonce = stream.readline().decode().strip()
    records, end = watch(child, reading, asked)
    os.close(reading)
    return {"nonce": nonce, "records": records, "end": end}


def rewrite_ahead(root: str, ids: list[str]) -> None:
    """Rewrite the assertions of test files once, so that forks have their code; they are read and compiled, not run."""
    rewrite = sys.modules["_pytest.assertion.rewrite"]
    for name in dict.fromkeys(test.partition("::")[0] for test in ids):
        path = os.path.join(root, name)
        try:
            if not os.path.isfile(path) or os.path.getsize(path) > MAX_REWRITTEN:
                continue
            with open(path, "rb") as file:
                text = file.read(MAX_REWRITTEN)
            if rewritten.get(path, (b"",))[0] == text:
                continue
            tree = ast.parse(text, path)
            rewrite.rewrite_asserts(tree, text, path)
            rewritten[path] = text, compile(tree, path, "exec", dont_inherit=True)
        except Exception:  # noqa: BLE001, S112 - the fork finds out why, and tells
            continue


def watch(child: int, reading: int, limits: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """Read what the fork writes until it ends, or until it idles, works or lasts longer than it may."""
    os.set_blocking(reading, False)
    began = last_active = time.monotonic()
    spent, text, why = -1.0, bytearray(), "ended"
    exit_of = os.pidfd_open(child)
    while True:
        is_over = bool(select.select([exit_of], [], [], POLL_S)[0])
        drain(reading, text)
        if is_over:
            _, status, usage = os.wait4(child, 0)
            break
        now, (used, is_running) = time.monotonic(), work_below()
        if is_running or used != spent:
            spent, last_active = used, now
        if len(text) > MAX_RECORDS:
            why = "flooded"
        elif used > limits["cpu_s"] + 1:  # the kernel limits each process by itself
            why = "cpu"
        elif now - last_active > limits["idle_s"]:
            why = "idle"
        elif now - began > limits["wall_s"]:
            why = "wall"
        if why != "ended":
            os.kill(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            break
    os.close(exit_of)
    end_all()
    drain(reading, text)
    code = os.waitstatus_to_exitcode(status)
    if code in (-signal.SIGXCPU, -signal.SIGKILL) and usage.ru_utime + usage.ru_stime >= limits["cpu_s"] - 0.5:
        why = "cpu"
    facts = {"why": why, "code": code, "cpu_s": usage.ru_utime + usage.ru_stime, "wall_s": time.monotonic() - began}
    return lines_of(text), facts


def drain(reading: int, text: bytearray) -> None:
    """Take what has been written, up to the most that is taken."""
    while len(text) <= MAX_RECORDS:
        try:
            piece = os.read(reading, 1 << 16)
        except BlockingIOError:
            return
        if not piece:
            return
        text += piece


def lines_of(text: bytearray) -> list[str]:
    """The lines, which nobody has looked at."""
    return [line.decode("utf-8", "replace") for line in bytes(text).split(b"\n", MAX_LINES)[:MAX_LINES] if line]


def work_below() -> tuple[float, bool]:
    """Processor seconds of the fork and all that it started, and whether any of it runs or waits for a processor."""
    found = below().values()
    used = sum(sum(map(int, fields[11:15])) for fields in found) / TICKS
    return used, any(fields[0] in (b"R", b"D") for fields in found)


def end_all() -> None:
    """Kill whatever the fork left: it has become a child of this process, wherever it was started.

    A process that cannot get rid of it ends, so that nothing runs beside it.
    """
    for _ in range(5000):
        for pid in below():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        time.sleep(0.002)
    sys.exit("processes are left")


def below() -> dict[int, list[bytes]]:
    """The processes below this one, by their ids: what the kernel says of each behind its name, from its state on."""
    every = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                every[int(name)] = file.read().rpartition(b")")[2].split()
    found: dict[int, list[bytes]] = {}
    for pid in sorted(every):  # what starts others is older than they are, or this process has taken its place
        if int(every[pid][1]) in found or int(every[pid][1]) == os.getpid():
            found[pid] = every[pid]
    return found


def run_forked(request: dict[str, Any], writing: int) -> None:
    """In the fork: limits, paths, then probes, or pytest with its own settings."""
    asked = request["fork"]
    code = 70
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        for name, most in ((resource.RLIMIT_CPU, asked["cpu_s"]), *LIMITS):
            resource.setrlimit(name, (int(most), int(most)))
        os.chdir(request["root"])
        sys.path[:0] = [os.path.normpath(os.path.join(request["root"], entry)) for entry in asked["path"]]
        sys.dont_write_bytecode = not asked.get("writes_bytecode", False)
        code = PROBER.run(asked["probe"], writing) if "probe" in asked else run_pytest(asked, writing)
    except BaseException as error:  # noqa: BLE001 - whatever happens, a fork never goes on as its parent
        say(writing, {"broke": f"{type(error).__name__}: {error}"[:500]})
    finally:
        os._exit(code)


def run_pytest(asked: dict[str, Any], writing: int) -> int:
    """Run pytest on exactly these ids, and tell what each came to."""
    usual = gc.get_threshold()
    gc.set_threshold(MANY_OBJECTS)  # until all tests are collected, which makes many and hardly any garbage
    pytest = importlib.import_module("pytest")
    plugins: list[Any] = [Recorder(writing, asked.get("text", 0)), Collected(usual)]
    settings = ["-c", os.devnull, "--rootdir", os.getcwd(), "-p", "no:cacheprovider", "-p", "no:terminal"]
    settings += ["--basetemp", f"{os.getcwd()}-tmp", "--confcutdir", os.getcwd()]
    what = asked["ids"]
    if asked.get("whole"):
        plugins.append(Only(what))
        what = list(dict.fromkeys(test.partition("::")[0] for test in what))
    if asked.get("plain"):
        settings += ["--assert=plain", "--continue-on-collection-errors"]
    else:
        take_rewritten()
    if asked.get("direct"):
        plugins.append(DIRECT.Directly(lambda test, outcome: say(writing, {"id": test, "outcome": outcome})))
    code = int(pytest.main([*settings, *what], plugins=plugins))
    say(writing, {"finished": code})
    return code


def take_rewritten() -> None:
    """Have pytest take the code of test files that was made ahead, where the file is still the same."""
    rewrite: Any = sys.modules["_pytest.assertion.rewrite"]
    rewrite_now = rewrite._rewrite_test

    def rewrite_test(path: Any, config: Any) -> tuple[bytes, Any]:
        text, code = rewritten.get(str(path), (b"", None))
        if code is None or path.read_bytes() != text:
            found: tuple[bytes, Any] = rewrite_now(path, config)
            return found
        return importlib.util.source_hash(text), code

    rewrite._rewrite_test = rewrite_test


class Only:
    """Keeps the tests of whole files that are asked for; pytest finds them faster so than one by one."""

    def __init__(self, ids: list[str]) -> None:
        self.ids = set(ids)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Drop the others; an id without parameters stands for all that a test has."""
        items[:] = [item for item in items if self.ids & {item.nodeid, item.nodeid.partition("[")[0]}]


class Collected:
    """Lets garbage be collected as often as usual once the tests are known."""

    def __init__(self, usual: tuple[int, int, int]) -> None:
        self.usual = usual

    def pytest_collection_finish(self) -> None:
        """Before the first test."""
        gc.set_threshold(*self.usual)


class Recorder:
    """Writes a record of every test as it ends."""

    def __init__(self, writing: int, num_chars: int) -> None:
        self.writing, self.num_chars = writing, num_chars
        self.worst: dict[str, dict[str, Any]] = {}

    def pytest_configure(self, config: Any) -> None:
        """Have reports made as long as they are wanted; the option's own plugin is not loaded."""
        config.option.tbstyle = "short" if self.num_chars else "no"

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take one phase of a test; the record is written behind the last."""
        found = self.worst.setdefault(report.nodeid, {"id": report.nodeid, "outcome": "passed", "s": 0.0})
        found["s"] += report.duration
        if hasattr(report, "wasxfail"):
            found["outcome"] = "xfailed" if report.skipped else "xpassed"
        elif report.failed or (report.skipped and found["outcome"] == "passed"):
            found["outcome"] = report.outcome
            if self.num_chars and report.failed:
                found["text"] = str(report.longreprtext)[-self.num_chars :]
        if report.when == "teardown":
            say(self.writing, self.worst.pop(report.nodeid))

    def pytest_collectreport(self, report: Any) -> None:
        """Tell of files that cannot be collected."""
        if report.failed:
            say(
                self.writing,
                {"uncollected": report.nodeid, "text": str(report.longreprtext)[-(self.num_chars or 500) :]},
            )


def say(writing: int, record: dict[str, Any]) -> None:
    """Write one record, whole."""
    content = json.dumps(record).encode() + b"\n"
    while content:
        content = content[os.write(writing, content) :]


if __name__ == "__main__":
    main()
