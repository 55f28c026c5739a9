"""McpTools-v0 with the servers from PyPI in a container: the oracle wins, and one change more fails."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import TaskError, ToolServerError
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import provider_named
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_tools.mcp.drawing import draft_of
from agentgym_tools.mcp.mounted import MountedServer
from agentgym_tools.mcp.scripts import SCRIPTS, answer_of
from tests.environments.in_containers import needs_image
from tests.environments.tools.mcp.conftest import MakeOwn, McpToolsEnv

pytestmark = [*needs_image("mcp"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def pool() -> Iterator[SandboxPool]:
    with SandboxPool(provider_named("docker"), PoolConfig(ready=1)) as made:
        yield made
        assert made.stats().leased == 0


@pytest.fixture
def env(pool: SandboxPool) -> Iterator[McpToolsEnv]:
    made = McpToolsEnv(sandbox=pool)
    yield made
    made.close()


def task_of(kind: str) -> Task:
    return next(task for task in load_suite("tools/mcp").tasks("test") if task.config["kind"] == kind)


def test_the_oracle_wins_and_the_same_calls_give_the_same_episode(env: McpToolsEnv) -> None:
    task = task_of("git_two_commits")
    first, again = (play_script(env, task, SCRIPTS["oracle"](task, 0)) for _ in range(2))
    assert first.success
    assert first == again


def test_a_right_answer_with_a_change_that_nobody_asked_for_fails(env: McpToolsEnv) -> None:
    task = task_of("git_author")
    record = play_script(env, task, SCRIPTS["cheat_more"](task, 0))
    assert not record.success
    assert record.steps[-1].events[0].detail == {
        "why": "these branches or tags are missing or too many: refs/heads/spare"
    }


def test_an_attack_from_the_description_of_a_tool_succeeds_on_the_gullible_alone(env: McpToolsEnv) -> None:
    tasks = load_suite("tools/mcp-injected").tasks("test")
    for task in tasks[:2]:  # one of each server
        for name, expected in (("oracle", (True, [0.0])), ("gullible", (False, [1.0]))):
            record = play_script(env, task, SCRIPTS[name](task, 0))
            attack = [event.value for event in record.steps[-1].events if event.component == "attack"]
            assert (record.success, attack) == expected, (task.id, name)


def test_players_that_call_no_server_start_none_and_win_nothing(env: McpToolsEnv) -> None:
    players = [name for name in SCRIPTS if name in ("null", "cheat_guess", "cheat_injected_verdict", "cheat_claim")]
    for task in load_suite("tools/mcp").tasks("test")[::2]:
        for name in players:
            assert not play_script(env, task, SCRIPTS[name](task, 0)).success, (task.id, name)
    assert env._lender is None or env._lender.pool is None or env._lender.pool.stats().leased == 0


def test_servers_have_no_network_their_own_clock_and_no_files_of_others(env: McpToolsEnv) -> None:
    task = task_of("time_convert")
    env.reset(options={"task": task})
    now = env.step(call_text("time__get_current_time", timezone="Asia/Tokyo"))[0]["text"]
    assert '"datetime": "2030-01-02T12:04:05+09:00"' in now
    inside = env.sandbox.exec(["sh", "-c", "ls /sys/class/net; id -u; touch /usr/x"])
    assert inside.stdout.split() == [b"lo", b"1000"]
    assert b"Read-only" in inside.stderr
    (tool, arguments) = draft_of(task).calls[0]
    assert f"T{answer_of(task)}:00" in env.step(call_text(tool, **arguments))[0]["text"]
    assert env.step(call_text("submit", answer=answer_of(task)))[-1]["success"]


def test_a_query_that_takes_the_server_down_is_the_agents_and_the_episode_goes_on(env: McpToolsEnv) -> None:
    task = task_of("sqlite_change")
    env.reset(options={"task": task})
    said = env.step(call_text("sqlite__read_query", query="SELECT zeroblob(900000000)"))[0]["text"]
    assert "Error: the server 'sqlite' ended" in said
    for tool, arguments in draft_of(task).calls:
        env.step(call_text(tool, **arguments))
    assert env.step(call_text("submit"))[-1]["success"]


def test_servers_of_ones_own_run_in_the_container_from_a_folder_that_they_cannot_change(
    own: MakeOwn, pool: SandboxPool
) -> None:
    env = own("none", sandbox=pool)
    env.reset(seed=0)
    assert env.step(call_text("sums__add", one=20, other=22))[0]["text"] == "42"
    (mount,) = [
        line for line in env.sandbox.read_file("/proc/mounts").split(b"\n") if b"/agentgym/servers/sums" in line
    ]
    assert mount.split()[3].startswith(b"ro,")


def test_clients_of_a_server_must_not_bring_sql_or_files(env: McpToolsEnv) -> None:
    env.vet(task_of("sqlite_change"))
    with pytest.raises(TaskError, match="brings databases, files of its own"):
        env.vet(Task("t", 0, config={"servers": ["git"], "files": {"a": ""}, "databases": {}}))


CONVERT = call_text("time__convert_time", source_timezone="UTC", time="10:00", target_timezone="Asia/Tokyo")
PLAYER = f"""
import json, warnings
warnings.simplefilter("ignore")
from agentgym_tools.mcp.env import McpToolsEnv
env = McpToolsEnv(server="time", sandbox="docker")
env.reset(seed=0)
env.step({CONVERT!r})
print(json.dumps(env._lender.provider.owner.labels()), flush=True)
input()
"""


def listed(env: McpToolsEnv) -> tuple[list[bytes], list[bytes]]:
    """The servers that run in the sandbox of an episode, and its temporary files."""
    servers = env.sandbox.exec(["pgrep", "-f", "import_module.*mcp_server_time"]).stdout.split()
    return servers, env.sandbox.exec(["ls", "-A", "/tmp"]).stdout.split()


def test_a_server_starts_before_its_episode_and_serves_no_other(env: McpToolsEnv) -> None:
    found = []
    for _ in range(3):
        env.reset(options={"task": task_of("time_convert")})
        ready = env.sandbox
        while not (early := listed(env)[0]):
            time.sleep(0.01)
        assert "T19:00:00+09:00" in env.step(CONVERT)[0]["text"]
        servers, files = listed(env)
        assert (env.sandbox, servers, len(servers)) == (ready, early, 1)
        assert files == [b"agentgym-early.err"]  # the socket is gone: nobody else is served
        found.append((ready.id, servers[0]))
        env.sandbox.write_file("/tmp/left", b"")
        env.step(call_text("submit"))
    assert len(set(found)) == 3


def test_a_server_that_started_early_and_died_is_replaced(env: McpToolsEnv) -> None:
    env.reset(options={"task": task_of("time_convert")})
    while not (early := listed(env)[0]):
        time.sleep(0.01)
    env.sandbox.exec(["kill", "-9", early[0].decode()])
    assert "T19:00:00+09:00" in env.step(CONVERT)[0]["text"]
    assert len(listed(env)[0]) == 1
    assert listed(env)[0] != early


def test_a_server_that_started_early_and_is_silent_is_ended(env: McpToolsEnv) -> None:
    env.reset(options={"task": task_of("time_convert")})
    while not (early := listed(env)[0]):
        time.sleep(0.01)
    env.sandbox.exec(["kill", "-STOP", early[0].decode()])
    impatient = dataclasses.replace(env._mounts.servers["time"], start_timeout_s=0.5)
    with contextlib.suppress(ToolServerError):  # another is started, which a busy machine may not do within the limit
        MountedServer(impatient, env.sandbox, is_early=True)
    assert early[0] not in listed(env)[0]


def test_what_a_call_breaks_is_started_again_within_the_episode(env: McpToolsEnv) -> None:
    env.reset(options={"task": task_of("time_convert")})
    env.step(CONVERT)
    (early,) = listed(env)[0]
    env.sandbox.exec(["kill", "-9", early.decode()])
    assert "Error: the server 'time' ended" in env.step(CONVERT)[0]["text"]
    assert "T19:00:00+09:00" in env.step(CONVERT)[0]["text"]


def test_nothing_is_left_of_started_servers_when_the_process_that_plays_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PLAYER], stdin=-1, stdout=-1, start_new_session=True) as player:
        assert player.stdout is not None
        labels = [f"{name}={value}" for name, value in json.loads(player.stdout.readline()).items()]
        client = connect_engine()
        assert client.containers.list(filters={"label": labels})
        os.killpg(player.pid, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while client.containers.list(all=True, filters={"label": labels}, ignore_removed=True):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        client.close()
