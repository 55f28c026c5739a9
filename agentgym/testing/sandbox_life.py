"""Checks of how a sandbox starts, is reset, copied, limited and closed.

`sandbox_work` checks what it does in between.
"""

from __future__ import annotations

import dataclasses
import os
import tempfile
import threading
import time

from agentgym.errors import SandboxError, SandboxLostError, UnsupportedSpecError
from agentgym.sandbox.base import Sandbox
from agentgym.sandbox.spec import Network, SandboxSpec
from agentgym.testing.report import expect
from agentgym.testing.sandbox_subject import OPTIONAL_LIMITS, SandboxSubject, expect_equal, said

_NETWORKS = {"internal": Network(group="group"), "allowlist": Network(allow=("example.com",))}
_MIB = 1 << 20
_TEMPORARY = "${TMPDIR:-/tmp}"


def check_refusals(subject: SandboxSubject) -> None:
    """The provider refuses, by name, what it declares that it cannot do, and starts nothing."""
    can = subject.provider.capabilities()
    for name in OPTIONAL_LIMITS:
        if name not in can.limits:
            limits = dataclasses.replace(subject.spec.limits, **{name: 64})
            _expect_refused(subject, dataclasses.replace(subject.spec, limits=limits), name)
    for kind, network in _NETWORKS.items():
        if kind not in can.networks:
            _expect_refused(subject, dataclasses.replace(subject.spec, network=network), kind)
    if not can.images:
        _expect_refused(subject, dataclasses.replace(subject.spec, image="debian:bookworm-slim"), "debian")


def check_reset(subject: SandboxSubject) -> None:
    """A reset removes all files, processes and shared memory from before."""
    with subject.sandbox() as sandbox:
        for _ in range(3):
            sandbox.exec(
                ["sh", "-c", f"echo x > file; echo x > ~/.profile; echo x > {_TEMPORARY}/file; (setsid sleep 600 &)"],
                keep_background=True,
            )
            report = sandbox.reset()
            expect(report.duration_s >= 0 and report.method in ("in_place", "recreate"), f"an odd report: {report}")
            expect((report.method == "in_place") == (report.why == ""), f"{report} does not say why")
            expect_equal(said(sandbox, "ls -A; ls -A ~ | grep profile; true"), "", "files after a reset")
            expect_equal(
                said(sandbox, f"ls -A {_TEMPORARY} | grep '^file$'; true"), "", "temporary files after a reset"
            )
        if subject.provider.capabilities().in_place_reset:
            expect_equal(report.method, "in_place", f"the method of a provider that can ({report.why})")


def check_snapshots(subject: SandboxSubject) -> str | None:
    """A snapshot can be restored any number of times."""
    if not subject.provider.capabilities().snapshots:
        return "the provider takes none"
    with subject.sandbox() as sandbox:
        said(sandbox, "mkdir sub; echo one > sub/file; echo two > gone")
        snapshot = sandbox.snapshot()
        for _ in range(2):
            said(sandbox, "echo changed > sub/file; rm gone; echo new > new")
            sandbox.reset(snapshot)
            expect_equal(said(sandbox, "cat sub/file gone; ls"), "one\ntwo\ngone\nsub\n", "files of a snapshot")
        sandbox.reset()
        expect_equal(said(sandbox, "ls -A"), "", "files after a reset to the pristine state")
    return None


def check_forks(subject: SandboxSubject) -> str | None:
    """Forks start from the same files and then change separately."""
    if not subject.provider.capabilities().snapshots:
        return "the provider takes none"
    with subject.sandbox() as sandbox:
        said(sandbox, "echo common > file")
        forks = sandbox.fork(2)
        try:
            everyone: list[Sandbox] = [sandbox, *forks]
            for number, each in enumerate(everyone):
                said(each, f"echo {number} >> file")
            found = [said(each, "cat file") for each in everyone]
            expect_equal(found, [f"common\n{number}\n" for number in range(3)], "files of forks")
            expect_equal(len({each.id for each in everyone}), 3, "different ids")
        finally:
            for fork in forks:
                fork.close()
    return None


def check_isolation(subject: SandboxSubject) -> str | None:
    """A sandbox has none of the host's rights, files, variables, processes or network."""
    if not subject.provider.capabilities().isolates:
        return "the provider says that it does not isolate"
    secret = os.urandom(8).hex()
    os.environ["AGENTGYM_CHECK_SECRET"] = secret
    try:
        with tempfile.NamedTemporaryFile("w", suffix=secret) as hidden, subject.sandbox() as sandbox:
            status = said(sandbox, "grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status").split()
            expect_equal(status[1::2], ["0" * 16, "1", "2"], "capabilities, no-new-privileges, seccomp")
            expect(said(sandbox, "id -u").strip() != "0", "commands run as root")
            expect(not sandbox.exec(["cat", hidden.name]).is_ok, "a file of the host can be read")
            expect(secret not in said(sandbox, "env; cat /proc/*/environ 2>/dev/null; true"), "a variable of the host")
            expect_equal(said(sandbox, "ls /sys/class/net 2>/dev/null || echo lo").split(), ["lo"], "network devices")
            expect(int(said(sandbox, "ls -d /proc/[0-9]* | wc -l")) < 20, "processes of the host can be seen")
            expect(not sandbox.exec(["sh", "-c", "touch /etc/x || touch /usr/x"]).is_ok, "the root can be written to")
    finally:
        del os.environ["AGENTGYM_CHECK_SECRET"]
    return None


