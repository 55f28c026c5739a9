from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from toy import CountEnv, Parrot, make_game, task

from agentgym.errors import ConfigError, HeldOutError
from agentgym.game import GameEnv, GameReply
from agentgym.message import user
from agentgym.rollout import GroupCollector, RolloutEngine, RolloutSettings, shuffled_tasks
from agentgym.task import Limits, Task


class Counting(RolloutEngine):
    """Remembers the largest number of episodes in flight."""

    most = 0

    def next(self):
        self.most = max(self.most, self.num_in_flight)
        return super().next()


def collector(engine, tasks, **options):
    return GroupCollector(engine, iter(tasks), **{"group_size": 2, "max_in_flight": 3, "seed": 7, **options})


def engine(policy=None, game=make_game, **settings):
    return Counting(game, {"*": policy or Parrot()}, RolloutSettings(**{"env_threads": 8, **settings}))


def test_groups_are_sealed_and_in_the_order_of_admission_however_long_they_take():
    tasks = [task(seed, wait_s=0.05 if seed % 3 == 0 else 0.0) for seed in range(12)]
    with engine() as running:
        groups = collector(running, tasks).collect(6)
    assert [group.task_id for group in groups] == [f"toy-{seed}" for seed in range(6)]
    assert [group.id for group in groups] == [f"g{index:06d}" for index in range(6)]
    assert all(group.is_sealed and len(group.members) == 2 for group in groups)
    assert [member.attempt for group in groups for member in group.members] == [0, 1] * 6


def test_groups_in_flight_are_bounded():
    with engine() as running:
        made = collector(running, (task(seed, length=1 + seed % 3) for seed in itertools.count()))
        for _ in range(5):
            made.collect(2)
            assert running.num_in_flight <= (3 - 2) * 2
        assert running.most == 3 * 2
        assert made.next_index == 10


def test_more_groups_than_places_are_collected_one_after_another():
    with engine() as running:
        groups = collector(running, [task(seed) for seed in range(9)], max_in_flight=1).collect(4)
        assert running.most == 2
    assert len(groups) == 4


def test_attempts_of_a_group_draw_from_seeds_of_their_own():
    class Seeds(Parrot):
        seen = []

        def generate(self, requests):
            self.seen += [(request.episode.partition("/")[0], request.turn, request.seed) for request in requests]
            return super().generate(requests)

    with engine(Seeds()) as running:
        collector(running, [task(1), task(1), task(2)]).collect(3)
    seeds = [seed for _, _, seed in Seeds.seen]
    assert len(set(seeds)) == len(seeds) == 3 * 2 * 2


def test_two_groups_of_one_task_stay_apart():
    with engine() as running:
        groups = collector(running, [task(1)] * 3).collect(3)
    assert len({group.id for group in groups}) == 3
    assert {group.task_id for group in groups} == {"toy-1"}
    assert all(len(group.members) == 2 for group in groups)


def test_faults_leave_sealed_groups_with_missing_members():
    CountEnv.attempts.clear()
    tasks = [task(0), task(1, "broken", fault="raise", times=1), task(2)]
    with engine(retries=0, max_fault_share=1.0) as running:
        groups = collector(running, tasks).collect(3)
    assert [(len(group.members), len(group.missing)) for group in groups] == [(2, 0), (1, 1), (2, 0)]
    assert all(group.is_sealed for group in groups)


def test_episodes_are_reported_as_they_end():
    seen = []
    with engine() as running:
        collector(running, [task(seed) for seed in range(3)]).collect(2, on_episode=seen.extend)
    assert len({record.id for record in seen}) == len(seen) >= 4


def test_side_by_side_collectors_share_the_indices():
    found = []
    for rank in (0, 1):
        with engine() as running:
            made = collector(running, [task(seed) for seed in range(rank, 8, 2)], first_index=4 + rank, index_step=2)
            found += made.collect(3)
            assert made.next_index == 4 + rank + 6
    assert sorted(group.id for group in found) == [f"g{index:06d}" for index in range(4, 10)]


def test_held_out_tasks_are_refused_before_anything_is_played():
    held_out = Task("toys/x:1", 1, suite="toys/x", split="test", config={"length": 1})
    policy = Parrot()
    with engine(policy) as running, pytest.raises(HeldOutError, match="held out"):
        collector(running, [held_out]).collect(1)
    assert policy.batches == []


def test_impossible_sizes_are_refused():
    with engine() as running:
        for options in ({"group_size": 0}, {"max_in_flight": 0}):
            with pytest.raises(ConfigError, match="must be positive"):
                collector(running, [], **options)


