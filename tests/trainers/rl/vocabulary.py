"""The words of the toy environments; the name of this module is that which the trainer looks for beside them."""

from __future__ import annotations

PROPERTIES = ("large", "round", "soft")
ITEMS = ("ant", "ball", "cake", "dish", "egg", "fox", "gong", "hat")
NUMBERS = range(0)
_SAID = "the lamp is red blue go on cell a b c d e f key none ask or guess yes no"


def texts() -> list[str]:
    """All words that the toys say."""
    return [" ".join([*PROPERTIES, *ITEMS, _SAID])]
