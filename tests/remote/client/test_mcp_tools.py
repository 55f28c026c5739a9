import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from agentgym.remote.client.mcp_tools import MAX_RESULT_CHARS, McpServer, McpToolEnv, McpTools

from agentgym.env import EnvReply
from agentgym.errors import CancelledEpisode, ConfigError, InfrastructureError, StepTimeoutError
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym.tools import tool_schema
from tests.sandbox.holdings import Holdings

SHOP = McpServer(command=(sys.executable, str(Path(__file__).with_name("mcp_shop.py")), "{seed}"))
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Shopping(McpToolEnv):
    own_tools = (tool_schema("answer", "End with a price.", price="The price."),)

    def make_task(self, seed):
        return Task(f"shop:{seed}", seed, "What does an apple cost?", limits=Limits(step_timeout_s=60))

    def begin(self, task):
        return [user(task.instruction)]

    def call_own(self, call):
        said = self._by_name["price"].call("price", {"fruit": "apple"})
        is_right = call.arguments["price"] == said
        return EnvReply([user("thanks")], [self.event("success", float(is_right))], True, is_right)


@pytest.fixture(scope="module")
def shop():
    with McpTools(SHOP, 1) as tools:
        yield tools


@pytest.fixture
def env():
    env = Shopping([SHOP])
    yield env
    env.close()


def test_tools_are_listed_as_openai_functions(shop):
    assert [tool["function"]["name"] for tool in shop.tools] == ["price", "buy", "wait", "shout", "die"]
    assert shop.tools[0]["function"]["parameters"]["required"] == ["fruit"]


def test_failed_call_is_a_text_for_the_agent(shop):
    assert "we have no plum" in shop.call("price", {"fruit": "plum"})
    assert shop.call("price", {"fruit": "plum"}).startswith("Error")
    assert shop.call("fly", {}).startswith("Error")


def test_long_result_is_cut(shop):
    text = shop.call("shout", {"count": MAX_RESULT_CHARS + 5})
    assert text.endswith(f"[cut: {MAX_RESULT_CHARS + 5} characters]")
    assert len(text) < MAX_RESULT_CHARS + 50


def test_call_past_its_limit_fails_and_the_next_one_works(shop):
    with pytest.raises(StepTimeoutError, match="wait"):
        shop.call("wait", {"seconds": 2.0}, timeout_s=0.2)
    assert shop.call("price", {"fruit": "apple"}).isdecimal()


def test_server_that_ends_is_an_infrastructure_failure():
    with McpTools(SHOP) as tools:
        with pytest.raises(InfrastructureError):
            tools.call("die", {}, timeout_s=60)
        with pytest.raises(InfrastructureError):
            tools.call("price", {"fruit": "apple"}, timeout_s=60)


@pytest.mark.parametrize("command", [("/nowhere/program",), (sys.executable, "-c", "raise SystemExit(1)")])
def test_server_that_does_not_start_is_an_infrastructure_failure(command):
    with pytest.raises(InfrastructureError):
        McpTools(McpServer(command=command, start_timeout_s=60))


def test_server_has_one_way_to_be_reached():
    with pytest.raises(ConfigError):
        McpServer()
    with pytest.raises(ConfigError):
        McpServer(command=("a",), url="http://b")
    with pytest.raises(ConfigError):
        McpServer(command=("a",), call_timeout_s=0)


def episode(env, seed):
    env.reset(seed=seed)
    seen = env.step('price(fruit="apple"); buy(fruit="pear")')[0]["text"]
    price = seen.partition("\n")[0]
    *_, terminated, _, info = env.step(f'answer(price="{price}")')
    assert terminated
    return seen, info["success"]


def test_episode_over_mounted_tools_follows_its_seed(env):
    assert [tool["function"]["name"] for tool in env.tools][:2] == ["answer", "price"]
    first, again, other = episode(env, 1), episode(env, 1), episode(env, 2)
    assert first == again
    assert first[1]
    assert first[0] != other[0]
    assert "sold 1 so far" in other[0]


def test_wrong_arguments_are_an_invalid_action(env):
    env.reset(seed=1)
    *_, info = env.step("price(colour='red')")
    assert info["is_invalid"]


def test_interrupt_ends_a_call(env):
    env.reset(seed=1)
    timer = threading.Timer(0.3, env.interrupt)
    timer.start()
    began = time.monotonic()
    with pytest.raises(CancelledEpisode):
        env.step("wait(seconds=50)")
    assert time.monotonic() - began < 40
    timer.join()


def test_names_may_not_clash():
    with pytest.raises(ConfigError, match="price"):
        Shopping([SHOP, SHOP])


def test_no_thread_outlives_the_env():
    before = Holdings()
    Shopping([SHOP]).close()
    before.require_nothing_new()


def test_tools_over_http_are_those_of_a_served_environment(start):
    url, table = start("agentgym/Lookup-v0", port=0)
    with McpTools(McpServer(url=f"{url}/mcp?seed={{seed}}"), 1) as tools:
        assert [tool["function"]["name"] for tool in tools.tools] == ["search", "lookup", "answer"]
        assert "Mount Corvo" in tools.call("search", {"query": "Corvo"})
    deadline = time.monotonic() + 60
    while len(table) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(table) == 0


def test_server_over_http_that_is_not_there_is_an_infrastructure_failure():
    with pytest.raises(InfrastructureError):
        McpTools(McpServer(url="http://127.0.0.1:9/mcp", start_timeout_s=5))
