from __future__ import annotations

import pytest

from agentgym_dialogue.phrases import question_of, stem, stems


@pytest.mark.parametrize(
    "words",
    [
        ("eat", "eats", "eating", "eaten"),
        ("ride", "rides", "riding", "ridden"),
        ("cut", "cuts", "cutting"),
        ("carry", "carries", "carrying", "carried"),
        ("peach", "peaches"),
        ("potato", "potatoes"),
        ("wheel", "wheels", "wheeled"),
        ("is", "are", "was", "been"),
        ("does", "can", "could", "would"),
        ("children", "child"),
        ("knives", "knife"),
    ],
)
def test_stems_of_one_word_are_equal(words):
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize("words", [("ring", "r"), ("bed", "b"), ("red", "re"), ("grass", "gras"), ("bus", "bu")])
def test_stem_keeps_what_only_looks_like_an_ending(words):
    assert stem(words[0]) != stem(words[1])


def test_stems_write_contractions_out():
    assert stems("Isn't it?") == stems("is not it")
    assert stems("I’m") == stems("I am")


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("Hm. Is it red? Thanks.", "Is it red?"),
        ("Let me think. It is a cat", "It is a cat"),
        ("Is it red? Is it blue?", None),
        ("?!", None),
        ("", None),
        ("名前", None),
    ],
)
def test_question_of_finds_the_one_question_of_a_message(message, question):
    found = question_of(message)
    assert (found and found.strip()) == question
