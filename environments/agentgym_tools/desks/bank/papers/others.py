"""Documents beside the rules: questions and answers, branches, countries, words, and notes of the house.

None of them states a rule of the desk. They are there because a search finds them, too.
"""

from __future__ import annotations

from agentgym_tools.desks.bank.papers.rules import RULES, Paper
from agentgym_tools.desks.bank.world import TOPICS
from agentgym_tools.desks.setting.people import STREETS, TOWNS

_COUNTRIES = (
    *("Austria", "Belgium", "Brazil", "Canada", "Chile", "Denmark", "Egypt", "Finland", "France", "Greece", "India"),
    *("Ireland", "Italy", "Japan", "Kenya", "Mexico", "Norway", "Peru", "Poland", "Portugal", "Spain", "Sweden"),
    *("Turkey", "the United States"),
)
_WORDS = {
    "adviser": "Somebody at a branch who talks with customers about one topic.",
    "balance": "What is on an account today. Below zero it is overdrawn.",
    "beneficiary": "Somebody on a customer's list who can be sent money abroad.",
    "block": "A blocked card pays nothing. Whether it can be freed depends on why it was blocked.",
    "charge": "What a service costs. It is told beforehand.",
    "cheque": "A paper that lets somebody draw money from an account.",
    "consent": "What the second holder of an account says yes to in writing.",
    "contactless": "Paying by holding a card near the till.",
    "courtesy": "Something that the bank does without having to.",
    "credit card": "A card whose payments are settled once a month.",
    "credit of a dispute": "Money that a customer has while a dispute runs. A lost dispute takes it back.",
    "debit card": "A card whose payments leave the account at once.",
    "deferral": "Instalments that are paid later.",
    "dispute": "A complaint about a payment by card.",
    "due day": "The day on which a standing order or an instalment is paid next.",
    "fixed deposit": "Money that stays with the bank for a number of months.",
    "ground": "Why a customer disputes a payment.",
    "hold": "A held account pays nothing until the hold is lifted.",
    "holder": "A person to whom an account belongs. Some accounts have two.",
    "instalment": "What is paid for a loan each month.",
    "interest": "What money costs or brings, in hundredths of a percent or in percent a year.",
    "joint account": "An account with two holders.",
    "journey": "A stay abroad for which a card is opened.",
    "limit": "The most that a card pays in a month.",
    "overdraft": "How far an account may go below zero.",
    "payee": "Who gets a payment.",
    "PIN": "The secret number of a card. Nobody at the bank knows it.",
    "private banking": "A service for large fortunes, with a desk of its own.",
    "recall": "A request to another bank to send a transfer back.",
    "standing order": "A payment of the same amount each month.",
    "statement": "A list of what happened on an account.",
    "term": "How long a fixed deposit runs.",
    "transfer": "Money that goes from one account to another.",
    "value day": "The day from which money brings interest.",
}
_NOTES = {
    "Opening hours in the holidays": "Branches close at noon on the last day before a holiday.",
    "Coffee machines": "The machines on the first floor are cleaned on Fridays.",
    "New letterheads": "Letters to customers have the new letterhead from now on. Old paper is used up for drafts.",
    "Cards in envelopes": "Envelopes with cards go out without a window, so that nobody sees a name.",
    "Complaints": "Who takes a complaint writes down the day, the customer and the matter, and thanks the customer.",
    "Training on cheques": "The training on cheques and how they are cashed takes place twice a year.",
    "Training on loans": "The training on loans and their instalments is for new colleagues.",
    "Phones at the desk": "Calls are taken after three rings at the latest.",
    "Names of customers": "Customers are called by their last names unless they wish otherwise.",
    "Fire drill": "At the drill all leave the house by the nearest stairs.",
    "Travel season": "Many customers ask about cards and journeys abroad in early summer. Take time for them.",
    "Wrong numbers": "Who finds a wrong number of an account in a letter tells the post room.",
    "Joint accounts in letters": "Letters about accounts with two holders name both.",
    "Old cards": "Old cards are cut in two and thrown away in different bins.",
    "Standing orders at the turn of the year": "More standing orders than usual are due in January.",
    "Interest in the news": "Who is asked about interest in the news does not guess what the bank will do.",
    "Branch in Highmoor": "The branch in Highmoor has a new door for wheelchairs.",
    "Surveys": "Some customers are asked by mail how content they are with the desk.",
}


def _branches() -> list[Paper]:
    papers = []
    for number, town in enumerate(TOWNS):
        for place, topic in enumerate(TOPICS):
            hours = f"from {8 + (number + place) % 3} to {15 + (number * place) % 4} o'clock"
            street = STREETS[(3 * number + place) % len(STREETS)]
            text = (
                f"Advisers on {topic} sit in the branch at {street} in {town}, {hours}. {{see:appointments}} says more."
            )
            papers.append(Paper(f"branch_{number}_{place}", f"Branch in {town}: advisers on {topic}", text))
    return papers


def _countries() -> list[Paper]:
    papers = []
    for number, country in enumerate(_COUNTRIES):
        text = (
            f"A transfer to {country} is on the other account after {1 + number % 4} working days. Account numbers "
            f"there have {14 + number * 5 % 13} characters. The clocks differ by {number * 7 % 12} hours. For charges "
            "see {see:foreign}."
        )
        papers.append(Paper(f"country_{number}", f"Country sheet: {country}", text))
    return papers


OTHERS = (
    *(
        Paper(
            f"question_{rule.key}",
            f"Question of a customer: {rule.title.lower()}",
            f"Customers often ask about {rule.title.lower()}. Do not answer by heart: it changes. The rules are in "
            f"{{see:{rule.key}}}, and memos may have replaced parts of them.",
        )
        for rule in RULES
    ),
    *_branches(),
    *_countries(),
    *(Paper(f"word_{number}", f"Word list: {word}", text) for number, (word, text) in enumerate(_WORDS.items())),
    *(Paper(f"note_{number}", f"House note: {title}", text) for number, (title, text) in enumerate(_NOTES.items())),
)
"""All of them."""
