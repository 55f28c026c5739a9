"""OpenEnv's own validator and clients against servers of ours."""

import asyncio
import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from openenv import GenericEnvClient
    from openenv.cli._validation import validate_running_environment
    from openenv.core.mcp_client import MCPToolClient

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
TOKEN = "a token of the tests"


@pytest.mark.parametrize("env_id", ["agentgym/GuessNumber-v0", "agentgym/Lookup-v0"])
def test_validator_passes(start, env_id):
    url, _ = start(env_id, port=0)
    report = validate_running_environment(url)
    assert report["passed"], report["summary"]
    assert report["summary"]["passed_count"] == 6
    assert report["mode"] == "simulation"


def test_generic_client_plays_an_episode(start):
    url, _ = start("agentgym/GuessNumber-v0", port=0)
    with GenericEnvClient(base_url=url).sync() as client:
        begun = client.reset(seed=3, episode_id="e1")
        assert begun.observation["text"] == "Guess the number between 76 and 83. You have 4 tries."
        assert (begun.reward, begun.done) == (None, False)
        played = client.step({"message": "nothing"})
        assert played.observation["agentgym"]["is_invalid"]
        low, high, told = 76, 83, played
        while not told.done:
            guess = (low + high) // 2
            told = client.step({"message": str(guess)})
            low = guess + 1 if told.observation["text"] == "higher" else low
            high = guess - 1 if told.observation["text"] == "lower" else high
        assert told.reward == 1.0
        assert told.observation["agentgym"]["outcome"] == {"kind": "terminated", "cause": ""}
        assert client.state()["episode_id"] == "e1"
        with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            client.step({"word": "1"})
        with pytest.raises(RuntimeError, match="seads"):
            client.reset(seads=1)


def test_generic_client_brings_the_token(start):
    url, _ = start("agentgym/GuessNumber-v0", port=0, token=TOKEN)
    with GenericEnvClient(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}).sync() as client:
        assert client.reset(seed=1).observation["text"]
    with pytest.raises(ConnectionError, match="401"), GenericEnvClient(base_url=url).sync():
        pass


def test_full_server_is_told_to_the_client(start):
    url, _ = start("agentgym/GuessNumber-v0", port=0, max_sessions=1)
    with GenericEnvClient(base_url=url).sync() as first:
        first.reset()
        with pytest.raises(RuntimeError, match="CAPACITY_REACHED"), GenericEnvClient(base_url=url).sync() as second:
            second.reset()


def test_tool_client_shares_one_session_between_http_and_websocket(start):
    url, table = start("agentgym/Lookup-v0", port=0)

    async def talk():
        async with MCPToolClient(base_url=url) as client:
            assert [tool.name for tool in await client.list_tools()] == ["search", "lookup", "answer"]
            begun = await client.reset(seed=1)
            assert begun.observation.text.startswith("What is")
            told = await client.call_tool("search", query="Mount Corvo")
            assert "Mount Corvo" in str(told)
            assert (await client.state()).step_count == 1
            assert len(table) == 1

    asyncio.run(talk())
    assert len(table) == 0


def test_tools_through_steps(start):
    url, _ = start("agentgym/Lookup-v0", port=0)
    with GenericEnvClient(base_url=url).sync() as client:
        listed = client.step({"type": "list_tools"})
        assert [tool["name"] for tool in listed.observation["tools"]] == ["search", "lookup", "answer"]
        client.reset(seed=1)
        told = client.step({"type": "call_tool", "tool_name": "search", "arguments": {"query": "Corvo"}})
        assert "Mount Corvo" in told.observation["result"]
        wrong = client.step({"type": "call_tool", "tool_name": "search", "arguments": {"qurey": "Corvo"}})
        assert wrong.observation["error"]["error_type"] == "invalid_args"
        missing = client.step({"type": "call_tool", "tool_name": "fly", "arguments": {}})
        assert missing.observation["error"]["error_type"] == "tool_not_found"
