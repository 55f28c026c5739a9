import dataclasses
import math
from pathlib import Path

import pytest

from agentgym.errors import ConfigError, HeldOutError, InfrastructureError, TemplateError, UnknownNameError
from agentgym.evaluation import (
    EvaluationResult,
    EvaluationSettings,
    compare,
    evaluate,
    load_result,
    open_evaluation_store,
    result_text,
)
from agentgym.policies.by_name import load
from agentgym.policies.torch.policy import TorchPolicy
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym.registration import register
from agentgym.rollout import RolloutSettings
from agentgym.store import RunStore
from agentgym.suite import load_suite
from agentgym.view.run_data import read_run
from agentgym_dialogue.guessing.guess_number.env import GuessNumberEnv
from tests.toys.game import SPEC, Sayer, write_suite

SUITE, GUESS = "dialogue/guess-number", "agentgym/GuessNumber-v0"
FEW = EvaluationSettings(limit=12, attempts=2)


class Counting:
    """The oracle, counting what it is asked; breaks at tasks named in `broken`."""

    uses_tokens, concurrency = False, 1

    def __init__(self, name="counting", broken=(), seen=()):
        self._oracle = load("oracle", SUITE)
        self.name, self.broken, self.seen_hashes = name, set(broken), frozenset(seen)
        self.episodes = set()

    def generate(self, requests):
        self.episodes |= {request.episode for request in requests}
        if any(request.task.id in self.broken for request in requests):
            raise InfrastructureError("the engine is down")
        return self._oracle.generate(requests)

    def forget(self, episode):
        self._oracle.forget(episode)


class BreakingAlone(Counting):
    """Breaks single episodes: asked one request a call."""

    concurrency = 4


@pytest.fixture
def broken_task():
    return load_suite(SUITE).tasks("test")[0].id


def test_oracle_solves_the_split_and_null_does_not():
    assert evaluate(load("oracle", SUITE), SUITE, "test", FEW).success.mean == 1.0
    found = evaluate(load("null", SUITE), SUITE, "test", FEW)
    assert found.success.mean == 0.0
    assert found.success.high > 0
    assert sum(found.outcomes.values()) == 24
    assert found.pass_at() == {"1": 0.0, "2": 0.0}


def test_the_role_of_the_environment_may_have_any_name(tmp_path, monkeypatch):
    monkeypatch.setattr(GuessNumberEnv, "role", "guesser")
    with open_evaluation_store(tmp_path) as store:
        found = [evaluate(load("oracle", SUITE), SUITE, "test", FEW, store=store) for _ in range(2)]
    assert [(each.success.mean, each.success.num_tasks, each.num_missing) for each in found] == [(1.0, 12, 0)] * 2
    assert found[0].outcomes == found[1].outcomes == {"terminated": 24}


def test_tasks_are_chosen_by_their_ids():
    ids = tuple(f"{SUITE}:test-{number:05d}" for number in (5, 3))
    found = evaluate(load("oracle", SUITE), SUITE, "test", EvaluationSettings(tasks=ids))
    assert tuple(task.id for task in found.tasks) == ids
    with pytest.raises(UnknownNameError, match="the test split of 'dialogue/guess-number' has no task 'no-such'"):
        evaluate(load("oracle", SUITE), SUITE, "test", EvaluationSettings(tasks=("no-such",)))


def test_limit_spreads_over_the_split():
    found = evaluate(load("oracle", SUITE), SUITE, "test", EvaluationSettings(limit=8))
    ids = [task.id for task in load_suite(SUITE).tasks("test")]
    places = [ids.index(task.id) for task in found.tasks]
    assert len(places) == 8
    assert places[-1] > len(ids) * 0.8


