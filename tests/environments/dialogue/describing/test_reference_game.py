from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.picture import has_picture
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.remote import RemoteEnv
from agentgym.remote.server.app import create_app, running
from agentgym.store import RunStore
from agentgym.testing import check_env
from agentgym.testing.episodes import play_actions
from agentgym_dialogue.describing.letter_grid import picture_of
from agentgym_dialogue.describing.reference_game import vocabulary
from agentgym_dialogue.describing.reference_game.facts import Fact, facts_of, read_facts
from agentgym_dialogue.describing.reference_game.game import ReferenceGame, draw, reference_task
from agentgym_dialogue.describing.reference_game.scripts import SCRIPTS
from tests.environments.dialogue.playing import num_solved

LEAKS = ()  # an index of what both see


TASK = reference_task("reference:test", 0, 3, ["XXX---XXX", "X-X-X-X-X", "XXXX-XXXX"], 1)


@pytest.fixture
def game():
    game = ReferenceGame()
    game.reset(TASK)
    return game


class Hesitant:
    """Says nothing valid at first."""

    def act(self, messages):
        return "first" if any(message["role"] == "assistant" for message in messages) else "hm"


def view(role, **options):
    return agentgym.make("agentgym/ReferenceGame-v0", role=role, **options)


def test_game_shows_the_target_first_to_the_describer_alone():
    inbox = ReferenceGame().reset(TASK)
    assert inbox["describer"][0]["content"].startswith(
        "Target grid:\nX - X\n- X -\nX - X\nSecond grid:\nX X X\n- - -\n"
    )
    assert inbox["guesser"][0]["content"].startswith("First grid:\nX X X\n- - -\nX X X\nSecond grid:\nX - X\n")


def test_game_is_won_by_the_answer_that_names_the_target(game):
    assert game.step("row 2\nhas 1 X").inbox["guesser"][0]["content"] == "Description: row 2 has 1 X"
    reply = game.step("It is the SECOND one.")
    assert reply.inbox["guesser"][0]["content"] == "correct"
    assert reply.successes == {"guesser": True, "describer": True}
    assert [(event.role, event.component, event.value) for event in reply.events] == [
        ("guesser", "success", 1.0),
        ("describer", "success", 1.0),
    ]


@pytest.mark.parametrize("answer", ["first", "third", "unclear"])
def test_game_is_lost_by_any_other_answer(game, answer):
    game.step("row 2 has 1 X")
    reply = game.step(answer)
    assert (str(reply.outcome), reply.scores["guesser"]) == ("terminated", 0.0)


@pytest.mark.parametrize("answer", ["", "fourth", "first or second", "2", "secondly", "second " * 100, "zweite"])
def test_answer_that_names_no_single_grid_is_invalid(game, answer):
    game.step("row 2 has 1 X")
    assert game.step(answer).is_invalid
    assert game.acting_role == "guesser"


@pytest.mark.parametrize("said", ["", "?!", "строка", "x " * 81, "row " * 76, "row\x00"])
def test_description_that_is_no_plain_text_is_invalid(game, said):
    assert game.step(said).is_invalid
    assert game.acting_role == "describer"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("row 2 column 3 is X", [Fact(1, 2, 1)]),
        ("In row 2, column 3 is empty.", [Fact(1, 2, 0)]),
        ("Row 1 is full and column 2 has 3 X", [Fact(0, None, 5), Fact(None, 1, 3)]),
        ("the second row is empty", [Fact(1, None, 0)]),
        ("The bottom row has two Xs", [Fact(4, None, 2)]),
        ("the top left corner is filled", [Fact(0, 0, 1)]),
        ("11 X in all", [Fact(None, None, 11)]),
        ("row 9 is full", []),
        ("row 0 is full", []),
        ("a nice grid", []),
        ("X - " * 12 + "X", [Fact(*divmod(index, 5), 1 - index % 2) for index in range(25)]),
    ],
)
def test_facts_are_read_from_free_text(text, facts):
    assert read_facts(text, 5) == facts


def test_facts_in_words_are_read_back():
    for seed in range(20):
        grids, _ = draw(random.Random(seed), 7, False)
        for fact in facts_of(grids[0], 7):
            assert read_facts(fact.words(7), 7) == [fact]
            assert fact.holds(grids[0], 7)


def test_alike_grids_differ_in_few_cells():
    for seed in range(100):
        grids, _ = draw(random.Random(seed), 5, True)
        assert len(set(grids)) == 3
        assert max(sum(a != b for a, b in zip(one, other, strict=True)) for one in grids for other in grids) <= 8


