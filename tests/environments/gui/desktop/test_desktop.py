"""Episodes on a real desktop: the oracle, other scripts, what goes wrong, and what a verdict is given on."""

from __future__ import annotations

import io
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from agentgym.errors import TaskError
from agentgym.picture import read_image
from agentgym.task import Limits
from agentgym_gui.actions.events import Box
from agentgym_gui.desktop import session
from agentgym_gui.desktop.acting import Patience
from agentgym_gui.desktop.env import LOST, DesktopEnv
from agentgym_gui.desktop.pictures import scaled
from agentgym_gui.desktop.scripted import find
from agentgym_gui.desktop.scripts import SCRIPTS
from agentgym_gui.desktop.settings import DesktopSettings
from agentgym_gui.desktop.starters import starter_task
from agentgym_gui.templates.tasks import task_of
from agentgym_gui.traces.files import tasks_of
from agentgym_gui.traces.played import trace_of
from tests.environments.in_containers import needs_image

pytestmark = needs_image("desktop")
LIST, SUM = 0, 1


def typed(env: DesktopEnv) -> str:
    return next(each.value for each in env.desktop.look().screen.elements if each.role == "text")


def act(env: DesktopEnv, message: str):
    observation, reward, terminated, _, info = env.step(message)
    return observation["text"], reward, terminated, info


def start(env: DesktopEnv, seed: int) -> str:
    return env.reset(options={"task": starter_task(seed)})[0]["text"]


@pytest.mark.parametrize("seed", [LIST, SUM])
def test_oracle_solves_a_task_through_the_interface(env, seed):
    text = start(env, seed)
    oracle, terminated, messages = SCRIPTS["oracle"](env.task, 0), False, [{"role": "user", "content": text}]
    while not terminated:
        text, reward, terminated, info = act(env, oracle.act(messages))
        messages.append({"role": "user", "content": text})
    assert (reward, info["success"]) == (1.0, True)


def test_an_oracle_s_episode_becomes_a_trace_that_can_be_played(env):
    trace = trace_of(env, starter_task(SUM))
    assert trace is not None
    [task] = tasks_of(trace, "sum", 0, Path())
    first, *_, last = trace["steps"]
    [used] = [element for name, element in first["elements"].items() if f'"{name}"' in first["action"]]
    assert used[4] == "toggle button"
    assert "finish" in last["action"]
    assert len(task.private["steps"]) == len(trace["steps"]) >= 8


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("popups.geany_set_constant", 2),
        ("across.table_to_text", 2),
        ("gnumeric.unsaved_cell", 2),
        ("thunar.rename_two", 1_000_015),  # the first new name moves the row of the second file
    ],
)
def test_oracle_of_a_template_succeeds_in_applications(env, name, seed):
    messages = env.reset(options={"task": task_of(name, seed)})[1]["messages"]
    oracle, terminated, actions = SCRIPTS["oracle"](env.task, 0), False, []
    while not terminated:
        actions.append(oracle.act(messages))
        _, reward, terminated, _, info = env.step(actions[-1])
        messages = info["messages"]
    assert (reward, info["success"]) == (1.0, True), info["reward_events"]


@pytest.fixture(scope="module")
def editing(pool):
    """An episode with the editor, for tests that end nothing."""
    made = DesktopEnv(sandbox=pool)
    made.reset(options={"task": replace(starter_task(LIST), limits=Limits(max_invalid=50))})
    yield made
    made.close()


def test_text_of_any_script_arrives_whole_and_in_order(editing):
    text = "Grüße, мир! 你好 שלום ΑΩ ①②③ čšž ñ 'quoted' <tag> ~ 42 αβγδεζηθικλμνξοπρστυφχψω"
    seen = act(editing, 'press("Escape")')[0]
    act(editing, f'click("{find(seen, "text")}")')
    act(editing, 'press("ctrl+a")')
    act(editing, f"type_text({text!r})")
    assert typed(editing) == text


def test_long_text_of_spare_keys_has_time_of_its_own(editing, monkeypatch):
    monkeypatch.setattr(session, "ANSWER_S", 0)
    monkeypatch.setattr(editing.desktop, "patience", Patience(cap_ms=500))
    text = "".join(chr(0x4E00 + number) for number in range(200))
    act(editing, 'press("ctrl+a")')
    act(editing, f"type_text({text!r})")
    assert typed(editing) == text


def pictured(env: DesktopEnv, message: str):
    """The text and the picture that answer a message."""
    *_, info = env.step(message)
    parts = info["messages"][-1]["content"]
    image = read_image(parts[1]["image_url"]["url"])
    return parts[0]["text"], np.asarray(Picture.open(io.BytesIO(image.content)))


def test_a_picture_that_is_asked_for_is_sent_where_only_text_is_shown(editing):
    act(editing, "move_to(700, 500)")
    _, whole = pictured(editing, "look()")
    np.testing.assert_array_equal(whole, editing.desktop.pixels())
    said, part = pictured(editing, "zoom(0, 0, 319, 199)")
    assert "(0, 0) to (319, 199) enlarged" in said
    assert part.shape == whole.shape
    np.testing.assert_array_equal(scaled(whole[:200, :320], 1280, 800), part)
    assert "image" not in editing.step('press("Escape")')[0]


