"""What people write about on each board: titles, openings and replies with gaps, and the words that fill them.

A gap such as {thing} is filled once for a thread, so that its replies speak of the same thing. Which thread gets which
sentence is drawn in `data`; talk that fits every board is in `talk`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """One board and its talk."""

    slug: str
    name: str
    section: str
    description: str
    gaps: Mapping[str, Sequence[str]]
    """Words for the gaps of this board's sentences."""
    questions: Sequence[str]
    """Titles of threads that ask."""
    guides: Sequence[str]
    """Titles of threads that explain or show something."""
    openings: Sequence[str]
    """First posts."""
    replies: Sequence[str]
    """Sentences of the replies."""


BAKING = Topic(
    "baking",
    "Bread and Baking",
    "Making",
    "Loaves, buns, ovens and everything that rises or refuses to.",
    {
        "thing": (
            "rye loaf",
            "seed bread",
            "oat sourdough",
            "plum cake",
            "cardamom bun",
            "potato flatbread",
            "barley cracker",
            "honey loaf",
            "braided milk bread",
            "buckwheat pancake",
        ),
        "flour": ("dark rye flour", "stone-ground spelt", "strong white flour", "emmer flour", "barley flour"),
        "fault": ("a gummy crumb", "a torn crust", "a flat middle", "a sour smell", "large holes under the crust"),
        "hours": ("three", "five", "eight", "twelve", "eighteen"),
        "degrees": ("190", "205", "220", "235", "250"),
    },
    (
        "Why does my {thing} come out with {fault}?",
        "How long do you prove a {thing} in a cold kitchen?",
        "Can I bake a {thing} without a stone?",
        "Is {flour} any good for a {thing}?",
        "{thing} at {degrees} degrees: too hot?",
    ),
    (
        "My {thing} after {hours} tries, with notes",
        "A {thing} for people in a hurry",
        "What {flour} does to a {thing}",
        "Keeping a {thing} fresh for a week",
    ),
    (
        "I have baked a {thing} every Saturday since the autumn, and each time I get {fault}. I use {flour} and let "
        "it rest for {hours} hours.",
        "My oven stops at {degrees} degrees and has no steam. The {thing} from the market is far better than mine, "
        "and I would like to know what they do that I do not.",
        "A neighbour gave me a sack of {flour}. I would like to make a {thing} of it, but every recipe I find asks "
        "for something else.",
        "Last weekend I made a {thing} for twenty guests and half of them asked for the recipe. I promised to write "
        "down what went well and what went wrong.",
        "The dough was lovely at night and had collapsed by the morning. It stood for {hours} hours on the sill.",
    ),
    (
        "Turn it down to {degrees} degrees after the first ten minutes.",
        "I had {fault} for a whole winter until I changed to {flour}.",
        "Weigh the water. Cups are the reason for half of the trouble here.",
        "Let it rest {hours} hours longer and you will not recognise it.",
        "A pot with a lid does what a steam oven does, at a tenth of the price.",
        "Wait until it is cold before you cut it, hard as that is.",
        "A spoon of malt helps, and so does a younger starter.",
        "With {flour} I would add a little more water than the recipe says.",
        "Your oven lies to you. Mine was off by thirty degrees until I bought a thermometer.",
        "Fold it three times instead of kneading it; a {thing} does not like to be bullied.",
    ),
)

