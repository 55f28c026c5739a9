"""One container's sandbox: what the next user of it, and a forked child, must not notice or do."""

import dataclasses
import os
import time

import pytest

from agentgym.errors import SandboxLostError
from agentgym.sandbox.egress.proxy import EgressReport
from agentgym.sandbox.spec import Network
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


@pytest.fixture
def sandbox(provider):
    with provider.start(SPEC) as sandbox:
        yield sandbox


def test_the_next_user_hears_nothing_of_memory_and_traffic_that_the_last_one_used_up(provider):
    spec = dataclasses.replace(SPEC, network=Network(allow=("localhost:9",)))
    too_much = "(sleep 0.2; head -c 300M /dev/zero | tail -c 300M > /dev/null) > /dev/null 2>&1 & echo $!"
    ask = "exec 9<> /dev/tcp/127.0.0.1/8118; printf 'GET http://x.example/ HTTP/1.1\\r\\n\\r\\n' >&9; head -c 12 <&9"
    with provider.start(spec) as sandbox:
        cgroup, proxy = sandbox._container.cgroup, sandbox._container.proxy
        assert sandbox.exec(["bash", "-c", ask]).stdout == b"HTTP/1.1 403"
        assert proxy.report().num_refused == 1
        before, deadline = cgroup.num_oom_kills(), time.monotonic() + 60
        sandbox.exec(["sh", "-c", too_much], keep_background=True)
        while cgroup.num_oom_kills() == before and time.monotonic() < deadline:
            time.sleep(0.02)
        assert cgroup.num_oom_kills() > before
        assert sandbox.reset().method == "in_place"
        assert sandbox.exec(["true"]).oom_killed is False
        assert proxy.report() == EgressReport(0, 0, 0, 0, ())
        assert sandbox.exec(["bash", "-c", ask]).stdout == b"HTTP/1.1 403"


def test_a_reset_undoes_what_was_done_to_the_folders_that_it_keeps(sandbox):
    look = ["sh", "-c", "stat -c '%a %u %g %n' ~ /tmp /dev/shm /dev/mqueue . .."]
    before = sandbox.exec(look).stdout
    inside = sandbox._container.inside("/home/agent")
    sandbox.exec(["sh", "-c", "touch ~/x; chmod 1511 ~; touch -d 2001-01-01 ~; chmod 500 ."])
    os.setxattr(inside, "trusted.left", b"as setfattr and setfacl would")
    assert sandbox.exec(look).stdout != before
    assert sandbox.reset().method == "in_place"
    assert sandbox.exec(look).stdout == before
    assert time.time() - os.stat(inside).st_mtime < 60
    assert os.listxattr(inside) == []
    assert sandbox.exec(["sh", "-c", "touch ~/x x"]).is_ok


def test_a_forked_child_can_end_no_sandbox_of_its_parent(sandbox):
    sandbox.write_file("kept", b"yes")
    child = os.fork()
    if child == 0:
        try:
            with pytest.raises(SandboxLostError):
                sandbox.reset()
            sandbox.close()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sandbox.exec(["cat", "kept"]).stdout == b"yes"
