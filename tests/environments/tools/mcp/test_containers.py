"""McpTools-v0 with the servers from PyPI in a container: the oracle wins, and one change more fails."""

from collections.abc import Iterator

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import TaskError
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.sandbox.source import provider_named
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_tools.mcp.drawing import draft_of
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