MENDING = Topic(
    "mending",
    "Sewing and Mending",
    "Making",
    "Darning, patching, hemming and old machines that still run.",
    {
        "thing": (
            "wool jumper",
            "canvas rucksack",
            "linen shirt",
            "rain cape",
            "pair of work trousers",
            "quilt",
            "felt hat",
            "sleeping bag",
            "corduroy jacket",
            "pair of mittens",
        ),
        "spot": ("the elbow", "a pocket", "the collar", "the lining", "a side seam", "the cuff"),
        "stitch": ("a ladder stitch", "a whip stitch", "a back stitch", "a blanket stitch", "plain darning"),
        "yarn": ("waxed linen thread", "two strands of sock yarn", "buttonhole silk", "polyester thread"),
    },
    (
        "How would you close a hole at {spot} of a {thing}?",
        "Is a {thing} with moth holes worth saving?",
        "Which needle for a {thing} and {yarn}?",
        "Machine skips stitches on a {thing}, what now?",
        "Can {spot} of a {thing} be replaced by hand?",
    ),
    (
        "Visible mending on a {thing}, step by step",
        "What I learned from taking a {thing} apart",
        "{stitch} on a {thing}: before and after",
        "A mending basket that fits in a {thing}",
    ),
    (
        "There is a hole at {spot} of my favourite {thing}, about as wide as a coin. The cloth around it is thin, and "
        "I am afraid to make it worse.",
        "I inherited a {thing} from my aunt. It is sound except for {spot}, which somebody mended with {yarn} long "
        "ago.",
        "I tried {stitch} and it puckered. Before I undo it all I would like to hear how you do it.",
        "Our repair café sees a {thing} nearly every week, so I have written down how we treat them.",
        "I own one needle, {yarn} and no patience. Still, this {thing} deserves better than the bin.",
    ),
    (
        "Use {stitch} and keep it loose; it settles after the first wash.",
        "Put a patch behind {spot} before you start, or you only sew air.",
        "I swear by {yarn} for this.",
        "A darning mushroom costs next to nothing, and a light bulb works as well.",
        "Wash it first. Cloth that has not shrunk yet will shrink after your repair.",
        "If {spot} is worn, the other side will follow, so do both.",
        "Clean the bobbin case. It is always the bobbin case.",
        "Contrast looks deliberate. A near match only looks like a mistake.",
        "Try it on a scrap first, and write down the tension.",
        "For a {thing} I would go to a saddler; they have the right awl.",
    ),
)

WOODWORK = Topic(
    "woodwork",
    "Woodwork",
    "Making",
    "Hand tools, joints, finishes and the eternal question of glue.",
    {
        "thing": (
            "milking stool",
            "bookcase",
            "garden bench",
            "tool chest",
            "cutting board",
            "boat paddle",
            "window frame",
            "cradle",
            "plate rack",
            "ladder",
        ),
        "wood": ("ash", "larch", "pear wood", "oak", "birch", "elm"),
        "joint": ("a wedged tenon", "dovetails", "a bridle joint", "half laps", "dowels"),
        "finish": ("linseed oil", "shellac", "soap", "beeswax and turpentine", "milk paint"),
    },
    (
        "Which joint for the legs of a {thing}?",
        "Is {wood} too soft for a {thing}?",
        "{finish} on a {thing}: how many coats?",
        "How do I flatten the top of a {thing} by hand?",
        "My {thing} of {wood} has split. Can it be saved?",
    ),
    (
        "A {thing} of {wood} from one plank",
        "Building a {thing} with {joint}",
        "Five years of {finish} on a {thing}",
        "Plans for a {thing} that fits through my door",
    ),
    (
        "I am about to build a {thing} of {wood} and wonder whether {joint} will hold without glue.",
        "The {thing} that I made two winters ago has begun to wobble. I used {joint} and plenty of optimism.",
        "A storm took the old tree behind our house, so there is {wood} for years. The first piece shall be a {thing}.",
        "I have read that {finish} never quite dries on {wood}. Mine is still sticky after a fortnight.",
        "This is my first larger piece. I own a saw, two chisels and a plane that I can almost sharpen.",
    ),
    (
        "With {wood} I would choose {joint} and sleep well.",
        "Sharpen first, then ask again. Most questions go away.",
        "{finish} is fine, but thin the first coat.",
        "Let the boards lie in the room for a month before you cut anything.",
        "Cut the joint on the waste side of the line and pare down to it.",
        "Draw-bore it and forget the clamps.",
        "Mine stands outdoors since six years, with {finish} once a spring.",
        "Make a model of cardboard. It costs an hour and saves a plank.",
        "Grain direction matters more than the kind of wood here.",
        "A {thing} carries more than you think, so do not be shy with the tenons.",
    ),
)

