"""Screenshots for people: recorded beside the turns, stored once each, and never part of the conversation."""

from __future__ import annotations

import dataclasses
import json

import pytest

from agentgym.errors import UnknownNameError, WrongRunError
from agentgym.game import SoloGame
from agentgym.picture import data_url, image_file, png_of
from agentgym.policy import Reply
from agentgym.rollout import Job, RolloutSettings, collect_episodes
from agentgym.store import RunStore
from agentgym.store.export import export_jsonl
from agentgym.store.screenshots import LIST, export_screenshots
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


def test_screenshots_are_written_as_files_with_a_list_of_them(tmp_path):
    record = play(Sayer(), record_screenshots=True)
    again = dataclasses.replace(record, id="e2/agent")
    plain = dataclasses.replace(play(Sayer()), id="e3/agent", policy="plain")
    with RunStore.create(tmp_path / "run", {}) as store:
        for each in (record, again, plain):
            store.write_episode(each)
        written = export_screenshots(store, tmp_path / "shots")
        assert written == (8, 2, 1)
        lines = [json.loads(line) for line in (tmp_path / "shots" / LIST).read_text().splitlines()]
        assert len({line["file"] for line in lines}) == 8, "episodes of one task and attempt have folders of their own"
        assert [line["file"].rpartition("/")[2] for line in lines[:4]] == [
            *(f"turn-{turn:03d}.png" for turn in (1, 2, 3)), "end.png",
        ]  # fmt: skip
        for line, colour in zip(lines[:4], (*SHOWN, "red"), strict=True):
            assert (tmp_path / "shots" / line["file"]).read_bytes() == SHOTS[colour].content
        assert [(line["turn"], line["said"]) for line in lines[:4]] == [(1, "red"), (2, "red"), (3, "red"), (None, "")]
        assert {line["episode"] for line in lines} == {record.id, again.id}


def test_screenshots_are_replaced_only_where_that_is_asked_for(tmp_path):
    with RunStore.create(tmp_path / "run", {}) as store:
        store.write_episode(play(Sayer(), record_screenshots=True))
        shots = tmp_path / "shots"
        export_screenshots(store, shots)
        [stale] = shots.glob("*/*/end.png")
        stale.rename(stale.with_name("end.jpg"))
        (shots / LIST).write_text((shots / LIST).read_text().replace("end.png", "end.jpg"))
        (shots / "mine.txt").write_text("kept")
        with pytest.raises(WrongRunError, match="--overwrite"):
            export_screenshots(store, shots)
        export_screenshots(store, shots, overwrite=True)
        assert {path.name for path in shots.rglob("*") if path.is_file()} == {
            "turn-001.png", "turn-002.png", "turn-003.png", "end.png", LIST, "mine.txt",
        }  # fmt: skip


def test_an_export_that_fails_removes_nothing(tmp_path):
    shots = tmp_path / "shots"
    with RunStore.create(tmp_path / "run", {}) as store:
        store.write_episode(play(Sayer(), record_screenshots=True))
        store.write_episode(dataclasses.replace(play(Sayer()), id="e2/agent", policy="plain"))
        export_screenshots(store, shots)
        with pytest.raises(WrongRunError, match="--screenshots"):
            export_screenshots(store, shots, policies=["plain"], overwrite=True)
        assert len([*shots.glob("*/*/*.png"), shots / LIST]) == 5
        (shots / LIST).write_text("my own notes")
        with pytest.raises(WrongRunError, match="no list of screenshots"):
            export_screenshots(store, shots, overwrite=True)
    assert (shots / LIST).read_text() == "my own notes"


def test_a_run_without_screenshots_says_how_to_take_them(tmp_path):
    with RunStore.create(tmp_path / "run", {}) as store:
        store.write_episode(play(Sayer()))
        with pytest.raises(WrongRunError, match="--screenshots"):
            export_screenshots(store, tmp_path / "shots")
        with pytest.raises(UnknownNameError, match="sayer"):
            export_screenshots(store, tmp_path / "shots", policies=["slayer"])
    assert not (tmp_path / "shots").exists()


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
