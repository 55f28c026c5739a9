"""What people write as it stands for: contractions, casual words, greetings, and lists with bullets."""

from __future__ import annotations

import re

_SPELLED = (
    (re.compile(r"\b(can)['\u2019]t\b|\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\b(won)['\u2019]t\b", re.IGNORECASE), "will not"),
    (re.compile(r"n['\u2019]t\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(i)['\u2019]m\b", re.IGNORECASE), "i am"),
    (re.compile(r"['\u2019]ve\b", re.IGNORECASE), " have"),
    (re.compile(r"['\u2019]ll\b", re.IGNORECASE), " will"),
    (re.compile(r"['\u2019]re\b", re.IGNORECASE), " are"),
    (re.compile(r"\b(i|you|we|they)['\u2019]d\b", re.IGNORECASE), r"\1 would"),
    (re.compile(r"\blet['\u2019]s\b", re.IGNORECASE), "let us"),
    (re.compile(r"\b(\w+)['\u2019]s (been|gone|just been|now been|already been)\b", re.IGNORECASE), r"\1 has \2"),
    (re.compile(r"\b(it|that|there|what|who|where|how|here|when|why)['\u2019]s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"(\w)['\u2019]s\b"), r"\1"),
)
_CASUAL = {
    "wanna": "want to",
    "gonna": "going to",
    "gotta": "have to",
    "lemme": "let me",
    "gimme": "give me",
    "how come": "why",
    "as well as": "and",
    "along with": "and",
    "bucks": "dollars",
    "quid": "dollars",
    "gigs": "gigabytes",
    "meds": "drugs",
    "asap": "soon",
    "info": "details",
    "acct": "account",
    "dob": "date of birth",
    "lmk": "let me know",
    "pls": "please",
    "plz": "please",
    "thx": "thanks",
    "appt": "appointment",
    "ur": "your",
    "bday": "birthday",
    "b-day": "birthday",
    "get rid of": "remove",
    "thru": "through",
    "tel": "phone",
}
_SHORTENED = (
    (re.compile(r"\bi\.\s?e\.,?", re.IGNORECASE), ", namely"),
    (re.compile(r"\be\.\s?g\.,?", re.IGNORECASE), ", for example"),
    (re.compile(r"\b([ap])\.\s?m\b\.?", re.IGNORECASE), r"\1m"),
)
"""Words whose dots end no sentence."""
_QUOTED = re.compile(r"[\"\u201c](\w+)[,.]?[\"\u201d]")
"""A word in quotation marks, such as "yes"; it stands in its sentence as any other."""
_LACKED = re.compile(r"\b(?:do|does|did) not have (?:an?|any)\b", re.IGNORECASE)
_CASUAL_WORD = re.compile(rf"\b(?:{'|'.join(_CASUAL)})\b", re.IGNORECASE)
_SHORT_NUMBER = re.compile(r"(?<=\w )no\.(?=\s*(?:and|or|of|as|pls|please|[+&,?\n]|[A-Z]{0,2}\d|$))", re.IGNORECASE)
_GREETING = re.compile(
    r"(?:(?<=[.!?,\n] )|^)good (?:morning|afternoon|evening|day)\b(?: to you)?(?=\s*[,.!;]| and)", re.IGNORECASE
)
_PLUS = re.compile(r", plus (?=[a-z])")
_ITEM = re.compile(r"[ \t]*(?:[-*\u2022\u2013]|\(?\d{1,2}[.)]|[a-h]\))[ \t]+(?=\S)")
_ENDED = re.compile(r"[.!?]\s+\S")
_STOPS = ".;, \t"


def tidied(text: str) -> str:
    """A message without contractions, casual words and greetings; what a list names stands in the sentence before."""
    if "\n" in text:
        text = _without_lists(text)
    if "'" in text or "\u2019" in text or "annot" in text:
        for pattern, replacement in _SPELLED:
            text = pattern.sub(replacement, text)
    for pattern, replacement in _SHORTENED if "." in text else ():
        text = pattern.sub(replacement, text)
    text = _LACKED.sub("have no", text)
    text = _QUOTED.sub(r"\1", text)
    text = _SHORT_NUMBER.sub("number", text)
    if "+" in text or "&" in text:
        text = re.sub(r"(?<=[\w\s])\s?[+&]\s(?=\w)", " and ", text)
    text = re.sub(r"\bu\b", "you", text) if " u " in text else text
    text = _PLUS.sub(", and ", text)
    text = _CASUAL_WORD.sub(lambda found: _CASUAL[found[0].casefold()], text)
    return _GREETING.sub("hello", text)


def _without_lists(text: str) -> str:
    """The lines of a text, those of a list after the line that leads to it, with commas between."""
    lines: list[str] = []
    items: list[str] = []
    for line in [*text.split("\n"), ""]:
        bullet = _ITEM.match(line)
        if bullet is not None:
            items.append(line[bullet.end() :])
            continue
        if items and line.strip():
            lines += _listed(lines, items)
            items = []
        if line.strip():
            lines.append(line)
    return "\n".join([*lines, *_listed(lines, items)])


def _listed(lines: list[str], items: list[str]) -> list[str]:
    """A list as lines: one that goes on the last line, which is taken away then, or one for each item."""
    is_led = bool(lines) and lines[-1].rstrip().endswith((":", ",", "-"))
    if not is_led or any("?" in item or _ENDED.search(item) for item in items):
        return items
    lead = lines.pop().rstrip().rstrip(":,-")
    return [", ".join([lead, *(item.strip(_STOPS) for item in items)])]
