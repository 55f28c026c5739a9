from __future__ import annotations

import itertools
import random

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.remote import RemoteEnv
from agentgym.remote.server.app import create_app, running
from agentgym.testing import check_env
from agentgym.testing.episodes import play_actions, play_script
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.phrases import stem
from agentgym_dialogue.words.taboo import vocabulary
from agentgym_dialogue.words.taboo.cards import cards, clue_words, decks
from agentgym_dialogue.words.taboo.game import TabooGame, forbidden, taboo_task
from agentgym_dialogue.words.taboo.partners import Describer, Guesser
from agentgym_dialogue.words.taboo.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak, private
from tests.environments.dialogue.playing import num_solved

LEAKS = (Leak("guesser", private("word"), with_players=False),)


APPLE = taboo_task("taboo:test", 0, "apple", ["fruit", "red", "tree", "pie", "juice"])


@pytest.fixture
def game():
    game = TabooGame()
    game.reset(APPLE)
    return game


def view(role):
    return agentgym.make("agentgym/Taboo-v0", role=role)


def test_game_plays_the_example_of_its_card(game):
    assert game.acting_role == "describer"
    assert game.step("teacher").inbox["guesser"][0]["content"] == "Clue: teacher"
    assert game.step("school").inbox["describer"][0]["content"] == "Guess: school"
    assert game.step("orchard and core").inbox["guesser"][0]["content"] == "Clue: orchard and core"
    reply = game.step("I guess it is Apples!")
    assert (str(reply.outcome), reply.successes["guesser"], reply.scores["describer"]) == ("terminated", True, 0.5)
    assert [(event.role, event.value) for event in reply.events] == [("guesser", 1.0), ("describer", 1.0)]


def test_game_ends_after_three_wrong_guesses(game):
    replies = [game.step(text) for text in ("core", "pear", "core", "plum", "core", "fig")]
    assert [reply.outcome is None for reply in replies] == [True] * 5 + [False]
    assert replies[-1].inbox["guesser"][0]["content"] == "No guesses left."
    assert replies[-1].successes == {"guesser": False, "describer": False}


@pytest.mark.parametrize(
    "clue",
    [
        "it is an apple",
        "APPLES",
        "pineapple",
        "applesauce",
        "a p p l e",
        "a-p-p-l-e",
        "reddest red",
        "two trees",
        "Pie?",
        "r e d",
        "f r u i t",
        "j.u.i.c.e",
        "grapefruit",
        "fruitcake",
        "treetop",
        "street",
        "ap ple",
        "app-le",
        "ap-ple",
        "pineap ples",
        "a1p2p3l4e",
        "re d",
    ],
)
def test_clue_that_gives_the_word_away_ends_the_game_as_invalid(game, clue):
    reply = game.step(clue)
    assert str(reply.outcome) == "invalid"
    assert "You must not say" in reply.inbox["describer"][0]["content"]
    assert reply.successes == {"guesser": False, "describer": False}


@pytest.mark.parametrize(
    "clue", ["reduced", "tired", "a reddish core", "core", "a teacher's gift", "grows in an orchard"]
)
def test_clue_of_other_words_is_allowed(clue):
    assert forbidden(clue, ["apple", "fruit", "red", "tree", "pie", "juice"]) is None


@pytest.mark.parametrize(
    "clue", ["", "!?", "pomme é", "яблоко", "core " * 16, "core" * 100, "core\x00", "core\n\u202e"]
)
def test_clue_in_other_letters_or_too_long_is_invalid_and_may_be_said_again(game, clue):
    reply = game.step(clue)
    assert reply.is_invalid
    assert (reply.outcome, game.acting_role) == (None, "describer")


@pytest.mark.parametrize(
    "text", ["", "is it", "pear or plum", "[pear] [plum]", "груша", "pear " * 100, "x" * 50, "a guess is it the word"]
)
def test_guess_that_is_no_single_word_is_invalid_and_costs_nothing(game, text):
    game.step("core")
    assert game.step(text).is_invalid
    assert game.acting_role == "guesser"
    assert game.step("the word is [apple], I guess").scores["guesser"] == 1.0


def test_views_of_both_roles_meet_scripted_partners():
    record = play_actions(view("guesser"), APPLE, ["[pear]", "I guess apple"])
    assert record.first.text.startswith(
        "Guess the hidden word from clues, one word a message. You have 3 guesses.\nClue: "
    )
    assert record.success
    assert record.steps[-1].score == 0.5
    record = play_actions(view("describer"), APPLE, ["core orchard teacher"])
    assert record.first.text == ("Describe apple. Do not say apple, fruit, red, tree, pie, juice. 3 guesses.")
    assert record.steps[0].text == "correct"


def test_no_observation_of_the_guesser_ever_holds_the_word():
    env = view("guesser")
    pool = [*HOSTILE_ACTIONS, *itertools.islice(cards(), 20), "I guess pear", "[pear]"]
    rng = random.Random(0)
    for seed in range(1500):
        task = env.make_task(seed)
        word = task.private["word"]
        record = play_actions(env, task, rng.choices(pool, k=4))
        for step in (record.first, *record.steps):
            assert word not in [stem(part) for part in step.text.lower().split()]


