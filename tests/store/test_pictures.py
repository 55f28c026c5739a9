"""Pictures from an environment that draws, through rollout, store and export: hashes, positions, and pixels once."""

from __future__ import annotations

import base64
import json
import sqlite3

import numpy as np
import pytest

from agentgym.errors import UnknownNameError
from agentgym.game import SoloGame
from agentgym.message import user
from agentgym.picture import png_of, read_image, with_picture
from agentgym.policy import Reply
from agentgym.prompting.tiny import build_tokenizer
from agentgym.rollout import Job, RolloutSettings, collect_episodes
from agentgym.store import RunStore
from agentgym.store.export import export_jsonl
from agentgym.store.parquet import export_dataset
from agentgym.trajectory import LAST_MESSAGES
from tests.toys.canvas import COLOURS, Canvas, canvas_task, pixels

SHOWN = ("red", "blue", "red")
MESSAGES, PARTS = (1, 3, 5), (1, 1, 1)
MARK = "<|image_pad|>"


def url_of(colour):
    return f"data:image/png;base64,{base64.b64encode(png_of(pixels(colour))).decode()}"


KEYS = {colour: read_image(url_of(colour)).hash for colour in COLOURS}


@pytest.fixture(scope="module")
def tokenizer():
    """Of a model that sees: its template writes a token of its own for each picture."""
    tokenizer = build_tokenizer(["red blue"])
    tokenizer.add_special_tokens({"additional_special_tokens": [MARK]})
    tokenizer.chat_template = tokenizer.chat_template.replace("'[image]'", f"'{MARK}'")
    return tokenizer


class Seer:
    """Says the colour of the last picture that its request carries; by token ids where it has a tokenizer."""

    name, concurrency = "seer", 1

    def __init__(self, tokenizer=None):
        self.tokenizer, self.uses_tokens = tokenizer, tokenizer is not None
        self.asked = []

    def generate(self, requests):
        return [self._answer(request) for request in requests]

    def _answer(self, request):
        self.asked.append((list(request.messages), request.prompt_ids, list(request.pictures)))
        last = request.pictures[-1]
        assert request.messages[last.message]["content"][last.part]["image_url"]["url"] in map(url_of, COLOURS)
        (colour,) = (colour for colour, key in KEYS.items() if key == last.hash)
        if self.tokenizer is None:
            return Reply(colour)
        ids = np.array(self.tokenizer.encode(f"{colour}<|im_end|>"), np.int32)
        return Reply(colour, ids, np.zeros(len(ids), np.float32), version=0)

    def forget(self, episode):
        pass


def play(policy, **settings):
    jobs = [Job(canvas_task(*SHOWN), "e0", 0)]
    ((record,), _) = collect_episodes(jobs, lambda _: SoloGame(Canvas()), {"*": policy}, RolloutSettings(**settings))
    assert record.success
    return record


def places(pictures):
    return [(each.hash, each.message, each.part) for each in pictures]


EXPECTED = list(zip((KEYS[colour] for colour in SHOWN), MESSAGES, PARTS, strict=True))


def test_requests_carry_the_pictures_with_their_places(tokenizer):
    policy = Seer(tokenizer)
    play(policy)
    mark = tokenizer.convert_tokens_to_ids(MARK)
    for number, (_, prompt_ids, pictures) in enumerate(policy.asked, start=1):
        assert places(pictures) == EXPECTED[:number]
        assert [each.token for each in pictures] == [at for at, token in enumerate(prompt_ids) if token == mark]


def test_turns_and_segments_say_which_token_stands_for_which_picture(tokenizer):
    record = play(Seer(tokenizer))
    mark = tokenizer.convert_tokens_to_ids(MARK)
    assert [places(turn.pictures) for turn in record.turns] == [[each] for each in EXPECTED]
    assert all(turn.prompt_ids[turn.pictures[0].token] == mark for turn in record.turns)
    (segment,) = record.segments()
    assert places(segment.pictures) == EXPECTED
    assert [each.token for each in segment.pictures] == np.flatnonzero(segment.tokens == mark).tolist()
    transcript = list(record.transcript())
    for (key, message, part), colour in zip(EXPECTED, SHOWN, strict=True):
        assert transcript[message]["content"][part]["image_url"]["url"] == url_of(colour)
        assert key == KEYS[colour]


