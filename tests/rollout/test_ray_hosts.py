"""Environments on a local cluster of three Ray nodes: same trajectories, a lost node, a slow node."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

import agentgym
from agentgym.cli.main import main
from agentgym.errors import ConfigError, SandboxStartError, StepTimeoutError
from agentgym.game import GameEnv, GameReply, SoloGame
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker, ray_hosts
from agentgym.rollout.ray_hosts import HostSettings, RayHosts
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.leasing.owner import OWNER_LABEL, owners_folder, state_folder, this_owner
from agentgym.stopping import sigterm_kept
from agentgym.suite import load_suite
from agentgym.task import Task
from tests.repository.documented import DOCUMENTED, words
from tests.sandbox.engine import has_engine
from tests.toys.game import Nim, nim_task

pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"
)

HOSTS = HostSettings(kind="ray", num_hosts=3, games_per_host=16, cpus=1)
ONE_HOST, TWO_HOSTS = (dataclasses.replace(HOSTS, num_hosts=count) for count in (1, 2))  # each takes seconds to start
HEAD = {"num_cpus": 1, "include_dashboard": False, "include_log_monitor": False, "no_monitor": True}  # what tests use
SUITE = load_suite("dialogue/guess-number")


class SlowSteps(SoloGame):
    """Takes its time with each step, more on nodes that a file names."""

    def __init__(self, env: agentgym.AgentEnv, wait_s: float, slow_file: str) -> None:
        super().__init__(env)
        node = ray.get_runtime_context().get_node_id()
        is_slow = os.path.exists(slow_file) and node in Path(slow_file).read_text()
        self.wait_s = wait_s * (20 if is_slow else 1)

    def step(self, text: str) -> GameReply:
        time.sleep(self.wait_s)
        return super().step(text)


def slow_maker(wait_s: float, slow_file: Path):
    name = str(slow_file)
    return lambda _: SlowSteps(agentgym.make(SUITE.env, **SUITE.env_options), wait_s, name)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with sigterm_kept():
        started = Cluster(initialize_head=True, head_node_args=HEAD)
        for _ in range(2):
            started.add_node(num_cpus=1)
        started.wait_for_nodes()
        ray.init(address=started.address, log_to_driver=False)
        yield started
        ray.shutdown()
        started.shutdown()


def play(make_game, count: int, on_finish=None, **settings):
    tasks = [SUITE.tasks("train")[index % 40] for index in range(count)]
    jobs = [Job(task, f"e{index:03d}", index) for index, task in enumerate(tasks)]
    policy = ScriptedPolicy("random", agentgym.spec(SUITE.env).load_scripts()["random"])
    return collect_episodes(
        jobs, make_game, {"*": policy}, RolloutSettings(max_concurrent=24, **settings), on_finish=on_finish
    )


def told(records):
    return [
        (record.task_id, record.total_reward, str(record.outcome), [turn.text for turn in record.turns])
        for record in records
    ]


def nodes_of(hosts: RayHosts, at_least: int) -> list[str]:
    """The nodes that hosts have started on, once they are so many."""
    for _ in range(600):
        nodes = [node for node in hosts.nodes() if node]
        if len(nodes) >= at_least:
            return nodes
        time.sleep(0.1)
    raise AssertionError(f"hosts are on {nodes} alone")


@pytest.fixture
def hosts(cluster, request) -> Iterator[RayHosts]:
    opened = RayHosts(*request.param)
    yield opened
    opened.close()


@pytest.mark.parametrize("hosts", [(game_maker(SUITE), HOSTS)], indirect=True)
def test_trajectories_on_a_cluster_are_those_of_one_machine(hosts):
    standing = {"record_anchors": True, "record_progress": True, "record_legal_actions": True}
    here, _ = play(game_maker(SUITE), 60, **standing)
    there, stats = play(hosts.make_game, 60, **standing)
    assert told(there) == told(here)
    standings = [[[(turn.anchor, turn.progress) for turn in record.turns] for record in side] for side in (here, there)]
    assert standings[0] == standings[1]
    assert all(None not in standing for record in standings[0] for standing in record)
    lists = [[[turn.legal_actions for turn in record.turns] for record in side] for side in (here, there)]
    assert lists[0] == lists[1]
    assert stats.retries == 0
    assert len(hosts.nodes()) == 3


def test_a_killed_node_and_a_slow_node_lose_no_episode(cluster, tmp_path):
    slow_file = tmp_path / "slow"
    hosts = RayHosts(slow_maker(0.02, slow_file), HOSTS)
    try:
        nodes = nodes_of(hosts, at_least=2)
        slow_file.write_text(" ".join(nodes[:2]))  # so that both still play when others have finished twenty
        victim = next(node for node in cluster.worker_nodes if node.node_id in nodes[:2])
        finished = itertools.count(1)

        def kill(records) -> None:
            if next(finished) == 20:
                cluster.remove_node(victim, allow_graceful=False)

        records, stats = play(hosts.make_game, 80, kill, retries=4, max_fault_share=0.5)
    finally:
        hosts.close()
        cluster.add_node(num_cpus=1)
    here, _ = play(game_maker(SUITE), 80)
    assert told(records) == told(here)
    assert Counter(record.id for record in records).most_common(1)[0][1] == 1
    assert hosts.num_lost >= 1
    assert stats.faults == 0


@pytest.mark.parametrize("hosts", [(lambda task: HungGame(task), ONE_HOST)], indirect=True)
def test_a_host_that_does_not_answer_is_a_timeout(hosts):
    task = Task("hung", 0, limits=agentgym.Limits(step_timeout_s=0.2))
    game = hosts.make_game(task)
    game._timeout_s = 0.5
    with pytest.raises(StepTimeoutError, match="within"):
        game.step("go")
    game.close()


def _nim_after(wait_s: float):
    time.sleep(wait_s)
    return lambda _: Nim()


class SlowToArrive:
    """A maker of games that takes its time to get to a host, as one does whose package is large."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s

    def __reduce__(self):
        return _nim_after, (self.wait_s,)


