from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.task import Task
from agentgym.testing.episodes import play_actions, play_script
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.guessing.guess_my_city import vocabulary
from agentgym_dialogue.guessing.guess_my_city.answers import REFUSED, UNKNOWN, answer
from agentgym_dialogue.guessing.guess_my_city.env import GuessMyCityEnv, guess_my_city_task, listed_in, num_turns_for
from agentgym_dialogue.guessing.guess_my_city.grammar import Question, features, understand
from agentgym_dialogue.guessing.guess_my_city.scripts import Demonstrator, told
from agentgym_dialogue.guessing.guess_my_city.table import TOPICS, cities, rows
from tests.environments.dialogue.leaks import Leak


def city_and_country(task: Task, role: str) -> Sequence[str]:
    city = task.private["secret"]
    return [city, cities()[city].country]


LEAKS = (Leak("", city_and_country, {"num_listed": 0}, with_players=False),)


TASK = guess_my_city_task("guess-my-city:test", 0, ["Lima", "Oslo", "Rome", "Cairo"], "Rome")
AUDIT = Path(__file__).with_name("guess_my_city_audit.tsv")
MIN_RIGHT = 0.97


@pytest.fixture
def env():
    return GuessMyCityEnv()


def test_guess_my_city_plays_the_example_of_its_card(env):
    record = play_actions(env, TASK, ["What do people speak there?", "Is it Rome?"])
    assert record.first.text == (
        "I live in one of these: Lima, Oslo, Rome, Cairo. Ask about my city or name it. You have 2 turns."
    )
    assert [step.text for step in record.steps] == ["Italian.", "Correct."]
    assert [step.reward for step in record.steps] == [-1.0, 0.0]
    assert record.success


def test_guess_my_city_ends_when_the_turns_are_used_up(env):
    record = play_actions(env, TASK, ["flurb?", "Is it Oslo?", "Is it Rome?"])
    assert [step.reward for step in record.steps] == [-1.0, -1.0]
    assert record.steps[-1].text == "No turns left."
    assert record.steps[-1].terminated
    assert not record.success


def audit_rows():
    lines = AUDIT.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def test_audit_of_phrasings_is_passed():
    audit = audit_rows()
    wrong = [row for row in audit if not is_right(*row)]
    assert len(audit) >= 300
    assert 1 - len(wrong) / len(audit) >= MIN_RIGHT, wrong


def is_right(message, name, expected):
    meaning = understand(message)
    if expected == "?" or meaning is None:
        return expected == "?" and meaning is None
    if expected == "correct":
        return (meaning.kind, meaning.topic) == ("guess", name)
    said = answer(cities()[name], meaning)
    if expected == "!":
        return said == REFUSED
    return said.lower().startswith(expected) if expected in ("yes", "no") else expected in said.lower()


def test_audit_is_failed_by_a_partner_that_understands_nothing():
    assert not is_right("Is it flurb?", "Rome", "no")
    assert not is_right("What language do they speak?", "Rome", "german")
    assert not is_right("What language do they speak?", "Rome", "?")


def said_to(message, name):
    meaning = understand(message)
    return "" if meaning is None else answer(cities()[name], meaning)


@pytest.mark.parametrize(
    ("denial", "question"),
    [
        ("Is it outside Europe?", "Is it in Europe?"),
        ("Is it outside of Asia?", "Is it in Asia?"),
        ("Is it not in Europe?", "Is it in Europe?"),
        ("Is it non-European?", "Is it European?"),
        ("Is it not in Asia?", "Is it in Asia?"),
        ("Is it not near the sea?", "Is it near the sea?"),
        ("Is it far from the sea?", "Is it near the sea?"),
        ("Is it far away from the ocean?", "Is it near the ocean?"),
        ("Is it not a coastal city?", "Is it a coastal city?"),
        ("Do they not speak French?", "Do they speak French?"),
        ("Is the euro not used there?", "Is the euro used there?"),
        ("Does it never snow?", "Does it snow?"),
        ("Is it not in France?", "Is it in France?"),
        ("Does it not have more than 3 million people?", "Does it have more than 3 million people?"),
    ],
)
def test_denial_is_answered_by_the_contrary(denial, question):
    said = {(said_to(question, name), said_to(denial, name)) for name in cities()}
    assert said == {("Yes.", "No."), ("No.", "Yes.")}


