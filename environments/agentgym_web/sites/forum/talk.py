"""Sentences that fit every board, and those of the boards without a craft: introductions, swaps, meet-ups, feedback.

What is said about a craft is in `topics`.
"""

from __future__ import annotations

TOWNS = (
    *("Amberwick", "Port Hollis", "Tarnby", "Weirham", "Ostrey", "Kelmouth", "Highmoor", "Sandle", "Fennick", "Ferrow"),
    *("Lowgate", "Brackley Sound"),
)

FIRST_NAMES = (
    *("Ada", "Bram", "Celia", "Dov", "Elin", "Farid", "Greta", "Hamo", "Ines", "Jory", "Kaja", "Leif", "Marit", "Nilo"),
    *("Oona", "Pavel", "Quirin", "Rosa", "Stellan", "Tove", "Ursel", "Viggo", "Wanda", "Yara", "Zeno", "Asta", "Bento"),
    *("Corin", "Delia", "Emre", "Fenna", "Goran", "Hedda", "Ivo", "Jana", "Kolja", "Linnea", "Mirko", "Nora", "Oskar"),
)
LAST_NAMES = (
    *("Ferrin", "Quill", "Marsh", "Tolland", "Vane", "Aster", "Brook", "Castle", "Dunmore", "Eller", "Fisk", "Garrow"),
    *("Holt", "Iversen", "Jessop", "Kettle", "Lund", "Moss", "Nettle", "Orchard", "Pike", "Rudd", "Sparrow", "Thorne"),
    *("Umber", "Varga", "Wills", "Yarrow", "Zander", "Birch", "Calder", "Drum", "Esker", "Fenwick", "Grove", "Hale"),
)
NICKNAMES = (
    *("mossy", "tinker", "lantern", "kettle", "rusty", "slow", "north", "quiet", "copper", "walnut", "windy", "crumb"),
    *("gravel", "thimble", "heron", "pickle", "sparrow", "cobbler", "tidal", "button", "marrow", "drift", "ember"),
)

TRADES = (
    *("a retired lighthouse keeper", "a school librarian", "a ferry engineer", "a night nurse", "a piano tuner"),
    *("a bus driver", "a vet for farm animals", "a maths teacher", "a stonemason", "a translator", "a beekeeper's son"),
    *("a postwoman", "a map maker", "a baker on early shift", "a sailmaker", "a land surveyor", "a sound engineer"),
    *("a railway signaller", "a potter", "a pharmacist", "a glazier", "a court clerk", "a violin maker", "a midwife"),
    *("a roofer", "a botanist", "an optician", "a printer", "a crane driver", "a shepherd", "a watchmaker", "a cook"),
    *("a harbour pilot", "a church organist", "a dentist", "an archivist", "a boat builder", "a geologist"),
)
BIOS = (
    "{trade}. Here for {board} and the arguments about it.",
    "Mostly reading. Works as {trade}.",
    "By day {trade}, by night on {board}.",
    "{trade} with too many projects and one small shed.",
    "Learned everything on {board} from people kinder than myself.",
)
SIGNATURES = (
    "Measure twice, then put the kettle on.",
    "It was working a minute ago.",
    "Slowly, but with biscuits.",
    "Ask me about my shed.",
    "Every tool is a hammer until it breaks.",
    "",
    "",
    "",
)

OPENERS = (
    *("I know the feeling.", "Good question.", "Same here.", "It depends, as always.", "Welcome to the club."),
    *("Two thoughts on this.", "Not quite.", "That made me laugh.", "I would do it differently.", "Yes and no."),
    *("Thank you for writing this down.", "Late to this thread, but still.", "From experience:", "Well, well."),
)
CLOSERS = (
    *("Tell us how it went.", "Good luck with it.", "A photograph would help.", "But what do I know.", "Try it."),
    *(
        "My two pence.",
        "It took me years to learn that.",
        "Do report back.",
        "Happy to be proved wrong.",
        "That is all.",
    ),
    *("Nobody believed me either.", "Cheap, too.", "Write to me if it does not work.", "And be patient."),
)

GREETINGS = (
    "Hello everybody, I am {name} from {town}. I work as {trade}, and in the evenings I try my luck at {craft}.",
    "New here, though I have been reading for a while. I live in {town}, I am {trade}, and {craft} brought me to you.",
    "{name}, {town}, {trade}. My excuse for joining is {craft}; my reason is the winter.",
    "Good evening! My neighbour told me about this place. I am {trade} in {town} and a beginner at {craft}.",
)
GREETING_TITLES = (
    *("Hello from {town}", "A newcomer from {town}", "{name} says good day", "Finally signed up ({town})"),
    *("Greetings, {name} here", "{town} calling", "One more from {town}"),
)
WELCOMES = (
    "Welcome! The kettle is always on.",
    "Glad to have you here. There are a few of us around {town}.",
    "Another one for {craft}, wonderful.",
    "Welcome. Do not miss the old threads; they are gold.",
    "Hello! Come to the next meet-up if you can.",
    "Good to read you. My sister lives near {town}.",
    "Welcome aboard. Ask anything; we have all asked worse.",
)

