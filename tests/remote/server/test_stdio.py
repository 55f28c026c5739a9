"""MCP over standard input and output: MCP's own client, and lines that are no requests."""

import json
import os
import subprocess
import sys

import pytest

from agentgym.action import parse_tool_calls
from agentgym.cli.main import main
from agentgym.registration import make, spec, specs
from agentgym.remote.client.mcp_tools import McpServer, McpTools

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
BY_PIPE = ("Lookup", "Sql", "Search", "Apps", "Maths", "TelecomDesk", "ShopDesk")
BY_HTTP = ("Workbench", "AirlineDesk", "BankDesk", "ClinicDesk", "InsuranceDesk", "ShopDesk")
OPTIONS = {"Maths": {"sandbox": "process"}}
PROGRAM = (sys.executable, "-m", "agentgym.cli.main", "serve")


def program(env_id, *options):
    return (*PROGRAM, env_id, "--stdio", *options)


def results_in(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def play(tools, env_id, seed, **options):
    """Play the calls of the oracle through an MCP client; the same episode here says what the oracle reads."""
    env = make(env_id, **options).unwrapped
    _, info = env.reset(seed=seed)
    script = spec(env_id).load_scripts()["oracle"](env.task, seed)
    messages = list(info["messages"])
    while "outcome" not in info:
        text = script.act(messages)
        for call in parse_tool_calls(text, env.tools).tool_calls:
            assert not tools.call(call.name, call.arguments).startswith("Error")
        *_, info = env.step(text)
        messages += [{"role": "assistant", "content": text}, *info["messages"]]


@pytest.mark.parametrize("name", BY_PIPE)
def test_oracles_win_over_standard_input_and_output(name, tmp_path):
    path, env_id = tmp_path / "results.jsonl", f"agentgym/{name}-v0"
    options = OPTIONS.get(name, {})
    given = [part for key, value in options.items() for part in ("--env-option", f"{key}={value}")]
    command = program(env_id, "--seed", "{seed}", "--results", str(path), *given)
    with McpTools(McpServer(command=command, env=dict(os.environ)), seed=3) as tools:
        play(tools, env_id, 3, **options)
    (result,) = results_in(path)
    assert result["success"] is True
    assert result["outcome"] == {"kind": "terminated", "cause": ""}
    assert (result["score"], result["seed"]) == (1.0, 3)
    assert result["return"] > 0.9


@pytest.mark.parametrize("name", BY_HTTP)
def test_oracles_win_over_http(start, tmp_path, name):
    path = tmp_path / "results.jsonl"
    url, _ = start(f"agentgym/{name}-v0", port=0, results=str(path))
    with McpTools(McpServer(url=f"{url}/mcp?seed={{seed}}"), seed=3) as tools:
        play(tools, f"agentgym/{name}-v0", 3)
    assert [result["success"] for result in results_in(path)] == [True]


def test_every_domain_of_tools_is_played_and_a_shop_both_ways():
    # A benchmark that the same process imported may have registered its own.
    own = [each for each in specs("tools") if each.id.startswith("agentgym/") and not each.needs]
    local = {each.id.removeprefix("agentgym/").removesuffix("-v0") for each in own}
    assert {*BY_PIPE, *BY_HTTP} == local - {"Python", "McpTools", "SearchSelfPlay"}
    assert {*BY_PIPE} & {*BY_HTTP} == {"ShopDesk"}


@pytest.fixture
def talk(tmp_path):
    """Writes lines to a server and reads what it answers until it ends."""

    def run(text, results="results.jsonl"):
        path = tmp_path / results
        command = program("agentgym/Lookup-v0", "--seed", "3", "--results", str(path))
        done = subprocess.run(command, input=text, capture_output=True, timeout=60, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], path, done.stderr.decode()

    return run


def request(method, number=1, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def test_lines_that_are_no_requests_are_refused_and_the_next_one_is_answered(talk):
    long = b'{"x": "' + b"y" * (5 * 2**20) + b'"}\n'
    code, answers, _, _ = talk(b"nonsense\n\n[]\n" + long + request("ping", 7))
    assert code == 0
    assert [answer.get("error", {}).get("code") for answer in answers] == [-32700, -32600, -32600, None]
    assert answers[-1] == {"jsonrpc": "2.0", "id": 7, "result": {}}


def test_an_episode_whose_client_leaves_is_recorded_as_cancelled(tmp_path):
    path = tmp_path / "results.jsonl"
    command = program("agentgym/Lookup-v0", "--seed", "3", "--results", str(path))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        server.stdin.write(request("initialize") + request("tools/call", 2, name="search", arguments={"query": "x"}))
        server.stdin.flush()
        for _ in range(2):
            assert "result" in json.loads(server.stdout.readline())
        # It leaves before the answer to this one.
        server.stdin.write(request("tools/call", 3, name="search", arguments={"query": "y"}))
        server.stdin.close()
        assert server.wait(60) == 0
    (result,) = results_in(path)
    assert result["outcome"]["kind"] == "cancelled"
    assert (result["success"], result["score"]) == (None, None)


def test_a_client_that_says_nothing_leaves_no_result(talk):
    code, answers, path, _ = talk(b"")
    assert (code, answers, results_in(path)) == (0, [], [])


def test_seed_and_task_belong_to_stdio(capfd):
    assert main(["serve", "agentgym/Lookup-v0", "--seed", "3"]) == 2
    assert "--stdio" in capfd.readouterr().err


def test_results_that_cannot_be_written_are_refused(talk):
    code, _, _, errors = talk(b"", results="missing/x.jsonl")
    assert code == 2
    assert "choose another path" in errors
