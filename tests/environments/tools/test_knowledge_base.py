import copy
from collections import Counter

import pytest

from agentgym_tools.lookup.knowledge_base import MAX_FOUND, KnowledgeBase, draw_base
from agentgym_tools.lookup.relations import RELATIONS


@pytest.fixture
def base() -> KnowledgeBase:
    return draw_base(11, 6, "known")


def test_draw_base_gives_every_entity_every_relation_of_its_kind(base: KnowledgeBase) -> None:
    for kind, names in base.entities.items():
        assert len(names) == len(set(names)) == 6
        for name in names:
            assert set(base.facts[name]) == set(RELATIONS[kind])
            for relation, value in base.facts[name].items():
                assert value in base.entities[RELATIONS[kind][relation]]
                assert value != name


def test_draw_base_is_a_function_of_its_arguments() -> None:
    draw_base.cache_clear()
    first = draw_base(3, 5, "known").facts
    draw_base.cache_clear()
    assert draw_base(3, 5, "known").facts == first
    assert draw_base(4, 5, "known").facts != first


def test_values_are_spread_over_all_positions() -> None:
    places: Counter[int] = Counter()
    for seed in range(400):
        base = draw_base(seed, 5, "known")
        start = base.entities["person"][0]
        places[base.entities["place"].index(base.facts[start]["home"])] += 1
    assert set(places) == {0, 1, 2, 3, 4}
    assert max(places.values()) < 120  # 80 expected; 5 standard deviations


def test_find_ignores_case_and_spacing_only(base: KnowledgeBase) -> None:
    name = base.entities["person"][0]
    assert base.find(f"  {name.upper().replace(' ', '   ')} ") == name
    for text in ("", " ", name.split()[0], name + ".", name + ", " + name, f'"{name}"'):
        assert base.find(text) is None


def test_search_finds_whole_words_only(base: KnowledgeBase) -> None:
    name = base.entities["team"][2]
    first, last = name.split()
    assert name in base.search(last.lower())
    assert base.search(f"{last} {first}") == [name]
    for query in ("", "   ", last[:-1], "*", "%", ".*", f"{first} nobody"):
        assert base.search(query) == []


def test_search_is_bounded() -> None:
    assert all(len(draw_base(1, 16, "known").search(part)) <= MAX_FOUND for part in ("Red", "Port", "Last", "Foxes"))


def test_deep_copies_share_the_base(base: KnowledgeBase) -> None:
    assert copy.deepcopy(base) is base


def test_draw_base_refuses_more_names_than_there_are() -> None:
    with pytest.raises(ValueError, match="larger than population"):
        draw_base(0, 17, "new")
