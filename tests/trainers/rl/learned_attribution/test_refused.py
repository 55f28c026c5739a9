"""Experts, towers and judges that a run cannot use are refused before its folder is made; warm starts likewise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentgym.attribution.learned.expert import Expert
from agentgym.errors import AgentGymError
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym.store import RunStore
from agentgym.suite import load_suite, register_suites
from agentgym_rl.learned_attribution.experts import Credited, expert_episodes
from agentgym_rl.replay.admission import TOKENIZER, tokenizer_digest
from agentgym_rl.run.job import train
from agentgym_rl.run.setup import assemble
from tests.trainers.rl.replay.episodes import episode
from tests.trainers.rl.toys import install, toy_config

SUITE = "toys/bandit"


@pytest.fixture(scope="module", autouse=True)
def suites(tmp_path_factory):
    root = tmp_path_factory.mktemp("suites")
    install(root, "bandit")
    register_suites(root)


@pytest.fixture(scope="module")
def digest(suites):
    return tokenizer_digest(assemble(toy_config("bandit")).tokenizer)


def run_of(folder: Path, *purposes: str, digest: str = "", **fields: Any) -> str:
    with RunStore.create(folder, {"suite": fields.get("suite", SUITE), TOKENIZER: digest}) as store:
        for purpose in purposes:
            store.write_episode(episode(**{"suite": SUITE} | fields), iteration=1, purpose=purpose)
    return str(folder)


def refuse(folder: Path, message: str, **tables: Any) -> None:
    with pytest.raises(AgentGymError, match=message):
        train(toy_config("bandit", **tables), folder / "run")
    assert not (folder / "run").exists()


def of_method(method: str, *options: str) -> dict[str, Any]:
    return {"algorithm": {"preset": "ppo", "credit": {"attribution": {"method": method, "options": list(options)}}}}


EXPERTS = {
    "another suite": ({"suite": "toys/strict"}, ("demo",), r"suites besides 'toys/bandit': \['toys/strict'\]"),
    "held-out demonstrations": ({"split": "test"}, ("demo",), r"held-out episodes: \['e"),
    "held out under its hash": ({"content_hash": "known"}, ("demo",), r"held-out episodes: \['e"),
    "evaluated episodes": ({"split": "test"}, ("test",), r"held-out episodes: \['e"),
    "nothing solved": ({"reward": 0.0}, ("train",), "0 episodes"),
    "nothing at all": ({}, (), "0 episodes"),
}


# A warm start may hold failed episodes: they are cloned as they are, or filtered later.
REFUSED = [(setting, name) for setting in ("expert.run", "warm_start.run") for name in EXPERTS]
REFUSED.remove(("warm_start.run", "nothing solved"))


@pytest.mark.parametrize(("setting", "name"), REFUSED)
def test_episodes_that_may_not_be_learnt_from_are_refused(tmp_path, setting, name):
    fields, purposes, message = EXPERTS[name]
    if fields.get("content_hash"):
        fields = {"content_hash": load_suite(SUITE).tasks("test")[0].content_hash}
    old = run_of(tmp_path / "old", *purposes, **fields)
    tables = {"warm_start": {"run": old}} if setting == "warm_start.run" else of_method("expert", f"expert.run={old}")
    refuse(tmp_path, f"{setting} .* cannot be learnt from: .*{message}", **tables)


def test_an_expert_that_is_not_there_is_refused(tmp_path):
    refuse(tmp_path, "holds no run", **of_method("expert", f"expert.run={tmp_path / 'gone'}"))
    refuse(tmp_path, "no demonstrations to compare with", **of_method("expert"))


def test_of_a_run_without_demonstrations_solved_episodes_of_training_are_the_experts(tmp_path):
    old = run_of(tmp_path / "old", "train", "validation", "test")
    with RunStore.open(Path(old)) as store:
        store.write_episode(episode(suite=SUITE, reward=0.0), iteration=1)
        [solved] = [each for each in store.episodes(purpose="train") if each.success]
    found = expert_episodes(Expert(run=old), None, Credited(SUITE))
    assert [each.id for each in found] == [solved.id]


def test_a_tower_over_tokens_needs_those_of_the_runs_tokenizer(tmp_path, digest):
    option = 'expert.fit.tower="policy"'
    other = run_of(tmp_path / "other", "demo", digest="0" * 64)
    refuse(tmp_path, "tokens of another tokenizer", **of_method("expert", f"expert.run={other}", option))
    same = Expert(run=run_of(tmp_path / "same", "demo", digest=digest))
    assert expert_episodes(same, None, Credited(SUITE, digest))


def test_towers_that_cannot_be_used_are_refused(tmp_path):
    refuse(tmp_path, "gone", **of_method("spa", f"spa.fit.tower={tmp_path / 'gone'}"))
    tokenizer = build_tokenizer(["entirely other words"])
    build_tiny_model(tokenizer, "0.25M", 0).save_pretrained(tmp_path / "tower")
    tokenizer.save_pretrained(tmp_path / "tower")
    refuse(
        tmp_path,
        "tokenizer of the tower .* is not the run's",
        **of_method("spa", f"spa.fit.tower={tmp_path / 'tower'}"),
    )


def test_a_judge_that_does_not_answer_is_refused(tmp_path):
    refuse(tmp_path, "the judge .* failed", **of_method("judged", 'judged.judge="endpoint:http://127.0.0.1:9/v1#none"'))
