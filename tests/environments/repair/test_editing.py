from collections.abc import Iterator

import pytest

from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.source import provider_named
from agentgym.sandbox.spec import Limits, SandboxSpec
from agentgym_swe.repair.editing import Editor, RefusedEditError


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with provider_named("bubblewrap").start(SandboxSpec(limits=Limits(cpus=None, memory_mib=None))) as started:
        yield started


def after(sandbox: Sandbox, before: bytes, old: str, new: str) -> bytes:
    sandbox.write_file("f.py", before)
    Editor().replace(sandbox, "f.py", old, new)
    return sandbox.read_file("f.py")


def test_line_ends_tabs_and_the_last_newline_are_kept(sandbox: Sandbox) -> None:
    assert after(sandbox, b"a\r\n\tb\r\nc\r\n", "\tb\nc", "\tx\ny") == b"a\r\n\tx\r\ny\r\n"
    assert after(sandbox, b"a\nb", "b", "x\n") == b"a\nx"
    assert after(sandbox, b"a\nb\n", "b\n", "x") == b"a\nx\n"


@pytest.mark.parametrize(
    ("old", "why"),
    [
        ("x = 1", "3 times, at lines 1, 3, 4"),
        ("y = 2\nz = 4", "there the file reads:\n     2\ty = 2\n     3\tx = 1"),
        ("nothing", "nor is its first line 'nothing'"),
        ("", "The old text is empty"),
    ],
)
def test_text_that_is_not_there_exactly_once_is_refused_with_its_lines(sandbox: Sandbox, old: str, why: str) -> None:
    before = b"x = 1\ny = 2\nx = 1\nx = 1\n"
    with pytest.raises(RefusedEditError) as refusal:
        after(sandbox, before, old, "new")
    assert why in str(refusal.value)
    assert sandbox.read_file("f.py") == before


@pytest.mark.parametrize(("line", "made"), [(0, b"n\na\nb"), (1, b"a\nn\nb"), (2, b"a\nb\nn")])
def test_lines_are_inserted_behind_a_line(sandbox: Sandbox, line: int, made: bytes) -> None:
    sandbox.write_file("f.py", b"a\nb")
    Editor().insert(sandbox, "f.py", line, "n")
    assert sandbox.read_file("f.py") == made


def test_changes_are_taken_back_one_by_one_unless_something_else_changed_the_file(sandbox: Sandbox) -> None:
    editor = Editor()
    editor.create(sandbox, "new/g.py", "one\n")
    editor.replace(sandbox, "new/g.py", "one", "two")
    editor.undo(sandbox)
    assert sandbox.read_file("new/g.py") == b"one\n"
    sandbox.write_file("new/g.py", b"other\n")
    with pytest.raises(RefusedEditError, match="changed by something else"):
        editor.undo(sandbox)
    sandbox.write_file("new/g.py", b"one\n")
    editor.undo(sandbox)
    assert sandbox.exec(["test", "-e", "new/g.py"]).exit_code == 1
    with pytest.raises(RefusedEditError, match="nothing to undo"):
        editor.undo(sandbox)


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"a\n\xe9\n", "line 2 has the byte 0xe9"), (b"a\0", "is binary"), (b"x" * (2 << 20), "too large")],
)
def test_what_is_no_text_is_refused(sandbox: Sandbox, content: bytes, why: str) -> None:
    with pytest.raises(RefusedEditError, match=why):
        after(sandbox, content, "a", "b")
