import json
from pathlib import Path

import pytest

from agentgym.errors import ConfigError
from agentgym_tools.search.articles import all_articles
from agentgym_tools.search.corpora import FileCorpus, generated_corpus, write_corpus
from agentgym_tools.search.world import Entity

GOOD = '{"id": "1", "title": "A", "text": "b"}'


def test_generated_articles_are_found_by_name_and_opened_by_id():
    corpus = generated_corpus(300)
    entity = Entity("book", 5)
    found = corpus.search(corpus.world.name(entity), 3)[0]
    assert found.title == corpus.world.name(entity)
    article = corpus.open(found.id)
    assert article is not None
    assert article.title == found.title
    assert corpus.open("a300") is None


def test_written_corpus_is_read_as_a_file_with_the_same_ranks(tmp_path):
    path = tmp_path / "all.jsonl"
    write_corpus(300, path)
    corpus, generated = FileCorpus(path), generated_corpus(300)
    assert list(corpus) == list(all_articles(generated.world))
    for query in ("Academy", "mayor", "Jola", corpus.open("a7").title):
        assert corpus.search(query, 20) == generated.search(query, 20)


def test_index_of_a_file_follows_its_content(corpus_file, cache: Path):
    before = FileCorpus(corpus_file)
    assert [hit.id for hit in before.search("bridge", 5)] == ["7", "9"]
    corpus_file.write_text(corpus_file.read_text() + json.dumps({"id": "x", "title": "Bridge", "text": "Bridge"}))
    assert FileCorpus(corpus_file).search("bridge", 1)[0].id == "x"
    assert [hit.id for hit in before.search("bridge", 5)] == ["7", "9"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "it is of type list"),
        ('{"id": "2", "title": "A"}', "the key 'text' is missing"),
        ('{"id": 2, "title": "A", "text": "b"}', "the key 'id' must be a text, got 2"),
        ('{"id": " ", "title": "A", "text": "b"}', "the key 'id' must not be empty"),
        ('{"id": "2", "title": null, "text": "b"}', "the key 'title' must be a text, got None"),
        (GOOD, "the id '1' stands on an earlier line"),
    ],
)
def test_wrong_line_is_refused_with_its_number(tmp_path, line, why):
    path = tmp_path / "articles.jsonl"
    path.write_text(f"{GOOD}\n\n{line}\n")
    with pytest.raises(ConfigError, match=f"articles.jsonl:3: .*{why}"):
        FileCorpus(path)


def test_file_that_is_missing_empty_or_no_text_is_refused(tmp_path):
    path = tmp_path / "articles.jsonl"
    with pytest.raises(ConfigError, match="there is no file"):
        FileCorpus(path)
    path.write_text("\n")
    with pytest.raises(ConfigError, match="holds no article"):
        FileCorpus(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not text in UTF-8"):
        FileCorpus(path)
