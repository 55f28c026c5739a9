"""What settling waits for: timers are brought forward, and what moves for ever is not waited for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentgym.sandbox.pool import SandboxPool
from agentgym_gui.actions.events import Type
from agentgym_gui.desktop.acting import Patience
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import GTK_SETTINGS, DesktopSettings
from tests.environments.in_containers import needs_image

pytestmark = needs_image("desktop")
SETTINGS = DesktopSettings()
YOUNG_MS, QUIET_MS = 700, 600
"""How long a new program counts as starting, and how long nothing may be drawn while a timer is pending."""
CHAIN = """
def step(left):
    label.set_text(f"{left} left")
    if left:
        GLib.timeout_add(280, step, left - 1)
window.connect("key-press-event", lambda *_: step(25))
"""
CHAIN_MS = 25 * 280
MOVING = """
def tick():
    label.set_text(str(len(label.get_text()) * 7919 % 1000) * (len(label.get_text()) % 20 + 1))
    return True
window.connect("key-press-event", lambda *_: GLib.timeout_add(50, tick) and None)
"""
IDLY_TICKING = """
GLib.timeout_add(50, lambda: True)
window.connect("key-press-event", lambda *_: label.set_text("pressed"))
"""
FAR = """
def begin(*_):
    GLib.timeout_add(20, label.set_text, "soon")
    GLib.timeout_add(60_000, label.set_text, "later")
window.connect("key-press-event", begin)
"""
NESTED = """
def work(*_):
    for part in range(5):
        label.set_text(f"part {part}")
        while Gtk.events_pending():
            Gtk.main_iteration()
        sum(range(2_000_000))
    label.set_text("done")
window.connect("key-press-event", work)
"""
STARTING = """
window.connect("key-press-event", lambda *_: subprocess.Popen(["sleep", "60"]) and None)
"""
PROGRAM = """
import subprocess
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk
window, label = Gtk.Window(title="timers"), Gtk.Label(label="new")
{body}
window.add(label)
window.show_all()
Gtk.main()
"""


@pytest.fixture
def desktop(pool: SandboxPool) -> Iterator[Desktop]:
    with pool.lease(SETTINGS.spec()) as sandbox:
        made = Desktop(sandbox, SETTINGS)
        sandbox.write_file(GTK_SETTINGS, SETTINGS.gtk_settings())
        yield made
        made.close()


def start(desktop: Desktop, body: str) -> None:
    desktop.sandbox.write_file("timers.py", PROGRAM.format(body=body).encode())
    desktop.start(["python3", "/agentgym/work/timers.py"])


def labels(desktop: Desktop) -> list[str]:
    return [each.name or each.value for each in desktop.screen().elements if each.role == "label"]


def test_timers_fire_now_rather_than_being_waited_for(desktop):
    start(desktop, CHAIN)
    desktop.patience = Patience(cap_ms=CHAIN_MS - 1000)
    sight = desktop.act((Type("a"),))
    assert labels(desktop) == ["0 left"]
    assert sight.settled.how == "calm"


def test_a_far_timer_does_not_fire(desktop):
    start(desktop, FAR)
    desktop.act((Type("a"),))
    desktop.look()
    assert labels(desktop) == ["soon"]


def test_an_application_that_runs_its_main_loop_while_it_works_is_not_done(desktop):
    start(desktop, NESTED)
    desktop.act((Type("a"),))
    assert labels(desktop) == ["done"]


def test_a_program_that_sleeps_is_not_waited_for(desktop):
    start(desktop, STARTING)
    waits = [desktop.act((Type("a"),)).settled.waited_ms for _ in range(6)]
    assert sorted(waits)[3] < YOUNG_MS, "the median wait is short; one pause of the machine may be long"


def test_a_picture_that_was_asked_for_between_two_steps_is_what_the_next_one_changes(desktop):
    desktop.start(["galculator"])
    desktop.act((), has_picture=True)
    desktop.start(["mousepad"])
    desktop.pixels()
    sight = desktop.act((), has_picture=True)
    assert sight.pixels is not None
    assert (sight.pixels == desktop.pixels()).all()


def test_what_moves_for_ever_is_said_and_not_waited_for_until_the_cap(desktop):
    start(desktop, MOVING)
    desktop.act((Type("a"),))
    settled = desktop.look().settled
    assert settled.how == "restless"
    assert settled.waited_ms < desktop.patience.cap_ms


def test_a_timer_that_ticks_and_draws_nothing_is_calm(desktop):
    start(desktop, IDLY_TICKING)
    waits = [desktop.act((Type("a"),)).settled.waited_ms for _ in range(6)]
    assert labels(desktop) == ["pressed"]
    assert sorted(waits)[3] < QUIET_MS, "the median wait is short; one pause of the machine may be long"
