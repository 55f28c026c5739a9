import dataclasses

import numpy as np
import pytest

from agentgym.errors import (
    AgentGymError,
    CancelledEpisode,
    ContractError,
    InfrastructureError,
    StepTimeoutError,
    TaskError,
    UnknownNameError,
)
from agentgym.outcome import Outcome
from agentgym.remote import wire
from agentgym.remote.json_text import dumps, loads
from agentgym.reward import RewardEvent
from agentgym.task import Limits, Task
from tests.toys.env import toy_task


def test_public_task_is_all_but_the_private_part():
    task = Task("a/b:c", 3, "do", "a/b", "test", "s", {"x": [1]}, Limits(max_turns=4, max_invalid=0), {"k": 1}, True)
    expected = task.to_json()
    del expected["private"]
    assert wire.public_task(task) == expected
    assert wire.read_task(wire.public_task(task)) == dataclasses.replace(task, private={})


@pytest.mark.parametrize("fields", [None, [], "x", {}, {"id": "a"}, {"id": "a", "seed": "b"}, {"id": 1, "seed": 1}])
def test_malformed_task_is_refused(fields):
    with pytest.raises(TaskError):
        wire.read_task(fields)


def test_info_comes_back():
    event = RewardEvent(1, 2, "agent", "success", 0.5, "judge", {"why": "so"})
    info = {"messages": [{"role": "user", "content": "x"}], "reward_events": (event,), "turn": 2, "is_invalid": False}
    info |= {"outcome": Outcome("truncated", "turns"), "success": False, "score": 0.25, "weather": "fine"}
    assert wire.read_info(loads(dumps(wire.step_fields(info, True)))) == {**info, "reward_events": [event]}


def test_info_of_a_reset_comes_back():
    info = {"messages": [], "task_id": "t", "reward_events": (), "map": [1]}
    fields = wire.reset_fields(info, toy_task("t", 1))
    assert wire.read_info(fields) == {"messages": [], "reward_events": [], "map": [1]}
    assert "sesame" not in str(fields)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(np.float32(0.5), 0.5), (np.int64(3), 3), (np.bool_(True), True), (np.array([1.5, 2.0]), [1.5, 2.0])],
)
def test_numbers_of_numpy_become_numbers(value, expected):
    assert loads(dumps({"v": value})) == {"v": expected}


@pytest.mark.parametrize("value", [{1, 2}, object(), {"a": b"bytes"}, float])
def test_what_has_no_form_in_json_is_refused(value):
    with pytest.raises(TypeError):
        dumps({"v": value})


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "é\U0001f600"])
def test_any_text_passes(text):
    assert loads(dumps([text])) == [text]


_BROKEN = [b"", b"{", b"NaN", b'["\\ud800", NaN]', b"\xff", b"[" * 5000, b'"\\ud800"' + b"[" * 9999]


@pytest.mark.parametrize("raw", _BROKEN)
def test_what_is_no_json_is_refused(raw):
    with pytest.raises(ValueError, match=r"."):
        loads(raw)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("TaskError", TaskError),
        ("ContractError", ContractError),
        ("StepTimeoutError", StepTimeoutError),
        ("CancelledEpisode", CancelledEpisode),
        ("UnknownNameError", TaskError),
        ("", InfrastructureError),
        ("KeyError", InfrastructureError),
        ("DISTRIBUTION", InfrastructureError),
        ("MissingExtraError", InfrastructureError),
    ],
)
def test_servers_error_becomes_the_clients(name, kind):
    assert type(wire.error_of(name, "why")) is kind


def test_errors_that_are_not_ours_have_no_name():
    assert wire.error_name(UnknownNameError("a", "b", [])) == "UnknownNameError"
    assert wire.error_name(KeyError()) == ""
    assert wire.error_name(AgentGymError()) == "AgentGymError"


def test_picture_keeps_its_shape():
    picture = np.arange(30, dtype=np.uint8).reshape(2, 5, 3)[:, ::2]
    coded = wire.encode_special(picture)
    assert np.array_equal(wire.decode_special(coded), picture)
    assert wire.decode_special({"$uint8": 1, "a": 2, "b": 3}) == {"$uint8": 1, "a": 2, "b": 3}
