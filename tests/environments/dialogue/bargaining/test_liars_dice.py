from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.task import Task
from agentgym.testing.episodes import play_script
from agentgym_dialogue.bargaining.liars_dice import vocabulary
from agentgym_dialogue.bargaining.liars_dice.bids import Bid, chance, higher, is_true, phrase, read
from agentgym_dialogue.bargaining.liars_dice.game import LiarsDiceGame, dice_task, roll
from agentgym_dialogue.bargaining.liars_dice.partners import Gambler, seen
from agentgym_dialogue.bargaining.liars_dice.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak, other
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in


def dice_of_other(task: Task, role: str) -> Sequence[str]:
    own, theirs = task.private[f"{role}_dice"], task.private[f"{other(role)}_dice"]
    return [" ".join(dice) for dice in theirs[:1] if dice not in own]


LEAKS = (
    Leak("first", dice_of_other, asks=False, until=" in all: "),
    Leak("second", dice_of_other, asks=False, until=" in all: "),
)


TASK = dice_task("liars-dice:test", 0, ["35", "11", "62"], ["55", "14", "33"])


@pytest.fixture
def game():
    game = LiarsDiceGame()
    game.reset(TASK)
    return game


def test_game_tells_each_role_its_own_dice():
    inbox = LiarsDiceGame().reset(TASK)
    assert inbox["first"][0]["content"] == (
        "Your dice: 3 5. They have 2 dice. Bid such as 2 fives, or say liar. You begin."
    )
    assert inbox["second"][0]["content"].startswith("Your dice: 5 5. They have 2 dice.")


def test_who_doubts_a_true_bid_loses_a_die_and_begins(game):
    assert told(game.step("I bid 3 fives"), "second") == "They bid 3 fives."
    reply = game.step("You liar!")
    assert told(reply, "first") == (
        "They say liar. 3 fives in all: 3 5 and 5 5. They lose a die.\n"
        "Your dice: 1 1. They have 1 die. Bid such as 2 fives, or say liar. They begin."
    )
    assert "You say liar. 3 fives in all: 5 5 and 3 5. You lose a die.\nYour dice: 1. " in told(reply, "second")
    assert [(event.role, event.component, event.value) for event in reply.events] == [
        ("first", "round", 1.0),
        ("second", "round", -1.0),
    ]
    assert (game.acting_role, game.progress("first"), game.progress("second")) == ("second", 0.5, 0.0)


def test_who_is_caught_lying_loses_and_the_last_die_ends_the_game(game):
    for text in ("4 sixes", "liar", "3 fours"):
        assert game.step(text).outcome is None
    reply = game.step("liar")
    assert told(reply, "first") == "They say liar. 1 four in all: 1 and 1 4. You lose a die.\nYou lose."
    assert told(reply, "second").endswith("They lose a die.\nYou win.")
    assert reply.successes == {"first": False, "second": True}
    assert {(event.role, event.value) for event in reply.events if event.component == "outcome"} == {
        ("first", -1.0),
        ("second", 1.0),
    }


@pytest.mark.parametrize(
    "text",
    ["", "liar", "5 fives", "0 ones", "two", "2 fives 1 six", "1 one, liar", "999 sixes", "две пятёрки", "x" * 2000],
)
def test_what_is_no_bid_is_refused(game, text):
    assert game.step(text).is_invalid
    assert game.acting_role == "first"


def test_a_bid_must_be_higher(game):
    game.step("2 threes")
    for text in ("2 threes", "2 twos", "1 six"):
        assert told(game.step(text), "second") == "Bid higher than 2 threes, or say liar."
        game.num_invalid["second"] = 0
    assert not game.step("2 fours").is_invalid


@pytest.mark.parametrize(
    ("text", "bid"),
    [
        ("i bid 2 fives", (2, 5)),
        ("three 4s", (3, 4)),
        ("my friend, I know it.\nOne six", (1, 6)),
        ("a two", (1, 2)),
        ("2 x 5", (2, 5)),
        ("2 times fives", (2, 5)),
        ("3 dice of 6", (3, 6)),
        ("there are 3 of them", None),
    ],
)
def test_bids_are_read_from_digits_and_words(text, bid):
    assert read(text) == ([Bid(*bid)] if bid else [], False)


