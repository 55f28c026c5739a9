"""Names of what the wiki is about: islands, places, people, works, ships, beasts and dishes, and of its editors."""

from __future__ import annotations

ISLANDS = ("Great Sarn", "Little Sarn", "Thessel", "Mavrow", "Skarrow", "Ilden", "Quenn", "Ashlet", "Borrin")
PLACE_STARTS = (
    *("Ald", "Bren", "Corl", "Dunn", "Eld", "Fenn", "Garr", "Hest", "Ives", "Kell", "Lorr", "Mars", "Nor", "Oster"),
    *("Penn", "Quill", "Rad", "Sel", "Tarr", "Ull", "Venn", "Wyn", "Yarr", "Hollin", "Stran", "Twill"),
)
PLACE_ENDS = ("wick", "by", "mouth", "holm", "stead", "haven", "ford", "cote", "ness", "thorpe", "low", "combe")
RIVERS = (
    *("Amber", "Brindle", "Corrow", "Dellin", "Evering", "Farrel", "Glimmer", "Hallow", "Issel", "Kessin", "Lorn"),
    *("Mirrel", "Nessa", "Orle", "Pellin", "Quarry", "Rennet", "Sallow", "Thrush", "Umbrel"),
)
MOUNTAINS = (
    *("Aster Pike", "Bald Judge", "Cold Hatch", "Crow Stair", "Drummer's Seat", "Ember Top", "Fallow Horn"),
    *("Grey Widow", "Hart Beacon", "Idle Man", "Kettle Tor", "Long Anvil", "Mossback", "Needle Fell", "Old Warden"),
    *("Pilgrim's Nose", "Quiet Brother", "Raven Chair", "Sheep Crown", "Thunder Rigg", "White Sow", "Yellow Scar"),
)
HEADS = (
    *("Anchor", "Barrow", "Candle", "Dolphin", "Eider", "Fiddler's", "Gannet", "Herring", "Iron", "Jackdaw", "Kelp"),
    *("Lantern", "Mermaid's", "North", "Otter", "Petrel", "Ragged", "Sailor's", "Tern", "Vesper", "Whistling", "Wolf"),
    *("Saint Elin's", "Broken"),
)
BRIDGES = (
    *("Abbot's", "Bell", "Carter's", "Double", "Elm", "Fisher", "Golden", "High", "Jubilee", "King's", "Lace", "Mill"),
    *("New Town", "Old Toll", "Peace", "Quarry", "Rope", "Swan", "Tanner's", "Union", "Weaver's", "Willow"),
)
LINES = ("Great Northern Line", "Harbour Line", "Granite Line", "Valley Line", "Salt Line")
FIRST_NAMES = (
    *("Agnes", "Albin", "Berta", "Casimir", "Clara", "Dorian", "Edda", "Emil", "Fenja", "Gideon", "Hanne", "Hugo"),
    *("Ida", "Jasper", "Judith", "Konrad", "Lavinia", "Leopold", "Magda", "Malte", "Nadia", "Ottilie", "Osric"),
    *("Petra", "Quentin", "Rufus", "Sabine", "Silas", "Thea", "Tobias", "Ulla", "Valentin", "Wilma", "Xaver", "Yvo"),
)
LAST_NAMES = (
    *("Ambrose", "Bellweather", "Crane", "Dunstable", "Eckhart", "Farthing", "Gallow", "Hartung", "Inkpen", "Jolley"),
    *("Kestrel", "Larkin", "Merriman", "Northcote", "Oakes", "Pomfret", "Quist", "Ravenhill", "Stolberg", "Tansley"),
    *("Underhay", "Vickery", "Wetherell", "Yelland", "Zoller", "Brandreth", "Coldwell", "Fenimore", "Hollander"),
)
NOVELS = (
    *("The Salt Ledger", "A Winter of Gulls", "The Glass Harbour", "Nine Letters Home", "The Clockmaker's Debt"),
    *("Under the Seventh Arch", "The Ferryman's Daughter", "Ashes for Breakfast", "A Map of Small Griefs"),
    *("The Rope Dancers", "Fog Year", "The Quiet Mutiny", "House of Nets", "Three Sisters and a Goat"),
    *("The Last Peat Cutter", "What the Tide Owes", "An Honest Smuggler", "The Tin Orchard"),
)
PAINTINGS = (
    *("Women Mending Nets", "Storm over the Bar", "The Red Boat", "Evening at the Weir", "Boy with a Lantern"),
    *("The Empty Quay", "Haymakers at Noon", "Portrait of a Pilot", "Ice in the Harbour", "Two Dogs and a Door"),
    *("The Toll Keeper", "Funeral by Water", "Market in the Rain", "The Long Shadow"),
)
OPERAS = (
    *("The Drowned Bell", "King of the Shallows", "The Lamplighter", "Marina", "The Wager", "A Night in the Mill"),
    *("The Silver Herring", "Orsola", "The Three Pilots", "The Beggar's Crown", "Sleepers", "The Cuckoo's Wedding"),
)
SHIPS = (
    *("Bold Otter", "Candida", "Dawn Treasure", "Evening Star of Quenn", "Fortitude", "Gracious Lady", "Halcyon"),
    *("Ivory Gull", "Juno", "Kittiwake", "Lively Anne", "Meridian", "Northern Promise", "Patience", "Resolute Mary"),
    *("Sea Thistle", "Tenacity", "Undaunted"),
)
FESTIVALS = (
    *("Lantern Week", "Blessing of the Nets", "Goat Parade", "Feast of Ovens", "Night of Rafts", "Kite Sunday"),
    *("Apple Court", "Fiddlers' Fair", "Fire Walk", "Day of Doors", "Herring Games", "Whitewash Friday", "Wool Race"),
)
SPECIES = (
    *(
        ("Sarn storm finch", "bird"),
        ("Pale marsh wren", "bird"),
        ("Ringed cliff swift", "bird"),
        ("Lesser bell rail", "bird"),
    ),
    *(
        ("Ilden blue orchid", "orchid"),
        ("Salt gentian", "herb"),
        ("Creeping foamwort", "herb"),
        ("Fenn cotton sedge", "sedge"),
    ),
    *(("Widow moss", "moss"), ("Tower lichen", "lichen"), ("Lamp moth", "moth"), ("Amber hawk moth", "moth")),
    *(
        ("Quenn pond snail", "snail"),
        ("Skarrow vole", "mammal"),
        ("Grey harbour bat", "mammal"),
        ("Dune skipper", "butterfly"),
    ),
    *(
        ("Stone loach of Borrin", "fish"),
        ("Bearded goby", "fish"),
        ("Hermit cress", "herb"),
        ("Ashlet juniper", "shrub"),
    ),
)
DISHES = (
    *(
        ("Pilot's pie", "smoked haddock"),
        ("Black barley cake", "barley"),
        ("Net stew", "mussels"),
        ("Sour plum soup", "plums"),
    ),
    *(("Ferryman's dumplings", "potatoes"), ("Salted leek tart", "leeks"), ("Goat curd fritters", "goat's curd")),
    *(
        ("Kelp broth", "kelp"),
        ("Sailor's marzipan", "almonds"),
        ("Turnip bread", "turnips"),
        ("Amber cider jelly", "apples"),
    ),
    *(("Peat-smoked trout", "trout"), ("Honey crackling", "honey"), ("Three-bean pot", "beans")),
)
COMPANIES = (
    *(("Borrin Glassworks", "bottles"), ("Corrow Brewery", "dark beer"), ("Eider & Sons", "bedding")),
    *(("Great Sarn Ropery", "rope"), ("Harbour Steam Laundry", "linen"), ("Ilden Slate Company", "roof slates")),
    *(("Lantern Soap Works", "soap"), ("Mavrow Paper Mill", "paper"), ("Quenn Salt Company", "salt")),
    *(("Red Gull Printers", "almanacs"), ("Thessel Wool Union", "blankets"), ("Tower Clock Company", "clocks")),
)
PRODUCTS = (
    *("wool", "slate", "herring", "rope", "barley", "cider", "salt", "glass", "peat", "cheese", "linen", "timber"),
    *("mussels", "honey", "clocks", "paper"),
)
EDITORS = (
    *("Almanac", "Bookworm of Quenn", "Capstan", "Dovetail", "Erratum", "Footnote", "Gazetteer", "Halfmoon", "Ibex"),
    *("Jetty", "Kelpie", "Ledger", "Marginal", "Nib", "Old Chart", "Paperweight", "Quire", "Rubric", "Sextant"),
    *("Thumb Index", "Umlaut", "Vellum", "Wayfarer", "Yardarm", "Zephyrine", "Blotter", "Compass Rose", "Dog Ear"),
)
ADMINS = ("Archivist", "Harbourmaster", "Proofreader")
VANDALS = ("xX_Kraken_Xx", "TotallyReal77", "BananaBaron", "Mr Scribble")
MONTHS = ("February", "March", "April", "May", "June", "July", "August", "September", "October", "November")