@pytest.mark.parametrize("message", ["Is there no river?", "Does it lack a river?", "Is it a city without a river?"])
def test_absence_of_a_river_is_asked_for(message):
    assert [said_to(message, name) for name in ("Paris", "Oslo")] == ["No.", "Yes."]


@pytest.mark.parametrize(
    "message",
    ["Isn't it in Europe?", "Is it in Europe, isn't it?", "Is it in Europe or not?", "Isn’t the city in Europe?"],
)
def test_not_that_denies_nothing_is_passed_over(message):
    assert [said_to(message, name) for name in ("Paris", "Tokyo")] == ["Yes.", "No."]


@pytest.mark.parametrize("message", ["Isn't it outside Europe, is it not?", "Is it not outside Europe?"])
def test_sentence_that_denies_twice_is_not_answered_falsely(message):
    assert said_to(message, "Paris") in ("", "No." if message.startswith("Isn't") else "Yes.")


@pytest.mark.parametrize(
    "message",
    [
        "I am not from Paris",
        "It is not Paris",
        "It isn't Paris.",
        "Not Paris",
        "I guess it is not Paris",
        "Paris is not it",
    ],
)
def test_denying_the_name_solves_nothing(env, message):
    right, wrong = (guess_my_city_task("x", 0, ["Paris", "Rome"], name) for name in ("Paris", "Rome"))
    record = play_actions(env, right, [message])
    assert record.steps[0].text == "No."
    assert not record.success
    assert play_actions(env, wrong, [message]).steps[0].text == "Yes."


@pytest.mark.parametrize("message", ["Isn't it Paris?", "It is Paris, isn't it?", "Is it Paris or not?"])
def test_asking_for_the_name_with_not_solves_it(env, message):
    assert play_actions(env, guess_my_city_task("x", 0, [], "Paris"), [message]).success


@pytest.mark.parametrize(
    "message",
    [
        "Is it in a small country?",
        "Is it in a big country?",
        "Is there a large airport?",
        "Is it near Africa?",
        "Is it near France?",
        "Is it near the capital?",
        "Is it popular with French tourists?",
        "Is it a landlocked country?",
        "Is it on the Red Sea?",
        "Is it cold in summer?",
        "Is the sea cold?",
        "Is it a hot city in the desert?",
        "Is there a dirty river?",
        "Was it the capital?",
        "Does it make more than 5 million cars?",
        "What's the demonym of its residents?",
        "How big is the airport?",
        "Is it the biggest city of the country?",
    ],
)
def test_words_that_are_not_covered_are_not_passed_over(message):
    assert understand(message) is None


@pytest.mark.parametrize(
    ("message", "name", "expected"),
    [
        ("Is tourism a big industry there?", "Venice", "Yes."),
        ("Is tourism a big industry there?", "Paris", UNKNOWN),
        ("Is gambling a big industry there?", "Las Vegas", "Yes, gambling."),
        ("Is gambling a big industry there?", "Paris", UNKNOWN),
        ("Does it have a big square?", "Venice", "Yes, a square full of pigeons beside a basilica."),
        ("Does it have a big square?", "Paris", UNKNOWN),
        ("Is it a democracy?", "London", UNKNOWN),
        ("Is the city at high altitude?", "Kathmandu", "Yes."),
        ("Is the city at high altitude?", "Miami", "No."),
        ("Is the city at high altitude?", "Tehran", UNKNOWN),
    ],
)
def test_what_the_table_does_not_tell_is_not_denied(message, name, expected):
    assert said_to(message, name) == expected