def test_scripted_guesser_owns_that_it_understands_nothing():
    record = play_actions(view("describer"), TASK, ["hello there"])
    assert record.steps[0].text == "wrong"


def test_grids_shown_as_images_are_in_observation_and_messages():
    env = view("guesser", show="both")
    observation, info = env.reset(options={"task": TASK})
    assert np.array_equal(observation["image"], picture_of(TASK.config["grids"], 3))
    assert "X - X" in observation["text"]
    assert has_picture(info["messages"])
    assert "X - X" not in view("guesser", show="image").reset(options={"task": TASK})[0]["text"]
    assert "image" not in view("guesser").reset(options={"task": TASK})[0]


def test_episodes_with_pictures_are_stored(tmp_path):
    suite = agentgym.load_suite("dialogue/reference-game")
    suite = replace(suite, env_options={**suite.env_options, "show": "both"})
    policy = ScriptedPolicy("hesitant", lambda task, seed: Hesitant())
    settings = EvaluationSettings(limit=4)
    with RunStore.create(tmp_path / "run", {"kind": "evaluation"}) as store:
        result = evaluate(policy, suite, "validation", settings, store=store)
        assert len(result.tasks) == 4
        turns = [turn for episode in store.load(store.episode_rows()) for turn in episode.turns]
    assert [has_picture(turn.messages) for turn in turns] == [True, False] * 4


def test_picture_has_black_cells_where_the_grid_is_filled():
    pixels = picture_of(["X--------", "--------X"], 3)
    assert pixels.shape == (3 * 8 + 1 + 16, 2 * (3 * 8 + 1 + 8) + 8, 3)
    assert (pixels[9:16, 9:16] == 0).all()
    assert (pixels[9:16, 17:24] == 255).all()


@pytest.mark.parametrize("role", ["guesser", "describer"])
def test_game_with_pictures_passes_the_checks(role):
    def make():
        return view(role, show="both")

    names = ["gymnasium", "sync_vector", "replay", "forks", "json", "messages", "ends", "hostile_actions"]
    check_env(make, scripts=SCRIPTS[role], only=names).raise_if_failed()


def test_served_game_with_pictures_is_that_of_the_process():
    task = agentgym.load_suite("dialogue/reference-game").tasks("test")[0]
    with running(create_app("agentgym/ReferenceGame-v0", role="guesser", show="both")) as url:

        def make():
            return RemoteEnv(url, sends_private_tasks=True)

        with make() as env:
            observation, _ = env.reset(options={"task": task})
            assert observation in env.observation_space
            assert np.array_equal(observation["image"], picture_of(task.config["grids"], 5))
        report = check_env(make, tasks=[task], scripts=SCRIPTS["guesser"], only=["gymnasium", "replay", "ends"])
    report.raise_if_failed()


@pytest.mark.parametrize("role", ["guesser", "describer"])
def test_quality_moves_the_success_of_demonstrators(role):
    rates = [num_solved(view(role), SCRIPTS[role]["demo"], 150, quality=quality) for quality in (0.0, 0.5, 1.0)]
    assert rates[0] + 15 < rates[1] < rates[2] - 15


def test_no_grid_of_the_suite_is_in_two_tasks_and_both_suites_have_the_same():
    suites = [agentgym.load_suite(f"dialogue/reference-game{end}") for end in ("", "-describer")]
    grids = [grid for split in suites[0].splits for task in suites[0].tasks(split) for grid in task.config["grids"]]
    assert len(set(grids)) == len(grids)
    for split in suites[0].splits:
        hashes = [[task.content_hash for task in suite.tasks(split)] for suite in suites]
        assert hashes[0] == hashes[1]


def test_vocabulary_lists_every_word():
    words = {word.strip(".,:") for text in vocabulary.texts() for word in text.split()}
    env = view("guesser")
    for seed in range(50):
        assert {word.strip(".,:") for word in env.reset(seed=seed)[0]["text"].split() if not word.isdigit()} <= words


def test_game_refuses_what_it_cannot_play():
    for options in ({"size": 2}, {"show": "sound"}):
        with pytest.raises(ConfigError, match="expected a size of 3 to 9"):
            ReferenceGame(**options)
    with pytest.raises(TaskError, match="three different grids of 3 rows"):
        ReferenceGame().reset(reference_task("x", 0, 3, ["X"] * 3, 0))
    with pytest.raises(TaskError, match="lacks 'size'"):
        ReferenceGame().reset(agentgym.Task("x", 0))
