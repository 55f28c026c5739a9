"""check_sandbox: every provider passes it, and one that breaks the contract does not."""

import shutil
import tempfile
from pathlib import Path

import pytest

from agentgym.errors import ContractError, UnknownNameError
from agentgym.sandbox.base import ExecResult, ResetReport
from agentgym.sandbox.engines.bubblewrap import BubblewrapProvider
from agentgym.sandbox.engines.process import ProcessProvider, ProcessSandbox
from agentgym.sandbox.leasing.owner import this_owner
from agentgym.testing import SANDBOX_CHECKS, check_sandbox
from tests.sandbox.docker_engine import SPEC, running_provider
from tests.sandbox.engine import has_engine

needs_engine = pytest.mark.skipif(not has_engine(), reason="no container engine answers")


@pytest.fixture(scope="module")
def docker_provider():
    with running_provider() as provider:
        yield provider


@needs_engine
@pytest.mark.parametrize("name", SANDBOX_CHECKS)
def test_docker_keeps_the_contract(docker_provider, name):
    report = check_sandbox(docker_provider, spec=SPEC, only=[name])
    report.raise_if_failed()
    assert [result.status for result in report.results] == ["passed"]


@pytest.mark.parametrize("name", SANDBOX_CHECKS)
def test_process_keeps_the_contract_but_for_what_it_declares(name):
    report = check_sandbox(ProcessProvider(), only=[name])
    report.raise_if_failed()


@pytest.fixture(scope="module")
def bubblewrap_provider():
    # Not pytest's own folder: that lets no other user through.
    state = Path(tempfile.mkdtemp(prefix="agentgym-check-"))
    yield BubblewrapProvider(state=state)
    this_owner(state).release()
    shutil.rmtree(state)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
@pytest.mark.parametrize("name", SANDBOX_CHECKS)
def test_bubblewrap_keeps_the_contract_but_for_what_it_declares(bubblewrap_provider, name):
    report = check_sandbox(bubblewrap_provider, only=[name])
    report.raise_if_failed()
    expected = "skipped" if name == "memory_limit" else "passed"
    assert [result.status for result in report.results] == [expected]


def test_unknown_checks_are_refused():
    with pytest.raises(UnknownNameError, match="exec"):
        check_sandbox(ProcessProvider(), only=["exce"])


BREACHES = {
    "exec": ("exec", lambda self, *given, **options: ExecResult(0, b"", b"")),
    "reset": ("reset", lambda self, to=None: ResetReport("in_place", 0.0)),
    "files": ("read_file", lambda self, path, **options: b""),
    "close": ("close", lambda self: None),
    "interrupt": ("interrupt", lambda self: None),
}


@pytest.mark.parametrize("check", BREACHES)
def test_a_broken_sandbox_fails_the_check_that_is_about_it(monkeypatch, check):
    method, broken = BREACHES[check]
    kept = getattr(ProcessSandbox, method)
    made = []
    begin = ProcessProvider.start
    monkeypatch.setattr(ProcessProvider, "start", lambda self, spec: made.append(begin(self, spec)) or made[-1])
    monkeypatch.setattr(ProcessSandbox, method, broken)
    report = check_sandbox(ProcessProvider(), only=[check])
    monkeypatch.setattr(ProcessSandbox, method, kept)
    for sandbox in made:
        sandbox.close()
    with pytest.raises(ContractError, match=check):
        report.raise_if_failed()