def test_time_that_a_host_takes_to_start_is_not_the_environments(cluster, monkeypatch):
    monkeypatch.setattr(ray_hosts, "_OPEN_TIMEOUT_S", 5.0)
    task = dataclasses.replace(nim_task(4), limits=agentgym.Limits(step_timeout_s=0.1))
    hosts = RayHosts(SlowToArrive(7.0), ONE_HOST)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(ray_hosts, "_START_TIMEOUT_S", 0.5)
            with pytest.raises(StepTimeoutError, match=r"did not start within 0\.5 s; 'ray status' shows"):
                hosts.make_game(task)
        hosts.make_game(task).close()
    finally:
        hosts.close()


class ScarceGame(SoloGame):
    """Has room for two in each process."""

    capacity = 2
    num_running = 0

    def reset(self, task, seed=None):
        if ScarceGame.num_running == 2:
            raise SandboxStartError("no room for a third")
        ScarceGame.num_running += 1
        return super().reset(task, seed)

    def step(self, text):
        time.sleep(0.01)
        reply = super().step(text)
        ScarceGame.num_running -= reply.outcome is not None
        return reply


@pytest.mark.parametrize("hosts", [(lambda _: ScarceGame(agentgym.make(SUITE.env)), TWO_HOSTS)], indirect=True)
def test_no_more_episodes_are_started_than_the_hosts_have_room_for(hosts):
    game = hosts.make_game(SUITE.tasks("train")[0])
    assert game.capacity == TWO_HOSTS.num_hosts * TWO_HOSTS.games_per_host
    game.close()
    records, stats = play(hosts.make_game, 60)
    assert (len(records), stats.retries, stats.errors) == (60, 0, {})


def python_maker(folder: Path, slow_file: Path):
    """Makes Python-v0 in containers, and notes for each owner of containers on which node it is."""
    place, slow = str(folder), str(slow_file)

    def make(_: Task) -> SoloGame:
        owner, node = this_owner().id, ray.get_runtime_context().get_node_id()
        note = Path(place, owner)
        if not note.exists():
            note.write_text(node)
        return SlowSteps(agentgym.make("agentgym/Python-v0", runtime="docker"), 0.5, slow)

    return make


def belongings(owners) -> list[str]:
    """Containers, mounts and folders of owners."""
    client = connect_engine()
    try:
        found = [
            container["Id"]
            for owner in owners
            for container in client.api.containers(all=True, filters={"label": f"{OWNER_LABEL}={owner}"})
        ]
    finally:
        client.close()
    folders = [owners_folder(state_folder()) / owner for owner in owners]
    return [*found, *(str(folder) for folder in folders if folder.exists())]


