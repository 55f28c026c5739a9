"""Everything that a peer's process can do wrong, with a driver that does it."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from agentgym.errors import (
    CancelledEpisode,
    ConfigError,
    HostLostError,
    InfrastructureError,
    StepTimeoutError,
)
from agentgym_tools.adapters.pipe import Pipe

MOODY = Path(__file__).with_name("fixtures") / "moody.py"


def is_gone(pid):
    """Whether a process has ended, within a minute."""
    for _ in range(600):
        try:
            os.kill(pid, 0)
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (ProcessLookupError, FileNotFoundError):
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False


def test_long_texts_and_settings_arrive_whole(moody):
    text = "ä\n" * 300_000
    assert moody().ask("echo", text=text) == {"text": text, "settings": {"suite": "x"}}


def test_what_the_peer_prints_is_no_answer(moody):
    pipe = moody()
    assert pipe.ask("pollute") == "the truth"
    assert pipe.ask("echo", text="next")["text"] == "next"


def test_the_peer_cannot_read_the_questions(moody):
    assert moody().ask("read_input") == ""


@pytest.mark.parametrize("verb", ["hang", "sleep"])
def test_a_silent_peer_is_ended_with_its_last_words(moody, verb):
    pipe = moody(timeout_s=30.0)
    pipe.ask("echo", text="")
    pid = pipe.pid
    pipe._timeout_s = 0.3
    with pytest.raises(StepTimeoutError, match=r"no answer to .* within 0.3 s .* raise timeout_s"):
        pipe.ask(verb)
    assert is_gone(pid)
    pipe._timeout_s = 30.0
    assert pipe.ask("echo", text="anew")["text"] == "anew"


def test_a_dead_peer_is_lost_with_its_last_words(moody):
    pipe = moody()
    with pytest.raises(HostLostError, match=r"ended at die with 3: .*last words"):
        pipe.ask("die")
    assert pipe.ask("echo", text="anew")["text"] == "anew"


@pytest.mark.parametrize(("verb", "said"), [("leave", "SystemExit: enough"), ("fail", "ValueError: of its own")])
def test_an_error_of_the_peer_is_a_failure_of_infrastructure(moody, verb, said):
    pipe = moody()
    with pytest.raises(InfrastructureError, match=said):
        pipe.ask(verb)
    assert pipe.ask("echo", text="goes on")["text"] == "goes on"


def test_what_nobody_offers_is_no_verb(moody):
    with pytest.raises(InfrastructureError, match="nobody can answer"):
        moody().ask("__init__")


def test_an_interrupt_ends_the_process_while_it_works(moody):
    stop = threading.Event()
    pipe = moody(is_stopped=stop.is_set)
    pipe.ask("echo", text="")
    pid = pipe.pid
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(CancelledEpisode):
        pipe.ask("hang")
    assert is_gone(pid)


def test_closing_ends_what_the_peer_started_and_is_harmless_twice(moody):
    pipe = moody()
    child = pipe.ask("spawn")
    pipe.close()
    pipe.close()
    assert is_gone(child)


def test_nothing_stays_when_the_harness_is_killed():
    program = f"""
        import sys, threading
        from agentgym_tools.adapters.pipe import Pipe
        pipe = Pipe(sys.executable, {str(MOODY)!r}, {{}}, "")
        child = pipe.ask("spawn")
        threading.Thread(target=pipe.ask, args=("hang",), daemon=True).start()
        print(pipe.pid, child, flush=True)
        sys.stdin.read()
    """
    harness = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    pids = [int(word) for word in harness.stdout.readline().split()]
    harness.kill()
    harness.wait()
    harness.stdin.close()
    harness.stdout.close()
    assert len(pids) == 2
    assert all(map(is_gone, pids))


def test_a_program_that_is_no_python_is_lost_with_advice(tmp_path):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho broken >&2\nexit 4\n")
    program.chmod(0o755)
    with pytest.raises(HostLostError, match=r"ended at start with 4: broken; make an interpreter with: HOW"):
        Pipe(str(program), "bfcl", {}, "HOW").ask("tasks")


def test_a_file_that_cannot_be_run_is_refused_with_advice(tmp_path):
    program = tmp_path / "python"
    program.write_text("")
    with pytest.raises(ConfigError, match="cannot be started: Permission denied; make an interpreter with: HOW"):
        Pipe(str(program), "bfcl", {}, "HOW").ask("tasks")
