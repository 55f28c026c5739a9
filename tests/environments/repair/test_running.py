"""Tests that the warm process runs: directly as with pytest's hooks, and as their files are now."""

from agentgym.authoring.players import call_text
from agentgym.sandbox.lender import lender_of
from agentgym.task import Task
from agentgym_swe.repair.env import RepairEnv
from agentgym_swe.repair.link import Way
from agentgym_swe.repair.verdict.bench import Bench
from agentgym_swe.repair.verdict.tree import File

ROOT = "/agentgym/work/tree"
TESTS = b"""
import unittest
import pytest

@pytest.fixture
def broken():
    raise OSError

@pytest.fixture
def undone():
    yield
    raise OSError

@pytest.fixture(scope="module")
def shared():
    return []

def test_passes(shared): shared.append(1)
def test_shares(shared, tmp_path): assert shared == [1]
def test_fails(): assert False
def test_set_up(broken): pass
def test_tear_down(undone): pass
def test_exits(): raise SystemExit
def test_skips(): pytest.skip()
def test_expected(): pytest.xfail()
def test_prints(capsys):
    print(1)
    assert capsys.readouterr().out == "1\\n"

@pytest.mark.xfail
def test_marked(): assert False

@pytest.mark.parametrize("value", [0, 1, 2])
def test_row(value): assert value

class TestUnit(unittest.TestCase):
    def test_method(self): self.skipTest("")

def test_unasked(): pass
"""
NAMES = ("passes", "shares", "fails", "set_up", "tear_down", "exits", "skips", "expected", "prints", "marked")
IDS = [f"test_it.py::test_{name}" for name in NAMES]
IDS += ["test_it.py::test_row[0]", "test_it.py::test_row[2]", "test_it.py::TestUnit::test_method"]
ENDS = ["passed", "passed", "failed", "failed", "failed", "failed", "skipped", "xfailed", "passed", "xfailed"]
ENDS += ["failed", "passed", "skipped"]
DIRECT = Way(whole=True, plain=True, direct=True)
FILES = {"test_it.py": File(TESTS)}


def test_tests_end_directly_as_they_do_with_hooks() -> None:
    with Bench(lender_of("bubblewrap", ("cpus", "memory_mib"))).open() as (_, link):
        for way in (Way(), DIRECT):
            run = link.run(ROOT, ["."], IDS, tree=FILES, way=way)
            assert run.outcomes == dict(zip(IDS, ENDS, strict=True))
            assert (run.exit_code, run.why, run.doubled) == (1, "ended", frozenset())


def test_hooks_of_the_package_are_called() -> None:
    hook = b"import pytest\ndef pytest_runtest_setup(item): pytest.skip()\n"
    with Bench(lender_of("bubblewrap", ("cpus", "memory_mib"))).open() as (_, link):
        run = link.run(ROOT, ["."], IDS[:1], tree={**FILES, "conftest.py": File(hook)}, way=DIRECT)
    assert run.outcomes == {IDS[0]: "skipped"}


def test_files_of_tests_run_as_they_are_now(env: RepairEnv, task: Task) -> None:
    env.reset(options={"task": task})
    run = call_text("run_tests", which="named", names=["test_own.py"])
    for value, found in ((1, "1 passed"), (2, "assert 1 == 2"), (1, "1 passed")):
        text = f"def test_own():\n    one = 1\n    assert one == {value}\n"
        env.step(call_text("shell", command=f"cat > test_own.py <<'END'\n{text}END"))
        assert found in env.step(run)[0]["text"]
