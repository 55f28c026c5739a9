"""The words of which the apps' contents are made."""

from __future__ import annotations

JOBS = ("teacher", "nurse", "baker", "engineer", "gardener", "lawyer", "painter", "pilot", "librarian", "carpenter")
RELATIONS = ("sibling", "flatmate", "boss", "neighbour", "dentist", "landlord")
"""What one contact of each person is; all others are friends or colleagues."""
GROUPS = ("Book club", "Running group", "Choir", "Office", "Family", "Chess evening")
TOPICS = (
    "budget",
    "summer party",
    "new website",
    "hiring",
    "warehouse move",
    "annual report",
    "training day",
    "survey",
)
OCCASIONS = ("dinner", "taxi ride", "concert tickets", "birthday present", "weekend trip", "groceries", "museum visit")
PLACES = ("Cafe Luna", "Room 4", "Town Hall", "Blue Lake", "Studio 9", "Central Station", "Garden House", "Room 12")
ERRANDS = (
    *("water the plants", "return the library books", "renew the passport", "book the dentist", "fix the bike"),
    *("call the landlord", "pay the rent", "buy stamps", "clean the oven", "sort the photos", "order new glasses"),
    *("pick up the parcel", "cancel the newspaper", "wash the car", "print the tickets", "repair the lamp"),
)
MEETINGS = (
    *("Team meeting", "Dentist", "Lunch", "Yoga", "Piano lesson", "Parents' evening", "Review", "Haircut", "Workshop"),
    *("Book club", "Football", "Interview", "Cinema", "Swimming", "Planning", "Choir practice"),
)
NOTEBOOKS = ("home", "work", "ideas")
SENDERS = ("news@petalpress.test", "offers@brightmart.test", "no-reply@citylibrary.test", "info@trailclub.test")
"""Addresses of nobody in particular."""
LABELS = ("travel", "bills", "family")
PRODUCTS = {
    "kitchen": ("kettle", "toaster", "teapot", "frying pan", "bread knife", "coffee mill"),
    "garden": ("watering can", "rake", "planter", "bird feeder", "garden hose", "parasol"),
    "sport": ("yoga mat", "tennis racket", "water bottle", "bike helmet", "skipping rope", "swimming goggles"),
    "office": ("desk lamp", "notebook", "fountain pen", "stapler", "desk chair", "whiteboard"),
    "toys": ("kite", "puzzle", "train set", "doll house", "chess set", "building blocks"),
}
MAKERS = ("Alba", "Brix", "Corda", "Delfi")
SELLERS = ("Harbour Goods", "Mill Street Store", "North Trade")
GENRES = ("jazz", "folk", "rock", "electronic", "classical")
ARTISTS = (
    *("The Paper Boats", "Mira Sol", "Velvet Engine", "Northern Lamps", "Otis Grey", "Glass Harbour", "Ida Flint"),
    *("Slow Comet", "The Quiet Keys", "Rio Amber"),
)
SONG_FIRST = ("Silver", "Winter", "Broken", "Golden", "Midnight", "Paper", "Electric", "Hollow", "Distant", "Velvet")
SONG_SECOND = ("River", "Train", "Garden", "Window", "Letter", "Harbour", "Lantern", "Mountain", "Signal", "Mirror")
PLAYLISTS = ("Morning run", "Dinner", "Road trip", "Focus", "Rainy day", "Party")
LISTS = ("Home", "Work", "Shopping")
PRIORITIES = ("low", "normal", "high")
EMOJIS = ("thumbs_up", "heart", "laugh", "sad")
SPENDINGS = ("train", "hotel", "lunch", "books", "petrol", "taxi", "paper", "stamps")
CHAT_TITLES = ("Hiking", "Flat 7", "Quiz team", "Cinema friends", "Cooking", "Office lunch")
SMALL_TALK = (
    *("See you soon!", "Thanks a lot.", "How was your day?", "I am running late.", "Good morning!", "Sounds great."),
    *("Can you call me later?", "It is raining again.", "That was fun.", "I found your umbrella.", "Happy to help."),
)
