import gc
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from agentgym.env import AgentEnv, CutMessage, EnvReply
from agentgym.errors import (
    CancelledEpisode,
    ConfigError,
    ContractError,
    InfrastructureError,
    StepTimeoutError,
    TaskError,
)
from agentgym.game import SoloGame
from agentgym.message import user
from agentgym.outcome import Outcome
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.registration import make, spec
from agentgym.remote import ClientSettings, RemoteEnv
from agentgym.remote.client.socket_client import Address
from agentgym.rollout import Job, RolloutSettings, collect_episodes
from agentgym.suite import load_suite
from agentgym.testing.check import check_env
from agentgym.testing.subject import env_subject
from agentgym.tools import tool_schema
from agentgym.wrappers.role_view import RoleView
from tests.toys import phone
from tests.toys.env import SCRIPTS, ToyEnv, toy_task
from tests.toys.game import saying

SUITES = {"agentgym/GuessNumber-v0": "dialogue/guess-number", "agentgym/Lookup-v0": "tools/lookup"}


def play(env, task, actions):
    """Everything that an episode tells."""
    observation, info = env.reset(options={"task": task})
    told = [(observation, {**info, "reward_events": tuple(info["reward_events"])})]
    for action in actions:
        *played, info = env.step(action)
        told.append((*played, {**info, "reward_events": tuple(info["reward_events"])}))
        if "outcome" in info:
            break
    return told


def test_remote_toy_tells_what_the_local_one_tells(url, connect):
    task = toy_task("t", 3)
    actions = ["up", "sideways", CutMessage("up"), "down", "up", "up", "up"]
    assert play(connect(url), task, actions) == play(ToyEnv(), task, actions)


class ChosenTools(ToyEnv):
    """Has the tool that its task names."""

    def begin(self, task):
        self.tools = [tool_schema(f"to_{task.config['goal']}", "Go there.")]
        return super().begin(task)


def test_remote_environment_has_the_tools_of_the_task_that_is_played(start, connect):
    env = connect(start(ChosenTools)[0])
    for goal in (3, 2):
        env.reset(options={"task": toy_task("t", goal)})
        assert [tool["function"]["name"] for tool in env.tools] == [f"to_{goal}"]


@pytest.mark.parametrize("role", [phone.AGENT, phone.USER])
def test_a_role_of_a_game_with_tools_is_told_over_the_wire_what_it_is_told_here(start, connect, role):
    said = {
        phone.AGENT: ("book(1)", "bok(1)", "Restart it.", "close_case()"),
        phone.USER: ("restart(); look()", "Done."),
    }
    (other,) = {phone.AGENT, phone.USER} - {role}

    def view():
        return RoleView(phone.Phone(), role, {other: saying(*said[other])})

    address, _ = start(view)
    remote, local = connect(address), view()
    task = phone.phone_task(max_invalid=2)
    assert play(remote, task, said[role]) == play(local, task, said[role])
    assert list(remote.tools) == list(local.tools)


@pytest.mark.parametrize("env_id", SUITES)
def test_check_env_passes_over_the_wire(start, connect, env_id):
    address, _ = start(env_id)
    subject = env_subject(env_id)
    report = check_env(lambda: connect(address), tasks=subject.tasks, scripts=spec(env_id).load_scripts())
    assert not [result for result in report.results if result.status == "failed"]
    assert sum(result.status == "passed" for result in report.results) >= 19


def test_check_env_passes_for_the_toy(url, connect):
    tasks = [toy_task("a", 2), toy_task("b", -3)]
    report = check_env(lambda: connect(url), tasks=tasks, scripts=SCRIPTS)
    assert not [result for result in report.results if result.status == "failed"]


@pytest.mark.parametrize("env_id", SUITES)
def test_rollout_over_the_wire_gives_the_same_trajectories(start, connect, env_id):
    address, _ = start(env_id)
    suite = load_suite(SUITES[env_id])
    jobs = [Job(task, f"j{number:03d}", number) for number, task in enumerate(suite.tasks("test")[:30])]
    policy = ScriptedPolicy("demo", spec(env_id).load_scripts()["demo"])
    settings = RolloutSettings(record_anchors=True, record_progress=True, record_legal_actions=True)
    sides = []
    for make_env in (lambda: connect(address), lambda: make(env_id, **suite.env_options)):
        records, stats = collect_episodes(jobs, lambda _, m=make_env: SoloGame(m()), {"*": policy}, settings)
        assert stats.faults == 0
        sides.append(
            [
                [(t.text, t.reply, t.anchor, t.progress, t.legal_actions, t.was_invalid) for t in record.turns]
                for record in records
            ]
        )
        sides[-1].append([(record.outcome, record.score, record.events) for record in records])
    assert sides[0] == sides[1]