OFFERS = (
    *("a treadle sewing machine", "a crate of jam jars", "a child's workbench", "a darkroom enlarger", "a pannier set"),
    *("an oak barrel", "a bread slicer", "a bundle of hazel poles", "a pair of snowshoes", "a box of radio valves"),
    *(
        "a smoker and a veil",
        "a cast-iron pan",
        "a paper cutter",
        "three seed trays",
        "a set of chisels",
        "a bike trailer",
    ),
    *("a carton of board games", "a wool carder", "a tripod", "a drying rack", "an apple press", "a storm lamp"),
    *("a folding table", "a tin of old buttons", "a wheelbarrow", "a spirit stove", "a hand drill", "a loom"),
)
OFFER_BODIES = (
    "I have {offer} to give away, {state}. It stands in {town} and has to be fetched. I would take {wish} for it.",
    "To swap: {offer}, {state}. Looking for {wish}, or simply a good home. Collection in {town}.",
    "{offer} seeks new owner. It is {state}. Bring {wish} to {town} and it is yours.",
)
STATES = (
    *("hardly used", "worn but sound", "in need of a clean", "missing one screw", "as good as new", "older than me"),
    *("heavy and honest", "a little rusty"),
)
WISHES = ("a jar of honey", "a cake", "seed potatoes", "two spools of thread", "a roll of film", "a bag of flour")
OFFER_REPLIES = (
    "I would love to have it. Is it still there?",
    "I can bring {wish} on Saturday.",
    "How heavy is it? I would come by train.",
    "If the first one drops out, think of me.",
    "What a find. Sadly {town} is at the other end of the line for me.",
    "I had the same one for years. Take it, somebody!",
    "Would you post it if I pay for the parcel?",
)

PLACES = (
    *("boat shed", "parish hall", "old customs house", "mill café", "library cellar", "tram depot", "orchard hut"),
    *("sailmaker's loft", "station buffet", "fire station", "school kitchen", "net store"),
)
EVENT_BODY = (
    "Let us meet in the {place} in {town} on {day} from two o'clock. Please write how many of you will come, yourself "
    "included, so that we can count chairs. If your number changes, just post again: the last one counts."
)
COMING = (
    "We will be {n} people.",
    "Put me down for {n}, please.",
    "Count {n} for us.",
    "{n} from our house, and a cake.",
    "I am coming; with me there are {n}.",
    "We are {n} this time.",
)
COMING_ALONE = ("Just me, so one.", "I am coming alone: one chair.", "One, please, near the stove.")
CORRECTIONS = ("A change of plan: we will be {n} instead.", "Please correct my number to {n}.", "Make that {n}, sorry.")
NOT_COMING = (
    "I cannot come this time, have fun without me.",
    "Is there a bus back after eight?",
    "I am away that weekend, a pity.",
    "Shall I bring the big teapot?",
)

SHOPS = (
    *("Pell & Daughter", "the Corner Store", "Old Mill Supplies", "Harker's", "the Co-op", "Lindqvist and Sons"),
    *("Tide Market", "the Yellow Door", "Brandt's Yard", "Northgate Depot", "Miss Amble's", "the Weaver's Arch"),
    *("Quarry Trade", "Fifth Street Goods", "Osier & Reed", "the Ropewalk"),
)
GOODS = {
    "baking": "a ten-kilo sack of flour",
    "mending": "a large spool of linen thread",
    "woodwork": "a litre of linseed oil",
    "bicycles": "a pair of touring tyres",
    "allotments": "a cubic metre of compost",
    "walking": "a gas canister",
    "bees": "a hundred sheets of foundation wax",
    "games": "a set of blank wooden pieces",
    "cameras": "three rolls of film",
    "radios": "a tested rectifier valve",
}
PAID = (
    "At {shop} in {town} I pay {n} crowns.",
    "{shop} in {town} takes {n} crowns, and they know me.",
    "{n} crowns at {shop} in {town}, last week.",
    "I go to {shop} in {town}: {n} crowns.",
)
NOT_PAID = (
    "Too much, wherever I go.",
    "I share an order with two neighbours and never see the bill.",
    "Prices have doubled since I began, that is all I know.",
    "I still have some from years ago.",
)

