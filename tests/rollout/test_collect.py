"""Games of several roles in rollouts: who is asked, recorded, trained on, and whose fault is whose."""

from __future__ import annotations

import itertools
import time

import pytest

from agentgym.errors import ConfigError, ContextOverflowError, EndpointError
from agentgym.evaluation.result import summarise
from agentgym.policies.cast import Cast
from agentgym.policies.partner import PartnerPolicy
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.policy import Sampling
from agentgym.prompting.tiny import build_tokenizer
from agentgym.registration import register
from agentgym.rollout import GroupCollector, Job, RolloutEngine, RolloutSettings, collect_episodes, game_maker
from agentgym.suite import Suite
from tests.toys.game import SCRIPTS, SPEC, Nim, Sayer, nim_task, write_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    register(SPEC)
    return write_suite(tmp_path_factory.mktemp("suites"))


def play(policies, tasks=None, make_game=lambda _: Nim(), **settings):
    wanted = [Job(task, f"e{index}", index) for index, task in enumerate(tasks or [nim_task(4)])]
    return collect_episodes(wanted, make_game, policies, RolloutSettings(**settings))


def test_partners_have_no_records_and_no_successes():
    learner, partner = Sayer("1", "learner"), PartnerPolicy(Sayer("1", "partner"))
    records, stats = play({"first": learner, "second": partner}, [nim_task(4), nim_task(5)])
    assert [(record.role, record.success) for record in records] == [("first", False), ("first", True)]
    assert (stats.episodes, stats.successes, stats.turns) == (2, 1, 2 + 3)
    assert records[0].metadata["partners"] == {"second": "partner"}
    assert (records[0].usage["cost_usd"], records[0].usage["partner_cost_usd"]) == (1.0, 1.0)
    assert partner.policy.forgotten == ["e0/second", "e1/second"]


def test_a_policy_that_plays_with_itself_has_a_record_of_each_role_in_one_batch():
    learner = Sayer({"first": "2", "second": "1"})
    records, _ = play({"first": learner, "second": learner}, [nim_task(4)] * 3, is_lockstep=True)
    rewards = [(record.role, record.success, record.total_reward) for record in records]
    assert rewards == [("first", True, 1.0), ("second", False, -1.0)] * 3
    assert [request.episode for request in learner.asked[:3]] == ["e0/first", "e1/first", "e2/first"]


def test_partner_draws_as_its_own_sampling_says():
    learner, inner = Sayer(), Sayer()
    partner = PartnerPolicy(inner, Sampling(temperature=0.25, max_tokens=7))
    play({"first": learner, "second": partner}, sampling=Sampling(temperature=1.0))
    assert {request.sampling for request in inner.asked} == {Sampling(0.25, 7)}
    assert {request.sampling for request in learner.asked} == {Sampling(1.0)}


@pytest.mark.parametrize("error", [EndpointError("down"), ContextOverflowError("too long")])
def test_a_partner_that_fails_is_a_partner_fault_without_a_reward(error):
    class Down(Sayer):
        def generate(self, requests):
            self.asked += requests
            raise error

    down = Down()
    [record], stats = play({"first": Sayer(), "second": PartnerPolicy(down)}, retries=2)
    assert (record.role, str(record.outcome), record.total_reward) == (
        "first",
        f"partner_fault:{type(error).__name__}",
        None,
    )
    assert (stats.retries, len(down.asked), stats.faults, stats.successes) == (2, 3, 1, 0)
    assert "the partner sayer failed" in record.error


def test_costs_of_tries_that_broke_are_counted_apart():
    broken = []

    class Brittle(Nim):
        def respond(self, role, action):
            if role == "second" and len(broken) < 2:
                broken.append(role)
                raise OSError("gone")
            return super().respond(role, action)

    policies = {"first": Sayer(), "second": PartnerPolicy(Sayer())}
    [record], stats = play(policies, make_game=lambda _: Brittle(), retries=2)
    unbroken, _ = play(policies)
    assert (stats.retries, stats.faults) == (2, 0)
    costs = {name: count for name, count in record.usage.items() if name.startswith("retried_")}
    told = {"completion_tokens": 2.0, "cost_usd": 1.0}
    partners = {f"retried_partner_{name}": count for name, count in told.items()}
    assert costs == {"retried_turns": 2.0} | {f"retried_{name}": count for name, count in told.items()} | partners
    assert record.usage["cost_usd"] == unbroken[0].usage["cost_usd"]
    assert summarise([record])[2].items() >= costs.items()


def test_a_partner_that_breaks_the_rules_is_a_partner_fault_and_not_retried():
    [record], stats = play({"first": Sayer(), "second": PartnerPolicy(Sayer("cheat"))}, retries=2)
    assert str(record.outcome) == "partner_fault:PartnerForfeitError"
    assert stats.retries == 0


def test_a_learner_that_breaks_the_rules_is_invalid():
    [record], _ = play({"first": Sayer("cheat"), "second": PartnerPolicy(Sayer())})
    assert (str(record.outcome), record.success, record.total_reward) == ("invalid", False, -0.5)


