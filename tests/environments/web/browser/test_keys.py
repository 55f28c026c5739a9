"""Names of keys and combinations of keys."""

from __future__ import annotations

import pytest

from agentgym.errors import ActionSyntaxError
from agentgym_web.browser.keys import KEYS, MODIFIERS, Key, combination, key_named


def test_letter_has_the_code_of_its_key() -> None:
    assert key_named("a") == Key("a", "KeyA", 65, "a")
    assert key_named("A") == Key("A", "KeyA", 65, "A")


def test_sign_of_the_shifted_row_shares_its_key() -> None:
    assert (key_named("1").code, key_named("!").code) == ("Digit1", "Digit1")
    assert (key_named("/").number, key_named("?").number) == (191, 191)


@pytest.mark.parametrize("sign", [chr(number) for number in range(32, 127)])
def test_each_sign_of_the_keyboard_types_itself(sign: str) -> None:
    assert key_named(sign).text == sign


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Return", "Enter"),
        ("Esc", "Escape"),
        ("Del", "Delete"),
        ("Up", "ArrowUp"),
        ("Ctrl", "Control"),
        ("ControlOrMeta", "Control"),
        ("Cmd", "Meta"),
        ("enter", "Enter"),
        ("Space", " "),
        ("Spacebar", " "),
        ("f5", "F5"),
        ("arrowdown", "ArrowDown"),
        ("PAGEUP", "PageUp"),
        ("backspace", "Backspace"),
    ],
)
def test_key_has_other_names(name: str, key: str) -> None:
    assert key_named(name).key == key


def test_enter_types_a_return_and_tab_nothing() -> None:
    assert (key_named("Enter").text, key_named("Tab").text) == ("\r", "")


@pytest.mark.parametrize("name", ["", "Hyper", "aa", "é", "😀", "F13", "Control+A"])
def test_unknown_key_is_explained(name: str) -> None:
    with pytest.raises(ActionSyntaxError, match=r"There is no key .*Expected a character, or one of Enter"):
        key_named(name)


@pytest.mark.parametrize(
    ("text", "modifiers", "key"),
    [
        ("a", [], "a"),
        ("Enter", [], "Enter"),
        ("Control+a", ["Control"], "a"),
        ("Ctrl+Shift+K", ["Control", "Shift"], "K"),
        ("ControlOrMeta+c", ["Control"], "c"),
        ("alt+ArrowLeft", ["Alt"], "ArrowLeft"),
        ("Meta+Enter", ["Meta"], "Enter"),
        ("+", [], "+"),
        ("Control++", ["Control"], "+"),
        ("Shift+Tab", ["Shift"], "Tab"),
        ("Shift", [], "Shift"),
        ("Control+Alt+Shift+Meta+z", ["Control", "Alt", "Shift", "Meta"], "z"),
    ],
)
def test_combination_is_modifiers_and_a_key(text: str, modifiers: list[str], key: str) -> None:
    found = combination(text)

    assert (found[0], found[1].key) == (modifiers, key)


@pytest.mark.parametrize("text", ["a+b", "Enter+Control", "Hyper+a", "+a"])
def test_combination_of_keys_that_are_no_modifiers_is_explained(text: str) -> None:
    with pytest.raises(ActionSyntaxError, match=r"is no modifier; expected Alt, Control, Meta or Shift\."):
        combination(text)


@pytest.mark.parametrize("text", ["", "Control+", "Control+Nothing", "++a"])
def test_combination_without_a_key_is_refused(text: str) -> None:
    with pytest.raises(ActionSyntaxError):
        combination(text)


def test_modifiers_are_keys_with_bits_of_their_own() -> None:
    assert sorted(MODIFIERS.values()) == [1, 2, 4, 8]
    assert all(KEYS[name].text == "" for name in MODIFIERS)
