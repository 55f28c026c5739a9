"""Texts that tasks ask to be written: summaries, new pages, categories, titles, comments and reasons."""

from __future__ import annotations

SUMMARIES = ("New survey", "After the yearbook", "Number brought up to date", "Corrected, see the county report")

FOUND = (
    ("person", "born", "{} was born in {}."),
    ("person", "died", "{} died in {}."),
    ("settlement", "population", "{} has {} inhabitants."),
    ("settlement", "founded", "{} was first mentioned in {}."),
    ("river", "length", "{} is {} km long."),
    ("mountain", "height", "{} is {} m high."),
    ("island", "area", "{} measures {} square kilometres."),
    ("museum", "visitors", "{} has {} visitors a year."),
)
"""By kind and fact the sentence that tells a name and a number."""

NEW_PAGES = (
    ("Cormorant Head Light", "A lighthouse that was planned and never built.", "Lighthouses", "List of lighthouses"),
    ("Puffin Point Beacon", "A small beacon, lit by the fishermen themselves.", "Lighthouses", "List of lighthouses"),
    ("Skua Rock Light", "A light on a rock that is dry twice a day.", "Lighthouses", "List of lighthouses"),
    ("Glass Bridge", "A footbridge of glass blocks, closed in rain.", "Bridges", "List of bridges"),
    ("Sheep Bridge", "A bridge without a railing, for sheep alone.", "Bridges", "List of bridges"),
    ("Monk's Bridge", "A single arch that nobody remembers being built.", "Bridges", "List of bridges"),
    ("River Wend", "A short river that ends in a lake without a name.", "Rivers", "List of rivers"),
    ("River Tassel", "A brook that calls itself a river.", "Rivers", "List of rivers"),
    ("Bottle Peak", "A hill with the shape of a bottle, seen from the south.", "Mountains", "List of mountains"),
    ("Patient Aunt", "A rounded hill behind the harbour.", "Mountains", "List of mountains"),
    ("Museum of Knots", "A single room with four hundred knots.", "Museums", "List of museums"),
    ("Ferry Museum", "A ferry that no longer sails, with a café.", "Museums", "List of museums"),
    ("Quarry Tramway", "A tramway for stones and, on Sundays, for people.", "Railways", "List of railways"),
    ("Pier Railway", "Nine hundred metres of rail out to the ferry.", "Railways", "List of railways"),
)
NEW_CATEGORIES = (
    ("Haunted places", ("lighthouse", "bridge")),
    ("Seen on stamps", ("lighthouse", "ship", "mountain")),
    ("Open to visitors", ("lighthouse", "museum")),
    ("Local heroes", ("person",)),
    ("School reading", ("novel",)),
    ("Day trips", ("mountain", "river")),
    ("Christmas dishes", ("dish",)),
    ("Lost works", ("painting", "opera")),
    ("Protected by law", ("species", "bridge")),
)
RENAMED = (("Old {}",), ("{} (Sarn Isles)",), ("Little {}",), ("New {}",))
NICKNAMES = (
    *(
        "The Old Lady",
        "Our Jewel",
        "The Wet Spot",
        "Grandfather's Place",
        "The Silent One",
        "The Long Wait",
        "Crooked Ben",
    ),
    *("The Postcard", "Half Past Nine", "The Goose", "Mother's Pride", "The Back Door"),
)
BLOCK_REASONS = ("vandalism on several pages", "nonsense after a warning", "vandalism, again")
COMMENTS = (
    "I will look it up in the archive next week.",
    "Done, thank you for the hint.",
    "The yearbook says the same, so I would leave it.",
    "I have asked the parish, they will write to us.",
    "Both spellings are on the old maps.",
    "Let us wait for a better source.",
)
TOPICS = (
    ("Wrong date?", "The plaque on the wall gives another year."),
    ("A better opening", "The first sentence should say where it is."),
    ("Map", "A small map would help readers from abroad."),
    ("Old photographs", "I own three old photographs and would share them."),
    ("Pronunciation", "How do people of the island say this name?"),
)
ADDITIONS = (
    "It is on no map yet.",
    "The yearbook mentions it once.",
    "Visitors are rare.",
    "It was painted many times.",
    "The school goes there every June.",
    "Nobody knows its age.",
    "It is said to bring luck.",
)
OVERVIEWS = (
    ("lighthouse", "island", "lit", "Lights of {}", ("lighthouse on", "the year in which it was first lit")),
    ("lighthouse", "architect", "height", "Lights by {}", ("lighthouse that was designed by", "its height in metres")),
    ("bridge", "engineer", "opened", "Bridges by {}", ("bridge that was built by", "the year in which it was opened")),
    ("mountain", "island", "height", "Heights of {}", ("mountain on", "its height in metres")),
    ("river", "island", "length", "Waters of {}", ("river on", "its length in kilometres")),
    ("novel", "author", "year", "Novels by {}", ("novel by", "the year in which it was published")),
    ("painting", "painter", "year", "Pictures by {}", ("picture by", "the year in which it was painted")),
    (
        "settlement",
        "island",
        "founded",
        "Old names of {}",
        ("settlement on", "the year in which it was first mentioned"),
    ),
    ("species", "island", "described", "Rarities of {}", ("plant or animal found on", "the year of its description")),
)
"""Kind, the fact that says where or by whom, the fact to be listed, the title, and how one speaks of both."""
