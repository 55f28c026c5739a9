"""What is written down of an oracle's episode finds the same elements on a page that was opened anew."""

import json
from contextlib import closing
from itertools import pairwise

import pytest

from agentgym_web.miniwob.env import MiniWoBEnv, make_task
from agentgym_web.miniwob.pages import FINE
from benchmarks.web.places import PLACE
from benchmarks.web.recording import Recorder


@pytest.fixture(scope="module")
def recorder():
    with closing(Recorder()) as made:
        yield made


def test_recorded_actions_have_names_arguments_and_elements(recorder):
    episode = recorder.play("login-user", 1)
    assert (episode.reward, episode.is_over) == (1.0, True)
    assert [move.do for move in episode.moves] == ["fill", "fill", "click"]
    assert all(set(move.arguments) <= {"value"} and move.element for move in episode.moves)
    assert episode.moves[0].call.startswith("fill('")


def test_actions_by_place_have_no_element(recorder):
    drag, submit = recorder.play("drag-box", 1).moves
    assert (drag.do, drag.element, set(drag.arguments)) == (
        "mouse_drag_and_drop",
        None,
        {"from_x", "from_y", "to_x", "to_y"},
    )
    assert submit.element is not None


@pytest.mark.parametrize("page", ["button-delay", "simon-says"])
def test_actions_have_their_times_by_the_clock_of_the_page(recorder, page):
    moves = recorder.play(page, 1).moves
    took = [after.at_ms - before.at_ms for before, after in pairwise(moves)]
    step_ms = FINE.get(page, MiniWoBEnv.settings.step_ms)
    assert moves[0].at_ms == step_ms
    assert took == [move.arguments.get("wait_ms", step_ms) for move in moves[:-1]]


def test_recording_again_gives_the_same_actions(recorder):
    assert recorder.play("click-checkboxes", 2) == recorder.play("click-checkboxes", 2)


def test_path_leads_to_the_same_element_of_a_page_opened_anew(recorder):
    episode = recorder.play("login-user", 1)
    with closing(MiniWoBEnv()) as env:
        env.reset(options={"task": make_task("login-user", 1)})
        found = [placed(env, move.element) for move in episode.moves]
        point = found[-1]["x"], found[-1]["y"]
        hit = env.page.run_script(f"document.elementFromPoint({point[0]}, {point[1]}).id")
    assert [each["tag"] for each in found] == ["INPUT", "INPUT", "BUTTON"]
    assert [each["type"] for each in found] == ["text", "password", "submit"]
    assert hit == "subbtn"


def test_path_does_not_count_what_a_peer_takes_out_of_the_page(recorder):
    move = recorder.play("click-dialog", 1).moves[-1]
    with closing(MiniWoBEnv()) as env:
        env.reset(options={"task": make_task("click-dialog", 1)})
        before = placed(env, move.element)
        env.page.run_script("for (const id of ['click-canvas', 'reward-display']) document.getElementById(id).remove()")
        assert placed(env, move.element) == before


def test_path_that_leads_nowhere_gives_nothing(recorder):
    with closing(MiniWoBEnv()) as env:
        env.reset(options={"task": make_task("click-test", 1)})
        assert placed(env, {"path": [1, 0, 1, 40], "at": [1, 1]}) is None


def placed(env, element):
    return env.page.run_script(f"{PLACE}({json.dumps(element['path'])}, {json.dumps(element['at'])})")
