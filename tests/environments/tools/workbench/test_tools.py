from __future__ import annotations

import math
from typing import Any

import pytest

from agentgym_tools.workbench.sets.all_sets import SETS, TOOLS, Kit
from agentgym_tools.workbench.sets.expressions import ExpressionError, value_of
from agentgym_tools.worlds.calls import Call


def text_of(kit: Kit, name: str, **arguments: Any) -> str:
    return kit.call(Call(name, arguments)).text


def test_eight_sets_have_more_than_120_tools_with_names_of_their_own() -> None:
    assert len(SETS) == 8
    assert len(TOOLS) == sum(len(tools.tools) for tools in SETS.values()) > 120


@pytest.mark.parametrize(
    "path",
    ["../notes", "/notes/../logs", "/notes/./garden.txt", "notes/a.txt", "C:\\x", "//etc/passwd", "/etc/passwd",
     "/notes/\x00.txt", "/notes/a\u202eb", "/" + "x" * 300, "/a/b/c/d/e/f/g/h/i/j/k", "~/x", "/notes/", ""],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_explained_and_changes_nothing(kit: Kit, path: str) -> None:
    for name in (
        "read_file",
        "list_folder",
        "create_file",
        "create_folder",
        "delete_entry",
        "move_to_folder",
        "rename",
    ):
        fields = TOOLS[name]["function"]["parameters"]["properties"]
        values = {"text": "x", "name": "y.txt", "folder": path, "path": path}
        result = kit.call(Call(name, {field: values[field] for field in fields}))
        assert result.is_failure
        assert result.text.startswith("Error: ")
        assert len(result.text) < 300
    result = kit.call(Call("rename", {"path": "/logs/run_000.log", "name": path}))
    assert result.is_failure
    assert not kit.world.changes()


BAD: list[tuple[str, dict[str, Any]]] = [
    ("buy_stock", {"symbol": "ALPO", "shares": -5}),
    ("buy_stock", {"symbol": "ALPO", "shares": 10**400}),
    ("buy_stock", {"symbol": "x'; DROP TABLE stocks; --", "shares": 1}),
    ("deposit", {"amount_cents": -100}),
    ("deposit", {"amount_cents": 10**15}),
    ("withdraw", {"amount_cents": 10**11}),
    ("cancel_order", {"order_id": 10_200}),  # another's
    ("get_order", {"order_id": 10_200}),
    ("cancel_booking", {"booking_id": 5005}),
    ("top_up_card", {"card": "K12", "amount_cents": 500}),
    ("move_between_cards", {"card": "K10", "other": "K12", "amount_cents": 500}),
    ("close_ticket", {"ticket_id": 20_200}),
    ("delete_post", {"post_id": 30_150}),
    ("edit_post", {"post_id": 30_150, "text": "mine now"}),
    ("get_message", {"message_id": 50_250}),
    ("delete_message", {"message_id": 50_250}),
    ("send_message", {"contact": "nobody", "text": "hello"}),
    ("publish_post", {"text": "x" * 1_000_000}),
    ("publish_post", {"text": "half\x00a\x1b[31mcharacter"}),
    ("set_temperature", {"celsius": 99}),
    ("set_temperature", {"celsius": math.nan}),
    ("set_tyre_pressure", {"tyre": "fifth", "kpa": 220}),
    ("open_ticket", {"title": "ok title", "queue": "network", "priority": 0}),
    ("sum_of", {"numbers": [1.0] * 10_000}),
    ("calculate", {"expression": "9**9**9"}),
    ("raise_to", {"base": 10, "exponent": 1000}),
    ("divide", {"a": 1, "b": 0}),
]


@pytest.mark.parametrize(("name", "arguments"), BAD, ids=lambda value: str(value)[:40])
def test_a_bad_argument_is_explained_and_changes_nothing(kit: Kit, name: str, arguments: dict[str, Any]) -> None:
    result = kit.call(Call(name, arguments))
    assert result.is_failure
    assert result.text.startswith("Error: ")
    assert len(result.text) < 300
    assert not kit.world.changes()


@pytest.mark.parametrize(
    ("text", "value"),
    [("2 + 3 * 4", 14), ("(2 + 3) * 4", 20), ("-2 ^ 2", -4), ("2 ** 3 ^ 2", 512), ("7 % 4 - 1 / 2", 2.5),
     ("0.1 + 0.2", 0.3)],
)  # fmt: skip
def test_an_expression_is_worked_out_exactly(text: str, value: float) -> None:
    assert float(value_of(text)) == value


@pytest.mark.parametrize(
    "text",
    ["9**9**9", "9^99", "(" * 300 + "1" + ")" * 300, "1/0", "0^-1", "__import__('os')", "1 +", "", "1e9", "a", "2(3)",
     "-" * 150 + "1", "9" * 200, "9^64*9^64*9^64", "1,000", "()", "5 5"],
)  # fmt: skip
def test_an_expression_out_of_bounds_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        value_of(text)


def test_numbers_are_calculated_exactly_and_rounded_away_from_zero(kit: Kit) -> None:
    assert text_of(kit, "add", a=0.1, b=0.2) == "0.3"
    assert text_of(kit, "round_to", number=2.5, decimals=0) == "3"
    assert text_of(kit, "round_to", number=-0.4, decimals=0) == "0"
    assert text_of(kit, "square_root", number=2) == "1.414214"
    assert text_of(kit, "convert_unit", number=3, unit="mile", other="km") == "4.828032"
    assert text_of(kit, "compound", amount=1000, percent=5, years=2) == "1102.5"
    assert text_of(kit, "median_of", numbers=[5, 1, 4, 2]) == "3"


def test_a_moved_folder_takes_what_is_in_it_along(kit: Kit) -> None:
    kit.call(Call("move_to_folder", {"path": "/projects", "folder": "/archive"}))
    assert "/archive/projects/alpha" in text_of(kit, "find_by_name", folder="/archive", part="alpha")
    assert kit.call(Call("list_folder", {"folder": "/projects"})).is_failure
    assert kit.call(Call("move_to_folder", {"path": "/archive", "folder": "/archive/projects"})).is_failure


def test_a_booking_that_is_cancelled_gives_money_and_seat_back(kit: Kit) -> None:
    text_of(kit, "book_flight", flight="F103", card="K10")
    number = int(text_of(kit, "book_flight", flight="F104", card="K10").split(": ")[1].split(",")[0])
    before = kit.world.changes()
    text_of(kit, "cancel_booking", booking_id=number)
    assert len(kit.world.changes()) <= len(before)
    assert text_of(kit, "cancel_booking", booking_id=number).startswith("Error: booking")


def test_an_engine_starts_only_with_doors_locked_and_brake_set(kit: Kit) -> None:
    text_of(kit, "unlock_door", door="boot")
    assert "boot" in text_of(kit, "start_engine")
    for door in ("front left", "front right", "rear left", "rear right", "boot"):
        text_of(kit, "lock_door", door=door)
    text_of(kit, "set_brake", brake="released")
    assert text_of(kit, "start_engine") == "Error: the parking brake is not set."
    text_of(kit, "set_brake", brake="set")
    assert text_of(kit, "start_engine") == "engine is now on."
