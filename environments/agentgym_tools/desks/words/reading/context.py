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
        made: Tools by which something was written, in order; what was not made is not reported. None: not known.
        questions: Facts that the open request asks the desk for; None: any fact may be told.
        topic: Facts that the open request is about; None: not known.
        profile: Facts of the customer itself.
        reasons: Why requests of the open one's kind are refused; other reasons are less likely. None: not known.
    """

    known: Mapping[str, Value] = field(default_factory=dict)
    customer: str = ""
    made: Sequence[str] | None = None
    questions: frozenset[str] | None = None
    topic: frozenset[str] | None = None
    profile: frozenset[str] = frozenset()
    reasons: frozenset[str] | None = None
