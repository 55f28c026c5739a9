"""What tests of environments in containers share: whether they can run here."""

import os

import pytest

from agentgym.sandbox.engines.engine import EngineInfo, connect_engine, probe_engine
from agentgym.sandbox.images.named import image_tag


def needs_image(name: str) -> list[pytest.MarkDecorator]:
    """Marks that skip where no engine answers, the image is not built, or this is not root."""
    has_engine = isinstance(probe_engine(), EngineInfo)
    has_image = has_engine and _is_built(name)
    return [
        pytest.mark.skipif(not has_engine, reason="no container engine answers"),
        pytest.mark.skipif(not has_image, reason=f"image not built; run: agentgym images build {name}"),
        pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
    ]


def _is_built(name: str) -> bool:
    client = connect_engine()
    try:
        return bool(client.images.list(name=image_tag(name)))
    finally:
        client.close()
