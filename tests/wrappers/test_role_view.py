from __future__ import annotations

import numpy as np
import pytest

import agentgym.testing
from agentgym.env import CutMessage
from agentgym.errors import CancelledEpisode, ContractError, PartnerError, PartnerForfeitError
from agentgym.game import GameReply
from agentgym.wrappers.role_view import RoleView, partner_seed
from tests.toys.game import PARTNERS, SCRIPTS, Nim, Saying, nim_task, saying


def view(*partner_texts, role="first"):
    partner_role = "second" if role == "first" else "first"
    return RoleView(Nim(), role, {partner_role: saying(*partner_texts)})


def test_role_view_plays_one_role_against_a_partner():
    env = view("2")
    observation, _ = env.reset(options={"task": nim_task(4)})
    assert observation["text"] == "4 stones. You are first. The password is sesame4."
    observation, reward, terminated, _, info = env.step("1")
    assert (observation["text"], reward, terminated) == ("second took 2", 0.0, False)
    assert {event.role for event in info["reward_events"]} == {"first"}
    _, reward, terminated, truncated, info = env.step("1")
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)


def test_role_view_lets_the_partner_open_the_game():
    env = view("1", "2", role="second")
    observation, _ = env.reset(options={"task": nim_task(4)})
    assert observation["text"] == "4 stones. You are second.\nfirst took 1"
    _, reward, terminated, _, info = env.step("1")
    assert (reward, terminated, info["success"]) == (-1.0, True, False)
    assert [event.turn for event in info["reward_events"]] == [0, 0]
    assert env.partners["first"].heard == ["4 stones. You are first. The password is sesame4.", "1", "second took 1"]


def test_role_view_hands_on_rewards_from_before_its_first_turn():
    class Handicap(Nim):
        def respond(self, role, action):
            reply = super().respond(role, action)
            reply.events = [*reply.events, self.event("second", "success", -0.25)]
            return reply

    env = RoleView(Handicap(), "second", {"first": saying("1")})
    env.reset(options={"task": nim_task(5)})
    _, reward, _, _, info = env.step("2")
    penalties = [(event.turn, event.issued_at) for event in info["reward_events"] if event.component == "success"]
    assert penalties == [(-1, 0), (0, 0), (0, 0)]
    assert reward == -0.75
    env.reset(options={"task": nim_task(5)})
    reward, info = env.finalize("time")
    assert reward == -0.25


def test_role_view_reports_invalid_messages_as_its_own():
    env = view()
    env.reset(options={"task": nim_task(max_invalid=1)})
    observation, reward, terminated, _, info = env.step("?")
    assert (observation["text"], reward, terminated, info["is_invalid"]) == ("Take 1 or 2.", -0.5, False, True)
    _, _, terminated, truncated, info = env.step(CutMessage("1"))
    assert (terminated, truncated, str(info["outcome"])) == (True, False, "invalid")
    assert info["success"] is False


def test_role_view_keeps_truncation_apart_from_termination():
    env = view("1", "1")
    env.reset(options={"task": nim_task(9, max_turns=2)})
    env.step("1")
    _, _, terminated, truncated, info = env.step("1")
    assert (terminated, truncated, str(info["outcome"])) == (False, True, "truncated:turns")
    assert info["success"] is False


def test_role_view_counts_turns_of_cut_messages_with_the_game():
    env = view("1", "1")
    env.reset(options={"task": nim_task(9)})
    env.step(CutMessage("1"))
    *_, info = env.step("1")
    assert [(event.turn, event.issued_at) for event in info["reward_events"]] == [(1, 1)]


def test_role_view_makes_a_failing_partner_a_partner_fault():
    class Offline:
        def act(self, messages):
            raise ConnectionError("no route")

    env = RoleView(Nim(), "first", {"second": lambda task, seed: Offline()})
    env.reset(options={"task": nim_task()})
    with pytest.raises(PartnerError, match="'second' failed: no route"):
        env.step("1")


def test_role_view_makes_a_babbling_partner_a_partner_fault():
    env = view("?")
    env.reset(options={"task": nim_task()})
    with pytest.raises(PartnerForfeitError, match="too many invalid messages"):
        env.step("1")


