from __future__ import annotations

import pytest

from agentgym.errors import StoreError
from agentgym.store import RunStore
from agentgym.store.codec import pack_tokens
from agentgym_rl.replay.admission import open_runs, record_tokenizer, require_whole
from agentgym_rl.replay.tables import ReplayConfig
from tests.trainers.rl.replay.episodes import SUITE, Vocabulary, episode

WORDS = Vocabulary("a", "b")


@pytest.fixture
def make_run(tmp_path):
    def make(name="old", suite=SUITE, tokenizer=WORDS, episodes=(("train", False),)):
        with RunStore.create(tmp_path / name, {"suite": suite}) as store:
            if tokenizer is not None:
                record_tokenizer(store, tokenizer)
            for purpose, is_derived in episodes:
                store.write_episode(episode(3, version=900, is_derived=is_derived), iteration=9, purpose=purpose)
        return tmp_path / name

    return make


def opened(*folders, **bounds):
    return open_runs(folders, ReplayConfig(**bounds), suite=SUITE, tokenizer=WORDS)


def test_runs_of_the_same_kind_are_read_whatever_their_age(make_run):
    indices = opened(make_run("one"), make_run("two"), max_age=0, max_lag=0)
    assert [index.num_turns for index in indices] == [3, 3]
    with pytest.raises(StoreError, match="read-only"):
        indices[0].store.set_meta({"x": 1})
    for index in indices:
        index.store.close()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"suite": "toy/other"}, "run of the suite 'toy/other', expected 'toy/replay'"),
        ({"tokenizer": Vocabulary("b", "a")}, "tokens of another tokenizer"),
        ({"tokenizer": None}, "does not say which tokenizer.*record_tokenizer"),
        ({"episodes": ()}, "no graded episode of training"),
        ({"episodes": (("validation", False), ("demo", False))}, "no graded episode of training"),
        ({"episodes": (("train", True),)}, "with behaviour log-probabilities to replay"),
    ],
)
def test_other_runs_are_refused_at_once(make_run, fields, message):
    with pytest.raises(StoreError, match=message):
        opened(make_run("good"), make_run("bad", **fields), admitted="sampled")


def test_what_is_no_run_or_damaged_is_refused(tmp_path, make_run):
    with pytest.raises(StoreError, match="holds no run"):
        opened(tmp_path)
    folder = make_run()
    (folder / "run.db").write_bytes(b"no database" * 100)
    for log in folder.glob("run.db-*"):
        log.unlink()
    with pytest.raises(StoreError, match=r"no SQLite database|damaged"):
        opened(folder)


def test_the_tokenizer_of_a_run_is_written_down_once(make_run):
    with RunStore.open(make_run()) as store:
        assert record_tokenizer(store, WORDS) == store.meta["tokenizer"]
        with pytest.raises(StoreError, match="another tokenizer"):
            record_tokenizer(store, Vocabulary("a", "c"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("UPDATE tokens SET arrays = x'00ff00'", "token array of episode number 1 is damaged"),
        ("UPDATE tokens SET arrays = (SELECT arrays FROM other)", "tokens of 2 turns, expected 3"),
    ],
)
def test_damaged_tokens_are_found_before_they_are_drawn(make_run, damage, message):
    with RunStore.open(make_run()) as store, store._connection.transaction() as sqlite:
        sqlite.execute("CREATE TEMP TABLE other (arrays)")
        sqlite.execute("INSERT INTO other VALUES (?)", (pack_tokens(episode(2).turns),))
        sqlite.execute(damage)
    [index] = opened(store.folder)
    with pytest.raises(StoreError, match=message) as refused:
        require_whole(index)
    index.store.close()
    assert str(store.folder) in str(refused.value)
