"""What customers say in words, and what is understood of it."""

import random

import pytest

from agentgym.suite import load_suite
from agentgym_tools.desks import talk
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.scripts import PARTNERS
from agentgym_tools.desks.tasks import plan_of
from agentgym_tools.desks.words.agent_wording import say_as_agent
from agentgym_tools.desks.words.customer_wording import name_of, say_as_customer
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
        ("No longer needed.", ("reason",), "inform(fact='reason', value='No longer needed')"),
        ("I've changed my mind: I want to return an item.", (), "request(goal='return_item', facts={})"),
        ("I insist.", (), "insist()"),
        ("Bye!", (), "bye()"),
    ],
)
def test_customers_are_understood(hear, text, asked, act):
    assert hear(text, asked=asked) == [act]


@pytest.mark.parametrize("text", ["K595.", "It is K595.", "My number is K595."])
def test_a_code_of_any_form_answers_the_question_for_a_code(text):
    """A bare code of another desk's form was not heard, or taken for the name that was asked for first."""
    heard = understand_customer(language_of(desk("clinic"), "full"), text, asked=["name", "member_number"])
    assert [str(act) for act in heard.acts] == ["inform(fact='member_number', value='K595')"]


def test_who_asks_back_which_value_it_should_be_tells_none():
    heard = understand_customer(language_of(desk("clinic"), "full"), "Morning or afternoon?", asked=["daytime"])
    assert [act.tool for act in heard.acts] == ["digress"]


def test_second_thoughts_are_told_as_such_and_understood():
    domain, language = desk("shop"), language_of(desk("shop"), "full")
    deny, new = Call(talk.DENY, {"number": 1}), Call(talk.INFORM, {"fact": "colour", "value": "red"})
    said = {say_as_customer(domain, [deny, new], "changing", random.Random(seed), [new]) for seed in range(20)}
    assert any("On second thoughts, the colour is red." in words for words in said)
    assert not any("wrong" in words for words in said)
    for words in said:
        assert understand_customer(language, words, num_proposed=1).acts == (deny, new), words


def test_second_thoughts_are_told_as_such_once():
    """Whoever proposes the old wish again is told the new one as a plain fact."""
    tasks = load_suite("tools/desk-shop-words").tasks("test")
    task = next(task for task in tasks if task.private["persona"] == "changing" and len(task.private["goals"]) == 1)
    (case,) = plan_of(task, desk("shop")).cases
    wish = case.first.wanted[0][0]
    proposal = talk.to_text(Call(talk.PROPOSE, {"action": wish.tool, "arguments": dict(wish.arguments)}))
    customer, messages, said = PARTNERS["user"](task, 0), [], []
    for _ in range(3):
        said.append(customer.act(messages))
        messages += [{"role": "assistant", "content": said[-1]}, {"role": "user", "content": proposal}]
    is_new = [any(each in words for each in ("second thoughts", "changed my mind")) for words in said]
    assert is_new == [False, True, False]


@pytest.mark.parametrize(
    ("name", "fact", "value", "phrase"),
    [
        ("telecom", "gigabytes", 2, "how many gigabytes to buy"),
        ("telecom", "own_line", "070-15528", "the number of the phone in my hands"),
        ("airline", "passenger", "JUNG/OTTO", "the passenger"),
    ],
)
def test_customers_speak_of_facts_as_their_own(name, fact, value, phrase):
    assert name_of(desk(name), fact) == phrase
    inform = Call(talk.INFORM, {"fact": fact, "value": value})
    said = {say_as_customer(desk(name), [inform], "plain", random.Random(seed)) for seed in range(20)}
    for words in said:
        heard = understand_customer(language_of(desk(name), "full"), words, asked=[fact], num_proposed=0)
        assert heard.acts == (inform,), words


def test_second_thoughts_are_understood_at_every_desk():
    """Most were heard as requests, because "changed" is a word of requests too."""
    for name in WORDS_DESKS:
        domain, language = desk(name), language_of(desk(name), "full")
        goals = first_changes(name)
        assert len(goals) > 2
        for goal in goals.values():
            ((fact, _),) = goal.at_first.items()
            acts = Call(talk.DENY, {"number": 1}), Call(talk.INFORM, {"fact": fact, "value": goal.facts[fact]})
            for seed in range(8):
                said = say_as_customer(domain, acts, "changing", random.Random(seed), acts[1:])
                assert understand_customer(language, said, num_proposed=1).acts == acts, said


def first_changes(name):
    """A goal of each kind about which a customer of the desk's test tasks changes its mind."""
    tasks = (task for task in load_suite(f"tools/desk-{name}").tasks("test") if task.private["persona"] == "changing")
    goals = [Goal.from_json({"customer": "", **goal}) for task in tasks for goal in task.private["goals"]]
    return {goal.kind: goal for goal in goals if goal.changes_mind}


def test_agents_speak_of_the_customer_as_you_and_spell_what_they_did():
    def said(name, tool, **arguments):
        return say_as_agent(desk(name), [Call(tool, arguments)], random.Random(0))

    assert "the number of the phone in your hands" in said("telecom", talk.ASK, fact="own_line")
    assert "how many gigabytes you would buy" in said("telecom", talk.ASK, fact="gigabytes")
    assert "set the network mode with the mode 4g" in said(
        "telecom", talk.INSTRUCT, action="set_network_mode", arguments={"mode": "4g"}
    )
    done = {
        "transfer_money": "transferred the money",
        "set_up_order": "set up the order",
        "repay_loan": "repaid the loan",
    }
    for tool, words in done.items():
        assert words in said("bank", talk.REPORT, action=tool)


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
