"""Where articles are found and read: the generated ones, or your own from a file.

A retrieval server is in `server`; how texts are ranked is in `ranking`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol, Self

from agentgym.errors import ConfigError, unreadable
from agentgym_tools.search.articles import (
    Article,
    Hit,
    all_articles,
    article_id,
    article_number,
    title_of,
    write_article,
)
from agentgym_tools.search.ranking import Index, cached_index
from agentgym_tools.search.world import SEED, world_of

_RECIPE = ("../months.py", "names.py", "relations.py", "world.py", "articles.py", "ranking.py")
"""The files that the texts of the generated articles, and their index, follow from."""


class Corpus(Protocol):
    """Articles that can be searched and opened."""

    def forget(self) -> None:
        """A new episode begins."""

    def search(self, query: str, most: int) -> list[Hit]:
        """The articles that fit the query best, the best first; at most so many."""

    def open(self, wanted: str) -> Article | None:
        """The article with an id; None if no article has it."""

    def close(self) -> None:
        """Let go of connections; harmless twice."""


class GeneratedCorpus:
    """The articles of the world of a size and seed.

    Args:
        num_articles: From 200 to 100,000.
        seed: Seed of the world.

    Raises:
        ConfigError: The number is out of range.
    """

    def __init__(self, num_articles: int, seed: int = SEED) -> None:
        self.world = world_of(num_articles, seed)

    @cached_property
    def _index(self) -> Index:
        size, seed = self.world.num_articles, self.world.seed
        name = f"generated-{size}-{seed}-{recipe_digest()[:16]}"
        return cached_index(name, lambda: (_indexed(article) for article in all_articles(self.world)))

    def forget(self) -> None:
        """Episodes leave nothing behind."""

    def search(self, query: str, most: int) -> list[Hit]:
        """See `Corpus`; the first search builds the index where the cache does not hold it."""
        return [Hit(article_id(number), title_of(self.world, number)) for number in self._index.best(query, most)]

    def open(self, wanted: str) -> Article | None:
        """See `Corpus`."""
        number = article_number(wanted, self.world.num_articles)
        return None if number is None else write_article(self.world, number)

    def close(self) -> None:
        """Nothing is open."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class FileCorpus:
    """Articles of a JSONL file, an object with `id`, `title` and `text` a line.

    Args:
        path: The file.

    Raises:
        ConfigError: It cannot be read, a line is wrong, or it holds no article; names the line.
    """

    def __init__(self, path: Path) -> None:
        try:
            content = path.read_bytes()
            lines = content.decode("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"corpus: {unreadable(path, error)}") from error
        self._articles: dict[str, Article] = {}
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            article = _read_line(line, f"{path}:{number}")
            if article.id in self._articles:
                raise ConfigError(f"{path}:{number}: the id {article.id!r} stands on an earlier line; ids are unique")
            self._articles[article.id] = article
        if not self._articles:
            raise ConfigError(f"{path} holds no article; expected an object with id, title and text on each line")
        self._order = list(self._articles)
        digest = hashlib.sha256(content + (Path(__file__).parent / "ranking.py").read_bytes()).hexdigest()
        self._name = f"file-{digest[:16]}"

    def __iter__(self) -> Iterator[Article]:
        """All articles, in the order of the file."""
        return iter(self._articles.values())

    @cached_property
    def _index(self) -> Index:
        return cached_index(self._name, lambda: (_indexed(article) for article in self))

    def forget(self) -> None:
        """Episodes leave nothing behind."""

    def search(self, query: str, most: int) -> list[Hit]:
        """See `Corpus`; the first search builds the index where the cache does not hold it."""
        found = [self._articles[self._order[number]] for number in self._index.best(query, most)]
        return [Hit(article.id, article.title) for article in found]

    def open(self, wanted: str) -> Article | None:
        """See `Corpus`."""
        return self._articles.get(wanted)

    def close(self) -> None:
        """Nothing is open."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@lru_cache(maxsize=4)
def generated_corpus(num_articles: int) -> GeneratedCorpus:
    """The corpus of the suites' world, one a process; see `GeneratedCorpus`."""
    return GeneratedCorpus(num_articles)


def write_corpus(num_articles: int, path: Path) -> None:
    """Write the generated articles as a JSONL file, for a retrieval server or another tool.

    Raises:
        ConfigError: The number is out of range.
    """
    articles = all_articles(world_of(num_articles))
    lines = (json.dumps(article._asdict(), ensure_ascii=False) + "\n" for article in articles)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)


@lru_cache(maxsize=1)
def recipe_digest() -> str:
    """SHA-256 in hex of the code that generated articles and their index follow from."""
    folder = Path(__file__).parent
    return hashlib.sha256(b"\0".join((folder / name).read_bytes() for name in _RECIPE)).hexdigest()


def _indexed(article: Article) -> str:
    return f"{article.title}\n{article.text}"


def _read_line(line: str, where: str) -> Article:
    expected = 'expected an object such as {"id": "7", "title": "…", "text": "…"}'
    try:
        fields = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: it is not JSON ({error}); {expected}") from error
    if not isinstance(fields, dict):
        raise ConfigError(f"{where}: it is of type {type(fields).__name__}; {expected}")
    for key in Article._fields:
        if key not in fields:
            raise ConfigError(f"{where}: the key {key!r} is missing; {expected}")
        if not isinstance(fields[key], str):
            raise ConfigError(f"{where}: the key {key!r} must be a text, got {fields[key]!r:.80}")
    if not fields["id"].strip():
        raise ConfigError(f"{where}: the key 'id' must not be empty")
    return Article(fields["id"], fields["title"], fields["text"])
