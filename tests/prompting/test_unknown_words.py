"""Words that a tokenizer spells are counted as unknown, and nothing else is."""

import pytest

from agentgym.prompting.tiny import build_tokenizer
from agentgym.prompting.unknown_words import UnknownWords, unknown_words

TOKENIZER = build_tokenizer(["look in the red box"], phrases=[' button "'])


@pytest.mark.parametrize(
    ("text", "share", "examples"),
    [
        ("look in the red box", 0.0, ()),
        ("look in the beacon", 1 / 3, ("beacon",)),
        ("beacon,rock and rock", 1.0, ("rock", "and", "beacon")),
        ("red Ärger", 0.5, ("Ärger",)),
        ('a button "red"', 0.0, ()),
        ("12345 of 67 is ok", 0.0, ()),
        ("", 0.0, ()),
    ],
)
def test_words_that_are_spelt_are_unknown(text: str, share: float, examples: tuple[str, ...]) -> None:
    found = unknown_words(TOKENIZER, [text])
    assert (found.share, found.examples) == (pytest.approx(share), examples)


def test_words_count_as_often_as_they_occur() -> None:
    assert unknown_words(TOKENIZER, ["red red", "red beacon"]).share == 0.25


def test_text_names_the_share_and_examples() -> None:
    assert str(UnknownWords(0.5, ("red", "box"))) == "50.0% of the words, such as 'red', 'box'"
    assert str(UnknownWords()) == "0.0% of the words"
