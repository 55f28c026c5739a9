"""Questions about the index, drawn by template, each with its answer and a way through the pages that finds it.

Which questions a suite has is in `generate`; answers are compared as on the sites (`sites.core.verify`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_web.archive.papers.index import Paper, papers, papers_of
from agentgym_web.archive.papers.site import PER_PAGE, list_label

Step = list[Any]
Pool = Sequence[Paper]
ONE_PAGE, SEVERAL_PAGES, COMPARISON, COUNT = "one_page", "several_pages", "comparison", "count"


@dataclass(frozen=True)
class Question:
    """A question of fixed truth.

    Attributes:
        text: What is asked.
        kind: "text" or "number".
        answer: The truth.
        walkthrough: Clicks that show what the answer takes, for the sites' `Walker`.
    """

    text: str
    kind: str
    answer: str | float
    walkthrough: list[Step]

    def private(self, template: str) -> dict[str, Any]:
        """The private part of its task."""
        return {
            "template": template,
            "answer": {"kind": self.kind, "value": self.answer, "also": []},
            "walkthrough": [*self.walkthrough, ["answer", self.answer]],
        }


Template = Callable[[random.Random, Pool], Question | None]
"""Draws a question about papers of a pool; None where the draw has no clear answer."""


def venue_of(rng: random.Random, pool: Pool) -> Question:
    """One line of a paper's page."""
    paper = rng.choice(pool)
    return _text(f"At which venue did {_named(paper)} appear?", paper.venue, to_paper(paper))


def data_set_of(rng: random.Random, pool: Pool) -> Question:
    """A name in an abstract."""
    paper = rng.choice(pool)
    return _text(f"On which data set does {_named(paper)} report its score?", paper.data_set, to_paper(paper))


def score_of(rng: random.Random, pool: Pool) -> Question:
    """A number in an abstract, beside another one."""
    paper = rng.choice(pool)
    text = f"How many points does {_named(paper)} reach on its data set, as its abstract says?"
    return Question(text, "number", paper.score, to_paper(paper))


def pages_of(rng: random.Random, pool: Pool) -> Question:
    """A number in a table."""
    paper = rng.choice(pool)
    return Question(f"How many pages has {_named(paper)}?", "number", paper.pages, to_paper(paper))


def paper_by(rng: random.Random, pool: Pool) -> Question | None:
    """A paper by its author, topic and year."""
    paper = rng.choice(pool)
    author = rng.choice(paper.authors)
    alike = [each for each in papers_of(author) if (each.topic, each.year) == (paper.topic, paper.year)]
    text = f"Which paper by {author} of {paper.year} is about {paper.topic}? Give its title."
    return (
        _text(text, paper.title, [*to_author(author), *_page_of(papers_of(author), paper)]) if len(alike) == 1 else None
    )


def oldest_reference(rng: random.Random, pool: Pool) -> Question | None:
    """The oldest of the papers that a paper cites."""
    paper = rng.choice(pool)
    cited = sorted((papers()[number] for number in paper.references), key=lambda each: each.year)
    if len(cited) < 2 or cited[0].year == cited[1].year:
        return None
    text = f"Which is the oldest paper that {_named(paper)} cites? Give its title."
    return _text(text, cited[0].title, to_paper(paper))


def shared_author(rng: random.Random, pool: Pool) -> Question | None:
    """Who wrote two papers."""
    paper = rng.choice(pool)
    author = rng.choice(paper.authors)
    others = [each for each in papers_of(author) if each is not paper]
    if not others:
        return None
    other = rng.choice(others)
    if len({*paper.authors} & {*other.authors}) != 1:
        return None
    text = f"Who is an author both of {_named(paper)} and of {_named(other)}?"
    return _text(text, author, [*to_paper(paper), *to_paper(other)])


def cited_venue(rng: random.Random, pool: Pool) -> Question | None:
    """A cited paper by its venue."""
    paper = rng.choice(pool)
    cited = [papers()[number] for number in paper.references]
    if not cited:
        return None
    wanted = rng.choice(cited)
    if sum(each.venue == wanted.venue for each in cited) != 1:
        return None
    text = f"Which paper that {_named(paper)} cites appeared at {wanted.venue}? Give its title."
    walk = [step for each in cited for step in (*to_paper(paper), ["click", "link", each.title])]
    return _text(text, wanted.title, walk) if len(cited) <= 4 else None


def more_pages(rng: random.Random, pool: Pool) -> Question | None:
    """The longer of two papers."""
    first, second = rng.sample(list(pool), 2)
    if first.pages == second.pages:
        return None
    longer = first if first.pages > second.pages else second
    text = f"Which has more pages, {_named(first)} or {_named(second)}? Give its title."
    return _text(text, longer.title, [*to_paper(first), *to_paper(second)])


def more_cited(rng: random.Random, pool: Pool) -> Question | None:
    """The paper of two that is cited more often."""
    first, second = rng.sample(list(pool), 2)
    if len(first.cited_by) == len(second.cited_by):
        return None
    more = first if len(first.cited_by) > len(second.cited_by) else second
    text = f"Which is cited by more papers of the index, {_named(first)} or {_named(second)}? Give its title."
    return _text(text, more.title, [*to_paper(first), *to_paper(second)])


