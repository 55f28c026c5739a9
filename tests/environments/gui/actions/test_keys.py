"""Keys by the names that models use."""

import pytest

from agentgym_gui.actions.events import ActionError, KeyDown, KeyUp
from agentgym_gui.actions.keys import NAMES, combination, key_named, keysym_of, pressed


@pytest.mark.parametrize(
    ("said", "keysym"),
    [
        ("ctrl", "Control_L"),
        ("CTRL", "Control_L"),
        ("Control_L", "Control_L"),
        ("ctrlleft", "Control_L"),
        ("Return", "Return"),
        ("enter", "Return"),
        ("ESC", "Escape"),
        ("ARROWLEFT", "Left"),
        ("pgdn", "Page_Down"),
        ("Page_Down", "Page_Down"),
        ("F11", "F11"),
        ("f5", "F5"),
        ("a", "a"),
        ("A", "A"),
        ("+", "plus"),
        (" ", "space"),
        ("space", "space"),
        ("\n", "Return"),
        ("é", "U00E9"),
        ("字", "U5B57"),
        ("super", "Super_L"),
        ("win", "Super_L"),
        ("num5", "KP_5"),
        ("volumeup", "XF86AudioRaiseVolume"),
    ],
)
def test_key_has_many_names(said, keysym):
    assert key_named(said) == keysym


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("contrl", "Did you mean .*control"),
        ("", "no key ''"),
        ("\0", "no key"),
        ("ctrl+s", "no key 'ctrl.s'. It is a combination: name its keys one by one"),
        ("nothing like it", "Expected a character, or a name"),
        (5, "named by a text"),
        (None, "null"),
        ("x" * 10_000, "no key"),
    ],
)
def test_unknown_key_is_explained(said, why):
    with pytest.raises(ActionError, match=why):
        key_named(said)


@pytest.mark.parametrize(
    ("said", "keys"),
    [
        ("ctrl+s", ("Control_L", "s")),
        ("Ctrl+Shift+T", ("Control_L", "Shift_L", "t")),
        ("ctrl++", ("Control_L", "plus")),
        ("ctrl+-", ("Control_L", "minus")),
        ("+", ("plus",)),
        (" ", ("space",)),
        ("A", ("A",)),
        ("alt + F4", ("Alt_L", "F4")),
    ],
)
def test_combination(said, keys):
    assert combination(said) == keys


@pytest.mark.parametrize("said", ["ctrl+", "+s+", "ctrl+ctrl", "ctrl+nokey", "a+b+c+d+e+f+g+h+i", "x+" * 2000, 3])
def test_wrong_combination_is_refused(said):
    with pytest.raises(ActionError):
        combination(said)


def test_keys_of_a_combination_go_up_in_the_reverse_order():
    assert pressed(("Control_L", "s")) == (KeyDown("Control_L"), KeyDown("s"), KeyUp("s"), KeyUp("Control_L"))


def test_every_sign_of_ascii_has_a_known_name():
    for code in range(0x20, 0x7F):
        name = keysym_of(chr(code))
        assert name in NAMES or (len(name) == 1 and name.isalnum())
