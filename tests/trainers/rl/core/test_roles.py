"""Training in games of several roles: with scripts, with a frozen model, and with oneself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.errors import ConfigError, UnknownNameError
from agentgym.game import GameReply
from agentgym.policies.cast import Cast
from agentgym.rollout import game_maker
from agentgym.store import RunStore
from agentgym.suite import Suite, register_suites
from agentgym_rl.core.demonstrations import collect_demonstrations
from agentgym_rl.core.roles import RolesConfig, evaluated_role, tools_of, training_cast
from agentgym_rl.run.job import train
from tests.trainers.rl.pair_game import Pair, install_pair
from tests.trainers.rl.toys import install, toy_config, toy_trainer

BOTH = {"learning": ["first", "second"]}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    root = tmp_path_factory.mktemp("suites")
    suite = install_pair(root)
    register_suites(root)
    return suite


def test_self_play_learns_from_the_tokens_of_both_roles(pair: Suite, tmp_path: Path) -> None:
    trainer = toy_trainer(toy_config("pair", roles=BOTH, run={"iterations": 30}), pair, tmp_path)
    trainer.run()
    groups, batch, _ = trainer.traced[0]
    assert [group.id for group in groups[:2]] == ["g000000/first", "g000000/second"]
    assert len(groups) == 8
    assert all(len(group.members) == 8 and group.is_sealed for group in groups)
    roles = [batch.trajectories[owner].role for owner in batch.owner]
    assert {role: roles.count(role) for role in roles} == {"first": 32, "second": 32}
    assert all(segment.completion_mask.sum() == 1 for segment in batch.segments)
    rows = trainer.journalled.rows
    assert rows[0]["role/first/success"] == rows[0]["role/second/success"]
    assert trainer.success(last=3) > 0.9 > np.mean(trainer.journalled.curve("success/mean")[:2])


def test_a_partner_called_self_is_one_more_role_to_learn(pair: Suite) -> None:
    config = toy_config("pair", roles={"partners": {"second": "self"}}).roles
    assert training_cast(config, pair).learning == ("first", "second")


def test_training_with_a_script_trains_the_learners_role_alone(pair: Suite, tmp_path: Path) -> None:
    config = toy_config("pair", roles={"learning": ["second"]}, run={"iterations": 20})
    trainer = toy_trainer(config, pair, tmp_path)
    trainer.run()
    assert {member.role for group in trainer.traced[0][0] for member in group.members} == {"second"}
    assert trainer.success(last=2) > 0.9


def test_refilling_counts_the_groups_of_all_roles(pair: Suite, tmp_path: Path) -> None:
    tables: dict[str, Any] = {"roles": BOTH, "run": {"iterations": 1}}
    trainer = toy_trainer(
        toy_config("pair", **tables, group={"dynamic_sampling": "refill", "max_refills": 20}), pair, tmp_path
    )
    trainer.run()
    assert len(trainer.traced[0][0]) == 8


def test_a_role_that_never_acts_takes_part_without_tokens(pair: Suite, tmp_path: Path) -> None:
    class Short(Pair):
        def respond(self, role: str, action: Any) -> GameReply:
            reply = super().respond(role, action)
            if self.arm == 0:
                return GameReply({}, [], is_over=True, successes=dict.fromkeys(self.roles, False))
            return reply

    for preset in ("loop", "ppo"):
        config = toy_config("pair", roles=BOTH, run={"iterations": 2}, algorithm={"preset": preset})
        trainer = toy_trainer(config, pair, tmp_path / preset)
        cast = trainer.cast
        assert cast.options == {}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("agentgym_rl.run.trainer.game_maker", lambda *_: lambda _: Short())
            trainer.run()
        assert any(not member.turns for group in trainer.traced[0][0] for member in group.members)


def test_the_whole_job_trains_both_roles_and_reports_each(pair: Suite, tmp_path: Path) -> None:
    tables: dict[str, Any] = {
        "run": {"iterations": 2},
        "group": {"tasks": 2, "size": 4},
        "warm_start": {"demonstrations": 8, "batch_episodes": 4},
        "validation": {"every": 1, "tasks": 2, "has_final_test": True},
    }
    result = train(toy_config("pair", roles=BOTH, **tables), tmp_path / "both")
    assert result.held_out["trained"]["role"] == "first"
    assert set(result.held_out["trained"]["other_roles"]) == {"second"}
    with RunStore.open(tmp_path / "both", read_only=True) as store:
        rows = store.episode_rows()
        assert {row.role for row in rows if row.purpose == "train"} == {"first", "second"}
        assert len([row for row in rows if row.purpose == "demo"]) == 16
    frozen = f"torch:{tmp_path / 'both' / 'models' / 'cloned'}"
    roles = {"learning": ["second"], "partners": {"first": frozen}}
    result = train(toy_config("pair", roles=roles, **tables), tmp_path / "frozen")
    assert result.held_out["trained"]["partners"] == {"first": frozen}
    with RunStore.open(tmp_path / "frozen", read_only=True) as store:
        assert {row.role for row in store.episode_rows(purpose="train")} == {"second"}
        [group, *_] = store.groups()
        assert list(group.members[0].metadata["partners"]) == ["first"]
    again = {**BOTH, "evaluation_partners": {"first": frozen}}
    result = train(toy_config("pair", roles=again, **tables), tmp_path / "against")
    assert (result.held_out["trained"]["role"], result.held_out["trained"]["partners"]) == ("second", {"first": frozen})
    assert json.loads((tmp_path / "against" / "config.json").read_text())["config"]["roles"]["learning"] == [
        "first",
        "second",
    ]


def test_demonstrations_are_given_in_every_role_of_the_learner(pair: Suite) -> None:
    cast = Cast.of(pair.env, ("second",), {"first": "torch:/nowhere"})
    assert {each.role for each in collect_demonstrations(pair, "demo", 4, 0, cast=cast)} == {"second"}
    both = collect_demonstrations(pair, "demo", 4, 0, cast=Cast.of(pair.env, ("first", "second")))
    assert [each.role for each in both] == ["first", "second"] * 4
    with pytest.raises(UnknownNameError, match="did you mean demo"):
        collect_demonstrations(pair, "demos", 4, 0)


def test_evaluation_partners_take_roles_from_the_learner(pair: Suite) -> None:
    assert evaluated_role(RolesConfig(), pair) == ("first", {"second": "scripted"})
    config = RolesConfig(learning=("first", "second"))
    assert evaluated_role(config, pair) == ("first", {"second": "self"})
    config = RolesConfig(learning=("first", "second"), evaluation_partners={"first": "scripted"})
    assert evaluated_role(config, pair) == ("second", {"first": "scripted"})
    config = RolesConfig(evaluation_partners={"first": "scripted"})
    with pytest.raises(ConfigError, match=r"leaves none of the roles \['first'\]"):
        evaluated_role(config, pair)


def test_roles_of_what_has_none_are_refused(pair: Suite, tmp_path: Path) -> None:
    bandit = install(tmp_path, "bandit")
    with pytest.raises(ConfigError, match="played by one agent"):
        training_cast(RolesConfig(learning=("first",)), bandit)
    assert evaluated_role(RolesConfig(), bandit) == ("", {})
    for wrong in ("scripted", {"first": 3}):
        with pytest.raises(ConfigError, match=r"'?roles\.partners'? must be a table"):
            toy_config("pair", roles={"partners": wrong})


def test_roles_that_learn_together_have_tools_of_their_own(pair: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    cast = training_cast(RolesConfig(learning=("first", "second")), pair)
    assert tools_of(cast) == []
    own = {"first": [{"type": "function"}], "second": [{"type": "function"}, {"type": "other"}]}
    monkeypatch.setattr(Pair, "tools", own)
    assert tools_of(training_cast(RolesConfig(), pair)) == own["first"]
    tools = tools_of(cast)
    assert (list(tools), tools.of("first"), tools.of("second")) == (own["second"], own["first"], own["second"])


def test_the_learner_and_its_partners_play_in_this_process(pair: Suite) -> None:
    with pytest.raises(ConfigError, match="runs here"):
        game_maker(pair, "docker", training_cast(RolesConfig(learning=("first", "second")), pair))
