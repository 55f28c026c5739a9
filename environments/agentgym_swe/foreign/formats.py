"""The five forms of rows, each read into an `Instance`: where their tests, references and images stand.

Files of rows are read in `rows`; nothing is fetched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agentgym_swe.diffs import diff_between
from agentgym_swe.foreign.instance import Instance, RunPlan
from agentgym_swe.foreign.running import plan_for

MAX_PATCH = 5_000_000
"""Characters of a diff in a row."""
Row = Mapping[str, Any]
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class FlawedRowError(ValueError):
    """A row that cannot be played; says why."""


def swe_bench(row: Row, image: str) -> Instance:
    """A row of SWE-bench, with `FAIL_TO_PASS` and `PASS_TO_PASS` as lists or as JSON in a text."""
    return _instance(row, image or f"swebench/sweb.eval.x86_64.{tagged(_text(row, 'instance_id'), '_1776_')}:latest")


def swe_gym(row: Row, image: str) -> Instance:
    """A row of SWE-Gym, whose images stand under another name."""
    return _instance(row, image or f"xingyaoww/sweb.eval.x86_64.{tagged(_text(row, 'instance_id'), '_s_')}:latest")


def swe_rebench(row: Row, image: str) -> Instance:
    """A row of SWE-rebench, with its test command and its image."""
    stated = _text(row, "docker_image", "") or _text(row, "image_name", "")
    default = f"swerebench/sweb.eval.x86_64.{tagged(_text(row, 'instance_id'), '_1776_')}"
    config = row.get("install_config")
    config = json_value(config, "install_config") if isinstance(config, str) else config or {}
    if not isinstance(config, Mapping):
        raise FlawedRowError("its install_config is no object")
    command = config.get("test_cmd") or ""
    command = " && ".join(map(str, command)) if isinstance(command, list) else str(command)
    form = str(config.get("log_parser") or "")
    return _instance(row, image or with_tag(stated or default), command=command, form=form)


def swe_smith(row: Row, image: str) -> Instance:
    """A row of SWE-smith: its `patch` plants the fault; what the agent must not see are the files of failing tests."""
    stated = _text(row, "image_name", "")
    name = stated.replace("__", "_1776_")
    stated = name if "/" in name or not name else f"jyangballin/{name}"
    if not (image or stated):
        raise FlawedRowError("it names no image (image_name)")
    failing, kept = tests_of(row)
    patch = diff_of(row, "patch")
    if not patch:
        raise FlawedRowError("its patch, which plants the fault, is empty")
    repo = _text(row, "repo", "")
    return Instance(
        id=_text(row, "instance_id"),
        repo=repo,
        image=image or with_tag(stated),
        statement=_statement(row),
        failing=failing,
        kept=kept,
        patch=patch,
        test_patch="",
        run=plan_for(repo, "", "", (*failing, *kept)),
        plants=True,
        hidden=tuple(dict.fromkeys(name.partition("::")[0] for name in failing if "::" in name)),
    )


def r2e_gym(row: Row, image: str) -> Instance:
    """A row of R2E-Gym: its tests are in the image, and `expected_output_json` says how they end."""
    if row.get("expected_output_json") is None:
        raise FlawedRowError("it has no expected_output_json, which says how its tests end")
    expected = json_value(row["expected_output_json"], "expected_output_json")
    if not isinstance(expected, Mapping):
        raise FlawedRowError("its expected_output_json is no object of outcomes by test")
    names = {_COLOUR.sub("", str(name)).split(" - ")[0]: str(end) for name, end in expected.items()}
    failing = tuple(name for name, end in names.items() if name and end.upper() == "PASSED")
    if not failing:
        raise FlawedRowError("its expected_output_json holds no test that passes")
    stated = _text(row, "docker_image", "")
    if not (image or stated):
        raise FlawedRowError("it names no image (docker_image)")
    repo = _text(row, "repo_name", "") or _text(row, "repo", "")
    commit = _text(row, "commit_hash", "")
    if not (commit or row.get("instance_id")):
        raise FlawedRowError("it has neither commit_hash nor instance_id")
    return Instance(
        id=_text(row, "instance_id", "") or f"{repo}__{commit[:12]}",
        repo=repo,
        image=image or with_tag(stated),
        statement=_within_issue(_statement(row)),
        failing=failing,
        kept=(),
        patch=_of_commit(row),
        test_patch="",
        run=RunPlan(_R2E_COMMAND, "junit", (), only_present=False),
        hidden=_R2E_HIDDEN,
        short_names=True,
    )


FORMATS: Mapping[str, Callable[[Row, str], Instance]] = {
    "swebench": swe_bench,
    "swegym": swe_gym,
    "swesmith": swe_smith,
    "r2egym": r2e_gym,
    "swerebench": swe_rebench,
}
"""By the namespace of their ids: how rows are read, given the tag of an image, or "" for the row's own."""
_R2E_COMMAND = (
    "if [ -d /r2e_tests ] && [ ! -e r2e_tests ]; then ln -s /r2e_tests r2e_tests; fi; "
    "if [ -f run_tests.sh ]; then bash run_tests.sh; else pytest -rA r2e_tests; fi"
)
_R2E_HIDDEN = (
    *("/r2e_tests", "/root/r2e_tests", "/root/run_tests.sh", "r2e_tests", "run_tests.sh", "syn_issue.json"),
    *("expected_test_output.json", "execution_result.json", "parsed_commit.json", "modified_files.json"),
    "modified_entities.json",
)