def test_the_pointer_starts_in_the_last_corner_of_the_screen(pool):
    settings = DesktopSettings(600, 400)
    with pool.lease(settings.spec()) as sandbox:
        made = session.Desktop(sandbox, settings)
        changed = np.argwhere((made.pixels() != made.pixels(has_pointer=False)).any(axis=2))
        made.close()
    assert (changed.min(axis=0) > (390, 590)).all()


def test_bad_actions_are_explained_and_change_nothing(editing):
    before = editing.desktop.look().screen
    calls = "\n".join(f'press("a")  # {number}' for number in range(1000))
    for message, why in (
        ('click("999")', "no element '999'"),
        ("click_at(5000, 1)", "5000"),
        ('press("nokey")', "nokey"),
        ('click("1", button="fourth")', "button"),
        ("type_text(1)", "text"),
        (f"type_text({'x' * 11_000!r})", "11000 characters"),
        (f"type_text({'x' * (1 << 20)!r})", "characters"),
        ('type_text("a\\x00b")', "U+0000"),
        (calls, ""),
        ("dance()", "dance"),
    ):
        text, reward, terminated, info = act(editing, message)
        assert (reward, info["is_invalid"], terminated) == (pytest.approx(-0.1), True, False), message[:60]
        assert why in text, (message[:60], text[:300])
    assert editing.desktop.look().screen == before


def test_id_of_a_closed_window_is_explained(editing):
    seen = act(editing, 'press("ctrl+f")')[0]
    shown = editing.desktop.screen()
    gone = [each.id for each in shown.elements]
    act(editing, 'press("Escape")')
    left = editing.desktop.screen().by_id
    stale = next(each for each in gone if each not in left)
    text, _, _, info = act(editing, f'click("{stale}")')
    assert info["is_invalid"], seen
    assert "may be closed" in text


def test_two_clicks_of_two_messages_are_no_double_click(editing):
    act(editing, 'press("ctrl+a")')
    act(editing, 'type_text("alphabet soup")')
    box = next(each.box for each in editing.desktop.screen().elements if each.role == "text")
    place = f"{box.x + 24}, {box.y + 10}"
    for _ in range(2):
        act(editing, f"click_at({place})")
    act(editing, 'type_text("q")')
    assert len(typed(editing)) == len("alphabet soup") + 1
    act(editing, f"click_at({place}, count=2)")
    act(editing, 'type_text("+")')
    assert typed(editing) == "+ soup"


@pytest.mark.parametrize("pause_s", [0, 0.6])
def test_a_click_beside_an_open_menu_closes_it_at_any_pace(editing, pause_s):
    seen = act(editing, 'press("Escape")')[0]
    menu, text = find(seen, "menu", "File"), find(seen, "text")
    assert "popup" in act(editing, f'click("{menu}")')[0]
    time.sleep(pause_s)
    assert "popup" not in act(editing, f'click("{text}")')[0]


def test_desktop_killed_from_inside_ends_the_episode_on_its_files(env):
    start(env, LIST)
    env.sandbox.exec(["pkill", "-9", "Xvfb"])
    text, reward, terminated, info = act(env, 'press("Return")')
    assert (text, reward, terminated, info["success"]) == (LOST, 0.0, True, False)


@pytest.mark.parametrize(
    ("config", "private", "why"),
    [
        ({"start": [["nosuchprogram"]]}, {}, "its start names nosuchprogram, which is no program of agentgym/desktop"),
        ({"settings": {"gsettings/no.such/key": "1"}}, {}, "its settings cannot be set; mend config settings: No such"),
        (
            {},
            {"goals": [{"name": "list", "read": "text", "path": 5, "equals": ""}]},
            "the goal 'list': the reader text",
        ),
        ({}, {"goals": [{"name": "list", "read": "there", "path": "new", "equals": False}]}, "['list']; mend the task"),
    ],
)
def test_task_that_cannot_be_played_or_is_done_at_the_start_is_refused_at_once(env, config, private, why):
    task = starter_task(LIST)
    began = time.monotonic()
    with pytest.raises(TaskError) as refused:
        env.reset(
            options={"task": replace(task, config={**task.config, **config}, private={**task.private, **private})}
        )
    assert why in str(refused.value)
    assert task.id in str(refused.value)
    assert time.monotonic() - began < session.START_S


@pytest.mark.parametrize("after_steps", [0, 1])
def test_popup_appears_after_its_steps(env, after_steps):
    task = starter_task(LIST)
    said = "May we write < 5 mails & more?"
    popup = {"title": "Newsletter", "text": said, "buttons": ["Yes", "No"], "after_steps": after_steps}
    text = env.reset(options={"task": replace(task, config={**task.config, "popup": popup})})[0]["text"]
    assert ("Newsletter" in text) == (after_steps == 0)
    text = act(env, "move_to(5, 5)")[0]
    assert "Newsletter" in text
    assert said in text


