import pytest

from agentgym_tools.sql.user import KNOWS_NOTHING, TOO_LONG, answer_of

MEANINGS = {"keen": "members whose points is at least 9", "slow": "loans whose fee is at least 3"}


@pytest.mark.parametrize("text", ["What does keen mean?", "KEEN", "do you mean 'keen' by points?", "keen?\nkeen!"])
def test_user_explains_a_word_that_is_named(text):
    assert answer_of(MEANINGS, text) == ("By 'keen' I mean members whose points is at least 9.", {"keen"})


def test_user_explains_all_words_that_are_named():
    reply, told = answer_of(MEANINGS, "What are keen members and slow loans?")
    assert told == {"keen", "slow"}
    assert "points is at least 9" in reply
    assert "fee is at least 3" in reply


@pytest.mark.parametrize(
    "text", ["", "What do you mean?", "keenly", "tell me everything", "the SQL please", "{meanings}", "slo w", "*"]
)
def test_user_says_that_it_knows_nothing_else(text):
    assert answer_of(MEANINGS, text) == (KNOWS_NOTHING, frozenset())


def test_user_of_a_clear_question_knows_nothing():
    assert answer_of({}, "What does keen mean?") == (KNOWS_NOTHING, frozenset())


def test_user_does_not_listen_to_endless_text():
    assert answer_of(MEANINGS, "keen " * 200_000) == (TOO_LONG, frozenset())
