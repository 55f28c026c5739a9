"""What a provider looks up of an image: that it is there, and where it keeps what no limit reaches."""

import dataclasses
import io
import os

import pytest

from agentgym.errors import SandboxError, SandboxStartError, UnsupportedSpecError
from agentgym.sandbox.spec import SandboxSpec
from tests.sandbox.docker_engine import SPEC, running_provider
from tests.sandbox.engine import has_engine

pytestmark = [
    pytest.mark.skipif(not has_engine(), reason="no container engine answers"),
    pytest.mark.skipif(os.geteuid() != 0, reason="work folders as overlays need root"),
]


@pytest.fixture(scope="module")
def provider():
    with running_provider() as provider:
        yield provider


def test_an_image_of_ours_is_named_with_the_command_that_builds_it(provider, monkeypatch):
    monkeypatch.setattr("agentgym.sandbox.engines.docker_image.resolve_image", lambda name: "agentgym/base:absent")
    with pytest.raises(SandboxStartError, match="agentgym images build base"):
        provider.start(SandboxSpec())


def test_a_text_that_names_no_image_is_refused(provider):
    with pytest.raises(SandboxStartError, match=r"'python:\{id\}' names no image; expected the form NAME:TAG"):
        provider.start(dataclasses.replace(SPEC, image="python:{id}"))


@pytest.fixture
def image_with_volume(provider):
    """An image whose folder /kept an engine puts on a disk of its own."""
    client, tag = provider.host.client, f"agentgym-test-{os.urandom(4).hex()}:latest"
    built = f"FROM {SPEC.image}\nRUN mkdir -m 777 /kept && echo seed > /kept/seed\nVOLUME /kept\n"
    client.images.build(fileobj=io.BytesIO(built.encode()), tag=tag, rm=True, forcerm=True)
    yield tag
    client.images.remove(tag)


def test_what_an_image_declares_as_volume_is_not_limited_silently_and_made_anew(provider, image_with_volume):
    spec = dataclasses.replace(SPEC, image=image_with_volume)
    with pytest.raises(UnsupportedSpecError, match=r"/kept as volumes.*relaxed\('work_mib'\)"):
        provider.start(spec)
    with provider.start(spec.relaxed("work_mib")) as sandbox:
        assert sandbox.exec(["sh", "-c", "echo dirt > /kept/dirt; ls /kept"]).stdout == b"dirt\nseed\n"
        with pytest.raises(SandboxError, match="/kept"):
            sandbox.snapshot()
        assert sandbox.reset().method == "recreate"
        assert sandbox.exec(["ls", "/kept"]).stdout == b"seed\n"