def test_evaluation_is_resumed_by_task_and_attempt(tmp_path):
    with open_evaluation_store(tmp_path) as store:
        first = Counting()
        evaluate(first, SUITE, "test", dataclasses.replace(FEW, attempts=1), store=store)
        assert len(first.episodes) == 12
        second = Counting()
        found = evaluate(second, SUITE, "test", FEW, store=store)
        assert len(second.episodes) == 12
        assert not second.episodes & first.episodes
        assert all(task.attempts == 2 for task in found.tasks)
        third = Counting()
        again = evaluate(third, SUITE, "test", FEW, store=store)
    assert third.episodes == set()
    assert again.tasks == found.tasks
    assert [each.num_resumed for each in (found, again)] == [12, 24]
    assert "RESUMED: the run folder has 24 of the episodes" in result_text(again)
    assert EvaluationResult.from_json(again.to_json()).num_resumed == 24


def test_an_environment_is_evaluated_by_its_id():
    found = evaluate(load("oracle", GUESS), GUESS, "test", EvaluationSettings(limit=3))
    assert (found.suite, found.success.mean, len(found.tasks)) == (GUESS, 1.0, 3)
    with pytest.raises(ConfigError, match="without end"):
        evaluate(load("oracle", GUESS), GUESS)


def test_a_folder_of_other_files_is_refused_and_one_with_a_run_is_accepted(tmp_path):
    open_evaluation_store(tmp_path).close()
    (tmp_path / "notes.txt").write_text("mine")
    open_evaluation_store(tmp_path).close()
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="other holds other files and no run; choose an empty or new folder"):
        open_evaluation_store(other)
    assert [path.name for path in other.iterdir()] == ["notes.txt"]
    with pytest.raises(ConfigError, match="is a file"):
        open_evaluation_store(other / "notes.txt")


def test_other_seed_policy_or_sampling_is_played_anew(tmp_path):
    with open_evaluation_store(tmp_path) as store:
        evaluate(Counting(), SUITE, "test", FEW, store=store)
        for policy, settings in (
            (Counting(), dataclasses.replace(FEW, seed=1)),
            (Counting("other"), FEW),
            (Counting(), dataclasses.replace(FEW, rollout=RolloutSettings(history="last:2"))),
            (Counting(), dataclasses.replace(FEW, iteration=3)),
        ):
            evaluate(policy, SUITE, "test", settings, store=store)
            assert len(policy.episodes) == 24


def test_demonstrators_of_other_quality_are_not_mixed_up(tmp_path):
    with open_evaluation_store(tmp_path) as store:
        poor = evaluate(load("demo", SUITE, quality=0.0), SUITE, "test", FEW, store=store)
        good = evaluate(load("demo", SUITE, quality=1.0), SUITE, "test", FEW, store=store)
    assert poor.success.mean < good.success.mean == 1.0


def test_new_weights_under_an_old_name_are_played_anew(tmp_path):
    with open_evaluation_store(tmp_path) as store:
        for weights in ("a", "b"):
            policy = Counting()
            policy.fingerprint = weights
            evaluate(policy, SUITE, "test", FEW, store=store)
            assert len(policy.episodes) == 24


def test_faults_are_left_out_counted_and_played_again(tmp_path, broken_task):
    settings = EvaluationSettings(limit=12, rollout=RolloutSettings(retries=0))
    with open_evaluation_store(tmp_path) as store:
        found = evaluate(BreakingAlone(broken=[broken_task]), SUITE, "test", settings, store=store)
        assert (found.num_faults, found.success.mean, found.success.num_tasks) == (1, 1.0, 11)
        mended = BreakingAlone()
        found = evaluate(mended, SUITE, "test", settings, store=store)
        assert len(mended.episodes) == 1
        assert (found.num_faults, found.success.num_tasks) == (0, 12)
        assert store.counts()["episodes"] == 12


def test_too_many_faults_are_an_error_that_names_the_cause(broken_task):
    settings = EvaluationSettings(limit=5, rollout=RolloutSettings(retries=0))
    with pytest.raises(InfrastructureError, match=r"1 of 5 episodes .* the engine is down"):
        evaluate(BreakingAlone(broken=[broken_task]), SUITE, "test", settings)


