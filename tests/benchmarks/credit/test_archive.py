"""Results that go with the sources."""

from __future__ import annotations

import json
import shutil

import pytest

from benchmarks.credit.__main__ import SEEDS
from benchmarks.credit.archive import ARCHIVE, archive, archived
from benchmarks.credit.chain import Plan
from benchmarks.credit.runs import Places, kept
from benchmarks.credit.tables import Piece, methods, tasks
from tests.benchmarks.credit.records import keep, record

LOOP = Piece("key-door", "loop", 0, {"optimiser.learning_rate": 5e-4, "algorithm.minibatches": 2})
TRIAL = Piece("key-door", "loop", 1000, {"optimiser.learning_rate": 5e-4, "algorithm.minibatches": 8}, is_trial=True)


@pytest.fixture
def places(tmp_path) -> Places:
    return Places(tmp_path / "runs", tmp_path / "archive")


def test_a_result_of_one_machine_is_found_on_another(places, tmp_path):
    keep(LOOP, places, (0, 0.1), (12_000, 0.9))
    keep(TRIAL, places, (0, 0.1), (12_000, 0.4))

    counts = archive(places.root, places.archive)
    elsewhere = Places(tmp_path / "nothing", places.archive)

    assert counts == {"key-door": 2}
    for piece in (LOOP, TRIAL):
        assert kept(piece, elsewhere) == kept(piece, places)


def test_a_run_of_other_settings_is_not_found(places):
    keep(LOOP, places, (0, 0.1), (12_000, 0.9))
    archive(places.root, places.archive)

    assert archived(Piece("key-door", "loop", 1, LOOP.chosen), places.archive) is None
    assert archived(Piece("maze", "loop", 0, LOOP.chosen), places.archive) is None


def test_the_archive_keeps_what_it_held_and_takes_out_what_nothing_can_ask_for(places, tmp_path):
    keep(LOOP, places, (0, 0.1), (12_000, 0.9))
    archive(places.root, places.archive)
    lines = (places.archive / "key-door.jsonl").read_text()
    stale = record(LOOP, (0, 0.1), (12_000, 0.9)) | {"digest": "000000000000"}
    unknown = record(LOOP, (0, 0.1)) | {"task": "no-such-task"}
    (tmp_path / "second").mkdir()
    for number, each in enumerate((stale, unknown, {"digest": "of another kind"}, 0.97)):
        (tmp_path / "second" / f"{number}.json").write_text(json.dumps(each))
    keep(TRIAL, Places(tmp_path / "second", places.archive), (0, 0.1), (12_000, 0.4))

    assert archive(tmp_path / "second", places.archive) == {"key-door": 2}
    assert set(lines.splitlines()) < set((places.archive / "key-door.jsonl").read_text().splitlines())


def test_chain_would_run_nothing_that_is_archived(tmp_path):
    plan = Plan(list(tasks()), list(methods()), range(SEEDS), places=Places(tmp_path))
    assert [piece.name for piece in plan.missing()] == []


def test_every_result_of_the_archive_is_of_a_piece_as_it_is_configured_now(tmp_path):
    shutil.copytree(ARCHIVE, tmp_path / "archive")
    archive(tmp_path / "nothing", tmp_path / "archive")
    for path in sorted(ARCHIVE.iterdir()):
        assert (tmp_path / "archive" / path.name).read_text() == path.read_text(), path.name