def wait_until_swept(owners, within_s: float = 30.0) -> None:
    deadline = time.monotonic() + within_s
    while left := belongings(owners):
        assert time.monotonic() < deadline, left
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.skipif(not has_engine(), reason="no container engine answers")
@pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root")
def test_sandboxes_of_a_killed_node_are_swept_and_its_episodes_played_again(cluster, tmp_path):
    suite = load_suite("tools/python")
    tasks = suite.tasks("train")[:32]
    jobs = [Job(task, f"e{index:03d}", index) for index, task in enumerate(tasks)]
    policy = {"*": ScriptedPolicy("demo", agentgym.spec(suite.env).load_scripts()["demo"])}
    owned, slow_file = tmp_path / "owned", tmp_path / "slow"
    owned.mkdir()
    victim = next(iter(cluster.worker_nodes))
    slow_file.write_text(victim.node_id)  # when others have finished ten, its first ones are still played
    hosts = RayHosts(python_maker(owned, slow_file), dataclasses.replace(HOSTS, games_per_host=4))
    finished, left_behind = itertools.count(1), []

    def kill(records) -> None:
        if next(finished) == 10:
            node_of = {path.name: path.read_text() for path in owned.iterdir()}
            lost = [owner for owner, node in node_of.items() if node == victim.node_id]
            left_behind.extend((lost, belongings(lost)))
            cluster.remove_node(victim, allow_graceful=False)

    settings = RolloutSettings(max_concurrent=12, retries=4, max_fault_share=0.5)
    try:
        records, stats = collect_episodes(jobs, hosts.make_game, policy, settings, on_finish=kill)
        lost, held = left_behind
        assert len(lost) == 1
        assert len(held) > 1
        wait_until_swept(lost)
        owners = {path.name for path in owned.iterdir()}
        assert belongings(owners - set(lost))
    finally:
        hosts.close()
        cluster.add_node(num_cpus=1)
    wait_until_swept(owners)
    here, _ = collect_episodes(jobs, game_maker(suite, "docker"), policy, RolloutSettings(max_concurrent=12))
    assert told(records) == told(here)
    assert stats.faults == 0
    assert stats.retries >= 1
    assert hosts.num_lost >= 1


class HungGame(GameEnv):
    """Never answers."""

    roles = ("agent",)

    def __init__(self, _: Task) -> None:
        super().__init__()

    def make_task(self, seed):
        raise NotImplementedError

    def begin(self, task):
        return {}

    def respond(self, role, action):
        raise NotImplementedError

    def step(self, text):
        time.sleep(60)


class Growing(Nim):
    """Has the roles that its task has, which are fewer than it can have."""

    roles = (*Nim.roles, "third")

    def begin(self, task):
        self.roles = Nim.roles
        return super().begin(task)


@pytest.mark.parametrize("hosts", [(lambda _: Growing(), ONE_HOST)], indirect=True)
def test_a_game_on_a_host_has_the_roles_of_its_task(hosts):
    game = hosts.make_game(nim_task(4))
    assert game.reset(nim_task(4)).keys() == set(Nim.roles)
    assert tuple(game.roles) == Nim.roles
    game.close()


def test_settings_put_the_environments_of_a_rollout_on_the_cluster(cluster):
    here, _ = play(game_maker(SUITE), 20)
    there, _ = play(game_maker(SUITE), 20, hosts=ONE_HOST)
    assert told(there) == told(here)


def test_the_documented_command_plays_on_the_cluster(cluster, capsys):
    [text] = [command.text for command in DOCUMENTED if "--hosts ray" in command.text]
    assert main([*words(text.replace("--num-hosts 8", "--num-hosts 1")), "--limit", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["success"]["mean"] == 1.0


TERMINATED = """
import os, signal, sys
from agentgym.rollout.ray_hosts import HostSettings, RayHosts

asked = []
signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
hosts = RayHosts(lambda task: None, HostSettings(kind="ray", address=sys.argv[1], num_hosts=1))
os.kill(os.getpid(), signal.SIGTERM)
hosts.close()
os.kill(os.getpid(), signal.SIGTERM)
print("asked", len(asked))
"""


def test_sigterm_stays_with_whoever_handled_it_before_a_cluster_was_joined(cluster):
    ended = subprocess.run(
        [sys.executable, "-c", TERMINATED, cluster.address], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.stdout == "asked 2\n", ended.stderr


@pytest.mark.parametrize(("field", "value"), [("kind", "slurm"), ("num_hosts", 0), ("games_per_host", 0)])
def test_settings_refuse_what_makes_no_sense(field, value):
    with pytest.raises(ConfigError, match=field):
        HostSettings(**{field: value})
