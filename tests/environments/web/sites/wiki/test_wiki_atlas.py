from __future__ import annotations

import pytest

from agentgym_web.sites.wiki.articles import all_articles
from agentgym_web.sites.wiki.atlas import atlas, of_kind
from agentgym_web.sites.wiki.markup import links_in, sections_of
from agentgym_web.sites.wiki.tasks.hops import ENDS, RELATIONS


@pytest.fixture(scope="module")
def articles():
    return {article.title: article.text() for article in all_articles()}


def test_there_are_four_hundred_articles_and_no_broken_link(articles):
    assert len(articles) >= 400
    assert {title for text in articles.values() for title in links_in(text)} <= set(articles)


def test_article_links_to_what_its_relations_name(articles):
    for entity in atlas().values():
        for fact, _ in RELATIONS[entity.kind]:
            other = entity.facts[fact]
            assert other is None or other in links_in(articles[entity.title]), (entity.title, fact)


def test_article_tells_the_numbers_that_questions_end_with(articles):
    for entity in atlas().values():
        for fact, _ in ENDS.get(entity.kind, ()):
            assert str(entity.facts[fact]) in articles[entity.title], (entity.title, fact)


def test_sections_joined_are_the_text(articles):
    for text in articles.values():
        assert "".join(part for _, part in sections_of(text)) == text


def test_works_were_made_while_their_makers_lived():
    for entity in of_kind("lighthouse", "bridge", "novel", "painting", "opera"):
        maker = next(
            entity.facts[name]
            for name in ("architect", "engineer", "author", "painter", "composer")
            if name in entity.facts
        )
        year = next(entity.facts[name] for name in ("lit", "opened", "year") if name in entity.facts)
        assert atlas()[maker].facts["born"] + 15 < year <= atlas()[maker].facts["died"]
