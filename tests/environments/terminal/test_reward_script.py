import pytest

from agentgym_swe.terminal.reward_script import read_rewards, score_of


def test_json_goes_before_text() -> None:
    assert read_rewards(b'{"reward": 0.5, "style": 1}', b"1") == {"reward": 0.5, "style": 1.0}
    assert read_rewards(None, b" 0.25\n") == {"reward": 0.25}


@pytest.mark.parametrize(
    ("as_json", "as_text", "why"),
    [
        (None, None, "neither"),
        (None, b"", "expected a number"),
        (None, b"inf", "finite"),
        (None, b"\xff", "expected a number"),
        (b"", b"1", "Expecting value"),
        (b"{}", b"1", "object of numbers"),
        (b"[1]", b"1", "object of numbers"),
        (b'{"reward": true}', None, "finite number"),
        (b'{"reward": null}', None, "finite number"),
        (b'{"reward": Infinity}', None, "Infinity"),
        (b"[" * 100_000, None, "recursion"),
    ],
)
def test_what_is_no_finite_number_is_no_verdict(as_json: bytes | None, as_text: bytes | None, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_rewards(as_json, as_text)


def test_score_is_the_reward_or_the_mean() -> None:
    assert score_of({"reward": 0.25, "style": 1.0}) == 0.25
    assert score_of({"a": 0.5, "b": 1.0}) == 0.75
