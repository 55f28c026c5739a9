"""Rows of the five forms: what they mean, and what is refused."""

import json
from pathlib import Path

import pytest

from agentgym import make
from agentgym.cli.main import main
from agentgym.errors import ConfigError, TaskError
from agentgym.message import user
from agentgym.task import Limits, Task
from agentgym_swe.foreign.formats import FORMATS
from agentgym_swe.foreign.instance import Instance
from agentgym_swe.foreign.rows import load_rows
from agentgym_swe.foreign.scripts import SCRIPTS
from agentgym_swe.shell_blocks import HOW_TO, parse_block
from agentgym_swe.specs import DATA_SETS
from tests.environments.foreign.bench import FAILING, FIX, KEPT, PLANTED, TESTS, rows

ROWS = rows("ours/tally:1")


def written(folder: Path, *lines: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def loaded(folder: Path, form: str, **changes: object) -> Instance:
    return load_rows(written(folder, {**ROWS[form], **changes}), form).instances[0]


def test_every_form_has_an_id() -> None:
    assert list(FORMATS) == list(DATA_SETS)


@pytest.mark.parametrize("form", FORMATS)
def test_instance_goes_through_a_task_and_keeps_the_answer_private(tmp_path: Path, form: str) -> None:
    instance = loaded(tmp_path, form)
    task = instance.to_task(f"{form}/jsonl", 0, Limits())
    assert Instance.of(Task.from_json(json.loads(json.dumps(task.to_json())))) == instance
    public = json.dumps([task.instruction, dict(task.config)])
    assert not any(name in public for name in instance.failing)
    assert "+ 1" not in public


def test_players_write_blocks_where_they_are_told_to(tmp_path: Path) -> None:
    task = loaded(tmp_path, "swegym").to_task("swegym/jsonl", 0, Limits())
    oracle = SCRIPTS["oracle"](task, 0)
    said = [oracle.act([user(f"It is wrong.\n\nMend it.\n{HOW_TO}")]) for _ in range(3)]
    calls = [parse_block(text).tool_calls[0] for text in said]
    assert [call.name for call in calls] == ["shell", "shell", "submit"]
    assert "git apply" in calls[1].arguments["command"]


def test_lists_as_json_in_a_text_and_doubled_names_mean_the_same(tmp_path: Path) -> None:
    plain, packed = loaded(tmp_path, "swegym"), loaded(tmp_path, "swebench")
    assert (plain.failing, plain.kept) == (packed.failing, packed.kept) == (tuple(FAILING), tuple(KEPT))
    doubled = loaded(tmp_path, "swegym", FAIL_TO_PASS=FAILING * 2, PASS_TO_PASS=[*KEPT, *KEPT, *FAILING])
    assert (doubled.failing, doubled.kept) == (tuple(FAILING), tuple(KEPT))


def test_images_are_named_as_the_data_sets_do(tmp_path: Path) -> None:
    found = {form: loaded(tmp_path, form).image for form in ("swebench", "swegym")}
    assert found["swebench"] == "swebench/sweb.eval.x86_64.ours_1776_tally-1:latest"
    assert found["swegym"] == "xingyaoww/sweb.eval.x86_64.ours_s_tally-1:latest"
    smith = loaded(tmp_path, "swesmith", image_name="swesmith.x86_64.ours__tally.0123").image
    assert smith == "jyangballin/swesmith.x86_64.ours_1776_tally.0123:latest"
    rebench = loaded(tmp_path, "swerebench", docker_image=None).image
    assert rebench == "swerebench/sweb.eval.x86_64.ours_1776_tally-1:latest"
    path = written(tmp_path, ROWS["swebench"])
    assert load_rows(path, "swebench", "mine/{id}:{repo}").instances[0].image == "mine/ours_1776_tally-1:ours/tally"


def test_smith_plants_and_hides_the_files_of_failing_tests(tmp_path: Path) -> None:
    instance = loaded(tmp_path, "swesmith")
    assert (instance.patch, instance.plants, instance.hidden) == (PLANTED, True, ("tests/test_tally.py",))
    assert set(instance.run.arguments) == {"tests/test_tally.py", "tests/test_plain.py"}  # those that must pass as well


def test_r2e_asks_for_all_tests_that_pass(tmp_path: Path) -> None:
    expected = {"\x1b[1mTestA.test_a\x1b[0m": "PASSED", "test_b - why": "PASSED", "test_c": "FAILED", "": "PASSED"}
    instance = loaded(tmp_path, "r2egym", expected_output_json=json.dumps(expected))
    assert (instance.failing, instance.short_names) == (("TestA.test_a", "test_b"), True)
    assert instance.statement == "count('a') gives 2."
    assert "+        found[word] = found.get(word, 0) + 1\n" in instance.patch


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"FAIL_TO_PASS": None}, "it has no FAIL_TO_PASS, the tests that a repair must make pass"),
        ({"FAIL_TO_PASS": []}, "FAIL_TO_PASS is empty: doing nothing would solve it"),
        ({"FAIL_TO_PASS": "[]"}, "FAIL_TO_PASS is empty"),
        ({"FAIL_TO_PASS": "not json"}, "FAIL_TO_PASS is no JSON"),
        ({"FAIL_TO_PASS": [1]}, "FAIL_TO_PASS is no list of names"),
        ({"PASS_TO_PASS": {"a": 1}}, 'PASS_TO_PASS is no list of names: {"a": 1}'),
        ({"PASS_TO_PASS": None}, "PASS_TO_PASS is no list of names: null"),
        ({"problem_statement": None}, "it has no problem_statement"),
        ({"repo": 3}, "its repo is no text"),
        ({"patch": "just words"}, "its patch is no diff of git"),
        ({"test_patch": "x" * 5_000_001}, "its test_patch has 5000001 characters"),
    ],
)
def test_flawed_row_is_refused_with_its_line_and_reason(tmp_path: Path, changes: dict[str, object], why: str) -> None:
    path = written(tmp_path, ROWS["swegym"], {**ROWS["swegym"], "instance_id": "flawed", **changes})
    [refused] = load_rows(path, "swegym").refused
    assert (refused.line, refused.id) == (2, "flawed")
    assert why in refused.why


