from __future__ import annotations

import pytest

import agentgym.testing
from agentgym.env import CutMessage
from agentgym.errors import ActionSyntaxError, CancelledEpisode, ContractError, PartnerError
from agentgym.game import GameEnv, GameReply, RoleView, SoloGame, role_return
from agentgym.message import user
from agentgym.task import Limits, Task
from tests.toy_env import ToyEnv


class Nim(GameEnv):
    """Two roles take 1 or 2 of some stones in turns; who takes the last one wins."""

    roles = ("first", "second")
    reward_weights = {"success": 1.0, "taken": 0.0, "format": 1.0}
    invalid_value = -0.5

    def make_task(self, seed):
        return Task(f"nim:{seed}", seed, config={"stones": 5 + seed % 3})

    def begin(self, task):
        self.stones = task.config["stones"]
        self.acting_role = "first"
        return {role: [user(f"{self.stones} stones. You are {role}.")] for role in self.roles}

    def respond(self, role, action):
        if action.text not in ("1", "2"):
            raise ActionSyntaxError("Take 1 or 2.")
        self.stones -= int(action.text)
        other = "second" if role == "first" else "first"
        self.acting_role = other
        taken = self.event(role, "taken", float(action.text))
        inbox = {other: [user(f"{role} took {action.text}")]}
        if self.stones > 0:
            return GameReply(inbox, [taken])
        events = [taken, self.event(role, "success", 1.0), self.event(other, "success", -1.0)]
        return GameReply(inbox, events, is_over=True, successes={role: True, other: False})

    def anchor(self):
        return f"{self.acting_role} {self.stones} {self.num_invalid}"


class Taker:
    def __init__(self, *texts):
        self.texts = list(texts)
        self.heard = []

    def act(self, role, messages, tools):
        self.heard = [message["content"] for message in messages]
        return self.texts.pop(0)


def nim_task(stones=4, **limits):
    return Task("nim:test", 0, config={"stones": stones}, limits=Limits(**limits))


def view(*partner_texts, role="first"):
    partner_role = "second" if role == "first" else "first"
    return RoleView(Nim(), role, {partner_role: Taker(*partner_texts)})


def test_game_gives_each_role_its_messages_and_rewards():
    game = Nim()
    inbox = game.reset(nim_task(3))
    assert inbox["second"][0]["content"] == "3 stones. You are second."
    first = game.step("2")
    assert game.acting_role == "second"
    assert [event.role for event in first.events] == ["first"]
    last = game.step("1")
    assert last.successes == {"second": True, "first": False}
    assert last.scores == {"second": 1.0, "first": 0.0}
    assert str(last.outcome) == "terminated"
    assert game.acting_role is None
    assert role_return(last.events, "first", game.reward_weights) == -1.0


def test_game_events_credit_the_turn_of_their_own_role():
    game = Nim()
    game.reset(nim_task(4))
    events = [event for text in ("1", "1", "1", "1") for event in game.step(text).events]
    taken = [(event.role, event.turn) for event in events if event.component == "taken"]
    assert taken == [("first", 0), ("second", 0), ("first", 1), ("second", 1)]
    assert [(event.role, event.turn) for event in events if event.component == "success"] == [
        ("second", 1),
        ("first", 1),
    ]


def test_game_answers_an_invalid_message_and_lets_the_role_try_again():
    game = Nim()
    game.reset(nim_task())
    reply = game.step("three")
    assert reply.is_invalid
    assert reply.inbox["first"][0]["content"] == "Take 1 or 2."
    assert reply.events[0].component == "format"
    assert game.acting_role == "first"


def test_game_is_over_as_invalid_after_too_many_invalid_messages():
    game = Nim()
    game.reset(nim_task(max_invalid=1))
    game.step("?")
    reply = game.step("?")
    assert str(reply.outcome) == "invalid"
    assert reply.successes == {"first": False, "second": False}
    with pytest.raises(ContractError, match="over"):
        game.step("1")


