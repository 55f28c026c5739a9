"""Text of any script as key strokes: what the keyboard has is typed, and the rest gets spare keys, in batches.

A batch binds its spare keys first and then types. Whoever sends it waits until the bindings are known everywhere before
the strokes, and until the strokes are read before the next batch binds keys anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agentgym.errors import ConfigError
from agentgym_gui.actions.events import ActionError

MAX_NEW_KEYS = 19
"""Most spare keys that a batch binds."""
LEVEL_KEYS: tuple[tuple[str, ...], ...] = ((), ("Shift_L",), ("ISO_Level3_Shift",), ("Shift_L", "ISO_Level3_Shift"))
"""The keys to hold for each level of a key: none, Shift, AltGr, both."""
_UNICODE = 0x01000000
_CONTROLS = {"\n": 0xFF0D, "\t": 0xFF09}  # Return, Tab


@dataclass(frozen=True, slots=True)
class Key:
    """A key and the level on which it types a character.

    Attributes:
        code: Its key code.
        level: Index into `LEVEL_KEYS`.
    """

    code: int
    level: int = 0


@dataclass(frozen=True)
class Keymap:
    """What a keyboard can type now.

    Attributes:
        keys: The key of each keysym number that it has.
        spare: Key codes that nothing is bound to.
        bound: What spare keys were bound to by earlier texts: keysym numbers by key code.
    """

    keys: Mapping[int, Key]
    spare: tuple[int, ...]
    bound: Mapping[int, int]

    def __post_init__(self) -> None:
        if not set(self.bound) <= set(self.spare):
            raise ConfigError(f"only spare keys are bound to characters: got {sorted(self.bound)} of {self.spare}")


@dataclass(frozen=True, slots=True)
class Batch:
    """Keys to bind, then keys to strike.

    Attributes:
        bindings: Key codes with the keysym numbers that they get.
        strokes: The keys, in order.
    """

    bindings: tuple[tuple[int, int], ...]
    strokes: tuple[Key, ...]


def keysym_number(character: str) -> int:
    """The keysym number of a character: Latin-1 as it is, others in the range for Unicode."""
    if character in _CONTROLS:
        return _CONTROLS[character]
    code = ord(character)
    return code if 0x20 <= code < 0x7F or 0xA0 <= code < 0x100 else _UNICODE + code


def keymap_of(rows: Iterable[tuple[int, tuple[int, ...]]]) -> Keymap:
    """A keymap from what an X server says of its keys.

    Args:
        rows: Each key code with its keysym numbers by level; 0 for none. Of two keys for a keysym, the one on the
            lower level counts, then the first.
    """
    keys: dict[int, Key] = {}
    spare = []
    for code, keysyms in rows:
        if not any(keysyms):
            spare.append(code)
        for level, keysym in enumerate(keysyms[: len(LEVEL_KEYS)]):
            if keysym and (keysym not in keys or level < keys[keysym].level):
                keys[keysym] = Key(code, level)
    return Keymap(keys, tuple(spare), {})


def plan_text(text: str, keymap: Keymap) -> list[Batch]:
    """How a text is typed: every character, in order, with at most `MAX_NEW_KEYS` new spare keys a batch.

    A key that a batch uses is not bound anew in that batch. Bindings stay, so that a character that comes again needs
    no new one while its key is not wanted for another.

    Args:
        text: Without control characters other than line breaks and tabs.
        keymap: The keyboard.

    Raises:
        ActionError: The keyboard lacks a character and has no spare key.
    """
    plan = _Plan(keymap)
    for character in text:
        plan.strike(character)
    plan.end_batch()
    return plan.batches


class _Plan:
    """Batches that grow, and what is bound so far.

    Args:
        keymap: The keyboard.
    """

    def __init__(self, keymap: Keymap) -> None:
        self.batches: list[Batch] = []
        self._keymap = keymap
        self._bound = dict(keymap.bound)
        self._codes = {keysym: code for code, keysym in self._bound.items()}
        self._bindings: dict[int, int] = {}
        self._strokes: list[Key] = []
        self._used: set[int] = set()

    def strike(self, character: str) -> None:
        """Add the stroke of a character, and a binding if it needs one."""
        keysym = keysym_number(character)
        key = self._keymap.keys.get(keysym)
        if key is None:
            if keysym not in self._codes:
                self._bind(keysym, character)
            key = Key(self._codes[keysym])
            self._used.add(key.code)
        self._strokes.append(key)

    def end_batch(self) -> None:
        """Close the batch; an empty one is left out."""
        if self._strokes:
            self.batches.append(Batch(tuple(self._bindings.items()), tuple(self._strokes)))
        self._bindings, self._strokes, self._used = {}, [], set()

    def _bind(self, keysym: int, character: str) -> None:
        code = self._free() if len(self._bindings) < MAX_NEW_KEYS else None
        if code is None:
            self.end_batch()
            code = self._free()
        if code is None:
            raise ActionError(f"The keyboard has no key for {character!r}. Leave the character out.")
        self._codes.pop(self._bound.get(code, 0), None)
        self._bound[code], self._codes[keysym], self._bindings[code] = keysym, code, keysym

    def _free(self) -> int | None:
        """A spare key that nothing is bound to, else one that this batch does not use."""
        spare = self._keymap.spare
        unbound = next((code for code in spare if code not in self._bound), None)
        return unbound if unbound is not None else next((code for code in spare if code not in self._used), None)


def keymap_after(keymap: Keymap, batches: Iterable[Batch]) -> Keymap:
    """The keymap after batches were sent, for the next text."""
    bound = dict(keymap.bound)
    for batch in batches:
        bound |= dict(batch.bindings)
    return Keymap(keymap.keys, keymap.spare, bound)