def test_row_of_r2e_without_outcomes_is_told_so(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS["r2egym"], {**ROWS["r2egym"], "expected_output_json": None})
    assert load_rows(path, "r2egym").refused[0].why.startswith("it has no expected_output_json")


def test_broken_lines_and_doubled_ids_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS["swegym"], '{"instance_id":', "[1]", "", ROWS["swegym"])
    path.write_bytes(path.read_bytes() + b'{"instance_id": "caf\xe9"}\n')
    found = [(each.line, each.why) for each in load_rows(path, "swegym").refused]
    assert [line for line, _ in found] == [2, 3, 5, 6]
    for (_, why), expected in zip(found, ("no JSON", "a JSON list", "same id", "not UTF-8"), strict=True):
        assert expected in why


def test_file_with_refused_rows_is_played_only_where_they_may_be_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS["swegym"], {**ROWS["swegym"], "instance_id": "flawed", "FAIL_TO_PASS": []})
    with pytest.raises(TaskError, match=r"line 2 \(flawed\): its FAIL_TO_PASS is empty") as raised:
        make("swegym/jsonl", path=str(path)).make_task(0)
    assert "skip=true" in str(raised.value)
    env = make("swegym/jsonl", path=str(path), skip=True)
    assert (env.num_tasks, env.make_task(5).id) == (1, "swegym/jsonl:ours__tally-1")


def test_missing_file_and_unknown_options_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTGYM_SWEBENCH_JSONL", raising=False)
    with pytest.raises(ConfigError, match="option path or AGENTGYM_SWEBENCH_JSONL"):
        make("swebench/jsonl")
    with pytest.raises(ConfigError, match=r"got 'verified\.jsonl', and there is no such file: /.*/verified\.jsonl$"):
        make("swebench/jsonl", path="verified.jsonl")
    with pytest.raises(ConfigError, match="and this is a folder: "):
        make("swebench/jsonl", path=str(tmp_path))
    path = written(tmp_path, ROWS["swegym"])
    with pytest.raises(ConfigError, match="did you mean timeout_s"):
        make("swegym/jsonl", path=str(path), timeout=3)
    with pytest.raises(TaskError, match="holds no row"):
        load_rows(written(tmp_path, {}), "swebench")


def test_command_names_rows_and_missing_images(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("docker")
    path = written(tmp_path, ROWS["swegym"], {**ROWS["swegym"], "instance_id": "flawed", "FAIL_TO_PASS": []})
    code = main(["swe", "rows", "swegym", str(path), "--json"])
    out, err = capsys.readouterr()
    if "engine" in err and not out:
        pytest.skip("no container engine answers")
    found = json.loads(out)
    assert code == 1
    assert found["rows"] == [
        {"id": "ours__tally-1", "image": "xingyaoww/sweb.eval.x86_64.ours_s_tally-1:latest", "state": "missing"}
    ]
    assert found["refused"][0]["id"] == "flawed"


def test_diff_of_tests_says_what_is_run(tmp_path: Path) -> None:
    run = loaded(tmp_path, "swebench").run
    assert run.arguments == ("tests/test_more.py", "tests/test_tally.py")
    django = loaded(
        tmp_path, "swebench", repo="django/django", PASS_TO_PASS=["test_x (queries.tests.Ordering)"], test_patch=TESTS
    )
    assert django.run.form == "django"
    assert django.run.arguments == ("test_more", "queries.tests")
    assert loaded(tmp_path, "swebench", repo="sympy/sympy").run.arguments == ("tests/test_more.py",)
    assert loaded(tmp_path, "swebench", repo="sphinx-doc/sphinx").run.form == "junit"
    assert loaded(tmp_path, "swebench").patch == FIX
