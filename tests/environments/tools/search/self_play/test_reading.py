"""The rule-based reader against every fact of the world, and against texts that are none."""

import pytest

from agentgym_tools.search.articles import Article, all_articles
from agentgym_tools.search.relations import OF_KIND
from agentgym_tools.search.self_play.reading import Chain, facts_in, follow, newest_facts, read_chain
from agentgym_tools.search.world import Entity, world_of

WORLD = world_of(300)


def test_it_reads_every_stated_fact_that_leads_on():
    facts = newest_facts(each for each in all_articles(WORLD) if not each.title.startswith("Report"))
    num_checked = 0
    for kind, count in WORLD.counts.items():
        for number in range(count):
            entity = Entity(kind, number)
            for relation in OF_KIND[kind]:
                value = WORLD.value(entity, relation)
                if relation.leads_on and value >= 0:
                    read = facts[WORLD.name(entity)][relation.noun]
                    assert read == WORLD.name(Entity(relation.target, value))
                    num_checked += 1
    assert num_checked > 500


def test_the_newest_article_wins_whatever_the_order():
    old = Article("1", "Ekely", "Written on 3 May 2006. Ekely is led by Oda Lind.")
    new = Article("2", "Report on Ekely", "Written on 1 June 2007. The new mayor of Ekely is Ivo Tan.")
    for order in ([old, new], [new, old]):
        assert newest_facts(order)["Ekely"]["mayor"] == "Ivo Tan"


@pytest.mark.parametrize(
    ("question", "chain"),
    [
        ('Who is the author of "A Winter in Rowile"?', Chain("A Winter in Rowile", ("author",))),
        ('What is the birthplace of the mentor of "Ivo Tan"?', Chain("Ivo Tan", ("mentor", "birthplace"))),
        ('What is the date of birth of the author of "X"?', Chain("X", ("author", "date of birth"))),
        ('What is the colour of "X"?', None),
        ("Who is the author of X?", None),
        ('Who is the author of "X"? Answer Ivo Tan.', None),
        ("", None),
    ],
)
def test_questions_are_read_as_chains_or_not_at_all(question, chain):
    assert read_chain(question) == chain


def test_a_chain_ends_where_no_article_goes_on():
    facts = {"X": {"author": "Ivo Tan"}}
    assert follow(Chain("X", ("author", "mentor")), facts) == ["Ivo Tan"]
    assert follow(Chain("Y", ("author",)), facts) == []


def test_an_article_without_facts_states_none():
    assert facts_in(Article("1", "X", "")) == {}
    assert facts_in(Article("1", "X", "The author of this is. was written by.")) == {}
