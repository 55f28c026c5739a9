"""Screenshots for people: recorded beside the turns, stored once each, and never part of the conversation."""

from __future__ import annotations

import json

from agentgym.game import SoloGame
from agentgym.picture import data_url, image_file, png_of
from agentgym.policy import Reply
from agentgym.rollout import Job, RolloutSettings, collect_episodes
from agentgym.store import RunStore
from agentgym.store.export import export_jsonl
from tests.toys.canvas import Canvas, canvas_task, pixels

SHOWN = ("red", "blue", "red")
SHOTS = {colour: image_file("image/png", png_of(pixels(colour)[:1])) for colour in SHOWN}


class Desk(Canvas):
    """A person sees another file than the policy, one of the same colour."""

    def screenshot(self):
        return SHOTS[self.shown[min(len(self.said), len(self.shown) - 1)]]


class Sayer:
    name, uses_tokens, concurrency = "sayer", False, 1

    def __init__(self):
        self.asked = []

    def generate(self, requests):
        self.asked += [list(request.messages) for request in requests]
        return [Reply("red") for _ in requests]

    def forget(self, episode):
        pass


def play(policy, **settings):
    jobs = [Job(canvas_task(*SHOWN), "e", 0)]
    [record], _ = collect_episodes(jobs, lambda _: SoloGame(Desk()), {"*": policy}, RolloutSettings(**settings))
    return record


def test_screenshots_are_recorded_on_demand_and_the_policy_sees_none():
    with_shots, without = Sayer(), Sayer()
    record, plain = play(with_shots, record_screenshots=True), play(without)
    assert [turn.screenshot for turn in record.turns] == [SHOTS[colour] for colour in SHOWN]
    assert record.last_screenshot == SHOTS["red"]
    assert [turn.screenshot for turn in plain.turns] == [None, None, None]
    assert plain.last_screenshot is None
    assert with_shots.asked == without.asked
    assert list(record.transcript()) == list(plain.transcript())


def test_screenshots_are_stored_once_each_and_come_back(tmp_path):
    record = play(Sayer(), record_screenshots=True)
    with RunStore.create(tmp_path / "run", {}) as store:
        store.write_episode(record)
        (found,) = store.episodes()
        hashes = {row[0] for row in store._connection.rows("SELECT hash FROM images")}
        assert {SHOTS[colour].hash for colour in SHOWN} <= hashes
        assert len(hashes) == 4, "two pictures of the conversation and two screenshots"
        export_jsonl(store, tmp_path / "out.jsonl")
    assert [turn.screenshot for turn in found.turns] == [turn.screenshot for turn in record.turns]
    assert found.last_screenshot == record.last_screenshot
    line = json.loads((tmp_path / "out.jsonl").read_text())
    assert [turn["screenshot"] for turn in line["turns"]] == [data_url(SHOTS[colour]) for colour in SHOWN]
    assert line["last_screenshot"] == data_url(SHOTS["red"])


def test_a_run_of_the_third_version_is_read_and_brought_up_to_date(tmp_path):
    record = play(Sayer())
    with RunStore.create(tmp_path / "run", {}) as store:
        store.write_episode(record)
        with store._connection.transaction() as sqlite:
            sqlite.execute("ALTER TABLE turns DROP COLUMN screenshot")
            sqlite.execute("PRAGMA user_version = 3")
    for read_only in (True, False, True):
        with RunStore.open(tmp_path / "run", read_only=read_only) as again:
            (found,) = again.episodes()
            assert [(turn.text, turn.screenshot) for turn in found.turns] == [("red", None)] * 3
