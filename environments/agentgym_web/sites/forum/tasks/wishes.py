"""Texts that tasks ask to be written: replies, threads, titles, letters and signatures."""

from __future__ import annotations

REPLIES = (
    "I tried this on Sunday and it worked at once.",
    "Could you post a picture of the finished piece?",
    "My experience is the opposite, but thank you all the same.",
    "I will bring mine to the next meet-up so that you can see it.",
    "Is there a left-handed way to do this?",
    "Ten years later I would still do it like that.",
    "Please do not stop now, I want to know how it ends.",
    "I have one to spare. Who wants it?",
    "This thread should be pinned.",
    "The library in Weirham has a good book about it.",
)
THREADS = (
    ("baking", "question", "Flour from the mill at Ostrey?", "Has anybody baked with it yet? It smells of hay."),
    ("baking", "guide", "Rusks from yesterday's rolls", "Slice them thin, dry them slowly, and hide the tin."),
    ("mending", "question", "Thread for a wet suit", "Which thread survives salt water for a season?"),
    ("mending", "chat", "The oldest thing you still wear", "Mine is a waistcoat from my grandfather's wedding."),
    ("woodwork", "question", "Bent handle of a hay rake", "Steam or soak? I have a kettle and a bathtub."),
    ("bicycles", "event", "Ride to the lighthouse in April", "We start at nine at the tram depot and ride slowly."),
    ("allotments", "question", "Frost in the last week of May", "Do you cover the beans again, or trust the sky?"),
    ("walking", "guide", "A dry path round the Long Moor", "Keep to the wall until the second stile, then go left."),
    ("bees", "question", "Hives next to a school", "How high should the fence be so that they fly over it?"),
    ("games", "event", "Open table on the first Friday", "Bring a game and somebody to explain it."),
    ("cameras", "question", "Fixer that smells of nothing", "My flat is small and my neighbours are not patient."),
    ("radios", "chat", "Voices in the loudspeaker at night", "What is the strangest thing you ever picked up?"),
    ("swaps", "offer", "Offering a box of corks", "About two hundred corks, clean and dry, for a jar of jam."),
    ("about", "question", "Can I change my login?", "I chose it in a hurry and regret it every day."),
)
TITLES = (
    "What I should have asked last year",
    "Second attempt, now with patience",
    "A question for the winter evenings",
    "Notes from a slow learner",
    "The same trouble again, in better words",
    "Before I give up: one more idea",
    "Something that worked, for a change",
    "Half a success, fully described",
)
THANKS = (
    "Thank you, that was the answer I needed.",
    "It works now. I owe you a loaf.",
    "Solved, thanks to all of you.",
    "That did it, and at the first try.",
    "I have accepted the answer. Thank you for your patience.",
)
LETTERS = (
    ("Thank you", "Your reply saved my weekend."),
    ("A question", "May I quote your reply in our club's newsletter?"),
    ("Your reply", "Could you tell me more about it at the next meet-up?"),
    ("Spare time?", "Would you look over my notes before I post them?"),
    ("Coffee in Tarnby", "I am there on Tuesday and would like to hear the whole story."),
)
SIGNATURES = (
    "Everything takes twice as long.",
    "One more coat, then I stop.",
    "Powered by rye bread.",
    "Please return the ladder.",
    "Somewhere between two projects.",
    "No bees were asked.",
)
POLL_REMARKS = (
    "Voted. Let us see whether I am alone with it.",
    "My vote is in. It was a close thing.",
    "I have voted and will not say why.",
    "Done. Next poll, please.",
)
BAN_REASONS = ("advertising in several threads", "selling on a board for swaps", "adverts after a warning")
ENDINGS = (
    "Thank you in advance.",
    "I read every answer.",
    "Pictures are welcome.",
    "Short answers will do.",
    "There is no hurry.",
    "I ask for a friend.",
    "Beginners are welcome, too.",
)
ROUND_UPS = (
    "Two threads worth your evening",
    "What I read this week",
    "Old threads that deserve a look",
    "Reading for a rainy day",
    "The two longest talks I could find",
)
