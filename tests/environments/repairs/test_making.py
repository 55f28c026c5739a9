import pytest

from agentgym.errors import ConfigError
from agentgym_swe.making import coverage_map
from agentgym_swe.making.making import Maker, Quota
from agentgym_swe.making.screening import cold
from agentgym_swe.making.visible import shown_tests
from agentgym_swe.repositories.edit import Edit, apply_edits
from agentgym_swe.repositories.leaks import case_of, hunt, lay_broken, traces_of
from agentgym_swe.room import open_room

CLAMP = "tests/test_small.py::test_clamp"


@pytest.fixture
def layer(small_layer, small_catalogue, monkeypatch, tmp_path):
    monkeypatch.setattr(coverage_map, "cache_folder", lambda: tmp_path)
    return small_layer.layer


def test_tasks_fail_the_same_tests_from_nothing_as_in_a_fork(layer):
    made = Maker(layer, Quota(fault=6, implement=1, double=1, history=0), "bubblewrap").make()
    kinds = [each.kind for each in made]
    assert kinds.count("fault") == 6
    assert kinds.count("implement") == 1
    with cold(layer, "bubblewrap") as fresh:
        for each in made:
            assert fresh.run(apply_edits(layer, each.candidate.edits)).failing == each.failing
            assert "test" not in each.issue.usual
            assert "/" not in each.issue.usual
    shown = next(each.issue for each in made if "clamp" in each.candidate.functions[0])
    assert "Expected: `" in shown.usual
    of_function = [each.candidate.functions[0] for each in made if each.kind != "double"]
    assert max(of_function.count(name) for name in of_function) <= 3


def test_visible_tests_lose_the_failing_ones(layer):
    text = shown_tests(layer, [CLAMP], "others")["tests/test_small.py"]
    assert "test_clamp" not in text
    assert "test_total" in text
    assert shown_tests(layer, [CLAMP], "all") == {}
    assert shown_tests(layer, [CLAMP], "none") == {"tests/test_small.py": None}
    with pytest.raises(ConfigError, match="visible_tests must be one of"):
        shown_tests(layer, [], "some")


def test_hunt_finds_planted_originals_and_nothing_else(layer):
    start = layer.text("small/__init__.py").index("value < low")
    edits = [Edit("small/__init__.py", start, start + 11, "value > low")]
    cases = {"task": case_of(layer, edits)}
    with open_room(layer.folder, "bubblewrap") as room:
        lay_broken(room.sandbox, apply_edits(layer, edits))
        assert traces_of(hunt(room.sandbox, cases, is_whole=False)) == []
        room.sandbox.write_file("notes/old.txt", layer.text("small/__init__.py").encode())
        lay_broken(room.sandbox, {})
        room.sandbox.exec(["rm", "notes/old.txt"])
        compiled = "import py_compile; py_compile.compile('small/__init__.py', cfile='small/kept.pyc', doraise=True)"
        room.sandbox.exec(["python3", "-c", compiled])
        traces = traces_of(hunt(room.sandbox, cases, is_whole=False))
    assert [trace.split(": ", 1)[1].split(" ")[0].rstrip(":") for trace in traces] == [
        "/agentgym/work/small/kept.pyc",
        "/agentgym/work",
    ]
