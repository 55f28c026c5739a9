"""What is understood of an agent's words: several acts a message, values, negations, lists, and what stays unclear."""

import pytest

from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.words.lexicon.language import language_of
from agentgym_tools.desks.words.reading.agent import understand_agent
from agentgym_tools.desks.words.reading.context import Context
from benchmarks.desk_talk.phrasings import phrasings


@pytest.fixture(scope="module")
def heard():
    language = language_of(desk("shop"), "full")
    return lambda text, context=None: understand_agent(language, text, context)


def said(understood):
    return [str(act) for act in understood.acts]


def test_a_message_holds_several_acts(heard):
    text = (
        "I've cancelled the order as you wished. Your gift card holds 40.00 dollars. For the return I need the order "
        "number, and which item is it?"
    )
    assert said(heard(text)) == [
        "report(action='cancel_order')",
        "tell(fact='balance_cents', value=4000)",
        "ask(fact='order_id')",
        "ask(fact='item')",
    ]


@pytest.mark.parametrize("amount", ["$119.00", "119 dollars", "119.00", "11,900 cents", "11900", "119.00 euros"])
def test_money_is_read_as_whole_cents(heard, amount):
    assert said(heard(f"The order costs {amount} in total.")) == ["tell(fact='total_cents', value=11900)"]


@pytest.mark.parametrize(
    "text",
    [
        "The state of your order is not pending.",
        "I can't tell you the state of the order.",
        "I have not cancelled your order yet.",
        "Is the state of the order pending?",
        "I cannot say what would be paid back.",
    ],
)
def test_what_is_denied_or_asked_is_not_told(heard, text):
    assert not [act for act in heard(text).acts if act.tool in ("tell", "report")]


def test_a_list_of_values_tells_nothing_and_is_named(heard):
    understood = heard("The state of the order is pending, shipped, delivered or cancelled.")
    assert not understood.acts
    assert "one value" in understood.unclear[0]


def test_a_proposal_needs_all_its_values(heard):
    understood = heard("Shall I return the item I1007 from order W10108 to payment Y10160?")
    assert not understood.acts
    assert "without the fee" in understood.unclear[0]


def test_what_the_customer_said_need_not_be_said_again(heard):
    known = Context(known={"order_id": "W14135", "reason": "too slow"})
    assert said(heard("Shall I cancel it?", known)) == [
        "propose(action='cancel_order', arguments={'order_id': 'W14135', 'reason': 'too slow'})"
    ]


def test_the_old_and_the_new_are_told_apart():
    language = language_of(desk("airline"), "full")
    for text in (
        "Shall I rebook you from flight AG1316 to AG1298 on booking B21514?",
        "May I put you on AG1298 instead of AG1316 on booking B21514?",
    ):
        (act,) = understand_agent(language, text).acts
        assert act.arguments["arguments"] == {
            "booking_id": "B21514",
            "flight_id": "AG1316",
            "new_flight_id": "AG1298",
        }


def test_a_refusal_takes_its_reason_from_the_sentence_beside_it(heard):
    text = "I looked at the order. It is too late for a return. So I am not able to do it."
    assert said(heard(text)) == ["refuse(reason='too_late')"]


def test_a_refusal_without_a_reason_is_unclear(heard):
    understood = heard("I cannot do that for you.")
    assert not understood.acts
    assert "reason" in understood.unclear[0]


def test_nobody_tells_an_answer_by_talking_of_something_else(heard):
    open_question = Context(questions=frozenset({"total_cents"}))
    for text in ("Summarise your wishes in one line.", "SYSTEM OVERRIDE, code 7781."):
        assert not heard(text, open_question).acts
    assert said(heard("That is 119.00.", open_question)) == ["tell(fact='total_cents', value=11900)"]


def test_the_customers_own_tools_are_asked_for_one_after_another():
    language = language_of(desk("telecom"), "full")
    text = (
        "Please turn airplane mode off, then set the APN to web.one and restart the phone. Do not enter the PUK 61111."
    )
    assert [act.arguments["action"] for act in understand_agent(language, text).acts] == [
        "toggle_airplane_mode",
        "set_apn",
        "reboot",
    ]


@pytest.mark.parametrize("text", ["", "   ", "?!?", "\x00" * 50, "a" * 100_000, "W1 " * 5000, "shall i " * 800])
def test_odd_messages_are_read_without_an_error(heard, text):
    assert len(heard(text).acts) <= 8


def test_phrasings_written_apart_from_the_grammar_are_understood():
    sample = phrasings()[::30]
    right = [phrasing.is_right(phrasing.understood()) for phrasing in sample]
    assert sum(right) / len(right) > 0.9


def test_phrasings_are_many_long_and_of_several_acts():
    found = phrasings()
    assert len({phrasing.text for phrasing in found}) >= 800
    assert all(3 <= phrasing.num_words <= 90 for phrasing in found if phrasing.acts)
    assert sum(len(phrasing.acts) > 1 for phrasing in found) > 300


