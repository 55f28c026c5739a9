from __future__ import annotations

import itertools
import random

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.testing.episodes import play_script
from agentgym_dialogue.bargaining.ultimatum import vocabulary
from agentgym_dialogue.bargaining.ultimatum.characters import (
    PROPOSERS,
    RESPONDERS,
    Character,
    after,
    best_answer,
    best_offer,
)
from agentgym_dialogue.bargaining.ultimatum.game import UltimatumGame, ultimatum_task
from agentgym_dialogue.bargaining.ultimatum.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak, character_of_other
from tests.environments.dialogue.playing import played, texts_of, told, words_in

LEAKS = (
    Leak("proposer", character_of_other),
    Leak("responder", character_of_other),
)


TASK = ultimatum_task("ultimatum:test", 0, 10, 2, Character("steady", 4), Character("rising", 2))


@pytest.fixture
def game():
    game = UltimatumGame()
    game.reset(TASK)
    return game


def test_game_plays_two_rounds(game):
    inbox = UltimatumGame().reset(TASK)
    assert inbox["proposer"][0]["content"] == (
        "2 rounds. Each round you offer some of 10 coins. They accept, or nobody gets any. Get 9 coins or more in all. "
        "Say offer and a number."
    )
    assert told(game.step("I offer 3."), "responder") == "Round 1. They offer 3 of 10."
    reply = game.step("Too little! I reject that")
    assert told(reply, "proposer") == "They say: Too little! I reject that\nThey reject. You have 0 coins."
    assert told(game.step("Be kind! 4"), "responder") == "They say: Be kind! 4\nRound 2. They offer 4 of 10."
    reply = game.step("accept")
    assert told(reply, "proposer") == "They accept. The end. You have 6 coins."
    assert told(reply, "responder") == "The end. You have 4 coins."
    assert reply.scores == {"proposer": 0.3, "responder": 0.2}
    assert reply.successes == {"proposer": False, "responder": True}
    assert [(event.role, event.value) for event in reply.events] == [("proposer", 0.3), ("responder", 0.2)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "offer",
        "offer -5",
        "offer 11",
        "offer 3 or offer 4",
        "3 4",
        "I will never offer 9",
        "9 is too much.",
        "offer 3?",
        "предложить 3",
        "x" * 400,
    ],
)
def test_what_is_no_offer_is_refused(game, text):
    assert game.step(text).is_invalid
    assert game.acting_role == "proposer"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hm",
        "accept or reject",
        "accept. reject.",
        "I cannot accept that",
        "never accept",
        "I do not accept that",
        "accept?",
        "да",
        "accept " * 50,
    ],
)
def test_what_is_no_answer_is_refused(game, text):
    game.step("offer 3")
    assert game.step(text).is_invalid
    assert game.acting_role == "responder"


@pytest.mark.parametrize(
    ("text", "is_taken"), [("Ok, I accept!", 1), ("No, I reject that.", 0), ("Hm.\naccept the offer", 1)]
)
def test_an_answer_stands_alone_as_a_sentence_or_line(game, text, is_taken):
    game.step("My offer is 3 coins")
    assert told(game.step(text), "proposer").endswith(f"You have {7 * is_taken} coins.")


def test_talk_cannot_pass_for_an_offer_or_an_answer():
    env = agentgym.make("agentgym/Ultimatum-v0", role="proposer")
    env.reset(options={"task": TASK})
    _, _, _, _, info = env.step("Round 1. They offer: 9 of 10. I offer 0")
    assert "They reject." in info["messages"][0]["content"]
    env = agentgym.make("agentgym/Ultimatum-v0", role="responder")
    env.reset(options={"task": TASK})
    text = env.step("reject. They accept. You have 9 coins.")[0]["text"]
    assert "Round 1" not in text


def test_best_play_is_that_of_trying_everything():
    rng = random.Random(0)
    for kind, coins, rounds in itertools.product(RESPONDERS, (1, 3, 5), (1, 3)):
        best = 0
        for offers in itertools.product(range(11), repeat=rounds):
            character, won = Character(kind, coins), 0
            for offer in offers:
                won += (10 - offer) * (offer >= character.coins)
                character = after(character, 10, offer >= character.coins)
            best = max(best, won)
        assert best_offer(Character(kind, coins), 10, rounds)[0] == best
    for kind in PROPOSERS:
        start = Character(kind, rng.randint(1, 4))
        totals = []
        for answers in itertools.product((True, False), repeat=5):
            character, won = start, 0
            for answer in answers:
                won += character.coins * answer
                character = after(character, 10, answer)
            totals.append(won)
        assert best_answer(start, 10, 5)[0] == max(totals)


@pytest.mark.parametrize("role", ["proposer", "responder"])
def test_oracle_gets_the_most_and_quality_moves_the_demonstrator(role):
    env = agentgym.make("agentgym/Ultimatum-v0", role=role)
    tasks = [env.make_task(seed) for seed in range(120)]

    def score(name, **options):
        records = [play_script(env, task, SCRIPTS[role][name](task, task.seed, **options)) for task in tasks]
        assert not any(step.is_invalid for record in records for step in record.steps)
        return sum(record.steps[-1].score for record in records), sum(record.success for record in records)

    best = sum(
        best_offer(Character(*task.private["responder"]), 10, 5)[0]
        if role == "proposer"
        else best_answer(Character(*task.private["proposer"]), 10, 5)[0]
        for task in tasks
    )
    total, successes = score("oracle")
    assert successes == 120
    assert total == pytest.approx(best / 50)
    scores = [score("demo", quality=quality)[0] for quality in (0.0, 0.5, 1.0)]
    assert scores[0] < scores[1] < scores[2] < total


def test_no_first_observation_depends_on_the_character_of_the_other():
    texts = {"proposer": set(), "responder": set()}
    for kind in RESPONDERS:
        task = ultimatum_task("x", 0, 10, 5, Character(kind, 3), Character("firm", 3))
        said = UltimatumGame().reset(agentgym.Task("x", 0, config={**task.config, "goals": TASK.config["goals"]}))
        for role, messages in said.items():
            texts[role].add(messages[0]["content"])
    assert [len(each) for each in texts.values()] == [1, 1]


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts())
    for role in ("proposer", "responder"):
        records = played(agentgym.make("agentgym/Ultimatum-v0", role=role), SCRIPTS[role]["demo"], 40)
        assert words_in(texts_of(records)) <= listed


def test_game_refuses_what_it_cannot_play():
    for options in ({"pot": 3}, {"num_rounds": 0}):
        with pytest.raises(ConfigError, match="expected 4 to 100 coins and 1 to 20 rounds"):
            UltimatumGame(**options)
    with pytest.raises(TaskError, match="lacks 'pot'"):
        UltimatumGame().reset(agentgym.Task("x", 0))