BICYCLES = Topic(
    "bicycles",
    "Bicycles",
    "Outdoors",
    "Frames, gears, tours and the squeak that nobody can find.",
    {
        "thing": (
            "touring bike",
            "cargo bike",
            "folding bike",
            "city bike",
            "tandem",
            "old racing bike",
            "child's bike",
            "gravel bike",
            "delivery trike",
        ),
        "part": ("bottom bracket", "hub gear", "rear mech", "dynamo", "saddle", "headset", "freewheel"),
        "noise": ("clicks under load", "squeaks in the rain", "rattles on cobbles", "grinds in the third gear"),
        "road": ("the canal path", "the pass road", "the old railway line", "the coast road", "the forest track"),
    },
    (
        "{part} of a {thing} {noise}: where to look?",
        "Which tyres for a {thing} on {road}?",
        "Can I change the {part} of a {thing} at home?",
        "Is a {thing} with a worn {part} worth buying?",
        "How do you carry a {thing} on the train?",
    ),
    (
        "From door to sea along {road} on a {thing}",
        "Rebuilding a {thing} from two broken ones",
        "How I service the {part} of my {thing}",
        "A winter of commuting on a {thing}",
    ),
    (
        "Since last week the {part} of my {thing} {noise}. I have cleaned and greased everything I can reach.",
        "I plan to ride {road} in May with a {thing} and a tent, about seventy kilometres a day.",
        "A friend sells a {thing} with a stiff {part}. It is cheap, and I am wondering why.",
        "After four years on the same {thing} I took it apart to the last ball, and here is what I found.",
        "My shop says that the {part} has to be replaced. It feels fine to me, although it {noise}.",
    ),
    (
        "Check the seat post first. Noise travels along the frame.",
        "If it {noise}, take off the {part}, grease the threads and put it back.",
        "I rode {road} with a {thing} last summer and would do it again tomorrow.",
        "Wider tyres, less air. Nothing else changes so much for so little.",
        "A {part} lasts longer than its chain if you change the chain in time.",
        "Take the train for the first stretch; {road} is dull until the mill.",
        "Ask at the co-op in the old bakery. They lend the tools.",
        "Mine did that until I tightened the chainring bolts.",
        "For a {thing} I would never pay for a carbon anything.",
        "Bring a spare spoke and tape it to the stay.",
    ),
)

ALLOTMENTS = Topic(
    "allotments",
    "Allotments",
    "Outdoors",
    "Vegetables, fruit, compost and the slugs that come with them.",
    {
        "thing": (
            "broad beans",
            "leeks",
            "red currants",
            "pumpkins",
            "early potatoes",
            "kale",
            "celeriac",
            "gooseberries",
            "sweetcorn",
            "climbing peas",
        ),
        "pest": ("slugs", "pigeons", "blackfly", "voles", "mildew", "rust"),
        "soil": ("heavy clay", "sandy soil", "a raised bed", "last year's compost heap", "a north-facing strip"),
        "month": ("February", "March", "April", "May", "September"),
    },
    (
        "When do you sow {thing} on {soil}?",
        "How to keep {pest} away from {thing}?",
        "Are my {thing} lost after {pest}?",
        "{thing} in {month}: too early?",
        "Do {thing} need feeding on {soil}?",
    ),
    (
        "A year of {thing} on {soil}",
        "{thing} without digging, third season",
        "What {pest} taught me about {thing}",
        "Sowing plan for {month} with {thing}",
    ),
    (
        "I took over a plot with {soil} last autumn. The {thing} of my neighbour look splendid; mine look like a "
        "warning.",
        "Every {month} I promise myself to wait, and every {month} I sow {thing} too early.",
        "This year {pest} found my {thing} before I did. There are four rows left.",
        "I kept a diary of my {thing} on {soil} and would like to compare notes with yours.",
        "Our society gives away plots again, and I have been asked to write a page for beginners about {thing}.",
    ),
    (
        "On {soil} I would wait until {month}.",
        "Against {pest} only fleece helps, and only if it is tight to the ground.",
        "Beer traps feed the hedgehogs a hangover. Pick by torchlight instead.",
        "My {thing} came through the frost under nothing but straw.",
        "Do not feed them. {thing} get lazy and the {pest} get fat.",
        "Sow twice, three weeks apart, and eat whichever survives.",
        "Mulch, then mulch, and then a little mulch.",
        "A row of marigolds does nothing against {pest}, but it cheers me up.",
        "Save the seed of the best plant, not of the last one.",
        "Water in the morning, deep and seldom.",
    ),
)

