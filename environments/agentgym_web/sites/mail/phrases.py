"""Words and sentences that the mailboxes are made of."""

from __future__ import annotations

import random


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST_NAMES = _words(
    """
    Agnes Ansel Brita Caspar Celia Corin Dagny Desmond Eline Emeka Farah Fergus Gisela Hugo Imke Ismael Jarle Jessamy
    Kaya Konrad Lavinia Leif Maren Matteo Minna Noor Orla Oskar Pilar Radek Roxana Ruben Sabine Samir Sunniva Teodor
    Tilda Ugo Vanja Wilma Xenia Yannick Zora
    """
)
LAST_NAMES = _words(
    """
    Achterberg Alvarado Bannister Blomfield Carvalho Dunmore Eskelin Farquhar Fontaine Gellert Hargreave Hovland Iqbal
    Jorgensen Kessler Kovacs Laidlaw Lombardi Mbeki Mulvaney Nightingale Novotny Okonkwo Ostrander Pascual Prescott
    Quayle Reinholt Sandström Sorensen Tavares Trevelyan Ueda Vandermeer Wainwright Winterbourne Yarborough Zeller
    """
)
PROJECTS = (
    "harbour guide",
    "winter catalogue",
    "seed library",
    "night market",
    "reading room",
    "bicycle survey",
    "open kitchen",
    "museum leaflet",
    "tram timetable",
    "school garden",
    "oral history",
    "river walk",
    "tool exchange",
    "film evening",
    "weather station",
    "street piano",
)
ROOMS = ("Alder", "Birch", "Cedar", "Elm", "Hawthorn", "Juniper", "Larch", "Rowan")
VENDORS = (
    "Brightfold Print",
    "Cobble Logistics",
    "Dovetail Joinery",
    "Emberly Heating",
    "Fieldnote Software",
    "Granite Hosting",
    "Hollyhock Catering",
    "Ironbridge Tools",
    "Juno Cleaning",
    "Kitehill Insurance",
)
LETTERS = (
    ("The Slow Lathe", "letters@slowlathe.test"),
    ("Northern Ferns", "hello@northernferns.test"),
    ("Crosswind Daily", "daily@crosswind.test"),
    ("Kitchen Almanac", "post@kitchenalmanac.test"),
    ("Small Museums", "news@smallmuseums.test"),
    ("Type & Paper", "issue@typepaper.test"),
    ("Tide Tables", "week@tidetables.test"),
)
LETTER_TOPICS = (
    "why old maps lie",
    "three ways to sharpen a plane",
    "a visit to the salt works",
    "what to sow in March",
    "the last signal box",
    "soups for a power cut",
    "how a lock gate is made",
    "notes on moss",
    "repairing an enamel pot",
    "the sound of trams",
    "a short history of blotting paper",
    "reading the sky at noon",
    "bread without a recipe",
    "a bell foundry in winter",
)
CIRCLES = ("Choir", "Allotment", "Book club", "Rowing", "Neighbours")
CITIES = ("Aldermouth", "Branwick", "Castlefell", "Dovermoor", "Eskdale", "Fernbridge", "Glasswater", "Highcombe")
_OPEN = (
    "Hello {to},",
    "Hi {to},",
    "Dear {to},",
    "{to},",
    "Good morning {to},",
)
_CLOSE = ("Best wishes", "Kind regards", "All the best", "Thanks", "Yours", "See you")
_TALK = (
    "I have gone through the draft for the {project} and marked what is unclear.",
    "The printer asks for the final {project} pages by the end of the week.",
    "Could you look at the numbers for the {project} before we meet?",
    "We still need somebody who writes the introduction to the {project}.",
    "The pictures for the {project} are too dark. I have asked for new ones.",
    "I spoke with the council about the {project}; they are interested, but slow.",
    "The budget of the {project} has a gap of a few hundred. Ideas are welcome.",
    "Two volunteers have dropped out of the {project}, so the list is short.",
    "I like the second version of the {project} plan better than the first.",
    "For the {project} we should ask the people at {city} how they did it.",
    "The {project} got a kind mention in the local paper.",
    "Let us keep the {project} small this year and do it well.",
)
_ASIDE = (
    "No hurry with this.",
    "Sorry for the late reply.",
    "I am out on Friday.",
    "Ring me if that is easier.",
    "The heating is broken again, so I am at home.",
    "I will send the rest tomorrow.",
    "Tell me if I have forgotten anybody.",
    "",
    "",
)
_PERSONAL = (
    "we are thinking of {city} in June. Would you come along?",
    "the little one has started to walk. Nothing is safe any more.",
    "thank you for the jam! It lasted two days.",
    "do you still have my ladder? I need it at the weekend.",
    "I found the photographs from {city}. I will bring them on Sunday.",
    "the concert was wonderful. You should have heard the second half.",
    "grandmother turns ninety in May, and we want to surprise her.",
    "I have two tickets for the film evening. Are you free?",
)
_CIRCLE_TALK = (
    "the next meeting of the {circle} is on {day} at the usual place.",
    "please bring your fees to the next {circle} evening.",
    "we need two more people who help with the {circle} on {day}.",
    "the {circle} has a new key. It hangs behind the door.",
    "minutes of the last {circle} meeting are below: nothing was decided, but cake was eaten.",
)
_SPAM = (
    ("You have been selected", "Claim your prize within 24 hours. Reply with your address."),
    ("Account notice", "Your account will be closed. Confirm your password on our page."),
    ("Cheap toner, today only", "All cartridges at half price. Click before midnight."),
    ("Secret of the quiet millionaires", "They do not want you to read this."),
    ("Re: your parcel", "A fee of 1.99 is due before we can deliver."),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def letter(rng: random.Random, to: str, sender: str, *sentences: str) -> str:
    """A message: greeting, sentences, closing and name."""
    first = to.split(" ")[0]
    text = " ".join(sentence for sentence in sentences if sentence)
    return f"{rng.choice(_OPEN).format(to=first)}\n\n{text}\n\n{rng.choice(_CLOSE)}\n{sender.split(' ')[0]}"


def talk(rng: random.Random, project: str) -> str:
    """Two sentences or so about a project."""
    said = [part.format(project=project, city=rng.choice(CITIES)) for part in rng.sample(_TALK, rng.randrange(1, 3))]
    return " ".join([*said, rng.choice(_ASIDE)]).strip()


def personal(rng: random.Random) -> str:
    """A sentence between friends."""
    said = rng.choice(_PERSONAL).format(city=rng.choice(CITIES))
    return said[0].upper() + said[1:]


def circle_talk(rng: random.Random, circle: str) -> str:
    """A sentence to the members of a circle."""
    said = rng.choice(_CIRCLE_TALK).format(circle=circle.lower(), day=rng.choice(DAYS))
    return said[0].upper() + said[1:]


def spam(rng: random.Random) -> tuple[str, str]:
    """Subject and body of an unwanted message."""
    return rng.choice(_SPAM)


def person(rng: random.Random) -> str:
    """A full name."""
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def phone(rng: random.Random) -> str:
    """A telephone number."""
    return f"0{rng.randrange(20, 99)} {rng.randrange(100, 999)} {rng.randrange(1000, 9999)}"


def code(rng: random.Random) -> str:
    """A booking code, without letters that are mistaken for others."""
    return "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(6))
