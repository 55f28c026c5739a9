import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from tests.remote.openenv_counter import TOOLS, WORDS, CountEnv, FreeEnv, ToolBoxEnv, serving, waiting

from agentgym.env import CutMessage
from agentgym.errors import CancelledEpisode, ConfigError, InfrastructureError, StepTimeoutError, TaskError
from agentgym.outcome import Outcome
from agentgym.remote import ClientSettings, ForeignActions, RemoteEnv
from agentgym.remote.client.foreign import ForeignServer
from agentgym.task import Limits, Task
from agentgym.testing.check import check_env

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def counter():
    with serving(CountEnv, *WORDS) as url:
        yield url


@pytest.fixture(scope="module")
def free():
    with serving(FreeEnv, *WORDS) as url:
        yield url


@pytest.fixture(scope="module")
def toolbox():
    with serving(ToolBoxEnv, *TOOLS) as url:
        yield url


def test_episode_on_somebody_elses_server(counter, connect):
    env = connect(counter)
    assert not env.is_ours
    observation, info = env.reset(seed=9)
    assert observation == {"text": "count to 2 with seed 9"}
    assert info["metadata"] == {"goal": 2}
    _, reward, terminated, truncated, info = env.step("one")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert (info["reward"], info["reward_is_missing"], info["reward_events"]) == (None, True, [])
    observation, reward, terminated, truncated, info = env.step("two")
    assert (observation["text"], reward, terminated, truncated) == ("two", 1.0, True, False)
    assert (info["outcome"], info["success"], info["score"]) == (Outcome("terminated"), True, 1.0)
    assert [event.value for event in info["reward_events"]] == [1.0]
    assert not info["reward_is_missing"]


def test_config_of_a_task_goes_into_the_reset(counter, connect):
    env = connect(counter)
    task = Task("t", 4, config={"goal": 3}, limits=Limits(max_turns=2))
    assert env.reset(options={"task": task})[0]["text"] == "count to 3 with seed 4"
    env.step("one")
    *_, terminated, truncated, info = env.step("two")
    assert (terminated, truncated) == (False, True)
    assert info["outcome"] == Outcome("infrastructure", "missing_reward")


def test_declared_turn_limit_truncates(counter, connect):
    env = connect(counter, actions=ForeignActions(max_turns=1))
    env.reset(seed=1)
    *_, truncated, info = env.step("one")
    assert truncated
    assert info["turn"] == 0


def test_episode_without_any_reward_is_not_graded_as_zero(free, connect):
    env = connect(free)
    env.reset(seed=1)
    env.step("one")
    _, reward, terminated, _, info = env.step("two")
    assert (reward, terminated) == (0.0, True)
    assert info["outcome"] == Outcome("infrastructure", "missing_reward")
    assert (info["success"], info["score"]) == (None, None)


def test_finalize_of_a_foreign_episode(counter, connect):
    env = connect(counter)
    env.reset(seed=1)
    assert env.finalize("time")[1]["outcome"] == Outcome("infrastructure", "missing_reward")
    env.reset(seed=1)
    assert env.finalize("cancelled")[1]["outcome"] == Outcome("cancelled")


def test_cut_message_is_invalid_and_not_sent(counter, connect):
    env = connect(counter)
    env.reset(seed=1)
    *_, info = env.step(CutMessage("one"))
    assert info["is_invalid"]
    assert env.step("one")[2] is False


def test_failure_of_a_foreign_server_is_infrastructure(counter, connect):
    env = connect(counter)
    env.reset(seed=1)
    with pytest.raises(InfrastructureError, match="crashed"):
        env.step("crash")
    env.reset(seed=1)


def test_slow_foreign_server_is_given_up(counter, connect):
    env = connect(counter)
    env.reset(seed=1)
    env.settings = ClientSettings(reply_timeout_s=0.5)
    with waiting(), pytest.raises(StepTimeoutError):
        env.step("wait")


