from __future__ import annotations

import itertools
import random

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions
from agentgym_dialogue.words.codenames import vocabulary
from agentgym_dialogue.words.codenames.boards import OWN, SIZES, Board, clues_on, draw_board, is_allowed
from agentgym_dialogue.words.codenames.game import CodenamesGame, codenames_task
from agentgym_dialogue.words.codenames.partners import Guesser, Spymaster
from agentgym_dialogue.words.codenames.scripts import SCRIPTS
from agentgym_dialogue.words.taboo.cards import cards
from agentgym_dialogue.words.taboo.game import forbidden
from tests.environments.dialogue.leaks import Leak, private
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in

LEAKS = (Leak("guesser", private("key"), asks=False),)


WORDS = ["apple", "zoo", "tomato", "lion", "chair", "piano", "shark"]
TASK = codenames_task("codenames:test", 0, Board(WORDS, "otoonta"))


@pytest.fixture
def game():
    game = CodenamesGame()
    game.reset(TASK)
    return game


def view(role, **options):
    return agentgym.make("agentgym/Codenames-v0", role=role, **options)


def test_game_tells_the_spymaster_alone_whose_words_are_whose():
    inbox = CodenamesGame().reset(TASK)
    assert inbox["spymaster"][0]["content"] == (
        "Yours: apple, tomato, lion. Theirs: zoo, piano. Neutral: chair. Assassin: shark. Say a clue and a number."
    )
    assert inbox["guesser"][0]["content"] == (
        "Board: apple, zoo, tomato, lion, chair, piano, shark. 3 are yours, 2 theirs, 1 the assassin. Say words of the "
        "board or pass."
    )


def test_game_is_won_when_all_own_words_are_uncovered(game):
    assert told(game.step("Fruit 2"), "guesser") == "Clue: fruit 2"
    reply = game.step("I say apple and tomato")
    for role in ("guesser", "spymaster"):
        assert told(reply, role) == "apple yours, tomato yours. They uncover zoo."
    game.step("clue: mane, 1")
    reply = game.step("lion, chair")
    assert told(reply, "guesser") == "lion yours, chair neutral. You win."
    assert [(event.role, event.component, event.value) for event in reply.events] == [
        ("guesser", "success", 1.0),
        ("spymaster", "success", 1.0),
    ]


def test_turn_ends_with_the_first_word_that_is_not_own(game):
    game.step("house 3")
    reply = game.step("chair, apple, tomato")
    assert told(reply, "guesser") == "chair neutral. They uncover zoo."
    assert game.progress("guesser") == 0


def test_assassin_loses_the_game(game):
    game.step("sea 1")
    reply = game.step("shark")
    assert told(reply, "spymaster") == "shark the assassin. They win."
    assert reply.successes == {"guesser": False, "spymaster": False}
    assert str(reply.outcome) == "terminated"


def test_game_is_lost_when_the_words_of_the_others_are_uncovered(game):
    replies = [game.step(text) for text in ("sweet 1", "pass", "sweet 1", "pass")]
    assert told(replies[1], "guesser") == "pass. They uncover zoo."
    assert told(replies[3], "guesser") == "pass. They uncover piano. They win."
    game.reset(TASK)
    replies = [game.step(text) for text in ("keys 1", "piano")]
    assert told(replies[1], "guesser") == "piano theirs. They uncover zoo. They win."


@pytest.mark.parametrize(
    "clue",
    ["", "fruit", "2", "fruit 0", "fruit 10", "two words 2", "apple 1", "apples 1", "pineapple 2", "toma 1", "плод 2"],
)
def test_clue_that_is_none_is_invalid(game, clue):
    assert game.step(clue).is_invalid
    assert game.acting_role == "spymaster"


@pytest.mark.parametrize("guess", ["", "tree", "apple tomato lion chair", "pass apple", "яблоко", "apple " * 21])
def test_guess_that_is_none_is_invalid(game, guess):
    game.step("fruit 2")
    assert game.step(guess).is_invalid
    assert game.acting_role == "guesser"


