"""The canary of a reset: a resource goes out again only where it shows what a fresh one shows.

How a resource is asked is its maker's work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def leftovers(
    read: Callable[[], Mapping[str, str]], pristine: Mapping[str, str], *, patience_s: float = 0.0
) -> dict[str, str]:
    """What a resource shows after its reset that a fresh one does not.

    Args:
        read: Asks the resource; the values by name.
        pristine: What a fresh one answers to the names that count.
        patience_s: How long what was ended may still take to disappear.

    Returns:
        The values that differ, by name; empty where it is clean. A name that the resource does not show is "missing".
    """
    deadline = time.monotonic() + patience_s
    while True:
        shown = read()
        differing = {name: shown.get(name, "missing") for name in pristine if shown.get(name) != pristine[name]}
        if not differing or time.monotonic() > deadline:
            return differing
