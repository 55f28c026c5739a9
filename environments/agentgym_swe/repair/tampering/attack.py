"""One attempt on a verdict: what it writes and runs in the agent's folder."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agentgym_swe.repair.task_view import RepairTask


@dataclass(frozen=True)
class Attack:
    """What an attempt leaves in the agent's folder.

    Attributes:
        files: Texts by path; they replace what is there.
        inserted: By path the number of a line, and the text that is put behind it; -1 is the end.
        commands: What is run after that, in bash.
        is_slow: Whether it takes what time it can get.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    inserted: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    is_slow: bool = False

    def script(self) -> str:
        """All of it as one command of bash."""
        parts = []
        for path, text in self.files.items():
            folder = path.rpartition("/")[0]
            parts += [f"mkdir -p {shlex.quote(folder)}"] if folder else []
            parts.append(f"printf %s {shlex.quote(text)} > {shlex.quote(path)}")
        for path, (line, text) in self.inserted.items():
            quoted = shlex.quote(path)
            parts.append(f"printf '%s\\n' {shlex.quote(text)} > .put")
            if line > 0:
                parts.append(f"sed -i '{line}r .put' {quoted}")
            else:
                order = f".put {quoted}" if line == 0 else f"{quoted} .put"
                parts.append(f"cat {order} > .whole && cat .whole > {quoted}")
        return "\n".join([*parts, "rm -f .put .whole", *self.commands])


MakeAttack = Callable[[RepairTask], Attack]


def broken_file(task: RepairTask) -> str:
    """The file that holds the fault."""
    return task.files[0]


def with_code(task: RepairTask, code: str, *, at_end: bool = False) -> Attack:
    """The broken file with code in front of it, behind what must come first, or at its end."""
    path = broken_file(task)
    if at_end:
        return Attack(inserted={path: (-1, f"\n\n{code}")})
    lines = task.case.given[path].splitlines()
    after = max((number for number, line in enumerate(lines, start=1) if line.startswith("from __future__")), default=0)
    return Attack(inserted={path: (after, code)})


def with_body(task: RepairTask, body: str, before: str = "") -> Attack:
    """The broken function, where it can be called by name, replaced by one with another body."""
    *owner, name = task.function.split(".")[-2:]
    inside_class = bool(owner) and owner[0][:1].isupper()
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    code = f"{before}\ndef _other(*args, **kwargs):\n{lines}\n\n_right = "
    if inside_class:
        code += f"{owner[0]}.{name}\n{owner[0]}.{name} = _other"
    else:
        code += f"{name}\n{name} = _other"
    return with_code(task, code, at_end=True)


def test_files(task: RepairTask) -> list[str]:
    """Files with tests that fail."""
    return sorted({test.partition("::")[0] for test in task.case.failing})


test_files.__test__ = False  # type: ignore[attr-defined]
