"""Keys by the names that models use, and text of any script in batches of spare keys."""

import random

import pytest

from agentgym.errors import ConfigError
from agentgym_gui.actions.events import ActionError, KeyDown, KeyUp
from agentgym_gui.actions.keys import NAMES, combination, key_named, keysym_of, pressed
from agentgym_gui.actions.text_keys import (
    LEVEL_KEYS,
    MAX_NEW_KEYS,
    Key,
    Keymap,
    keymap_after,
    keymap_of,
    keysym_number,
    plan_text,
)


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


# A small German keyboard: q with @ on AltGr, ü, and digits with signs on Shift; 19 spare keys.
GERMAN = keymap_of(
    [
        (24, (ord("q"), ord("Q"), ord("@"), 0x07D9)),
        (25, (ord("w"), ord("W"))),
        (11, (ord("2"), ord('"'))),
        (34, (ord("ü"), ord("Ü"))),
        (36, (0xFF0D,)),
        (23, (0xFF09,)),
        (65, (ord(" "),)),
        *((code, (0, 0)) for code in range(200, 219)),
    ]
)


def typed(batches, keymap):
    """What a keyboard types that does what the batches say, a character a stroke."""
    meaning = {(key.code, key.level): keysym for keysym, key in keymap.keys.items()}
    bound = dict(keymap.bound)
    said = []
    for batch in batches:
        assert len(batch.bindings) <= MAX_NEW_KEYS
        bound |= dict(batch.bindings)
        said += [bound[key.code] if key.code in keymap.spare else meaning[key.code, key.level] for key in batch.strokes]
    return said


def test_characters_of_the_layout_need_no_new_keys():
    [batch] = plan_text('qQ@2" ü\nÜ\t', GERMAN)
    assert batch.bindings == ()
    assert batch.strokes[:5] == (Key(24, 0), Key(24, 1), Key(24, 2), Key(11, 0), Key(11, 1))
    assert LEVEL_KEYS[2] == ("ISO_Level3_Shift",)
    assert batch.strokes[7:] == (Key(36), Key(34, 1), Key(23))


def test_missing_characters_get_spare_keys_once():
    [batch] = plan_text("żqż", GERMAN)
    assert batch.bindings == ((200, 0x01000000 + ord("ż")),)
    assert batch.strokes == (Key(200), Key(24), Key(200))


def test_twenty_new_characters_take_two_batches():
    text = "".join(chr(0x4E00 + number) for number in range(20))
    first, second = plan_text(text, GERMAN)
    assert (len(first.bindings), len(second.bindings)) == (19, 1)
    assert (len(first.strokes), len(second.strokes)) == (19, 1)


def test_a_batch_never_binds_a_key_anew_that_it_has_used():
    text = "".join(chr(0x0400 + number % 45) for number in range(200))
    for batch in plan_text(text, GERMAN):
        codes = [code for code, _ in batch.bindings]
        assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("num_spare", [1, 2, 19, 60])
def test_any_text_arrives_whole_and_in_order(num_spare):
    rng = random.Random(num_spare)
    scripts = ["qwQ@ü ", "żółć", "Ωмир", "漢字かな", "🙂🚀", "שלום", "e\u0301"]
    keymap = Keymap(GERMAN.keys, tuple(range(100, 100 + num_spare)), {})
    for _ in range(40):
        text = "".join(rng.choice(rng.choice(scripts)) for _ in range(rng.randrange(80)))
        batches = plan_text(text, keymap)
        assert typed(batches, keymap) == [keysym_number(character) for character in text]
        keymap = keymap_after(keymap, batches)


def test_bindings_of_an_earlier_text_are_used_again():
    batches = plan_text("żó", GERMAN)
    later = keymap_after(GERMAN, batches)
    [again] = plan_text("óż", later)
    assert again.bindings == ()


def test_missing_character_without_a_spare_key_is_explained():
    with pytest.raises(ActionError, match="no key for 'ż'"):
        plan_text("ż", Keymap(GERMAN.keys, (), {}))


def test_lower_level_wins_where_two_keys_have_a_character():
    keymap = keymap_of([(10, (ord("a"), ord("x"))), (11, (ord("x"),))])
    assert keymap.keys[ord("x")] == Key(11, 0)


def test_only_spare_keys_are_bound():
    with pytest.raises(ConfigError, match="only spare keys"):
        Keymap({}, (1,), {2: 97})
