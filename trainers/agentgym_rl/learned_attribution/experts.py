"""Whose turns a discriminator learns to tell from the agent's: demonstrations of the run, or episodes of another.

Fitting is the work of `discriminator`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from agentgym.attribution.learned.expert import Expert
from agentgym.errors import ConfigError, StoreError
from agentgym.store import Purpose, RunStore
from agentgym.trajectory import Trajectory
from agentgym_rl.core.demonstrations import recorded_demonstrations
from agentgym_rl.learned_attribution.reading import read_tokens
from agentgym_rl.replay.admission import TOKENIZER

_NONE = (
    "expert has no demonstrations to compare with; set warm_start.demonstrations, or expert.run to the folder of a run "
    "that holds some"
)
_LEARNT_FROM: tuple[Purpose, ...] = ("demo", "train")
"""What an expert's episodes were collected for: the first of these that its run holds."""


@dataclass(frozen=True)
class Credited:
    """The run whose turns are credited, as far as others must fit it.

    Attributes:
        suite: Its suite.
        digest: Of its tokenizer; "" where it holds no tokens.
        held_out: Content hashes of the suite's tasks that are no train tasks, as far as they are known.
    """

    suite: str
    digest: str = ""
    held_out: Collection[str] = frozenset()

    @classmethod
    def of(cls, store: RunStore) -> Credited:
        """That of a database."""
        meta = store.meta
        return cls(str(meta.get("suite", "")), str(meta.get(TOKENIZER, "")))


def expert_episodes(method: Expert, store: RunStore | None, run: Credited) -> list[Trajectory]:
    """The expert's episodes: demonstrations; of a run that is named and holds none, episodes of training that solved.

    Args:
        method: May name a run.
        store: The run that is credited; None where it holds no demonstrations.
        run: The same run.

    Raises:
        ConfigError: There are none, or they are of another suite, held out, or without the tokens that a tower reads.
        StoreError: There is no run of that name, it is damaged, or its tokens are of another tokenizer.
    """
    found = _named(method, run) if method.run else _shown(store)
    if not any(each.turns for each in found):
        raise ConfigError(_NONE)
    return found


def _shown(store: RunStore | None) -> list[Trajectory]:
    demonstrations = [] if store is None else store.episodes(purpose="demo")
    return [each for each in demonstrations if each.outcome is not None and each.outcome.is_graded]


def _named(method: Expert, run: Credited) -> list[Trajectory]:
    reads_tokens = method.fit.tower != "tiny"
    with RunStore.open(method.run, read_only=True) as other:
        purpose = next((each for each in _LEARNT_FROM if other.episode_rows(purpose=each)), None)
        found = recorded_demonstrations(
            other,
            run.suite,
            run.held_out,
            setting="expert.run",
            purpose=purpose,
            is_solved=purpose != "demo",
            reads_tokens=reads_tokens,
        )
        tokens = str(other.meta.get(TOKENIZER, ""))
    if reads_tokens:
        if tokens != run.digest:
            raise StoreError(
                f"{method.run} holds tokens of another tokenizer (digest {tokens[:12]!r}, expected "
                f'{run.digest[:12]!r}); set expert.fit.tower = "tiny", which reads words'
            )
        for each in found:
            read_tokens(each)
    return found
