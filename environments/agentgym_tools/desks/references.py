"""How near a call is to the calls that are right in the present state: ToolRL's reward, against re-planned references.

Qian et al. 2025, arXiv 2504.13958, section 3.3. Differs: a call is compared with the best of several references, which
are planned anew from the present state, where the paper has one recorded list; and a call that cannot be read never
comes here, so that the format's part belongs to the component `format`.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_tools.worlds.calls import Call

MOST = 3.0
"""The score of a call that equals a reference; the lowest is its negative."""


def call_score(call: Call, references: Sequence[Call]) -> float:
    """The score of a call.

    The share of matches is that of the tool's name (0 or 1), of the parameters' names (Jaccard), and of the values (one
    for each parameter of the reference), over the most there could be; it is spread over [-3, 3].

    Args:
        call: The call.
        references: Calls that are right now. Where there are none, because the customer has to move, nothing matches.

    Returns:
        The score against the nearest reference, in [-3, 3].
    """
    return max((2 * MOST * _matches(call, reference) - MOST for reference in references), default=-MOST)


def _matches(call: Call, reference: Call) -> float:
    if call.tool != reference.tool:
        return 0.0
    given, wanted = set(call.arguments), set(reference.arguments)
    names = len(given & wanted) / len(given | wanted) if given | wanted else 1.0
    values = sum(
        Call("", {name: call.arguments[name]}) == Call("", {name: reference.arguments[name]}) for name in given & wanted
    )
    return (1.0 + names + values) / (2.0 + len(wanted))
