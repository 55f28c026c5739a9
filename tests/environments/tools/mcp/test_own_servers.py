"""Servers of your own, which run beside this process: their tools, results and faults, and tasks with rules."""

import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import CancelledEpisode, ConfigError, ToolServerError
from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider
from agentgym.task import Task
from agentgym.tools.finding import FIND_TOOLS, ToolIndex
from agentgym_tools.mcp.schemas import shown_tools
from agentgym_tools.mcp.scripts import oracle
from agentgym_tools.mcp.servers import FROM_PYPI, read_mounts, recorded_tools
from tests.environments.tools.mcp.conftest import SUM, MakeOwn, McpToolsEnv

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
ADD = call_text("sums__add", one=20, other=22)


def answer(env, *actions):
    """The texts that answer some messages, in a fresh episode."""
    env.reset(seed=0)
    return [env.step(action)[0]["text"] for action in actions]


def test_tools_are_named_by_their_server_and_results_are_tool_messages(own: MakeOwn) -> None:
    env = own("none")
    assert [tool["function"]["name"] for tool in env.tools] == ["sums__add", "sums__write", "submit"]
    env.reset(seed=0)
    *_, info = env.step(ADD)
    (message,) = info["messages"]
    assert (message["role"], message["name"], message["content"]) == ("tool", "sums__add", "42")
    *_, terminated, _, info = env.step(call_text("submit", answer="42"))
    assert (terminated, info["success"]) == (True, True)


@pytest.mark.parametrize(
    ("fault", "shown"),
    [
        ("refuses", "Error: I do not add"),
        ("structured", '{"sum": 42}'),
        ("pictures", "(a picture, image/png: pictures are not shown here)"),
        ("noise", "42"),
    ],
)
def test_results_of_each_kind_are_read(own: MakeOwn, fault: str, shown: str) -> None:
    assert answer(own(fault), ADD) == [shown]


def test_pictures_are_passed_on_where_they_are_wanted(own: MakeOwn) -> None:
    env = own("pictures", pictures=True)
    env.reset(seed=0)
    *_, info = env.step(ADD)
    (part,) = info["messages"][0]["content"]
    assert part["image_url"]["url"].startswith("data:image/png;base64,")


def test_a_result_of_megabytes_is_cut_with_a_remark(own: MakeOwn) -> None:
    (text,) = answer(own("floods"), ADD)
    assert len(text) < 9_000
    assert text.endswith("(cut after 8,000 of 3,000,000 characters; ask for less)")


def test_descriptions_are_shortened_and_lose_what_does_not_print(own: MakeOwn) -> None:
    described = own("hostile").tools[0]["function"]["description"]
    assert len(described) < 1_100
    assert not {"\u202e", "\u200b", "\x1b"} & set(described)


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("dies", "broke down during add.*I fall over.*mend it"),
        ("hangs", "did not answer add within 0.5 s.*raise its call_timeout_s"),
        ("line", "broke down during add"),
        ("changes", "changed its tools: add, write, pay; name in `tools`"),
    ],
)
def test_a_broken_server_is_an_infrastructure_failure_with_a_remedy(own: MakeOwn, fault: str, named: str) -> None:
    env = own(fault, call_timeout_s=0.5 if fault == "hangs" else 60.0)
    env.reset(seed=0)
    with pytest.raises(ToolServerError, match=named):
        env.step(ADD)
    assert env.books.phase == "ended"
    assert not env._running


@pytest.mark.parametrize(
    ("fault", "limit_s", "named"),
    [
        ("absent", 60.0, "did not start.*no such licence.*check its command"),
        ("silent", 0.5, "did not start within 0.5 s"),
    ],
)
def test_a_server_that_does_not_start_says_why(own: MakeOwn, fault: str, limit_s: float, named: str) -> None:
    with pytest.raises(ToolServerError, match=named):
        own(fault, start_timeout_s=limit_s)


def test_a_call_that_breaks_a_sound_server_is_the_agents_and_the_episode_goes_on(own: MakeOwn) -> None:
    env = own("delicate", probe={"tool": "add", "arguments": {"one": 1, "other": 1}})
    bad = call_text("sums__add", one=13, other=1)
    *broken, refused, submitted = answer(env, bad, ADD, bad, bad, ADD, call_text("submit", answer="42"))
    assert [text.startswith("Error: the server 'sums' ended") for text in broken] == [True, False, True, True]
    assert (broken[1], submitted) == ("42", "Right.")
    assert refused == "Not run: 3 of your calls have broken the server 'sums'."