def higher_score(rng: random.Random, pool: Pool) -> Question | None:
    """The better of two papers on one data set."""
    first = rng.choice(pool)
    alike = [each for each in papers() if each.data_set == first.data_set and each.score != first.score]
    if not alike:
        return None
    second = rng.choice(alike)
    better = first if first.score > second.score else second
    text = f"Which reaches more points on {first.data_set}, {_named(first)} or {_named(second)}? Give its title."
    return _text(text, better.title, [*to_paper(first), *to_paper(second)])


def papers_on(rng: random.Random, pool: Pool) -> Question | None:
    """How many papers of a year have a topic."""
    paper = rng.choice(pool)
    alike = [each for each in papers() if (each.topic, each.year) == (paper.topic, paper.year)]
    text = f"How many papers of {paper.year} are about {paper.topic}?"
    return Question(text, "number", len(alike), _through("topic", paper.topic))


def papers_at(rng: random.Random, pool: Pool) -> Question | None:
    """How many papers an author has at a venue."""
    paper = rng.choice(pool)
    author = rng.choice(paper.authors)
    own = papers_of(author)
    if len(own) > 9:
        return None
    count = sum(each.venue == paper.venue for each in own)
    walk = [step for each in own for step in (*to_author(author), ["click", "link", each.title])]
    return Question(f"How many papers of {author} appeared at {paper.venue}?", "number", count, walk)


def cited_with_code(rng: random.Random, pool: Pool) -> Question | None:
    """How many of the papers that a paper cites have public code."""
    paper = rng.choice(pool)
    cited = [papers()[number] for number in paper.references]
    if not 2 <= len(cited) <= 4:
        return None
    walk = [step for each in cited for step in (*to_paper(paper), ["click", "link", each.title])]
    text = f"How many of the papers that {_named(paper)} cites have public code?"
    return Question(text, "number", sum(each.has_code for each in cited), walk)


def latest_citing(rng: random.Random, pool: Pool) -> Question | None:
    """The last paper that cites another."""
    paper = rng.choice(pool)
    citing = sorted((papers()[number] for number in paper.cited_by), key=lambda each: -each.year)
    if len(citing) < 2 or citing[0].year == citing[1].year:
        return None
    text = f"Which is the latest paper that cites {_named(paper)}? Give its title."
    return _text(text, citing[0].title, to_paper(paper))


def num_coauthors(rng: random.Random, pool: Pool) -> Question | None:
    """How many people an author has written with."""
    author = rng.choice(rng.choice(pool).authors)
    own = papers_of(author)
    if len(own) > 7:
        return None
    others = {name for each in own for name in each.authors} - {author}
    walk = [step for each in own for step in (*to_author(author), ["click", "link", each.title])]
    return Question(f"With how many different people has {author} written papers?", "number", len(others), walk)


def best_topic(rng: random.Random, pool: Pool) -> Question | None:
    """What the best paper of a year is about."""
    paper = rng.choice([each for each in papers() if each.is_best])
    text = f"What is the topic of the best paper of {paper.year}?"
    return _text(text, paper.topic, to_paper(paper))


KNOWN: Mapping[str, Sequence[Template]] = {
    ONE_PAGE: (venue_of, data_set_of, score_of, pages_of),
    SEVERAL_PAGES: (paper_by, oldest_reference, shared_author, cited_venue),
    COMPARISON: (more_pages, more_cited, higher_score),
    COUNT: (papers_on, papers_at, cited_with_code),
}
"""Templates that training has, by kind."""
HELD_OUT: Sequence[Template] = (latest_citing, num_coauthors, best_topic)
"""Templates that only the test split has."""


def pool_of(split: str) -> Pool:
    """The papers that the questions of a split are about; splits share none."""
    shares = {"train": range(6), "validation": (6,), "test": (7, 8, 9)}
    return [paper for paper in papers() if paper.number * 7 % 10 in shares[split]]


def to_paper(paper: Paper) -> list[Step]:
    """Clicks from any page to a paper, through the list of its year."""
    of_year = [each for each in papers() if each.year == paper.year]
    return [*_to("year", str(paper.year)), *_page_of(of_year, paper), ["click", "link", paper.title]]


def to_author(name: str) -> list[Step]:
    """Clicks from any page to the list of an author's papers."""
    return [["click", "link", "Authors"], ["click", "link", list_label(name, len(papers_of(name)))]]


def _through(kind: str, name: str) -> list[Step]:
    return [*_to(kind, name), *[["click", "link", "Next page"]] * ((len(_members(kind, name)) - 1) // PER_PAGE)]


def _to(kind: str, name: str) -> list[Step]:
    label = list_label(name, len(_members(kind, name)))
    return [["click", "link", f"{kind.capitalize()}s"], ["click", "link", label]]


def _members(kind: str, name: str) -> list[Paper]:
    return [paper for paper in papers() if str(getattr(paper, kind)) == name]


def _page_of(members: Sequence[Paper], paper: Paper) -> list[Step]:
    return [["click", "link", "Next page"]] * (members.index(paper) // PER_PAGE)


def _named(paper: Paper) -> str:
    return f'"{paper.title}" ({paper.year})'


def _text(text: str, answer: str, walkthrough: list[Step]) -> Question:
    return Question(text, "text", answer, walkthrough)
