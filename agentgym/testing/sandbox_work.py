"""Checks of what a sandbox does: commands, files, shells, processes, several at once.

`sandbox_life` checks how it is started, reset and limited.
"""

from __future__ import annotations

import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from agentgym.errors import SandboxFileError
from agentgym.testing.report import expect
from agentgym.testing.sandbox_subject import SandboxSubject, expect_equal, said

_ALL_BYTES = bytes(range(256))


def check_exec(subject: SandboxSubject) -> None:
    """Exit code, both streams, standard input, variables and folder arrive unchanged, byte by byte."""
    with subject.sandbox() as sandbox:
        ran = sandbox.exec(["sh", "-c", "cat; echo err >&2; exit 3"], stdin=_ALL_BYTES)
        expect_equal((ran.exit_code, ran.stdout, ran.stderr), (3, _ALL_BYTES, b"err\n"), "a command that fails")
        expect(not ran.is_ok and not ran.timed_out, "a command that fails is ok or timed out")
        expect_equal(sandbox.exec(["sh", "-c", "kill -9 $$"]).exit_code, 137, "the exit code of a killed command")
        sandbox.write_file("sub/file", b"")
        ran = sandbox.exec(["sh", "-c", "echo $NAME; ls"], env={"NAME": "a b"}, cwd="sub")
        expect_equal(ran.stdout, b"a b\nfile\n", "variables and folder")
        odd = "".join(map(chr, range(1, 256))) + "’"
        expect_equal(sandbox.exec(["printf", "%s", odd]).stdout, odd.encode(), "an argument of every character")
        large = os.urandom(3 << 20)
        ran = sandbox.exec(["cat"], stdin=large, max_output_bytes=4 << 20)
        expect(ran.stdout == large, "3 MiB through cat came back changed")


def check_unrunnable(subject: SandboxSubject) -> None:
    """The exit code is 127 for a missing program and 126 for one that may not run, with an explanation."""
    with subject.sandbox() as sandbox:
        for argv, expected in ((["/nonexistent/program"], 127), (["/etc/passwd"], 126)):
            ran = sandbox.exec(argv)
            expect_equal(ran.exit_code, expected, f"exit code of {argv[0]}")
            expect(ran.stderr != b"", f"nothing is said about {argv[0]}")


def check_time_limit(subject: SandboxSubject) -> None:
    """The time limit kills everything that the command started, even if it ignores signals or hides."""
    script = "trap '' TERM; (setsid sh -c 'trap \"\" TERM HUP; while :; do touch beat; sleep 0.05; done' &) ; sleep 600"
    with subject.sandbox() as sandbox:
        began = time.monotonic()
        ran = sandbox.exec(["sh", "-c", script], timeout_s=0.5)
        expect(ran.timed_out and not ran.is_ok, "a command past its time limit is not reported as timed out")
        expect(time.monotonic() - began < 10, "a time limit of 0.5 s took over 10 s")
        said(sandbox, "rm -f beat")
        time.sleep(0.3)
        expect_equal(said(sandbox, "ls"), "", "a descendant outlived the time limit; files that it wrote since")


def check_output_limit(subject: SandboxSubject) -> None:
    """Output beyond the limit is dropped and counted, and the command goes on."""
    with subject.sandbox() as sandbox:
        script = "head -c 5000000 /dev/zero; head -c 100 /dev/zero >&2; echo end > ended"
        ran = sandbox.exec(["sh", "-c", script], max_output_bytes=1000)
        expect_equal((len(ran.stdout), len(ran.stderr)), (1000, 100), "bytes kept of each stream")
        expect_equal(ran.dropped_bytes, 4_999_000, "bytes dropped")
        expect_equal(said(sandbox, "cat ended"), "end\n", "what the command did after its output was cut")


def check_background(subject: SandboxSubject) -> None:
    """Processes left by a command are killed at its end unless they are to be kept; a held pipe delays nothing."""
    with subject.sandbox() as sandbox:
        for keep, expected in ((False, "gone\n"), (True, "there\n")):
            began = time.monotonic()
            script = "sleep 30 & echo $! > pid"
            sandbox.exec(["sh", "-c", script], keep_background=keep)
            expect(time.monotonic() - began < 10, "a background process delayed the end of its command")
            answer = said(sandbox, "if kill -0 $(cat pid) 2>/dev/null; then echo there; else echo gone; fi")
            expect_equal(answer, expected, f"a background process with keep_background={keep}")


def check_files(subject: SandboxSubject) -> None:
    """Files are read as they were written, parents are made, and an unreadable file raises its own error."""
    with subject.sandbox() as sandbox:
        content = os.urandom(1 << 20)
        sandbox.write_file("deep/er/file", content, mode=0o751)
        expect(sandbox.read_file("deep/er/file") == content, "a file came back changed")
        expect_equal(said(sandbox, "stat -c %a deep/er/file").strip(), "751", "the mode of a written file")
        expect(sandbox.read_file(f"{subject.spec.work_dir}/deep/er/file") == content, "an absolute path differs")
        sandbox.write_file("empty", b"")
        expect_equal(sandbox.read_file("empty"), b"", "an empty file")
        said(sandbox, "mkfifo pipe")
        for path in ("missing", "deep", "pipe", "../../../etc/shadow-of-nothing"):
            _expect_refused(lambda path=path: sandbox.read_file(path), f"reading {path!r}")
        _expect_refused(lambda: sandbox.read_file("deep/er/file", max_bytes=1000), "reading more than allowed")
        _expect_refused(lambda: sandbox.write_file("deep", b"x"), "writing over a folder")


