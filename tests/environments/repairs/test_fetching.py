import shutil
from pathlib import Path

import pytest

from agentgym_swe.repositories.fetching import FetchError, Pin, UnreachedError, fetch_sdists

from .conftest import write_sdist

RAN = Path("/tmp/agentgym-it-ran")


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that pip takes sdists from, and a cache of its own."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def test_sdist_is_fetched_once_and_nothing_of_it_runs(index):
    RAN.unlink(missing_ok=True)
    _, sha256 = write_sdist(index)
    pin = Pin("small", "1.0", sha256)
    told: list[str] = []
    path = fetch_sdists([pin], told.append)[sha256]
    assert told == ["fetching 1 package: small"]
    shutil.rmtree(index)
    assert fetch_sdists([pin])[sha256] == path
    assert not RAN.exists()


def test_sdist_with_another_hash_is_refused_and_not_kept(index, tmp_path):
    _, sha256 = write_sdist(index)
    with pytest.raises(FetchError, match=f"has the SHA-256 {sha256}, but {'0' * 64} is pinned") as raised:
        fetch_sdists([Pin("small", "1.0", "0" * 64)])
    assert not isinstance(raised.value, UnreachedError)
    assert not list((tmp_path / "cache" / "agentgym" / "swe" / "sdists").iterdir())


def test_sdist_that_cannot_be_had_is_explained(index):
    with pytest.raises(UnreachedError, match="is there a network"):
        fetch_sdists([Pin("small", "1.0", "0" * 64)])
