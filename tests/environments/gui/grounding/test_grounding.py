"""Grounding-v0: what is shown, how answers are read, and what they earn."""

import json
import math
import random

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError, UnknownNameError
from agentgym.registration import make
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_gui.grounding.applications import APPLICATIONS, HELD_OUT
from agentgym_gui.grounding.env import GroundingEnv
from agentgym_gui.grounding.opening import Opening, draw_opening, opening_of, read_opening
from agentgym_gui.grounding.recorded import recorded_scenes
from agentgym_gui.grounding.scripts import SCRIPTS

TASKS = load_suite("gui/grounding").tasks("test")
PRESENT = next(task for task in TASKS if task.private["box"] is not None)
ABSENT = next(task for task in TASKS if task.private["box"] is None)
X, Y, W, H = PRESENT.private["box"]
MIDDLE = X + W // 2, Y + H // 2


def played(env: GroundingEnv, task: Task, message: str):
    env.reset(options={"task": task})
    _, reward, terminated, _, info = env.step(message)
    return reward, terminated, info


def test_a_point_in_the_target_hits_and_one_outside_misses():
    env = make("agentgym/Grounding-v0")
    assert played(env, PRESENT, f"point({MIDDLE[0]}, {MIDDLE[1]})")[0] == 1
    reward, terminated, info = played(env, PRESENT, f"point({X - 1}, {Y})")
    assert (reward, terminated, info["success"]) == (0, True, False)
    assert played(env, ABSENT, "absent()")[0] == 1
    assert played(env, PRESENT, "absent()")[0] == 0


def test_rewards_grow_from_hit_to_dense_to_box():
    box = call_text("box", left=X, top=Y, right=X + W - 1, bottom=Y + H - 1)
    assert played(GroundingEnv(reward="dense"), PRESENT, box)[0] == pytest.approx(2.0)
    reward, _, info = played(GroundingEnv(reward="box"), PRESENT, box)
    weight = info["reward_events"][0].detail["difficulty"]
    assert reward == pytest.approx(1.375 * weight, abs=2e-3)
    grown = call_text("box", left=max(X - 40, 0), top=max(Y - 40, 0), right=X + W + 39, bottom=Y + H + 39)
    assert played(GroundingEnv(reward="box"), PRESENT, grown)[0] < reward


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("text", f"The answer is ({MIDDLE[0]}, {MIDDLE[1]})."),
        ("text", json.dumps({"bbox_2d": [X, Y, X + W - 1, Y + H - 1]})),
        ("tools", f"click_at({MIDDLE[0]}, {MIDDLE[1]})"),
        ("pyautogui", f"pyautogui.click({MIDDLE[0]}, {MIDDLE[1]})"),
        ("androidworld", json.dumps({"action_type": "click", "x": MIDDLE[0], "y": MIDDLE[1]})),
        ("computer_13", json.dumps({"action_type": "CLICK", "parameters": {"x": MIDDLE[0], "y": MIDDLE[1]}})),
    ],
)
def test_answers_are_read_in_other_syntaxes(answers, message):
    assert played(GroundingEnv(answers=answers), PRESENT, message)[2]["success"]


def test_a_refusal_in_a_syntax_of_actions_is_absent():
    assert played(GroundingEnv(answers="tools"), ABSENT, "give_up()")[2]["success"]


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("point(-1, 5)", "outside the screen"),
        ("point(NaN, 5)", ""),
        (call_text("point", x=math.inf, y=1), ""),
        (call_text("point", x="12", y=1), ""),
        ("point(1, 2); point(3, 4)", "One answer was expected"),
        ("box(50, 50, 10, 10)", "upper left corner"),
        ("It is at the top.", ""),
        ("x" * 1_000_000, ""),
        ("exec('1')", ""),
    ],
)
def test_bad_answers_are_explained_and_cost(message, why):
    reward, terminated, info = played(GroundingEnv(), PRESENT, message)
    assert (reward, terminated, info["is_invalid"]) == (-0.1, False, True)
    assert why in info["messages"][0]["content"]


def test_coordinates_may_be_of_the_sent_picture_or_of_a_grid():
    scene = recorded_scenes()[PRESENT.config["scene"]]
    half = f"point({MIDDLE[0] * 0.5}, {MIDDLE[1] * 0.5})"
    assert played(GroundingEnv(scale=0.5), PRESENT, half)[2]["success"]
    x, y = (round(1000 * at / (side - 1)) for at, side in zip(MIDDLE, (scene.width, scene.height), strict=True))
    assert played(GroundingEnv(grid=1000), PRESENT, f"point({x}, {y})")[2]["success"]


def test_items_are_listed_where_that_is_asked_for():
    observation, _ = GroundingEnv(listed=True).reset(options={"task": PRESENT})
    assert f"[{X}, {Y}, {X + W - 1}, {Y + H - 1}]" in observation["text"]


def test_a_tenth_of_the_tasks_ask_for_what_is_not_there():
    shares = [sum(task.private["box"] is None for task in load_suite("gui/grounding").tasks(split)) for split in
              ("train", "validation", "test")]  # fmt: skip
    assert shares == [100, 10, 30]
    env = GroundingEnv(absent=0.5)
    absent = sum(env.make_task(seed).private["box"] is None for seed in range(200))
    assert 70 < absent < 130


def test_only_tests_show_the_held_out_applications():
    for split in ("train", "validation"):
        tasks = load_suite("gui/grounding").tasks(split)
        shown = {recorded_scenes()[task.config["scene"]].application for task in tasks}
        assert len(shown) > 7
        assert not shown & set(HELD_OUT)


@pytest.mark.parametrize("player", ["oracle", "null", "giant_box", "cheat_two_answers", "cheat_outside"])
def test_players_score_as_stated(player):
    env = GroundingEnv()
    hits = 0
    for task in TASKS[:30:3]:
        _, info = env.reset(options={"task": task})
        script = SCRIPTS[player](task, 0)
        hits += bool(env.step(script.act(info["messages"]))[4].get("success"))
    assert hits == (10 if player == "oracle" else 0)


def test_an_opening_is_the_same_after_json():
    for seed in range(20):
        opening = draw_opening(random.Random(seed), list(APPLICATIONS))
        assert read_opening(json.loads(json.dumps(opening.config()))) == opening
    scene = recorded_scenes()[PRESENT.config["scene"]]
    assert opening_of(scene).place == (scene.windows[0][1].x, scene.windows[0][1].y)
    with pytest.raises(UnknownNameError, match="file menu"):
        Opening("galculator", "file menue")


def test_wrong_options_and_tasks_are_refused(tmp_path):
    with pytest.raises(UnknownNameError, match="dense"):
        GroundingEnv(reward="dens")
    with pytest.raises(UnknownNameError, match="did you mean text"):
        GroundingEnv(answers="txet")
    with pytest.raises(ConfigError, match="name it with targets"):
        GroundingEnv(boxes="corners")
    with pytest.raises(ConfigError, match="not both"):
        GroundingEnv(targets=str(tmp_path), live=True)
    with pytest.raises(TaskError, match="has no screen"):
        GroundingEnv().reset(options={"task": Task(id="t", seed=0)})
    with pytest.raises(TaskError, match="names a picture of this machine"):
        GroundingEnv().vet(Task(id="t", seed=0, config={"picture": "/etc/passwd"}))
