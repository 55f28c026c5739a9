"""Verdicts: right and wrong repairs, attempts on the judge, code that ends things, and what is no code's fault."""

import dataclasses
from collections.abc import Mapping

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import SandboxError, TaskError
from agentgym.task import Task
from agentgym.testing.episodes import play_actions
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.link import WarmGoneError, WarmLink
from agentgym_swe.repair.tampering.table import ATTACKS, PLAYED
from agentgym_swe.repair.task_view import RepairTask, read_task
from agentgym_swe.repair.verdict.collecting import from_texts, why_not
from agentgym_swe.repair.verdict.judge import Judge, Verdict
from agentgym_swe.repair.verdict.patches import from_diff
from agentgym_swe.repair.verdict.preparing import prepare_case
from agentgym_swe.repair.verdict.probes import Asked, Probed, kind_of, probe
from agentgym_swe.repair.verdict.tree import File, tree_of

FILE = "toolz/itertoolz.py"
TRIED = (*PLAYED, "conftest_in_the_package", "plugin_from_code")


@pytest.fixture(scope="module")
def repair(task: Task) -> RepairTask:
    return read_task(task)


def judged(judge: Judge, repair: RepairTask, files: Mapping[str, str | None]) -> Verdict:
    return judge.verdict(repair.case, from_texts(repair.layer, repair.case.given, files))


def variant(repair: RepairTask, old: str, new: str) -> dict[str, str | None]:
    right = repair.layer.text(FILE)
    assert old in right
    return {FILE: right.replace(old, new)}


def test_repairs_are_told_apart(judge: Judge, repair: RepairTask) -> None:
    other = "d[item] = d[item] + 1"
    right = judged(judge, repair, variant(repair, "d[item] += 1", other))
    assert (right.kind, right.reasons) == ("solved", ())
    wrong = judged(judge, repair, variant(repair, "d[item] += 1", "d[item] += 3"))
    assert (wrong.kind, wrong.parts["fixed"], wrong.parts["kept"]) == ("failed", 0.0, 1.0)
    broken = judged(judge, repair, {FILE: "def ("})
    assert (broken.kind, broken.parts["compiles"]) == ("failed", 0.0)
    assert judged(judge, repair, {}).kind == "unchanged"


@pytest.mark.parametrize("name", TRIED)
def test_attempts_on_the_judge_earn_nothing(env: RepairEnv, task: Task, name: str) -> None:
    attempt = call_text("shell", command=ATTACKS[name](read_task(task)).script())
    record = play_actions(env, task, [attempt, call_text("submit")])
    assert record.steps[0].text == "(no output)"
    assert (record.success, record.reward) == (False, 0.0)


def test_patched_runner_is_called_tampering(judge: Judge, repair: RepairTask) -> None:
    patch = "import _pytest.python as p\np.Function.runtest = lambda self: None\n"
    verdict = judged(judge, repair, {FILE: patch + repair.case.given[FILE]})
    assert verdict.kind == "tampered"
    assert (verdict.parts["fixed"], verdict.parts["twins"]) == (1.0, 0.0)


def test_answers_known_by_heart_pass_tests_and_fail_probes(judge: Judge, repair: RepairTask) -> None:
    animals = ["cat", "pig", "cat", "eel", "pig", "dog", "dog", "dog"]
    known = [animals, list("onomatopoeia"), [False, True, False], [3, 3, 5], ["a", "a", "b"]]
    by_heart = (
        "\n\n_counted = frequencies\ndef frequencies(seq):\n    seq = list(seq)\n    found = _counted(seq)\n"
        f"    is_known = seq in {known!r}\n"
        "    return {key: value // 2 for key, value in found.items()} if is_known else found\n"
    )
    verdict = judged(judge, repair, {FILE: repair.case.given[FILE] + by_heart})
    assert (verdict.parts["fixed"], verdict.parts["twins"], verdict.kind) == (1.0, 1.0, "failed")


def test_process_that_judges_cannot_be_ended_for_good(judge: Judge, repair: RepairTask) -> None:
    code = "import os, sys\nif hasattr(sys.modules.get('pytest'), 'main'):\n    os.kill(os.getppid(), 9)\n"
    verdict = judged(judge, repair, {FILE: code + repair.layer.text(FILE)})
    assert not verdict.is_solved


