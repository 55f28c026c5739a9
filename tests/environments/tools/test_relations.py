import pytest

from agentgym_tools.lookup.relations import (
    HELD_OUT_PAIRS,
    KIND_OF_VALUE,
    MAX_HOPS,
    RELATIONS,
    chains,
    phrase,
    start_kind,
)


@pytest.mark.parametrize("hops", range(1, MAX_HOPS + 1))
def test_chains_only_join_relations_that_fit(hops: int) -> None:
    for chain in (*chains(hops), *chains(hops, held_out=True)):
        kind = start_kind(chain)
        for relation in chain:
            kind = RELATIONS[kind][relation]
        assert len(chain) == hops
        assert kind == KIND_OF_VALUE[chain[-1]]


@pytest.mark.parametrize("hops", range(2, MAX_HOPS + 1))
def test_chains_split_into_known_and_held_out_without_overlap(hops: int) -> None:
    known, held_out = set(chains(hops)), set(chains(hops, held_out=True))
    assert not known & held_out
    assert held_out
    assert len(known) > len(held_out) or hops > 2


def test_held_out_pairs_are_made_of_relations_that_training_shows_in_both_places() -> None:
    first = {pair[0] for pair in chains(2)}
    second = {pair[1] for pair in chains(2)}
    for pair in HELD_OUT_PAIRS:
        assert pair in chains(2, held_out=True)
        assert pair[0] in first
        assert pair[1] in second


def test_chains_of_one_hop_are_never_held_out() -> None:
    assert len(chains(1)) == len(KIND_OF_VALUE)
    assert chains(1, held_out=True) == ()


def test_phrase_names_the_last_relation_first() -> None:
    assert phrase(("team", "captain"), "Mara Velin") == 'Who is the captain of the team of "Mara Velin"?'
    assert phrase(("author", "home"), "Last Crown") == 'What is the home of the author of "Last Crown"?'


def test_relation_names_belong_to_one_kind_each() -> None:
    assert len(KIND_OF_VALUE) == sum(len(targets) for targets in RELATIONS.values())
