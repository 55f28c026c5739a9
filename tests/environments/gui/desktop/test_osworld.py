"""A task file in OSWorld's form on a living desktop: its steps, an episode, and its metrics in a fresh sandbox."""

import json

import pytest

from agentgym.errors import ConfigError, TaskError
from agentgym_gui.desktop.scripted import Stepping, press, step
from agentgym_gui.osworld.env import OSWorldEnv

HOME = "/home/user"
CONFIG = [
    {"type": "upload_file", "parameters": {"files": [{"local_path": "cache/list.txt", "path": f"{HOME}/list.txt"}]}},
    {"type": "execute", "parameters": {"command": f"mkdir -p {HOME}/made && cp {HOME}/list.txt made/", "shell": True}},
    {"type": "launch", "parameters": {"command": ["galculator"]}},
    {"type": "open", "parameters": {"path": f"{HOME}/list.txt"}},
    {"type": "activate_window", "parameters": {"window_name": "galculator"}},
    {"type": "close_window", "parameters": {"window_name": "galculator"}},
    {"type": "sleep", "parameters": {"seconds": 60}},
]
EVALUATOR = {
    "postconfig": [{"type": "execute", "parameters": {"command": ["cp", f"{HOME}/list.txt", f"{HOME}/judged.txt"]}}],
    "func": ["compare_text_file", "exact_match"],
    "conj": "and",
    "result": [
        {"type": "vm_file", "path": f"{HOME}/judged.txt", "dest": "judged.txt"},
        {"type": "vm_command_line", "command": f"ls {HOME}/made", "shell": True},
    ],
    "expected": [
        {"type": "cloud_file", "path": "https://files.example.org/gold.txt", "dest": "gold.txt"},
        {"type": "rule", "rules": {"expected": "list.txt\n"}},
    ],
}


def written(folder, **fields):
    (folder / "tasks").mkdir(exist_ok=True)
    (folder / "cache").mkdir(exist_ok=True)
    (folder / "cache" / "list.txt").write_text("bread\n")
    (folder / "cache" / "gold.txt").write_text("bread\nmilk\n")
    task = {"id": "list", "instruction": "Add milk.", "config": CONFIG, "related_apps": ["mousepad"]}
    path = folder / "tasks" / "list.json"
    path.write_text(json.dumps({**task, "evaluator": EVALUATOR, **fields}))
    return str(path.parent)


def played(env, steps):
    messages = env.reset(seed=0)[1]["messages"]
    first = messages[-1]["content"]
    player = Stepping(steps)
    while True:
        _, _, terminated, truncated, info = env.step(player.act(messages))
        messages = info["messages"]
        if terminated or truncated:
            return first, info


def test_a_file_is_set_up_played_and_judged(pool, tmp_path):
    env = OSWorldEnv(written(tmp_path), sandbox=pool)
    add = [press("ctrl+End"), step("type_text", text="milk\n"), press("ctrl+s"), step("finish")]
    first, info = played(env, [step("click", role="text"), *add])
    assert "Add milk." in first
    assert "bread" in first
    assert "galculator" not in first, "its window was closed by the task's step"
    assert info["score"] == 1.0, (info["reward_events"], info["messages"])
    assert info["reward_events"][0].detail == {"why": "compare_text_file: 1, exact_match: 1"}
    assert info["success"] is True
    assert played(env, [step("finish")])[1]["score"] == 0.0
    env.close()


def test_a_step_that_cannot_be_carried_out_is_named(pool, tmp_path):
    config = [{"type": "launch", "parameters": {"command": ["vlc"]}}]
    env = OSWorldEnv(written(tmp_path, config=config), sandbox=pool)
    with pytest.raises(TaskError, match="launch starts vlc, which is not on the desktop"):
        env.reset(seed=0)
    env.close()


def test_files_that_cannot_be_played_are_said_with_the_command_that_lists_them(tmp_path, monkeypatch):
    monkeypatch.delenv("AGENTGYM_OSWORLD", raising=False)
    with pytest.raises(ConfigError, match="AGENTGYM_OSWORLD=PATH"):
        OSWorldEnv()
    path = written(tmp_path, related_apps=["gimp"])
    with pytest.raises(TaskError, match=r"1 of the task files .* needs gimp.* agentgym gui osworld"):
        OSWorldEnv(path).make_task(0)


def test_files_that_cannot_be_played_are_refused_or_left_out(tmp_path):
    path = written(tmp_path)
    other = json.loads((tmp_path / "tasks" / "list.json").read_text())
    (tmp_path / "tasks" / "other.json").write_text(json.dumps({**other, "id": "other", "related_apps": ["gimp"]}))
    with pytest.raises(TaskError, match=r"1 of the task files .*other\.json, because .* leave_out=true"):
        OSWorldEnv(path).make_task(0)
    assert OSWorldEnv(path, leave_out=True).num_tasks == 1