def check_work_limit(subject: SandboxSubject) -> str | None:
    """The work folder takes files up to its limit and no more, and works again when there is room."""
    if "work_mib" not in subject.provider.capabilities().limits:
        return "the provider does not enforce it"
    with subject.sandbox(work_mib=8) as sandbox:
        ran = sandbox.exec(["sh", "-c", "head -c 20M /dev/zero > large"])
        expect(not ran.is_ok, "20 MiB fit into a work folder of 8 MiB")
        expect(int(said(sandbox, "stat -c %s large")) <= 8 * _MIB, "more than 8 MiB lie in a work folder of 8 MiB")
        expect_equal(said(sandbox, "rm large; echo x > small; cat small"), "x\n", "a file after room was made")
    return None


def check_pids_limit(subject: SandboxSubject) -> str | None:
    """Processes beyond the limit do not start, and the sandbox works again after a reset."""
    if "pids" not in subject.provider.capabilities().limits:
        return "the provider does not enforce it"
    with subject.sandbox(pids=32) as sandbox:
        script = "for n in $(seq 64); do sleep 20 & done; wait -n; jobs | wc -l"
        ran = sandbox.exec(["bash", "-c", script], timeout_s=3)
        expect(b"esource temporarily unavailable" in ran.stderr or b"retry" in ran.stderr, "64 processes ran beside 32")
        sandbox.reset()
        expect(sandbox.exec(["true"]).is_ok, "the sandbox does not come back from having no process left")
    return None


def check_memory_limit(subject: SandboxSubject) -> str | None:
    """A command beyond the memory limit is killed, and the sandbox goes on."""
    if "memory_mib" not in subject.provider.capabilities().limits:
        return "the provider does not enforce it"
    with subject.sandbox(memory_mib=64) as sandbox:
        ran = sandbox.exec(["sh", "-c", "head -c 200M /dev/zero | tail -c 200M | wc -c"])
        expect(b"209715200" not in ran.stdout, "200 MiB were held in 64 MiB")
        expect(ran.oom_killed is not False, "a kill for memory is reported as none")
        expect(sandbox.exec(["true"]).is_ok, "the sandbox does not work after a kill for memory")
    return None


def check_close(subject: SandboxSubject) -> None:
    """Closing ends what runs, closing twice is harmless, and later calls say that the sandbox is lost."""
    with subject.sandbox() as sandbox:
        timer = threading.Timer(0.3, sandbox.close)
        timer.start()
        _expect_lost(lambda: sandbox.exec(["sleep", "6"]), "a command that ran when the sandbox was closed")
        timer.join()
        sandbox.close()
        _expect_lost(lambda: sandbox.exec(["true"]), "a command after the sandbox was closed")
        _expect_lost(lambda: sandbox.read_file("x"), "a read after the sandbox was closed")


def check_leaks(subject: SandboxSubject) -> None:
    """Closed sandboxes leave no open descriptor and no thread."""
    with subject.sandbox() as sandbox:
        sandbox.exec(["true"])
    before = (len(os.listdir("/proc/self/fd")), threading.active_count())
    for _ in range(5):
        with subject.sandbox() as sandbox:
            sandbox.exec(["true"])
            sandbox.write_file("file", b"x")
            sandbox.reset()
    deadline = time.monotonic() + 5
    while (after := (len(os.listdir("/proc/self/fd")), threading.active_count())) > before:
        if time.monotonic() > deadline:
            expect_equal(after, before, "descriptors and threads after five sandboxes")
        time.sleep(0.05)


def check_sweep(subject: SandboxSubject) -> None:
    """A sweep does not touch live sandboxes."""
    with subject.sandbox() as sandbox:
        found = subject.provider.sweep(dry_run=True)
        expect(not any(sandbox.id in name for name in found), f"a sweep would remove the live sandbox {sandbox.id}")
        subject.provider.sweep()
        expect(sandbox.exec(["true"]).is_ok, "a sweep ended a live sandbox")


def _expect_refused(subject: SandboxSubject, spec: SandboxSpec, named: str) -> None:
    try:
        subject.provider.start(spec).close()
    except UnsupportedSpecError as refusal:
        expect(named in str(refusal), f"the refusal of {named} does not name it: {refusal}")
        return
    expect(False, f"{named}, which it says that it cannot enforce, was not refused")


def _expect_lost(call: object, what: str) -> None:
    assert callable(call)
    try:
        call()
    except SandboxLostError:
        return
    except SandboxError as error:
        expect(False, f"{what} raised {type(error).__name__} instead of SandboxLostError: {error}")
    expect(False, f"{what} did not raise SandboxLostError")
