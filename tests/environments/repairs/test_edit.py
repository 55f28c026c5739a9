import pytest

from agentgym.errors import TaskError
from agentgym_swe.repositories.edit import Edit, apply_edits, edited
from agentgym_swe.repositories.layer import Layer


@pytest.fixture
def layer(tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "a.py").write_bytes("x = 'é'\r\ny = 2\r\n".encode())
    (tmp_path / "pack" / "test_a.py").write_text("")
    return Layer("pack", "1", "MIT", tmp_path, "ab" * 32, ("pack",), ("pack/test_a.py",), ("pack",), (".",), ())


def test_edit_counts_characters_and_keeps_line_ends(layer):
    assert apply_edits(layer, [Edit("pack/a.py", 13, 14, "3")]) == {"pack/a.py": "x = 'é'\r\ny = 3\r\n"}


def test_edits_of_one_file_are_counted_in_the_text_as_it_was():
    assert edited("abcdef", [Edit("f", 4, 5, ""), Edit("f", 0, 1, "xyz")]) == "xyzbcdf"


@pytest.mark.parametrize(
    ("edits", "digest", "expected"),
    [
        ([Edit("pack/a.py", 0, 99, "")], "", "the file has 16"),
        ([Edit("pack/a.py", 0, 3, ""), Edit("pack/a.py", 2, 4, "")], "", "overlap"),
        ([Edit("pack/b.py", 0, 1, "")], "", "no such file"),
        ([Edit("../b.py", 0, 1, "")], "", "no source of pack"),
        ([Edit("pack/test_a.py", 0, 0, "")], "", "no source of pack"),
        ([], "cd" * 8, "agentgym swe prepare pack"),
        ([], "ab", "agentgym swe prepare pack"),
    ],
)
def test_edit_that_does_not_fit_is_refused(layer, edits, digest, expected):
    with pytest.raises(TaskError, match=expected):
        apply_edits(layer, edits, digest=digest)


@pytest.mark.parametrize("row", [["f", 2, 1, ""], ["f", 0, 1], [1, 0, 1, ""], ["f", -1, 1, ""], "f"])
def test_row_that_is_no_edit_is_refused(row):
    with pytest.raises(TaskError, match="an edit is"):
        Edit.from_json(row)
