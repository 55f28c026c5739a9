"""What customers say in words, and what is understood of it."""

import random

import pytest

from agentgym.suite import load_suite
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.desks.words.agent_wording import say_as_agent
from agentgym_tools.desks.words.customer_wording import say_as_customer
from agentgym_tools.desks.words.lexicon.language import language_of
from agentgym_tools.desks.words.reading.agent import understand_agent
from agentgym_tools.desks.words.reading.customer import understand_customer
from agentgym_tools.specs import WORDS_DESKS
from agentgym_tools.worlds.calls import Call
from benchmarks.desk_talk.phrasings import sayings


@pytest.fixture
def hear():
    language = language_of(desk("shop"), "full")
    return lambda text, **options: [str(act) for act in understand_customer(language, text, **options).acts]


@pytest.mark.parametrize(
    ("text", "asked", "act"),
    [
        ("My order number is W1042, please.", (), "inform(fact='order_id', value='W1042')"),
        ("W1042.", ("order_id",), "inform(fact='order_id', value='W1042')"),
        ("It is the blue kite 7", ("item",), "inform(fact='item', value='the blue kite 7')"),
        ("I don't know that one, sorry.", ("order_id",), "unknown(fact='order_id')"),
        ("Hi, I'd like to cancel an order.", (), "request(goal='cancel_order', facts={})"),
        ("No, that is wrong.", (), "deny(number=1)"),
        ("I insist.", (), "insist()"),
        ("Bye!", (), "bye()"),
    ],
)
def test_customers_are_understood(hear, text, asked, act):
    assert hear(text, asked=asked) == [act]


def test_second_thoughts_are_told_as_such_and_understood():
    domain, language = desk("shop"), language_of(desk("shop"), "full")
    deny, new = Call(talk.DENY, {"number": 1}), Call(talk.INFORM, {"fact": "colour", "value": "red"})
    said = {say_as_customer(domain, [deny, new], "changing", random.Random(seed), [new]) for seed in range(20)}
    assert any("On second thoughts, the colour is red." in words for words in said)
    for words in said:
        assert understand_customer(language, words, num_proposed=1).acts == (deny, new), words


def test_a_yes_can_be_to_one_of_several_proposals(hear):
    assert hear("Yes, the second one please.", num_proposed=2) == ["confirm(number=2)"]
    assert hear("Yes, to both.", num_proposed=2) == ["confirm(number=1)", "confirm(number=2)"]


def test_facts_after_a_request_belong_to_it(hear):
    (request,) = hear("I want to return an item. The order number is W7 and the item is red kite 3.")
    assert request == "request(goal='return_item', facts={'order_id': 'W7', 'item': 'red kite 3'})"


@pytest.mark.parametrize("name", WORDS_DESKS)
def test_acts_that_are_said_in_words_are_understood_as_the_same_acts(name):
    domain, language = desk(name), language_of(desk(name), "full")
    for task in load_suite(f"tools/desk-{name}").tasks("test")[::90]:
        plan, rng = plan_of(task, domain), random.Random(task.seed)
        for case in plan.cases:
            for fact, value in {**plan.profile, **case.goal.facts}.items():
                act = Call(talk.INFORM, {"fact": fact, "value": value})
                words = say_as_customer(domain, [act], task.private["persona"], rng)
                assert understand_customer(language, words, asked=[fact], num_proposed=0).acts == (act,), words
            for call in [call for calls in case.wanted for call in calls if call.tool in domain.toolbox.tools]:
                act = Call(talk.PROPOSE, {"action": call.tool, "arguments": dict(call.arguments)})
                words = say_as_agent(domain, [act], rng)
                assert understand_agent(language, words).acts == (act,), words


def test_the_same_seed_says_the_same_words():
    act = Call(talk.INFORM, {"fact": "order_id", "value": "W1042"})
    said = {say_as_customer(desk("shop"), [act], "talkative", random.Random(seed)) for seed in range(20)}
    again = {say_as_customer(desk("shop"), [act], "talkative", random.Random(seed)) for seed in range(20)}
    assert said == again
    assert len(said) > 4


def test_most_of_what_customers_say_is_understood():
    found = sayings()
    assert len(found) >= 150
    assert sum(saying.is_right() for saying in found[::5]) / len(found[::5]) > 0.9


def test_a_no_that_begins_like_a_yes_is_a_no(hear):
    assert hear("Please do not do that.") == ["deny(number=1)"]


def test_a_code_answers_a_question_about_a_column_that_another_table_has_too():
    language = language_of(desk("bank"), "full")
    heard = understand_customer(language, "DE243082.", asked=["beneficiary_account"], num_proposed=0)
    assert [str(act) for act in heard.acts] == ["inform(fact='beneficiary_account', value='DE243082')"]
