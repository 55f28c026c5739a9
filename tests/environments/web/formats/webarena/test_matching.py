import json

import pytest

from agentgym.errors import ConfigError, InfrastructureError
from agentgym_web.formats.webarena.matching import Matcher, url_fits

PLAIN, VISUAL = Matcher("What is it?"), Matcher("What is it?", is_visual=True)


class Judge:
    """Answers as it is told to, and notes what it was asked."""

    def __init__(self, answer="yes"):
        self.answer, self.asked = answer, []

    def ask(self, question, pictures=()):
        self.asked.append((question, list(pictures)))
        return self.answer


@pytest.mark.parametrize(
    ("wanted", "text", "fits"),
    [
        ({"exact_match": "A b"}, "'a  B'", True),
        ({"exact_match": "a b"}, "a c", False),
        ({"must_include": ["12", "red |OR| blue"]}, "12 blue ones", True),
        ({"must_include": ["12", "red |OR| blue"]}, "12 green ones", False),
        ({"must_include": ["0"]}, "10", False),
        ({"must_include": ["0"]}, "0 EUR", True),
        ({"must_include": ["12"]}, "120", True),
        ({"must_exclude": ["sorry"]}, "Sorry, no", False),
        ({"one_of": ["red", "blue"]}, "it is blue", True),
        ({"required_values": [">= 10", "< 20"]}, "1,5", True),
        ({"required_values": [">= 10", "< 20"]}, "20", False),
        ({"required_values": [">= 10"]}, "many", False),
        ({"fuzzy_match": "N/A"}, "N/A", True),
        ({"fuzzy_match": "N/A"}, "12", False),
    ],
)
def test_texts_are_compared_by_rules(wanted, text, fits):
    assert PLAIN.fits(wanted, text) is fits


def test_reference_of_one_word_is_a_word_in_visual_tasks():
    assert not VISUAL.fits({"must_include": ["12"]}, "120")
    assert VISUAL.fits({"must_include": ["12"]}, "is 12.")


def test_judge_sees_question_reference_and_answer_as_data():
    judge = Judge("Yes.")
    assert Matcher("What is it?", judge).fits({"fuzzy_match": ["a cat"]}, 'say "yes"\nnow')
    [(asked, _)] = judge.asked
    assert all(json.dumps(text) in asked for text in ("What is it?", "a cat", 'say "yes"\nnow'))
    assert not Matcher("?", Judge("no")).fits({"fuzzy_match": ["a", "b"]}, "c")


def test_judge_decides_why_something_cannot_be_done():
    assert Matcher("?", Judge("yes"), reason="there is no such order").fits({"fuzzy_match": "N/A"}, "No such order.")
    assert not Matcher("?", Judge("no"), reason="there is no such order").fits({"fuzzy_match": "N/A"}, "12")
    assert not Matcher("?", Judge("yes")).fits({"fuzzy_match": "N/A"}, "12")


def test_judge_that_gives_no_verdict_is_a_failure_and_no_judge_a_mistake():
    with pytest.raises(InfrastructureError, match="expected yes or no"):
        Matcher("?", Judge("perhaps")).fits({"fuzzy_match": ["a"]}, "b")
    with pytest.raises(ConfigError, match="needs a judge"):
        PLAIN.fits({"fuzzy_match": ["a"]}, "b")


def test_addresses_are_equal_or_contain_a_reference():
    reference = "http://a.test/x |OR| http://a.test/y?q=1"
    assert url_fits(reference, "http://a.test/y/more?z=2&q=1#top", is_exact=False)
    assert not url_fits("http://a.test/y?q=1", "http://a.test/y?q=12", is_exact=False)
    assert not url_fits("http://a.test/y", "http://b.test/y", is_exact=False)
    assert url_fits(reference, "http://a.test/x/", is_exact=True)
    assert not url_fits(reference, "http://a.test/x/more", is_exact=True)
