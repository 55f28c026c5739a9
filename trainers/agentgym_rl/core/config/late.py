"""Functions that are imported when they are first called.

The table of learners names what needs torch this way, so that a configuration is read, and its mistakes are reported,
without waiting for torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Late:
    """A function or class by its name; calling this imports it and calls it.

    Attributes:
        name: "module:NAME".
    """

    name: str

    def load(self) -> Callable[..., Any]:
        """Import the function or class.

        Raises:
            ImportError: Its module cannot be imported.
            AttributeError: The module has no such name.
        """
        module, _, name = self.name.partition(":")
        found: Callable[..., Any] = getattr(import_module(module), name)
        return found

    def __call__(self, *arguments: Any) -> Any:
        """Import the function or class, and call it."""
        return self.load()(*arguments)
