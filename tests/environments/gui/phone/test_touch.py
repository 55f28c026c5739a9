"""Touch gestures on a phone-sized desktop, and the screen it has."""

import json
from dataclasses import replace

import pytest

from agentgym.errors import ConfigError, TaskError
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_gui.actions import androidworld
from agentgym_gui.actions.events import ActionError, Box, Frame, KeyDown, KeyUp, Move, Open, Press, Release, Scroll
from agentgym_gui.actions.gestures import clicks
from agentgym_gui.phone.env import NOTE, PhoneDesktopEnv
from agentgym_gui.phone.scripts import SCRIPTS
from agentgym_gui.phone.swipes import without_touch
from agentgym_gui.phone.tasks import HEIGHT, KINDS, WIDTH, draw_task
from agentgym_gui.phone.touch import Back, Home, as_touch, parts_of

FRAME = Frame(WIDTH, HEIGHT)
ELEMENTS = {"3": Box(100, 200, 40, 20)}


def touched(**action):
    return as_touch(androidworld.parse(json.dumps(action), FRAME, ELEMENTS))


def test_a_click_is_the_left_button_and_a_long_press_the_right_one():
    assert touched(action_type="click", index="3") == (Move(120, 210), Press(), Release())
    assert touched(action_type="long_press", index="3") == (Move(120, 210), Press("right"), Release("right"))


def test_scrolling_turns_the_wheel():
    down = touched(action_type="scroll", direction="down")
    assert [event.dy > 0 for event in down if isinstance(event, Scroll)] == [True]
    assert not any(isinstance(event, Press) for event in down)


def test_home_and_back_are_no_keys_of_the_desktop():
    events = (KeyDown("a"), KeyUp("a"), *touched(action_type="navigate_home"), *touched(action_type="navigate_back"))
    assert parts_of(events) == [(KeyDown("a"), KeyUp("a")), Home(), Back()]


def test_applications_are_opened_by_their_names_alone():
    assert parts_of(touched(action_type="open_app", app_name="calculator")) == [Open("calculator")]
    with pytest.raises(ActionError, match=r"no application 'Chrome'\. Known: Calculator"):
        touched(action_type="open_app", app_name="Chrome")


def test_other_screens_and_syntaxes_are_refused():
    with pytest.raises(ConfigError, match="one of androidworld"):
        PhoneDesktopEnv(actions="pyautogui")
    with pytest.raises(TaskError, match="a phone's is 412x892"):
        PhoneDesktopEnv().sandbox_spec(Task(id="t", seed=0))
    assert "no Android" in NOTE


def test_a_suite_has_thirty_tasks_of_six_kinds():
    tasks = [task for split in ("train", "validation", "test") for task in load_suite("gui/phone").tasks(split)]
    assert len(tasks) == 30
    assert {tuple(task.config["screen"].values()) for task in tasks} == {(WIDTH, HEIGHT)}
    assert len({draw_task(seed).instruction for seed in range(60)}) > 50


def test_one_application_at_a_time_fills_the_screen():
    seed = list(KINDS).index("sum_in_note")
    with SandboxPool(DockerProvider(), PoolConfig(ready=0)) as pool:
        env = PhoneDesktopEnv(sandbox=pool, picture=True)
        task = draw_task(seed)
        env.reset(options={"task": task})
        anchors = {env.anchor()}
        for said in ('{"action_type": "answer", "text": "1"}', "nonsense"):
            env.step(said)
            anchors.add(env.anchor())
        assert len(anchors) == 3, "what was answered and what was wrong decide how the episode ends"
        observation, info = env.reset(options={"task": task})
        assert NOTE in observation["text"]
        assert observation["image"].shape == (HEIGHT, WIDTH, 3)
        oracle, fronts = SCRIPTS["oracle"](task, 0), []
        terminated = False
        while not terminated:
            observation, reward, terminated, _, info = env.step(oracle.act(info["messages"]))
            fronts.append(observation["text"].count('window "'))
        assert set(fronts[:-1]) <= {0, 1}
        assert 0 in fronts  # home puts everything away
        assert (reward, info["success"]) == (1.0, True)
        env.close()


def test_a_dialog_comes_in_the_way_after_its_steps():
    popup = {"title": "News", "text": "May we?", "buttons": ["Yes", "No"], "after_steps": 1}
    task = draw_task(0)
    with SandboxPool(DockerProvider(), PoolConfig(ready=0)) as pool:
        env = PhoneDesktopEnv(sandbox=pool)
        env.reset(options={"task": replace(task, config={**task.config, "popup": popup})})
        observation = env.step('{"action_type": "open_app", "app_name": "Calculator"}')[0]
        assert 'window "News" (active)' in observation["text"]
        env.close()


def test_swipes_become_the_wheel_where_there_is_no_touch():
    events = androidworld.parse('{"action_type": "scroll", "direction": "down"}', FRAME, {})
    assert without_touch(events) == (Move(206, 446), Scroll(0, 7))
    held = androidworld.parse('{"action_type": "long_press", "x": 5, "y": 5}', FRAME, {})
    assert without_touch(held) == held
    assert without_touch((Move(1, 1), *clicks())) == (Move(1, 1), *clicks())
