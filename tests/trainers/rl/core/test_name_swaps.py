import numpy as np
import pytest

from agentgym.errors import ConfigError
from agentgym.prompting.tiny import build_tokenizer
from agentgym_rl.core.cloning import NameSwaps

PEOPLE, TOWNS = ("Anna Berg", "Otto Lind", "Ida Moe"), ("Upper Sand", "Lower Sand")


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer(["who lives in"], names=[*PEOPLE, *TOWNS])


def renamed(tokenizer, text, table):
    return tokenizer.decode(table[tokenizer.encode(text, add_special_tokens=False)])


def test_names_change_within_their_group_and_everywhere_alike(tokenizer) -> None:
    swaps, rng = NameSwaps([PEOPLE, TOWNS], tokenizer), np.random.default_rng(0)
    text = "Anna Berg lives in Upper Sand\nAnna Berg"
    seen = set()
    for _ in range(50):
        found = renamed(tokenizer, text, swaps.draw(rng))
        first, _, town = found.partition(" lives in ")
        town, _, second = town.partition("\n")
        assert first == second in PEOPLE
        assert town in TOWNS
        seen.add((first, town))
    assert seen == {(person, town) for person in PEOPLE for town in TOWNS}


def test_names_of_several_tokens_stay(tokenizer) -> None:
    swaps, rng = NameSwaps([(*PEOPLE, "Anna Moe"), ["Sandy"]], tokenizer), np.random.default_rng(0)
    for _ in range(20):
        assert renamed(tokenizer, "Anna Moe lives in Sandy", swaps.draw(rng)) == "Anna Moe lives in Sandy"


def test_name_within_a_longer_word_is_none(tokenizer) -> None:
    text = "Anna Bergman lives in Upper Sands, Otto Lind in Upper Sand."
    read = [tokenizer.decode([token]) for token in tokenizer.encode(text)]
    assert "".join(read) == text
    assert [name for name in (*PEOPLE, *TOWNS) if name in read] == ["Otto Lind", "Upper Sand"]


def test_names_that_are_no_tokens_are_refused(tokenizer) -> None:
    with pytest.raises(ConfigError, match=r"needs names in NAMES .* as single tokens"):
        NameSwaps([["Bo", "Cy"]], tokenizer)
    with pytest.raises(ConfigError, match="swap_names needs names"):
        NameSwaps([], tokenizer)
