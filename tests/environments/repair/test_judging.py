"""Predictions of a file, judged by `agentgym swe judge`."""

import json
import re
from pathlib import Path

import pytest

from agentgym.cli.main import main
from agentgym.errors import TaskError
from agentgym.suite import load_suite
from agentgym_swe.repair.judging import read_predictions
from agentgym_swe.repair.prediction import diff_of_change
from agentgym_swe.repair.task_view import read_task
from agentgym_swe.repair.verdict.collecting import from_texts

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
    assert f"{file}:4: swe/repair has no task 'swe/repair:test-0000'; did you mean swe/repair:test-00" in told
    assert "name the file or folder of tasks of your own with --tasks" in told
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