def tests_of(row: Row) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The failing and the other tests of a row, each once; what is in both lists is failing.

    Raises:
        FlawedRowError: A list is no list of texts, no test fails, or the row does not say which do.
    """
    if row.get("FAIL_TO_PASS") is None:
        raise FlawedRowError("it has no FAIL_TO_PASS, the tests that a repair must make pass")
    failing = names_of(row["FAIL_TO_PASS"], "FAIL_TO_PASS")
    kept = names_of(row.get("PASS_TO_PASS", []), "PASS_TO_PASS")
    if not failing:
        raise FlawedRowError("its FAIL_TO_PASS is empty: doing nothing would solve it")
    return failing, tuple(name for name in kept if name not in set(failing))


def names_of(value: Any, field: str) -> tuple[str, ...]:
    """Names of tests from a list, or from JSON in a text; each once.

    Raises:
        FlawedRowError: It is neither.
    """
    if isinstance(value, str):
        value = json_value(value, field) if value.strip() else []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise FlawedRowError(f"its {field} is no list of names: {json.dumps(value, default=str)[:60]}")
    return tuple(dict.fromkeys(name for name in value if name.strip()))


def json_value(text: Any, field: str) -> Any:
    """The value of a JSON text; other values as they are.

    Raises:
        FlawedRowError: The text is no JSON.
    """
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise FlawedRowError(f"its {field} is no JSON: {text[:60]!r}") from None


def diff_of(row: Row, field: str) -> str:
    """A diff of a row; "" where it has none.

    Raises:
        FlawedRowError: It is no text, too large, or no diff.
    """
    text = row.get(field) or ""
    if not isinstance(text, str):
        raise FlawedRowError(f"its {field} is no text")
    if len(text) > MAX_PATCH:
        raise FlawedRowError(f"its {field} has {len(text)} characters; at most {MAX_PATCH} are read")
    if text.strip() and "diff --git " not in text:
        raise FlawedRowError(f"its {field} is no diff of git: {text[:60]!r}")
    return (text if text.endswith("\n") else f"{text}\n") if text.strip() else ""


def tagged(instance_id: str, mark: str) -> str:
    """An id as tags have it, in which two underscores are refused."""
    return instance_id.replace("__", mark).lower()


def with_tag(image: str) -> str:
    """An image's name with a tag."""
    return image if ":" in image.rpartition("/")[2] or "@" in image else f"{image}:latest"


def _instance(row: Row, image: str, *, command: str = "", form: str = "") -> Instance:
    failing, kept = tests_of(row)
    repo, test_patch = _text(row, "repo"), diff_of(row, "test_patch")
    return Instance(
        id=_text(row, "instance_id"),
        repo=repo,
        image=image,
        statement=_statement(row),
        failing=failing,
        kept=kept,
        patch=diff_of(row, "patch"),
        test_patch=test_patch,
        run=plan_for(repo, command, test_patch, (*failing, *kept), form),
    )


def _statement(row: Row) -> str:
    return _text(row, "problem_statement").strip()


def _within_issue(text: str) -> str:
    """R2E-Gym puts the issue between marks."""
    inside = text.partition("[ISSUE]")[2].partition("[/ISSUE]")[0].strip()
    return inside or text


def _text(row: Row, field: str, default: str | None = None) -> str:
    value = row.get(field)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise FlawedRowError(f"it has no {field}" if not value else f"its {field} is no text")
    return value


def _of_commit(row: Row) -> str:
    """The reference of a row of R2E-Gym: both texts of each file that is no test; "" where none is held."""
    commit = json_value(row.get("parsed_commit_content") or "{}", "parsed_commit_content")
    diffs = commit.get("file_diffs") if isinstance(commit, Mapping) else None
    made = []
    for each in diffs if isinstance(diffs, Iterable) else ():
        if not isinstance(each, Mapping):
            continue
        path = _path_of(each)
        old, new = each.get("old_file_content"), each.get("new_file_content")
        if path and "test" not in path and isinstance(new, str) and isinstance(old, str) and old != new:
            made.append(diff_between(path, old, new))
    return "".join(made)


def _path_of(each: Mapping[str, Any]) -> str:
    header = each.get("header")
    file = header.get("file") if isinstance(header, Mapping) else None
    path = file.get("path") if isinstance(file, Mapping) else None
    return path if isinstance(path, str) else ""
