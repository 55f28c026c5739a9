import dataclasses

import pytest

from agentgym.errors import ConfigError
from agentgym_swe.making import coverage_map, making
from agentgym_swe.making.candidates import Sources, candidates
from agentgym_swe.making.history import older_functions
from agentgym_swe.making.journal import Journal
from agentgym_swe.making.making import Maker, Quota
from agentgym_swe.making.screening import cold
from agentgym_swe.making.visible import shown_tests
from agentgym_swe.repositories.catalogue import Older, package_named
from agentgym_swe.repositories.edit import Edit, apply_edits
from agentgym_swe.repositories.fetching import FetchError, UnreachedError
from agentgym_swe.repositories.leaks import MIN_ELSEWHERE, case_of, hunt
from agentgym_swe.room import open_room

CLAMP = "tests/test_small.py::test_clamp"


@pytest.fixture
def layer(small_layer, small_catalogue, monkeypatch, tmp_path):
    monkeypatch.setattr(coverage_map, "cache_folder", lambda: tmp_path)
    return small_layer.layer


def test_tasks_fail_the_same_tests_from_nothing_as_in_a_fork(layer, tmp_path):
    journal = tmp_path / "journal.jsonl"
    made = Maker(layer, Quota(fault=6, implement=1, double=1, history=0), "bubblewrap", journal=Journal(journal)).make()
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
    of_function = [name for each in made for name in set(each.candidate.functions)]
    assert max(of_function.count(name) for name in of_function) <= 3
    with journal.open("a") as file:
        file.write('["screen", "cut off')  # as of a run that was killed
    again = Maker(layer, Quota(fault=6, implement=1, double=1, history=0), "no such sandbox", journal=Journal(journal))
    assert again.make() == made


def test_without_the_older_release_tasks_from_history_are_left_out_and_the_rest_is_made(
    layer, small_catalogue, monkeypatch
):
    older = Older("0.9", "0" * 64)
    monkeypatch.setitem(small_catalogue, "small", dataclasses.replace(small_catalogue["small"], older=older))
    raised, told = UnreachedError("pip found no sdist of small 0.9; is there a network?"), []

    def fetch(*_):
        raise raised

    monkeypatch.setattr(making, "fetch_sdists", fetch)
    maker = Maker(layer, Quota(fault=2, implement=0, double=0, history=1), "bubblewrap", report=told.append)
    assert [each.kind for each in maker.make()] == ["fault", "fault"]
    assert maker.missing_release == "small 0.9"
    [notice] = [line for line in told if "history" in line]
    assert notice.startswith("tasks from history are left out: pip found no sdist of small 0.9, of which")
    raised = FetchError("the sdist of small has another hash")
    with pytest.raises(FetchError, match="another hash"):
        maker.make()


def test_visible_tests_lose_the_failing_ones(layer):
    text = shown_tests(layer, [CLAMP], "others")["tests/test_small.py"]
    assert "test_clamp" not in text
    assert "test_total" in text
    assert shown_tests(layer, [CLAMP], "all") == {}
    assert shown_tests(layer, [CLAMP], "none") == {"tests/test_small.py": None}
    with pytest.raises(ConfigError, match="visible_tests must be one of"):
        shown_tests(layer, [], "some")


def test_no_faults_are_planted_in_what_every_sandbox_holds(layer, monkeypatch):
    def functions() -> set[str]:
        return {name for each in candidates(Sources(layer), "seed") for name in each.functions}

    assert {"small.clamp", "small.total"} <= functions()
    package = dataclasses.replace(package_named("small"), unplanted=("small.clamp", "small.tot"))
    monkeypatch.setattr("agentgym_swe.making.candidates.package_named", lambda name: package)
    assert functions() & {"small.clamp", "small.total"} == {"small.total"}


def test_hunt_finds_planted_originals_and_nothing_else(layer):
    start = layer.text("small/__init__.py").index("value < low")
    edits = [Edit("small/__init__.py", start, start + 11, "value > low")]
    cases = {"task": case_of(layer, edits)}
    identity = [f"user.{key}=agent@example.org" for key in ("name", "email")]
    commit = f"git -c {identity[0]} -c {identity[1]} commit -q -m Import"
    with open_room(layer.folder, "bubblewrap") as room:
        [(path, text)] = apply_edits(layer, edits).items()
        room.sandbox.write_file(path, text.encode())
        room.sandbox.exec(["sh", "-c", f"git init -q . && git add -A && {commit}"])
        found = hunt(room.sandbox, cases, is_whole=False)
        assert (found.sentences, found.num_files > 4, found.num_objects) == ([], True, 3)
        room.sandbox.write_file("notes/old.txt", layer.text("small/__init__.py").encode())
        room.sandbox.exec(["sh", "-c", f"rm -rf .git && git init -q . && git add -A && {commit} && rm notes/old.txt"])
        compiled = "import py_compile; py_compile.compile('small/__init__.py', cfile='small/kept.pyc', doraise=True)"
        room.sandbox.exec(["python3", "-c", compiled])
        traces = hunt(room.sandbox, cases, is_whole=False).sentences
    [piece] = cases["task"].snippets
    [longer] = cases["task"].longer
    assert piece in longer
    assert len(" ".join(piece.split())) < MIN_ELSEWHERE <= len(" ".join(longer.split()))
    assert [trace.split(": ", 1)[1].split(" ")[0].rstrip(":") for trace in traces] == [
        "/agentgym/work/small/kept.pyc",
        "/agentgym/work",
    ]


def test_an_older_function_comes_back_as_the_words_that_differ(layer):
    text = layer.text("small/__init__.py")
    line = "    if value < low:\n        return low\n"
    before = text.replace(line, "    # as it was\n    if value <= low:\n        return high\n")
    [found] = older_functions(Sources(layer), {"small/__init__.py": before.encode()})
    assert found.functions == ("small.clamp",)
    assert [edit.text for edit in found.edits] == ["=", "high"]
    longer = text.replace(line, "".join(f"    value += {number}\n" for number in range(30)))
    assert list(older_functions(Sources(layer), {"small/__init__.py": longer.encode()})) == []