def test_task_by_id_comes_with_its_public_part(start, connect):
    address, _ = start("agentgym/GuessNumber-v0")
    env = connect(address)
    known = load_suite("dialogue/guess-number").tasks("test")[0]
    _, info = env.reset(options={"task": known.id})
    assert info["task_id"] == known.id
    assert (env.task.config, dict(env.task.private)) == (known.config, {})


def test_task_of_another_version_is_refused(start, connect):
    address, _ = start("agentgym/GuessNumber-v0")
    known = load_suite("dialogue/guess-number").tasks("test")[0]
    changed = type(known).from_json({**known.to_json(), "private": {"secret": known.private["secret"] + 1}})
    with pytest.raises(TaskError, match="another problem"):
        connect(address).reset(options={"task": changed})
    connect(address, sends_private_tasks=True).reset(options={"task": changed})


def test_task_made_from_a_seed_is_made_again_by_the_server(url, connect):
    env = connect(url)
    task = env.make_task(4)
    assert not task.private
    env.reset(options={"task": task})
    assert ToyEnv().make_task(4).config == env.task.config


def test_reset_refuses_unknown_options(url, connect):
    with pytest.raises(TaskError, match="colour"):
        connect(url).reset(options={"colour": "red"})


def test_fork_goes_on_in_both(url, connect):
    env = connect(url)
    env.reset(options={"task": toy_task("t", 5)})
    env.step("up")
    twin = env.fork()
    assert (twin.turn, twin.anchor()) == (env.turn, env.anchor())
    assert twin.step("up") == env.step("up")
    twin.step("down")
    assert twin.anchor() != env.anchor()
    twin.close()


def test_environment_that_cannot_fork_says_so_and_goes_on(start, connect):
    env = connect(start(Slow)[0])
    env.reset(seed=1)
    with pytest.raises(NotImplementedError):
        env.fork()
    assert env.step("0")[0]["text"] == "waited"


def test_step_without_reset_raises(url, connect):
    with pytest.raises(ResetNeeded):
        connect(url).step("up")
    with pytest.raises(ContractError):
        connect(url).respond(None)


class Painter(ToyEnv):
    def respond(self, action):
        picture = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
        return super().respond(action)._replace(image=picture)


def test_image_arrives_as_it_was(start, connect):
    env = connect(start(Painter)[0])
    env.reset(options={"task": toy_task("t", 3)})
    observation = env.step("up")[0]
    assert observation["image"].dtype == np.uint8
    assert np.array_equal(observation["image"], np.arange(24).reshape(2, 4, 3))
    observation["image"][0] = 0


class Talkative(ToyEnv):
    def step(self, action):
        *rest, info = super().step(action)
        return *rest, info | {"weather": {"wind": np.float32(2.5)}}


def test_further_info_arrives(start, connect):
    env = connect(start(Talkative)[0])
    env.reset(seed=1)
    assert env.step("up")[-1]["weather"] == {"wind": 2.5}


class Slow(AgentEnv):
    """Waits as long as its message says, in seconds, unless it is interrupted."""

    honours_interrupt = True
    released = threading.Event()

    def make_task(self, seed):
        return toy_task(f"slow:{seed}", 1, seed=seed)

    def begin(self, task):
        return [user("go")]

    def respond(self, action):
        end = time.monotonic() + float(action.content)
        while time.monotonic() < end and not self.released.wait(0.01):
            if self.honours_interrupt:
                self.check_interrupt()
        return EnvReply([user("waited")])


class Deaf(Slow):
    honours_interrupt = False


@pytest.fixture
def released(monkeypatch):
    """Lets waiting steps go."""
    event = threading.Event()
    monkeypatch.setattr(Slow, "released", event)
    yield event
    event.set()


def interrupted_step(env):
    timer = threading.Timer(0.3, env.interrupt)
    timer.start()
    began = time.monotonic()
    with pytest.raises(CancelledEpisode):
        env.step("50")
    timer.join()
    return time.monotonic() - began


def test_interrupt_ends_a_running_step(start, connect):
    env = connect(start(Slow)[0])
    env.reset(seed=1)
    assert interrupted_step(env) < 40
    env.reset(seed=1)
    env.step("0")


def test_interrupt_gives_up_a_server_that_does_not_react(start, connect, released):
    env = connect(start(Deaf)[0], settings=ClientSettings(interrupt_grace_s=0.3))
    env.reset(seed=1)
    env.step("0")
    timer = threading.Timer(0.1, env.interrupt)
    timer.start()
    with pytest.raises((CancelledEpisode, StepTimeoutError)):
        env.step("50")
    timer.join()


