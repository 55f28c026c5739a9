from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

import agentgym
from agentgym_web.sites.across.drafts import AcrossDraft
from agentgym_web.sites.across.tasks import TEMPLATES
from agentgym_web.sites.core.drafts import draw
from agentgym_web.sites.drawing import ACROSS, world_of
from agentgym_web.sites.env import SiteEnv


@pytest.fixture(scope="session")
def drafts() -> Mapping[str, AcrossDraft]:
    """A draft of each template across sites, by name."""
    return {one.name: draw(one, world_of(ACROSS), 0) for one in TEMPLATES}


@pytest.fixture(scope="module")
def env() -> Iterator[SiteEnv]:
    made = agentgym.make("agentgym/Sites-v0")
    assert isinstance(made, SiteEnv)
    yield made
    made.close()
