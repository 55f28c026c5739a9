from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

import agentgym
from agentgym.errors import ConfigError, HeldOutError, TaskError
from agentgym.task import Task
from agentgym.testing.episodes import play_actions, play_script
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.describing.private_shared import vocabulary
from agentgym_dialogue.describing.private_shared.domains import DOMAINS
from agentgym_dialogue.describing.private_shared.game import PrivateSharedGame, kappa, shared_task
from agentgym_dialogue.describing.private_shared.partners import EVASION
from agentgym_dialogue.describing.private_shared.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in


def values_of_answerer(task: Task, role: str) -> Sequence[str]:
    return list(task.private["values"].values())


LEAKS = (Leak("questioner", values_of_answerer, asks=False, with_players=False),)


VALUES = {"origin": "oslo", "destination": "rome", "vehicle": "train"}
TASK = shared_task("shared:test", 0, "trip", {"day": "monday"}, VALUES, [[0, 3], [1, 0], [2, 1], [0, 1]])


@pytest.fixture
def game():
    game = PrivateSharedGame()
    game.reset(TASK)
    return game


def view(role, **options):
    return agentgym.make("agentgym/PrivateShared-v0", role=role, **options)


def test_game_tells_the_answerer_its_values_and_the_questioner_what_to_ask_for():
    inbox = PrivateSharedGame().reset(TASK)
    assert inbox["answerer"][0]["content"] == (
        "You book a trip. Origin: oslo. Destination: rome. Vehicle: train. Day: monday. Said already: day. Tell only "
        "what you are asked. Between us, say yes or no."
    )
    assert inbox["questioner"][0]["content"] == (
        "Ask, one thing a message: origin, destination, vehicle. Day: monday. 4 questions."
    )


def test_game_asks_between_us_after_each_answer(game):
    assert told(game.step("Where from?"), "answerer") == "Question: Where from?"
    reply = game.step("From Oslo, please")
    assert told(reply, "questioner") == "Answer: From Oslo, please"
    assert told(reply, "answerer") == "Between us: was the origin said?"
    assert told(game.step("Yes!"), "answerer") == "Between us: was the day said?"
    assert game.step("yes").inbox == {}
    assert game.acting_role == "questioner"
    game.step("What is the destination?")
    game.step("I do not know")
    game.step("yes")
    assert game.grade().scores["questioner"] == 1 / 3


def play(game, *lines):
    return [game.step(line) for line in lines][-1]


def test_game_is_won_by_telling_all_and_keeping_track(game):
    first = ("the origin?", "oslo", "yes", "yes", "the destination?", "rome", "yes", "yes")
    reply = play(game, *first, "the vehicle?", "train", "yes", "yes")
    assert told(reply, "answerer") == "3 of 3 said, 6 of 6 answers between us right."
    assert reply.scores == {"answerer": 1.0, "questioner": 1.0}
    assert [(event.role, event.component, event.value) for event in reply.events] == [
        ("answerer", "score", 1.0),
        ("questioner", "score", 1.0),
    ]


def test_answers_between_us_count_by_kappa(game):
    first = ("the origin?", "oslo", "yes", "yes", "the vehicle?", "train", "yes", "yes")
    reply = play(game, *first, "the destination?", "rome", "yes", "yes")
    assert told(reply, "answerer") == "3 of 3 said, 5 of 6 answers between us right."
    assert reply.scores == {"answerer": 0.0, "questioner": 1.0}


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([], 0),
        ([(True, True), (True, True)], 1),
        ([(True, True), (True, False)], 0),
        ([(False, True), (True, False)], 0),
        ([(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15, 0.4),
    ],
)
def test_kappa_is_that_of_cohen(pairs, value):
    assert kappa(pairs) == pytest.approx(value)


@pytest.mark.parametrize("answer", ["oslo rome", "the train", "oslo rome train monday", "", "ocло", "word " * 31])
def test_answer_that_tells_more_or_nothing_is_invalid(game, answer):
    game.step("the origin?")
    assert game.step(answer).is_invalid
    assert game.acting_role == "answerer"


@pytest.mark.parametrize("confided", ["", "yes no", "perhaps", "yesno", "yes " * 100])
def test_answer_between_us_is_yes_or_no(game, confided):
    play(game, "the origin?", "oslo")
    assert game.step(confided).is_invalid


@pytest.mark.parametrize("question", ["", "Hello?", "the origin and the day?", "origin\x00", "origin " * 31])
def test_question_names_one_thing(game, question):
    reply = game.step(question)
    assert reply.is_invalid
    assert game.acting_role == "questioner"


def test_scripted_answerer_may_put_off_once_and_is_then_asked_again():
    env = view("questioner")
    evaded = 0
    for seed in range(40):
        task = env.make_task(seed)
        record = play_script(env, task, SCRIPTS["questioner"]["oracle"](task, seed))
        assert record.success
        evasions = sum(f"Answer: {EVASION}" in step.text for step in record.steps)
        assert evasions <= 1
        evaded += evasions
    assert 8 < evaded < 32


def test_no_observation_of_the_questioner_ever_holds_a_value_that_was_not_told():
    env = view("questioner")
    rng = random.Random(0)
    for seed in range(500):
        task = env.make_task(seed)
        record = play_actions(env, task, rng.choices(HOSTILE_ACTIONS, k=3))
        words = {word.strip(".,:").lower() for step in (record.first, *record.steps) for word in step.text.split()}
        assert words.isdisjoint(task.private["values"].values())


def test_values_are_single_words_of_one_slot_and_no_names_of_slots():
    for domain in DOMAINS.values():
        words = list(itertools.chain(*domain.slots.values()))
        assert len(set(words)) == len(words)
        assert all(word.isalpha() and word.islower() for word in words)
        assert not set(words) & {*domain.names, *domain.synonyms, "yes", "no"}
        assert all(not domain.asked_in(word) for word in words)
        assert not domain.asked_in(f"Question: between us: was the said? {EVASION}")


@pytest.mark.parametrize("role", ["answerer", "questioner"])
def test_quality_moves_the_success_of_demonstrators(role):
    rates = [num_solved(view(role), SCRIPTS[role]["demo"], 80, quality=quality) for quality in (0.0, 0.8, 1.0)]
    assert rates[0] < rates[1] < rates[2] == 80


def test_game_is_held_out_from_training_as_a_whole():
    suite = agentgym.load_suite("dialogue/private-shared")
    assert suite.is_unseen_env
    with pytest.raises(HeldOutError, match="unseen environment"):
        suite.train_tasks()


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts(), ".,:?!")
    for role in ("answerer", "questioner"):
        records = played(view(role), SCRIPTS[role]["demo"], 20)
        assert words_in(texts_of(records), ".,:?!") <= listed


def test_game_refuses_what_it_cannot_play():
    for options in ({"domain": "war"}, {"num_given": 4}):
        with pytest.raises(ConfigError, match="expected one of trip, meal"):
            PrivateSharedGame(**options)
    with pytest.raises(TaskError, match="a value for each slot"):
        PrivateSharedGame().reset(shared_task("x", 0, "trip", {}, {"day": "monday"}, [[0]]))
    with pytest.raises(TaskError, match="lacks 'domain'"):
        PrivateSharedGame().reset(agentgym.Task("x", 0))
