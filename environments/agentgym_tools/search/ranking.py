"""BM25 over texts: the index of `bm25s`, built once, kept in the cache folder and mapped into memory.

What the texts are is in `corpora`; an index knows them by their numbers only.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from agentgym.errors import MissingExtraError
from agentgym.sandbox.once import cache_folder, only_one

MAX_QUERY_WORDS = 64
"""Different words of a query that count; those after them do not."""

_WORD = re.compile(r"[^\W_]+")
_MAX_QUERY_CHARACTERS = 4_000


def words_of(text: str) -> list[str]:
    """The words of a text as the index counts them: lower case, compatible forms of letters made one."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


class Index:
    """Scores texts for a query.

    Args:
        ranker: A `bm25s.BM25` that holds an index.
    """

    def __init__(self, ranker: Any) -> None:
        self._ranker = ranker

    def best(self, query: str, most: int) -> list[int]:
        """Numbers of the texts that share a word with the query, the best first.

        Args:
            query: Any text.
            most: Largest number of them, >= 1. Equal scores are in the order of the numbers.
        """
        known = self._ranker.vocab_dict
        words = dict.fromkeys(words_of(query[:_MAX_QUERY_CHARACTERS]))
        wanted = [known[word] for word in list(words)[:MAX_QUERY_WORDS] if word in known]
        if not wanted:
            return []
        scores = self._ranker.get_scores_from_ids(wanted)
        found = np.flatnonzero(scores > 0.0)
        if len(found) > most:
            some = scores[found]  # few: partitioning all is slow, as most are zero
            found = found[some >= np.partition(some, -most)[-most]]
        order = np.argsort(-scores[found], kind="stable")[:most]
        return [int(number) for number in found[order]]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def build_index(texts: Iterable[str]) -> Index:
    """An index in memory, of at least one text.

    Raises:
        MissingExtraError: bm25s is not installed.
    """
    return Index(_build(texts))


def cached_index(name: str, texts: Callable[[], Iterable[str]]) -> Index:
    """The index kept under a name in the cache folder; built there where it is missing or damaged.

    Processes that want the same index wait for the one that builds it, and no half-written index gets its name.

    Args:
        name: Name of its folder; it contains a digest of what the texts are made from.
        texts: Makes the texts.

    Raises:
        MissingExtraError: bm25s is not installed.
        SandboxStartError: There is no cache folder and none can be made.
        OSError: It cannot be written there.
    """
    folder = cache_folder() / "search" / f"{name}-bm25s-{_bm25s().__version__}"
    index = _load(folder)
    if index is None:
        with only_one(str(folder)):
            index = _load(folder)
            if index is None:
                _write(folder, _build(texts()))
                index = _load(folder)
    if index is None:
        raise OSError(f"the search index {folder} cannot be read again after it was written; check the disk")
    return index


def _build(texts: Iterable[str]) -> Any:
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in words_of(text)] for text in texts]
    numbers.setdefault("", len(numbers))
    ranker = _bm25s().BM25(auto_compile=False)
    ranker.index((rows, numbers), show_progress=False)
    return ranker


def _write(folder: Path, ranker: Any) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        ranker.save(made, show_progress=False)
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
        os.rename(made, folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _load(folder: Path) -> Index | None:
    """The index in a folder; None if the folder has no index, or a damaged one."""
    if not folder.is_dir():
        return None
    try:
        ranker = _bm25s().BM25.load(folder, mmap=True, show_progress=False, auto_compile=False)
        scores = ranker.scores
        is_whole = len(scores["data"]) == len(scores["indices"]) == int(scores["indptr"][-1])
    except (OSError, ValueError, KeyError, TypeError, EOFError, IndexError):
        return None
    return Index(ranker) if is_whole and len(ranker.vocab_dict) == len(scores["indptr"]) - 1 else None


def _bm25s() -> Any:
    try:
        import bm25s  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtraError("searching articles", "search") from None
    return bm25s
