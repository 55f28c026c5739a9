"""The phrases of desks that tiny models read as one token."""

from __future__ import annotations

from agentgym_tools.desks.vocabulary import phrases_in

RESULT = '[{"order_id": "W14", "days_late": 2, "items": [{"item_id": "I114", "price": 5500}]}]'
ACT = "inform(fact='refund_to', value='gift card')"
RULES = "You serve.\n- Items may be returned up to 45 days after delivery; gold customers have 20 days more."


def test_phrases_are_keys_of_results_openings_of_acts_and_pieces_of_rules():
    assert phrases_in([RESULT, ACT, RULES] * 5) == sorted(
        [
            *('[{"order_id": "', '", "days_late": ', ', "items": ', '[{"item_id": "', '", "price": '),
            *(f"-{day:02d}" for day in range(1, 32)),
            *("inform(fact='", "', value='", "')"),
            *("- Items may be returned up to ", " days after delivery; gold customers have ", " days more."),
        ]
    )


def test_what_is_rare_is_no_phrase():
    assert set(phrases_in([RESULT, ACT, RULES])) == set(phrases_in([]))