@pytest.mark.parametrize(
    ("message", "bigger", "smaller"),
    [
        ("Does the population exceed 5 million?", "Tokyo", "Paris"),
        ("Does it have more than 2.5 million people?", "Berlin", "Paris"),
        ("Are there more than 500,000 inhabitants?", "Paris", "Geneva"),
        ("Do over 5,000,000 people live there?", "Tokyo", "Paris"),
        ("Is the population over twenty million?", "Shanghai", "Tokyo"),
        ("Does it have more than half a million people?", "Paris", "Geneva"),
    ],
)
def test_numbers_of_people_are_compared(message, bigger, smaller):
    assert [said_to(message, name) for name in (bigger, smaller)] == ["Yes.", "No."]


@pytest.mark.parametrize("word", ["more", "less"])
def test_number_of_people_is_neither_more_nor_less_than_itself(word):
    assert said_to(f"Does it have {word} than 10 million people?", "Lima") == "No."


def names_in(text, city):
    """Names of the city or its country in a text; those of continents are no names of a country."""
    text = re.sub(r"(?:North|South) America", "", text)
    return [name for name in city.secrets if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)]


def every_question():
    """A question of each kind: all topics, values, features and words that the partner understands."""
    yield from (Question(kind, topic) for kind in ("open", "exists") for topic in TOPICS)
    yield from (Question("feature", feature) for feature in features())
    words = {word for city in cities().values() for text in city.facts.values() for word in re.findall(r"\w+", text)}
    yield from filter(None, (understand(f"Is there a {word}?") for word in sorted(words)))
    yield from filter(None, (understand(row[0]) for row in audit_rows()))


def test_no_answer_names_the_city_or_its_country():
    questions = list(dict.fromkeys(every_question()))
    assert len(questions) > 500
    for city in cities().values():
        for question in questions:
            assert names_in(answer(city, question), city) == [], question


@pytest.mark.parametrize("message", ["What is the name of your city?", "Which country is it in?", "Spell its name."])
def test_names_are_refused_on_request(env, message):
    for name in cities():
        record = play_actions(env, guess_my_city_task("x", 0, [], name), [message])
        assert names_in(record.steps[0].text, cities()[name]) == []


def test_guess_my_city_never_says_its_secret(env):
    rng = random.Random(0)
    pool = [*HOSTILE_ACTIONS, *(row[0] for row in audit_rows() if row[2] != "correct"), *told()]
    for seed in range(1500):
        env.reset(seed=seed)
        for _ in range(4):
            observation, _, terminated, truncated, _ = env.step(rng.choice(pool))
            assert names_in(observation["text"], cities()[env.secret]) == []
            if terminated or truncated:
                break


def test_table_is_consistent():
    assert len(cities()) >= 100
    countries = [row[0] for row in rows("countries")]
    assert len(set(countries)) == len(countries)
    assert set(countries) == {city.country for city in cities().values()}
    names = [name for city in cities().values() for name in (city.name, *city.aliases)]
    assert len(set(names)) == len(names)
    capitals = [city.country for city in cities().values() if city.facts["capital"] == "yes"]
    assert len(set(capitals)) == len(capitals)
    for city in cities().values():
        assert tuple(sorted(city.facts)) == tuple(sorted(TOPICS))
        assert all(city.facts.values())
        assert 0.1 <= city.millions <= 30
        assert city.facts["capital"] in ("yes", "no")
        assert city.facts["driving"] in ("left", "right")
        assert city.facts["government"] in ("republic", "monarchy")


def test_cities_differ_in_what_is_told_of_them():
    profiles = {tuple(city.facts.values()) for city in cities().values()}
    assert len(profiles) == len(cities())