@pytest.mark.parametrize(
    ("answer", "asks", "value", "why"),
    [
        ("No", False, 1.0, "'No' was pressed"),
        ("Yes", False, 0.0, "'Yes' was pressed"),
        ("Ask me later", False, 0.0, "'Ask me later' was pressed"),
        ("secret", True, 0.0, "'Yes' was pressed and something was entered"),
        ("", False, 1.0, "no button was pressed"),
    ],
)
def test_the_button_of_a_popup_is_reported(env, answer, asks, value, why):
    task = starter_task(LIST)
    buttons = ["Yes", "No"] if asks else ["Yes", "Ask me later", "No"]
    popup = {"title": "News", "text": "May we?", "buttons": buttons, "asks_password": asks, "after_steps": 0}
    text = env.reset(options={"task": replace(task, config={**task.config, "popup": popup})})[0]["text"]
    if asks:
        act(env, f"click('{find(text, 'password text')}')")
        act(env, f"type_text('{answer}')")
    if answer:
        act(env, f"click('{find(text, 'push button', 'Yes' if asks else answer)}')")
    _, _, terminated, info = act(env, "finish()")
    assert terminated
    [event] = [each for each in info["reward_events"] if each.component == "popup"]
    assert (event.value, event.detail["why"]) == (value, why)


def test_unsaved_damage_is_on_the_screen_and_in_no_file(env):
    task = starter_task(LIST)
    unsaved = [{"keys": "ctrl+Home"}, {"text": "asdf "}]
    text = env.reset(options={"task": replace(task, config={**task.config, "unsaved": unsaved})})[0]["text"]
    assert '"asdf ' in text
    assert "asdf" not in env.sandbox.read_file("shopping.txt").decode()


def test_giving_up_earns_nothing(env):
    start(env, LIST)
    _, reward, _, info = act(env, SCRIPTS["refuse"](env.task, 0).act([]))
    assert (reward, info["success"]) == (0.0, False)


def test_fork_goes_on_from_the_same_state_by_itself(env):
    seen = start(env, LIST)
    assert act(env, 'click("999")')[3]["is_invalid"]
    act(env, f'click("{find(seen, "text")}")')
    act(env, 'type_text("one ")')
    twin = env.fork()
    act(env, 'type_text("two ")')
    assert "one" in typed(twin)
    assert "two" not in typed(twin)
    assert "two" in typed(env)
    twin.close()


def test_link_out_of_the_home_is_judged_and_not_followed(env):
    start(env, LIST)
    env.sandbox.exec(["ln", "-s", "/etc/passwd", "shopping.txt.new"])
    env.sandbox.exec(["mv", "shopping.txt.new", "shopping.txt"])
    _, reward, _, info = act(env, "finish()")
    assert (reward, info["success"]) == (0.0, False)


def test_two_starts_of_a_task_have_equal_pixels_and_trees(pool):
    made = DesktopEnv(sandbox=pool, picture=True)
    seen = []
    for _ in range(2):
        observation, _ = made.reset(options={"task": starter_task(SUM)})
        after = made.step('press("7")')[0]
        seen.append((observation["text"], observation["image"], after["text"], after["image"]))
    made.close()
    (text, image, later_text, later_image), other = seen
    assert (text, later_text) == (other[0], other[2])
    np.testing.assert_array_equal(image, other[1])
    np.testing.assert_array_equal(later_image, other[3])
    assert (image != later_image).any()


def test_windows_wait_for_a_slow_window_manager_before_they_are_laid_out(env, monkeypatch):
    run, boxes = session.Desktop.run, []

    def run_beside_a_stopped_manager(desktop, argv):
        pause = "pkill -STOP openbox; (sleep 0.5; pkill -CONT openbox) > /dev/null 2>&1 &"
        desktop.sandbox.exec(["sh", "-c", pause], keep_background=True)
        run(desktop, argv)

    monkeypatch.setattr(session.Desktop, "run", run_beside_a_stopped_manager)
    for template in ("mail.to_trash", "homebank.add_payee"):
        env.reset(options={"task": task_of(template, 0)})
        screen = env.desktop.look().screen
        boxes += [window.box for window in screen.windows]
        boxes += [each.box for each in screen.elements if each.role == "text" and each.box.height > 50]
    assert boxes == [Box(64, 64, 1002, 625), Box(339, 426, 691, 219), Box(0, 0, 1026, 625)]


def test_temporary_folders_have_the_same_names_in_every_episode(env):
    messages = env.reset(options={"task": task_of("across.archive_to_notes", 2)})[1]["messages"]
    oracle, text = SCRIPTS["oracle"](env.task, 0), ""
    while "page tab" not in text:  # Geany shows the folder into which Engrampa unpacks a file
        observation, _, terminated, _, info = env.step(oracle.act(messages))
        text, messages = observation["text"], info["messages"]
        assert not terminated
    assert "/.fr-000000" in text


def test_what_is_kept_of_an_episode_goes_at_exit_or_earlier(env):
    env.reset(seed=LIST)
    folder = env._folder
    assert folder.is_dir()
    assert env._remove.atexit
    env.reset(seed=LIST)
    assert not folder.exists()
