"""What is particular to the bank: rules and procedures that stand in documents."""

import dataclasses
import re

import pytest

from agentgym.arguments import tool_name
from agentgym.authoring.players import call_text
from agentgym.message import content_text
from agentgym_tools.desks.bank import reckoning
from agentgym_tools.desks.bank.evidence import MATTERS
from agentgym_tools.desks.bank.library import DOCUMENTS, HOMES, NUM_FOUND, PLACES, found_by, library_of, procedure_key
from agentgym_tools.desks.bank.policy import BankPolicy
from agentgym_tools.desks.bank.ranking import Ranking, words_of
from agentgym_tools.desks.conditions.options import Options, make_interface
from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.domain import settle
from agentgym_tools.desks.game import AGENT, DeskGame
from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.session import UNREAD, session_of
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.desks.templates import Template
from agentgym_tools.desks.unlisted import PROCEDURE, UNKNOWN
from agentgym_tools.worlds.calls import Call
from tests.environments.tools.desks.conftest import env_of, play_calls, play_script, task_of

BANK = desk("bank")
FIELDS = dataclasses.fields(BankPolicy)
STATED = [field for field in FIELDS if field.name not in ("identify_by", "asks_before")]
LIMIT = Template(("change_card_limit",), "do")


@pytest.fixture
def world():
    """A customer P99 with a joint account, a card, a transfer of yesterday, a fee and a loan."""
    world = BANK.world("small")
    with world.call():
        world.write(
            "INSERT INTO customers VALUES ('P99', 'Ada Abel', 1, 'a', '1', 'x', 'Arden', '12345', ?)", TODAY - 9
        )
        row = ("A99", "P99", "P1", "checking", "salary account", "open", -30_000, 50_000, TODAY - 200)
        world.write("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)
        row = ("A97", "P99", None, "savings", "house savings", "open", 500_000, 0, TODAY - 200)
        world.write("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)
        row = ("C99", "A99", "blue debit card", "debit", "active", None, None, 80_000, TODAY - 300, 0)
        world.write("INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)
        row = (999, "A99", "transfer", "City Works", "City Works in May", 20_000, TODAY - 1, "booked")
        world.write("INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)
        row = ("L99", "A99", "car loan", 100_050, 5_000, TODAY - 800, 0, 0, 1, "running")
        world.write("INSERT INTO loans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)
    yield world
    world.close()


def documents_read(case, policy):
    numbers = [read.call.arguments["document_id"] for read in case.reads if read.call.tool == "open_document"]
    return [library_of(policy).find(number).key for number in numbers]


def started(task):
    """A game in which it is the agent's turn."""
    game = DeskGame("bank")
    game.reset(task)
    game.step(call_text("wait"))
    return game


def answer(game, call):
    return content_text(game.step(call_text(call.tool, **call.arguments)).inbox[AGENT][0])


def test_there_are_300_documents_and_30_procedures_that_only_they_name():
    assert len(DOCUMENTS) >= 300
    assert len({document.key for document in DOCUMENTS}) == len(DOCUMENTS)
    assert len(BANK.unlisted) >= 30
    game = DeskGame("bank")
    told = str(game.reset(task_of("bank", LIMIT))) + str(game.tools)
    assert not [name for name in BANK.unlisted if re.search(rf"\b{name}\b", told)]
    assert PROCEDURE in {tool_name(tool) for tool in game.tools[AGENT]}
    library = library_of(BankPolicy())
    texts = {document.key: library.text_of(document) for document in DOCUMENTS if document.counts}
    assert not [name for name in BANK.listed for text in texts.values() if re.search(rf"\b{name}\b", text)]
    for name in BANK.unlisted:
        naming = [key for key, text in texts.items() if re.search(rf"\b{name}\b", text)]
        assert naming == [procedure_key(name)]
        parameters = BANK.unlisted[name]["function"]["parameters"]["properties"]
        assert all(f"- {key} (" in texts[naming[0]] for key in parameters)


@pytest.mark.parametrize("field", STATED, ids=lambda field: field.name)
def test_every_value_of_a_rule_is_said_in_the_one_document_that_counts(field):
    values = list(dict.fromkeys([*field.metadata["values"], *field.metadata["held_out"]]))
    policies = [dataclasses.replace(BankPolicy(), **{field.name: value}) for value in values]
    home = DOCUMENTS[PLACES[HOMES[field.name]]]
    place = re.compile(rf"\{{{field.name}\}}")
    assert [each.key for each in DOCUMENTS if each.counts and place.search(each.text)] == [home.key]
    said = [re.sub(r"D\d{4} ", "", library_of(policy).text_of(home)) for policy in policies]
    assert len(set(said)) == len(values)


def test_of_the_versions_of_a_rule_the_one_that_counts_has_begun_last():
    stating = [each for each in DOCUMENTS if re.search(r"\{\w+\}", each.text) and "_other_" not in each.key]
    assert any(each.day > TODAY for each in stating)
    for document in stating:
        versions = [each for each in stating if each.title == document.title and each.day <= TODAY]
        assert [each.key for each in versions if each.counts] == [max(versions, key=lambda each: each.day).key]


def test_what_a_memo_has_replaced_is_older_and_another_value():
    policy = BankPolicy()
    for document in DOCUMENTS:
        for name in re.findall(r"\{was:(\w+)\}", document.text) if document.counts else ():
            memo = DOCUMENTS[PLACES[HOMES[name]]]
            assert document.day < memo.day <= TODAY
            was = library_of(policy).text_of(dataclasses.replace(document, text=f"{{was:{name}}}"))
            assert was != str(getattr(policy, name))


def test_documents_for_others_state_other_values():
    policy = BankPolicy()
    for document in DOCUMENTS:
        for name in re.findall(r"\{(\w+)\}", document.text) if not document.counts else ():
            said = library_of(policy).text_of(dataclasses.replace(document, text=f"{{{name}}}"))
            now = getattr(policy, name)
            assert said != (", ".join(map(str, now)) if isinstance(now, tuple) else str(now))


def test_a_search_for_its_title_finds_each_document_that_counts():
    assert not [each.title for each in DOCUMENTS if each.counts and each not in found_by(each.title)]
    assert len(found_by("card payment account")) == NUM_FOUND


def test_numbers_of_documents_name_one_each_and_change_with_the_policy():
    library, other = library_of(BankPolicy()), library_of(BankPolicy(lead_days=3))
    numbers = [library.number_of(document.key) for document in DOCUMENTS]
    assert len(set(numbers)) == len(DOCUMENTS)
    assert [library.find(number) for number in numbers] == list(DOCUMENTS)
    same = sum(other.number_of(document.key) == number for document, number in zip(DOCUMENTS, numbers, strict=True))
    assert same < 10
    assert library.find("D99999") is library.find("4711") is None
    assert sum(library.find(f"D{number:04d}") is not None for number in range(10_000)) == len(DOCUMENTS)


def test_unknown_procedures_are_explained_without_a_list_and_change_nothing():
    game = started(task_of("bank", LIMIT))
    before = game.anchor()
    for name in ("set_limit", "get_card", "set_card_limit_7", ""):
        assert answer(game, Call(PROCEDURE, {"name": name, "arguments": {}})) == UNKNOWN
    assert not [name for name in BANK.unlisted if name in UNKNOWN]
    assert game.anchor() == before


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("set_card_limit", {}, "needs the argument 'new_limit_cents'"),
        ("set_card_limit", {"new_limit_cents": "much"}, "must be an integer"),
        ("set_card_limit", {"new_limit_cents": 10**40}, "must be from 0 to"),
        ("set_card_limit", {"new_limit_cents": -5}, "must be from 0 to"),
        ("set_card_limit", {"card_id": "C1'; DROP TABLE cards", "new_limit_cents": 5}, "There is no"),
        ("set_card_limit", {"new_limit_cents": 5, "more": 1}, "no argument 'more'"),
        ("recall_transfer", {"card_id": None, "payment_id": -(10**40), "fee_cents": 1}, "There is no"),
        (
            "stop_cheque",
            {"card_id": None, "account_id": "A10000", "cheque_number": -(10**40), "fee_cents": 1},
            "no cheque",
        ),
        ("read_cheque", {"card_id": None, "account_id": "A10000", "cheque_number": 10**40}, "no cheque"),
        ("read_calendar", {"card_id": None, "town": "x" * 10**5, "topic": "will"}, "There is no branch"),
    ],
)
def test_wrong_arguments_of_procedures_are_explained_and_change_nothing(name, arguments, why):
    task = task_of("bank", LIMIT)
    game = started(task)
    before = game.anchor()
    card = task.private["goals"][0]["facts"]["card_id"]
    given = {key: value for key, value in {"card_id": card, **arguments}.items() if value is not None}
    told = answer(game, Call(PROCEDURE, {"name": name, "arguments": given}))
    assert told.startswith("Error: ")
    assert why in told
    assert len(told) < 400
    assert game.anchor() == before


def test_proposals_of_what_changes_nothing_are_refused_without_a_list():
    game = started(task_of("bank", LIMIT))
    for action in ("no_such_thing", "read_hold", "get_card"):
        game = started(task_of("bank", LIMIT))
        reply = game.step(call_text("propose", action=action, arguments={}))
        assert reply.is_invalid
        assert not [name for name in BANK.unlisted if name in content_text(reply.inbox[AGENT][0])]


def test_a_procedure_whose_document_was_not_opened_counts_as_not_read():
    task = task_of("bank", LIMIT)
    env = env_of("bank")
    calls = play_script(env, task, "oracle").calls
    number = library_of(env.game.session.plan.policy).number_of(procedure_key("set_card_limit"))
    without = [call for call in calls if call.arguments.get("document_id") != number]
    assert len(without) == len(calls) - 1
    assert play_calls(env, task, calls).is_success
    episode = play_calls(env, task, without)
    assert not episode.is_success
    assert [event.detail["why"] for event in episode.events if event.component == "violation"] == [UNREAD]


def test_what_a_procedure_shows_counts_only_after_its_document():
    task = task_of("bank", Template(("free_account",), "refuse", "hold_too_new"))
    session = session_of(task, BANK)
    reading = next(read for read in session.case.reads if read.call.tool == "read_hold")
    session.carry_out(reading.call)
    assert not session.has_seen(reading.seen)
    key = procedure_key("read_hold")
    session.carry_out(Call("open_document", {"document_id": library_of(session.plan.policy).number_of(key)}))
    session.carry_out(reading.call)
    assert session.has_seen(reading.seen)


def test_the_oracle_searches_before_it_opens():
    env = env_of("bank")
    for template in BANK.templates[::9]:
        shown: set[str] = set()
        episode = play_script(env, task_of("bank", template), "oracle")
        for call, text in zip(episode.calls, episode.texts, strict=True):
            if call.tool == "open_document":
                assert call.arguments["document_id"] in shown
            shown.update(re.findall(r"D\d{4}", text))


def test_evidence_has_the_memo_beside_the_rule_that_it_changes(world):
    goal = Goal("get_transfer_back", "P99", {"payment_id": 999, "payment": "City Works in May"})
    policy = BankPolicy(recall_days=2)
    (case,) = settle(BANK, world, policy, [goal])
    assert documents_read(case, policy) == ["recalls", "recalls_memo", procedure_key("recall_transfer")]
    assert case.outcomes == ((Call("recall_transfer", {"payment_id": 999, "fee_cents": policy.recall_fee_cents}),),)


def test_a_refusal_rests_on_the_documents_of_its_reason_alone(world):
    facts = {"card_id": "C99", "card": "blue debit card", "new_limit_cents": 400_000}
    policy = BankPolicy(max_debit_limit_cents=300_000)
    (case,) = settle(BANK, world, policy, [Goal("change_card_limit", "P99", facts)])
    assert (case.decision, case.reasons) == ("refuse", ("limit_too_high", "limit_for_staff"))
    assert documents_read(case, policy) == ["limits"]
    facts = {"account_id": "A99", "account": "salary account"}
    (case,) = settle(BANK, world, policy, [Goal("end_account", "P99", facts)])
    assert (case.reasons[0], documents_read(case, policy)) == ("overdrawn", ["closing"])
    assert [read.call.tool for read in case.reads] == ["get_account", "open_document"]


def test_a_second_holder_has_to_consent_where_the_rules_say_so(world):
    facts = {"account_id": "A99", "account": "salary account", "overdraft_cents": 80_000}
    goal = Goal("change_overdraft", "P99", facts)
    free, bound = (BankPolicy(consent_matters=matters) for matters in (("closing",), ("overdraft",)))
    (case,) = settle(BANK, world, free, [goal])
    assert case.decision == "do"
    assert "joint" in documents_read(case, free)
    (case,) = settle(BANK, world, bound, [goal])
    assert (case.decision, case.reasons) == ("refuse", ("consent_missing",))
    assert documents_read(case, bound) == ["overdrafts", "joint", procedure_key("read_consents")]
    with world.call():
        world.write("INSERT INTO consents VALUES ('A99', 'overdraft', ?)", TODAY - 10)
    (case,) = settle(BANK, world, bound, [goal])
    assert case.decision == "do"


@pytest.mark.parametrize(
    ("rates", "months"), [((200, 150, 150), {6}), ((200, 200, 150), {6, 12}), ((200, 200, 200), {6, 12, 24})]
)
def test_each_term_with_the_highest_interest_is_an_outcome(world, rates, months):
    policy = BankPolicy(rate_6_months=rates[0], rate_12_months=rates[1], rate_24_months=rates[2])
    facts = {"account_id": "A97", "account": "house savings", "amount_cents": 100_000}
    (case,) = settle(BANK, world, policy, [Goal("fix_savings", "P99", facts)])
    assert {call.arguments["months"] for calls in case.outcomes for call in calls} == months


def test_charges_are_reckoned_as_the_documents_say(world):
    policy = BankPolicy(foreign_percent=2, foreign_min_cents=500, overdraft_percent=12, repay_percent=3)
    assert reckoning.foreign_charge(60_050, policy) == 1_201
    assert reckoning.foreign_charge(10_000, policy) == 500
    with world.call(may_write=False):
        account, loan = (reckoning.row_of(world, *key) for key in (("accounts", "A99"), ("loans", "L99")))
    assert reckoning.month_of_overdraft(account, policy) == 300
    assert reckoning.repayment_fee(loan, policy) == 3_001
    assert reckoning.closing_fee(account, BankPolicy(close_fee_days=180)) == 0
    assert reckoning.closing_fee(account, BankPolicy(close_fee_days=360, close_fee_cents=2_000)) == 2_000


def test_names_of_procedures_stay_where_those_of_tools_are_scrambled():
    interface = make_interface(BANK, Options(scrambled="names"), 7)
    call = Call("set_card_limit", {"card_id": "C1", "new_limit_cents": 5})
    shown = interface.write(call)
    assert shown.tool not in (PROCEDURE, call.tool)
    assert sorted(map(str, shown.arguments.values())) == sorted(map(str, (call.tool, dict(call.arguments))))
    assert interface.read(shown) == call
    proposal = Call("propose", {"action": "set_card_limit", "arguments": dict(call.arguments)})
    assert interface.read(interface.write(proposal)) == proposal


def test_ranking_prefers_rare_words_and_keeps_the_order_of_equals():
    texts = ["red card", "red account", "red loan for cards", "blue loan", "green tea"]
    ranking = Ranking(texts)
    assert ranking.best("RED cards!", 5) == [0, 2]
    assert ranking.best("loan", 1) == [3]
    assert Ranking(["blue tea", "blue ox", "a", "b"]).best("blue", 5) == [0, 1]
    assert ranking.best("nothing of that", 5) == []


def test_ranking_takes_forms_of_a_word_for_one():
    forms = ("block", "blocks", "blocked", "blocking"), ("close", "closes", "closed", "closing"), ("stop", "stopping")
    assert [len({words_of(form)[0] for form in each}) for each in forms] == [1, 1, 1]
    assert words_of("fees of a red address") == ["fee", "of", "a", "red", "addres"]


def test_what_customers_say_finds_the_rules_or_a_document_that_names_them():
    """So that an agent with no other words gets there."""
    for kind in BANK.kinds.values():
        matter = MATTERS[kind.tool] if kind.tool else kind.matter
        found = found_by(kind.phrase)
        named = {key for document in found for key in document.references}
        assert not matter or matter in named | {document.key for document in found}, kind.name


def test_a_right_decision_needs_each_of_its_documents():
    env = env_of("bank")
    for template in BANK.templates[::11]:
        task = task_of("bank", template)
        calls = play_script(env, task, "oracle").calls
        opened = [call for call in calls if call.tool == "open_document"]
        for left_out in opened:
            others = [call for call in calls if call != left_out]
            assert not play_calls(env, task, others).is_success, (template.name, str(left_out))


@pytest.mark.parametrize(
    ("query", "said"),
    [(" ", "query is empty"), ("x" * 5000, "5000 characters; at most 4000"), ("zzzz", "has any of these words")],
)
def test_a_search_that_finds_nothing_says_why(query, said):
    env = env_of("bank")
    env.reset(seed=0)
    assert said in env.step(call_text("search_documents", query=query))[0]["text"]


@pytest.mark.parametrize(("months", "said"), [(1, "paused for 1 month."), (2, "paused for 2 months.")])
def test_one_month_is_no_plural(months, said):
    world = desk("bank").world("full")
    with world.call(may_write=False):
        (order,) = world.row("SELECT id FROM orders WHERE state = 'active'")
    answer = desk("bank").toolbox(world).call(Call("pause_order", {"order_id": order, "months": months}))
    assert answer.text.endswith(said)
    world.close()
