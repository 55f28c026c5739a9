"""What tests of environments in containers share: whether they can run here."""

import os
from functools import cache

import pytest

from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.images.named import image_tag
from tests.sandbox.engine import has_engine


def needs_image(name: str) -> list[pytest.MarkDecorator]:
    """Marks that skip where no engine answers, the image is not built, or this is not root."""
    has_image = has_engine() and image_tag(name) in _built()
    return [
        pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
        pytest.mark.skipif(not has_image, reason=f"image not built; run: agentgym images build {name}"),
        pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
    ]


@cache
def _built() -> set[str]:
    """The tags of all images that the engine has."""
    client = connect_engine()
    try:
        return {tag for image in client.api.images() for tag in image["RepoTags"] or ()}
    finally:
        client.close()