def test_a_segment_that_leaves_turns_out_has_the_pictures_of_the_others(tokenizer):
    record = play(Seer(tokenizer), history="last:1")
    mark = tokenizer.convert_tokens_to_ids(MARK)
    segments = record.segments()
    assert len(segments) > 1
    for segment in segments:
        assert [each.token for each in segment.pictures] == np.flatnonzero(segment.tokens == mark).tolist()
    assert places(segments[-1].pictures) == [EXPECTED[0], EXPECTED[2]]


def test_pictures_have_no_tokens_for_policies_of_text_and_templates_that_write_none():
    blind = build_tokenizer(["red blue"])
    for policy in (Seer(), Seer(blind)):
        record = play(policy)
        assert [places(turn.pictures) for turn in record.turns] == [[each] for each in EXPECTED]
        assert {each.token for turn in record.turns for each in turn.pictures} == {-1}
        assert places(policy.asked[-1][2]) == EXPECTED


def test_pictures_are_stored_once_and_reload_with_their_places(tokenizer, store, same):
    record = play(Seer(tokenizer))
    store.write_episode(record)
    (found,) = store.episodes()
    assert same(found, record)
    assert found.segments()[0].pictures == record.segments()[0].pictures
    assert store.counts()["images"] == 2
    for place, colour in zip(found.segments()[0].pictures, SHOWN, strict=True):
        assert store.image(place.hash).content == png_of(pixels(colour))
    with pytest.raises(UnknownNameError, match="unknown picture"):
        store.image("0")


@pytest.mark.parametrize("has_answer", [True, False])
def test_pictures_of_the_last_messages_are_stored_once_too(tokenizer, store, tmp_path, same, has_answer):
    record = play(Seer(tokenizer))
    shown = record.turns[1].messages[0] if has_answer else with_picture(user("The end."), np.zeros((2, 3, 3), np.uint8))
    record.metadata[LAST_MESSAGES] = [shown, "odd"]
    store.write_episode(record)
    (found,) = store.episodes()
    assert same(found, record)
    assert store.counts()["images"] == (2 if has_answer else 3)
    with sqlite3.connect(tmp_path / "run" / "run.db") as connection:
        [(stored,)] = connection.execute("SELECT record FROM episodes").fetchall()
    assert "data:image" not in stored
    assert "data:image" in record.metadata[LAST_MESSAGES][0]["content"][1]["image_url"]["url"]


def test_exported_lines_hold_pictures_and_their_places(store, tmp_path, tokenizer):
    store.write_episode(play(Seer(tokenizer)))
    export_jsonl(store, tmp_path / "out.jsonl", with_tokens=True)
    turns = json.loads((tmp_path / "out.jsonl").read_text())["turns"]
    assert [turn["pictures"][0]["hash"] for turn in turns] == [KEYS[colour] for colour in SHOWN]
    mark = tokenizer.convert_tokens_to_ids(MARK)
    assert all(turn["prompt_ids"][turn["pictures"][0]["token"]] == mark for turn in turns)
    assert turns[1]["messages"][0]["content"][1]["image_url"]["url"] == url_of("blue")


def test_exported_dataset_has_each_picture_once_beside_the_episodes(store, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    store.write_episode(play(Seer()))
    export_dataset(store, tmp_path / "data")
    (row,) = parquet.read_table(tmp_path / "data/data/train-00000-of-00001.parquet").to_pylist()
    assert [(each["hash"], each["message"], each["part"]) for each in row["pictures"]] == EXPECTED
    assert [row["messages"][each["message"]]["content"].count("[image]") for each in row["pictures"]] == [1, 1, 1]
    files = parquet.read_table(tmp_path / "data/pictures/pictures.parquet").to_pylist()
    assert {each["hash"]: each["content"] for each in files} == {KEYS[c]: png_of(pixels(c)) for c in COLOURS}
    assert len(files) == 2
    assert "config_name: pictures" in (tmp_path / "data/README.md").read_text()


def test_a_run_of_the_second_version_is_read_and_brought_up_to_date(tmp_path, store, make_trajectory, same):
    store.write_episode(make_trajectory("e1"))
    folder = store.folder
    with store._connection.transaction() as sqlite:
        sqlite.execute("ALTER TABLE turns DROP COLUMN pictures")
        sqlite.execute("ALTER TABLE turns DROP COLUMN screenshot")
        sqlite.execute("PRAGMA user_version = 2")
    store.close()
    for read_only in (True, False, True):
        with RunStore.open(folder, read_only=read_only) as again:
            (found,) = again.episodes()
            assert same(found, make_trajectory("e1"))