def test_a_partner_whose_conversation_is_too_long_is_a_partner_fault():
    class Narrow(Sayer):
        uses_tokens, max_context, tokenizer = True, 1, build_tokenizer(["stones"])

    [record], _ = play({"first": Sayer(), "second": PartnerPolicy(Narrow())}, retries=0)
    assert str(record.outcome) == "partner_fault:ContextOverflowError"


def test_a_rollout_of_partners_alone_is_refused():
    with pytest.raises(ConfigError, match="all of the roles"):
        play({"first": PartnerPolicy(Sayer()), "second": PartnerPolicy(Sayer())})


def test_lockstep_batches_wait_for_every_policy():
    class Slow(Sayer):
        sizes: list[int]

        def generate(self, requests):
            self.sizes = [*getattr(self, "sizes", []), len(requests)]
            time.sleep(0.05 * (len(requests) == 1))
            return super().generate(requests)

    quick, slow = Slow("1"), PartnerPolicy(Slow("1"))

    class Game(Nim):
        def begin(self, task):
            inbox = super().begin(task)
            self.acting_role = "second" if task.seed else "first"
            return inbox

    tasks = [nim_task(4, seed=1), *[nim_task(4)] * 3]
    play({"first": quick, "second": slow}, tasks, lambda _: Game(), is_lockstep=True)
    # Both are asked at once, and once more when both have answered, however slow one of them is.
    assert quick.sizes == [3, 1, 3, 1]
    assert slow.policy.sizes == [1, 3, 1, 3]


def test_game_maker_plays_scripted_partners_within_the_environment(suite):
    cast = Cast.of(suite.env, (), {}, suite.env_options)
    records, _ = play(cast.policies(Sayer()), suite.tasks("train"), game_maker(suite, cast=cast))
    assert [record.role for record in records] == ["first"] * 6
    assert [len(record.turns) for record in records] == [2, 2, 3, 3, 4, 4]
    as_suite, _ = play({"*": Sayer()}, suite.tasks("train"), game_maker(suite))
    assert [record.total_reward for record in as_suite] == [record.total_reward for record in records]


def test_game_maker_lets_a_policy_and_a_script_play_together(suite, monkeypatch):
    monkeypatch.setattr("agentgym.policies.partner.load", lambda name: Sayer("1", name))
    cast = Cast.of(suite.env, ("second",), {"first": "torch:here"}, suite.env_options)
    make_game = game_maker(suite, cast=cast)
    records, _ = play(cast.policies(Sayer()), suite.tasks("train"), make_game)
    assert {record.role for record in records} == {"second"}
    assert [record.success for record in records] == [False, True] * 3
    with pytest.raises(ConfigError, match="runs here: got runtime 'docker'"):
        game_maker(suite, "docker", cast)


def test_what_makes_games_takes_no_tasks_to_the_nodes_of_a_cluster(suite):
    cast = Cast.of(suite.env, ("first", "second"), {}, suite.env_options)
    for make_game in (game_maker(suite), game_maker(suite, cast=cast)):
        assert not any(isinstance(cell.cell_contents, Suite | Cast) for cell in make_game.__closure__)


def test_scripted_policy_plays_each_role_by_its_own_script():
    both = ScriptedPolicy("both", {"first": SCRIPTS["first"]["oracle"], "second": SCRIPTS["second"]["null"]})
    records, _ = play({"*": both}, [nim_task(5, max_invalid=0)])
    assert [[turn.text for turn in record.turns] for record in records] == [["1"], [""]]


def collect(policies, **settings):
    with RolloutEngine(lambda _: Nim(), policies, RolloutSettings(**settings)) as engine:
        tasks = (nim_task(4 + seed % 2, f"t{seed}", seed) for seed in itertools.count())
        collector = GroupCollector(engine, tasks, group_size=3, max_in_flight=2, seed=0)
        return collector.collect(2)


def test_groups_are_one_for_each_role_of_the_learner():
    learner = Sayer()
    groups = collect({"first": learner, "second": learner})
    ids = [f"g00000{index}/{role}" for index in range(2) for role in ("first", "second")]
    assert [group.id for group in groups] == ids
    assert all(group.is_sealed and len(group.members) == 3 for group in groups)
    assert {member.role for member in groups[1].members} == {"second"}
    assert [group.id for group in collect({"first": learner, "second": PartnerPolicy(Sayer())})] == ids[::2]


def test_episodes_that_fail_before_the_game_begins_are_missing_in_the_group_of_each_role():
    class Moody(Nim):
        count = itertools.count()

        def begin(self, task):
            if next(self.count) % 3 == 1:
                raise OSError("no")
            return super().begin(task)

    learner = Sayer()
    with RolloutEngine(lambda _: Moody(), {"*": learner}, RolloutSettings(retries=0, max_fault_share=1.0)) as engine:
        tasks = (nim_task(4, f"t{seed}", seed) for seed in itertools.count())
        groups = GroupCollector(engine, tasks, group_size=3, max_in_flight=1, seed=0).collect(2)
    assert [group.id for group in groups] == [f"g00000{i}/{role}" for i in range(2) for role in ("first", "second")]
    assert all(group.is_sealed and len(group.members) == 2 and len(group.missing) == 1 for group in groups)
    assert groups[1].missing[0].id.endswith("/second")