def test_tasks_seen_in_training_are_refused_or_flagged():
    task = load_suite(SUITE).tasks("test")[0]
    policy = Counting(seen=[task.content_hash])
    with pytest.raises(HeldOutError, match="allow_train"):
        evaluate(policy, SUITE, "test", FEW)
    found = evaluate(policy, SUITE, "test", dataclasses.replace(FEW, allow_train=True))
    assert found.to_json()["trained_on"] is True
    assert found.num_trained_on == 1


def test_results_are_kept_in_the_run_and_compared_from_there(tmp_path):
    open_evaluation_store(tmp_path).close()
    with pytest.raises(ConfigError, match=f"the run in {tmp_path} holds no evaluation; make one with: agentgym eval"):
        load_result(tmp_path)
    with open_evaluation_store(tmp_path) as store:
        evaluate(load("null", SUITE), SUITE, "test", FEW, store=store)
        evaluate(load("oracle", SUITE), SUITE, "test", FEW, store=store)
    assert load_result(f"{tmp_path}#test:oracle").success.mean == 1.0
    found = compare(f"{tmp_path}#test:null", f"{tmp_path}#oracle")
    assert found.success.mean == 1.0
    assert found.is_significant
    with pytest.raises(ConfigError, match=f"{tmp_path} holds several evaluations; name one of: .*#test:null, "):
        load_result(tmp_path)
    with pytest.raises(ConfigError, match=f"{tmp_path} holds no evaluation 'test:demo'; name one of: "):
        load_result(f"{tmp_path}#test:demo")


