"""What tests of other projects' rows share: an image with a repository of ours, and rows of each form about it."""

import io
import json
import tarfile
from hashlib import sha256
from pathlib import Path

from agentgym.sandbox.engines.engine import connect_engine
from agentgym.sandbox.images.named import image_tag

SCRIPT = Path(__file__).with_name("repository.sh")
SOURCE = SCRIPT.read_text().partition("<<'PY'\n")[2].partition("PY\n")[0]
FIX = (
    "diff --git a/src/tally/__init__.py b/src/tally/__init__.py\n"
    "--- a/src/tally/__init__.py\n+++ b/src/tally/__init__.py\n@@ -6,3 +6,3 @@\n     for word in words:\n"
    "-        found[word] = found.get(word, 0) + 2\n+        found[word] = found.get(word, 0) + 1\n     return found\n"
)
PLANTED = (
    "diff --git a/src/tally/__init__.py b/src/tally/__init__.py\n"
    "--- a/src/tally/__init__.py\n+++ b/src/tally/__init__.py\n@@ -11,2 +11,2 @@\n def spread(numbers):\n"
    "-    return max(numbers) - min(numbers)\n+    return max(numbers) + min(numbers)\n"
)
TESTS = """diff --git a/tests/test_more.py b/tests/test_more.py
new file mode 100644
--- /dev/null
+++ b/tests/test_more.py
@@ -0,0 +1,5 @@
+from tally import count
+
+
+def test_counts():
+    assert count(["a", "a"]) == {"a": 2}
"""
FAILING = ["tests/test_more.py::test_counts"]
KEPT = ["tests/test_tally.py::test_keys[a", "tests/test_tally.py::test_keys[d]", "tests/test_tally.py::test_spread"]


def build() -> str:
    """The tag of the image; it is built where it is not there."""
    script = SCRIPT.read_bytes()
    base = image_tag("swe")
    dockerfile = (
        f"FROM {base}\nUSER root\nCOPY repository.sh /repository.sh\nRUN sh /repository.sh && rm /repository.sh\n"
    )
    tag = f"agentgym-test/tally:{sha256(dockerfile.encode() + script).hexdigest()[:16]}"
    client = connect_engine()
    try:
        if not client.images.list(name=tag):
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w") as archive:
                for name, content in (("Dockerfile", dockerfile.encode()), ("repository.sh", script)):
                    about = tarfile.TarInfo(name)
                    about.size = len(content)
                    archive.addfile(about, io.BytesIO(content))
            packed.seek(0)
            client.images.build(fileobj=packed, custom_context=True, tag=tag, rm=True, forcerm=True)
    finally:
        client.close()
    return tag


def rows(tag: str) -> dict[str, dict[str, object]]:
    """A row of each form about the fault of the repository."""
    plain = {
        "instance_id": "ours__tally-1",
        "repo": "ours/tally",
        "base_commit": "v1",
        "version": "1.0",
        "problem_statement": "count(['a']) gives 2.",
        "hints_text": "",
        "patch": FIX,
        "test_patch": TESTS,
    }
    commit = {"header": {"file": {"path": "src/tally/__init__.py"}}, "old_file_content": SOURCE}
    commit["new_file_content"] = SOURCE.replace("+ 2", "+ 1")
    return {
        "swebench": {**plain, "FAIL_TO_PASS": json.dumps(FAILING), "PASS_TO_PASS": json.dumps(KEPT)},
        "swegym": {**plain, "FAIL_TO_PASS": FAILING, "PASS_TO_PASS": KEPT},
        "swesmith": {
            "instance_id": "ours__tally.0123.func_pm__1",
            "repo": "swesmith/ours__tally.0123",
            "image_name": tag,
            "problem_statement": "spread([3, 1, 2]) gives 4.",
            "patch": PLANTED,
            "FAIL_TO_PASS": ["tests/test_tally.py::test_spread"],
            "PASS_TO_PASS": ["tests/test_tally.py::test_keys[d]", "tests/test_plain.py::Plain::test_empty"],
        },
        "r2egym": {
            "repo_name": "tally",
            "docker_image": tag,
            "commit_hash": "0123456789abcdef",
            "problem_statement": "[ISSUE]\ncount('a') gives 2.\n[/ISSUE]",
            "expected_output_json": json.dumps({"TestCount.test_once": "PASSED", "test_none": "PASSED"}),
            "parsed_commit_content": json.dumps({"file_diffs": [commit]}),
        },
        "swerebench": {
            **plain,
            "docker_image": tag,
            "install_config": {"test_cmd": "python3 -m unittest -v", "log_parser": "parse_log_unittest"},
            "test_patch": "",
            "FAIL_TO_PASS": ["test_one (tests.test_plain.Plain.test_one)"],
            "PASS_TO_PASS": ["Nothing is counted in nothing."],
        },
    }
