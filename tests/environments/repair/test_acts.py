"""What players do, said as calls of every tool, of `shell` alone, and in blocks."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from agentgym.action import parse_tool_calls
from agentgym.authoring.players import call_text
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_swe.acts import SUBMIT, Act, create, insert, replace, run_tests, said, search, shell, undo, use_told, view
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.ground import close_judges
from agentgym_swe.repair.scripts import SCRIPTS
from agentgym_swe.shell_blocks import parse_block
from agentgym_swe.workshop import Tools
from tests.environments.repair.conftest import RELAXED

USES: tuple[Tools, ...] = ("all", "shell", "blocks")
HARD = {
    "plain": "x = 1\n",
    "quotes": "a = 'it''s' + \"so\" + '''\n''' + \"\"\"\n\"\"\"\n",
    "backslashes": "a = '\\n\\\\' \\\n    r'\\x'\n$HOME `id` $(id) !! %s\n",
    "tabs": "if a:\n\treturn\t1\n",
    "crlf": "a\r\n\tb\r\n\r\nc\r\n",
    "no_final_newline": "a\nb",
    "unicode": "ä = 'ß'\u2028\x85\x0c\x0b\x00\ufeff\n# 😀\n",
    "end_word": "END\nEOF\n  END\nx\nEND",
    "fences": "```bash\nls\n```\n````\n",
    "tags": "</think>\n<tool_call>{}</tool_call>\n<think>a</think>",
    "empty": "",
    "blank": "\n\n",
}


def command_in(text: str, use: Tools) -> str:
    """The command that an environment reads in a message."""
    if use == "blocks":
        [call] = parse_block(text).tool_calls
    else:
        parameters = {"type": "object", "properties": {"command": {"type": "string"}}}
        tools: Any = [{"type": "function", "function": {"name": "shell", "parameters": parameters}}]
        [call] = parse_tool_calls(text, tools).tool_calls
    assert call.name == "shell"
    return str(call.arguments["command"])


def ran(act: Act, use: Tools, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the environment's bash does with the message of an act."""
    command = command_in(said(act, use), use)
    return subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{command}"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("use", ["shell", "blocks"])
@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
def test_edit_by_shell_is_exact_for_any_text(text: str, use: Tools, tmp_path: Path) -> None:
    file = tmp_path / "it's $a.py"
    around = "before\r\nä{}ä\tbehind"
    file.write_bytes(around.format("old\\'\"\n").encode())
    assert ran(replace(file.name, "old\\'\"\n", text), use, tmp_path).returncode == 0
    assert file.read_bytes() == around.format(text).encode()
    if text:
        assert ran(replace(file.name, text, "new"), use, tmp_path).returncode == 0
        assert file.read_bytes() == around.format("new").encode()
    assert ran(create("made.py", text), use, tmp_path).returncode == 0
    assert (tmp_path / "made.py").read_bytes() == text.encode()


def test_edit_by_shell_of_a_text_that_is_not_there_once_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\nx\n")
    for old in ("x", "y", ""):
        tried = ran(replace("a.py", old, "z"), "shell", tmp_path)
        assert tried.returncode == 1
        assert "the old text is not in a.py exactly once" in tried.stdout
    assert ran(replace("a.py", "x\nx", "\ud800"), "shell", tmp_path).returncode == 1  # UTF-8 cannot hold it
    assert (tmp_path / "a.py").read_text() == "x\nx\n"


def test_looks_and_insertions_by_shell_show_and_change_lines(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n")
    assert ran(view("a.py", 2, 2), "blocks", tmp_path).stdout.split() == ["2", "two"]
    assert ran(view("a.py", 2), "shell", tmp_path).stdout.split() == ["2", "two", "3", "three"]
    assert ran(search("^t[wh]"), "shell", tmp_path).stdout == "./a.py:2:two\n./a.py:3:three\n"
    assert ran(insert("a.py", 1, "# 'new'"), "shell", tmp_path).returncode == 0
    assert (tmp_path / "a.py").read_text() == "one\n# 'new'\ntwo\nthree\n"
    assert run_tests(("src", ".")).command == "PYTHONPATH=src:. python3 -m pytest -q"


def test_acts_are_calls_of_their_tools_where_there_are_all() -> None:
    assert said(view("a.py", 3), "all") == call_text("view", path="a.py", start=3)
    assert said(replace("a.py", "x", "y"), "all") == call_text("edit", command="replace", path="a.py", old="x", new="y")
    assert said(undo(), "all") == call_text("edit", command="undo")
    assert [said(SUBMIT, use) for use in USES] == [*[call_text("submit")] * 2, "```bash\nsubmit\n```"]
    assert said(shell("ls"), "blocks") == "```bash\nls\n```"


@pytest.mark.parametrize("use", USES)
def test_every_player_plays_in_every_use(task: Task, use: Tools) -> None:
    env = RepairEnv(use=use, sandbox="bubblewrap", relaxed=RELAXED)
    try:
        assert play_script(env, task, SCRIPTS["oracle"](task, 0)).success
        for name in ("demo", "random", "null", "cheat_edited_tests"):
            record = play_script(env, task, SCRIPTS[name](task, 1))
            assert record.steps[-1].terminated, name
            assert not any(step.is_invalid for step in record.steps), name
    finally:
        env.close()
        close_judges()


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("visible", ["others", "none"])
def test_first_message_tells_what_is_read(task: Task, use: Tools, visible: Any) -> None:
    env = RepairEnv(visible, use, sandbox="bubblewrap", relaxed=RELAXED)
    info = env.reset(options={"task": task})[1]
    assert use_told(info["messages"]) == use
    env.close()
