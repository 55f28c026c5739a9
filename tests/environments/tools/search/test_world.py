import hashlib
import json

import numpy as np
import pytest

from agentgym.errors import ConfigError
from agentgym_tools.search.articles import all_articles, article_id, article_number, value_text, write_article
from agentgym_tools.search.names import KINDS, NUM_WORDS, word
from agentgym_tools.search.relations import CHANGING, RELATIONS
from agentgym_tools.search.world import Entity, World, world_of

SMALL = 300
DIGEST = "5f5591174658fd91c3003c2bd3f6e46f6092cbf2379f342a836b6c1d3c47e017"


@pytest.fixture(scope="module")
def world() -> World:
    return world_of(SMALL)


def entities(world: World) -> list[Entity]:
    return [Entity(kind, number) for kind in KINDS for number in range(world.counts[kind])]


def test_articles_of_a_seed_never_change(world):
    texts = json.dumps([list(article) for article in all_articles(world)], ensure_ascii=False)
    assert hashlib.sha256(texts.encode()).hexdigest() == DIGEST
    assert list(all_articles(World(SMALL, seed=1))) != list(all_articles(world))


def test_names_and_words_are_unique():
    large = world_of(50_000)
    names = [large.name(entity) for entity in entities(large)]
    assert len(set(names)) == len(names) == 40_000
    assert len({word(number) for number in range(NUM_WORDS)}) == NUM_WORDS


def test_each_article_is_about_one_entity_or_report(world):
    subjects = [world.subject(number) for number in range(SMALL)]
    assert {subject for subject in subjects if isinstance(subject, Entity)} == set(entities(world))
    assert sorted(subject for subject in subjects if isinstance(subject, int)) == list(range(world.num_reports))
    assert all(world.article_of(entity) == subjects.index(entity) for entity in entities(world)[::7])


def test_each_lasting_fact_stands_in_one_article_only(world):
    texts = [article.text for article in all_articles(world)]
    for entity in entities(world):
        name, own = world.name(entity), texts[world.article_of(entity)]
        for relation in RELATIONS:
            if relation.kind != entity.kind:
                continue
            value = world.value(entity, relation)
            marks = {sentence.split("{v}")[0].split("{s}")[-1].strip() for sentence in relation.sentences}
            if value < 0:
                assert relation.noun not in own
            else:
                assert value_text(world, relation, value) in own
                assert any(mark in own for mark in marks)
        others = [text for text in texts if name in text and text is not own]
        assert len(others) <= world.num_mentions(entity)


def test_mentions_are_counted_as_a_slow_loop_counts_them(world):
    goal = max(entities(world), key=world.num_mentions)
    facts = [(one, relation) for one in entities(world) for relation in RELATIONS if relation.kind == one.kind]
    named = sum(relation.target == goal.kind and world.value(one, relation) == goal.number for one, relation in facts)
    for number in range(world.num_reports):
        about, relation, said = world.report(number)
        named += about == goal
        named += relation.target == goal.kind and said.value == goal.number
    assert world.num_mentions(goal) == named > 5


def test_statements_go_from_the_oldest_to_the_newest_and_name_articles_that_make_them(world):
    changed = 0
    for relation in CHANGING:
        for entity in (one for one in entities(world) if one.kind == relation.kind):
            said = world.statements(entity, relation)
            assert [each.day for each in said] == sorted(each.day for each in said)
            changed += len(said) > 1
            for each in said:
                article = write_article(world, each.article)
                assert world.name(entity) in article.title
                assert value_text(world, relation, each.value) in article.text
    assert changed > 20


def test_reports_are_newer_or_older_than_the_article(world):
    newest_is_report = [
        world.subject(world.statements(about, relation)[-1].article) != about
        for about, relation, _ in map(world.report, range(world.num_reports))
    ]
    assert 0.3 < np.mean(newest_is_report) < 0.98


@pytest.mark.parametrize("text", ["a300", "a-1", "a01", "b1", "a", "", "17", "a1.0", "a²", "a" + "9" * 50, "__class__"])
def test_id_of_no_article_has_no_number(text):
    assert article_number(text, SMALL) is None
    assert article_number(article_id(299), SMALL) == 299


@pytest.mark.parametrize("number", [199, 100_001, 300.0, True, -1])
def test_world_of_a_wrong_size_is_refused(number):
    with pytest.raises(ConfigError, match="articles must be an int from 200 to 100000"):
        World(number)
