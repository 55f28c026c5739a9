"""What of an agent's repository travels to the verdict: text files that run nothing by themselves, as one diff.

The diff is read as data. What does not travel is said, with the reason.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentgym.sandbox.base import Sandbox
from agentgym_swe.diffs import files_of_diff
from agentgym_swe.foreign.ground import GIT, SHADOW
from agentgym_swe.foreign.instance import Instance

MAX_DIFF = 1_000_000
"""Bytes of a diff that is judged."""
MAX_TOLD = 20
TAKE_S = 120.0
RUN_BY_THEMSELVES = frozenset(
    ("conftest.py", "sitecustomize.py", "usercustomize.py", "pytest.ini", "tox.ini", ".coveragerc", "pytest.py")
)
"""Files that a runner or the interpreter takes up unasked; they travel only where the reference changes them too."""
_TAKE = """set -e
export GIT_DIR={shadow} GIT_WORK_TREE="$PWD" GIT_CONFIG_GLOBAL=/dev/null
{git} -c core.hooksPath=/dev/null -c core.fsmonitor= add -A
exec {git} diff --cached --no-color --no-ext-diff --no-textconv --no-renames --full-index HEAD
"""
_START = re.compile(rb"^diff --git ", re.MULTILINE)
_HEAD = re.compile(r"diff --git a/(.+) b/\1\n")
_MODE = re.compile(r"^(?:new file mode|new mode|deleted file mode|index \S+) (\d{6})$", re.MULTILINE)


@dataclass(frozen=True)
class Patch:
    """What an agent changed.

    Attributes:
        text: The diff that is judged; "" where nothing was changed that can be.
        left_out: Paths that do not travel, each with the reason.
        refusal: Why nothing of it can be judged; "" where it can.
    """

    text: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    refusal: str = ""


def take(sandbox: Sandbox, instance: Instance) -> Patch:
    """The changes of an agent, by the commit that its repository began with.

    Raises:
        SandboxLostError: The sandbox is gone.
    """
    script = _TAKE.format(shadow=SHADOW, git=" ".join(GIT))
    taken = sandbox.exec(["sh", "-c", script], timeout_s=TAKE_S, max_output_bytes=MAX_DIFF + 1)
    if len(taken.stdout) > MAX_DIFF or taken.dropped_bytes:
        size = len(taken.stdout) + taken.dropped_bytes
        return Patch(refusal=f"the diff has {size} bytes; at most {MAX_DIFF} are judged")
    if not taken.is_ok:
        how = (
            "took too long" if taken.timed_out else f"failed: {taken.stderr.decode('utf-8', 'replace').strip()[-200:]}"
        )
        return Patch(refusal=f"the changes cannot be read; git {how}")
    return from_diff(taken.stdout, instance)


def from_diff(diff: bytes | str, instance: Instance) -> Patch:
    """The change that a diff makes, by the same rules as for a repository."""
    content = diff.encode("utf-8", "surrogateescape") if isinstance(diff, str) else diff
    if len(content) > MAX_DIFF:
        return Patch(refusal=f"the diff has {len(content)} bytes; at most {MAX_DIFF} are judged")
    if content.strip() and not _START.search(content):
        return Patch(refusal="it is no diff of git")
    kept, left_out = [], []
    tests, mended = set(files_of_diff(instance.test_patch)), set(files_of_diff(instance.patch))
    tests |= set(instance.run.arguments) if instance.run.only_present else set()
    for section in _sections(content):
        path, text, why = _read(section)
        why = why or _why_not(path, text, tests, mended, instance.hidden)
        if why:
            left_out.append((path, why))
        else:
            kept.append(text)
    return Patch("".join(kept), tuple(left_out[:MAX_TOLD]))


def _sections(content: bytes) -> Iterator[bytes]:
    """The part of each file; a line of a file's content never begins as a part does."""
    starts = [found.start() for found in _START.finditer(content)]
    for start, end in itertools.pairwise([*starts, len(content)]):
        yield content[start:end]


def _read(section: bytes) -> tuple[str, str, str]:
    """Path and text of a part, and why it does not travel."""
    line = section.partition(b"\n")[0].decode("utf-8", "replace")
    try:
        text = section.decode("utf-8")
    except UnicodeDecodeError:
        return line.partition(" b/")[2] or line[:80], "", "not UTF-8"
    head = _HEAD.match(text)
    if head is None:
        return line.removeprefix("diff --git ")[:80], "", "a name that cannot be read, or two names"
    return head[1], text, ""


def _why_not(path: str, text: str, tests: set[str], mended: set[str], hidden: Sequence[str]) -> str:
    name = path.rpartition("/")[2]
    if path.startswith("/") or ".." in path.split("/") or path.split("/")[0] == ".git":
        return "outside of the repository"
    if path in tests or any(path == each or path.startswith(f"{each}/") for each in hidden):
        return "part of the tests that judge"
    if path not in mended and (name in RUN_BY_THEMSELVES or name.endswith((".pth", ".pyc"))):
        return "taken up by programs by itself"
    modes = set(_MODE.findall(text.partition("\n@@")[0]))
    if modes & {"120000", "160000"}:
        return "a link"
    if "\nBinary files " in text or "\nGIT binary patch" in text:
        return "binary"
    return ""