def test_interrupt_that_was_obeyed_leaves_later_steps_alone(start, connect):
    env = connect(start(Slow)[0], settings=ClientSettings(interrupt_grace_s=1.0))
    env.reset(seed=1)
    interrupted_step(env)
    env.reset(seed=1)
    assert env.step("1.5")[0]["text"] == "waited"


def test_step_past_the_servers_limit_is_a_typed_failure_and_the_next_episode_runs(start, connect, released):
    address, table = start(Deaf)
    env, other = connect(address), connect(address)
    other.reset(seed=1)
    usual, table.config = table.config, replace(table.config, step_timeout_s=0.5)
    env.reset(seed=1)
    table.config = usual
    with pytest.raises(StepTimeoutError):
        env.step("50")
    assert table.health == "degraded"
    other.step("0")
    env.reset(seed=1)
    env.step("0")
    released.set()
    deadline = time.monotonic() + 60
    while table.health != "healthy" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert table.health == "healthy"


def test_silent_server_is_a_typed_failure(start, connect, released):
    env = connect(start(Slow)[0])
    env.reset(seed=1)
    usual, env.settings = env.settings, ClientSettings(reply_timeout_s=0.5)
    with pytest.raises(StepTimeoutError):
        env.step("50")
    env.settings = usual
    env.reset(seed=1)
    env.step("0")


class Dying(ToyEnv):
    def respond(self, action):
        raise OSError("disk on fire")


def test_failing_environment_is_an_infrastructure_failure(start, connect):
    env = connect(start(Dying)[0])
    env.reset(seed=1)
    with pytest.raises(InfrastructureError, match="OSError"):
        env.step("up")
    with pytest.raises(ResetNeeded):
        env.step("up")
    env.reset(seed=1)


def test_lost_connection_is_an_infrastructure_failure(start, connect):
    address, table = start()
    env = connect(address)
    env.reset(seed=1)
    table.runner._loop.call_soon_threadsafe(lambda: [s.peer._transport.abort() for s in table._sessions.values()])
    while len(table):
        time.sleep(0.01)
    with pytest.raises(InfrastructureError, match="lost"):
        env.step("up")
    env.reset(seed=1)
    assert env.step("up")[-1]["turn"] == 0


def test_reset_after_the_server_ended_an_idle_session_opens_another(start, connect):
    address, table = start()
    env = connect(address)
    env.reset(seed=1)
    usual, table.config = table.config, replace(table.config, idle_timeout_s=0.2)
    deadline = time.monotonic() + 60
    while len(table) and time.monotonic() < deadline:
        time.sleep(0.05)
    table.config = usual
    assert env.reset(seed=1)[0]["text"]
    assert env.step("up")[-1]["turn"] == 0


def test_full_server_is_an_infrastructure_failure(start, connect):
    address, _ = start(max_sessions=1)
    connect(address)
    with pytest.raises(InfrastructureError, match="all 1 sessions"):
        connect(address)


def test_no_server_is_an_infrastructure_failure(tmp_path, connect):
    with pytest.raises(InfrastructureError, match="cannot connect"):
        connect(f"unix:{tmp_path}/nobody")


def test_no_connection_outlives_its_env(start, connect):
    address, table = start()
    envs = [connect(address) for _ in range(20)]
    assert len(table) == 20
    for env in envs:
        env.close()
        env.close()
    deadline = time.monotonic() + 60
    while len(table) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(table) == 0
    gc.collect()


def test_finalize_closes_a_cut_episode(url, connect):
    env = connect(url)
    env.reset(options={"task": toy_task("t", 5)})
    env.step("up")
    reward, info = env.finalize("tokens")
    assert reward == 0.0
    assert info == {
        "reward_events": [],
        "outcome": Outcome("truncated", "tokens"),
        "success": False,
        "score": 0.0,
    }
    with pytest.raises(ResetNeeded):
        env.finalize("tokens")


@pytest.mark.parametrize("address", ["", "ftp://x", "unix:", "http://u:p@x", "http://x?a=1", "http://x:99999"])
def test_malformed_address_is_refused(address):
    with pytest.raises(ConfigError):
        Address.parse(address)


def test_addresses_are_read():
    assert Address.parse("ws://a:1/x/") == Address("a", 1, "/x")
    assert Address.parse("https://a") == Address("a", 443, "", True)
    assert Address.parse("unix:/s") == Address("", 0, "/s")
    assert str(Address.parse("http://[::1]:5")) == "http://[::1]:5"


def test_checks_of_a_served_environment_pass_with_tasks_that_the_server_makes(start):
    served, _ = start(lambda: make("agentgym/GuessNumber-v0"))
    report = check_env(lambda: RemoteEnv(served), only=["anchors", "finalize", "limits", "replay"])
    report.raise_if_failed()
    assert {each.name: each.status for each in report.results}["anchors"] == "passed"
