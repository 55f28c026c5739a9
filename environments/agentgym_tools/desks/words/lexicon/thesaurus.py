"""Words that mean the same at any desk, and the plain form of a word.

What is special to one desk stands in the desk's `synonyms`.
"""

from __future__ import annotations

from functools import lru_cache

_GROUPS = """
cancel cancellation cancels canceling cancelling call_off annul
return returning send_back take_back bring_back give_back takeback
exchange swap trade replace replacement substitute
change alter modify amend changing
email mail e-mail e-mails emails mailbox
phone telephone mobile cell cellphone handset smartphone device
number no num id reference code
zip postcode postal zipcode
birth born birthday
name named names
reason why grounds basis
city town
colour color
order purchase
refund reimburse reimbursement payback refunded refundable pay_back paid_back money_back get_back
pay paid payment payments paying pays payable
cost costs costing charge charged price expensive pricey costly worth
item article articles
gift_card giftcard
fee fees
state status
late delayed lateness
deliver delivered delivery arrive arrived
address addresses
doctor doctors physician practitioner gp cardiologist
drug medication medicine medicines
visit appointment appointments visits
insurer insurance insurers
book reserve reserved booked booking_of
flight flights
bag bags suitcase suitcases luggage baggage
passenger passengers traveller
carrier provider operator
plan plans
restart reboot rebooted restarting
permit permission allow allowed permitted
claim claims
document documents paperwork papers documentation
contract contracts policy policies
many much
day date days
extend extension prolong extended
bonus discount
withdraw withdrawn
small little low few fewer less
large big huge long
high much_money
person human colleague
seat seats
free available
need needed require required necessary
give gave given giving grant granted
put putting
lapse lapsed
open opened
far distant
young
review reviewed
already before earlier
recent recently lately short_time newly freshly
staff supervisor
bar barring barred bars
lift lifted
suspend suspended
data internet
gigabyte gigabytes gb
bill bills invoice
address_line street
total altogether overall
remain remaining left
credit credits
see seen
accept accepted accepts
buy purchase_of bought
add added adding
send sent sending
move moved moving
take took taken taking
go goes going gone
file filed filing
missing lacking outstanding incomplete
unlock unlocked
result results
test tests
letter letters
renew renewal renewed renewals refill refills
prescription prescriptions
pharmacy chemist pharmacist pharmacies
referral referrals
list lists
waive waived
depart departure departs departing
happen happened
cause caused
miss missed
loss damage incident accident
next upcoming coming following scheduled
extra additional further
most maximum max
exceed exceeds exceeding beyond surpass surpasses
deadline window cutoff cut-off timeframe
child minor minors kid kids children
sufficient adequate suffice
suspend suspended pause paused
occur occurred happen_to
submit hand_in
excuse excuses
"""

_IRREGULAR = {
    "flown": "fly",
    "chosen": "choose",
    "chose": "choose",
    "told": "tell",
    "owe": "owe",
    "owes": "owe",
    "lost": "lose",
    "got": "get",
    "lets": "let",
    "does": "do",
    "done": "do",
    "did": "do",
    "has": "have",
    "had": "have",
    "was": "be",
    "were": "be",
    "is": "be",
    "are": "be",
    "been": "be",
    "children": "child",
    "people": "person",
    "kept": "keep",
    "ran": "run",
    "held": "hold",
    "holds": "hold",
    "spelled": "spell",
    "read": "read",
    "due": "due",
    "twice": "twice",
}
_KEPT = frozenset({"no", "not", "none", "new", "his"})
"""Words that stay as they are."""
_SUFFIXES = ("ations", "ation", "ingly", "ings", "ing", "ments", "ment", "ness", "ied", "ies", "ed", "es", "s", "ly")
_SHORTEST = 3


def _cut(word: str) -> str:
    """A word without its ending."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST:
            word = word[: -len(suffix)] + ("y" if suffix in ("ied", "ies") else "")
            break
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word[:-1] if len(word) > _SHORTEST and word.endswith("e") else word


def _canonical() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _GROUPS.split("\n"):
        words = line.split()
        for word in words:
            found.setdefault(word, words[0])
            found.setdefault(_cut(word), words[0])
    return found


_CANONICAL = _canonical()


@lru_cache(maxsize=20_000)
def plain(word: str) -> str:
    """The plain form of a lower-case word: without its ending, and one for all words that mean the same."""
    if word in _KEPT:
        return word
    word = _IRREGULAR.get(word, word)
    if word in _CANONICAL:
        return _CANONICAL[word]
    cut = _cut(word)
    return _CANONICAL.get(cut, cut)
