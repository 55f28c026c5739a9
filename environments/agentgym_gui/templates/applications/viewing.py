"""Templates for the viewers, where what is seen is told: pictures in Ristretto, papers in Atril."""

from __future__ import annotations

import random

from agentgym_gui.templates.making import pdf_file, png_file
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, click, finish, press
from agentgym_gui.templates.words import COLOURS, THINGS, TOPICS, TOWNS, person, sentences, some

PAPERS, PICTURES = "atril", "ristretto"
_SHADES = {"blue": (40, 70, 200), "green": (40, 160, 60), "red": (200, 40, 40), "yellow": (230, 210, 50)}
TRASH = ".local/share/Trash/*"


def _turned(count: int, application: str) -> Steps:
    """Further pages of a paper, or pictures of a folder."""
    return (press("ctrl+Page_Down" if application == PAPERS else "Page_Down"),) * count


def _told(
    words: str, application: str, path: str, files: dict[str, bytes], answers: tuple[str, str], pages: int = 0
) -> Plan:
    right, wrong = answers
    return Plan(
        goal=words,
        applications=(application,),
        start=((application, f"~/{path}"),),
        files=files,
        goals=(goal("answer", "answer", words=right),),
        oracle=(*_turned(pages, application), finish(right)),
        ending=Ending(answer=right),
        near_misses=(Ending(answer=wrong), Ending(), Ending({path: None}, answer=right)),
    )


def _total(rng: random.Random) -> Plan:
    things = some(rng, THINGS, 4)
    prices = [rng.randrange(10, 400) for _ in things]
    lines = [
        f"Invoice of {person(rng)}",
        *(f"{thing}: {price} EUR" for thing, price in zip(things, prices, strict=True)),
    ]
    path = "Documents/invoice.pdf"
    words = (
        "The invoice that is open has no total. How much do its four items cost together? Answer with the number alone."
    )
    return _told(words, PAPERS, path, {path: pdf_file([lines])}, (str(sum(prices)), str(sum(prices) - prices[0])))


def _page(rng: random.Random) -> Plan:
    count, number = 6, rng.randrange(2, 6)
    town = rng.choice(TOWNS)
    pages = [[f"Page {page}", *sentences(rng, 3)] for page in range(1, count + 1)]
    pages = [[line.replace(town, "Northfield") for line in lines] for lines in pages]
    pages[number - 1].append(f"The office in {town} closes at noon.")
    path = "Documents/report.pdf"
    words = f'On which page of the open paper does the office in "{town}" stand? Answer with the number alone.'
    return _told(words, PAPERS, path, {path: pdf_file(pages)}, (str(number), str(number + 1)), number - 1)


def _phone(rng: random.Random) -> Plan:
    people = [person(rng) for _ in range(8)]
    numbers = [str(rng.randrange(100_000, 999_999)) for _ in people]
    lines = [f"{name}: {number}" for name, number in zip(people, numbers, strict=True)]
    place = people.index(rng.choice(people))
    path = "Documents/phones.pdf"
    words = f"What is the phone number of {people[place]} in the open paper? Answer with the number alone."
    answers = numbers[place], numbers[place - 1]
    return _told(words, PAPERS, path, {path: pdf_file([lines[:4], lines[4:]])}, answers, place // 4)


def _pages(rng: random.Random) -> Plan:
    count = rng.randrange(3, 12)
    path = f"Documents/{rng.choice(TOPICS)}.pdf"
    pages = [[f"Part {number}"] for number in range(count)]
    words = "How many pages does the open paper have? Answer with the number alone."
    return _told(words, PAPERS, path, {path: pdf_file(pages)}, (str(count), str(count - 1)))


def _album(rng: random.Random) -> dict[str, bytes]:
    """Four pictures of different colours and sizes."""
    names = some(rng, TOWNS, 4)
    shades = rng.sample(sorted(_SHADES), 4)
    return {
        f"Pictures/{name.lower()}.png": png_file(rng.randrange(20, 60) * 10, rng.randrange(20, 50) * 10, _SHADES[shade])
        for name, shade in zip(names, shades, strict=True)
    }


def _shade_of(content: bytes, files: dict[str, bytes]) -> str:
    """The colour of a picture, found by drawing it again."""
    width, height = (int.from_bytes(content[start : start + 4], "big") for start in (16, 20))
    return next(name for name, shade in _SHADES.items() if png_file(width, height, shade) == content)


def _which(rng: random.Random) -> Plan:
    files = _album(rng)
    path, other = rng.sample(sorted(files), 2)
    shade = _shade_of(files[path], files)
    first = min(files)
    words = f"Which of the pictures in Pictures is {shade}? The first is open. Answer with the name of its file alone."
    answers = path.rpartition("/")[2], other.rpartition("/")[2]
    return _told(words, PICTURES, first, files, answers, sorted(files).index(path))


def _width(rng: random.Random) -> Plan:
    files = _album(rng)
    path = rng.choice(sorted(files))
    width, height = (int.from_bytes(files[path][start : start + 4], "big") for start in (16, 20))
    words = "How many pixels wide is the picture that is open? Answer with the number alone."
    return _told(words, PICTURES, path, files, (str(width), str(height + (width == height))))


def _drop(rng: random.Random) -> Plan:
    files = _album(rng)
    path, other = rng.sample(sorted(files), 2)
    shade = _shade_of(files[path], files)
    return Plan(
        goal=f"Move the {shade} picture of the folder Pictures to the trash and keep the others. The first is open.",
        applications=(PICTURES,),
        start=((PICTURES, f"~/{min(files)}"),),
        files=files,
        goals=(goal("gone", "there", path=path, equals=False),),
        may_change=(path, TRASH),
        oracle=(*_turned(sorted(files).index(path), PICTURES), press("Delete"), click("push button", "OK"), finish()),
        ending=Ending({path: None}),
        near_misses=(Ending({other: None}), Ending({path: None, other: None})),
    )


def _count(rng: random.Random) -> Plan:
    shade = rng.choice(sorted(_SHADES))
    number = rng.randrange(2, 5)
    files = {}
    for place in range(6):
        other = rng.choice(sorted(_SHADES.keys() - {shade}))
        colour = _SHADES[shade] if place < number else _SHADES[other]
        files[f"Pictures/{rng.choice(COLOURS)}-{place}{rng.randrange(10, 99)}.png"] = png_file(200 + place, 150, colour)
    words = (
        f"How many of the six pictures in Pictures are {shade}? The first is open. Names mean nothing. "
        "Answer with the number alone."
    )
    return _told(words, PICTURES, min(files), files, (str(number), str(number + 1)), 5)


TEMPLATES = (
    Template("atril.total", _total),
    Template("atril.which_page", _page),
    Template("atril.phone_number", _phone),
    Template("atril.count_pages", _pages),
    Template("ristretto.which", _which),
    Template("ristretto.width", _width),
    Template("ristretto.drop", _drop),
    Template("ristretto.count", _count),
)