def test_word_that_is_uncovered_is_guessed_no_more(game):
    for text in ("fruit 1", "apple", "fruit 1"):
        game.step(text)
    assert game.step("apple").is_invalid


@pytest.mark.parametrize("size", SIZES)
def test_own_words_of_boards_can_be_named_in_pairs(size):
    for seed in range(20):
        board = draw_board(random.Random(seed), size)
        own = set(board.of_kind(OWN))
        assert len(set(board.words)) == len(board.key) == size
        pairs = [words for words in clues_on(board.words).values() if len(words) == 2 and words <= own]
        covered = itertools.combinations(pairs, SIZES[size].pairs)
        assert any(set().union(*chosen) == own for chosen in covered)


def test_clues_on_a_board_are_those_that_may_be_said():
    for seed in range(5):
        words = draw_board(random.Random(seed), 16).words
        going = clues_on(words)
        for clue in {clue for word in words for clue in cards()[word]}:
            if clue in going:
                assert is_allowed(clue, words)
                assert all(forbidden(clue, [word]) is None for word in words)
        assert len(going) > 60


def test_scripted_spymaster_says_what_goes_with_most_words_of_the_team_alone():
    assert Spymaster(TASK, 0, haste=0.0).act([]).endswith(" 2")
    talk = [{"role": "user", "content": "apple yours, tomato yours. They uncover zoo."}]
    clue, number = Spymaster(TASK, 0, haste=0.0).act(talk).split()
    assert (clue in cards()["lion"], number) == (True, "1")


def test_scripted_guesser_passes_where_it_knows_nothing():
    guesser = Guesser(TASK, 0, timid=0.0)
    assert guesser.act([{"role": "user", "content": "Clue: xyzzy 2"}]) == "pass"
    assert set(guesser.act([{"role": "user", "content": "Clue: fruit 2"}]).split(", ")) <= {"apple", "tomato"}


def test_views_of_both_roles_meet_scripted_partners():
    record = play_actions(view("spymaster"), TASK, ["fruity 0", "xyzzy 3"])
    assert record.steps[0].is_invalid
    assert record.steps[1].text == "pass. They uncover zoo."
    assert "\nClue: " in view("guesser").reset(options={"task": TASK})[0]["text"]


@pytest.mark.parametrize("role", ["guesser", "spymaster"])
def test_quality_moves_the_success_of_demonstrators(role):
    rates = [num_solved(view(role), SCRIPTS[role]["demo"], 80, quality=quality) for quality in (0.0, 0.7, 1.0)]
    assert rates[0] + 10 < rates[1] < rates[2]


def test_no_team_of_the_suite_is_in_two_tasks_and_both_suites_have_the_same():
    suites = [agentgym.load_suite(f"dialogue/codenames{end}") for end in ("", "-spymaster")]
    tasks = [task for split in suites[0].splits for task in suites[0].tasks(split)]
    teams = {tuple(sorted(Board(task.config["board"], task.private["key"]).of_kind(OWN))) for task in tasks}
    assert len(teams) == len(tasks)
    for split in suites[0].splits:
        hashes = [[task.content_hash for task in suite.tasks(split)] for suite in suites]
        assert hashes[0] == hashes[1]


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    for role in ("guesser", "spymaster"):
        records = played(view(role), SCRIPTS[role]["demo"], 20)
        assert words_in(texts_of(records)) <= listed


def test_game_refuses_what_it_cannot_play():
    with pytest.raises(ConfigError, match="expected one of 16, 20"):
        CodenamesGame(size=25)
    with pytest.raises(TaskError, match="different words of the cards"):
        CodenamesGame().reset(codenames_task("x", 0, Board(["qqq"], "o")))
    with pytest.raises(TaskError, match="lacks 'board'"):
        CodenamesGame().reset(agentgym.Task("x", 0))