def test_game_truncates_at_the_turns_of_one_role():
    game = Nim()
    game.reset(nim_task(9, max_turns=2))
    replies = [game.step("1") for _ in range(3)]
    assert [str(reply.outcome) for reply in replies] == ["None", "None", "truncated:turns"]


def test_game_finalize_grades_or_cancels():
    game = Nim()
    game.reset(nim_task())
    assert str(game.finalize("time").outcome) == "truncated:time"
    game.reset(nim_task())
    cancelled = game.finalize("cancelled")
    assert str(cancelled.outcome) == "cancelled"
    assert not cancelled.scores


def test_game_refuses_an_end_without_successes():
    class Unjudged(Nim):
        def respond(self, role, action):
            return GameReply(is_over=True)

    game = Unjudged()
    game.reset(nim_task())
    with pytest.raises(ContractError, match=r"without success for the roles \['first', 'second'\]"):
        game.step("1")


def test_role_view_plays_one_role_against_a_partner():
    env = view("2")
    observation, _ = env.reset(options={"task": nim_task(4)})
    assert observation["text"] == "4 stones. You are first."
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
    assert env.partners["first"].heard == ["4 stones. You are first.", "1", "second took 1"]


def test_role_view_hands_on_rewards_from_before_its_first_turn():
    class Handicap(Nim):
        def respond(self, role, action):
            reply = super().respond(role, action)
            reply.events = [*reply.events, self.event("second", "success", -0.25)]
            return reply

    env = RoleView(Handicap(), "second", {"first": Taker("1", "1", "1")})
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
        def act(self, role, messages, tools):
            raise ConnectionError("no route")

    env = RoleView(Nim(), "first", {"second": Offline()})
    env.reset(options={"task": nim_task()})
    with pytest.raises(PartnerError, match="'second' failed: no route"):
        env.step("1")


def test_role_view_makes_a_babbling_partner_a_partner_fault():
    env = view(*["?"] * 4)
    env.reset(options={"task": nim_task()})
    with pytest.raises(PartnerError, match="too many invalid messages"):
        env.step("1")


def test_role_view_interrupt_stops_a_partner_that_never_ends():
    class Babbler:
        def act(self, role, messages, tools):
            env.interrupt()
            return "1"

    class Monologue(Nim):
        def respond(self, role, action):
            self.acting_role = "second"
            return GameReply()

    env = RoleView(Monologue(), "first", {"second": Babbler()})
    env.reset(options={"task": nim_task()})
    with pytest.raises(CancelledEpisode):
        env.step("1")


@pytest.mark.parametrize(("role", "partners"), [("third", {}), ("first", {})])
def test_role_view_refuses_unknown_roles_and_missing_partners(role, partners):
    with pytest.raises(ContractError, match="partners are missing"):
        RoleView(Nim(), role, partners)


def test_role_view_passes_the_checks_of_environments():
    class Ones:
        def act(self, role, messages, tools):
            return "1"

    class Scripted:
        def act(self, messages):
            return "1"

    report = agentgym.testing.check_env(
        lambda: RoleView(Nim(), "first", {"second": Ones()}),
        scripts={"random": lambda task, seed: Scripted()},
        only=[name for name in agentgym.testing.ENV_CHECKS if name != "oracle"],
    )
    report.raise_if_failed()


def test_solo_game_shows_an_environment_as_a_game_of_one_role():
    game = SoloGame(ToyEnv())
    task = game.make_task(3)
    inbox = game.reset(task)
    assert inbox["agent"][0]["content"] == task.instruction
    towards = "up" if task.config["goal"] > 0 else "down"
    replies = []
    while game.acting_role is not None:
        replies.append(game.step(towards))
    assert replies[-1].successes == {"agent": True}
    assert str(replies[-1].outcome) == "terminated"
    game.reset(task)
    assert str(game.finalize("time").outcome) == "truncated:time"
