import dataclasses

import pytest

from agentgym_tools.desks.desks import desk
from agentgym_tools.desks.domain import settle
from agentgym_tools.desks.goals import Goal
from agentgym_tools.desks.insurance import reckoning
from agentgym_tools.desks.insurance.policy import InsurancePolicy
from agentgym_tools.desks.setting.days import TODAY
from agentgym_tools.worlds.calls import Call

FIELDS = dataclasses.fields(InsurancePolicy)


@pytest.fixture
def world():
    """A customer K99, whose flat is insured for 200,000 cents against theft and was robbed; 30,000 are due."""
    world = desk("insurance").world("small")
    with world.call():
        world.write("INSERT INTO customers VALUES ('K99', 'Ada Abel', '1980-01-01', 'a', '1', 'x', 'Arden', '12345')")
        world.write("INSERT INTO accounts VALUES ('K99', 'DE123456', ?)", TODAY - 20)
        world.write("INSERT INTO tariffs VALUES ('T99', 'home', 'basic', 50000, 2000)")
        world.write("INSERT INTO covers VALUES ('T99', 'theft', 200000)")
        row = ("V99", "K99", "T99", "flat in Arden", "active", TODAY - 100, TODAY + 265, None, 30_000, 0, 0)
        world.write("INSERT INTO contracts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)
        claim = (99, "V99", "theft in June", "theft", TODAY - 40, TODAY - 39, 250_000, "open", None)
        world.write("INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *claim)
        world.write("INSERT INTO documents VALUES (99, 'photo', ?)", TODAY - 30)
    yield world
    world.close()


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"keeps_back_due": False}, 200_000 - 50_000),
        ({"keeps_back_due": True}, 200_000 - 50_000 - 30_000),
        ({"keeps_back_due": False, "waived_perils": ("theft",)}, 200_000),
    ],
)
def test_payout_is_capped_by_the_cover_and_lessened_by_deductible_and_debt(world, rules, expected):
    with world.call(may_write=False):
        claim = reckoning.claim_of(world, 99)
        assert reckoning.payout_of(world, claim, InsurancePolicy(**rules)) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"cooling_off_days": 30, "cancel_fee_cents": 1_500}, 2_000 * 8 - 1_500),
        ({"cooling_off_days": 30, "cancel_fee_cents": 0}, 2_000 * 8),
        ({"cooling_off_days": 100}, 2_000 * 12),
    ],
)
def test_refund_is_the_whole_term_while_cooling_off_and_the_months_left_later(world, rules, expected):
    with world.call(may_write=False):
        contract = reckoning.contract_of(world, "V99")
        assert reckoning.refund_of(world, contract, InsurancePolicy(**rules)) == expected


def test_documents_missing_follow_peril_and_amount(world):
    rules = InsurancePolicy(always_needed=("photo", "bill"), police_for=("theft",), expert_above_cents=100_000)
    with world.call(may_write=False):
        claim = reckoning.claim_of(world, 99)
        assert reckoning.documents_missing(world, claim, rules) == {"bill", "police report", "expert opinion"}


def test_refusal_needs_no_reading_beyond_what_it_rests_on(world):
    insurance, goal = desk("insurance"), Goal("pay_claim", "K99", {"claim_id": 99, "event": "theft in June"})
    (case,) = settle(insurance, world, InsurancePolicy(staff_claim_cents=400_000), [goal])
    assert (case.decision, case.reasons[0]) == ("refuse", "document_missing")
    assert [read.call.tool for read in case.reads] == ["get_claim", "list_documents"]


def test_staff_takes_over_only_where_nothing_else_forbids(world):
    insurance, goal = desk("insurance"), Goal("pay_claim", "K99", {"claim_id": 99, "event": "theft in June"})
    rules = InsurancePolicy(always_needed=("photo",), police_for=("theft", "vandalism"), staff_claim_cents=200_000)
    (case,) = settle(insurance, world, rules, [goal])
    assert (case.decision, case.reasons) == ("refuse", ("document_missing", "claim_too_high"))
    with world.call():
        world.write("INSERT INTO documents VALUES (99, 'police report', 990), (99, 'expert opinion', 990)")
    (case,) = settle(insurance, world, rules, [goal])
    assert (case.decision, case.reasons) == ("transfer", ("claim_too_high",))


def test_every_cheapest_tariff_is_an_outcome():
    insurance = desk("insurance")
    world = insurance.world("small")
    basic = "SELECT id FROM tariffs WHERE level = 'basic'"
    sql = f"SELECT id FROM contracts WHERE state = 'active' AND tariff_id IN ({basic})"
    with world.call():
        contract = world.row(sql)[0]
        line = reckoning.contract_of(world, contract)["line"]
        peril = {"car": "hail", "home": "water", "travel": "delay"}[line]
        world.write("UPDATE tariffs SET premium = 1 WHERE line = ? AND level = 'plus'", line)
        wanted = insurance.kinds["change_tariff"].wanted(
            world, Goal("change_tariff", "", {"contract_id": contract, "peril": peril}), InsurancePolicy()
        )
    world.close()
    assert len(wanted) == 2
    assert {call.tool for calls in wanted for call in calls} == {"change_tariff"}


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_value_of_a_rule_is_said(field):
    values = [*field.metadata["values"], *field.metadata["held_out"]]
    texts = {dataclasses.replace(InsurancePolicy(), **{field.name: value}).text for value in values}
    assert len(texts) == len(set(values))


def test_huge_numbers_are_explained():
    world = desk("insurance").world("small")
    tools = desk("insurance").toolbox(world)
    for call in (
        Call("get_claim", {"claim_id": 10**40}),
        Call("defer_premium", {"contract_id": "V10", "days": 10**40}),
    ):
        assert tools.call(call).is_failure
    world.close()