WALKING = Topic(
    "walking",
    "Hill Walking",
    "Outdoors",
    "Paths, huts, maps, weather and boots.",
    {
        "thing": (
            "Ansel Ridge",
            "Corrie of Winds",
            "Long Moor",
            "Hestle Pass",
            "Three Cairns",
            "Grey Stair",
            "Lower Tarn loop",
            "Wether Fell",
            "Salt Road",
            "Kestrel Edge",
        ),
        "kit": ("light boots", "a paper map", "a two-man tent", "gaiters", "a down jacket", "trail shoes"),
        "weather": ("fog until noon", "hard frost", "three days of rain", "a dry easterly wind", "late snow"),
        "hut": ("Birk hut", "the shepherd's bothy", "Hollin refuge", "the old customs house", "Tarn hut"),
    },
    (
        "Is {thing} safe after {weather}?",
        "How long from {hut} over {thing} with children?",
        "Do I need {kit} for {thing}?",
        "Where to sleep near {thing} when {hut} is full?",
        "Water on {thing} in a dry summer?",
    ),
    (
        "{thing} in {weather}: a report",
        "Two days from {hut} across {thing}",
        "{thing} with {kit} and little else",
        "Old paths around {thing} that maps forget",
    ),
    (
        "We want to cross {thing} at the end of the month and sleep at {hut}. The forecast says {weather}.",
        "I walked {thing} on Sunday, started in the dark, and met nobody but sheep until {hut}.",
        "My knees are not what they were. Is there a way round the steep part of {thing}?",
        "The signpost below {thing} has been turned round, so here is how to find the path without it.",
        "First time out with {kit}. I made every mistake, so that you need not.",
    ),
    (
        "After {weather} I would stay below the tree line.",
        "{hut} keeps a stove and dry wood, but bring your own matches.",
        "Take {kit}. You will not regret it above the second gate.",
        "The stream past {hut} is dry from July on; carry two litres.",
        "Count on an hour more than the sign says.",
        "The bridge is gone. There is a ford a little upstream.",
        "Turn back at the cairn if you cannot see the next one. Nobody will laugh.",
        "{thing} from the east is longer and far prettier.",
        "With children I would take the quarry track.",
        "The warden at {hut} knows every stone. Ring before you go.",
    ),
)

