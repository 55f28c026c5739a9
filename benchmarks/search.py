"""What a search costs over 50,000 generated articles, beside SQLite's full-text search over the same articles.

- build: writing all articles and indexing them, once for a user. open: finding the index in the cache again.
- search: a call of `GeneratedCorpus.search` for ten results, as the tool `search` makes it, titles included. Queries
  are the names that the suite's questions are about, and the questions themselves.
- fts5: SQLite's table of all articles in memory, asked for any of a query's words and ranked by its `bm25`.

Both sides run in one thread, query by query in turn; times are those of the thread, in which other work does not count.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from agentgym.suite import load_suite
from agentgym_tools.search.articles import all_articles
from agentgym_tools.search.corpora import GeneratedCorpus
from agentgym_tools.search.ranking import words_of
from agentgym_tools.search.world import world_of
from benchmarks.measure import significant
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "bm25s", "numpy")
ARTICLES, QUICK_ARTICLES = 50_000, 5_000
QUERIES, QUICK_QUERIES = 1_000, 100
RESULTS = 10


def measure(quick: bool) -> Report:
    """The figures; `quick` takes fewer articles and queries."""
    num_articles, num_queries = (QUICK_ARTICLES, QUICK_QUERIES) if quick else (ARTICLES, QUERIES)
    report = Report(setting={"articles": num_articles, "queries of each kind": num_queries, "results": RESULTS})
    world_of(num_articles)
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"XDG_CACHE_HOME": folder}):
        for name in ("build", "open"):
            progress(name)
            start = time.thread_time()
            corpus = GeneratedCorpus(num_articles)
            corpus.search("a", 1)
            report.figures[f"{name}, CPU s"] = significant(time.thread_time() - start)
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        report.figures["index, MB"] = significant(size / 1e6)
        table = full_text_table(num_articles)
        for kind, queries in queries_of(num_queries).items():
            progress(kind)
            ours, theirs = times(
                queries, (lambda query: corpus.search(query, RESULTS), lambda query: full_text_search(table, query))
            )
            for side, taken in (("search", ours), ("fts5", theirs)):
                shares = np.percentile(taken, (50, 95)) * 1e3
                report.figures[f"{side} of {kind}, p50 and p95, CPU ms"] = [significant(float(each)) for each in shares]
            middle = float(np.median(ours)) * 1e3
            report.goals.append(Goal(f"search of {kind}, p50, CPU ms", middle, 2.0, "at most"))
        table.close()
    return report


def queries_of(num_queries: int) -> dict[str, list[str]]:
    """Queries by kind, from the tasks of the suite."""
    tasks = load_suite("tools/search").train_tasks()
    names = [query for task in tasks for query, _ in task.private["plan"]]
    return {"names": names[:num_queries], "questions": [task.instruction for task in tasks[:num_queries]]}


def full_text_table(num_articles: int) -> sqlite3.Connection:
    """All articles in a table of SQLite's FTS5, in memory."""
    table = sqlite3.connect(":memory:")
    table.execute("CREATE VIRTUAL TABLE articles USING fts5 (id UNINDEXED, title, text)")
    table.executemany("INSERT INTO articles VALUES (?, ?, ?)", all_articles(world_of(num_articles)))
    table.commit()
    return table


def full_text_search(table: sqlite3.Connection, query: str) -> Sequence[object]:
    """The best articles that hold any word of the query."""
    wanted = " OR ".join(f'"{word}"' for word in dict.fromkeys(words_of(query)))
    ranked = "SELECT id, title FROM articles WHERE articles MATCH ? ORDER BY bm25(articles) LIMIT ?"
    return table.execute(ranked, (wanted, RESULTS)).fetchall()


def times(queries: Sequence[str], sides: Sequence[Callable[[str], object]]) -> list[list[float]]:
    """Seconds of CPU that each side takes for each query, the sides in turn."""
    taken: list[list[float]] = [[] for _ in sides]
    for query in queries:
        for side, each in zip(sides, taken, strict=True):
            start = time.thread_time()
            side(query)
            each.append(time.thread_time() - start)
    return taken


if __name__ == "__main__":
    sys.exit(main("search", measure, PACKAGES))
