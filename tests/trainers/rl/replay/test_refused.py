"""What cannot be replayed is refused before anything is collected or written."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.errors import AgentGymError, ConfigError, HeldOutError, StoreError
from agentgym.store import RunStore
from agentgym.suite import load_suite, register_suites
from agentgym_rl.replay.admission import TOKENIZER, tokenizer_digest
from agentgym_rl.run.job import train
from agentgym_rl.run.setup import assemble
from tests.trainers.rl.replay.episodes import episode
from tests.trainers.rl.toys import install, toy_config

SUITE = "toys/bandit"


@pytest.fixture(scope="module")
def suites(tmp_path_factory):
    root = tmp_path_factory.mktemp("suites")
    install(root, "bandit")
    register_suites(root)
    return root


@pytest.fixture(scope="module")
def digest(suites):
    """Of the tokenizer that the toy is trained with."""
    return tokenizer_digest(assemble(toy_config("bandit")).tokenizer)


def run_of(folder: Path, digest: str, suite: str = SUITE, **fields) -> str:
    with RunStore.create(folder, {"suite": suite, TOKENIZER: digest}) as store:
        store.write_episode(episode(suite=suite, **fields), iteration=1)
    return str(folder)


def other_suite(folder, digest):
    return run_of(folder, digest, suite="toys/strict")


def other_tokenizer(folder, digest):
    return run_of(folder, "0" * 64)


def derived(folder, digest):
    return run_of(folder, digest, is_derived=True)


def empty(folder, digest):
    with RunStore.create(folder, {"suite": SUITE, TOKENIZER: digest}):
        return str(folder)


def missing(folder, digest):
    return str(folder)


def corrupt(folder, digest):
    run_of(folder, digest)
    (folder / "run.db").write_bytes(b"no database" * 100)
    for log in folder.glob("run.db-*"):
        log.unlink()
    return str(folder)


def without_turns(folder, digest):
    run_of(folder, digest)
    with RunStore.open(folder) as store, store._connection.transaction() as sqlite:
        sqlite.execute("DELETE FROM turns WHERE position = 1")
    return str(folder)


def without_tokens(folder, digest):
    run_of(folder, digest)
    with RunStore.open(folder) as store, store._connection.transaction() as sqlite:
        sqlite.execute("UPDATE tokens SET arrays = x'00ff00'")
    return str(folder)


def without_reward(folder, digest):
    """As SQLite keeps a NaN."""
    run_of(folder, digest)
    with RunStore.open(folder) as store, store._connection.transaction() as sqlite:
        sqlite.execute("UPDATE episodes SET reward = NULL")
    return str(folder)


MESSAGES = {
    other_suite: "run of the suite 'toys/strict', expected 'toys/bandit'",
    other_tokenizer: "tokens of another tokenizer",
    derived: "no graded episode of training with behaviour log-probabilities",
    empty: "no graded episode of training",
    missing: "holds no run",
    corrupt: "no SQLite database|damaged",
    without_turns: "the file is damaged",
    without_tokens: "token array of episode number 1 is damaged",
    without_reward: "its return is None, expected a finite number",
}


@pytest.mark.parametrize("make", MESSAGES, ids=lambda make: make.__name__)
def test_runs_that_cannot_be_replayed_stop_training_at_its_start(make, suites, digest, tmp_path):
    replay = {"kind": "imitation", "runs": [make(tmp_path / "old", digest)]}
    with pytest.raises(StoreError, match=MESSAGES[make]):
        train(toy_config("bandit", algorithm={"replay": replay}), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", ["imitation", "successes", "return_weighted"])
def test_a_run_of_a_task_that_is_held_out_by_now_stops_training_at_its_start(kind, suites, digest, tmp_path):
    """The suite of the earlier run has the same name, and had the task in its train split."""
    moved = load_suite(SUITE).tasks("test")[0]
    old = run_of(tmp_path / "old", digest, task_id="toys/bandit:train-0", content_hash=moved.content_hash)
    config = toy_config("bandit", algorithm={"replay": {"kind": kind, "runs": [old]}})
    with pytest.raises(HeldOutError, match=r"held-out tasks \['toys/bandit:train-0'\]"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_hindsight_without_goals_stops_training_at_its_start(suites, tmp_path):
    config = toy_config("bandit", algorithm={"preset": "her"})
    with pytest.raises(ConfigError, match=r"toys/Bandit-v0 has no relabel\(\); write it, or leave hindsight out"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_every_run_says_which_tokenizer_its_tokens_are_of(suites, digest, tmp_path):
    train(toy_config("bandit", run={"iterations": 0}), tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert store.meta[TOKENIZER] == digest


def test_an_earlier_run_is_left_as_it_was(suites, tmp_path):
    train(toy_config("bandit", run={"iterations": 1}, group={"tasks": 2, "size": 4}), tmp_path / "old")
    before = (tmp_path / "old" / "run.db").read_bytes()
    replay = {"kind": "imitation", "episodes": 4, "runs": [str(tmp_path / "old")]}
    config = toy_config("bandit", run={"iterations": 2}, group={"tasks": 2, "size": 4}, algorithm={"replay": replay})
    train(config, tmp_path / "run")
    assert (tmp_path / "old" / "run.db").read_bytes() == before
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert store.metrics()["replay/other_runs_share"][1][0] == 1.0


def test_a_run_whose_earlier_run_is_gone_does_not_resume(suites, tmp_path):
    train(toy_config("bandit", run={"iterations": 1}, group={"tasks": 2, "size": 4}), tmp_path / "old")
    replay = {"kind": "imitation", "episodes": 4, "runs": [str(tmp_path / "old")]}
    config = toy_config("bandit", run={"iterations": 1}, group={"tasks": 2, "size": 4}, algorithm={"replay": replay})
    train(config, tmp_path / "run")
    (tmp_path / "old").rename(tmp_path / "elsewhere")
    with pytest.raises(AgentGymError, match="holds no run"):
        train(config, tmp_path / "run", resume=True)