def test_interrupt_of_a_foreign_server_closes_the_connection(counter, connect):
    import threading

    env = connect(counter)
    env.reset(seed=1)
    timer = threading.Timer(0.2, env.interrupt)
    timer.start()
    with waiting(), pytest.raises(CancelledEpisode):
        env.step("wait")
    timer.join()


def test_foreign_server_has_neither_forks_nor_anchors_nor_task_ids(counter, connect):
    env = connect(counter)
    env.reset(seed=1)
    assert (env.anchor(), env.progress(), env.legal_actions()) == (None, None, None)
    with pytest.raises(NotImplementedError):
        env.fork()
    with pytest.raises(TaskError):
        env.reset(options={"task": "a:b"})


def test_tools_of_a_foreign_server_are_called(toolbox, connect):
    env = connect(toolbox)
    assert [tool["function"]["name"] for tool in env.tools] == ["shout"]
    env.reset(seed=1)
    observation, reward, *_, info = env.step('{"name": "shout", "arguments": {"text": "hi"}}')
    assert (observation["text"], reward, info["is_invalid"]) == ("HI", 0.5, False)
    assert env.step("shout(text='bad')")[0]["text"] == "no shouting"
    assert env.step("shout loudly")[-1]["is_invalid"]
    observation, reward, terminated, *_ = env.step("shout(text='a'); shout(text='end'); shout(text='b')")
    assert (observation["text"], reward, terminated) == ("A\nEND", 1.0, True)


def schema(action, required=(), observation=None):
    wrap = {name: {"type": kind} for name, kind in action.items()}
    seen = {name: {"type": kind} for name, kind in (observation or {}).items()}
    return {"action": {"properties": wrap, "required": list(required)}, "observation": {"properties": seen}}


def test_only_text_field_takes_the_message():
    server = ForeignServer(ForeignActions(), schema({"say": "string", "loud": "boolean"}))
    assert server.actions_of("hi", ()) == [{"say": "hi"}]


def test_declared_field_takes_the_message():
    server = ForeignServer(ForeignActions("b", "y"), schema({"a": "string", "b": "string"}, (), {"y": "string"}))
    assert server.actions_of("hi", ()) == [{"b": "hi"}]
    assert server.text_of({"x": "no", "y": "yes"}) == "yes"


def test_several_required_fields_are_sent_as_json():
    server = ForeignServer(ForeignActions(), schema({"say": "string", "x": "integer"}, ("say", "x")))
    assert server.actions_of('{"say": "hi", "x": 1}', ()) == [{"say": "hi", "x": 1}]


def test_declared_field_has_to_exist():
    with pytest.raises(ConfigError, match="say"):
        ForeignServer(ForeignActions("word"), schema({"say": "string"}))


def test_observation_without_a_text_is_told_as_json():
    server = ForeignServer(ForeignActions(), schema({}))
    assert server.text_of({"x": 1, "y": [2], "metadata": {}}) == '{"x": 1, "y": [2]}'


def test_checks_of_a_foreign_server_pass_or_say_what_it_cannot_do(counter):
    only = ["anchors", "finalize", "limits", "rewards"]
    tasks = [Task(f"t{seed}", seed, config={"goal": 3}, limits=Limits(max_turns=8)) for seed in (1, 2)]
    report = check_env(lambda: RemoteEnv(counter), tasks=tasks, only=only)
    report.raise_if_failed()
    skipped = {each.name: each.detail for each in report.results if each.status == "skipped"}
    assert skipped["finalize"] == "the environment declares that it does not grade a cut episode (grades_cuts)"
    assert "anchors" in skipped


def test_half_a_character_is_refused_here_and_not_sent(counter, connect):
    env = connect(counter)
    env.reset(seed=1)
    observation, *_, info = env.step("\ud800")
    assert info["is_invalid"]
    assert "not valid Unicode" in observation["text"]
    assert env.step("one")[0]["text"] == "one"
