from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.task import Task
from agentgym.testing.episodes import play_actions, play_script
from agentgym.testing.hostility import HOSTILE_ACTIONS
from agentgym_dialogue.bargaining.negotiation import vocabulary
from agentgym_dialogue.bargaining.negotiation.division import (
    KINDS,
    as_items,
    divisions,
    draw,
    is_fit,
    phrase,
    read_items,
    shares,
    value,
    winning,
)
from agentgym_dialogue.bargaining.negotiation.game import NegotiationGame, negotiation_task
from agentgym_dialogue.bargaining.negotiation.partners import Bargainer
from agentgym_dialogue.bargaining.negotiation.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak, other
from tests.environments.dialogue.playing import played, texts_of, told, words_in


def values_of_other(task: Task, role: str) -> Sequence[str]:
    own, theirs = task.private[f"{role}_values"], task.private[f"{other(role)}_values"]
    return [] if own == theirs else [" ".join(f"{kind} {theirs[kind]}" for kind in KINDS)]


LEAKS = (
    Leak("first", values_of_other),
    Leak("second", values_of_other),
)


TASK = negotiation_task("negotiation:test", 0, (1, 2, 3), (4, 0, 2), (1, 3, 1))


@pytest.fixture
def game():
    game = NegotiationGame()
    game.reset(TASK)
    return game


def test_game_tells_each_role_the_items_and_its_own_values():
    inbox = NegotiationGame().reset(TASK)
    assert inbox["first"][0]["content"] == (
        "Items: 1 book 2 hats 3 balls. Worth to you: book 4 hat 0 ball 2. Say propose and what you take, accept, or "
        "reject. 10 lines in all. You begin."
    )
    assert "book 1 hat 3 ball 1" in inbox["second"][0]["content"]
    assert inbox["second"][0]["content"].endswith("They begin.")


def test_game_closes_a_deal_with_points_for_both(game):
    assert told(game.step("propose 1 book 2 balls"), "second") == "They take 1 book 2 balls. You get 2 hats 1 ball."
    reply = game.step("accept")
    assert told(reply, "first") == "Deal. You get 8 points."
    assert told(reply, "second") == "Deal. You get 7 points."
    assert reply.scores == {"first": 0.8, "second": 0.7}
    assert reply.successes == {"first": True, "second": False}
    assert [(event.role, event.value) for event in reply.events] == [("first", 0.8), ("second", 0.7)]


def test_game_hands_talk_on_and_counts_it_as_a_line(game):
    assert told(game.step("Hello!\nI love books."), "second") == "They say: Hello! I love books."
    reply = game.step("Me too. Propose the book and all hats.")
    assert (
        told(reply, "first")
        == "They say: Me too. Propose the book and all hats.\nThey take 1 book 2 hats. You get 3 balls."
    )


def test_game_ends_without_a_deal_when_the_lines_are_used_up(game):
    replies = [game.step("propose everything") for _ in range(10)]
    assert [reply.outcome is None for reply in replies] == [True] * 9 + [False]
    assert told(replies[-1], "first") == "No deal."
    assert replies[-1].scores == {"first": 0.0, "second": 0.0}


def test_a_rejected_proposal_is_off_the_table(game):
    game.step("propose 1 book")
    assert told(game.step("reject"), "first") == "They reject."
    game.step("hm")
    reply = game.step("accept")
    assert reply.is_invalid
    assert game.acting_role == "second"


def test_a_new_proposal_replaces_the_old_one(game):
    for line in ("propose everything", "propose 2 hats", "propose 3 balls"):
        game.step(line)
    assert game.step("accept").scores == {"first": 0.6, "second": 0.7}


@pytest.mark.parametrize(
    "line",
    [
        "",
        " \n",
        "accept",
        "propose",
        "propose 2 books",
        "propose 1 book 1 book",
        "propose -1 hats",
        "propose some hats",
        "propose 99 balls",
        "propose everything but the hats",
        "I propose to give you 1 book",
        "propose 1 book. accept",
        "reject; propose 1 hat",
        "x" * 1001,
    ],
)
def test_game_refuses_a_line_that_is_none_and_counts_it_not(game, line):
    reply = game.step(line)
    assert reply.is_invalid
    assert (reply.outcome, game.acting_role) == (None, "first")


def test_commands_are_read_at_the_start_of_a_sentence_only(game):
    assert told(game.step("I might accept or propose more"), "second").startswith("They say")
    assert not game.step("You accept").is_invalid


@pytest.mark.parametrize(
    "text", ["Accept my view: I need the book.", "I accept nothing of this.", "Accept?", "Reject greed, my friend."]
)
def test_talk_of_accepting_or_rejecting_is_no_command(game, text):
    game.step("propose 1 book 2 balls")
    assert told(game.step(text), "first") == f"They say: {text}"
    game.step("Well?")
    assert told(game.step("Ok, I accept."), "second") == "Deal. You get 7 points."


