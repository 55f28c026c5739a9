"""Applications that hang, crash, grab, lie or flood: each step ends and says so, and what else is open goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from agentgym.sandbox.pool import SandboxPool
from agentgym_gui.actions.events import Type
from agentgym_gui.actions.gestures import click
from agentgym_gui.desktop.acting import Patience
from agentgym_gui.desktop.session import Desktop
from agentgym_gui.desktop.settings import GTK_SETTINGS, DesktopSettings
from agentgym_gui.desktop.staging import session_variables
from agentgym_gui.desktop.tree import Element
from tests.environments.in_containers import needs_image

pytestmark = needs_image("desktop")
SETTINGS = DesktopSettings()
LIAR = """
import os, socket, struct, sys, time
desk = socket.socket(socket.AF_UNIX)
desk.connect("/tmp/desk/modules")
print("connected", flush=True)
while True:
    asked = desk.recv(5)
    serial = asked[1:]
    if sys.argv[1] == "floods":
        desk.sendall((struct.pack("<I", 0) + b"none") * 100_000)
    elif sys.argv[1] == "huge":
        desk.sendall(struct.pack("<I", 1 << 31) + serial)
    elif sys.argv[1] == "lies":
        said = b"1\\t0\\n" if asked[:1] == b"C" else b"1\\t1\\tpush button\\t\\tx\\t\\xff\\t1\\t1\\t1\\tA\\t\\t\\n" * 9
        desk.sendall(struct.pack("<I", len(said)) + serial + said)
"""
WINDOWS = """
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
for number in range(500):
    Gtk.Window(title=f"{number}").show()
Gtk.main()
"""
GRABBER = """
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk
window = Gtk.Window(title="grabber")
window.connect("map-event", lambda *_: Gdk.Display.get_default().get_default_seat().grab(
    window.get_window(), Gdk.SeatCapabilities.ALL, False, None, None, None))
window.show()
Gtk.main()
"""


@pytest.fixture
def desktop(pool: SandboxPool) -> Iterator[Desktop]:
    """A desktop with the calculator, which is waited for only shortly."""
    with pool.lease(SETTINGS.spec()) as sandbox:
        made = Desktop(sandbox, SETTINGS)
        sandbox.write_file(GTK_SETTINGS, SETTINGS.gtk_settings())
        made.start(["galculator"])
        made.patience = Patience(cap_ms=700)
        yield made
        made.close()


def key(desktop: Desktop, name: str = "7") -> Element:
    return next(each for each in desktop.screen().elements if each.name == name)


def shown(desktop: Desktop) -> str:
    return next(each.value for each in desktop.screen().elements if each.role == "text")


def run(desktop: Desktop, *argv: str) -> str:
    """What a program inside says; it may leave others running."""
    done = desktop.sandbox.exec(argv, env=session_variables(desktop), keep_background=True)
    return done.text()


def test_application_that_hangs_is_named_and_no_longer_waited_for(desktop):
    desktop.start(["mousepad"])
    pid = next(window.pid for window in desktop.screen().windows if "mousepad" in window.kind.lower())
    run(desktop, "kill", "-STOP", str(pid))
    first = desktop.act(())
    assert (first.settled.how, first.screen.silent) == ("silent", (pid,))
    assert key(desktop) in first.screen.elements
    run(desktop, "kill", "-CONT", str(pid))
    desktop.patience = Patience()
    assert desktop.look().screen.silent == ()


def test_application_that_crashes_leaves_the_others(desktop):
    desktop.start(["mousepad"])
    run(desktop, "pkill", "-SEGV", "mousepad")
    sight = desktop.look()
    assert [window.title for window in sight.screen.windows] == ["galculator"]
    desktop.act(click(key(desktop).box.centre))
    assert shown(desktop) == "7"


@pytest.mark.parametrize("how", ["floods", "huge", "lies", "never"])
def test_module_that_misbehaves_hides_no_other(desktop, how):
    desktop.sandbox.write_file("liar.py", LIAR.encode())
    liar = desktop.sandbox.spawn(["python3", "liar.py", how])
    assert b"connected" in liar.receive(timeout_s=60)
    desktop.act(click(key(desktop).box.centre))
    assert shown(desktop) == "7"
    assert all(each.name != "A" for each in desktop.screen().elements)
    liar.close()


def test_many_windows_are_listed_in_part(desktop):
    desktop.sandbox.write_file("windows.py", WINDOWS.encode())
    desktop.start(["python3", "/agentgym/work/windows.py"])
    desktop.patience = Patience(cap_ms=20_000)
    assert 1 < len(desktop.look().screen.windows) <= 200
    run(desktop, "pkill", "python3")
    ends = time.monotonic() + 60
    while [window.title for window in desktop.look().screen.windows] != ["galculator"]:
        assert time.monotonic() < ends


def test_grabbed_pointer_and_keyboard_stop_no_step(desktop):
    desktop.sandbox.write_file("grabber.py", GRABBER.encode())
    desktop.start(["python3", "/agentgym/work/grabber.py"])
    sight = desktop.act((*click(key(desktop).box.centre), Type("1")), has_picture=True)
    assert "grabber" in [window.title for window in sight.screen.windows]
    run(desktop, "pkill", "python3")
    desktop.act(click(key(desktop).box.centre))
    assert shown(desktop) == "7"


def test_text_is_typed_whole_on_a_keyboard_that_was_remapped(desktop):
    desktop.start(["mousepad"])
    run(desktop, "xmodmap", "-e", "keycode 38 = b", "-e", "keycode 10 = x")
    desktop.patience = Patience()
    desktop.act((Type("a banana, 1 x"),))
    assert "a banana, 1 x" in [each.value for each in desktop.screen().elements]


def test_full_disk_stops_no_step(desktop):
    run(desktop, "sh", "-c", "cat /dev/zero > /tmp/full; cat /dev/zero > full; true")
    sight = desktop.act(click(key(desktop).box.centre), has_picture=True)
    assert sight.pixels is not None
    assert shown(desktop) == "7"