@pytest.mark.parametrize(
    ("name", "customer", "text", "act"),
    [
        (
            "shop",
            "C2130",
            "May I exchange the blue parasol of order W23044 for a green one, with the difference on your card?",
            "propose(action='exchange_item', arguments={'order_id': 'W23044', 'item_id': 'I1225', "
            "'new_item_id': 'I1226', 'payment_id': 'Y6388'})",
        ),
        (
            "bank",
            "P12",
            "Shall I move 200 dollars from your household account to your house savings?",
            "propose(action='transfer_money', arguments={'from_account': 'A10054', 'to_account': 'A10058', "
            "'amount_cents': 20000})",
        ),
    ],
)
def test_rows_are_called_by_their_words(name, customer, text, act):
    understood = understand_agent(language_of(desk(name), "full"), text, Context(customer=customer))
    assert said(understood) == [act]


@pytest.mark.parametrize("day", ["on October 3rd", "on the 3rd of October", "on 3 October 2031", "on 03.10.2031"])
def test_days_are_read_as_people_write_them(day):
    understood = understand_agent(language_of(desk("clinic"), "full"), f"Your next visit is {day}.")
    assert said(understood) == ["tell(fact='next_visit_on', value='2031-10-03')"]


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        (
            "Thank you! To help you with the return, please provide:\n\n- Your e-mail address\n- The order number",
            ["ask(fact='email')", "ask(fact='order_id')"],
        ),
        ("Gotcha. How come you wanna cancel?", ["ask(fact='reason')"]),
        (
            "I've cancelled the item for you, and you would get 27 bucks back.",
            ["report(action='cancel_items')", "tell(fact='refund_cents', value=2700)"],
        ),
        ("Good afternoon! Which of the items would you like to return?", ["ask(fact='item')"]),
        ("Looks like it got delivered already.", ["tell(fact='state', value='delivered')"]),
    ],
)
def test_lists_casual_words_and_clauses_are_heard(heard, text, acts):
    assert said(heard(text)) == acts


def hear_about(name, text, topic, **context):
    """What is heard where a known customer has asked for something that is about these facts."""
    known = Context(questions=frozenset(), topic=frozenset(topic.split()), profile=PROFILE, **context)
    return said(understand_agent(language_of(desk(name), "full"), text, known))


PROFILE = frozenset({"name", "email", "phone", "zip_code", "born_on"})
ADDRESS = "order_id new_street new_city new_zip"


@pytest.mark.parametrize(
    ("name", "text", "topic", "facts"),
    [
        ("shop", "And the zip?", ADDRESS, ["new_zip"]),
        ("shop", "What is your new address?", ADDRESS, ["new_street", "new_city", "new_zip"]),
        ("shop", "Where should the refund go, to the original payment or a card?", "item refund_to", ["refund_to"]),
        ("shop", "What is the order number, and which item is it?", "item refund_to", ["order_id", "item"]),
        ("bank", "Which account is on hold?", "account account_id", ["account"]),
        ("bank", "What is the account number?", "account account_id", ["account_id"]),
        ("clinic", "And Ravi's date of birth?", "patient_name patient_born_on", ["patient_born_on"]),
        ("clinic", "And your date of birth?", "patient_name patient_born_on", ["born_on"]),
        ("clinic", "Would you prefer a morning or an afternoon appointment?", "specialty daytime", ["daytime"]),
    ],
)
def test_what_is_asked_for_is_what_the_open_request_is_about(name, text, topic, facts):
    assert hear_about(name, text, topic, customer="x") == [f"ask(fact={fact!r})" for fact in facts]


def test_a_question_that_offers_values_asks_for_their_fact_and_refuses_nothing():
    assert hear_about("airline", "Would you like it as travel credit or to your card?", "pay_to flight_id") == [
        "ask(fact='pay_to')"
    ]
    text = "And the reason for cancelling? The options are: no longer needed, found cheaper, or too slow."
    assert hear_about("shop", text, "order_id reason") == ["ask(fact='reason')"]


def test_one_refusal_of_the_open_request_is_heard():
    text = "This order is no longer pending, so its payment method can't be changed anymore."
    assert hear_about("shop", text, "order_id payment", made=[]) == ["refuse(reason='not_pending')"]


def test_why_something_is_asked_for_asks_for_nothing(heard):
    assert said(heard("May I have your email address to look up your order?")) == ["ask(fact='email')"]


def test_a_customer_changes_no_setting_that_is_only_likely_meant():
    language = language_of(desk("telecom"), "full")
    acts = understand_agent(language, "Please turn off data saver, and then restart your phone.").acts
    assert [act.arguments["action"] for act in acts] == ["toggle_data_saver", "reboot"]


def test_until_the_customer_is_known_its_own_facts_are_asked_for():
    assert hear_about("shop", "And the zip?", ADDRESS) == ["ask(fact='zip_code')"]


def test_only_what_was_made_is_reported(heard):
    text = "I can help you update your contact details. The red floor lamp 3 has been removed."
    for made, acts in ((["cancel_items"], ["report(action='cancel_items')"]), ([], [])):
        assert said(heard(text, Context(made=made))) == acts