BEES = Topic(
    "bees",
    "Bees and Hives",
    "Outdoors",
    "Colonies, queens, honey and how to keep both of you calm.",
    {
        "thing": (
            "a late swarm",
            "a weak colony",
            "a new queen",
            "the second super",
            "a top-bar hive",
            "winter stores",
            "a nucleus box",
            "the spring inspection",
        ),
        "flow": ("lime flow", "heather", "rape", "ivy", "willow", "clover"),
        "trouble": ("chalk brood", "robbing", "a drone layer", "damp frames", "wasps", "mites"),
        "month": ("March", "May", "June", "August", "October"),
    },
    (
        "What to do with {thing} in {month}?",
        "Does {flow} set in the comb?",
        "{trouble} and {thing}: combine or wait?",
        "How do you tell {trouble} from a bad {flow}?",
        "Is {month} too late for {thing}?",
    ),
    (
        "Notes on {thing} from my first year",
        "{flow} honey: a small harvest, well counted",
        "How we got rid of {trouble}",
        "A calm way to handle {thing}",
    ),
    (
        "I have two hives at the edge of the orchard. One is strong; the other has {trouble}, and {month} is near.",
        "My mentor moved away, so I am alone with {thing} and a pile of books that disagree.",
        "The {flow} was over in five days here. I am not sure that there is enough in the boxes.",
        "This is how I treat {thing}. It is slow, it is dull, and nobody gets stung.",
        "Heavy rain for a week, then sun, and now I see {trouble} in the hive by the fence.",
    ),
    (
        "Leave them alone until {month}. Opening the box chills the brood.",
        "I would unite them over a sheet of newspaper.",
        "With {trouble} I reduce the entrance to a finger's width.",
        "{flow} crystallises fast, so extract it within the week.",
        "Weigh the hive from behind with a luggage scale.",
        "More ventilation, less sugar.",
        "Ask the inspector. They are friendlier than their letters.",
        "Smoke is a knock at the door, not a fire brigade.",
        "Mark the queen while she is young and slow.",
        "I lost one that way in {month} and learned to count the frames.",
    ),
)

GAMES = Topic(
    "games",
    "Board Games",
    "Indoors",
    "Old games, new games, house rules and missing pieces.",
    {
        "thing": (
            "Harbour Master",
            "Nine Mills",
            "The Tin Crown",
            "Salt and Silk",
            "Owls of Ferny Wood",
            "Turnip Kings",
            "Lock and Weir",
            "The Quiet Duchy",
            "Caravan of Bells",
            "Small Islands",
        ),
        "players": ("two", "three", "five", "seven"),
        "piece": ("the ferry token", "two wooden cubes", "the rule sheet", "a tile of the marsh", "the black die"),
    },
    (
        "Is {thing} any good with {players} players?",
        "{thing}: does the tie go to the last player?",
        "Lost {piece} of {thing}, what to use instead?",
        "Which expansion of {thing} first?",
        "How long does {thing} take with {players}?",
    ),
    (
        "House rules for {thing} that we kept",
        "{thing} after a hundred plays",
        "Making {piece} for {thing} from scrap",
        "Teaching {thing} to {players} beginners",
    ),
    (
        "We played {thing} with {players} last night, and the argument lasted longer than the game.",
        "I found {thing} at a flea market. Everything is there except {piece}.",
        "The rules of {thing} say one thing on the fourth page and another on the last one.",
        "Our club meets on Thursdays and has played {thing} since the winter. These are the changes that stuck.",
        "I would like to buy {thing} for a family of {players} whose youngest is nine.",
    ),
    (
        "With {players} it drags. Take out one round and it sings.",
        "The publisher sends {piece} for the price of a stamp.",
        "We let the tie stand, and both pay for the tea.",
        "Skip the expansion; it only adds bookkeeping.",
        "{thing} is a different game once everybody bids honestly.",
        "Use a button. We have used a button for years.",
        "The second edition settled that: the player on the left decides.",
        "Start with the short map, whatever the box says.",
        "An egg timer saved {thing} for our table.",
        "My daughter beats us all at it, so it cannot be the age.",
    ),
)

