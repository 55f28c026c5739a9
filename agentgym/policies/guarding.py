"""Partners under a guard: a message that it refuses is drawn again, and after a few times the partner forfeits.

What a guard allows is the game's business; who has one is said by `EnvSpec.guards`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from agentgym.errors import PartnerForfeitError
from agentgym.message import user
from agentgym.policy import Guard, Refusal, Reply, Request, draw_seed
from agentgym.prompting.parsing import canonical_text

REDRAWS = 3
"""How often a message is drawn again by default."""
CUT = Refusal("cut", "it was cut because it is too long")
_MAX_SHOWN = 500


class GuardedDraws:
    """Draws messages until guards allow them.

    The reason of a refusal is told to the partner alone, behind its conversation and for the next draw only. A partner
    that takes token ids is not told; it draws with another seed.

    Args:
        guards: The guard of each role that has one.
        max_redraws: How often a message is drawn again.
    """

    def __init__(self, guards: Mapping[str, Guard], max_redraws: int = REDRAWS) -> None:
        self._guards, self._max_redraws = guards, max_redraws

    def draw(
        self, name: str, ask: Callable[[Sequence[Request]], list[Reply]], requests: Sequence[Request]
    ) -> list[Reply]:
        """A message for each request, each allowed by the guard of its role.

        Args:
            name: Name of the partner, for the error.
            ask: Asks it.
            requests: What it is asked with.

        Returns:
            The messages; one that was refused more often than it may be drawn again has a `fault` instead.
        """
        replies = list(ask(requests))
        refused: dict[int, list[Refusal]] = {}
        left = [place for place, request in enumerate(requests) if request.role in self._guards]
        for draw in range(self._max_redraws + 1):
            left = [place for place in left if self._refuses(requests[place], replies[place], refused, place)]
            if not left or draw == self._max_redraws:
                break
            asked = [_again(requests[place], refused[place]) for place in left]
            for place, reply in zip(left, ask(asked), strict=True):
                replies[place] = _added(replies[place], reply, refused[place])
        for place in left:
            fault = _forfeit(name, requests[place], refused[place])
            replies[place] = replace(replies[place], fault=fault, refused=())
        return replies

    def _refuses(self, request: Request, reply: Reply, refused: dict[int, list[Refusal]], place: int) -> bool:
        is_spelt = request.tools and reply.ids is not None  # a policy of text says calls in our spelling
        text = canonical_text(reply.text, request.tools) if is_spelt else reply.text
        refusal = CUT if reply.was_cut else self._guards[request.role].check(request, text)
        if refusal is None:
            return False
        refused.setdefault(place, []).append(refusal._replace(text=reply.text[:_MAX_SHOWN]))
        return True


def _forfeit(name: str, request: Request, refusals: Sequence[Refusal]) -> PartnerForfeitError:
    last = refusals[-1]
    return PartnerForfeitError(
        f"the partner {name} was refused {len(refusals)} times in turn {request.turn} of the role {request.role!r}, "
        f"at last for {last.cause!r}: {last.why}; it said {last.text!r:.200}. Let a stronger model play the role, or "
        "allow more draws (?redraws=N behind the partner's name)",
        last.cause,
        [refusal.to_json(request.role, request.turn) for refusal in refusals],
    )


def _again(request: Request, refusals: Sequence[Refusal]) -> Request:
    """The request for the next draw."""
    seed = draw_seed(request.seed, "redraw", len(refusals))
    if request.prompt_ids is not None:
        return replace(request, seed=seed)
    last = refusals[-1]
    said = user(f"Your message was not sent: {last.text}\nWhat is wrong: {last.why}. Write another message instead.")
    return replace(request, seed=seed, messages=[*request.messages, said])


def _added(before: Reply, reply: Reply, refusals: Sequence[Refusal]) -> Reply:
    """A further draw, with what the ones before it cost."""
    usage = {name: before.usage.get(name, 0.0) + reply.usage.get(name, 0.0) for name in before.usage | reply.usage}
    return replace(reply, usage={**usage, "redraws": float(len(refusals))}, refused=tuple(refusals))