@pytest.mark.parametrize("text", ["liar", "You are a liar!", "Hm. I say liar.", "challenge", "I call"])
def test_liar_is_said_as_a_sentence_or_line(text):
    assert read(text) == ([], True)


@pytest.mark.parametrize(
    "text", ["I do not say liar", "I am no liar.", "Am I a liar?", "I will not bid 2 fives", "one six, you liar"]
)
def test_talk_of_bids_and_liars_is_no_move(game, text):
    game.step("1 five")
    assert game.step(text).is_invalid
    assert read(text) == ([], False)


def test_bids_in_words_are_read_back_and_ordered():
    bids = list(higher(None, 6))
    assert len(bids) == 36
    assert bids == sorted(bids)
    for bid in bids:
        assert read(phrase(bid)) == ([bid], False)
        assert all(other > bid for other in higher(bid, 6))


def test_chance_is_that_of_all_throws():
    throws = ["".join(dice) for dice in itertools.product("123456", repeat=3)]
    for bid in higher(None, 5):
        share = sum(is_true(bid, "35" + throw) for throw in throws) / len(throws)
        assert chance(bid, "35", 3) == pytest.approx(share)


def test_an_unfinished_game_is_lost_with_all_dice(game):
    values = {(event.role, event.component): event.value for event in game.finalize("time").events}
    assert values == {
        (role, part): value for role in game.roles for part, value in (("outcome", -1.0), ("round", -2.0))
    }


def test_breaking_the_rules_earns_no_more_than_losing():
    env = agentgym.make("agentgym/LiarsDice-v0")
    for seed in range(50):
        task = env.make_task(seed)
        broken = play_script(env, task, SCRIPTS["first"]["null"](task, 0)).reward
        assert broken == pytest.approx(-1.3)
        assert broken <= play_script(env, task, SCRIPTS["first"]["random"](task, seed)).reward + 1e-9


def test_no_observation_depends_on_the_dice_of_the_other():
    rng = random.Random(0)
    texts = ["1 two", "2 twos", "2 fours", "3 ones", "nonsense", "", "4 fives"]
    for seed in range(300):
        first, second = roll(random.Random(seed), 3)
        others = [second, roll(rng, 3)[1]]
        said = rng.choices(texts, k=6)
        heard = []
        for dice in others:
            game = LiarsDiceGame()
            inbox = game.reset(dice_task("x", 0, first, dice))
            parts = [message["content"] for message in inbox["first"]]
            for text in said:
                if game.acting_role is not None:
                    parts.append(told(game.step(text), "first"))
            heard.append(parts)
        assert heard[0] == heard[1]


@pytest.mark.parametrize("role", ["first", "second"])
def test_oracle_wins_and_quality_moves_the_demonstrator(role):
    env = agentgym.make("agentgym/LiarsDice-v0", role=role)
    assert num_solved(env, SCRIPTS[role]["oracle"], 150) == 150
    rates = [num_solved(env, SCRIPTS[role]["demo"], 150, quality=quality) for quality in (0.0, 0.7, 1.0)]
    assert rates[0] < rates[1] < rates[2]


def test_player_doubts_what_is_unlikely():
    talk = [{"role": "user", "content": "Your dice: 1 2. They have 2 dice. Bid such as 2 fives. They begin."}]
    talk.append({"role": "user", "content": "They bid 4 sixes."})
    assert seen(talk) == ("12", 2, (4, 6))
    assert {Gambler(TASK, seed).act(talk) for seed in range(20)} == {"liar"}


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    records = played(agentgym.make("agentgym/LiarsDice-v0", role="second"), SCRIPTS["second"]["demo"], 30)
    assert words_in(texts_of(records)) <= listed


def test_game_refuses_what_it_cannot_play():
    with pytest.raises(ConfigError, match="expected 1 to 6"):
        LiarsDiceGame(7)
    with pytest.raises(TaskError, match="lacks 'dice'"):
        LiarsDiceGame().reset(agentgym.Task("x", 0))
    with pytest.raises(TaskError, match="expected 2 dice in each of 3 rounds"):
        LiarsDiceGame().reset(dice_task("x", 0, ["11"], ["11"]))
