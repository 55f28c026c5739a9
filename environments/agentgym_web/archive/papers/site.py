"""The pages of the index as captures: lists by year, topic, venue and author, and a page for each paper. No search."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

from agentgym_web.archive.captures import Capture
from agentgym_web.archive.papers.index import YEARS, Paper, authors, papers, papers_of
from agentgym_web.archive.papers.words import TOPICS, VENUES

HOST = "https://papers.test"
PER_PAGE = 20
_STYLE = """
body { font: 16px/1.5 Georgia, serif; max-width: 50rem; margin: 0 auto; padding: 0 1rem 3rem; color: #222; }
header { border-bottom: 2px solid #246; padding: 1rem 0 .5rem; }
header a { margin-right: 1.2rem; }
a { color: #246; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.15rem; margin-top: 1.8rem; }
table { border-collapse: collapse; }
th { text-align: left; padding-right: 1.5rem; font-weight: normal; color: #666; }
li { margin: .3rem 0; }
.small { color: #666; font-size: .9rem; }
"""


def slug(name: str) -> str:
    """A name as a part of an address."""
    return name.lower().replace(" ", "-")


def paper_path(paper: Paper) -> str:
    """The address of a paper, without the host."""
    return f"/paper/{paper.id}"


def list_label(name: object, count: int) -> str:
    """The text of a link to a list."""
    return f"{name} ({count})"


def site() -> Iterator[Capture]:
    """All pages, and their style sheet."""
    yield Capture("GET", f"{HOST}/style.css", 200, [("Content-Type", "text/css")], _STYLE.encode())
    yield _page("/", "An index of papers", _home())
    by_year = {str(year): [each for each in papers() if each.year == year] for year in YEARS}
    by_topic = {topic: [each for each in papers() if each.topic == topic] for topic in TOPICS}
    by_venue = {venue: [each for each in papers() if each.venue == venue] for venue in VENUES}
    for kind, groups in (("year", by_year), ("topic", by_topic), ("venue", by_venue)):
        yield _page(f"/{kind}s", f"{kind.capitalize()}s", _links(kind, groups.items()))
        for name, members in groups.items():
            yield from _listing(f"/{kind}/{slug(name)}", f"{kind.capitalize()}: {name}", members)
    yield _page("/authors", "Authors", _links("author", ((name, papers_of(name)) for name in authors())))
    for name in authors():
        yield from _listing(f"/author/{slug(name)}", f"Author: {name}", papers_of(name))
    for paper in papers():
        yield _page(paper_path(paper), paper.title, _paper(paper))


def _page(path: str, title: str, body: str) -> Capture:
    nav = "".join(f'<a href="/{kind}s">{kind.capitalize()}s</a>' for kind in ("year", "topic", "venue", "author"))
    text = (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{_said(title)}</title>'
        f'<link rel="stylesheet" href="/style.css"><header><a href="/">Index</a>{nav}</header>'
        f"<main><h1>{_said(title)}</h1>{body}</main>"
    )
    return Capture("GET", HOST + path, 200, [("Content-Type", "text/html; charset=utf-8")], text.encode())


def _home() -> str:
    return (
        f"<p>{len(papers())} papers by {len(authors())} authors, from {YEARS[0]} to {YEARS[-1]}. "
        "Choose a list above. There is no search.</p>"
    )


def _links(kind: str, groups: Iterable[tuple[str, Sequence[Paper]]]) -> str:
    items = (
        f'<li><a href="/{kind}/{slug(name)}">{_said(list_label(name, len(members)))}</a></li>'
        for name, members in groups
    )
    return f"<ul>{''.join(items)}</ul>"


def _listing(path: str, title: str, members: Sequence[Paper]) -> Iterator[Capture]:
    for start in range(0, max(1, len(members)), PER_PAGE):
        number = start // PER_PAGE + 1
        shown = members[start : start + PER_PAGE]
        items = "".join(f"<li>{_entry(paper)}</li>" for paper in shown)
        more = f'<p><a href="{path}/{number + 1}">Next page</a></p>' if start + PER_PAGE < len(members) else ""
        said = f'<p class="small">Papers {start + 1} to {start + len(shown)} of {len(members)}</p>'
        yield _page(
            path if number == 1 else f"{path}/{number}", title, f'{said}<ol start="{start + 1}">{items}</ol>{more}'
        )


def _entry(paper: Paper) -> str:
    best = ", best paper" if paper.is_best else ""
    return f'<a href="{paper_path(paper)}">{_said(paper.title)}</a> {paper.year}{best}'


def _paper(paper: Paper) -> str:
    by = ", ".join(f'<a href="/author/{slug(name)}">{_said(name)}</a>' for name in paper.authors)
    rows = {
        "Authors": by,
        "Year": f'<a href="/year/{paper.year}">{paper.year}</a>',
        "Topic": f'<a href="/topic/{slug(paper.topic)}">{paper.topic}</a>',
        "Venue": f'<a href="/venue/{slug(paper.venue)}">{paper.venue}</a>',
        "Pages": str(paper.pages),
        "Code": "public" if paper.has_code else "not public",
        "Award": "best paper of the year" if paper.is_best else "none",
    }
    table = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    abstract = (
        f"{paper.problem} We propose {paper.method}, a method for {paper.topic}. On the data set {paper.data_set} it "
        f"reaches {paper.score:.1f} points, {paper.gain:.1f} more than the baseline. {paper.remark}"
    )
    parts = [f"<table>{table}</table><h2>Abstract</h2><p>{abstract}</p>"]
    for title, numbers in (("References", paper.references), ("Cited by", paper.cited_by)):
        items = "".join(f"<li>{_entry(papers()[number])}</li>" for number in numbers)
        parts.append(f"<h2>{title} ({len(numbers)})</h2>" + (f"<ol>{items}</ol>" if items else "<p>None.</p>"))
    return "".join(parts)


def _said(text: str) -> str:
    return html.escape(text, quote=False)
