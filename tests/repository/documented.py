"""The commands that README, documentation and READMEs tell a reader to run, wherever they stand on a page.

Which of them are run, and how, is in `test_commands` and `test_documents`.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "environments", "containers", "benchmarks", "tasks")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.md"))),
]
_PROGRAM = r"(?:agentgym|torchrun|make|python -m)"
_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_SHELL = ("", "sh", "console")


class Documented(NamedTuple):
    """A command of a page.

    Attributes:
        page: Its path from the root.
        text: As it stands, on one line and without a comment.
        place: "sh" and "console" for a block of that kind, "block" for any other, "inline" for a command in a sentence.
    """

    page: str
    text: str
    place: str


def commands_of_page(page: Path) -> list[Documented]:
    """The commands of a page, each text once, in the order of blocks, indented blocks and sentences."""
    name, text = page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8")
    found: dict[str, Documented] = {}
    for block in _BLOCK.finditer(text):
        if block["language"] in _SHELL:
            for line in _lines(block["text"]):
                found.setdefault(line, Documented(name, line, block["language"] or "block"))
    prose = _BLOCK.sub("", text)
    indented = "\n".join(line[4:] for line in prose.splitlines() if line.startswith("    "))
    for line in _lines(indented):
        found.setdefault(line, Documented(name, line, "block"))
    for inline in _INLINE.findall(prose):
        for line in _lines(inline):
            if len(line.split()) > 2:  # fewer are the name of a command, or of a benchmark
                found.setdefault(line, Documented(name, line, "inline"))
    return list(found.values())


def _lines(text: str) -> list[str]:
    joined = re.sub(r"\\\n\s*", "", text)
    whole = (line.strip() for line in joined.splitlines())
    return [_bare(line) for line in whole if re.match(rf"{_PROGRAM} [^ ]", line)]


def _bare(line: str) -> str:
    """A line without its comment, and with single spaces."""
    return " ".join(re.sub(r"\s+# .*", "", line).split())


def words(text: str) -> list[str]:
    """The words that a shell makes of a command, behind the program's name."""
    return shlex.split(text)[1:]


DOCUMENTED = [command for page in PAGES for command in commands_of_page(page)]

README_JOBS = ("Register an environment", "Train an agent", "Evaluate an agent")
"""Sections of README whose blocks `test_documents` runs as they stand."""
WHOLE_PAGES = (
    "docs/add-a-sampler.md",
    "docs/register-an-environment.md",
    "docs/write-an-environment.md",
    "docs/train-an-agent.md",
    "docs/evaluate-an-agent.md",
    "docs/evaluation.md",
    "docs/algorithms/attribution.md",
    "docs/algorithms/offline.md",
)
"""Pages whose blocks of kind sh and python it runs as they stand, but for the lengths of training runs."""
CUT_PAGES = {
    # The Python of the first stands between names of the library: tests/trainers/rl/hierarchical/test_page.py.
    "docs/algorithms/archer.md": ("sh",),
    "docs/algorithms/curricula.md": ("sh", "python"),
    "docs/algorithms/discrete-sac.md": ("sh", "python"),
    "docs/algorithms/ppo.md": ("sh", "python"),
    "docs/algorithms/replay.md": ("sh", "python"),
    "docs/algorithms/step-agent.md": ("sh", "python"),
}
"""Pages of algorithms that it runs the same way, with the kinds of their blocks."""


def is_run_with_its_page(command: Documented) -> bool:
    """Whether `test_documents` runs the command, in a block of a page that it runs as a whole."""
    return command.place == "sh" and command.page in ("README.md", *WHOLE_PAGES, *CUT_PAGES)