def test_no_three_words_of_a_card_go_with_another_word():
    for word, other in itertools.combinations(cards(), 2):
        shared = {stem(clue) for clue in cards()[word]} & {stem(clue) for clue in cards()[other]}
        assert len(shared) <= 2, (word, other, shared)


def test_cards_hold_eight_words_that_do_not_give_theirs_away():
    assert len(cards()) >= 290
    for word, related in cards().items():
        assert len({stem(clue) for clue in related}) == 8
        for clue in related:
            assert forbidden(clue, [word]) is None, (word, clue)


def test_oracle_never_gives_a_word_away_between_its_words():
    for word, related in cards().items():
        for taboo in itertools.combinations(related, 5):
            task = taboo_task("x", 0, word, taboo)
            clue = SCRIPTS["describer"]["oracle"](task, 0).act([])
            assert clue
            assert forbidden(clue, [word, *taboo]) is None, (word, clue)


def test_rule_based_describer_never_breaks_the_rules():
    env = agentgym.make_game("agentgym/Taboo-v0")
    for seed, quality in itertools.product(range(300), (0.0, 1.0)):
        task = env.make_task(seed)
        env.reset(task)
        describer = Describer(task, seed, quality)
        while env.acting_role is not None:
            messages = [{"role": "assistant", "content": ""}] * env.turns["describer"]
            text = describer.act(messages) if env.acting_role == "describer" else "nothing"
            assert not env.step(text).is_invalid, (task, text)


def test_rule_based_guesser_never_says_a_word_twice_and_is_right_in_the_end():
    env = view("describer")
    hits = []
    for seed in range(100):
        task = env.make_task(seed)
        hits.append(play_script(env, task, SCRIPTS["describer"]["oracle"](task, 0)).success)
    assert all(hits)
    talk = [{"role": "user", "content": "Clue: water"}]
    guesser = Guesser(APPLE, 5, haste=1.0)
    said = []
    for _ in range(3):
        said.append(guesser.act(talk))
        talk += [{"role": "assistant", "content": said[-1]}, {"role": "user", "content": "Clue: water"}]
    assert len(set(said)) == 3


@pytest.mark.parametrize("role", ["guesser", "describer"])
def test_quality_moves_the_success_of_demonstrators(role):
    rates = [num_solved(view(role), SCRIPTS[role]["demo"], 80, quality=quality) for quality in (0.0, 0.4, 1.0)]
    assert rates[0] < rates[1] < rates[2]


def test_tasks_of_both_suites_are_alike_and_unseen_words_stay_unseen():
    guesser, describer = (agentgym.load_suite(f"dialogue/{name}") for name in ("taboo", "taboo-describer"))
    assert (guesser.role, describer.role) == ("guesser", "describer")
    for split in guesser.splits:
        hashes = [[task.content_hash for task in suite.tasks(split)] for suite in (guesser, describer)]
        assert hashes[0] == hashes[1]
    trained = {task.private["word"] for task in guesser.train_tasks()}
    for split in ("validation", "test"):
        for task in guesser.tasks(split):
            assert (task.private["word"] in trained) == (task.stratum == "known_words")


def test_served_game_is_that_of_the_process():
    app = create_app("agentgym/Taboo-v0", role="describer")
    subject = agentgym.load_suite("dialogue/taboo-describer").tasks("test")[0]
    with running(app) as url, RemoteEnv(url, sends_private_tasks=True) as env:
        assert env.role == "describer"
        checks = ["replay", "forks", "rewards", "ends"]
        report = check_env(
            lambda: RemoteEnv(url, sends_private_tasks=True), tasks=[subject], scripts=SCRIPTS["describer"], only=checks
        )
    report.raise_if_failed()


def test_vocabulary_lists_every_word():
    words = {word for text in vocabulary.texts() for word in text.replace(",", " ").replace(".", " ").split()}
    assert {*cards(), *clue_words(), "Describe", "Clue:", "correct"} <= words


def test_deck_holds_what_its_name_says_and_is_told_to_the_guesser():
    assert {"dog", "bee", "swan"} <= cards("animals").keys() < cards().keys()
    env = agentgym.make("agentgym/Taboo-v0", deck="animals")
    words = {env.make_task(seed).private["word"] for seed in range(300)}
    assert words <= cards("animals").keys()
    assert "hidden word (animals) from" in env.reset(seed=1)[0]["text"]
    assert sum(map(len, decks().values())) == 2 * len(cards())
    task = env.make_task(1)
    player = SCRIPTS["guesser"]["random"](task, 0)
    assert {player.act([]) for _ in range(500)} == set(cards("animals"))


def test_game_refuses_what_it_cannot_play():
    for options in ({"num_tries": 0}, {"deck": "beasts"}):
        with pytest.raises(ConfigError, match=r"expected a deck of all, food, animals.* and at least 1 try"):
            TabooGame(**options)
    with pytest.raises(TaskError, match="not in the deck 'animals'"):
        TabooGame().reset(taboo_task("x", 0, "apple", [], deck="animals"))
    with pytest.raises(TaskError, match="lacks 'word'"):
        TabooGame().reset(agentgym.Task("x", 0, config={"tries": 3}))
