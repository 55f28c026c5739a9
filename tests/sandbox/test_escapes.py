"""Attempts to leave a sandbox, to fool its host or to outlast a reset: each is made as an agent would, and fails.

docs/reliability.md lists them with what stops each; `python -m tests.sandbox.test_escapes` writes that table.
"""

import re
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from agentgym.errors import SandboxStartError
from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider
from agentgym.sandbox.leasing.mounts import mounts_below, unmount
from agentgym.sandbox.leasing.owner import this_owner
from tests.sandbox.docker_engine import provider_on, take_down
from tests.sandbox.escape_attempts import SCRIPTS
from tests.sandbox.escape_hosted import HOSTED, SPECS, Arena

RELIABILITY = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- escape attempts: begin -->\n", "<!-- escape attempts: end -->\n"


@pytest.fixture(scope="module", params=sorted(SPECS))
def arena(request):
    # Not pytest's own folder: that lets no other user through.
    state = Path(tempfile.mkdtemp(prefix="agentgym-escapes-"))
    if request.param == "docker":
        try:
            provider = provider_on(state)
            provider.start(SPECS["docker"]).close()
        except SandboxStartError as error:
            this_owner(state).release()
            with suppress(OSError):  # never mounted
                unmount(state)
            shutil.rmtree(state, ignore_errors=True)
            pytest.skip(str(error))
        made = Arena("docker", provider, SPECS["docker"])
        yield made
        made.end()
        take_down(provider)
        shutil.rmtree(state, ignore_errors=True)
        return
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTGYM_STATE_DIR", str(state))
        made = Arena("bubblewrap", BubblewrapProvider(), SPECS["bubblewrap"])
        yield made
        made.end()
        this_owner().release()
    assert not mounts_below(state)
    shutil.rmtree(state)


@pytest.mark.parametrize("attempt", SCRIPTS, ids=lambda attempt: attempt.name)
def test_script_is_stopped(arena, attempt):
    output = arena.run(attempt.script)
    assert "ESCAPED" not in output, output
    assert re.search(attempt.shows, output), output


@pytest.mark.parametrize("hosted", HOSTED, ids=lambda hosted: hosted[0].name)
def test_attempt_is_stopped(arena, hosted):
    hosted[1](arena)


# The table.


def table() -> str:
    lines = ["| # | what is tried | what stops it | test |", "| --- | --- | --- | --- |"]
    tests = [("test_script_is_stopped", script) for script in SCRIPTS]
    tests += [("test_attempt_is_stopped", made) for made, _ in HOSTED]
    lines += [
        f"| {number} | {made.tried} | {made.stopped_by} | `{test}[…-{made.name}]` |"
        for number, (test, made) in enumerate(tests, 1)
    ]
    return "\n".join(lines) + "\n"


def test_the_table_in_the_docs_is_this_one():
    names = [made.name for made in SCRIPTS] + [made.name for made, _ in HOSTED]
    assert len(names) == len(set(names)) >= 40
    written = RELIABILITY.read_text().partition(BEGIN)[2].partition(END)[0]
    assert written == table(), "write it anew: python -m tests.sandbox.test_escapes"


if __name__ == "__main__":
    before, _, rest = RELIABILITY.read_text().partition(BEGIN)
    RELIABILITY.write_text(before + BEGIN + table() + END + rest.partition(END)[2])
    sys.stderr.write(f"wrote {RELIABILITY}\n")
