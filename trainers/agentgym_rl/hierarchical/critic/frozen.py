"""A policy that stays as it is, read as a critic's features: what was read of an episode is kept.

Not here: what is read (valuation.py).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from agentgym.trajectory import Segment
from agentgym_rl.core.models import PolicyModel

_MAX_NUMBERS = 1 << 26
"""Numbers kept: 256 MiB of float32."""


class FrozenPolicy(PolicyModel):
    """A policy whose weights never change again.

    Each segment passes through it alone, so that what is read of it does not depend on its company: a resumed run,
    which has to read everything again, goes on with the same numbers.

    Args:
        policy: Whose model it shares.
        max_numbers: Numbers that are kept; those unused for longest go.
    """

    def __init__(self, policy: PolicyModel, max_numbers: int = _MAX_NUMBERS) -> None:
        super().__init__(policy.causal_lm, autocast=policy.autocast)
        self._max_numbers, self._num_kept = max_numbers, 0
        self._kept: OrderedDict[bytes, Tensor] = OrderedDict()

    def read_once(
        self, what: str, segments: Sequence[Segment], read: Callable[[Segment], Float[Tensor, "N D"]]
    ) -> Float[Tensor, "M D"]:
        """What `read` gives for each segment, one after another, without gradient.

        Args:
            what: The name of `read`, which is the same function for the same name.
            segments: Any.
            read: What is kept of a segment.
        """
        return torch.cat([self._reading(what, segment, read) for segment in segments])

    def _reading(self, what: str, segment: Segment, read: Callable[[Segment], Tensor]) -> Tensor:
        key = _key(what, segment)
        found = self._kept.get(key)
        if found is None:
            found = read(segment)
            self._kept[key] = found
            self._num_kept += found.numel()
            while self._num_kept > self._max_numbers:
                self._num_kept -= self._kept.popitem(last=False)[1].numel()
        else:
            self._kept.move_to_end(key)
        return found


def _key(what: str, segment: Segment) -> bytes:
    """Of all that a reading depends on."""
    digest = hashlib.blake2b(what.encode(), digest_size=16)
    for array in (segment.tokens, segment.completion_mask, segment.turn_index):
        digest.update(array.tobytes())
    return digest.digest()