def test_evaluations_never_count_as_training_episodes(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        evaluate(Counting(), SUITE, "train", FEW, store=store)
        assert {(row.purpose, row.split) for row in store.episode_rows()} == {("validation", "train")}


def test_bad_arguments_are_refused():
    with pytest.raises(ConfigError, match="at least 1"):
        EvaluationSettings(attempts=0)
    with pytest.raises(UnknownNameError, match="guess-number"):
        evaluate(Counting(), "dialogue/guess-numbers")
    with pytest.raises(UnknownNameError, match="test"):
        evaluate(Counting(), SUITE, "tests")


@pytest.fixture(scope="module")
def nim(tmp_path_factory):
    register(SPEC)
    return write_suite(tmp_path_factory.mktemp("suites"))


def test_evaluation_of_a_role_says_who_played_the_others(nim):
    result = evaluate(load("oracle", "test/Nim-v0"), nim, settings=EvaluationSettings(role="second"))
    assert (result.role, result.partners, result.success.mean) == ("second", {"first": "scripted"}, 1.0)
    again = type(result).from_json(result.to_json())
    assert (again.role, again.partners, again.game_rates()) == (result.role, result.partners, result.game_rates())
    assert "as second, with first by scripted" in result_text(result)


def test_evaluation_with_oneself_reports_each_role(nim):
    settings = EvaluationSettings(role="second", partners={"first": "self"})
    result = evaluate(load("oracle", "test/Nim-v0"), nim, settings=settings)
    assert result.partners == {}
    [(role, tasks)] = result.other_roles.items()
    assert role == "first"
    assert [task.successes + other.successes for task, other in zip(result.tasks, tasks, strict=True)] == [1] * 6
    shown = result.to_json()["other_roles"]["first"]
    assert shown["success"]["mean"] == 1 - result.success.mean
    assert len(type(result).from_json(result.to_json()).other_roles["first"]) == 6
    assert "as first: success" in result_text(result)


def test_evaluation_keeps_what_was_played_with_each_partner_apart(nim, tmp_path, monkeypatch):
    monkeypatch.setattr("agentgym.policies.partner.load", lambda name: Sayer("1", name))
    policy = Sayer("1")
    with open_evaluation_store(tmp_path) as store:
        for partners in ({}, {"second": "scripted:oracle"}, {"second": "self"}, {"second": "torch:here"}) * 2:
            evaluate(policy, nim, settings=EvaluationSettings(partners=partners), store=store)
        num_asked = len(policy.asked)
        keys = {key for key in store.meta if key.startswith("evaluation:")}
        evaluate(policy, nim, settings=EvaluationSettings(partners={"second": "self"}), store=store)
        assert len(policy.asked) == num_asked
        rows = store.episode_rows()
    start = "evaluation:test/nim:test:sayer:first"
    assert keys == {start, *(f"{start}:second={name}" for name in ("scripted:oracle", "self", "torch:here"))}
    assert len(rows) == 6 * 5


def test_new_weights_of_a_partner_under_an_old_name_are_played_anew(nim, tmp_path, monkeypatch):
    partner = Sayer("1", "torch:here")
    monkeypatch.setattr("agentgym.policies.partner.load", lambda name: partner)
    settings = EvaluationSettings(partners={"second": "torch:here"})
    num_asked = []
    with open_evaluation_store(tmp_path) as store:
        for partner.fingerprint in ("a", "b", "b"):
            policy = Sayer("1")
            evaluate(policy, nim, settings=settings, store=store)
            num_asked.append(len(policy.asked))
        assert len(store.episode_rows()) == 6 * 2
    assert num_asked[0] == num_asked[1] > num_asked[2] == 0


def test_evaluation_says_how_many_episodes_failed_for_a_partner(nim, monkeypatch):
    monkeypatch.setattr("agentgym.policies.partner.load", lambda name: Sayer("nonsense", name))
    settings = EvaluationSettings(partners={"second": "torch:here"})
    with pytest.raises(InfrastructureError, match=r"failed for infrastructure or a partner \(\d for a partner\)"):
        evaluate(Sayer("1"), nim, settings=settings)


def test_evaluation_counts_by_the_three_rates_of_games(nim):
    class Cheat(Sayer):
        def generate(self, requests):
            self.said = "cheat" if requests[0].task.seed % 3 == 0 else "1"
            return super().generate(requests)

    rollout = RolloutSettings(max_concurrent=1)
    result = evaluate(Cheat(), nim, settings=EvaluationSettings(rollout=rollout))
    rates = result.game_rates()
    assert rates["played"] == pytest.approx(4 / 6)
    assert rates["quality"] == pytest.approx(result.score.mean * 6 / 4)
    assert rates["product"] == pytest.approx(result.score.mean)
    assert result.to_json()["game"] == rates
    assert "played by the rules: 0.667 of the episodes; mean score of these" in result_text(result)
    lost = dict(result.to_json())
    lost["tasks"] = [{key: task[key] for key in task if key not in ("played", "quality")} for task in lost["tasks"]]
    assert type(result).from_json(lost).game_rates() == {}


def test_evaluation_names_an_unseen_game(nim, tmp_path):
    unseen = write_suite(tmp_path, "unseen", "is_unseen_env = true", ("test",))
    result = evaluate(Sayer("?"), unseen)
    assert result.to_json()["is_unseen_env"]
    assert "UNSEEN ENVIRONMENT" in result_text(result)
    assert "played by the rules: 0.000 of the episodes; mean score of these -; product 0.000" in result_text(result)
    assert result.game_rates() == {"played": 0.0, "quality": pytest.approx(math.nan, nan_ok=True), "product": 0.0}


def test_each_role_of_a_policy_has_a_name_in_a_run_and_a_row_in_its_report(nim, tmp_path):
    roles = ({"role": "first"}, {"role": "second"}, {"role": "first", "partners": {"second": "scripted:oracle"}})
    with open_evaluation_store(tmp_path) as store:
        results = [evaluate(Sayer("1"), nim, settings=EvaluationSettings(**each), store=store) for each in roles]
    with pytest.raises(ConfigError, match="several evaluations; name one of: ") as refused:
        load_result(f"{tmp_path}#test:sayer")
    names = str(refused.value).partition("name one of: ")[2].split(", ")
    loaded = [load_result(name) for name in names]
    by_cast = {(each.role, *each.partners.values()): each.tasks for each in loaded}
    assert len(by_cast) == len(names) == 3
    assert by_cast == {(each.role, *each.partners.values()): each.tasks for each in results}
    assert set(read_run(tmp_path).held_out) == {"sayer:first", "sayer:second", "sayer:first:second=scripted:oracle"}


def test_a_policy_of_one_role_is_named_by_itself(nim, tmp_path):
    with open_evaluation_store(tmp_path) as store:
        result = evaluate(Sayer("1"), nim, store=store)
    assert load_result(f"{tmp_path}#test:sayer").tasks == load_result(f"{tmp_path}#sayer").tasks == result.tasks
    assert set(read_run(tmp_path).held_out) == {"sayer"}


def test_evaluation_asks_an_endpoint_that_is_a_partner_once_for_a_run_folder(nim, tmp_path, monkeypatch):
    endpoint = Sayer("1", "endpoint:http://here#m")
    monkeypatch.setattr("agentgym.policies.partner.load", lambda name: endpoint)
    settings = EvaluationSettings(partners={"second": "endpoint:http://here#m"})
    results, counts = [], []
    for name in ("one", "other"):
        with open_evaluation_store(tmp_path / name) as store:
            results.append(evaluate(Sayer("1"), nim, settings=settings, store=store))
        counts.append(len(endpoint.asked))
        open_evaluation_store(tmp_path / "other").close()
        (tmp_path / name / "partner_replies.jsonl").rename(tmp_path / "other" / "partner_replies.jsonl")
    assert results[0].tasks == results[1].tasks
    assert counts == [15, 15]


def test_words_that_the_tokenizer_of_a_policy_does_not_know_are_counted() -> None:
    tokenizer = build_tokenizer(["beacon"])
    policy = TorchPolicy(build_tiny_model(tokenizer, "0.25M", 0), tokenizer)
    found = evaluate(policy, "dialogue/guess-number", settings=EvaluationSettings(limit=2)).unknown_words
    assert found is not None
    assert found.share == 1.0
    assert found.num_words > 0
    assert evaluate(Sayer("1"), "dialogue/guess-number", settings=EvaluationSettings(limit=2)).unknown_words is None


def test_words_of_explanations_of_invalid_messages_are_no_unknown_words() -> None:
    suite = load_suite("dialogue/guess-number")
    tokenizer = build_tokenizer([task.instruction for task in suite.tasks("test")[:1]])
    policy = TorchPolicy(build_tiny_model(tokenizer, "0.25M", 0), tokenizer)
    result = evaluate(policy, suite, settings=EvaluationSettings(limit=1))
    assert result.outcomes == {"invalid": 1}
    assert result.unknown_words is not None
    assert result.unknown_words.num_words > 0
    assert result.unknown_words.share == 0.0


def test_a_chat_template_without_tools_is_refused_before_the_first_episode(tmp_path: Path) -> None:
    tokenizer = build_tokenizer(["how many are there"])
    model = build_tiny_model(tokenizer, "0.25M", 0)
    tokenizer.chat_template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
    policy = TorchPolicy(model, tokenizer, stop_ids=[tokenizer.eos_token_id])
    with open_evaluation_store(tmp_path / "run") as store:
        with pytest.raises(TemplateError, match="the template leaves tool calls out of prompts; use a model trained"):
            evaluate(policy, "tools/lookup", settings=EvaluationSettings(limit=2), store=store)
        assert not list(store.episode_rows())


def test_a_run_keeps_one_suite(tmp_path):
    settings = EvaluationSettings(limit=2)
    with open_evaluation_store(tmp_path) as store:
        evaluate(load("oracle", SUITE), SUITE, "test", settings, store=store)
        evaluate(load("null", SUITE), SUITE, "validation", settings, store=store)
        with pytest.raises(
            ConfigError, match=r"has an evaluation of dialogue/guess-number: got tools/lookup; give each"
        ):
            evaluate(load("oracle", "tools/lookup"), "tools/lookup", "test", settings, store=store)
        assert {row.suite for row in store.episode_rows()} == {SUITE}
