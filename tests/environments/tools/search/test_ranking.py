import sys

import pytest

from agentgym.errors import MissingExtraError
from agentgym_tools.search.ranking import MAX_QUERY_WORDS, build_index, cached_index, words_of

TEXTS = ("the red fox", "the red hen and the red fox", "a blue whale", "the fox", "the fox")


def test_index_ranks_rare_words_above_common_ones():
    index = build_index(TEXTS)
    assert index.best("whale", 5) == [2]
    assert index.best("the hen", 5)[0] == 1
    assert set(index.best("RED", 5)) == {0, 1}


def test_equal_scores_come_in_the_order_of_the_texts():
    index = build_index(["same words"] * 9 + ["other"])
    assert index.best("same", 4) == [0, 1, 2, 3]
    assert index.best("same", 20) == list(range(9))


@pytest.mark.parametrize("query", ["", " ", "zzz", "***", "\x00", "é名前", "x" * 1_000_000])
def test_query_without_known_words_finds_nothing(query):
    assert build_index(TEXTS).best(query, 5) == []


def test_words_beyond_the_limit_do_not_count():
    index = build_index([f"w{number}" for number in range(100)])
    found = index.best(" ".join(f"w{number}" for number in range(100)), 100)
    assert len(found) == MAX_QUERY_WORDS


def test_words_are_folded():
    assert words_of("Straße, ＦＯＸ_trot 12,450") == ["strasse", "fox", "trot", "12", "450"]


def test_cached_index_is_built_once_and_found_again(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = []

    def texts():
        made.append(1)
        return TEXTS

    first, again = (cached_index("toy", texts) for _ in range(2))
    assert made == [1]
    assert first.best("red fox", 5) == again.best("red fox", 5) == build_index(TEXTS).best("red fox", 5)
    assert [path.name.startswith("toy-bm25s-") for path in (tmp_path / "agentgym" / "search").iterdir()] == [True]


@pytest.mark.parametrize(
    "name", ["data.csc.index.npy", "indptr.csc.index.npy", "vocab.index.json", "params.index.json"]
)
@pytest.mark.parametrize("damage", ["cut", "gone", "empty"])
def test_damaged_index_is_built_anew(monkeypatch, tmp_path, name, damage):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    wanted = cached_index("toy", lambda: TEXTS).best("fox", 5)
    (file,) = (tmp_path / "agentgym" / "search").glob(f"*/{name}")
    content = file.read_bytes()
    file.unlink()
    if damage != "gone":
        file.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
    assert cached_index("toy", lambda: TEXTS).best("fox", 5) == wanted
    assert file.read_bytes() == content


def test_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'agentgymnasium\[search\]'"):
        build_index(TEXTS)
