"""`agentgym play`: an episode in the terminal."""

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from agentgym.cli.main import main
from agentgym.cli.play import play
from agentgym.policies.human import HumanPolicy
from agentgym.policies.torch.policy import MESSAGE_LIMIT, SEEN_FILE, TorchPolicy
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.policy import Reply, Request
from agentgym.prompting.tiny import build_tokenizer
from agentgym.registration import make
from agentgym.rollout import Job, RolloutSettings, collect_episodes, game_maker
from agentgym.store import RunStore
from agentgym.suite import find_task, load_suite
from agentgym_rl.core.demonstrations import recorded_demonstrations
from tests.toys import tools
from tests.toys.tools import Caller, as_mistral, in_blocks, solution

GUESS = "agentgym/GuessNumber-v0"
TASK = "dialogue/guess-number:train-00000"


def test_play_by_a_script_shows_the_episode_and_prints_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", GUESS, "--task", TASK, "--policy", "oracle", "--json"]) == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert (result["task"], result["turns"], result["reward"], result["success"]) == (TASK, 1, 1.0, True)
    assert result["outcome"] == "terminated"
    assert find_task(TASK).instruction in captured.err
    assert "success" in captured.err


def test_play_by_a_person_reads_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"hello\n{find_task(TASK).private['secret']}\n"))
    assert main(["play", GUESS, "--task", TASK, "--json"]) == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert (result["turns"], result["success"]) == (2, True)
    assert "Guess one number between" in captured.err


