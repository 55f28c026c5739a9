"""The sandboxes in which candidates of a package are tried, each opened when it is first needed."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from typing import Self

from agentgym_swe.making.coverage_map import Lines
from agentgym_swe.making.issue import Explainer, explainer
from agentgym_swe.making.screening import Cold, Screen, cold, screen
from agentgym_swe.repositories.layer import Layer
from agentgym_swe.room import Wanted

CONFIRMING: tuple[tuple[str | None, int], ...] = ((None, 0), ("reversed", 1), ("shuffled", 2))
"""Order and hash seed of each run from nothing that confirms a task."""


class Workers:
    """What runs a package's tests, for as long as a block runs.

    Args:
        layer: The package.
        sandbox: As in `SandboxEnv`.
    """

    def __init__(self, layer: Layer, sandbox: Wanted = None) -> None:
        self._layer, self._sandbox = layer, sandbox
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def measure(self) -> Lines:
        """What each test runs, by the session that is `hot` from now on."""
        self.hot = self._stack.enter_context(screen(self._layer, self._sandbox, measures=True))
        return self.hot.lines

    @cached_property
    def hot(self) -> Screen:
        """A collected session."""
        return self._stack.enter_context(screen(self._layer, self._sandbox))

    @cached_property
    def fresh(self) -> Cold:
        """Runs from nothing."""
        return self._stack.enter_context(cold(self._layer, self._sandbox, plain=self.hot.plain))

    @cached_property
    def confirming(self) -> tuple[Cold, ...]:
        """Runs from nothing, one for each order."""
        runs = (cold(self._layer, self._sandbox, order=order, hash_seed=seed) for order, seed in CONFIRMING)
        return tuple(self._stack.enter_context(run) for run in runs)

    @cached_property
    def explaining(self) -> Explainer:
        """What tells how tests fail."""
        return self._stack.enter_context(explainer(self._layer, self._sandbox))
