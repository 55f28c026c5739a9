"""`agentgym images`: builds, lists and checks in a real engine, and says what is wrong where there is none."""

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from agentgym.cli.main import main
from agentgym.errors import AgentGymError
from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.images import build as image_build
from agentgym.sandbox.images.named import ImageCatalogue


@pytest.fixture
def name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The only image there is, for this test."""
    try:
        client = connect_engine()
    except AgentGymError as error:
        pytest.skip(f"no container engine: {error}")
    fresh = f"test-{uuid4().hex[:12]}"
    (tmp_path / fresh).mkdir()
    (tmp_path / fresh / "Dockerfile").write_text("FROM scratch\nCOPY a.txt /\n")
    (tmp_path / fresh / "a.txt").write_text("one")
    monkeypatch.setattr(image_build, "default_catalogue", lambda: ImageCatalogue(tmp_path))
    yield fresh
    for image in client.images.list(f"agentgym/{fresh}"):
        client.images.remove(image.id, force=True)
    client.close()


def test_images_are_built_listed_checked_and_pruned(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["images", "check", "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)[0]["status"] == "missing"
    assert printed.err == f"to do: agentgym images build {name}\n"
    assert main(["images", "build"]) == 0
    printed = capsys.readouterr()
    assert "built in" in printed.out
    assert f"{name}: Step 2/3 : COPY a.txt /" in printed.err
    assert main(["images", "build", name, "--json"]) == 0
    assert [row["was_built"] for row in json.loads(capsys.readouterr().out)] == [False]
    assert main(["images", "check", name]) == 0
    (tmp_path / name / "a.txt").write_text("two")
    assert main(["images", "list"]) == 0
    assert "stale" in capsys.readouterr().out
    assert main(["images", "build"]) == 0
    capsys.readouterr()
    assert main(["images", "prune", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 1


def test_images_of_unknown_names_are_wrong_usage(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["images", "build", "no-such-image"]) == 2
    assert f"unknown image 'no-such-image'; known: {name}" in capsys.readouterr().err


def test_images_without_an_engine_say_where_it_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert main(["images", "list"]) == 1
    said = capsys.readouterr().err
    assert f"no container engine at unix://{tmp_path}/none.sock: there is no such socket" in said
    assert "DOCKER_HOST" in said
