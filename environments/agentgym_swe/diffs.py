"""Diffs in git's form, made of texts and read for the files that they change.

Applying them is left to git, in a sandbox, and to `repair.verdict.patches`.
"""

from __future__ import annotations

import difflib
import re

_FILE = re.compile(r"^diff --git a/.* b/(.*)$", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+$")


def files_of_diff(diff: str) -> list[str]:
    """The paths that a diff leads to, in order."""
    return list(dict.fromkeys(_FILE.findall(diff)))


def lines_of(text: str) -> list[str]:
    """Lines with their ends, as git counts them: form feeds and the like end none."""
    return _LINE.findall(text)


def diff_between(path: str, old: str | None, new: str | None) -> str:
    """A file's change as git would write it.

    Args:
        path: Its path.
        old: Its text before; None where it is new.
        new: Its text after; None where it is gone.
    """
    before, after = ([] if text is None else lines_of(text) for text in (old, new))
    names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    lines = [f"diff --git a/{path} b/{path}\n"]
    lines += [] if old is not None else ["new file mode 100644\n"]
    lines += [] if new is not None else ["deleted file mode 100644\n"]
    for line in difflib.unified_diff(before, after, *names):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)
