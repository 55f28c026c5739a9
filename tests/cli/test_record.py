"""`agentgym record` and `agentgym export`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli.main import main
from agentgym.cli.output import print_table
from agentgym.cli.record import read_player
from agentgym.errors import ConfigError
from agentgym.policies.torch.policy import MESSAGE_LIMIT, SEEN_FILE
from agentgym.policies.torch.tiny_model import build_tiny_model
from agentgym.prompting.tiny import build_tokenizer
from agentgym.store import RunStore

Capture = pytest.CaptureFixture[str]
SUITE = ("--suite", "dialogue/guess-number")
MIX = ("--policy", "demo=0.5", "oracle=0.3", "random=0.2")
RECORD = ["record", *SUITE, *MIX]


def recorded(capsys: Capture, *args: str) -> dict[str, Any]:
    assert main([*record_with(args), *args, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def record_with(args: Sequence[str]) -> list[str]:
    """The command without those of its options that the arguments give."""
    return ["record", *(word for option in (SUITE, MIX) if option[0] not in args for word in option)]


def test_record_keeps_the_mix_that_was_asked_for(capsys: Capture, tmp_path: Path) -> None:
    run = tmp_path / "run"
    result = recorded(capsys, "--episodes", "40", "--run", str(run))
    assert {label: each["episodes"] for label, each in result["policies"].items()} == {
        "demo": 20,
        "oracle": 12,
        "random": 8,
    }
    assert result["policies"]["oracle"]["success"] == 1.0
    with RunStore.open(run, read_only=True) as store:
        assert {row.purpose for row in store.episode_rows()} == {"demo"}
        assert len(store.tasks()) == 40


def test_record_for_people_is_a_table_and_an_export_follows(capsys: Capture, tmp_path: Path) -> None:
    assert main([*RECORD, "--episodes", "10", "--run", str(tmp_path / "run")]) == 0
    assert "oracle" in capsys.readouterr().out
    args = ["export", str(tmp_path / "run"), "--to", str(tmp_path / "dataset"), "--json"]
    assert main(args) == 0
    assert json.loads(capsys.readouterr().out)["episodes"] == {"train": 10}
    assert main(args) == 2
    assert "--overwrite" in capsys.readouterr().err


def test_a_model_is_recorded_with_the_message_limit_that_it_was_trained_with(capsys: Capture, tmp_path: Path) -> None:
    tokenizer = build_tokenizer(["guess the number", "too high, too low, correct"], numbers=range(30))
    build_tiny_model(tokenizer).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    (tmp_path / "model" / SEEN_FILE).write_text(json.dumps({"seen_hashes": [], MESSAGE_LIMIT: 3}))
    args = ["--policy", f"torch:{tmp_path / 'model'}", "demo", "--episodes", "4", "--run", str(tmp_path / "run")]
    for given, limit in (([], 3), (["--max-tokens", "2", "--overwrite"], 2)):
        recorded(capsys, *args, *given)
        with RunStore.open(tmp_path / "run", read_only=True) as store:
            turns = [turn for each in store.episodes() for turn in each.turns]
        assert max(len(turn.action_ids) for turn in turns) == limit


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--policy", "oracel"], "did you mean oracle"),
        (["--policy", "demo=half"], "demo=0.5"),
        (["--policy", "demo=0"], "positive"),
        (["--policy", "demo=1", "demo=2"], "named twice"),
        (["--policy", "demo(qualty=1)"], "qualty"),
        (["--split", "test"], "record the train split (--split train), or allow this one (--allow-held-out)"),
        (["--split", "tests"], "did you mean test"),
        (["--episodes", "0"], "at least 1"),
        (["--suite", "dialogue/private-shared"], "unseen environment"),
        (["--role", "cook"], "no roles"),
    ],
)
def test_record_bad_input_is_one_clear_line(args: list[str], expected: str, capsys: Capture, tmp_path: Path) -> None:
    assert main([*record_with(args), "--run", str(tmp_path / "run"), *args]) == 2
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "name", "options", "share"),
    [
        ("demo", "demo", {}, 1.0),
        ("demo=0.25", "demo", {}, 0.25),
        ("demo(quality=0.9)=2", "demo", {"quality": 0.9}, 2.0),
        ("torch:runs/a=1/models/trained", "torch:runs/a=1/models/trained", {}, 1.0),
        ("endpoint:http://host/v1?a=b#model", "endpoint:http://host/v1?a=b#model", {}, 1.0),
        ("endpoint:http://host/v1#model=3", "endpoint:http://host/v1#model", {}, 3.0),
    ],
)
def test_a_player_is_read_from_text(text: str, name: str, options: dict[str, float], share: float) -> None:
    player = read_player(text)
    assert (player.name, dict(player.options), player.share) == (name, options, share)


def test_a_player_with_a_bad_option_is_refused() -> None:
    with pytest.raises(ConfigError, match="key=value"):
        read_player("demo(quality)=1")


def test_export_of_an_unknown_policy_names_those_that_played(capsys: Capture, tmp_path: Path) -> None:
    recorded(capsys, "--episodes", "10", "--run", str(tmp_path / "run"))
    assert main(["export", str(tmp_path / "run"), "--to", str(tmp_path / "data"), "--policy", "nope"]) == 2
    said = capsys.readouterr().err
    assert "unknown policy 'nope'" in said
    assert "are of: demo, oracle, random" in said


def test_a_title_longer_than_its_table_stays_on_one_line(capsys: Capture) -> None:
    print_table(("split", "episodes"), [("train", 8)], title := "recorded on dialogue/maze train, in runs/recorded")
    assert capsys.readouterr().out.splitlines()[0] == title