def test_every_name_names_its_city():
    for city in cities().values():
        for name in (city.name, *city.aliases):
            for message in (name, f"Is it {name}?", f"I guess {name}.", f"Do you live in {name}?"):
                meaning = understand(message)
                assert meaning is not None, message
                assert (meaning.kind, meaning.topic) == ("guess", city.name), message


def test_every_country_is_asked_for_by_its_names():
    for city in cities().values():
        for name in city.country_names:
            meaning = understand(f"Is it in {name}?")
            assert meaning is not None, name
            assert meaning.topic in (city.country, city.name)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_is_told_of(topic):
    word = {"driving": "side of the road", "known": "famous"}.get(topic, topic)
    assert understand(f"{word}?") == Question("open", topic)


def test_every_feature_tells_cities_apart():
    for feature in features():
        if feature != "any:central america":
            said = {answer(city, Question("feature", feature)) for city in cities().values()}
            assert said >= {"Yes."}, feature
            assert len(said - {"Yes."}) >= 1, feature
            assert said <= ({"Yes.", "No."} if features()[feature].lacks is None else {"Yes.", "No.", UNKNOWN}), feature


def test_num_turns_for_lists_is_what_halving_needs():
    assert [num_turns_for(count) for count in (0, 2, 8, 16, 32)] == [20, 2, 3, 4, 5]


def test_guess_my_city_progress_counts_what_is_ruled_out(env):
    play_actions(env, TASK, [])
    assert env.progress() == 0.0
    play_actions(env, TASK, ["Is it in Europe?"])
    assert env.progress() == pytest.approx(2 / 3)


def test_guess_my_city_anchor_forgets_wording(env):
    play_actions(env, TASK, ["What language do they speak?"])
    one = env.anchor()
    play_actions(env, TASK, ["language?"])
    assert env.anchor() == one


def test_free_variant_lists_nothing():
    env = GuessMyCityEnv(num_listed=0)
    task = env.make_task(3)
    assert task.instruction == "I live in a city. Ask about my city or name it. You have 20 turns."
    assert listed_in(task.instruction) == list(cities())


def num_wins(env, quality):
    tasks = map(env.make_task, range(150))
    return sum(play_script(env, task, Demonstrator(task, task.seed, quality)).success for task in tasks)


def test_demonstrator_quality_moves_its_success(env):
    wins = [num_wins(env, quality) for quality in (0.0, 0.6, 1.0)]
    assert wins[0] < wins[1] < wins[2]
    assert wins[2] >= 140


@pytest.mark.parametrize("options", [{"num_listed": 1}, {"num_listed": 1000}, {"num_turns": -1}])
def test_guess_my_city_refuses_impossible_options(options):
    with pytest.raises(ConfigError, match="expected 0 or 2 to"):
        GuessMyCityEnv(**options)


def test_guess_my_city_refuses_a_task_of_another_game(env):
    with pytest.raises(TaskError, match="not one of the"):
        env.reset(options={"task": guess_my_city_task("x", 0, [], "Atlantis")})


def test_unseen_secrets_are_hidden_in_no_other_split():
    suite = agentgym.load_suite("dialogue/guess-my-city")
    unseen = {task.private["secret"] for task in suite.tasks("test") if task.stratum == "list-16-unseen"}
    assert len(unseen) == 20
    for split in ("train", "validation"):
        assert not unseen & {task.private["secret"] for task in suite.tasks(split)}
    for split in suite.splits:
        for task in suite.tasks(split):
            assert task.private["secret"] in listed_in(task.instruction)


def test_vocabulary_covers_what_is_said(env):
    def split(text):
        return re.findall(r"\w+", text)

    words = set(split(" ".join(vocabulary.texts()))) | set(map(str, vocabulary.NUMBERS))
    for seed in range(50):
        task = env.make_task(seed)
        record = play_script(env, task, Demonstrator(task, seed))
        for text in (record.first.text, *(step.text for step in record.steps), *record.actions):
            assert set(split(text)) <= words
