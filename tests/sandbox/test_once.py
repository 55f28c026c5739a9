"""The folder for what can be made again; taking turns is tested where images and the runner are made."""

from pathlib import Path

import pytest

from agentgym.errors import SandboxStartError
from agentgym.sandbox.once import cache_folder


def test_the_folder_is_made_where_the_user_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "deep" / "cache"))
    assert cache_folder() == tmp_path / "deep" / "cache" / "agentgym"
    assert cache_folder().stat().st_mode & 0o777 == 0o700


def test_a_user_without_a_place_for_it_is_told_how_to_name_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").write_text("no folder")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(SandboxStartError, match="name one in XDG_CACHE_HOME"):
        cache_folder()
