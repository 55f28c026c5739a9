"""Whether a session is as new: no windows, held keys or selections, the first keymap, no foreign root property.

Processes, files and mounts are looked after by the sandbox's own reset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_CLEAN = {"windows": "0", "modules": "0", "modifiers": "0"}
_OWN_PROPERTIES = ("_NET_", "_OB_", "_OPENBOX_", "_XKB_RULES_NAMES")
_first_keymaps: dict[str, str] = {}


def leftovers(state: Mapping[str, Sequence[str]], image: str) -> list[str]:
    """What of a session's state an earlier episode must have left.

    Args:
        state: What desk says of the X server, lists of values by name.
        image: The image; the first session of each that this process sees says what its keymap is.
    """
    wrong = [name for name, wanted in _CLEAN.items() if list(state.get(name, ())) != [wanted]]
    wrong += [line for line in state.get("selection", ()) if not line.endswith("free")]
    wrong += [f"root property {name}" for name in state.get("property", ()) if not name.startswith(_OWN_PROPERTIES)]
    keymap = "".join(state.get("keymap", ()))
    if keymap != _first_keymaps.setdefault(image, keymap):
        wrong.append("keymap")
    return wrong
