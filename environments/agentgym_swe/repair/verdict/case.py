"""What judging a task takes: its package, its tests, and what was found out about them on the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentgym_swe.repair.link import Way
from agentgym_swe.repair.verdict.probes import Probes
from agentgym_swe.repair.verdict.tree import File
from agentgym_swe.repair.verdict.twins import TwinFile
from agentgym_swe.repositories.layer import Layer


@dataclass(frozen=True)
class Case:
    """A task as the judge sees it.

    Attributes:
        name: For messages.
        layer: The package.
        given: Texts of the sources that the agent got otherwise than they are in the layer.
        failing: Ids of the tests that fail on what the agent got.
        kept: Ids of all other tests, which pass on it; a fault put in anywhere must not pay.
        relevant: Those of them that cover what was broken.
        key: Equal for cases of equal tests.
    """

    name: str
    layer: Layer
    given: Mapping[str, str]
    failing: tuple[str, ...]
    kept: tuple[str, ...]
    relevant: tuple[str, ...]
    key: str


@dataclass(frozen=True)
class Prepared:
    """What was found out about the tests of a case on the original.

    Attributes:
        probes: Values that the original computes.
        twins: Copies of tests.
        planned: By place how each copy comes out.
        test_bytecode: What pytest makes of the test files.
        source_bytecode: What Python makes of the sources that the agent gets as they are in the layer.
        cpu_limit_s: Processor time that a run of the tests may take.
        way: How the tests are run.
    """

    probes: Probes
    twins: tuple[TwinFile, ...]
    planned: Mapping[str, str]
    test_bytecode: Mapping[str, File] = field(default_factory=dict)
    source_bytecode: Mapping[str, File] = field(default_factory=dict)
    cpu_limit_s: int = 60
    way: Way = field(default_factory=Way)
