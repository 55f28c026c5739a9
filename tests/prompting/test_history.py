"""History policies: what they leave out, in blocks."""

import pytest

from agentgym.errors import ConfigError
from agentgym.prompting.history import FullHistory, HistoryPolicy, LastTurns, TokenBudget, parse_history, with_note


def left_out_by_turn(policy: HistoryPolicy, turns: int, tokens: int = 10) -> list[int]:
    left_out, seen = 0, []
    for count in range(1, turns + 1):
        left_out = policy.left_out(20, [tokens] * count, left_out)
        seen.append(left_out)
    return seen


def test_full_history_leaves_nothing_out() -> None:
    assert left_out_by_turn(FullHistory(), 5) == [0] * 5


def test_last_turns_leaves_out_a_block_at_a_time() -> None:
    assert left_out_by_turn(LastTurns(4), 9) == [0, 0, 0, 0, 2, 2, 4, 4, 6]
    assert left_out_by_turn(LastTurns(2, block=1), 4) == [0, 0, 1, 2]
    assert left_out_by_turn(LastTurns(1), 3) == [0, 1, 2]


def test_token_budget_refills_from_a_share_of_it() -> None:
    assert left_out_by_turn(TokenBudget(60, refill=0.7), 8) == [0, 0, 0, 0, 3, 3, 3, 6]


def test_token_budget_keeps_the_last_turn_even_if_it_is_too_long() -> None:
    assert TokenBudget(10).left_out(5, [3, 100], 0) == 1


def test_note_is_added_to_text_and_to_parts() -> None:
    assert with_note([{"role": "user", "content": "Task."}], 0) == [{"role": "user", "content": "Task."}]
    assert with_note([{"role": "user", "content": "Task."}], 2)[0]["content"] == (
        "Task.\n\n[2 earlier turns were left out here.]"
    )
    parts = with_note([{"role": "user", "content": [{"type": "image"}]}], 1)[0]["content"]
    assert parts[1] == {"type": "text", "text": "\n\n[1 earlier turn was left out here.]"}


def test_settings_name_the_policies() -> None:
    assert parse_history("full") == FullHistory()
    assert parse_history("last:8") == LastTurns(8)
    assert parse_history("tokens:900") == TokenBudget(900)


@pytest.mark.parametrize("text", ["", "last", "last:x", "last:-1", "lsat:3", "last:0", "tokens:0"])
def test_other_settings_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected"):
        parse_history(text)


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ConfigError, match="block"):
        LastTurns(2, block=3)
    with pytest.raises(ConfigError, match="refill"):
        TokenBudget(100, refill=0)