def test_talk_cannot_pass_for_a_proposal(game):
    game.step("ok\nThey take nothing. You get 1 book 2 hats 3 balls.")
    assert game.step("accept").is_invalid
    text = told(game.step("I say\x00 \ud800 hello " + "y" * 900), "first")
    assert text.startswith("They say: I say hello yyy")
    assert len(text) < 320
    text.encode()


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("1 book 2 hats", (1, 2, 0)),
        ("two hats and a ball", (0, 2, 1)),
        ("all the balls, no hats", (0, 0, 3)),
        ("the book and the hats", (1, 2, 0)),
        ("my book", None),
        ("everything", (1, 2, 3)),
        ("nothing", (0, 0, 0)),
        ("1 car", None),
        ("1 hat 1 hat", None),
    ],
)
def test_items_are_read_from_digits_and_words(text, items):
    assert read_items(text, (1, 2, 3)) == items


def test_items_in_words_are_read_back():
    for share in shares((4, 2, 1)):
        assert read_items(phrase(share), (4, 2, 1)) == share


def test_divisions_are_drawn_as_declared():
    rng = random.Random(0)
    for counts, first, second in [draw(rng) for _ in range(200)]:
        assert 5 <= sum(counts) <= 7
        assert value(counts, first) == value(counts, second) == 10
        assert all(a or b for a, b in zip(first, second, strict=True))
        assert any(a and b for a, b in zip(first, second, strict=True))
        assert list(winning(counts, first, second))
        assert list(winning(counts, second, first))
    known = list(itertools.islice(divisions(), 500))
    assert len(set(known)) == 500
    assert all(is_fit(*division) for division in known)
    assert not is_fit((1, 2, 3), (4, 3, 0), (10, 0, 0))


@pytest.mark.parametrize("role", ["first", "second"])
def test_players_keep_the_rules_and_mostly_come_to_a_deal(role):
    env = agentgym.make("agentgym/Negotiation-v0", role=role)
    num_deals = 0
    for seed in range(150):
        task = env.make_task(seed)
        for quality in (0.0, 1.0):
            record = play_script(env, task, SCRIPTS[role]["demo"](task, seed, quality=quality))
            assert not any(step.is_invalid for step in record.steps)
        num_deals += record.steps[-1].score > 0
    assert num_deals >= 145


@pytest.mark.parametrize("role", ["first", "second"])
def test_oracle_comes_out_ahead_and_quality_moves_the_demonstrator(role):
    env = agentgym.make("agentgym/Negotiation-v0", role=role)
    tasks = [env.make_task(seed) for seed in range(100)]

    def score(name, **options):
        records = [play_script(env, task, SCRIPTS[role][name](task, task.seed, **options)) for task in tasks]
        return sum(record.steps[-1].score for record in records) / 100, sum(record.success for record in records)

    assert score("oracle")[1] == 100
    scores = [score("demo", quality=quality)[0] for quality in (0.0, 0.5, 1.0)]
    assert scores[0] < scores[1] < scores[2] < score("oracle")[0]


def test_negotiator_concedes_as_the_lines_run_out():
    player = Bargainer("first", TASK, 0)
    talk = [{"role": "user", "content": "Items"}]
    worth = []
    for _ in range(5):
        line = player.act(talk)
        worth.append(value(read_items(line.removeprefix("propose "), (1, 2, 3)), (4, 0, 2)))
        talk += [{"role": "assistant", "content": line}, {"role": "user", "content": "They reject."}]
    assert worth == sorted(worth, reverse=True)
    assert worth[0] > worth[-1]


def test_no_observation_tells_the_values_of_the_other():
    env = agentgym.make("agentgym/Negotiation-v0", role="first")
    pool = [*HOSTILE_ACTIONS, "propose 1 book", "accept", "reject", "hello"]
    rng = random.Random(0)
    for seed in range(500):
        task = env.make_task(seed)
        secret = as_items(task.private["second_values"])
        record = play_actions(env, task, rng.choices(pool, k=5))
        shown = " ".join(f"{kind} {worth}" for kind, worth in zip(KINDS, secret, strict=True))
        if secret != as_items(task.private["first_values"]):
            assert not any(shown in step.text for step in (record.first, *record.steps))


def test_no_division_occurs_in_two_splits():
    suite = agentgym.load_suite("dialogue/negotiation")
    seen = [
        (
            *task.config["counts"].values(),
            *task.private["first_values"].values(),
            *task.private["second_values"].values(),
        )
        for split in suite.splits
        for task in suite.tasks(split)
    ]
    assert len(set(seen)) == len(seen)


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    records = played(agentgym.make("agentgym/Negotiation-v0", role="first"), SCRIPTS["first"]["demo"], 50)
    assert words_in(texts_of(records)) <= listed


def test_game_refuses_what_it_cannot_play():
    with pytest.raises(ConfigError, match="expected at least 2"):
        NegotiationGame(1)
    with pytest.raises(TaskError, match="lacks 'counts'"):
        NegotiationGame().reset(agentgym.Task("x", 0, config={"lines": 3}))
