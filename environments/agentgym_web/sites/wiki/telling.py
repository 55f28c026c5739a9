"""Sentences of the articles: how each kind of entity is told of, fact by fact, and what is said besides.

A gap in braces is a fact of the entity, `{title}` its title. A gap that names another entity becomes a link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

INTROS: Mapping[str, Sequence[str]] = {
    "island": (
        "'''{title}''' is one of the nine Sarn Isles. Its largest place is {capital}.",
        "'''{title}''' is an island of the Sarn archipelago, with {capital} as its main harbour.",
    ),
    "settlement": (
        "'''{title}''' is a {size} on {island} in the Sarn Isles. {title} was first mentioned in {founded}.",
        "'''{title}''' is a {size} on the island of {island}, known for its {product}.",
        "The {size} of '''{title}''' lies on {island}. It has lived on {product} for most of its history.",
    ),
    "river": (
        "The '''{title}''' is a river on {island}.",
        "'''{title}''' is among the better known waters of {island}.",
    ),
    "mountain": (
        "'''{title}''' is a mountain on {island}, {height} metres high.",
        "'''{title}''' rises over the interior of {island}. On clear days it is seen from the ferry.",
    ),
    "person": (
        "'''{title}''' ({born}–{died}) was a {profession} of the Sarn Isles.",
        "'''{title}''', born in {born}, died in {died}, was a {profession}.",
    ),
    "lighthouse": (
        "'''{title}''' is a lighthouse on {island}. The next place is {settlement}.",
        "'''{title}''' stands on a headland near {settlement} and was lit for the first time in {lit}.",
    ),
    "bridge": (
        "'''{title}''' is a bridge over the {river}.",
        "The '''{title}''' crosses the {river} and was opened in {opened}.",
    ),
    "museum": (
        "The '''{title}''' is a museum in the Sarn Isles.",
        "The '''{title}''' was opened in {opened} and is still free on Sundays.",
    ),
    "railway": (
        "The '''{title}''' is a narrow-gauge railway on {island}.",
        "The '''{title}''' was opened in {opened}. It is the pride of {island}.",
    ),
    "novel": ("'''{title}''' is a novel by {author}.", "'''{title}''' is a novel that came out in {year}."),
    "painting": (
        "'''{title}''' is a painting by {painter}.",
        "'''{title}''' is an oil painting of {year}.",
    ),
    "opera": ("'''{title}''' is an opera by {composer}.", "'''{title}''' was first sung in {year}."),
    "ship": (
        "'''{title}''' was a sailing ship of {length} metres.",
        "'''{title}''' was a three-master, launched in {launched}.",
    ),
    "festival": (
        "'''{title}''' is a festival held every {month}.",
        "'''{title}''' is a custom of the Sarn Isles. It has been held since {since}.",
    ),
    "species": (
        "The '''{title}''' is a {sort} found in the Sarn Isles.",
        "'''{title}''' is the common name of a {sort} that was described in {described}.",
    ),
    "dish": (
        "'''{title}''' is a dish made with {ingredient}.",
        "'''{title}''' belongs to the winter kitchen of the Sarn Isles.",
    ),
    "company": (
        "'''{title}''' is a maker of {product}.",
        "'''{title}''' was founded in {founded} and makes {product}.",
    ),
}

INFOBOX: Mapping[str, Mapping[str, str]] = {
    "island": {"Area": "{area} km²", "Largest place": "{capital}"},
    "settlement": {"Island": "{island}", "Population": "{population}", "First mentioned": "{founded}"},
    "river": {"Island": "{island}", "Length": "{length} km"},
    "mountain": {"Island": "{island}", "Height": "{height} m"},
    "person": {"Born": "{born}", "Died": "{died}", "Profession": "{profession}"},
    "lighthouse": {"Near": "{settlement}", "First lit": "{lit}", "Height": "{height} m"},
    "bridge": {"Crosses": "{river}", "Opened": "{opened}", "Length": "{length} m"},
    "museum": {"Opened": "{opened}", "Visitors a year": "{visitors}"},
    "railway": {"Island": "{island}", "Opened": "{opened}", "Length": "{length} km"},
    "novel": {"Author": "{author}", "Published": "{year}"},
    "painting": {"Painter": "{painter}", "Year": "{year}"},
    "opera": {"Composer": "{composer}", "First performed": "{year}"},
    "ship": {"Launched": "{launched}", "Length": "{length} m"},
    "festival": {"Month": "{month}", "Since": "{since}"},
    "species": {"Kind": "{sort}", "Described": "{described}"},
    "dish": {"Main ingredient": "{ingredient}"},
    "company": {"Founded": "{founded}", "Product": "{product}"},
}

TOLD: Mapping[str, Sequence[tuple[str, Sequence[str]]]] = {
    "island": (
        ("Geography", ("The highest point is {peak}.", "From {peak}, its highest mountain, one sees all coasts.")),
    ),
    "settlement": (
        ("Geography", ("The {river} flows through {title}.", "{title} lies on the {river}.")),
        (
            "Partners",
            ("{title} is twinned with {twin}.", "Since the peace of the isles it has {twin} as its twin town."),
        ),
    ),
    "river": (
        (
            "Course",
            (
                "It rises on {source} and reaches the sea at {mouth}.",
                "Its springs are on the slopes of {source}, and its mouth is at {mouth}.",
            ),
        ),
    ),
    "mountain": (
        (
            "Ascents",
            (
                "The first known ascent was made in {climbed} by {climber}.",
                "{climber} stood on its top in {climbed}, as the first of whom it is known.",
            ),
        ),
    ),
    "person": (
        ("Life", ("{title} was born in {birthplace}.", "{birthplace} was the place of birth.")),
        ("Life", ("{title} learned the profession from {teacher}.", "The teacher of those years was {teacher}.")),
    ),
    "lighthouse": (
        ("Building", ("It was designed by {architect}.", "The plans were drawn by {architect}.")),
        ("Building", ("The tower is painted {colour}.", "Sailors know it by its tower, which is {colour}.")),
    ),
    "bridge": (
        ("Construction", ("The engineer was {engineer}.", "It was built to the plans of {engineer}.")),
        (
            "Construction",
            (
                "It is made of {material} and stands in {settlement}.",
                "Built of {material}, it links the two halves of {settlement}.",
            ),
        ),
    ),
    "museum": (
        (
            "History",
            (
                "It was founded by {founder} in {settlement}.",
                "{founder} left a house in {settlement} and all that was in it.",
            ),
        ),
    ),
    "railway": (
        ("Route", ("It runs from {first} to {last}. The stations are, in this order: {stations}.",)),
        ("Route", ("The line was laid out by {engineer}.", "{engineer} surveyed the line.")),
    ),
    "novel": (("Plot", ("The story is set in {setting}.", "It plays in {setting}, over a single winter.")),),
    "painting": (
        ("The picture", ("It shows {shows}.", "In the background one sees {shows}.")),
        ("Whereabouts", ("It hangs in the {museum}.", "Since the sale of the estate it belongs to the {museum}.")),
    ),
    "opera": (
        (
            "Performances",
            ("The first performance was in {premiere}.", "It was sung first in {premiere}, in a sail loft."),
        ),
    ),
    "ship": (
        ("History", ("She was built in {built}.", "The yard was in {built}.")),
        ("History", ("Her best known captain was {captain}.", "{captain} was her captain for eleven years.")),
    ),
    "festival": (("Custom", ("It is held in {settlement}.", "Visitors come to {settlement} from all the isles.")),),
    "species": (
        (
            "Discovery",
            (
                "It was described by {naturalist} after specimens from {island}.",
                "{naturalist} found the first one on {island}.",
            ),
        ),
    ),
    "dish": (("Origin", ("It comes from {settlement}.", "Cooks in {settlement} claim to have invented it.")),),
    "company": (
        ("History", ("The founder was {founder}.", "It was set up by {founder} with borrowed money.")),
        ("History", ("Its seat is in {seat}.", "The works are in {seat}, next to the station.")),
    ),
}
"""Facts that stand in the text alone, by section; where a fact is missing, its sentence is left out."""

ASIDES: Mapping[str, Sequence[str]] = {
    "island": (
        "The ferry calls twice a day, and once on Sundays.",
        "There are more sheep than people, and the sheep know it.",
        "The east coast is steep and the west coast is sand.",
        "Every child learns to swim before learning to read.",
    ),
    "settlement": (
        "The church tower leans a little, and nobody remembers it straight.",
        "A market is held on Thursdays behind the customs house.",
        "The harbour was dredged three times and silted up four times.",
        "A great fire destroyed the lower street; only the bakery was spared.",
        "The school has two rooms and one stove.",
        "Its inhabitants are said to answer a question with a question.",
        "Most houses are of grey stone with blue doors.",
    ),
    "river": (
        "Trout are caught in its upper course.",
        "It freezes about once in ten years.",
        "Barges used it until the railway came.",
        "In dry summers it can be crossed on foot below the weir.",
    ),
    "mountain": (
        "The usual path starts at the sheepfold and takes four hours.",
        "Snow stays in the northern gully until May.",
        "Shepherds say that it makes its own weather.",
        "A small hut below the top was blown away and rebuilt twice.",
    ),
    "person": (
        "A street and a ferry are named after this family.",
        "Letters of those years are kept in a tin box in the archive.",
        "Contemporaries praised the patience and feared the handwriting.",
        "The house stood empty for years and is now a post office.",
        "The last years were spent quietly among books and bees.",
        "A portrait shows a serious face and ink on the fingers.",
    ),
    "lighthouse": (
        "The lamp burned rape oil at first and petroleum later.",
        "The keeper's garden is protected by a wall as high as a man.",
        "In the gale of the century waves reached the lantern.",
        "It has been automatic since the nineteen-eighties.",
    ),
    "bridge": (
        "A toll was taken until the debt was paid.",
        "Two spans were swept away by ice and put back within a year.",
        "Carts had to wait for each other in the niches.",
        "Swallows nest under its arches.",
    ),
    "museum": (
        "A stuffed seal greets the visitors.",
        "The upper floor is closed in winter, for want of a stove.",
        "Its library can be used by appointment.",
        "The catalogue was written by hand in green ink.",
    ),
    "railway": (
        "The trains were slow enough for passengers to pick flowers.",
        "One locomotive is still under steam on holidays.",
        "Snow closed it for eleven days in its first winter.",
    ),
    "novel": (
        "Critics called it too long, and readers bought it.",
        "It was translated into six languages and banned in one.",
        "The first edition had a misprint on its cover.",
        "The manuscript is lost but for two chapters.",
    ),
    "painting": (
        "The frame was made from driftwood.",
        "It was cleaned ten years ago, and a second moon came to light.",
        "The sketches for it were sold one by one.",
    ),
    "opera": (
        "The overture is played more often than the rest.",
        "It needs a chorus of forty and a live goose.",
        "The tenor's aria is sung at weddings, although it is about debt.",
    ),
    "ship": (
        "She was fast before the wind and stubborn against it.",
        "Her bell hangs in a school.",
        "She carried slate outward and timber home.",
        "Her figurehead was painted anew each spring.",
    ),
    "festival": (
        "The bakeries close for the day, which is told with pride.",
        "Children may stay up until the last drum.",
        "It was forbidden twice and held both times.",
    ),
    "species": (
        "It avoids gardens.",
        "Its numbers have grown since the quarries closed.",
        "Old people call it by another name in every village.",
        "It is protected by law from March to August.",
    ),
    "dish": (
        "It is eaten with a wooden spoon.",
        "Every family has the only right recipe.",
        "It tastes better on the second day.",
    ),
    "company": (
        "It survived two fires and a bankruptcy.",
        "Its chimney was the tallest of the isles for forty years.",
        "Its workers built the first reading room.",
    ),
}

CATEGORIES: Mapping[str, Sequence[str]] = {
    "island": ("Islands",),
    "settlement": ("Settlements", "Settlements on {island}"),
    "river": ("Rivers",),
    "mountain": ("Mountains",),
    "person": ("People", "{profession}s"),
    "lighthouse": ("Lighthouses", "Lighthouses on {island}"),
    "bridge": ("Bridges",),
    "museum": ("Museums",),
    "railway": ("Railways",),
    "novel": ("Novels", "Works of art"),
    "painting": ("Paintings", "Works of art"),
    "opera": ("Operas", "Works of art"),
    "ship": ("Ships",),
    "festival": ("Festivals",),
    "species": ("Plants and animals",),
    "dish": ("Dishes",),
    "company": ("Companies",),
}

COMMENTS = (
    *("Add a section", "More detail", "From the parish register", "After the county history", "Expand"),
    *("Source: the almanac", "As seen on site", "Fill a gap", "Add what the guidebook says", ""),
)
MINOR_COMMENTS = ("Typo", "Spelling", "Comma", "Wording", "Link", "")
NONSENSE = (
    "All of this was built by time travellers from the moon.",
    "My brother was here and he says hello.",
    "Bananas bananas bananas!!!",
    "Nobody likes this place, trust me.",
    "This page is boring and should be about dragons.",
    "Send me money and I will tell you the truth about it.",
)

TALK = (
    ("Picture wanted", "Does anybody have a picture that may be used here?", "I will be there in May and bring one."),
    ("Spelling of the name", "The almanac spells it differently.", "Both are in use. I would leave it."),
    ("Too short?", "There must be more to say than this.", "The archive has two boxes, if somebody has a free week."),
    ("Tone", "The last section reads like an advert.", "I have toned it down a little."),
    ("Sources", "Where is the second paragraph from?", "From the parish register, volume four."),
    ("Split the article?", "The history could be a page of its own.", "Not yet, it is three sentences."),
)

HELP = {
    "Help: Editing": "Every reader who is logged in may edit. Put links into double square brackets, such as "
    "[[Great Sarn]]. Say in the summary what you changed. Headings stand between two equals signs.",
    "Help: Moving pages": "A page is renamed with Move. Its history moves along, and a redirect stays behind, so that "
    "old links work.",
    "Help: Undoing vandalism": "Open the history, look for the last good version, and press Restore on it. Tell an "
    "administrator about repeat offenders.",
    "Help: Categories": "A page may be in several categories. They are changed under Categories below the page.",
    "Help: Talk pages": "Each page has a talk page. Begin a topic with a clear title, and settle it when it is done.",
    "Style: Titles": "Titles are singular. Ships and operas carry their kind in brackets.",
    "Style: Numbers": "Years without a comma, populations without one too. Heights in metres, rivers in kilometres.",
}