CAMERAS = Topic(
    "cameras",
    "Film Cameras",
    "Indoors",
    "Film, darkrooms, light meters and beautiful old glass.",
    {
        "thing": (
            "Orla 35",
            "Velt folding camera",
            "Merrow reflex",
            "Pentaline box camera",
            "Sund twin-lens",
            "Kestner pocket camera",
            "Dray press camera",
            "Lumen half-frame",
        ),
        "fault": ("light leaks", "a sticky shutter", "fungus in the lens", "a dead meter", "a slipping advance"),
        "film": ("slow black-and-white film", "expired slide film", "pushed film", "colour negative film"),
        "bath": ("stand development", "coffee developer", "two-bath development", "a water stop"),
    },
    (
        "{thing} with {fault}: repair or shelf?",
        "Which film for a {thing} indoors?",
        "How to meter {film} with a {thing}?",
        "Is {bath} worth it for {film}?",
        "Where do I get seals for a {thing}?",
    ),
    (
        "A roll of {film} through a {thing}",
        "Curing {fault} on a {thing}",
        "{bath}, with times and pictures",
        "A darkroom under the stairs for a {thing}",
    ),
    (
        "My grandfather's {thing} turned up in the attic with {fault} and half a roll of film inside.",
        "I shot {film} with the {thing} on a grey day, and all of it is two stops too dark.",
        "I would like to try {bath}, but I have only a bathroom without a window and an hour after supper.",
        "There is little to read about the {thing}, so I wrote down how it comes apart.",
        "For a month I carried nothing but a {thing} and one lens.",
    ),
    (
        "{fault} is the usual trouble of a {thing}. It is a Sunday's work.",
        "Meter for the shadows and forget the rest.",
        "With {film} I give one stop more and never regret it.",
        "Black wool in the hinge groove keeps the light out for years.",
        "{bath} hides many sins, and grain is not one of them.",
        "Do not oil the shutter. Clean it, and leave it dry.",
        "Twenty degrees, gentle turns, and write down the minutes.",
        "A {thing} has no business with a flash.",
        "The lens is fine. It is the mirror that is out by a hair.",
        "Contact prints first, enlargements when you are calm.",
    ),
)

RADIOS = Topic(
    "radios",
    "Old Radios",
    "Indoors",
    "Valves, coils, cabinets and voices from far away.",
    {
        "thing": (
            "Halden table set",
            "kitchen radio from the fifties",
            "crystal set",
            "Norrin short-wave receiver",
            "wooden console",
            "Brisk portable",
            "school radio",
            "ship's receiver",
        ),
        "fault": ("a loud hum", "no sound at all", "a drifting dial", "a crackling volume knob", "weak short wave"),
        "part": ("the rectifier", "a coupling capacitor", "the dial cord", "the output valve", "the loudspeaker"),
        "band": ("medium wave", "long wave", "the 40 metre band", "short wave"),
    },
    (
        "{thing} has {fault}: where to begin?",
        "Can {part} of a {thing} be replaced by a modern one?",
        "What can one still hear on {band}?",
        "How to clean the cabinet of a {thing}?",
        "Which aerial for a {thing} in a flat?",
    ),
    (
        "Bringing a {thing} back from {fault}",
        "A night on {band} with a {thing}",
        "Restringing the dial of a {thing}",
        "{part} of a {thing}, measured and explained",
    ),
    (
        "I bought a {thing} with {fault}. It lights up, and then nothing good happens.",
        "Somebody has replaced {part} of my {thing} with whatever was in the drawer.",
        "From my window I get three stations on {band}, and all of them at once.",
        "The cabinet of the {thing} was painted green. Below it is the loveliest walnut.",
        "I measured every part of a {thing} so that you can compare yours.",
    ),
    (
        "Before you do anything, check {part}.",
        "{fault} is nearly always {part}.",
        "Bring it up slowly with a lamp in series.",
        "On {band} the night after rain is best.",
        "Never work with both hands inside. One stays in the pocket.",
        "Ten metres of wire out of the window beat every clever aerial.",
        "Soft soap, a soft brush, and patience.",
        "A {thing} of that age wants a transformer, not a socket.",
        "Take a photograph before you move a single wire.",
        "I have a spare for {part}; write to me.",
    ),
)

TOPICS = (BAKING, MENDING, WOODWORK, BICYCLES, ALLOTMENTS, WALKING, BEES, GAMES, CAMERAS, RADIOS)
