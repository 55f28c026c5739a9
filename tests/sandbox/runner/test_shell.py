from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from agentgym.errors import SandboxLostError
from agentgym.sandbox.base import Sandbox, ShellSession
from agentgym.sandbox.engines.process import ProcessProvider
from agentgym.sandbox.spec import SandboxSpec
from tests.sandbox.runner.test_sandbox import interrupt_under_way

SPEC = SandboxSpec().relaxed("cpus", "memory_mib", "pids", "work_mib", "tmp_mib")


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with ProcessProvider().start(SPEC) as started:
        yield started


@pytest.fixture
def shell(sandbox: Sandbox) -> Iterator[ShellSession]:
    session = sandbox.shell(env={"GREETING": "hello"})
    yield session
    session.close()


def test_shell_keeps_folder_variables_functions_and_status(shell: ShellSession) -> None:
    shell.run("mkdir sub; cd sub; x=5; declare -A map=([a]=1); f() { echo in f; }")
    result = shell.run('echo $x ${map[a]} ${PWD##*/} "$GREETING"; f')
    assert (result.exit_code, result.output) == (0, b"5 1 sub hello\nin f\n")
    assert shell.run("(exit 7)").exit_code == 7
    assert shell.run("echo $?").output == b"7\n"


def test_shell_joins_output_and_errors_in_order(shell: ShellSession) -> None:
    assert shell.run("echo a; echo b >&2; echo c").output == b"a\nb\nc\n"
    assert shell.run("printf 'no newline'").output == b"no newline"
    assert shell.run(r"printf '\xff\x00\xfe'").output == b"\xff\0\xfe"


@pytest.mark.parametrize("broken", ["if", "echo 'open", "for", "echo $(", "{", "((", ")", "case x in"])
def test_shell_survives_broken_syntax(shell: ShellSession, broken: str) -> None:
    shell.run("x=kept")
    assert shell.run(broken).exit_code not in (0, None)
    assert shell.run("echo $x").output == b"kept\n"


@pytest.mark.parametrize("word", ["break", "continue", "return 3", "break 1", "set -f", "IFS=abc", "unset IFS", "\0:"])
def test_shell_survives_words_that_steer_its_driver(shell: ShellSession, word: str) -> None:
    shell.run("x=kept")
    shell.run(word)
    assert shell.run('echo "$x"').output == b"kept\n"


@pytest.mark.parametrize("end", ["exit 3", "exec true", "kill -9 $$", "set -e; false", "break 99", "kill -TERM $$"])
def test_shell_that_ends_is_reported_and_starts_anew_in_its_folder(shell: ShellSession, end: str) -> None:
    shell.run("mkdir -p sub; cd sub; x=gone")
    result = shell.run(end)
    assert (result.exit_code, result.shell_exited, result.timed_out) == (None, True, False)
    assert shell.run('echo "${PWD##*/}$x"').output == b"sub\n"


def test_shell_starts_in_the_work_folder_when_its_own_is_gone(shell: ShellSession) -> None:
    shell.run("mkdir sub; cd sub; rmdir ../sub")
    assert shell.run("exit").shell_exited
    assert shell.run("mkdir again && echo made").output == b"made\n"


def test_shell_output_before_its_end_is_kept(shell: ShellSession) -> None:
    assert shell.run("echo last words; exit").output == b"last words\n"


def test_shell_multi_line_commands_and_here_documents(shell: ShellSession) -> None:
    assert shell.run("cat <<EOF\none\ntwo\nEOF\nfor i in 1 2; do\n  echo $i\ndone").output == b"one\ntwo\n1\n2\n"


def test_shell_large_command(shell: ShellSession) -> None:
    assert shell.run(f"x='{'a' * 300_000}'; echo ${{#x}}").output == b"300000\n"


def test_shell_time_out_kills_the_command_and_keeps_shell_and_older_jobs(shell: ShellSession) -> None:
    older = shell.run("x=kept; sleep 600 & echo $!").output.strip()
    started = time.monotonic()
    result = shell.run("sleep 601 & setsid sleep 602 & sleep 603", timeout_s=0.3)
    assert time.monotonic() - started < 300
    assert result.timed_out
    assert not result.shell_exited
    assert shell.run("echo $x").output.endswith(b"kept\n")  # after what bash says about its killed job
    assert shell.run(f"kill -0 {older.decode()} && echo alive").output == b"alive\n"
    assert shell.run("ps -o args= --ppid $$ | grep -c 'sleep 60[123]'; pgrep -f 'slee[p] 602'").output == b"0\n"


def test_shell_that_does_not_come_back_is_replaced(shell: ShellSession) -> None:
    result = shell.run("while :; do :; done", timeout_s=0.2)
    assert (result.exit_code, result.timed_out, result.shell_exited) == (None, True, True)
    assert shell.run("echo back").output == b"back\n"


def test_shell_time_out_of_a_command_that_ignores_signals(shell: ShellSession) -> None:
    result = shell.run("sh -c 'trap \"\" TERM INT HUP; while :; do sleep 1; done'", timeout_s=0.3)
    assert result.timed_out
    assert shell.run("echo back").output == b"back\n"


def test_shell_output_beyond_the_limit_is_counted(shell: ShellSession) -> None:
    result = shell.run("head -c 3000000 /dev/zero", max_output_bytes=1000)
    assert (len(result.output), result.dropped_bytes) == (1000, 2_999_000)


def test_shell_background_output_does_not_delay_a_command(shell: ShellSession) -> None:
    shell.run("yes &")
    started = time.monotonic()
    result = shell.run("true", max_output_bytes=100)
    assert time.monotonic() - started < 60
    assert result.exit_code == 0


def test_shell_commands_read_no_input(shell: ShellSession) -> None:
    assert shell.run("cat; read x; echo $?").output == b"1\n"


def test_shell_commands_inherit_none_of_its_descriptors(shell: ShellSession) -> None:
    assert shell.run("ls /proc/self/fd").output == b"0\n1\n2\n3\n"


def test_shell_close_kills_background_jobs(sandbox: Sandbox) -> None:
    session = sandbox.shell()
    pid = int(session.run("setsid sleep 600 >/dev/null & echo $!").output)
    session.close()
    session.close()
    assert sandbox.exec(["test", "-e", f"/proc/{pid}"]).exit_code == 1
    with pytest.raises(SandboxLostError):
        session.run("true")


def test_shell_interrupt_returns_and_the_next_command_finds_a_fresh_shell(sandbox: Sandbox) -> None:
    session = sandbox.shell()
    session.run("mkdir sub; cd sub")
    thread = interrupt_under_way(sandbox)
    started = time.monotonic()
    result = session.run("touch ../under_way; sleep 60", timeout_s=60)
    thread.join()
    assert time.monotonic() - started < 50
    assert (result.exit_code, result.shell_exited) == (None, True)
    assert session.run("echo ${PWD##*/}").output == b"sub\n"
    session.close()


def test_shell_forged_reports_end_nothing(shell: ShellSession) -> None:
    # The descriptors of the driver are put away while a command runs; what is found of them in /proc has no nonce.
    forge = "for fd in /proc/$$/fd/*; do printf '0000000000000000 0 /\\0' 2>/dev/null >$fd; done; sleep 0.3; (exit 5)"
    result = shell.run(forge, timeout_s=10)
    assert result.exit_code == 5
    assert result.duration_s >= 0.3
