from __future__ import annotations

import pytest

import agentgym
from agentgym.testing.episodes import play_actions
from agentgym_dialogue.words.wordle_with_critic import vocabulary
from agentgym_dialogue.words.wordle_with_critic.game import WordleWithCriticGame, critic_task
from agentgym_dialogue.words.wordle_with_critic.partners import Critic, Guesser
from agentgym_dialogue.words.wordle_with_critic.scripts import SCRIPTS
from tests.environments.dialogue.leaks import Leak, private
from tests.environments.dialogue.playing import num_solved, played, texts_of, told, words_in

LEAKS = (
    Leak("guesser", private("secret"), with_players=False),
    Leak("critic", private("secret"), asks=False),
)


TASK = critic_task("critic:test", 0, "apple", ["orchard", "core", "pie"])


@pytest.fixture
def game():
    game = WordleWithCriticGame()
    game.reset(TASK)
    return game


def view(role):
    return agentgym.make("agentgym/WordleWithCritic-v0", role=role)


def test_game_tells_both_the_clue_and_neither_the_word():
    inbox = WordleWithCriticGame().reset(TASK)
    for role in ("guesser", "critic"):
        assert "Clue: orchard core pie." in inbox[role][0]["content"]
        assert "apple" not in inbox[role][0]["content"]


def test_game_asks_the_critic_before_each_guess(game):
    assert told(game.step("maple"), "critic") == "Proposal: maple"
    assert told(game.step("Disagree: a pie\nof what?"), "guesser") == "Critic: Disagree: a pie of what?"
    reply = game.step("maple")
    assert told(reply, "guesser") == told(reply, "critic") == "maple: - Y G G G"
    game.step("apple")
    game.step("I agree")
    reply = game.step("apple")
    assert reply.scores == {"guesser": pytest.approx(2 / 3), "critic": pytest.approx(2 / 3)}
    assert [(event.role, event.component, event.value) for event in reply.events] == [
        ("guesser", "success", 1.0),
        ("critic", "success", 1.0),
    ]


def test_proposals_cost_no_try_and_three_wrong_guesses_end_the_game(game):
    for _ in range(2):
        assert [game.step(text).outcome for text in ("apple", "agree", "maple")] == [None] * 3
    replies = [game.step(text) for text in ("apple", "agree", "maple")]
    assert told(replies[-1], "critic") == "No tries left."
    assert replies[-1].scores["critic"] == 0


@pytest.mark.parametrize("line", ["", "hm", "agree and disagree", "disagreement", "согласен", "agree " * 31])
def test_critic_says_one_verdict(game, line):
    game.step("maple")
    assert game.step(line).is_invalid
    assert game.acting_role == "critic"


def test_scripted_critic_checks_marks_and_clue():
    critic = Critic(TASK, 0, quality=1.0)
    assert critic.act([{"role": "user", "content": "Proposal: apple"}]) == "agree"
    assert critic.act([{"role": "user", "content": "Proposal: table"}]) == "disagree, it does not fit the clue"
    talk = [{"role": "user", "content": text} for text in ("maple: - Y G G G", "Proposal: maple")]
    assert critic.act(talk) == "disagree, the marks rule it out"
    assert Critic(TASK, 0, 1.0, suggests=True).act(talk) == "disagree, the marks rule it out, take [apple]"


def test_scripted_guesser_heeds_what_the_critic_suggests_where_the_marks_allow_it():
    def guess(said):
        talk = [{"role": "user", "content": "rules"}, {"role": "user", "content": "maple: - Y G G G"}]
        talk += [{"role": "assistant", "content": "chair"}, {"role": "user", "content": f"Critic: {said}"}]
        return Guesser(TASK, 0, care=0.0, quality=0.0).act(talk)

    assert guess("agree") == "chair"
    assert guess("disagree, take [apple]") == "apple"
    assert guess("disagree, take [table]") != "table"
    assert guess("disagree, take [qqqqq]") != "qqqqq"


def test_views_of_both_roles_meet_scripted_partners():
    record = play_actions(view("guesser"), TASK, ["table", "apple"])
    assert record.steps[0].text.startswith("Critic: ")
    assert record.success
    record = play_actions(view("critic"), TASK, ["disagree, take [apple]"])
    assert record.first.text.rpartition("\n")[2].startswith("Proposal: ")
    assert record.steps[0].text == "correct"


@pytest.mark.parametrize("role", ["guesser", "critic"])
def test_quality_moves_the_success_of_demonstrators(role):
    rates = [num_solved(view(role), SCRIPTS[role]["demo"], 80, quality=quality) for quality in (0.0, 0.2, 1.0)]
    assert rates[0] + 10 < rates[1] < rates[2]
    assert rates[2] >= 79


def test_vocabulary_lists_every_word():
    listed = words_in(vocabulary.texts(), ".,:[]")
    for role in ("guesser", "critic"):
        records = played(view(role), SCRIPTS[role]["demo"], 20)
        assert words_in(texts_of(records), ".,:[]") <= listed
