from __future__ import annotations

import random
from pathlib import Path

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_actions, play_script
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.guessing.twenty_questions import vocabulary
from agentgym_dialogue.guessing.twenty_questions.env import (
    TwentyQuestionsEnv,
    listed_in,
    num_turns_for,
    twenty_questions_task,
)
from agentgym_dialogue.guessing.twenty_questions.grammar import answer, understand
from agentgym_dialogue.guessing.twenty_questions.scripts import REGULAR, Demonstrator
from agentgym_dialogue.guessing.twenty_questions.table import attributes, categories, rows, things
from tests.environments.dialogue.leaks import Leak, private

LEAKS = (Leak("", private("secret"), {"num_listed": 0}, with_players=False),)


TASK = twenty_questions_task("twenty-questions:test", 0, ["cat", "apple", "hammer", "bus"], "hammer")
AUDIT = Path(__file__).with_name("twenty_questions_audit.tsv")
MIN_RIGHT = 0.97


@pytest.fixture
def env():
    return TwentyQuestionsEnv()


def test_twenty_questions_plays_the_example_of_its_card(env):
    record = play_actions(env, TASK, ["Is it alive?", "Can I hold it in one hand?", "hammer"])
    assert record.first.text == (
        "I think of one of these: cat, apple, hammer, bus. Ask yes-or-no questions or name it. You have 4 turns."
    )
    assert [step.text for step in record.steps] == ["No.", "Yes.", "Correct."]
    assert [step.reward for step in record.steps] == [-1.0, -1.0, 0.0]
    assert record.success


def test_twenty_questions_ends_when_the_turns_are_used_up(env):
    record = play_actions(env, TASK, ["Is it alive?", "cat", "flurb", "Is it a bus?", "hammer"])
    assert [step.reward for step in record.steps] == [-1.0] * 4
    assert [step.is_invalid for step in record.steps] == [False, False, True, False]
    assert record.steps[-1].text == "No turns left."
    assert record.steps[-1].terminated
    assert not record.success


def test_twenty_questions_terminates_where_the_last_message_is_not_understood(env):
    record = play_actions(env, TASK, ["?"] * 5)
    assert len(record.steps) == 4
    assert str(record.steps[-1].outcome) == "terminated"
    assert record.reward == -4.0


def test_audit_of_phrasings_is_passed():
    lines = AUDIT.read_text(encoding="utf-8").splitlines()
    audit = [line.split("\t") for line in lines if line and not line.startswith("#")]
    wrong = [question for question, yes, no in audit if not is_right(question, yes, no)]
    assert len(audit) >= 300
    assert 1 - len(wrong) / len(audit) >= MIN_RIGHT, wrong


def is_right(question, yes, no):
    meaning = understand(question)
    if yes == "-":
        return meaning is None
    return meaning is not None and [answer(things()[name], meaning) for name in (yes, no)] == ["yes", "no"]


def test_audit_is_failed_by_a_partner_that_understands_nothing():
    assert not is_right("Is it flurb?", "cat", "dog")
    assert not is_right("Is it alive?", "hammer", "cat")
    assert not is_right("Is it alive?", "-", "-")


@pytest.mark.parametrize("name", attributes())
def test_every_attribute_is_asked_for_by_its_question(name):
    meaning = understand(attributes()[name].question)
    assert meaning is not None
    assert (meaning.kind, meaning.key, meaning.is_positive) == ("attribute", name, True)


@pytest.mark.parametrize("name", attributes())
def test_every_attribute_tells_things_apart(name):
    assert len({thing.truth(name) for thing in things().values()}) >= 2


@pytest.mark.parametrize(
    "message",
    ["It is not a cat.", "I guess it is not a cat", "It isn't a cat", "not a cat", "It can't be a cat", "It's no cat."],
)
def test_denying_the_name_solves_nothing(env, message):
    right, wrong = (twenty_questions_task("x", 0, ["cat", "dog"], name) for name in ("cat", "dog"))
    record = play_actions(env, right, [message])
    assert record.steps[0].text == "No."
    assert not record.success
    assert play_actions(env, wrong, [message]).steps[0].text == "Yes."


@pytest.mark.parametrize("message", ["I don't think it is a cat", "A cat it is not", "It is anything but a cat"])
def test_denial_that_is_not_understood_solves_nothing(message):
    assert understand(message) is None


@pytest.mark.parametrize("message", ["Isn't it a cat?", "It is a cat, isn't it?"])
def test_asking_for_the_name_with_not_solves_it(env, message):
    assert play_actions(env, twenty_questions_task("x", 0, [], "cat"), [message]).success


def test_table_is_consistent():
    assert len(things()) >= 150
    assert len(categories()) == 12
    assert len(attributes()) >= 60
    known = set(attributes()) | {"colours"}
    tags = [tag for _, tags in rows("categories") for tag in tags.split()]
    tags += [tag for row in rows("things") for tag in row[4].split()]
    assert {tag.lstrip("?-") for tag in tags} <= known
    names = [name for thing in things().values() for name in (thing.name, *thing.aliases)]
    assert len(set(names)) == len(names)
    for thing in things().values():
        assert set(thing.truths) <= set(attributes())
        assert thing.size_cm > 0 < thing.weight_kg


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mammal", "animal"),
        ("bird", "animal"),
        ("animal", "living"),
        ("tiny", "small"),
        ("two_wheels", "wheels"),
        ("four_wheels", "wheels"),
        ("four_legs", "legs"),
        ("feet", "worn"),
        ("head", "worn"),
        ("pocket", "backpack"),
        ("eats_meat", "animal"),
    ],
)
def test_table_keeps_what_follows_from_what(one, other):
    assert [name for name, thing in things().items() if thing.truth(one) == "yes" and thing.truth(other) == "no"] == []


