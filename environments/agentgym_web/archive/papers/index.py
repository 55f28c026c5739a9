"""The 300 papers themselves, drawn from a fixed seed: who wrote what, when, where, about what, and citing whom."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache

from agentgym_web.archive.papers.words import (
    ADJECTIVES,
    DATA_SETS,
    FIRST_NAMES,
    LAST_NAMES,
    METHODS,
    NOUNS,
    PROBLEMS,
    REMARKS,
    SETTINGS,
    TOPICS,
    VENUES,
)

NUM_PAPERS = 300
NUM_AUTHORS = 64
YEARS = range(2017, 2027)
_SEED = "papers 1"


@dataclass(frozen=True)
class Paper:
    """One paper.

    Attributes:
        number: From 0, in order of years.
        title: Unique.
        authors: Names, in the order of the paper.
        year: Of publication.
        topic: One of TOPICS.
        venue: One of VENUES.
        pages: Its length.
        method: What it proposes.
        data_set: What it reports a score on.
        score: With one decimal.
        gain: Points above the baseline, with one decimal.
        has_code: Whether its code is public.
        is_best: Whether it was the best paper of its year.
        problem: First sentence of its abstract.
        remark: Last sentence of its abstract.
        references: Numbers of earlier papers that it cites.
        cited_by: Numbers of later papers that cite it.
    """

    number: int
    title: str
    authors: tuple[str, ...]
    year: int
    topic: str
    venue: str
    pages: int
    method: str
    data_set: str
    score: float
    gain: float
    has_code: bool
    is_best: bool
    problem: str
    remark: str
    references: tuple[int, ...]
    cited_by: list[int] = field(default_factory=list, hash=False)

    @property
    def id(self) -> str:
        """What its address ends with, such as "2021-014"."""
        return f"{self.year}-{self.number:03}"


@cache
def papers() -> tuple[Paper, ...]:
    """All papers, in order of years."""
    rng = random.Random(_SEED)
    names = _names(rng)
    years = sorted(rng.choices(YEARS, k=NUM_PAPERS))
    titles: set[str] = set()
    found: list[Paper] = []
    best: set[int] = set()
    for number, year in enumerate(years):
        topic = rng.choice(TOPICS)
        earlier = [paper for paper in found if paper.year < year]
        near = [paper for paper in earlier if paper.topic == topic]
        wanted = rng.randint(2, 6)
        cited = {each.number for each in rng.sample(near, min(len(near), wanted // 2 + 1))}
        cited |= {each.number for each in rng.sample(earlier, min(len(earlier), wanted - len(cited)))}
        paper = Paper(
            number=number,
            title=_title(rng, topic, titles),
            authors=tuple(_draw_authors(rng, names)),
            year=year,
            topic=topic,
            venue=rng.choice(VENUES),
            pages=rng.randint(4, 38),
            method=rng.choice(METHODS),
            data_set=rng.choice(DATA_SETS),
            score=rng.randint(300, 950) / 10,
            gain=rng.randint(4, 120) / 10,
            has_code=rng.random() < 0.55,
            is_best=year not in best and rng.random() < 0.12,
            problem=rng.choice(PROBLEMS),
            remark=rng.choice(REMARKS),
            references=tuple(sorted(cited)),
        )
        if paper.is_best:
            best.add(year)
        found.append(paper)
        for other in paper.references:
            found[other].cited_by.append(number)
    return tuple(found)


def authors() -> list[str]:
    """The authors, by last name."""
    return sorted({name for paper in papers() for name in paper.authors}, key=by_last_name)


def papers_of(author: str) -> list[Paper]:
    """The papers of an author, in order of years."""
    return [paper for paper in papers() if author in paper.authors]


def by_last_name(name: str) -> tuple[str, str]:
    """What names are sorted by."""
    first, _, last = name.partition(" ")
    return last, first


def _names(rng: random.Random) -> list[str]:
    pairs = [f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES]
    return rng.sample(pairs, NUM_AUTHORS)


def _draw_authors(rng: random.Random, names: list[str]) -> list[str]:
    """One to four authors; those in front of the list write more."""
    weights = [1 / (3 + rank**0.6) for rank in range(len(names))]
    chosen: list[str] = []
    wanted = rng.randint(1, 4)
    while len(chosen) < wanted:
        [name] = rng.choices(names, weights)
        if name not in chosen:
            chosen.append(name)
    return chosen


def _title(rng: random.Random, topic: str, taken: set[str]) -> str:
    while True:
        title = f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS[topic])} {rng.choice(SETTINGS)}"
        if title not in taken:
            taken.add(title)
            return title
