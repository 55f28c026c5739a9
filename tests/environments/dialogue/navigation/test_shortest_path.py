from __future__ import annotations

from agentgym_dialogue.navigation.shortest_path import distances_from

GRAPH = {"a": "bc", "b": "d", "c": "d", "d": "ea", "e": "", "f": "a"}


def test_distances_are_the_fewest_edges_and_leave_out_what_cannot_be_reached():
    assert distances_from("a", GRAPH.__getitem__) == {"a": 0, "b": 1, "c": 1, "d": 2, "e": 3}
    assert distances_from("e", GRAPH.__getitem__) == {"e": 0}
