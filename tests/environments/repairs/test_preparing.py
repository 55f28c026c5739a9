import pytest

from agentgym_swe.repositories.layer import tree_digest
from agentgym_swe.repositories.preparing import prepare_one
from agentgym_swe.repositories.unpacking import SdistError, unpack

from .conftest import FILES, small_package, write_sdist


def test_layer_holds_sources_tests_and_licence_alone(small_layer):
    assert small_layer.layer.files == ("LICENSE", "small/__init__.py", "tests/test_small.py")
    assert small_layer.layer.sources == ("small/__init__.py",)
    assert small_layer.layer.digest == tree_digest(small_layer.layer.folder)


def test_test_that_depends_on_the_order_is_not_kept(small_layer):
    names = [test.partition("::")[2] for test in small_layer.layer.tests]
    assert names == ["test_clamp", "test_total", "test_describe", "test_needs_to_be_first"]
    assert small_layer.left_out == 1


@pytest.mark.parametrize(
    ("missing", "changes", "expected"),
    [
        ("tests/test_small.py", {}, "no tests at tests"),
        ("small/__init__.py", {}, "no sources at small"),
        ("", {"extra": ("docs",)}, "no extra files at docs"),
    ],
)
def test_sdist_without_what_is_needed_is_refused_and_leaves_nothing(missing, changes, expected, tmp_path):
    sdist, sha256 = write_sdist(tmp_path, {name: text for name, text in FILES.items() if name != missing})
    with pytest.raises(SdistError, match=expected):
        prepare_one(small_package(sha256, **changes), sdist, tmp_path / "layers" / "small", sandbox="bubblewrap")
    assert not list((tmp_path / "layers").iterdir())


def test_sdist_that_is_cut_off_is_refused(tmp_path):
    sdist, sha256 = write_sdist(tmp_path)
    sdist.write_bytes(sdist.read_bytes()[:-40])
    with pytest.raises(SdistError, match="cannot be unpacked"):
        unpack(small_package(sha256), sdist, tmp_path / "tree")


def test_names_that_leave_the_sdist_are_not_unpacked(tmp_path):
    sdist, sha256 = write_sdist(tmp_path, {**FILES, "small/../../../escaped.py": "x = 1\n"})
    unpack(small_package(sha256), sdist, tmp_path / "tree")
    assert not list(tmp_path.rglob("escaped.py"))
