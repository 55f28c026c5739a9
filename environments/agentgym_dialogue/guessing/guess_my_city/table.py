"""What the partner knows: cities, and for each a short text about every topic.

The tables lie in tasks/dialogue/guess-my-city; how a question is understood is the work of `grammar`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from agentgym.data_folder import data_folder
from agentgym.errors import TaskError

_OF_COUNTRIES = ("continent", "language", "currency", "religion", "government", "driving", "hemisphere")
_OF_CITIES = ("region", "capital", "population", "climate", "terrain", "water", "river", "food", "landmark", "industry")
TOPICS = (*_OF_COUNTRIES, *_OF_CITIES, "history", "known")
NOTHING = "none"
"""The text of a topic where there is nothing to tell, such as a river."""


@dataclass(frozen=True)
class City:
    """One city.

    Attributes:
        name: Its name.
        country: Name of its country.
        facts: A text for every topic.
        aliases: Other names that are taken for it.
        country_names: All names of its country.
        adjectives: Such as "French".
    """

    name: str
    country: str
    facts: Mapping[str, str]
    aliases: tuple[str, ...]
    country_names: tuple[str, ...]
    adjectives: tuple[str, ...]

    @property
    def millions(self) -> float:
        """People, in millions."""
        return float(self.facts["population"])

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every name that the partner must not say."""
        return self.name, *self.aliases, *self.country_names


def rows(name: str) -> Iterator[list[str]]:
    """Rows of one of the game's tables, comments left out."""
    path = data_folder("tasks") / "dialogue" / "guess-my-city" / f"{name}.tsv"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


@cache
def cities() -> Mapping[str, City]:
    """All cities by name."""
    countries = {row[0]: row for row in rows("countries")}
    return {row[0]: _city(row, countries[row[1]]) for row in rows("cities")}


def city(name: str) -> City:
    """The city of a name.

    Raises:
        TaskError: There is none.
    """
    try:
        return cities()[name]
    except KeyError:
        raise TaskError(f"{name!r} is not one of the {len(cities())} cities of guess my city") from None


def _city(row: list[str], country: list[str]) -> City:
    (region, capital, population, climate, terrain, water, river, food), rest = row[2:10], row[10:]
    landmark, industry, history, known, aliases = rest
    texts = (region, capital, population, climate, terrain, water, river, food, landmark, industry)
    facts = dict(zip(_OF_COUNTRIES, country[1:8], strict=True)) | dict(zip(_OF_CITIES, texts, strict=True))
    facts |= {"history": history, "known": known}
    return City(row[0], row[1], facts, _listed(aliases), (row[1], *_listed(country[9])), _listed(country[8]))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(", ") if part)