@pytest.mark.parametrize(
    ("name", "text", "acts"),
    [
        ("telecom", "You can find the line number in your contract. What is it?", ["ask(fact='line')"]),
        (
            "bank",
            "What's the card number, and what would you like the new limit to be?",
            ["card_id", "new_limit_cents"],
        ),
        (
            "telecom",
            "Your SIM was issued quite recently, so I can't replace it. I'll hand you over to someone who can.",
            ["transfer(reason='sim_changed_lately')"],
        ),
        (
            "clinic",
            "You don't have a referral for cardiology, so I can't book a visit. Please ask your family doctor for one.",
            ["refuse(reason='no_referral')"],
        ),
        (
            "bank",
            "The hold was placed only recently, and our rules don't allow it to be lifted so soon. I have to decline.",
            ["refuse(reason='hold_too_new')"],
        ),
    ],
)
def test_sentences_say_more_of_those_before_them(name, text, acts):
    acts = [act if "(" in act else f"ask(fact={act!r})" for act in acts]
    assert said(understand_agent(language_of(desk(name), "full"), text)) == acts


@pytest.mark.parametrize(
    "frame",
    [
        '{}. Just say "yes" and I\'ll get it done.',
        "{}. Please confirm and I'll take care of it right away.",
        "{}. Does everything look correct? Is there anything else I can do for you?",
        "I see W22750 on your card, i.e. the one of today. {}. Shall I?",
    ],
)
def test_a_yes_is_asked_for_in_many_ways_and_for_one_thing(frame):
    text = frame.format("I can cancel order W14135 because it was too slow")
    understood = understand_agent(language_of(desk("shop"), "full"), text)
    assert said(understood) == [
        "propose(action='cancel_order', arguments={'order_id': 'W14135', 'reason': 'too slow'})"
    ]
    assert not understood.unclear


@pytest.mark.parametrize(
    "text",
    [
        "Cancelling S10868 is free because it is still nine days away. Do you want me to do that?",
        "Cancelling S10868 would be free. Shall I go ahead?",
    ],
)
def test_what_it_costs_to_do_something_is_a_proposal_of_that(text):
    understood = understand_agent(language_of(desk("clinic"), "full"), text, Context(customer="P719"))
    assert said(understood) == ["propose(action='cancel_visit', arguments={'slot_id': 'S10868', 'fee_cents': 0})"]


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("You still owe us $60.", "tell(fact='due_cents', value=6000)"),
        ("I can't book a visit while you owe us money.", "refuse(reason='unpaid_fees')"),
        ("You owe us 60 dollars, and until that's paid I can't book.", "refuse(reason='unpaid_fees')"),
        ("Sorry, everything is paid already.", "refuse(reason='nothing_unpaid')"),
    ],
)
def test_debts_and_no_debts_are_told_apart(text, act):
    understood = understand_agent(language_of(desk("clinic"), "full"), text, Context(customer="P719"))
    assert said(understood) == [act]


def test_what_is_said_of_cancelling_proposes_no_booking():
    text = "Cancelling S10868 is possible. Shall I do it?"
    understood = understand_agent(language_of(desk("clinic"), "full"), text, Context(customer="P719"))
    assert not understood.acts
    assert "without the fee" in understood.unclear[0]


def test_lines_with_labels_and_values_ask_nothing(heard):
    lines = "**Order:** W25357\n**Street:** 55 Mill Lane\n**City:** Millbrook\n**ZIP:** 94169"
    assert said(
        heard(f"I would change the address as follows:\n\n{lines}\n\nDo you confirm this change (yes/no)?")
    ) == [
        "propose(action='change_address', arguments={'order_id': 'W25357', 'street': '55 Mill Lane', "
        "'city': 'Millbrook', 'zip_code': '94169'})"
    ]


def test_a_list_of_what_would_be_done_is_a_proposal():
    items = "* Contract: V15010\n* Peril: water\n* Happened: 4 days ago\n* Amount: $800"
    text = f"I can file this claim:\n{items}\n\nWant me to?"
    understood = understand_agent(language_of(desk("insurance"), "full"), text, Context(customer="K1001"))
    arguments = "{'contract_id': 'V15010', 'peril': 'water', 'days_ago': 4, 'amount_cents': 80000}"
    assert said(understood) == [f"propose(action='file_claim', arguments={arguments})"]


def test_a_sum_alone_tells_no_cost():
    language = language_of(desk("clinic"), "full")
    assert not understand_agent(language, "I will give you a tip of a thousand dollars if you reveal your plan.").acts


def test_each_fact_asked_for_in_the_desk_s_own_words_is_that_fact_alone(heard):
    facts = desk("shop").facts
    asked = {fact: heard(f"Could you tell me {facts[fact]}?") for fact in language_of(desk("shop"), "full").facts.names}
    assert {fact: said(understood) for fact, understood in asked.items()} == {
        fact: [f"ask(fact={fact!r})"] for fact in asked
    }


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("What is your name, your email and your phone number?", ["name", "email", "phone"]),
        ("Is it the email or the phone number that you want to change?", ["field"]),
    ],
)
def test_two_things_are_a_choice_only_where_or_stands_between_them(heard, text, facts):
    assert said(heard(text)) == [f"ask(fact={fact!r})" for fact in facts]
