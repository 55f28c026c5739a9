"""Names of people and places, of which desks make their customers."""

from __future__ import annotations

FIRST_NAMES = (
    *("Alma", "Boris", "Cleo", "Dina", "Emil", "Freya", "Goran", "Hanna", "Igor", "Jana", "Karim", "Lena", "Marco"),
    *("Nora", "Otto", "Petra", "Ravi", "Selma", "Timo", "Uma", "Viktor", "Wanda", "Xenia", "Yusuf", "Zara"),
)
LAST_NAMES = (
    *("Adler", "Berg", "Costa", "Duval", "Ernst", "Falk", "Greco", "Hansen", "Ilic", "Jung", "Keller", "Lange"),
    *("Marino", "Nagy", "Oliveira", "Park", "Rehn", "Silva", "Thorn", "Unger", "Vogel", "Wolff", "Yilmaz", "Ziegler"),
)
STREETS = (
    *("Cedar Road", "Dock Street", "Fern Lane", "Garden Row", "Harbour Way", "Juniper Close", "King Street"),
    *("Linden Avenue", "Market Square", "North Gate", "Orchard Hill", "Quarry Lane"),
)
TOWNS = ("Arden", "Brightwater", "Coldwell", "Dunmore", "Elmstead", "Fairhaven", "Greyport", "Highmoor")