def test_role_view_interrupt_stops_a_partner_that_never_ends():
    class Babbler:
        def act(self, messages):
            env.interrupt()
            return "1"

    class Monologue(Nim):
        def respond(self, role, action):
            self.acting_role = "second"
            return GameReply()

    env = RoleView(Monologue(), "first", {"second": lambda task, seed: Babbler()})
    env.reset(options={"task": nim_task()})
    with pytest.raises(CancelledEpisode):
        env.step("1")


@pytest.mark.parametrize(("role", "partners"), [("third", {}), ("first", {})])
def test_role_view_refuses_unknown_roles_and_missing_partners(role, partners):
    with pytest.raises(ContractError, match="partners are missing"):
        RoleView(Nim(), role, partners)


def test_role_view_makes_partners_anew_for_each_episode_from_its_seed():
    made = []

    def factory(task, seed):
        made.append((task.id, seed))
        return Saying("1")

    env = RoleView(Nim(), "first", {"second": factory})
    for seed in (None, 5, 5):
        env.reset(seed=seed, options={"task": nim_task()})
    assert made == [("nim:test", partner_seed(0, "second"))] + [("nim:test", partner_seed(5, "second"))] * 2
    assert partner_seed(5, "first") != partner_seed(5, "second")


def test_role_view_calls_it_a_fault_when_partners_end_the_game_before_the_agent_acts():
    env = view("2", role="second")
    with pytest.raises(PartnerError, match="ended the game before 'second' could act: terminated"):
        env.reset(options={"task": nim_task(2)})


def test_role_view_gives_the_agent_its_turn_under_the_smallest_limit():
    env = view("1", role="second")
    env.reset(options={"task": nim_task(9, max_turns=1)})
    *_, truncated, info = env.step("1")
    assert (truncated, str(info["outcome"])) == (True, "truncated:turns")


def test_role_view_forks_with_the_state_of_its_partners():
    env = view("2", "1", "2", "1")
    env.reset(options={"task": nim_task(12)})
    env.step("1")
    twin = env.fork()
    texts = [[each.step("1")[0]["text"] for _ in range(2)] for each in (env, twin)]
    assert texts == [["second took 1", "second took 2"]] * 2
    assert twin.game is not env.game


def test_role_view_seeds_the_draws_of_partners_anew_in_a_fork_with_a_seed():
    def talk(env):
        return [env.step("1")[0]["text"] for _ in range(20)]

    env = RoleView(Nim(), "first", {"second": SCRIPTS["second"]["random"]})
    env.reset(options={"task": nim_task(200)})
    fresh, again, same = env.fork(seed=3), env.fork(seed=3), env.fork()
    assert talk(fresh) == talk(again)
    assert talk(same) == talk(env) != talk(fresh)


def test_role_view_has_anchors_where_its_partners_have():
    env = view("1")
    env.reset(options={"task": nim_task()})
    assert env.anchor() == f"{env.game.anchor()} | 1"
    env = RoleView(Nim(), "first", {"second": SCRIPTS["second"]["random"]})
    env.reset(options={"task": nim_task()})
    assert env.anchor() is None


@pytest.mark.parametrize("role", Nim.roles)
def test_role_view_passes_the_checks_of_environments(role):
    report = agentgym.testing.check_env(
        lambda: RoleView(Nim(), role, PARTNERS, render_mode="ansi"), scripts=SCRIPTS[role]
    )
    report.raise_if_failed()
    skipped = {result.name for result in report.results if result.status == "skipped"}
    assert skipped == {"light_import", "difficulty", "legal_actions"}


class PicturedNim(Nim):
    """Nim that shows each role a picture as tall as stones are left."""

    has_picture = True

    def picture(self, role):
        return np.full((max(self.stones, 1), 1 + (role == "first"), 3), 7, np.uint8)


def test_role_view_shows_the_picture_that_the_game_has_for_its_role():
    env = RoleView(PicturedNim(), "first", {"second": saying("2")})
    observation, _ = env.reset(options={"task": nim_task(4)})
    assert observation["image"].shape == (4, 2, 3)
    assert observation in env.observation_space
    observation, *_ = env.step("1")
    assert observation["image"].shape == (1, 2, 3)
    assert "image" not in view("2").reset(options={"task": nim_task(4)})[0]
