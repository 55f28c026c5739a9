"""The canary of a reset: a resource is lent again only if it shows what a fresh one shows.

Its maker knows how to ask a resource.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def leftovers(
    read: Callable[[], Mapping[str, str]], pristine: Mapping[str, str], *, patience_s: float = 0.0
) -> dict[str, str]:
    """The values that differ between a resource after its reset and a fresh one.

    Args:
        read: Asks the resource; the values by name.
        pristine: The answers of a fresh one, by the names that count.
        patience_s: Time in which ended processes may still disappear.

    Returns:
        The values that differ, by name; empty if it is clean. A name that the resource does not show is "missing".
    """
    deadline = time.monotonic() + patience_s
    while True:
        shown = read()
        differing = {name: shown.get(name, "missing") for name in pristine if shown.get(name) != pristine[name]}
        if not differing or time.monotonic() > deadline:
            return differing