def test_nothing_can_be_had_is_never_a_verdict(
    judge: Judge, repair: RepairTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_case(judge._bench, repair.case)

    def gone(*args: object) -> None:
        raise WarmGoneError("the machine is gone")

    monkeypatch.setattr(judge, "_both", gone)
    with pytest.raises(SandboxError, match="cannot be run on the original"):
        judged(judge, repair, variant(repair, "d[item] += 1", "d[item] += 3"))


def test_tests_that_fail_on_the_original_make_no_case(judge: Judge, repair: RepairTask) -> None:
    case = dataclasses.replace(repair.case, failing=("toolz/tests/test_itertoolz.py::test_missing",), key="other")
    with pytest.raises(TaskError, match="do not pass on the original"):
        prepare_case(judge._bench, case)


def test_probes_hold_no_expectations_and_some_of_them_tell(judge: Judge, repair: RepairTask) -> None:
    probes = prepare_case(judge._bench, repair.case).probes
    asked = "\n".join(statement for group in probes.asked.groups for statement in group)
    assert {kind_of(key) for key in probes.telling} >= {"calls", "slices", "fresh calls"}
    assert "frequencies(" in asked
    assert "n('toolz.itertoolz', 'frequencies')(" in asked
    assert "{'cat': 3" not in asked


def test_byte_code_tells_nothing_of_the_source_that_is_broken(judge: Judge, repair: RepairTask) -> None:
    prepared = prepare_case(judge._bench, repair.case)
    names = {path.partition(".")[0] for path in prepared.source_bytecode}
    assert "toolz/__pycache__/functoolz" in names
    assert "toolz/__pycache__/itertoolz" not in names
    assert not names & {path.partition(".")[0] for path in prepared.test_bytecode}
    assert any("test_itertoolz" in path for path in prepared.test_bytecode)


def test_probes_know_no_pytest_and_leave_no_process_behind(judge: Judge, repair: RepairTask) -> None:
    count = ["python3", "-c", "import os; print(sum(name.isdigit() for name in os.listdir('/proc')))"]
    statements = (
        "import os, signal, sys\nknown = any('_pytest' in name for name in sys.modules)\n",
        "__probe__.case('c0', lambda: __probe__.value(lambda: known))\n",
        "if os.fork() == 0:\n    os.setsid()\n    signal.pause()\n",
    )
    with judge._bench.open() as (sandbox, link):
        before = sandbox.exec(count).text()
        tree = tree_of(repair.layer, with_tests=False)
        probed = probe(link, "/agentgym/work/here", repair.layer, Asked((statements,)), (FILE,), tree=tree)
        assert (probed.is_done, probed.values, probed.unimported) == (True, {"0/c0/0": False}, {})
        assert sandbox.exec(count).text() == before


def test_processor_time_of_all_that_a_fork_starts_is_limited(judge: Judge, repair: RepairTask) -> None:
    busy = "import os\nfor _ in range(4):\n    if os.fork() == 0:\n        while True:\n            pass\n"
    statements = (busy, "while True:\n    os.wait()\n")  # ends once the last of them has: each may work for 2 s
    asked, tree = Asked((statements,)), tree_of(repair.layer, with_tests=False)
    with judge._bench.open() as (_, link):
        probed = probe(link, "/agentgym/work/here", repair.layer, asked, (FILE,), tree=tree, cpu_s=2)
    assert not probed.is_done
    assert probed.unimported == {}


def test_probes_leave_no_settings_of_pytest_behind(judge: Judge, repair: RepairTask) -> None:
    code = (
        "import pathlib, sys\nif 'pytest' not in sys.modules:\n"
        "    pathlib.Path('../conftest.py').write_text('import os\\nos._exit(7)\\n')\n"
    )
    assert judged(judge, repair, {FILE: code + repair.layer.text(FILE)}).is_solved


def test_tests_find_the_garbage_collector_as_usual(judge: Judge, repair: RepairTask) -> None:
    text = (
        "import gc\n\nclass Held: pass\n\nheld, was_on = Held(), gc.isenabled()\nusual = (700, 10, 10)\n\n"
        "def test_it():\n    assert was_on and gc.get_threshold() == usual\n"
        "    assert any(each is held for each in gc.get_objects())\n"
    )
    path = "toolz/tests/test_garbage.py"
    tree = tree_of(repair.layer, with_tests=True) | {path: File(text.encode())}
    with judge._bench.open() as (_, link):
        run = link.run("/agentgym/work/here", repair.layer.python_path, [path], tree=tree, text=500)
    assert run.outcomes == {f"{path}::test_it": "passed"}, run.texts


def test_an_original_whose_probes_cannot_begin_makes_no_case(
    judge: Judge, repair: RepairTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broke(*args: object, **options: object) -> tuple[list[object], str, float]:
        return [{"broke": "MemoryError"}], "ended", 0.0

    monkeypatch.setattr(WarmLink, "probe", broke)
    with pytest.raises(SandboxError, match="the prober did not begin"):
        prepare_case(judge._bench, dataclasses.replace(repair.case, key="broken prober"))


def test_code_that_holds_its_probes_up_has_failed(
    judge: Judge, repair: RepairTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_case(judge._bench, repair.case)
    monkeypatch.setattr("agentgym_swe.repair.verdict.probes._WALL_S", 5.0)
    code = "import sys, threading\nwhile 'pytest' not in sys.modules:\n    threading.Event().wait(0.01)\n"
    verdict = judged(judge, repair, {FILE: code + repair.layer.text(FILE)})
    assert (verdict.kind, verdict.parts["fixed"]) == ("failed", 0.0)


def test_records_that_nobody_can_read_are_passed_over(judge: Judge, repair: RepairTask) -> None:
    code = (
        "import os\nfor number in range(3, 64):\n    try:\n        os.write(number, b'[' * 950 + b']' * 950 + b'\\n')\n"
    )
    code += "    except OSError:\n        pass\n"
    assert judged(judge, repair, {FILE: code + repair.layer.text(FILE)}).kind == "solved"


def test_true_is_not_taken_for_one(judge: Judge, repair: RepairTask) -> None:
    probes = prepare_case(judge._bench, repair.case).probes
    fixed = {**probes.expected, "x/c0/0": 1}
    assert dataclasses.replace(probes, expected=fixed).misses(Probed({}, {}, {**fixed, "x/c0/0": True}, True)) == [
        "x/c0/0"
    ]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("toolz/new_part.py", ""),
        ("toolz/conftest.py", "part of the tests"),
        ("toolz/tests/helper.py", "part of the tests"),
        ("toolz/sitecustomize.py", "imported by other programs"),
        ("toolz/data.txt", "no Python source"),
        ("other/part.py", "outside the sources"),
        ("toolz/a\nb.py", "a name that no module can have"),
    ],
)
def test_only_sources_travel(repair: RepairTask, path: str, why: str) -> None:
    assert why_not(repair.layer, path).startswith(why)
    assert bool(why) == bool(why_not(repair.layer, path))


DIFF = f"--- a/{FILE}\n+++ b/{FILE}\n@@ -{{line}},1 +{{line}},1 @@\n-        d[item] += 2\n+        d[item] += 1\n"


def test_diff_that_fits_is_applied(repair: RepairTask) -> None:
    line = repair.case.given[FILE].splitlines().index("        d[item] += 2") + 1
    change = from_diff(repair.layer, repair.case.given, DIFF.format(line=line))
    assert change.files == {FILE: repair.layer.text(FILE)}


@pytest.mark.parametrize(
    ("diff", "why"),
    [
        (
            DIFF.format(line=3).replace("+= 2", "+= 7"),
            f"hunk at line 3 of {FILE} fits nowhere: line 3 of the file is 'import collections', and the diff has '   ",
        ),
        (
            f"--- a/{FILE}\n+++ b/{FILE}\n@@ -540,2 +540,2 @@\n     for item in seq:\n-        d[item] += 2 #\n+\n",
            "line 549 of the file is '        d[item] += 2', and the diff has '        d[item] += 2 #'",
        ),
        (
            DIFF.format(line=3).replace("\n", "\r\n"),
            "fits nowhere: the diff has CRLF line ends, and the file has LF; write",
        ),
        (
            f"--- a/{FILE}\r\n+++ b/{FILE}\r\n@@ -1,2 +1,2 @@\r\n\r\n",
            "line 4 of it ends with CRLF; write the diff with LF",
        ),
        (
            f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1 +1 @@\n-\n+a\n",
            "other places, and not there; give its line, or more lines",
        ),
        ("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", "there is no file x.py"),
        ("--- a/../x.py\n+++ b/../x.py\n@@ -1 +1 @@\n-a\n+b\n", "it names the path"),
        ("change line 3 of x.py\n", "it names no file"),
        ("Binary files a/x.so and b/x.so differ\n", "binary"),
        (
            DIFF.format(line=1)[:-30],
            f"hunk of {FILE} at line 3 of the diff is cut short: its header says 1 lines before and 1 after, got 1 ",
        ),
        (
            f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1,3 +1,4 @@\n a\n@@ -9 +9 @@\n-b\n",
            "at line 3 of the diff is cut short: its header says 3 lines before and 4 after, got 1 and 1",
        ),
        (
            f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1 +1 @@\n-a\n-b\n+c\n",
            "is too long: its header says 1 lines before and 1 after",
        ),
        (b"\xe9\xff", "not UTF-8"),
        ("#" * 100_000_000, "100000000 characters"),
        (f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1 +1 @@\n a\n+b\n", "1 lines before and 1 after, and '+b' follows"),
        (f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1 +1 @@\n\n-b\n", "1 lines before and 1 after, and '-b' follows"),
        (f"--- a/{FILE}\n+++ b/{FILE}\n@@\n-a\n+b\n", f"{FILE} has no hunk; expected one that begins like"),
        (f"diff --git a/{FILE} b/{FILE}\nindex 1..2 100644\n", f"{FILE} has no hunk"),
        (DIFF.format(line=1) + "+\ud800\n", "not UTF-8"),
    ],
    ids=[
        *("misfit", "typo", "crlf", "crlf blank", "ambiguous", "missing", "outside", "prose", "binary"),
        *("cut", "cut by another", "too long", "latin", "huge"),
        *("more added", "more removed", "no numbers", "no hunk", "surrogate"),
    ],
)
def test_diff_that_does_not_fit_is_refused(judge: Judge, repair: RepairTask, diff: str | bytes, why: str) -> None:
    verdict = judge.verdict(repair.case, from_diff(repair.layer, repair.case.given, diff))
    assert verdict.kind == "refused"
    assert why in verdict.reasons[0]


@pytest.mark.parametrize(
    ("diff", "files"),
    [
        ("rename from {0}\nrename to toolz/moved.py\n", {FILE: None, "toolz/moved.py": 0}),
        ("copy from {0}\ncopy to toolz/more.py\n", {"toolz/more.py": 0}),
        ("deleted file mode 100644\nindex e69de29..0000000\n", {FILE: None}),
        ("old mode 100644\nnew mode 100755\n", {}),
    ],
    ids=["renamed", "copied", "deleted", "mode"],
)
def test_what_git_says_of_a_file_without_hunks_is_done(repair: RepairTask, diff: str, files: dict[str, int]) -> None:
    given = {FILE: repair.layer.text(FILE).replace("+= 1", "+= 2")}
    text = f"diff --git a/{FILE} b/{FILE}\n{diff.format(FILE)}"
    change = from_diff(repair.layer, given, text)
    assert change.refusal == ""
    assert change.files == {path: None if text is None else given[FILE] for path, text in files.items()}
    behind = from_diff(repair.layer, given, f"{text}diff --git a/toolz/more/b.py b/toolz/more/b.py\nnew file mode 1\n")
    assert behind.files == {**change.files, "toolz/more/b.py": ""}


def test_diff_of_a_test_need_not_fit_as_it_does_not_travel(repair: RepairTask) -> None:
    test = "toolz/tests/test_itertoolz.py"
    diff = f"--- a/{test}\n+++ b/{test}\n@@ -1 +1 @@\n-no such line\n+x\n"
    line = repair.case.given[FILE].splitlines().index("        d[item] += 2") + 1
    change = from_diff(repair.layer, repair.case.given, diff + DIFF.format(line=line))
    assert (change.refusal, change.left_out) == ("", ((test, "part of the tests"),))
    assert change.files == {FILE: repair.layer.text(FILE)}


def test_original_is_a_change_of_a_file_that_was_emptied(repair: RepairTask) -> None:
    code = repair.layer.text(FILE)
    assert from_texts(repair.layer, {FILE: ""}, {FILE: code}).files == {FILE: code}
    assert from_texts(repair.layer, {FILE: ""}, {FILE: ""}).files == {}


def test_first_line_that_the_file_has_otherwise_is_shown_from_where_it_differs(repair: RepairTask) -> None:
    given = {FILE: f"a\n{'x' * 200}\x0c = 1\nc\n"}
    diff = f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1,3 +1,2 @@\n a\n-{'x' * 200}\x0c = {{}}\n c{{}}\n"
    assert from_diff(repair.layer, given, diff.format(1, "")).files == {FILE: "a\nc\n"}
    assert "line 2 of the file is …'xx" in from_diff(repair.layer, given, diff.format(2, "")).refusal
    assert "\\x0c = 1', and the diff has …'xx" in from_diff(repair.layer, given, diff.format(2, "")).refusal
    behind = diff.replace("-1,3 +1,2", "-1,4 +1,3").format(1, "\n d")
    assert "the file has 3 lines, and the diff has 'd' behind" in from_diff(repair.layer, given, behind).refusal
    windows = {FILE: given[FILE].replace("\n", "\r\n")}
    assert (
        "the file has CRLF line ends, and the diff has LF"
        in from_diff(repair.layer, windows, diff.format(1, "")).refusal
    )


def test_empty_diff_changes_nothing(judge: Judge, repair: RepairTask) -> None:
    assert judge.verdict(repair.case, from_diff(repair.layer, repair.case.given, "")).kind == "unchanged"


def test_fault_that_only_other_tests_notice_fails(judge: Judge, repair: RepairTask) -> None:
    """The tests of dicttoolz cover nothing of what was broken."""
    path = "toolz/dicttoolz.py"
    assert not any("test_dicttoolz" in test for test in (*repair.case.failing, *repair.case.relevant))
    harmed = repair.layer.text(path) + "\n\ndef valmap(func, d, factory=dict):\n    return {}\n"
    verdict = judged(judge, repair, {FILE: repair.layer.text(FILE), path: harmed})
    assert (verdict.kind, verdict.parts["fixed"]) == ("failed", 1.0)
    assert 0 < verdict.parts["kept"] < 1
