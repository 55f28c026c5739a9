import random

import pytest

from agentgym_tools.lookup.names import PARTS, draw_names, full_names
from agentgym_tools.lookup.relations import RELATIONS, Kind


def test_name_parts_occur_once() -> None:
    parts = [part for lists in PARTS.values() for names in lists for part in names]
    assert len(set(parts)) == len(parts)
    assert all(part.isalpha() for part in parts)


@pytest.mark.parametrize("kind", RELATIONS)
def test_known_and_new_names_are_disjoint_and_use_every_part(kind: Kind) -> None:
    known, new = full_names(kind, "known"), full_names(kind, "new")
    first_parts, last_parts = PARTS[kind]
    assert not set(known) & set(new)
    assert len(known) + len(new) == len(first_parts) * len(last_parts)
    for names in (known, new):
        assert {name.split()[0] for name in names} == set(first_parts)
        assert {name.split()[1] for name in names} == set(last_parts)


def test_drawn_names_differ_from_each_other() -> None:
    names = draw_names(random.Random(5), "team", "new", 16)
    assert sorted(names) == sorted(full_names("team", "new"))
