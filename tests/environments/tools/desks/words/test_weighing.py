"""Sentences that no rule covers are weighed: what is likely is heard, what is denied or asked is not."""

import pytest

from agentgym_tools.desks.desks import DESKS, desk
from agentgym_tools.desks.words.lexicon.language import language_of
from agentgym_tools.desks.words.lexicon.sentences import sentences_of
from agentgym_tools.desks.words.reading.agent import read_agent, understand_agent
from agentgym_tools.desks.words.reading.context import Context
from agentgym_tools.desks.words.weighing.weights import (
    ACTIONS,
    FACTS,
    NOTHING,
    REASONS,
    SINGLE,
    USER_ACTIONS,
    USES,
    weights_of,
)


def acts_of(name, text, customer=""):
    return [
        str(act) for act in understand_agent(language_of(desk(name), "full"), text, Context(customer=customer)).acts
    ]


@pytest.mark.parametrize("name", sorted(DESKS))
def test_weights_are_of_what_the_desk_knows(name):
    domain, weights = desk(name), weights_of(name)
    assert len(weights.base) == len(USES)
    known = {FACTS: domain.facts, ACTIONS: domain.writing, REASONS: domain.reasons, USER_ACTIONS: domain.user_tools}
    for family, subjects in weights.subjects.items():
        assert set(subjects.names) - {NOTHING} <= set(known[family])
        assert (NOTHING in subjects.names) == (family in SINGLE)
        assert len(subjects.names) == len(subjects.base)


def test_a_desk_without_weights_is_read_by_rules_alone():
    assert weights_of("none") is None


def test_a_sentence_that_rules_leave_is_weighed():
    text = "Swapped! The other colour's coming your way."
    assert not read_agent(language_of(desk("shop"), "full"), text, Context()).acts
    assert acts_of("shop", text) == ["report(action='exchange_item')"]


def test_uses_and_subjects_are_shares():
    language, weights = language_of(desk("shop"), "full"), weights_of("shop")
    sentences = sentences_of("What is your order number?")
    uses = weights.uses(sentences, 0)
    facts = weights.subjects_of(language, FACTS, sentences[0])
    assert max(uses, key=uses.get) == "ask"
    assert max(facts, key=facts.get) == "order_id"
    assert all(0.0 <= share <= 1.0 for share in (*uses.values(), *facts.values()))


def test_of_reasons_one_is_chosen_or_none():
    language, weights = language_of(desk("shop"), "full"), weights_of("shop")
    for text, is_said in (("The return period ran out last month.", True), ("I cannot do that for you.", False)):
        shares = weights.subjects_of(language, REASONS, sentences_of(text)[0])
        assert sum(shares.values()) <= 1.0
        assert (max(shares.values()) > 0.5) == is_said


def test_a_reason_is_heard_in_the_light_of_the_open_request():
    clinic = desk("clinic")
    text = "By our records you've plenty of tablets to be going on with, so it's too soon for another lot."
    for reasons, reason in ((None, "too_soon"), (clinic.reasons_by_kind["renew_prescription"], "too_early")):
        understood = understand_agent(language_of(clinic, "full"), text, Context(reasons=reasons))
        assert [str(act) for act in understood.acts] == [f"refuse(reason={reason!r})"]


@pytest.mark.parametrize("name", sorted(DESKS))
def test_a_refusal_without_a_reason_is_heard_as_none(name):
    for reasons in desk(name).reasons_by_kind.values():
        for text in ("I am not able to do that for you.", "It goes against our policy, so I have to decline."):
            assert not understand_agent(language_of(desk(name), "full"), text, Context(reasons=reasons)).acts


def test_an_act_whose_subject_is_not_heard_is_named_as_unclear():
    language = language_of(desk("shop"), "full")
    assert understand_agent(language, "I've done that for you.").unclear == (
        "I have done that for you (what you have done)",
    )
    assert not understand_agent(language, "Let me check that for you.").unclear


@pytest.mark.parametrize(
    "text",
    ["Your loan isn't repaid, not yet.", "Was the loan repaid?", "Nobody knows what becomes of it.", "Lovely weather!"],
)
def test_what_is_denied_asked_or_idle_is_not_heard_as_done(text):
    assert not [act for act in acts_of("bank", text) if act.startswith(("report", "tell"))]


@pytest.mark.parametrize(
    "question",
    ["Still want that?", "You fine with it?", "Do you?", "Should I do it?", "Are you in agreement?", "Yes to this?"],
)
def test_a_question_for_nothing_but_a_yes_makes_a_statement_a_proposal(question):
    text = f"We cancel order W14135 because it was too slow. {question}"
    assert acts_of("shop", text) == [
        "propose(action='cancel_order', arguments={'order_id': 'W14135', 'reason': 'too slow'})"
    ]


@pytest.mark.parametrize("question", ["Anything else?", "Did you do it?", "How are you?", "Who are you?"])
def test_other_short_questions_ask_for_no_yes(question):
    text = f"We cancel order W14135 because it was too slow. {question}"
    assert not [act for act in acts_of("shop", text) if act.startswith("propose")]


@pytest.mark.parametrize(
    ("name", "text", "acts"),
    [
        ("shop", "How do you want the money back, to your card or the gift card?", ["ask(fact='refund_to')"]),
        ("shop", "The prices of the two items differ too much, sorry.", ["refuse(reason='price_difference')"]),
        ("shop", "Also the order number, if you can.", ["ask(fact='order_id')"]),
        ("shop", "Phone no. and zip code pls.", ["ask(fact='phone')", "ask(fact='zip_code')"]),
        (
            "insurance",
            "Your claim was filed and the document added.",
            ["report(action='file_claim')", "report(action='add_document')"],
        ),
        (
            "telecom",
            "Do not disturb is active, that's why. Turn it off for me.",
            ["instruct(action='toggle_do_not_disturb', arguments={})"],
        ),
        (
            "bank",
            "Should I open card C15650 for North Asia for 45 days and set the limit of C14438 to 4500 dollars?",
            [
                "propose(action='open_card_abroad', arguments={'card_id': 'C15650', 'region': 'North Asia', "
                "'days': 45})",
                "propose(action='set_card_limit', arguments={'card_id': 'C14438', 'new_limit_cents': 450000})",
            ],
        ),
    ],
)
def test_clauses_are_read_by_general_rules(name, text, acts):
    assert acts_of(name, text) == acts