def test_collecting_leaves_no_policy_at_work():
    class Slow(Parrot):
        is_busy = False

        def generate(self, requests):
            self.is_busy = True
            time.sleep(0.02)
            self.is_busy = False
            return super().generate(requests)

    policy = Slow()
    with engine(policy) as running:
        made = collector(
            running, (task(seed, length=1 + 3 * (seed % 2)) for seed in itertools.count()), max_in_flight=4
        )
        for _ in range(6):
            made.collect(1)
            assert not policy.is_busy
            time.sleep(0.005)
            assert not policy.is_busy


# Several roles


class Duel(GameEnv):
    """Two roles speak in turns; who spoke last wins."""

    roles = ("white", "black")
    reward_weights = {"success": 1.0, "format": 1.0}

    def make_task(self, seed):
        return Task(f"duel-{seed}", seed, config={"moves": 3}, limits=Limits(max_turns=9))

    def begin(self, task):
        self.left = task.config["moves"]
        self.acting_role = "white"
        return {role: [user(f"you are {role}")] for role in self.roles}

    def respond(self, role, action):
        self.left -= 1
        other = self.roles[role == "white"]
        self.acting_role = other
        inbox = {other: [user(action.text)]}
        if self.left:
            return GameReply(inbox)
        event = self.event(role, "success", 1.0)
        return GameReply(inbox, [event], is_over=True, successes={role: True, other: False})


def duels():
    return (Duel().make_task(seed) for seed in itertools.count())


def test_self_play_gives_a_group_for_each_role():
    with engine(game=lambda _: Duel()) as running:
        groups = collector(running, duels()).collect(2)
    assert [(group.id, group.task_id) for group in groups] == [
        (f"g00000{index}/{role}", f"duel-{index}") for index in (0, 1) for role in ("white", "black")
    ]
    for group in groups:
        role = group.id.partition("/")[2]
        assert group.is_sealed
        assert [member.role for member in group.members] == [role] * 2
        assert {member.total_reward for member in group.members} == {1.0 if role == "white" else 0.0}
        assert {len(member.turns) for member in group.members} == {2 if role == "white" else 1}


class BrokenDuel(Duel):
    """Cannot be reset the first time."""

    attempts = []

    def begin(self, task):
        self.attempts.append(task.id)
        if len(self.attempts) == 1:
            raise OSError("the ring is closed")
        return super().begin(task)


def test_an_episode_that_never_began_is_missing_in_the_group_of_each_role():
    BrokenDuel.attempts.clear()
    with engine(game=lambda _: BrokenDuel(), retries=0, max_fault_share=1.0) as running:
        groups = collector(running, duels(), group_size=3).collect(2)
    assert sorted(len(group.missing) for group in groups) == [0, 0, 1, 1]
    assert all(group.is_sealed and len(group.members) + len(group.missing) == 3 for group in groups)
    assert {member.role for group in groups for member in (*group.members, *group.missing)} == set(Duel.roles)


def test_each_role_is_played_by_its_own_policy():
    policies = {"white": Parrot("w", "one"), "black": Parrot("b", "two")}
    with RolloutEngine(lambda _: Duel(), policies, RolloutSettings()) as running:
        groups = collector(running, duels()).collect(1)
    by_role = {member.role: member for group in groups for member in group.members}
    assert {role: member.policy for role, member in by_role.items()} == {"white": "one", "black": "two"}
    assert {turn.text for turn in by_role["white"].turns} == {"w"}
    with (
        RolloutEngine(lambda _: Duel(), {"white": Parrot()}, RolloutSettings()) as running,
        pytest.raises(ConfigError, match="no policy for the role 'black'"),
    ):
        collector(running, duels()).collect(1)


# The stream of tasks


def test_every_pass_over_the_tasks_is_whole_and_in_an_order_of_its_own():
    tasks = tuple(task(seed) for seed in range(7))
    drawn = [each.id for each in itertools.islice(shuffled_tasks(tasks, 3), 21)]
    passes = [drawn[0:7], drawn[7:14], drawn[14:21]]
    assert all(sorted(each) == sorted(one.id for one in tasks) for each in passes)
    assert passes[0] != passes[1] != passes[2]
    assert drawn == [each.id for each in itertools.islice(shuffled_tasks(tasks, 3), 21)]
    assert drawn != [each.id for each in itertools.islice(shuffled_tasks(tasks, 4), 21)]


@pytest.mark.parametrize("start", [0, 3, 7, 12])
def test_a_resumed_stream_goes_on_where_it_was(start):
    tasks = tuple(task(seed) for seed in range(7))
    whole = [each.id for each in itertools.islice(shuffled_tasks(tasks, 3), 20)]
    assert [each.id for each in itertools.islice(shuffled_tasks(tasks, 3, start), 20 - start)] == whole[start:]


def test_no_tasks_are_an_error():
    with pytest.raises(ConfigError, match="no tasks to train on"):
        next(shuffled_tasks((), 0))
