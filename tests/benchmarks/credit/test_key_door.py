import pytest

from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.policies.by_name import load
from agentgym.suite import load_suite
from agentgym.testing import check_env
from benchmarks.credit.key_door import FEWEST_STEPS, MAX_TURNS, House, KeyDoorEnv, house_task, houses
from benchmarks.credit.suites import KEY_DOOR, LONG_LOOKUP, register_all

HOUSE = House(4, 2, 5)


def started(house=HOUSE):
    env = KeyDoorEnv()
    observation, _ = env.reset(options={"task": house_task("h", 0, house)})
    return env, observation["text"]


def test_every_house_takes_six_steps():
    assert len(houses()) == 64
    for house in houses():
        env, seen = started(house)
        for step in range(FEWEST_STEPS):
            assert env.progress() == pytest.approx(step / FEWEST_STEPS)
            key, door = seen.rpartition("Key ")[2].rstrip(".").split(", door ")
            held = "open" if door == "here" else door
            word = held if key == "held" else "take" if key == "here" else key
            observation, reward, is_over, _, _ = env.step(word)
            seen = observation["text"]
        assert (reward, is_over, env.progress()) == (1.0, True, 1.0)


def test_only_the_last_step_pays_and_vain_ones_cost_turns_alone():
    env, _ = started()
    for word in ("open", "take", "east", "dance"):  # none of them of use
        _, reward, is_over, _, _ = env.step(word)
        assert (reward, is_over) == (0.0, False)
    for _ in range(MAX_TURNS - 4):
        *_, is_cut, info = env.step("west")
    assert is_cut
    assert info["success"] is False


def test_an_anchor_is_the_room_and_whether_the_key_is_held():
    env, _ = started()
    env.step("west")
    env.step("east")
    there_and_back = env.anchor()
    other, _ = started()
    other.step("open")
    assert other.anchor() == there_and_back
    other.step("west")
    assert other.anchor() != there_and_back


def test_key_door_passes_the_checks_of_environments():
    register_all()
    report = check_env("credit/KeyDoor-v0")
    assert not report.failures, report


def test_splits_are_disjoint_and_the_oracle_solves_all():
    register_all()
    for name in (KEY_DOOR, LONG_LOOKUP):
        suite = load_suite(name)
        hashes = [task.content_hash for split in ("train", "validation", "test") for task in suite.tasks(split)]
        assert len(hashes) == len(set(hashes))
    assert evaluate(load("oracle", KEY_DOOR), KEY_DOOR, "test").success.mean == 1.0
    settings = EvaluationSettings(limit=8)
    assert evaluate(load("oracle", LONG_LOOKUP), LONG_LOOKUP, "test", settings).success.mean == 1.0
    assert evaluate(load("demo", KEY_DOOR), KEY_DOOR, "test").success.mean < 0.5
