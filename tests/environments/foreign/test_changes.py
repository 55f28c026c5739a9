"""What of a diff travels to the verdict."""

from agentgym_swe.diffs import diff_between, files_of_diff
from agentgym_swe.foreign.changes import MAX_DIFF, from_diff
from agentgym_swe.foreign.formats import FORMATS
from tests.environments.foreign.bench import FIX, TESTS, rows

INSTANCE = FORMATS["swebench"](rows("x:1")["swebench"], "")


def test_sources_travel_and_what_could_decide_the_verdict_does_not() -> None:
    more = [
        TESTS,
        diff_between("tests/test_tally.py", "a\n", "b\n"),
        diff_between("conftest.py", None, "import pytest\n"),
        diff_between("src/sitecustomize.py", None, "x = 1\n"),
        diff_between("src/evil.pth", None, "import os\n"),
        "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc/passwd\n",
        "diff --git a/x.bin b/x.bin\nnew file mode 100644\nBinary files /dev/null and b/x.bin differ\n",
        diff_between(".git/hooks/pre-commit", None, "x\n"),
        diff_between("../out.py", None, "x\n"),
    ]
    new = diff_between("src/tally/more.py", None, "X = 1")
    patch = from_diff("".join([*more, FIX, new]), INSTANCE)
    assert patch.text == FIX + new
    assert dict(patch.left_out) == {
        "tests/test_more.py": "part of the tests that judge",
        "tests/test_tally.py": "part of the tests that judge",
        "conftest.py": "taken up by programs by itself",
        "src/sitecustomize.py": "taken up by programs by itself",
        "src/evil.pth": "taken up by programs by itself",
        "link": "a link",
        "x.bin": "binary",
        ".git/hooks/pre-commit": "outside of the repository",
        "../out.py": "outside of the repository",
    }


def test_what_the_reference_changes_may_be_changed() -> None:
    configured = FORMATS["swebench"](
        {**rows("x:1")["swebench"], "patch": FIX + diff_between("conftest.py", "a\n", "b\n")}, ""
    )
    assert from_diff(diff_between("conftest.py", "a\n", "c\n"), configured).left_out == ()


def test_latin_1_is_left_out_and_the_rest_travels() -> None:
    latin = diff_between("src/tally/cafe.py", None, "# caf\n").encode().replace(b"caf\n", b"caf\xe9\n")
    patch = from_diff(latin + FIX.encode(), INSTANCE)
    assert (patch.text, patch.left_out) == (FIX, (("src/tally/cafe.py", "not UTF-8"),))


def test_empty_endless_and_other_diffs() -> None:
    assert from_diff("", INSTANCE).text == ""
    assert f"at most {MAX_DIFF}" in from_diff("x" * (MAX_DIFF + 1), INSTANCE).refusal
    assert from_diff("I changed the file.", INSTANCE).refusal == "it is no diff of git"


def test_diffs_are_made_as_git_writes_them() -> None:
    assert files_of_diff(FIX + TESTS) == ["src/tally/__init__.py", "tests/test_more.py"]
    made = diff_between("a.py", "one\r\ntwo", "one\r\ntwo\n")
    assert made.endswith("-two\n\\ No newline at end of file\n+two\n")
    assert "deleted file mode 100644\n--- a/a.py\n+++ /dev/null\n" in diff_between("a.py", "x\n", None)
