"""Words and sentences that the shop's data is made of: names, descriptions and reviews."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


MODELS = _words(
    """
    Abbot Acre Aldous Amble Anvil Arbour Ardent Ashby Aster Avon Banner Barrow Bastion Beacon Bellwether Birch
    Bowline Bramble Brindle Burrow Cairn Calder Canopy Carrick Cassia Cedarn Chalk Cinder Clover Cobalt Compass
    Coppice Corrie Cove Crag Cricket Cusp Dapple Delve Dinghy Dorsal Drift Drummond Dunlin Eddy Eider Ember
    Esker Fallow Farrier Fathom Fennel Ferry Finch Flint Foxglove Gable Gannet Garnet Gorse Granary Gullet
    Hamlet Harbinger Hatch Hazel Heron Hinge Hollow Inlet Isla Jasper Juniper Keel Kelp Kiln Knoll Lantern Lark
    Lattice Ledge Linnet Lodestar Loft Lumen Madrigal Mallard Maple Marlin Meadow Mercer Merrow Mistral Moor
    Mosaic Nettle Nimbus Nook Oriel Otter Outpost Paddock Parable Pebble Petrel Pilot Pippin Plover Poppy Quarry
    Quill Rambler Raven Reef Ridge Rowan Saffron Sextant Shale Sorrel Spindle Spruce Starling Steading Stile
    Summit Swift Teasel Tern Thicket Thrift Timber Topaz Trellis Tundra Vale Verge Vesper Wagtail Warren Weald
    Whin Wicket Willet Yarrow Zephyr
    """
)
FIRST_NAMES = _words(
    """
    Adele Aksel Amara Anouk Arlo Bettina Bram Calla Cosmo Dalia Davor Edith Elio Enna Farid Fenna Giles Greta
    Hamza Hester Ida Ivo Jonas Juno Kaito Keziah Lars Leonie Linus Mabel Malik Marit Nadine Nils Odette Omar
    Petra Quentin Rania Rolf Saskia Selma Tariq Thea Ulla Viktor Wanda Yara Yusuf Zelda
    """
)
LAST_NAMES = _words(
    """
    Abernathy Albrecht Amadi Bergqvist Bertolli Birdsall Castellan Corrigan Dahlgren Demir Eastlake Ferrante
    Fjeld Galloway Grosvenor Haddad Hollis Ibarra Janssen Kerrigan Kowal Lachlan Lindqvist Maddox Marchetti
    Nakata Norwood Obi Oyelaran Pemberton Petrov Quigley Rasmussen Renard Sandoval Sedgwick Tanaka Thorne
    Underhill Vasquez Vesterby Whitlock Wolff Yilmaz Zielinski
    """
)
RETURN_REASONS = ("Damaged on arrival", "Wrong item", "Does not fit", "Changed my mind", "Not as described")
_STREETS = (
    "Alder Lane",
    "Bakehouse Yard",
    "Canal Walk",
    "Dyer Street",
    "Elm Terrace",
    "Foundry Road",
    "Gatehouse Row",
    "Hill Crescent",
    "Ivy Court",
    "Keeper's Close",
    "Linden Avenue",
    "Market Square",
    "Orchard Rise",
    "Priory Street",
    "Ropewalk",
    "Station Parade",
    "Tannery Lane",
    "Weir Road",
)
_CITIES = (
    "Ashcombe",
    "Brightholm",
    "Calverton Bay",
    "Dunmarsh",
    "Eastry",
    "Farrowdale",
    "Greywater",
    "Hexley",
    "Inverlow",
    "Kingsmead",
    "Lowick",
    "Merrifield",
    "Norbridge",
    "Oxley Green",
    "Port Sorrel",
)
_OPENINGS = (
    "The {model} is made for people who use a {noun} every day.",
    "A {noun} that does its work and stays out of the way.",
    "We tried a dozen before we settled on the {model}.",
    "Simple on the outside, carefully thought through inside.",
    "The {model} has been in our range since its first small run sold out.",
    "An honest {noun}, built to be repaired and not replaced.",
    "For those who look twice at the {aspect} before they buy.",
    "Drawn by a small workshop and made in batches of a few hundred.",
)
_MIDDLES = (
    "The {aspect} was redrawn this year after many letters from customers.",
    "Pay attention to the {aspect}: it is where cheaper ones give in first.",
    "It comes in plain card, without plastic.",
    "Spare parts are kept for ten years.",
    "It needs no care beyond a damp cloth.",
    "The {aspect} and the {other} carry a guarantee of their own.",
    "Every piece is checked by hand before it leaves.",
    "It goes well with the rest of the series.",
)
_ENDS = (
    "Guaranteed for two years.",
    "Guaranteed for five years.",
    "Best given to somebody who has everything.",
    "Colours may look a little different on a screen.",
    "Made from at least a third of recycled material.",
    "",
)
_TITLES: Mapping[int, Sequence[str]] = {
    1: ("Sent it back", "Disappointed", "Not again", "Broke within weeks", "Avoid"),
    2: ("Expected more", "Only so-so", "Two stars for trying", "Not for me", "Could be better"),
    3: ("Does the job", "Mixed feelings", "Fine for the price", "Average", "Good with a catch"),
    4: ("Very good", "Nearly perfect", "Would buy again", "Happy so far", "Solid"),
    5: ("Love it", "Exactly right", "Worth every cent", "Better than expected", "A small wonder"),
}
_VERDICTS: Mapping[int, Sequence[str]] = {
    1: (
        "The {aspect} gave up after {time}.",
        "I have never had such trouble with the {aspect}.",
        "What arrived had a fault in the {aspect}, and so had the replacement.",
    ),
    2: (
        "The {aspect} feels cheap, although the {other} is all right.",
        "After {time} the {aspect} began to annoy me.",
        "I wanted to like it, but the {aspect} lets it down.",
    ),
    3: (
        "The {aspect} is good, the {other} is not.",
        "It is neither better nor worse than my old one.",
        "Works as described; I would change the {aspect}.",
    ),
    4: (
        "The {aspect} is excellent, and I only wish the {other} matched it.",
        "After {time} it still looks new.",
        "I bought a second one for my {relative}; the {aspect} convinced us both.",
    ),
    5: (
        "The {aspect} is the best that I have come across.",
        "I have used it for {time} and would not part with it.",
        "My {relative} borrowed it and will not give it back. The {aspect} alone is worth the price.",
    ),
}
_ASIDES = (
    "Delivery took three days.",
    "It came well packed.",
    "The colour is as in the pictures.",
    "I asked the shop a question and had an answer the same day.",
    "I use it at work, mostly on Tuesdays.",
    "My {relative} picked it.",
    "We have a small flat, so size mattered.",
    "",
    "",
    "",
)
_TIMES = ("a week", "two weeks", "a month", "three months", "half a year", "a whole winter", "one summer")
_RELATIVES = ("sister", "brother", "father", "neighbour", "daughter", "flatmate", "mother-in-law", "uncle")


def describe(
    rng: random.Random,
    noun: str,
    model: str,
    facts: Mapping[str, str],
    features: Sequence[str],
    aspects: Sequence[str],
) -> str:
    """A description of a product in a few sentences."""
    aspect, other = rng.sample(list(aspects), 2)
    words = {"noun": noun.lower(), "model": model, "aspect": aspect, "other": other}
    listed = "; ".join(f"{name.lower()} {value}" for name, value in facts.items())
    made = f"In short: {listed}; {', '.join(features)}."
    parts = [rng.choice(_OPENINGS), *rng.sample(_MIDDLES, rng.randrange(1, 3)), made, rng.choice(_ENDS)]
    return " ".join(part.format(**words) if part is not made else part for part in parts if part)


def review(rng: random.Random, stars: int, aspects: Sequence[str]) -> tuple[str, str]:
    """Title and text of a review with that many stars."""
    aspect, other = rng.sample(list(aspects), 2)
    words = {"aspect": aspect, "other": other, "time": rng.choice(_TIMES), "relative": rng.choice(_RELATIVES)}
    body = f"{rng.choice(_VERDICTS[stars])} {rng.choice(_ASIDES)}".strip()
    return rng.choice(_TITLES[stars]), body.format(**words)


def person(rng: random.Random) -> str:
    """A full name."""
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def place(rng: random.Random) -> tuple[str, str, str]:
    """Street, city and postcode of an address."""
    return f"{rng.randrange(1, 140)} {rng.choice(_STREETS)}", rng.choice(_CITIES), f"{rng.randrange(10000, 99999)}"
