"""What a checkpoint keeps of each part of a run that has a memory of its own: replay, critics, curricula.

The model, its optimiser and the loop's own counters are not parts; `checkpoint.py` knows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from torch import Tensor


class PartState(NamedTuple):
    """The state of a part: `record` is a JSON object, `tensors` go into a file of tensors."""

    record: Mapping[str, Any]
    tensors: Mapping[str, Tensor] = {}


@runtime_checkable
class Part(Protocol):
    """Something that a resumed run must find as it was."""

    def state(self) -> PartState:
        """The present state; nothing in it changes later."""
        ...

    def restore(self, state: PartState) -> None:
        """Go on from a state.

        Raises:
            CheckpointError: It is of another kind of part, or incomplete.
        """
        ...
