import json

import numpy as np
import pytest

from agentgym.evaluation import EvaluationSettings, evaluate
from agentgym.outcome import Outcome
from agentgym.policies.by_name import load
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker
from agentgym.store import RunStore
from agentgym.suite import load_suite

SUITE = "tools/lookup"


def play(policy, prefix, tasks):
    suite = load_suite(SUITE)
    jobs = [Job(task, f"{prefix}-{index}", index) for index, task in enumerate(tasks)]
    records, _ = collect_episodes(jobs, game_maker(suite), {"*": load(policy, SUITE)}, RolloutSettings())
    return records


def log_curves(store, iterations):
    generator = np.random.default_rng(0)
    for iteration in range(iterations):
        share = 1 / (1 + np.exp(-(iteration - 14) / 4))
        success = float(np.clip(0.2 + 0.78 * share + generator.normal(0, 0.02), 0, 1))
        noise = abs(generator.normal(0, 0.02))
        values = {"success/mean": success, "success/low": success - 0.06, "success/high": min(1, success + 0.05)}
        values |= {"return/mean": success - 0.05, "loss/entropy": 1.2 - share, "loss/loss": -0.02 + noise}
        values |= {"episode/turns": 5.5 - 2 * share, "episode/tokens": 44 - 9 * share, "grad_norm/mean": 0.4 + noise}
        values |= {
            "loss/clip_high": noise / 4,
            "loss/clip_low": noise / 6,
            "groups/zero_variance_share": 0.1 + 0.5 * share,
        }
        values |= {"policy/invalid_share": 0.1 * (1 - share), "mismatch/k3": 1e-8, "reward/success": success}
        values["groups/zero_variance_share"] = 0.1 + 0.5 * share
        values["staleness/mean"] = 0.0
        values |= {"outcome/terminated": 0.7 + 0.25 * share, "outcome/invalid": 0.05 * (1 - share)}
        values["outcome/truncated"] = 1 - values["outcome/terminated"] - values["outcome/invalid"]
        values |= {"time/queue_share": 0.3, "time/model_share": 0.65, "time/env_share": 0.05, "time/verify_share": 0.0}
        store.log_metrics(iteration, values)
        if iteration % 8 == 0:
            keys = ("success/mean", "success/low", "success/high")
            store.log_metrics(iteration, {key: values[key] - 0.02 for key in keys}, "validation")


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "demo"
    tasks = load_suite(SUITE).train_tasks()[:24]
    results = {"untrained": {"success": {"mean": 0.0, "low": 0.0, "high": 0.02}}}
    meta = {"suite": SUITE, "equations": ["A = R - mean(R)", "L = -min(r A, clip(r) A)"]}
    with RunStore.create(folder, meta) as store:
        for iteration, policy in ((0, "demo"), (39, "oracle")):
            for index, record in enumerate(play(policy, f"{policy}{iteration}", tasks)):
                if index == 5 and not iteration:
                    record.outcome, record.success = Outcome("infrastructure", "StepTimeoutError"), None
                    record.error = "StepTimeoutError: the step ran past 60 s"
                store.write_episode(record, iteration)
        log_curves(store, 40)
        few = EvaluationSettings(limit=60, attempts=2)
        for stage, policy in (("cloned", "demo"), ("filtered_cloned", "demo"), ("trained", "oracle")):
            results[stage] = evaluate(load(policy, SUITE), SUITE, "test", few, store=store).to_json()
    (folder / "summary.json").write_text(json.dumps({"held_out": results, "seconds": 212.4}))
    facts = {"config": {"run": {"iterations": 40}}, "versions": {"torch": "2.13.0"}}
    (folder / "config.json").write_text(json.dumps(facts))
    return folder
