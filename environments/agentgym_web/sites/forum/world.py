"""Draws threads and posts: who wrote what, when, on which board. `fill` in `data` writes them into the tables.

Some threads carry facts that questions ask for: what things cost where, and how many people come to a meet-up. They are
kept beside the text, so that no question has to be answered by reading it back.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from string import Formatter
from typing import TypeVar

from agentgym_web.sites.forum import talk
from agentgym_web.sites.forum.people import Person, draw_people
from agentgym_web.sites.forum.topics import TOPICS, Topic

SEED = "lantern green"
OTHER_BOARDS = (
    ("introductions", "Introductions", "The Green", "Who you are and what you are making. Say hello."),
    ("swaps", "Swap Corner", "The Green", "Give away, swap, pass on. No selling."),
    ("meetups", "Meet-ups", "The Green", "Where and when we see each other."),
    ("about", "About This Forum", "The Green", "Questions, wishes and polls about the forum itself."),
)
NUMBER_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_THREADS_OF_TOPIC = 23
_START, _END = datetime(2022, 3, 1), datetime(2026, 2, 24)

_Option = TypeVar("_Option")


@dataclass
class Post:
    """A post; the first one of a thread opens it."""

    author: Person
    body: str
    created: datetime


@dataclass
class Thread:
    """A thread with its posts, the oldest first."""

    board: str
    title: str
    tag: str
    posts: list[Post]
    prices: list[tuple[str, str, str, int]] = field(default_factory=list)
    """Login, shop, town and price in crowns, for a thread about what something costs."""
    guests: dict[str, int] = field(default_factory=dict)
    """How many people each login brings in the end, for a meet-up."""
    poll: tuple[str, Sequence[str]] | None = None
    """Question and options."""
    offer: tuple[str, str, str] | None = None
    """What is offered, in which town, for what in return."""


@dataclass(frozen=True)
class World:
    """All members and threads, the oldest thread first."""

    people: Sequence[Person]
    threads: Sequence[Thread]


@cache
def world() -> World:
    """The one world of this site."""
    rng = random.Random(SEED)
    people = draw_people(rng)
    writer = _Writer(rng, [person for person in people if not person.is_spammer])
    threads: list[Thread] = []
    for topic in TOPICS:
        threads += writer.craft_threads(topic)
        threads.append(writer.price_thread(topic))
    threads += [writer.introduction(person) for person in people if rng.random() < 0.6 and not person.is_spammer]
    threads += writer.offers()
    threads += [writer.meet_up(number) for number in range(14)]
    threads += [writer.feedback(*pair) for pair in talk.FEEDBACK]
    threads += [writer.poll(*pair) for pair in talk.POLLS]
    _add_adverts(rng, threads, [person for person in people if person.is_spammer])
    threads.sort(key=lambda thread: thread.posts[0].created)
    return World(people, threads)


class _Writer:
    """Draws threads, never two with the same title."""

    def __init__(self, rng: random.Random, people: Sequence[Person]) -> None:
        self.rng = rng
        self.people = people
        self.weights = [rng.random() ** 2 + 0.08 for _ in people]
        self.titles: set[str] = set()

    def craft_threads(self, topic: Topic) -> list[Thread]:
        threads = []
        while len(threads) < _THREADS_OF_TOPIC:
            gaps = {name: self.rng.choice(words) for name, words in topic.gaps.items()}
            tag = self.rng.choice(("question", "question", "guide", "chat"))
            title = _fill(self.rng.choice(topic.questions if tag == "question" else topic.guides), gaps)
            if title in self.titles:
                continue
            self.titles.add(title)
            start = self._day()
            opening = Post(self._author(start), _fill(self._pick(topic.openings), gaps), start)
            thread = Thread(topic.slug, title, tag, [opening])
            self._reply(thread, topic, gaps, min(int(self.rng.expovariate(1 / 6)), 38))
            threads.append(thread)
        return threads

    def price_thread(self, topic: Topic) -> Thread:
        good = talk.GOODS[topic.slug]
        start = self._day()
        body = f"What do you pay for {good}, and where? I have the feeling that I am paying too much."
        thread = Thread(topic.slug, f"What do you pay for {good}?", "chat", [Post(self._author(start), body, start)])
        shops = self.rng.sample(talk.SHOPS, self.rng.randint(11, 15))
        prices = self.rng.sample(range(14, 60), len(shops))
        moments = self._moments(start, len(shops) + 6)
        speakers = self._several(start, len(moments))
        silent = set(self.rng.sample(range(len(moments)), 6))
        for number, (moment, speaker) in enumerate(zip(moments, speakers, strict=True)):
            if number in silent:
                body = f"{self._pick(talk.OPENERS)} {self._pick(talk.NOT_PAID)}"
            else:
                shop, price, town = shops.pop(), prices.pop(), self._pick(talk.TOWNS)
                body = self._pick(talk.PAID).format(shop=shop, town=town, n=price)
                body = f"{self._pick(talk.OPENERS)} {_capital(body)}" if self.rng.random() < 0.4 else _capital(body)
                thread.prices.append((speaker.login, shop, town, price))
            thread.posts.append(Post(speaker, body, moment))
        return thread

    def introduction(self, person: Person) -> Thread:
        craft = self._pick(TOPICS).name.lower()
        words = {"name": person.name.split()[0], "town": person.town, "trade": person.trade, "craft": craft}
        start = max(person.joined + timedelta(hours=self.rng.randint(1, 40)), datetime(2018, 4, 3))
        title = _capital(self._pick(talk.GREETING_TITLES).format(**words))
        while title in self.titles:
            title = f"{title} ({words['name']})" if words["name"] not in title else f"{title}!"
        self.titles.add(title)
        body = _capital(self._pick(talk.GREETINGS).format(**words))
        thread = Thread("introductions", title, "chat", [Post(person, body, start)])
        for moment in self._moments(start, self.rng.randint(0, 6)):
            thread.posts.append(Post(self._author(moment), self._pick(talk.WELCOMES).format(**words), moment))
        return thread

    def offers(self) -> list[Thread]:
        return [self._offer(offer) for offer in talk.OFFERS]

    def _offer(self, offer: str) -> Thread:
        start = self._day(datetime(2024, 6, 1))
        author = self._author(start)
        words = {"offer": offer, "state": self._pick(talk.STATES), "town": author.town, "wish": self._pick(talk.WISHES)}
        body = _capital(self._pick(talk.OFFER_BODIES).format(**words))
        title = f"Offering {offer}"
        offered = (offer, author.town, words["wish"])
        thread = Thread("swaps", title, "offer", [Post(author, body, start)], offer=offered)
        for moment in self._moments(start, self.rng.randint(0, 9)):
            thread.posts.append(Post(self._author(moment), self._pick(talk.OFFER_REPLIES).format(**words), moment))
        return thread

    def meet_up(self, number: int) -> Thread:
        start = self._day(datetime(2023, 5, 1))
        town, place = talk.TOWNS[number % len(talk.TOWNS)], self._pick(talk.PLACES)
        day = start + timedelta(days=45)
        day += timedelta(days=(5 - day.weekday()) % 7)
        body = talk.EVENT_BODY.format(place=place, town=town, day=f"Saturday {day.day} {day:%B %Y}")
        title = f"Meet-up in {town}, {day:%B %Y}"
        thread = Thread("meetups", title, "event", [Post(self._author(start), body, start)])
        moments = self._moments(start, self.rng.randint(16, 34))
        speakers = self._several(start, len(moments))
        for moment, speaker in zip(moments, speakers, strict=True):
            thread.posts.append(Post(speaker, self._coming(thread, speaker), moment))
        last = thread.posts[-1].created
        for login in self.rng.sample(sorted(thread.guests), 3):
            speaker = next(person for person in speakers if person.login == login)
            num_guests = thread.guests[login] % 5 + 2
            thread.guests[login] = num_guests
            last += timedelta(hours=self.rng.randint(2, 30))
            text = self._pick(talk.CORRECTIONS).format(n=NUMBER_WORDS[num_guests])
            thread.posts.append(Post(speaker, text, last))
        return thread

    def _coming(self, thread: Thread, speaker: Person) -> str:
        if self.rng.random() < 0.25:
            return self._pick(talk.NOT_COMING)
        num_guests = self.rng.randint(1, 6)
        thread.guests[speaker.login] = num_guests
        text = self._pick(talk.COMING_ALONE if num_guests == 1 else talk.COMING)
        return _capital(text.format(n=NUMBER_WORDS[num_guests]))

    def feedback(self, title: str, body: str) -> Thread:
        start = self._day()
        thread = Thread("about", title, "question", [Post(self._author(start), body, start)])
        for moment in self._moments(start, self.rng.randint(2, 7)):
            thread.posts.append(Post(self._author(moment), self._pick(talk.FEEDBACK_REPLIES), moment))
        return thread

    def poll(self, question: str, options: Sequence[str]) -> Thread:
        start = self._day(datetime(2024, 9, 1))
        body = self._pick(talk.POLL_BODY).format(question=question)
        thread = Thread("about", f"Poll: {question}", "chat", [Post(self._author(start), body, start)])
        thread.poll = (question, options)
        for moment in self._moments(start, self.rng.randint(1, 8)):
            thread.posts.append(Post(self._author(moment), self._pick(talk.POLL_REPLIES), moment))
        return thread

    def _reply(self, thread: Thread, topic: Topic, gaps: dict[str, str], count: int) -> None:
        recent: list[str] = []
        for moment in self._moments(thread.posts[0].created, count):
            others = {name: self.rng.choice(words) for name, words in topic.gaps.items()} | {"thing": gaps["thing"]}
            fresh = [sentence for sentence in topic.replies if sentence not in recent]
            said = self.rng.sample(fresh, self.rng.choice((1, 1, 2)))
            recent = [*recent, *said][-7:]
            parts = [_fill(sentence, others) for sentence in said]
            if self.rng.random() < 0.45:
                parts.insert(0, self._pick(talk.OPENERS))
            if self.rng.random() < 0.35:
                parts.append(self._pick(talk.CLOSERS))
            thread.posts.append(Post(self._author(moment), " ".join(parts), moment))

    def _moments(self, start: datetime, count: int) -> list[datetime]:
        room = _END - start
        reach = min(room, timedelta(days=self.rng.choice((2, 6, 20, 60, 400))))
        minutes = int(reach.total_seconds() // 60)
        offsets = sorted(1 + int(minutes * self.rng.random() ** 2) for _ in range(count))
        return [start + timedelta(minutes=offset + number) for number, offset in enumerate(offsets)]

    def _day(self, earliest: datetime = _START) -> datetime:
        days = (_END - timedelta(days=9) - earliest).days
        return earliest + timedelta(days=self.rng.randrange(days), minutes=self.rng.randrange(400, 1400))

    def _author(self, moment: datetime) -> Person:
        present = [index for index, person in enumerate(self.people) if person.joined < moment]
        return self.people[self.rng.choices(present, [self.weights[index] for index in present])[0]]

    def _several(self, moment: datetime, count: int) -> list[Person]:
        present = [person for person in self.people if person.joined < moment]
        return self.rng.sample(present, count)

    def _pick(self, options: Sequence[_Option]) -> _Option:
        return self.rng.choice(options)


def _add_adverts(rng: random.Random, threads: Sequence[Thread], spammers: Sequence[Person]) -> None:
    for spammer in spammers:
        late = [thread for thread in threads if thread.posts[0].created > spammer.joined - timedelta(days=200)]
        for thread in rng.sample(late, rng.randint(4, 7)):
            last = max(thread.posts[-1].created, spammer.joined) + timedelta(minutes=rng.randint(30, 3000))
            thread.posts.append(Post(spammer, rng.choice(talk.ADVERTS), last))


def _fill(template: str, gaps: dict[str, str]) -> str:
    pieces = []
    for literal, name, _, _ in Formatter().parse(template):
        pieces.append(literal)
        if name:
            begins = "".join(pieces).rstrip()[-1:] in ("", ".", "?", "!")
            pieces.append(_capital(gaps[name]) if begins else gaps[name])
    return "".join(pieces)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