def test_play_ends_as_cancelled_when_the_input_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["play", GUESS, "--seed", "3", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["outcome"] == "cancelled"


@pytest.mark.parametrize("said", ["", "?\n"])
def test_play_prints_each_message_once(
    said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    assert main(["play", GUESS, "--task", TASK]) == 1
    printed = capsys.readouterr().err
    assert printed.count("Guess the number between") == 1
    assert printed.count("Guess one number between") == (1 if said else 0)
    assert ("(turn 1, environment)" in printed) == bool(said)


@pytest.mark.parametrize(
    ("said", "code", "ending"),
    [
        ("", 1, "cancelled after 0 turns: no reward and no score, because the episode has no verdict\n"),
        (
            "?\n" * 9,
            0,
            "invalid after 3 turns, because too many messages had no valid action: reward 0, score 0.0\n",
        ),
    ],
)
def test_play_says_how_an_episode_ended(said, code, ending, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    assert main(["play", GUESS, "--task", TASK]) == code
    assert capsys.readouterr().out == ending


def test_play_says_the_task_and_the_drawn_seed_once_the_episode_can_start(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", GUESS, "--policy", "oracle", "--json"]) == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    begins = f"task {result['task']}, seed {result['seed']}; to play the same episode again, "
    assert captured.err.startswith(f"{begins}use --seed {result['seed']}\n")
    for wrong in (["--env-option", "secret=3"], ["--policy", "nobody"], ["--window"]):
        assert main(["play", GUESS, *wrong]) == 2
        assert "seed" not in capsys.readouterr().err


def test_play_of_a_game_takes_a_role_and_partners(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["play", "agentgym/Taboo-v0", "--seed", "1", "--policy", "oracle", "--role", "describer"]
    assert main([*args, "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["success"]
    assert "Do not say" in captured.err
    assert main([*args, "--partner", "guesser=scripted:null", "--json"]) == 1
    assert "too many invalid messages" in capsys.readouterr().err


def test_play_with_the_same_seed_plays_the_same_task(capsys: pytest.CaptureFixture[str]) -> None:
    results = []
    for _ in range(2):
        assert main(["play", GUESS, "--seed", "7", "--policy", "random", "--json"]) == 0
        results.append(json.loads(capsys.readouterr().out))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["agentgym/GuesNumber-v0"], "did you mean agentgym/GuessNumber-v0"),
        ([GUESS, "--policy", "oracel"], "did you mean oracle?"),
        ([GUESS, "--task", "dialogue/guess-number:trai-00000", "--policy", "null"], "did you mean"),
    ],
)
def test_play_unknown_name_is_refused_with_a_suggestion(
    args: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *args]) == 2
    assert expected in capsys.readouterr().err


def test_play_by_a_model_gives_it_its_own_tokens_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:

    prompts: list[list[int]] = []
    sampled: list[list[int]] = []

    def generate(policy: TorchPolicy, requests: Sequence[Request]) -> list[Reply]:
        replies = own(policy, requests)
        prompts.append(list(requests[0].prompt_ids or ()))
        sampled.append([] if replies[0].ids is None else replies[0].ids.tolist())
        return replies

    tokenizer = build_tokenizer(["guess the number", "too high, too low, correct"], numbers=range(30))
    build_tiny_model(tokenizer).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / SEEN_FILE).write_text(json.dumps({"seen_hashes": [], MESSAGE_LIMIT: 3}))
    own = TorchPolicy.generate
    monkeypatch.setattr(TorchPolicy, "generate", generate)
    assert main(["play", GUESS, "--seed", "3", "--policy", f"torch:{tmp_path}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["turns"] == len(prompts) > 1
    for before, answer, after in zip(prompts, sampled, prompts[1:], strict=False):
        assert after[: len(before) + len(answer)] == before + answer
    assert max(map(len, sampled)) == 3, "the message limit that the model was trained with"


def test_play_refuses_a_task_of_another_environment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", GUESS, "--task", "tools/lookup:test-00000", "--policy", "oracle"]) == 2
    assert "belongs to agentgym/Lookup-v0, not to agentgym/GuessNumber-v0" in capsys.readouterr().err


def test_play_of_an_environment_that_returns_no_reply_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("agentgym_dialogue.guessing.guess_number.env.GuessNumberEnv.respond", lambda self, action: None)
    assert main(["play", GUESS, "--seed", "1", "--policy", "random"]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("agentgym play: ")
    assert said.endswith("returned None, expected an agentgym.EnvReply")


def test_play_of_an_environment_with_a_bug_says_where_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def respond(self: object, action: object) -> None:
        raise KeyError("map")

    monkeypatch.setattr("agentgym_dialogue.guessing.guess_number.env.GuessNumberEnv.respond", respond)
    assert main(["play", GUESS, "--seed", "1", "--policy", "random"]) == 1
    place = f"({__file__}, line {respond.__code__.co_firstlineno + 1}, in respond)"
    assert f"agentgym play: the episode failed: KeyError: 'map' {place}" in capsys.readouterr().err


@pytest.mark.parametrize("uses_tokens", [False, True], ids=["text", "tokens"])
def test_play_asks_a_policy_exactly_as_a_rollout_does(uses_tokens: bool) -> None:
    """An endpoint is shown its own tool calls as calls, and a model of tokens its own spelling of them."""
    suite = load_suite(tools.SUITE)
    task = next(each for each in suite.train_tasks() if len(solution(each)) > 1)
    watched, rolled = (Caller(solution(task), as_mistral if uses_tokens else in_blocks, (), uses_tokens) for _ in "ab")
    result = play(make(suite.env), watched, HumanPolicy(Console(file=io.StringIO())), task=task)
    collect_episodes([Job(task, "e", 0)], game_maker(suite), {"*": rolled}, RolloutSettings())
    assert result["success"]
    assert watched.asked == rolled.asked
    assert len(watched.asked) > 1


def test_play_keeps_an_episode_as_a_demonstration_of_a_train_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, run = load_suite("dialogue/guess-number"), str(tmp_path / "run")
    for seed in ("3", "3", "4"):
        assert main(["play", GUESS, "--policy", "oracle", "--record", run, "--seed", seed]) == 0
        assert f"kept in {run}" in capsys.readouterr().err
    with RunStore.open(run, read_only=True) as store:
        found = list(store.episodes())
        assert store.meta["kind"] == "recording"
        assert store.meta["suite"] == suite.name
        assert {row.purpose for row in store.episode_rows()} == {"demo"}
        assert len(recorded_demonstrations(store, suite.name, (), setting="runs")) == 3
    assert [each.id for each in found] == ["play-000000/agent", "play-000001/agent", "play-000002/agent"]
    assert found[0].task_id == found[1].task_id != found[2].task_id
    assert {each.task_id for each in found} <= {task.id for task in suite.train_tasks()}
    assert all(each.success and each.suite == suite.name for each in found)


def test_play_keeps_no_episode_without_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["play", GUESS, "--record", str(tmp_path / "run"), "--seed", "3"]) == 1
    assert "not kept" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--window"], "has no window of its own; play it in the terminal"),
    ],
)
def test_play_refuses_what_an_environment_lacks(
    args: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", GUESS, "--seed", "1", *args]) == 2
    assert expected in " ".join(capsys.readouterr().err.split())
