"""What was established before a message, which it need not say again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentgym_tools.worlds.calls import Value


@dataclass(frozen=True)
class Context:
    """What was established before a message, which it need not say again.

    Attributes:
        known: What the customer told, by fact.
        customer: Key of the customer who was identified; "" for nobody.
        made: Tools by which something was written, in order.
        questions: Facts that the open request asks the desk for; None: any fact may be told.
    """

    known: Mapping[str, Value] = field(default_factory=dict)
    customer: str = ""
    made: Sequence[str] = ()
    questions: frozenset[str] | None = None
