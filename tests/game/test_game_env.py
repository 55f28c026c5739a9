from __future__ import annotations

import pytest

from agentgym.errors import ContractError
from agentgym.game import GameReply, role_return
from tests.toys.game import Nim, nim_task


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


def test_game_is_truncated_when_a_role_that_used_up_its_turns_would_act():
    game = Nim()
    game.reset(nim_task(9, max_turns=2))
    replies = [game.step("1") for _ in range(4)]
    assert [str(reply.outcome) for reply in replies] == ["None", "None", "None", "truncated:turns"]


def test_game_counts_invalid_messages_as_turns():
    game = Nim()
    game.reset(nim_task(9, max_turns=1))
    assert str(game.step("?").outcome) == "truncated:turns"


def test_game_ends_at_once_as_invalid_after_a_breach_of_its_rules():
    game = Nim()
    game.reset(nim_task())
    reply = game.step("cheat")
    assert str(reply.outcome) == "invalid"
    assert reply.inbox["first"][0]["content"] == "Cheating ends the game."
    assert reply.successes == {"first": False, "second": False}


def test_game_forks_where_it_says_how():
    game = Nim()
    game.reset(nim_task(4))
    game.step("1")
    same, fresh = game.fork(), game.fork(seed=7)
    assert (same.stones, same.acting_role, same.task) == (3, "second", game.task)
    same.step("2")
    assert game.stones == 3
    assert same.rng.random() == game.rng.random() != fresh.rng.random()


def test_game_without_a_turn_limit_needs_a_role_that_acts_next():
    class Silent(Nim):
        def respond(self, role, action):
            self.acting_role = None
            return GameReply(is_over=True, successes=dict.fromkeys(self.roles, True))

    game = Silent()
    game.reset(nim_task(max_turns=1))
    assert str(game.step("1").outcome) == "terminated"


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


@pytest.mark.parametrize(
    ("method", "returned", "expected"),
    [
        ("begin", None, "returned None, expected a mapping from roles"),
        ("respond", None, "returned None, expected an agentgym.GameReply"),
        ("respond", GameReply({}, 1.0), "returned a reply whose events are the float 1.0, expected a list of reward"),
        ("respond", GameReply({}, [1.0]), "returned a reply whose event 0 is the float 1.0, expected a list of rewa"),
        ("grade", None, "returned None, expected an agentgym.GameReply"),
        ("respond", GameReply({}, (), True, {"first": True, "second": False}, {"first": 3.0}), "'first' ended .* 3.0"),
    ],
)
def test_game_says_what_a_subclass_should_not_have_returned(method, returned, expected, monkeypatch):
    monkeypatch.setattr(Nim, method, lambda *_: returned)

    def play():
        game = Nim()
        game.reset(nim_task())
        game.step("1")
        game.finalize("time")

    with pytest.raises(ContractError, match=expected):
        play()
