"""Recorded actions in the peers' own action spaces; on their own pages where the peers are installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym.errors import ConfigError, InfrastructureError
from agentgym_web.browser.program.process import descendants
from agentgym_web.formats.browsergym.env import VARIABLE
from agentgym_web.miniwob.env import MiniWoBEnv
from benchmarks.web import browsergym_peer, parity
from benchmarks.web.farama_peer import FaramaPage, NoSuchActionError, drag_points, farama_key, typed
from benchmarks.web.recording import Move
from tests.environments.web.hostile.leftovers import are_gone


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("a", "a"), ("Enter", "<Enter>"), ("Control+A", "C-a"), ("Shift+Tab", "S-<Tab>"), ("+", "+")],
)
def test_keys_are_written_as_farama_writes_them(ours, theirs):
    assert farama_key(ours) == theirs


def test_key_that_farama_lacks_is_said():
    with pytest.raises(NoSuchActionError, match="F99"):
        farama_key("F99")


def test_dates_and_times_are_typed_part_by_part():
    assert typed("2026-03-02", "date") == "03022026"
    assert [typed(time, "time") for time in ("00:05", "11:30", "12:00", "20:04")] == [
        "1205AM",
        "1130AM",
        "1200PM",
        "0804PM",
    ]
    assert typed("any", "text") == "any"
    with pytest.raises(NoSuchActionError, match="color"):
        typed("#ff0000", "color")


def test_drag_goes_to_its_end_in_equal_parts():
    points = drag_points((0, 60), (60, 0))
    assert points == [(10 * part, 60 - 10 * part) for part in range(1, 7)]


def test_coordinates_for_browsergym_are_those_of_its_larger_screenshots():
    click = Move("mouse_click", {"x": 10.0, "y": 20.0}, None, "mouse_click(10.0, 20.0)")
    assert browsergym_peer.translated(None, click) == "mouse_click(15.0, 30.0, 'left')"
    drag = Move("mouse_drag_and_drop", {"from_x": 0, "from_y": 0, "to_x": 60, "to_y": 0}, None, "")
    lines = browsergym_peer.translated(None, drag).split("\n")
    assert (len(lines), lines[0], lines[-1]) == (8, "mouse_down(0.0, 0.0)", "mouse_up(90.0, 0.0)")
    keys = Move("keyboard_press", {"key": "Enter"}, None, "keyboard_press('Enter')")
    assert browsergym_peer.translated(None, keys) == "keyboard_press('Enter')"


@pytest.mark.parametrize(
    ("times", "expected"), [(0, [0, 20, 720, 730]), (1, [500, 1000, 1700, 2200]), (2, [1000, 2000, 3000, 4000])]
)
def test_action_that_comes_late_delays_all_that_follow(monkeypatch, times, expected):
    clock = [0.0]

    def sleep(seconds):
        clock[0] += 1000 * seconds

    monkeypatch.setattr(parity.time, "sleep", sleep)
    pace, seen = parity.Pace(lambda: clock[0], times), []
    for at_ms, takes_ms in ((500, 20), (1000, 700), (1500, 10), (2000, 10)):
        pace.wait(at_ms)
        seen.append(clock[0])
        clock[0] += takes_ms
    assert seen == expected


def test_browsergym_without_an_interpreter_says_how_one_is_made(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(ConfigError, match="benchmarks/peers/browsergym"):
        browsergym_peer.BrowserGym()


def test_interpreter_without_browsergym_is_a_failure_that_says_so():
    player = browsergym_peer.BrowserGym(sys.executable)
    with pytest.raises(InfrastructureError, match="No module named 'browsergym'"):
        player.open("click-test", "click-test", {})
    player.close()


if shutil.which("chromedriver"):

    def test_page_of_farama_gives_the_same_rewards():
        found = parity.compare("farama", "login-user", 2)
        assert (found["episodes"], found["equal"], found["solved"], found["differ"]) == (2, 2, 2, [])

    @pytest.mark.parametrize("end", ["page.close()", "os.kill(os.getpid(), 9)", "raise SystemExit"])
    def test_browser_of_farama_leaves_nothing_behind(end):
        script = (
            "import os, sys; from benchmarks.web.farama_peer import FaramaPage; page = FaramaPage('click-test');"
            f"print('open', flush=True); sys.stdin.read(1); {end}; print('closed', flush=True); sys.stdin.read()"
        )
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen([sys.executable, "-c", script], **pipes) as process:
            assert process.stdout.readline() == b"open\n"
            browser = descendants(process.pid)
            assert len(browser) > 4
            process.stdin.write(b"1")
            process.stdin.flush()
            process.stdout.readline()
            assert are_gone(browser, [])

    def test_browser_that_cannot_be_prepared_is_ended(monkeypatch):
        monkeypatch.setattr(MiniWoBEnv, "settings", None)
        with pytest.raises(AttributeError):
            FaramaPage("click-test")
        assert not [pid for pid in descendants(os.getpid()) if "chromedriver" in Path(f"/proc/{pid}/comm").read_text()]


if os.environ.get(VARIABLE):

    def test_page_of_browsergym_gives_the_same_rewards():
        found = parity.compare("browsergym", "click-shape", 1)
        assert (found["episodes"], found["equal"], found["solved"], found["differ"]) == (1, 1, 1, [])
