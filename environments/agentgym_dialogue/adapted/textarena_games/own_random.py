"""Random draws of TextArena's games from an episode's own generator instead of the process-wide one.

TextArena calls functions of the module `random`, which it seeds for everybody; its modules get a stand-in for it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_current: ContextVar[random.Random | None] = ContextVar("generator of the running episode", default=None)


class _StandIn:
    """Looks like the module `random`; its functions are methods of the running episode's generator."""

    def __getattr__(self, name: str) -> Any:
        generator = _current.get()
        if generator is not None and hasattr(generator, name):
            return getattr(generator, name)
        return getattr(random, name)


_STAND_IN = _StandIn()
_modules_seen: dict[str, int] = {}
"""How many modules were loaded when a package was last looked through."""


def _print_nothing(*words: object, **options: object) -> None:
    """In place of `print` in games that report their progress to the terminal."""


def isolate(package: str = "textarena") -> None:
    """Give the loaded modules of the package the stand-in for `random`, and nothing to print with in its games."""
    if _modules_seen.get(package) == len(sys.modules):  # thousands where torch is loaded, and each game asks
        return
    _modules_seen[package] = len(sys.modules)
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(f"{package}."):
            if getattr(module, "random", None) is random:
                vars(module)["random"] = _STAND_IN
            if name.startswith(f"{package}.envs."):
                vars(module)["print"] = _print_nothing


@contextmanager
def drawing_from(generator: random.Random) -> Iterator[None]:
    """Within it the isolated modules draw from the generator, in this thread alone."""
    token = _current.set(generator)
    try:
        yield
    finally:
        _current.reset(token)
