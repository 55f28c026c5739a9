"""Predictions of a file, judged by `agentgym swe judge`."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from agentgym.cli.main import main
from agentgym.errors import TaskError
from agentgym.suite import load_suite
from agentgym_swe.repair import judging
from agentgym_swe.repair.judging import read_predictions
from agentgym_swe.repair.prediction import diff_of_change
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.case import Case
from agentgym_swe.repair.verdict.collecting import from_texts
from agentgym_swe.repair.verdict.judge import Verdict

FIRST, SECOND, THIRD, FOURTH = (f"swe/repair:test-0000{number}" for number in range(4))
ADDED = "--- /dev/null\n+++ b/tests/test_own.py\n@@ -0,0 +1 @@\n+x = 1\n"


def right_diff(task_id: str) -> str:
    """The diff that makes the package what it is."""
    task = next(task for task in load_suite("swe/repair").tasks("test") if task.id == task_id)
    repair = read_task(task)
    right = {path: repair.layer.text(path) for path in repair.case.given}
    return diff_of_change(repair.case, from_texts(repair.layer, repair.case.given, right))


@pytest.mark.usefixtures("layer")
def test_predictions_get_the_verdicts_of_the_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(FIRST, right_diff(FIRST) + ADDED), (SECOND, None)]
    rows += [(THIRD, "change line\u2028 3"), (FOURTH, right_diff(FIRST))]
    file = tmp_path / "predictions.jsonl"
    file.write_text(
        "\n".join(json.dumps({"instance_id": name, "model_patch": diff}, ensure_ascii=False) for name, diff in rows)
    )
    assert main(["swe", "judge", str(file), "--sandbox", "bubblewrap", "--json"]) == 0
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert [each["verdict"] for each in found] == ["solved", "unchanged", "refused", "refused"]
    assert [list(each["left_out"]) for each in found] == [["tests/test_own.py"], [], [], []]
    assert "names no file" in found[2]["why"]
    assert f"[1/4] {FIRST}: solved" in shown.err


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What reaches a judge that needs no sandbox and is interrupted at the third change."""
    asked: list[str] = []

    def verdict(case: Case, change: object) -> Verdict:
        asked.append(case.name)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return Verdict("failed", reasons=("wrong",), left_out=(("a.py", "a test"),))

    env = SimpleNamespace(judge=SimpleNamespace(verdict=verdict), close=lambda: None)
    monkeypatch.setattr(judging, "hunting_env", lambda sandbox: env)
    return asked


@pytest.mark.usefixtures("layer")
def test_verdicts_are_shown_after_an_interrupt_and_kept_where_a_file_is_named(
    judged: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "predictions.jsonl", tmp_path / "own" / "verdicts.jsonl"

    def predict(*diffs: str) -> None:
        rows = zip((FIRST, SECOND, THIRD), diffs, strict=True)
        file.write_text("\n".join(json.dumps({"instance_id": name, "model_patch": diff}) for name, diff in rows))

    predict("one", "two", "three")
    assert main(["swe", "judge", str(file), "--out", str(out), "--json"]) == 1
    shown = capsys.readouterr()
    assert [each["task"] for each in json.loads(shown.out)] == [FIRST, SECOND]
    assert shown.err.endswith(
        f"judged 2 of 3 predictions; the same command goes on from {out}\nagentgym swe judge: interrupted\n"
    )
    with out.open("a") as opened:
        opened.write('{"task": "cut o')  # as of a process that was killed
    predict("one", "another", "three")
    assert main(["swe", "judge", str(file), "--out", str(out), "--json"]) == 0
    assert judged == [FIRST, SECOND, THIRD, SECOND, THIRD]
    shown = capsys.readouterr()
    row = {"task": FIRST, "verdict": "failed", "why": "wrong", "left_out": {"a.py": "a test"}}
    assert json.loads(shown.out) == [{**row, "task": name} for name in (FIRST, SECOND, THIRD)]
    assert f"{out} has 1 of the 3 verdicts; they are not reached again" in shown.err
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["task"] for line in lines] == [FIRST, SECOND, SECOND, THIRD]
    assert main(["swe", "judge", str(file), "--out", str(file)]) == 2
    assert "predictions.jsonl:1 is no verdict that `agentgym swe judge` wrote" in capsys.readouterr().err
    assert len(judged) == 5


def test_files_that_hold_no_predictions_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "predictions.jsonl"
    rows = ["{", '{"model_patch": ""}', '{"instance_id": "x", "model_patch": 3}', '{"instance_id": "x"}']
    rows[3] = '{"instance_id": "swe/repair:test-0000", "model_patch": ""}'
    file.write_text("\n".join(rows))
    assert main(["swe", "judge", str(file)]) == 2
    told = capsys.readouterr().err
    assert f"{file}:1: the line is not valid JSON" in told
    assert f"{file}:2: expected an object with \"instance_id\", a text, got the keys 'model_patch'; a line is" in told
    assert f'{file}:3: expected "model_patch", a diff or null, got int; a line is such as {{"instance_id": ' in told
    assert f"{file}:4: swe/repair has no task 'swe/repair:test-0000'; there are 267, from swe/" in told
    for content, expected in (("", "holds no prediction"), (None, "there is no file")):
        file.unlink() if content is None else file.write_text(content)
        assert main(["swe", "judge", str(file)]) == 2
        assert expected in capsys.readouterr().err
    file.write_text(f'{{"instance_id": "{FIRST}", "model_patch": ""}}')
    own = tmp_path / "own.jsonl"
    own.write_text("")
    assert main(["swe", "judge", str(file), "--tasks", str(own)]) == 2
    assert "own.jsonl holds no task" in capsys.readouterr().err
    assert main(["swe", "judge"]) == 2
    assert "agentgym swe judge predictions.jsonl" in capsys.readouterr().err


def test_a_task_that_there_is_not_is_told_the_range_or_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "predictions.jsonl"
    names = ("swe/repair:test-99999", "made:test-00000")
    file.write_text("\n".join(json.dumps({"instance_id": name, "model_patch": ""}) for name in names))
    assert main(["swe", "judge", str(file)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("agentgym swe judge: ")
    assert "has no task 'swe/repair:test-99999'; there are 267, from swe/repair:test-00000 to swe/repair:test-" in first
    assert second.endswith("no task 'made:test-00000'; name the file or folder of tasks of your own with --tasks")
    assert main(["swe", "judge", str(file), "--tasks", "nowhere"]) == 2
    assert "--tasks must name a file or a folder of tasks, and there is no nowhere; " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([], "expected an object, got list; a line is such as"),
        ({FIRST: ""}, f"got the keys '{FIRST}'; a line is such as"),
        ({"id": FIRST, "patch": ""}, "got the keys 'id', 'patch'; a line is such as"),
        (
            {"instance_id": FIRST, "patch": ""},
            "got the keys 'instance_id', 'patch'; a line is such as",
        ),
    ],
)
def test_rows_of_another_form_are_told_what_they_have(row: object, said: str, tmp_path: Path) -> None:
    (tmp_path / "predictions.jsonl").write_text(json.dumps(row))
    with pytest.raises(TaskError, match=re.escape(said)):
        read_predictions(tmp_path / "predictions.jsonl")


def test_a_task_that_is_predicted_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    row = json.dumps({"instance_id": FIRST, "model_patch": ""})
    (tmp_path / "predictions.jsonl").write_text(f"{row}\n\n{row}\n")
    with pytest.raises(TaskError, match=rf":3: instance_id '{FIRST}' must be unique, and line 1 has it too"):
        read_predictions(tmp_path / "predictions.jsonl")