def check_links(subject: SandboxSubject) -> None:
    """Reading and writing do not follow links out of the work folder."""
    with subject.sandbox() as sandbox:
        said(sandbox, "ln -s /etc/passwd file; ln -s /tmp folder; ln -s ../../../etc up")
        for path in ("file", "up/passwd"):
            _expect_refused(lambda path=path: sandbox.read_file(path), f"reading through link {path!r}")
        _expect_refused(lambda: sandbox.write_file("folder/new", b"x"), "writing through a link")


def check_trees(subject: SandboxSubject) -> None:
    """A tree is the same after upload and download; a hostile one is refused and leaves nothing."""
    with tempfile.TemporaryDirectory() as name, subject.sandbox() as sandbox:
        host = Path(name)
        (host / "tree" / "sub").mkdir(parents=True)
        (host / "tree" / "sub" / "file").write_bytes(_ALL_BYTES)
        (host / "tree" / "run").write_text("#!/bin/sh\necho ran\n")
        (host / "tree" / "run").chmod(0o755)
        (host / "tree" / "link").symlink_to("sub/file")
        sandbox.upload(host / "tree", "given")
        expect_equal(said(sandbox, "given/run"), "ran\n", "an uploaded program")
        sandbox.download("given", host / "back")
        expect((host / "back" / "link").read_bytes() == _ALL_BYTES, "a tree came back changed")
        expect_equal(os.readlink(host / "back" / "link"), "sub/file", "a link that came back")
        said(sandbox, "mkdir bad; ln -s /etc/passwd bad/link; ln -s / bad/root")
        _expect_refused(lambda: sandbox.download("bad", host / "bad"), "downloading links that leave the tree")
        expect(not (host / "bad").exists(), "a refused download left something")


def check_shell(subject: SandboxSubject) -> None:
    """A shell keeps folder, variables and jobs, and starts again after its end."""
    with subject.sandbox() as sandbox:
        shell = sandbox.shell()
        try:
            shell.run("mkdir -p sub; cd sub; NAME=value")
            ran = shell.run("echo $NAME $(basename $PWD); false")
            expect_equal((ran.exit_code, ran.output), (1, b"value sub\n"), "a later command of the same shell")
            ran = shell.run("sleep 600", timeout_s=0.3)
            expect(ran.timed_out, "a shell command past its time limit is not reported as timed out")
            expect_equal(shell.run("echo $NAME").output, b"value\n", "the shell after a time-out")
            ran = shell.run("exit 3")
            expect(ran.shell_exited, "`exit` is not reported")
            expect_equal(shell.run("echo again").output, b"again\n", "the shell after `exit`")
        finally:
            shell.close()


def check_spawn(subject: SandboxSubject) -> None:
    """A long-lived process answers over its streams and ends when it is closed."""
    with subject.sandbox() as sandbox:
        process = sandbox.spawn(["sh", "-c", 'while read line; do echo "got $line"; done; exit 5'])
        try:
            for number in range(3):
                process.send(f"{number}\n".encode())
                expect_equal(process.receive(timeout_s=10), f"got {number}\n".encode(), "the answer of a process")
            try:
                process.receive(timeout_s=0.1)
                expect(False, "a silent process was received from")
            except TimeoutError:
                pass
        finally:
            process.close()
        expect(sandbox.exec(["true"]).is_ok, "the sandbox does not work after a process was closed")


def check_concurrency(subject: SandboxSubject) -> None:
    """Several commands run at once, each with its own result."""
    with subject.sandbox() as sandbox, ThreadPoolExecutor(8) as executor:
        began = time.monotonic()
        ran = list(executor.map(lambda n: sandbox.exec(["sh", "-c", f"sleep 0.5; echo {n}"]).stdout, range(8)))
        expect_equal(ran, [f"{number}\n".encode() for number in range(8)], "eight commands at once")
        expect(time.monotonic() - began < 4, "eight commands of half a second took as if one after another")


def check_interrupt(subject: SandboxSubject) -> None:
    """Another thread can end what runs, and the sandbox stays usable."""
    with subject.sandbox() as sandbox, ThreadPoolExecutor(1) as executor:
        running = executor.submit(sandbox.exec, ["sh", "-c", "touch started; sleep 6; touch finished"])
        patience = time.monotonic() + 20
        while said(sandbox, "ls") != "started\n" and not running.done():
            expect(time.monotonic() < patience, "a command did not start within 20 seconds")
        began = time.monotonic()
        sandbox.interrupt()
        ran = running.result()
        expect(time.monotonic() - began < 5, "an interrupted command went on")
        expect(not ran.is_ok, "an interrupted command is reported as ok")
        expect_equal(said(sandbox, "ls"), "started\n", "what an interrupted command did")


def _expect_refused(call: object, what: str) -> None:
    assert callable(call)
    try:
        call()
    except SandboxFileError:
        return
    expect(False, f"{what} was not refused")