def test_nothing_is_left_of_a_server_when_the_episode_ends(own: MakeOwn) -> None:
    env = own("orphan", {**SUM, "rules": [{"rule": "files", "after": {}}]})
    env.reset(seed=0)
    env.step(ADD)
    pid = int(env.sandbox.read_file("child.pid"))
    os.kill(pid, 0)
    env.step(call_text("submit"))
    deadline = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


def test_standard_error_is_kept_in_the_sandbox_and_nowhere_else(own: MakeOwn) -> None:
    before = set(Path("/tmp").glob("agentgym-*.err"))
    env = own("none")
    env.reset(seed=0)
    env.step(ADD)
    assert b".err" in env.sandbox.exec(["sh", "-c", 'ls "$TMPDIR"']).stdout
    assert set(Path("/tmp").glob("agentgym-*.err")) <= before


def test_an_interrupt_ends_a_call_that_hangs(own: MakeOwn) -> None:
    env = own("hangs", call_timeout_s=60.0)
    env.reset(seed=0)
    threading.Timer(0.5, env.interrupt).start()
    with pytest.raises(CancelledEpisode):
        env.step(ADD)


def test_only_the_tools_that_a_file_names_are_shown(own: MakeOwn) -> None:
    assert [tool["function"]["name"] for tool in own("none", tools=["write"]).tools] == ["sums__write", "submit"]
    with pytest.raises(ConfigError, match=r"has no tools \['fly'\]"):
        own("none", tools=["fly"])


@pytest.mark.parametrize(
    ("after", "success"), [({"made.txt": "written\n"}, True), ({"made.txt": "other\n"}, False), ({}, False)]
)
def test_files_are_right_when_all_of_them_are(own: MakeOwn, after: dict[str, str], success: bool) -> None:
    task = {"instruction": "Write.", "files": {"kept.txt": "kept"}, "rules": [{"rule": "files", "after": after}]}
    env = own("none", task)
    env.reset(seed=0)
    env.step(call_text("sums__write"))
    assert env.step(call_text("submit"))[-1]["success"] is success


def test_tools_that_have_to_be_found_are_shown_by_a_search(own: MakeOwn) -> None:
    env = own("none", finds_tools=True)
    assert [tool["function"]["name"] for tool in env.tools] == ["find_tools", "submit"]
    unfound, found, called = answer(env, ADD, call_text("find_tools", query="adding numbers"), ADD)
    assert "Call find_tools" in unfound
    assert '"sums__add"' in found
    assert called == "42"


def test_the_oracle_looks_for_a_tool_before_its_first_call(own: MakeOwn) -> None:
    stated = {**SUM, "calls": [["sums__add", {"one": 20, "other": 22}]] * 2}
    env = own("none", stated, finds_tools=True)
    _, info = env.reset(seed=0)
    script, said, messages = oracle(env.task, 0), [], list(info["messages"])
    while "outcome" not in info:
        said.append(script.act(messages))
        *_, info = env.step(said[-1])
        messages += [{"role": "assistant", "content": said[-1]}, *info["messages"]]
        assert not info["is_invalid"]
    assert info["success"]
    assert [FIND_TOOLS in text for text in said] == [True, False, False, False]


def test_each_tool_from_pypi_is_found_by_the_words_of_its_name() -> None:
    shown = [each for name in FROM_PYPI.servers for each in shown_tools(name, recorded_tools(name), ()).values()]
    index = ToolIndex(shown)
    assert len(shown) > 15
    assert [name for name in index.tools if name not in index.ranked(name.replace("_", " "), 5)] == []


