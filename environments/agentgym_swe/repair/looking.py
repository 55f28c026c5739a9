"""What an agent is shown without running anything: the task, files, folders, lines that match; and the state's key."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from agentgym.errors import SandboxError
from agentgym.sandbox.base import Sandbox
from agentgym_swe.repair.editing import RefusedEditError, read
from agentgym_swe.repair.showing import MAX_LINES, cut_lines, numbered
from agentgym_swe.repair.state import Beginning
from agentgym_swe.repair.task_view import RepairTask
from agentgym_swe.repositories.layer import Layer

LOOK_S = 20.0
MAX_LEFT_OUT = 8
_LISTED_DEPTH = 2
BY_SHELL = "with python3 -m pytest"
"""How tests are run where no tool runs them; players tell by it which tools there are."""


def how_to(task: RepairTask, start: Beginning, use: str) -> str:
    """What the agent is told beside the issue."""
    layer = task.layer
    roots = ", ".join(f"`{root}`" for root in layer.source_roots)
    tests = f"Tests are in {', '.join(f'`{path}`' for path in start.tests)}" if start.tests else "There are no tests"
    if use != "all":
        tests += f"; run {'them' if start.tests else 'your own'} {BY_SHELL}"
    elif start.tests:
        tests += "; run_tests runs them"
    path = "" if layer.python_path == (".",) else f" Python finds it with `PYTHONPATH={':'.join(layer.python_path)}`."
    return (
        f"The working folder holds {layer.name} {layer.version}. Its sources are in {roots}.{path} {tests}.\n"
        "Mend the fault in the sources, then submit. Only changes of Python files in the sources count; tests that you "
        "do not see decide."
    )


def view(sandbox: Sandbox, path: str, start: int, end: int) -> str:
    """Lines of a file, or the content of a folder.

    Raises:
        RefusedEditError: There is nothing to be shown.
    """
    if "\0" in path:
        raise RefusedEditError("A path cannot hold a NUL.")
    if sandbox.exec(["test", "-d", path]).is_ok:
        command = ["find", path, "-maxdepth", str(_LISTED_DEPTH), "-not", "-path", "*/.git*", "-not", "-name", "*.pyc"]
        listed = sandbox.exec([*command, "-printf", "%y %P\\n"], timeout_s=LOOK_S).text().splitlines()
        names = sorted(line[2:] + ("/" if line.startswith("d") else "") for line in listed if len(line) > 2)
        return cut_lines("\n".join(names) or "(empty)", "view a folder in it")
    text = read(sandbox, path)
    lines = text.splitlines()
    last = len(lines) if end == 0 else end
    if not lines:
        return f"{path} is empty."
    if not 1 <= start <= last or start > len(lines):
        raise RefusedEditError(
            f"{path} has {len(lines)} lines; start and end must be among them, got {start} to {end}."
        )
    last = min(last, len(lines))
    if last - start + 1 <= MAX_LINES:
        shown = numbered(lines[start - 1 : last], start)
        return shown if last == len(lines) else f"{shown}\n[the file has {len(lines)} lines]"
    stop = start + MAX_LINES - 1
    left = f"[lines {stop + 1} to {last} left out; view them with start={stop + 1}; the file has {len(lines)} lines]"
    return f"{numbered(lines[start - 1 : stop], start)}\n{left}"


def search(sandbox: Sandbox, pattern: str, path: str) -> str:
    """Lines that match, by file and number."""
    if "\0" in pattern + path or "\n" in pattern:
        return "Nothing was searched: a pattern is one line, without NUL."
    command = ["grep", "-rnIE", "--exclude-dir=.git", "--exclude-dir=__pycache__", "-e", pattern, "--", path]
    ran = sandbox.exec(command, timeout_s=LOOK_S, max_output_bytes=1 << 20)
    if ran.timed_out:
        return f"The search was stopped after {LOOK_S:g} s; name a smaller folder or a simpler pattern."
    if ran.exit_code > 1:
        return f"Nothing was searched: {ran.stderr.decode('utf-8', 'replace').strip()[:300]}"
    lines = ran.stdout.decode("utf-8", "replace").splitlines()
    if not lines:
        return "No line matches."
    found = "\n".join(line.removeprefix("./") for line in sorted(lines, key=_place))
    return cut_lines(found, "search a smaller folder")


def told_left_out(left_out: Iterable[tuple[str, str]]) -> str:
    """What the agent is told of changes that were not taken over."""
    told = [f"{path} ({why})" for path, why in left_out]
    more = [f"and {len(told) - MAX_LEFT_OUT} more"] if len(told) > MAX_LEFT_OUT else []
    return f"\nNot taken over: {'; '.join([*told[:MAX_LEFT_OUT], *more])}" if told else ""


def tree_key(sandbox: Sandbox, layer: Layer) -> str:
    """A hash of the files of the work folder, apart from git's own and byte code.

    Raises:
        SandboxError: They cannot be read.
    """
    with sandbox.standing_still() as seen:
        if seen is not None:
            return _key_of(os.fspath(seen.work))
    script = "find . -path ./.git -prune -o -name __pycache__ -prune -o -type f -print0 | sort -z | xargs -0 sha256sum"
    summed = sandbox.exec(["sh", "-c", script], timeout_s=LOOK_S)
    if not summed.is_ok:
        raise SandboxError(f"the files in sandbox {sandbox.id} could not be read: {summed.text()[-200:]}")
    return hashlib.sha256(summed.stdout).hexdigest()[:24]


def _key_of(work: str) -> str:
    """Over names, kinds and contents of all files."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(work):
        folders[:] = sorted(name for name in folders if name not in (".git", "__pycache__", ".pytest_cache"))
        for name in sorted(names):
            path = os.path.join(folder, name)
            about = os.lstat(path)
            digest.update(f"{os.path.relpath(path, work)}\0{about.st_mode:o}\0".encode("utf-8", "surrogateescape"))
            if about.st_mode & 0o170000 == 0o120000:
                digest.update(os.fsencode(os.readlink(path)))
            elif about.st_mode & 0o170000 == 0o100000:
                with open(path, "rb", opener=_open_plainly) as file:
                    digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()[:24]


def _open_plainly(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _place(line: str) -> tuple[str, int]:
    path, _, rest = line.partition(":")
    number = rest.partition(":")[0]
    return path, int(number) if number.isdigit() else 0