def test_every_name_names_its_thing():
    for thing in things().values():
        for name in (thing.name, *thing.aliases):
            article = "an" if name[0] in "aeiou" else "a"
            for message in (name, f"Is it {article} {name}?", f"I guess {article} {name}."):
                meaning = understand(message)
                assert meaning is not None, message
                assert (meaning.kind, meaning.key) == ("guess", thing.name), message


def test_things_differ_in_more_than_their_names():
    questions = [understand(attribute.question) for attribute in attributes().values()]
    profiles = {tuple(answer(thing, question) for question in questions) for thing in things().values()}
    assert len(profiles) == len(things())


def test_num_turns_for_lists_leaves_one_to_spare():
    assert [num_turns_for(count) for count in (0, 2, 8, 16, 32)] == [20, 3, 5, 6, 7]


def test_twenty_questions_never_says_its_secret(env):
    rng = random.Random(0)
    pool = [*HOSTILE_ACTIONS, "What is it?", "Tell me the secret.", *(f"Is it {word}?" for word in REGULAR)]
    for seed in range(1500):
        env.reset(seed=seed)
        for _ in range(6):
            observation, _, terminated, truncated, _ = env.step(rng.choice(pool))
            assert env.secret not in observation["text"]
            if terminated or truncated:
                break


def test_twenty_questions_progress_counts_what_is_ruled_out(env):
    play_actions(env, TASK, [])
    assert env.progress() == 0.0
    play_actions(env, TASK, ["Is it alive?"])
    assert env.progress() == pytest.approx(2 / 3)
    play_actions(env, TASK, ["bus", "Is it alive?"])
    assert env.progress() == 1.0


def test_twenty_questions_anchor_forgets_order_and_wording(env):
    play_actions(env, TASK, ["Is it alive?", "Is it a bus?"])
    one = env.anchor()
    play_actions(env, TASK, ["bus", "Is it a living thing?"])
    assert env.anchor() == one


def test_free_variant_lists_nothing():
    env = TwentyQuestionsEnv(num_listed=0)
    task = env.make_task(3)
    assert task.instruction == "I think of a thing. Ask yes-or-no questions or name it. You have 20 turns."
    assert listed_in(task.instruction) == list(things())


def num_wins(env, quality):
    tasks = map(env.make_task, range(150))
    return sum(play_script(env, task, Demonstrator(task, task.seed, quality)).success for task in tasks)


def test_demonstrator_quality_moves_its_success(env):
    wins = [num_wins(env, quality) for quality in (0.0, 0.6, 1.0)]
    assert wins[0] < wins[1] < wins[2]
    assert wins[2] >= 145


@pytest.mark.parametrize("options", [{"num_listed": 1}, {"num_listed": 1000}, {"num_turns": -1}])
def test_twenty_questions_refuses_impossible_options(options):
    with pytest.raises(ConfigError, match="expected 0 or 2 to"):
        TwentyQuestionsEnv(**options)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (agentgym.Task("x", 0, config={"turns": 3}), "lacks 'secret'"),
        (twenty_questions_task("x", 0, [], "zorgle"), "not one of the"),
        (agentgym.Task("x", 0, config={"turns": 0}, private={"secret": "cat"}), "at least 1"),
    ],
)
def test_twenty_questions_refuses_a_task_of_another_game(env, task, message):
    with pytest.raises(TaskError, match=message):
        env.reset(options={"task": task})


def test_unseen_secrets_are_hidden_in_no_other_split():
    suite = agentgym.load_suite("dialogue/twenty-questions")
    unseen = {task.private["secret"] for task in suite.tasks("test") if task.stratum == "list-16-unseen"}
    assert len(unseen) == 24
    for split in ("train", "validation"):
        assert not unseen & {task.private["secret"] for task in suite.tasks(split)}
    for split in ("train", "validation", "test"):
        for task in suite.tasks(split):
            assert task.private["secret"] in listed_in(task.instruction)


def test_lists_are_in_one_split_only():
    suite = agentgym.load_suite("dialogue/twenty-questions")
    lists = [
        frozenset(listed_in(task.instruction))
        for split in suite.splits
        for task in suite.tasks(split)
        if task.stratum != "free"
    ]
    assert len(set(lists)) == len(lists)


def test_vocabulary_covers_what_is_said(env):
    def split(text):
        return text.replace(".", " ").replace(",", " ").replace(":", " ").replace("?", " ").split()

    words = set(split(" ".join(vocabulary.texts()))) | set(map(str, vocabulary.NUMBERS))
    for seed in range(50):
        task = env.make_task(seed)
        record = play_script(env, task, Demonstrator(task, seed))
        for text in (record.first.text, *(step.text for step in record.steps), *record.actions):
            assert set(split(text)) <= words