FEEDBACK = (
    (
        "The search finds too much",
        "I searched for glue and got threads about honey. Could the search look at titles alone?",
    ),
    ("Thank you, moderators", "It is calm here, and that is your work. I wanted to say it once."),
    ("Could we have a darker page at night?", "I read in bed, and the page wakes the cat."),
    ("How long is a ban?", "I have seen bans of a week and of a month. Who decides?"),
    ("Signatures are getting long", "Some of them are longer than the posts. One line should do."),
    ("A board for boats?", "There are a dozen threads about boats by now, spread over three boards."),
    ("What counts as advertising?", "May I say where I bought my flour? I do not want to break a rule."),
    ("Old threads: lock or leave open?", "I like it when somebody answers after three years. Others do not."),
    ("Pinned threads on every board", "A short pinned thread with the usual answers would spare us many questions."),
    ("Who keeps this place running?", "I never see a bill. Is there a tin for coins somewhere?"),
)
FEEDBACK_REPLIES = (
    "I agree, and I would help with it.",
    "Please leave it as it is. It works.",
    "We have talked about it and will try it for a month.",
    "One line, and I would be happy.",
    "That was asked two years ago, with the same result.",
    "A good idea, if it does not make more work for the moderators.",
    "I had not noticed until you said it.",
)

POLLS = (
    ("Which evening suits you for a talk?", ("Monday", "Wednesday", "Thursday", "Sunday")),
    ("What should the next calendar show?", ("Sheds", "Hands at work", "Loaves", "Dogs of members")),
    ("How did you learn your craft?", ("From family", "From books", "From a course", "By failing")),
    ("Tea, coffee or neither?", ("Tea", "Coffee", "Neither")),
    ("How many projects are unfinished?", ("None", "One to three", "Four to ten", "I have stopped counting")),
    ("Where do you read this forum?", ("At the kitchen table", "On the train", "In bed", "At work, sorry")),
    ("Which tool would you save from a fire?", ("A knife", "A pan", "A needle", "A camera", "A saw")),
    ("Should offers expire after a month?", ("Yes", "No", "After three months")),
    ("Best weather for staying in?", ("Drizzle", "Storm", "Fog", "Heat")),
    ("How far do you travel for a meet-up?", ("Ten kilometres", "Fifty kilometres", "As far as it takes")),
    ("Which season is yours?", ("Spring", "Summer", "Autumn", "Winter")),
    ("Should we print a book of old threads?", ("Yes, on paper", "Yes, to download", "No")),
)
POLL_BODY = (
    "I am curious, so here is a small poll. {question} Vote above, and explain yourself below.",
    "We talked about it at the last meet-up and could not agree. {question}",
    "A question for a slow week: {question}",
)
POLL_REPLIES = (
    "Voted. I wonder who the others are.",
    "There is an answer missing, but I took the nearest one.",
    "Easy choice for me.",
    "I changed my mind twice while reading it.",
    "Let it run for a while before we draw conclusions.",
)

ADVERTS = (
    "Genuine lamp oil at half price, today only! Write to sales at bright-barrel dot test and mention this thread.",
    "Tired of work? Our miracle polish does everything in a minute. Order five bottles and get one free.",
    "Best prices for tools of every kind, far below the shops. Visit our stall on the web before it is too late.",
    "You all need new windows. Call our friendly team and quote the code GREEN for a present.",
    "Earn money at home by answering letters. No knowledge needed. Ask me how.",
)
INSULTS = (
    "Anybody who asks such a thing should be kept away from tools altogether.",
    "You clearly have no idea what you are talking about, as usual.",
    "What a silly thread by a silly person.",
    "Even my goat would have understood the first answer.",
)
STRAYS = (
    "Has anybody seen the result of the regatta on Sunday?",
    "Does somebody know a good dentist near the harbour?",
    "Completely different matter: who is going to the lantern parade?",
    "My cousin rents out a room, with sea view, in case it interests somebody.",
)
DANGERS = (
    "Just bridge the fuse with foil, it has worked for me so far.",
    "Pour petrol on it and let it burn off, quickest way there is.",
    "You do not need a mask for that. Hold your breath.",
    "Take the guard off the saw, it is only in the way.",
)

LETTERS = (
    (
        "Your question about {craft}",
        "I read your post and have a book on {craft} that I can lend you. Shall I bring it?",
    ),
    ("See you on Saturday?", "I will be at the station at ten. If you come too we could share the way."),
    ("Thank you", "Your advice worked at the first try. I owe you a cake."),
    ("Spare parts", "I have a box of odds and ends from {craft}. Say the word before I give it away."),
    (
        "A small correction",
        "In your last post the number should be twelve, not twenty. I thought you would like to know.",
    ),
    ("Recipe, as promised", "Here it is: little yeast, much time, and a hot oven. The rest is weather."),
)

TYPOS = {
    "because": "becuase",
    "their": "thier",
    "until": "untill",
    "which": "wich",
    "every": "evrey",
    "before": "befor",
    "would": "woud",
    "years": "yaers",
    "without": "wihtout",
    "after": "aftre",
}
