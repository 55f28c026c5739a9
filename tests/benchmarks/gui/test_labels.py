"""Labelled targets of a few screens: a description belongs to an item, and an item may have several."""

from __future__ import annotations

from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym_gui.grounding.rendering import DESKTOPS
from benchmarks.gui.labels import targets
from tests.environments.in_containers import needs_image

pytestmark = needs_image("desktop")


def test_labelled_targets_are_counted_by_items_and_by_descriptions():
    with SandboxPool(DockerProvider(), PoolConfig(ready=DESKTOPS)) as pool:
        made = targets(pool, 2)
    assert (made["desktops"], made["screens"]) == (DESKTOPS, 2)
    assert 0 < made["items a second"] < made["descriptions a second"]
