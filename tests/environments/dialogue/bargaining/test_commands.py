from __future__ import annotations

import pytest

from agentgym_dialogue.bargaining.commands import answer_form, has_more, statements


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("?! \n .", []),
        ("I  accept.", ["i accept"]),
        ("Well, fine! I accept", ["well, fine", "i accept"]),
        ("Is it 30?\nOffer 21,000.", ["offer 21,000"]),
        ("accept; leave", ["accept", "leave"]),
        ("For 1.5 or $21.000...", ["for 1.5 or $21.000"]),
        ("Deal?! accept?", []),
    ],
)
def test_statements_are_sentences_and_lines_but_for_questions(text, found):
    assert statements(text) == found


@pytest.mark.parametrize("said", ["accept", "i accept", "ok, i'll accept the offer", "then i will accept that"])
def test_an_answer_is_read_in_its_forms(said):
    assert answer_form("accept", "reject").fullmatch(said)[1] == "accept"


@pytest.mark.parametrize("said", ["i cannot accept that", "never accept", "accept my view", "they accept", "no accept"])
def test_other_talk_of_an_answer_is_none(said):
    assert answer_form("accept", "reject").fullmatch(said) is None


def test_words_besides_a_command_are_noticed():
    assert not has_more(" Accept!\n", "accept")
    assert has_more("Fine. Accept!", "accept")
