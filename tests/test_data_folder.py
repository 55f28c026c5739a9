from __future__ import annotations

import pytest

from agentgym import data_folder as module
from agentgym.data_folder import data_folder
from agentgym.errors import ConfigError


@pytest.mark.parametrize("name", ["tasks", "containers"])
def test_data_folder_finds_the_checkout(name):
    assert data_folder(name).name == name
    assert data_folder(name).is_dir()


def test_data_folder_prefers_package_data(tmp_path, monkeypatch):
    package = tmp_path / "agentgym"
    (package / "_data" / "tasks").mkdir(parents=True)
    (tmp_path / "tasks").mkdir()
    monkeypatch.setattr(module, "_PACKAGE", package)
    assert data_folder("tasks") == package / "_data" / "tasks"


def test_data_folder_says_where_it_looked(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PACKAGE", tmp_path / "agentgym")
    with pytest.raises(ConfigError, match=r"no folder 'tasks' in .* install agentgym again"):
        data_folder("tasks")
