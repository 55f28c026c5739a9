"""Articles of a retrieval server that answers `POST /retrieve`, the form that Search-R1 and others use.

A server that is down or answers wrongly is no fault of the agent: the episode ends as a failure of infrastructure.
"""

from __future__ import annotations

from typing import Any, Self

import httpx

from agentgym.errors import ConfigError, EndpointError
from agentgym_tools.search.articles import Article, Hit

TIMEOUT_S = 20.0


class RetrievalServer:
    """The articles that a server has returned so far; only these can be opened.

    A search sends `{"queries": [TEXT], "topk": NUMBER, "return_scores": true}`. The answer is
    `{"result": [[ITEM, …]]}`. An item is a document, or `{"document": DOCUMENT, "score": NUMBER}`. A document is
    `{"id": …, "contents": TEXT}`, and the first line of its text is the title.

    Args:
        url: Address of the server, such as "http://127.0.0.1:8000/retrieve"; `/retrieve` is added where it is missing.

    Raises:
        ConfigError: The address is not one of HTTP.
    """

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"server must be an address such as 'http://127.0.0.1:8000/retrieve': got {url!r}")
        self.url = url if url.rstrip("/").endswith("/retrieve") else f"{url.rstrip('/')}/retrieve"
        self._seen: dict[str, Article] = {}
        self._client: httpx.Client | None = None

    def forget(self) -> None:
        """Forget all articles, for a new episode."""
        self._seen = {}

    def search(self, query: str, most: int) -> list[Hit]:
        """Ask the server.

        Raises:
            EndpointError: It is down, refuses, or answers in another form.
        """
        if self._client is None:
            self._client = httpx.Client(timeout=TIMEOUT_S)
        asked = {"queries": [query], "topk": most, "return_scores": True}
        try:
            reply = self._client.post(self.url, json=asked)
            reply.raise_for_status()
            found = reply.json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise EndpointError(
                f"the retrieval server {self.url} gave no answer: {type(error).__name__}: {error}; start it, or mend "
                "the option server"
            ) from error
        articles = self._read(found)[:most]
        self._seen |= {article.id: article for article in articles}
        return [Hit(article.id, article.title) for article in articles]

    def open(self, wanted: str) -> Article | None:
        """An article that a search of this episode has returned; None for any other."""
        return self._seen.get(wanted)

    def found(self) -> list[str]:
        """Ids of the articles that can be opened, in canonical order."""
        return sorted(self._seen)

    def close(self) -> None:
        """Close the connection; a later search opens it again."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _read(self, found: Any) -> list[Article]:
        try:
            (items,) = found["result"]
            documents = [item.get("document", item) for item in items]
            return [_article(str(document["id"]), document["contents"]) for document in documents]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise EndpointError(
                f'the retrieval server {self.url} answered {found!r:.200}; expected {{"result": [[{{"document": '
                '{"id": …, "contents": "…"}, "score": …}]]}'
            ) from error

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = type(self)(self.url)
        twin._seen = dict(self._seen)
        return twin


def _article(article_id: str, contents: str) -> Article:
    title, _, text = contents.partition("\n")
    return Article(article_id, title.strip().strip('"'), text)
