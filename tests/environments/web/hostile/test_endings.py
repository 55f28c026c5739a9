"""Browsers and harnesses that are killed, unfit browsers, and folders and ports that cannot be had."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import agentgym
from agentgym.cli.main import main
from agentgym.errors import ConfigError, InfrastructureError
from agentgym_web.browser.errors import BrowserLostError, BrowserStartError
from agentgym_web.browser.gate import Folder, Network
from agentgym_web.browser.hub import Hub, the_hub
from agentgym_web.browser.program.finding import find_browser
from agentgym_web.browser.program.process import BrowserProcess, ProcessSettings
from agentgym_web.browser.settings import PageSettings, View
from tests.environments.web.hostile.leftovers import are_gone, is_running, listening_ports

VIEW = View()
CHILD = """
import sys, agentgym
from agentgym_web.browser.hub import the_hub
from agentgym_web.sites.serving import the_server
env = agentgym.make("agentgym/Shop-v0")
env.reset(seed=0)
(process,) = the_hub().processes()
site = the_server("shop")
print(process.child.pid, *process.pids(), site._process.pid, "|", process.profile, site._folder, flush=True)
sys.stdin.read()
"""
BOMB = "<h1>Bomb</h1><button onclick='const held = []; for (;;) held.push(new Uint8Array(1 << 24).fill(1))'>Go</button>"


@pytest.fixture
def network(tmp_path: Path) -> Network:
    (tmp_path / "index.html").write_text(
        "<h1>Calm</h1><button onclick='setTimeout(() => { for (;;) {} })'>Spin</button>"
    )
    (tmp_path / "bomb.html").write_text(BOMB)
    return Network({"calm.test": Folder(tmp_path)})


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub()
    yield made
    made.close()


def kill(process: BrowserProcess) -> None:
    """Kill the browser itself; what was started may be a script around it."""
    (pid,) = [pid for pid in process.pids() if is_browser(pid)]
    os.kill(pid, signal.SIGKILL)


def is_browser(pid: int) -> bool:
    program, *options = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return not program.endswith(b"/sh") and b"--remote-debugging-pipe" in options


def test_killed_browser_is_typed_and_replaced(hub: Hub, network: Network) -> None:
    page = hub.open(PageSettings(), network)
    (process,) = hub.processes()
    kill(process)
    assert are_gone([process.child.pid], [process.profile])
    with pytest.raises(BrowserLostError, match="browser"):
        page.look(VIEW)
    assert page.is_lost

    page.close()
    again = hub.open(PageSettings(), network)
    assert "Calm" in again.open("http://calm.test/", VIEW).text(VIEW)
    assert hub.processes() != [process]


def test_ctrl_c_while_the_process_ends_leaves_no_browser_and_no_traceback(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub()
    hub.open(PageSettings(), network)
    (process,) = hub.processes()
    pids = process.pids()
    end = BrowserProcess.end
    presses = iter([KeyboardInterrupt])

    def interrupted(process: BrowserProcess, timeout_s: float = 3.0) -> None:
        if threading.current_thread() is threading.main_thread() and (press := next(presses, None)):
            raise press
        end(process, timeout_s)

    monkeypatch.setattr(BrowserProcess, "end", interrupted)
    hub.close_at_exit()
    assert are_gone(pids, [process.profile])


def test_browser_killed_in_a_step_is_typed(hub: Hub, network: Network) -> None:
    page = hub.open(PageSettings(hang_s=300.0), network)
    page.open("http://calm.test/", VIEW)
    (process,) = hub.processes()
    threading.Timer(0.3, kill, (process,)).start()
    with pytest.raises(BrowserLostError):
        page.step([("click", {"bid": "1"})], VIEW)
    assert are_gone([process.child.pid], [process.profile])


def test_environment_says_that_its_browser_was_lost_and_resets_with_another() -> None:
    env = agentgym.make("agentgym/MiniWoB-v0")
    env.reset(seed=1)
    for process in the_hub().processes():
        kill(process)
        assert are_gone([process.child.pid], [process.profile])
    with pytest.raises(InfrastructureError, match="browser"):
        env.step('click("1")')
    observation, _ = env.reset(seed=1)
    assert observation
    env.close()


def test_page_that_takes_too_much_memory_is_ended_and_nothing_is_left(network: Network) -> None:
    hub = Hub()
    page = hub.open(PageSettings(hang_s=300.0), network, ProcessSettings(max_page_mib=400))
    other = hub.open(PageSettings(), network, ProcessSettings(max_page_mib=400))
    other.open("http://calm.test/", VIEW)
    page.open("http://calm.test/bomb.html", VIEW)
    sight = page.step([("click", {"bid": "1"})], VIEW)
    assert (sight.url, sight.notes) == ("about:blank", ["The page crashed and was closed."])
    assert "Calm" in other.look(VIEW).text(VIEW)

    (process,) = hub.processes()
    pids = [process.child.pid, *process.pids()]
    ports = {page._window.gate.port, other._window.gate.port}
    assert ports <= listening_ports(os.getpid())
    hub.close()
    assert are_gone(pids, [process.profile])
    assert not ports & listening_ports(os.getpid())


def test_nothing_is_left_of_a_killed_harness() -> None:
    child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout is not None
        told, _, folders = child.stdout.readline().partition("|")
        pids, paths = [int(each) for each in told.split()], [Path(each) for each in folders.split()]
        are_running = [is_running(pid) for pid in pids]
        are_there = [path.is_dir() for path in paths]
        child.kill()
    assert (are_running[0], are_running[-1]) == (True, True)
    assert sum(are_running) > 3  # some of a browser's processes end by themselves
    assert are_there == [True, True]
    assert are_gone(pids, paths)


def program(folder: Path, body: str) -> str:
    path = folder / "browser"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo Chromium 80.0.3987.1", "is version 80.0.3987.1; expected 120 or later"),
        ("echo hello", "is no Chromium: with --version it says 'hello'"),
        (
            "echo 'true (GNU coreutils) 9.1'; echo more",
            "is no Chromium: with --version it says 'true (GNU coreutils) 9.1'",
        ),
        ("echo cannot open display >&2; exit 1", "says 'cannot open display'"),
    ],
)
def test_unfit_browser_says_what_is_expected_and_the_next_move(hub: Hub, tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        hub.open(process=ProcessSettings(browser=program(tmp_path, body)))
    assert said in str(caught.value)
    assert "; mend the path, or leave it out to use /" in str(caught.value)


def test_missing_browser_says_which_option_named_it(hub: Hub) -> None:
    said = "the option browser names '/no/browser', which does not exist; mend the path, or leave it out to use /"
    with pytest.raises(ConfigError, match=said):
        hub.open(process=ProcessSettings(browser="/no/browser"))


def test_missing_browser_is_installed_where_there_is_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (tmp_path / "text").write_text("")
    monkeypatch.setenv("AGENTGYM_BROWSER", str(tmp_path / "text"))
    with pytest.raises(
        ConfigError, match=r"AGENTGYM_BROWSER names .*, which cannot be run; mend AGENTGYM_BROWSER, or in"
    ):
        find_browser()


def test_browser_that_ends_at_once_says_its_last_words_and_leaves_nothing(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = 'case "$1" in --version) echo Chromium 150.0.1.2;; *) echo no room for shared memory >&2; exit 1;; esac'
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)  # the browser's user is another one where the tests run as root
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with pytest.raises(BrowserStartError, match=r"did not start: .*no room for shared memory"):
        hub.open(process=ProcessSettings(browser=program(folder, body)))
    assert are_gone([], folder.glob("agentgym-web-*"))
    shutil.rmtree(folder)


def test_folder_for_profiles_that_cannot_be_written_is_named(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    with pytest.raises(BrowserStartError, match=f"no folder for the browser's profile in {tmp_path}/file: .*TMPDIR"):
        hub.open()


def test_port_that_is_taken_is_named_with_the_next_move(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["web", "serve", "wiki", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert f"port {port} of 127.0.0.1 cannot be used: Address already in use; name another one" in said
    assert "--port 0" in said