@pytest.mark.parametrize(
    ("task", "named"),
    [
        ({"instruction": "?"}, "no list of rules"),
        ({**SUM, "rules": [{"rule": "guess"}]}, "expected `rule` to be of"),
        ({**SUM, "files": {"../x": ""}}, "no path inside the work folder"),
        ({**SUM, "databases": {"a.db": "CREATE"}}, "malformed"),
        ({**SUM, "servers": ["web"]}, r"it names the servers \['web'\]"),
        ({**SUM, "colour": 1}, "expected an object"),
        ({**SUM, "instruction": 5}, "instruction must be a text: got 5"),
        ({**SUM, "servers": "sums"}, "servers must be a list of names of servers: got 'sums'"),
    ],
)
def test_a_wrong_task_is_refused_by_its_line(own: MakeOwn, task: dict[str, object], named: str) -> None:
    with pytest.raises(ConfigError, match=rf"tasks\.jsonl:2: .*{named}"):
        own("none", SUM, task)


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ([{"rule": "answer", "type": "txt", "value": "42"}], "type is one of number, time, text, list: got 'txt'"),
        ([{"rule": "answer", "type": "number", "value": "12,450"}], "a number, such as 12.5: got '12,450'"),
        ([{"rule": "answer", "type": "list", "value": "Ada"}], "a list of texts: got 'Ada'"),
        ([{"rule": "files", "after": ["a.txt"]}], "a rule of files has"),
        ([{"rule": "files", "after": {"./a.txt": "x"}}], "no plain path inside the work folder"),
        ([{"rule": "files", "after": {"a.db": "x"}}], "belongs to 'a.db'"),
        ([{"rule": "rows", "path": "a.db", "after": "SELEC"}], "the SQL of the rule for 'a.db' cannot be carried out"),
        ([{"rule": "rows", "path": "b.db", "after": ""}], r"the path 'b.db'; the task's databases are \['a.db'\]"),
        ([{"rule": "repository", "path": "garden", "after": [["stag", "a"]]}], "there is no step 'stag'"),
        ([{"rule": "files", "after": {"a": "x"}}, {"rule": "files", "after": {"b": "x"}}], "two rules 'files'"),
    ],
)
def test_rules_that_no_episode_can_meet_are_refused(own: MakeOwn, rules: list[object], named: str) -> None:
    there = {"databases": {"a.db": "CREATE TABLE t (x)"}, "repositories": {"garden": [["write", "a", "x"]]}}
    with pytest.raises(ConfigError, match=rf"tasks\.jsonl:1: .*{named}"):
        own("none", {**SUM, **there, "rules": rules})


@pytest.mark.parametrize(("calls", "named"), [([["sums__add"]], "expected"), ([["sum__add", {}]], "is of no server")])
def test_calls_that_are_none_are_refused(own: MakeOwn, calls: list[object], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        own("none", {**SUM, "calls": calls})


@pytest.mark.parametrize(
    ("server", "named"),
    [
        ({"url": "http://127.0.0.1:9/mcp"}, "only servers that a command starts run in the sandbox"),
        ({"command": "python3", "type": "sse"}, "only servers that a command starts run in the sandbox"),
        ({"command": "python3", "args": "notes.py"}, "args must be a list of texts: got 'notes.py'"),
        ({"command": "python3", "folder": "nowhere"}, "there is no folder .*nowhere; check the path"),
    ],
)
def test_a_server_that_cannot_be_mounted_is_refused(server: dict[str, object], named: str, tmp_path: Path) -> None:
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"notes": server}}))
    with pytest.raises(ConfigError, match=named):
        read_mounts(tmp_path / "servers.json")


def test_a_server_may_say_that_it_speaks_over_stdio(tmp_path: Path) -> None:
    (tmp_path / "servers.json").write_text('{"mcpServers": {"notes": {"type": "stdio", "command": "python3"}}}')
    assert read_mounts(tmp_path / "servers.json").servers["notes"].command == ("python3",)


def test_hosts_to_allow_are_a_list(tmp_path: Path) -> None:
    (tmp_path / "servers.toml").write_text('allow = "a.test"\n[servers.notes]\ncommand = "python3"\n')
    with pytest.raises(ConfigError, match=r"allow must be a list of texts: got 'a\.test'"):
        read_mounts(tmp_path / "servers.toml")


def test_a_server_from_pypi_that_is_not_there_names_its_image_and_the_interpreter() -> None:
    env = McpToolsEnv(sandbox="process", interpreter=sys.executable)
    env.reset(options={"task": env.make_task(4)})
    with pytest.raises(
        ToolServerError, match=r"No module named.*run it in the image agentgym/mcp, or name an interpreter"
    ):
        env.step(call_text("git__git_status", repo_path="."))
    env.close()


def test_only_a_known_server_on_its_own_and_in_isolation_starts_before_the_files_are_there() -> None:
    def command(env: McpToolsEnv, *names: str) -> tuple[str, ...]:
        return env.sandbox_spec(Task("t", 0, config={"servers": list(names)})).command

    isolated = McpToolsEnv(sandbox=BubblewrapProvider())
    assert "mcp_server_git" in command(isolated, "git")
    assert command(isolated, "git", "time") == command(isolated, "other") == command(isolated) == ()
    assert command(McpToolsEnv(sandbox="process"), "git") == ()
