"""`agentgym sweep`: what it prints, and its exit codes."""

import json
import os
import subprocess
import sys

import pytest

from agentgym.cli.main import main
from agentgym.sandbox.leasing.owner import known_owners, owners_folder

BE_OWNER = "import sys; from pathlib import Path; from agentgym.sandbox.leasing.owner import this_owner\n"
BE_OWNER += "this_owner(Path(sys.argv[1])).new_folder('box'); import os; os._exit(0)"


@pytest.fixture
def state(tmp_path, monkeypatch):
    """A state folder with one dead owner, and no engine."""
    monkeypatch.setenv("AGENTGYM_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    subprocess.run([sys.executable, "-c", BE_OWNER, str(tmp_path)], check=True)
    return tmp_path


def test_a_dry_run_says_what_would_go_and_keeps_it(state, capsys):
    (owner,) = known_owners(state)
    assert main(["sweep", "--dry-run", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    expected = {"kind": "folder", "name": str(owners_folder(state) / owner), "owner": owner, "error": ""}
    assert answer["leftovers"] == [expected]
    assert answer["num_alive"] == 0
    assert "no such socket" in answer["engine"]
    assert known_owners(state) == [owner]


def test_a_sweep_removes_it_and_says_so(state, capsys):
    (owner,) = known_owners(state)
    assert main(["sweep"]) == 0
    said = capsys.readouterr()
    assert owner in said.out
    assert "1 found; 0 owners are alive" in said.err
    assert "containers were not checked" in said.err
    assert known_owners(state) == []
    assert main(["sweep"]) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file that root cannot remove")
def test_what_could_not_be_removed_is_told_and_fails(state, capsys):
    (owner,) = known_owners(state)
    kept = owners_folder(state) / owner / "kept"
    kept.touch()
    subprocess.run(["chattr", "+i", str(kept)], check=True)
    try:
        assert main(["sweep", "--json"]) == 1
        assert "not permitted" in json.loads(capsys.readouterr().out)["leftovers"][0]["error"]
    finally:
        subprocess.run(["chattr", "-i", str(kept)], check=True)
    assert main(["sweep"]) == 0
