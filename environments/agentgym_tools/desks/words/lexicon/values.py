"""Values in a sentence: codes, dates, sums of money, numbers, and what stands in the world's closed vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentgym_tools.desks.words.lexicon.dates import dated
from agentgym_tools.desks.words.lexicon.sentences import Sentence, Token, sentences_of

_NUMBERS = {
    word: number
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
            *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
        )
    )
}
_NUMBERS |= {
    word: 10 * number
    for number, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
}
_NUMBERS |= {
    f"{tens}-{ones}": _NUMBERS[tens] + _NUMBERS[ones]
    for tens in [word for word, number in _NUMBERS.items() if number >= 20]
    for ones in [word for word, number in _NUMBERS.items() if 1 <= number <= 9]
}
_BEFORE_ONE = frozenset({"any", "extra", "another", "additional", "which", "that", "this", "each", "every", "new"})
"""Words after which "one" is no number."""
_AFTER_ONE = frozenset({"of", "more", "that", "which", "who", "we", "you", "i", "is", "for"})
_TENS = frozenset(word for word, number in _NUMBERS.items() if number in range(20, 100, 10))
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_POWERS = {"hundred": 100, "thousand": 1000}
_NOTHING = re.compile(
    r" (?:free of charge|for free|no charge|without charge|without (?:any|a) (?:charge|fee|surcharge|cost)|"
    r"no (?:extra |late |exit )?(?:fee|cost|costs|surcharge|refund)|without costs?|costs? (?:you )?nothing|"
    r"(?:fee|charge|cost|surcharge|costs) , (?:none|nothing|zero|free)|keep nothing|nothing is kept|nothing extra|"
    r"(?:is|are) free of charge|at no (?:extra )?cost|do not keep (?:anything|a fee)) "
)
_DOING_IS_FREE = re.compile(
    r"^ (?:(?:and|so|well|okay|now|then|yes|sure|,) )*(?!during|morning|evening|\w*thing )\w+ing (?:\S+ ){1,6}?"
    r"(?P<sum>(?:is|are|be) (?:still |completely |entirely |also )?free) (?!of |at |on |from )"
)
"""A change that costs nothing, as in "cancelling it is free"; "the slot is free" says nothing of its cost."""
_UNITS = {"dollar": 100, "dollars": 100, "euro": 100, "euros": 100, "cent": 1, "cents": 1, "usd": 100, "eur": 100}
_CURRENCIES = frozenset({"usd", "eur", "dollars", "euros"})
"""Units that may stand before an amount."""
_SIGNS = " $\u20ac\u00a3"
_CENTS = re.compile(r"\d\d")
_SIZES = {"gb": 1000, "gigabytes": 1000, "gigabyte": 1000}


@dataclass(frozen=True)
class Spotted:
    """A value in a sentence.

    Attributes:
        kind: "word" if it is in the vocabulary, "money", "number", "date", "code", "email" or "other".
        text: The value as text, as the tools give it.
        at: Number of its first token.
        end: Number of the token after it.
        number: A number's value; of money, in cents.
        has_unit: Whether a unit of money stands with it.
        unit: The word after a number.
        is_nothing: Whether it is a sum of nothing in words, such as "no fee".
    """

    kind: str
    text: str
    at: int
    end: int
    number: int | None = None
    has_unit: bool = False
    unit: str = ""
    is_nothing: bool = False


@dataclass(frozen=True)
class Shape:
    """What values a name can have.

    Attributes:
        words: The closed vocabulary, in lower case.
        forms: Forms of codes, such as "W#".
        is_money: Whether it is an amount in cents.
        is_number: Whether it is a number of something else.
        is_date: Whether it is a day, or a day with its time.
        is_free: Whether any text may be its value.
        units: Words that stand after such a number.
    """

    words: frozenset[str] = frozenset()
    forms: frozenset[str] = frozenset()
    is_money: bool = False
    is_number: bool = False
    is_date: bool = False
    is_free: bool = False
    units: frozenset[str] = field(default_factory=frozenset)

    def takes(self, value: Spotted) -> bool:
        """Whether a value could be one of these."""
        if self.is_money:
            return value.kind == "money" or (value.kind == "number" and not _counts(value.unit))
        if self.is_number:
            return value.kind == "number"
        if self.is_date and value.kind == "date":
            return True
        if value.text.casefold() in self.words or form_of(value.text) in self.forms:
            return value.kind != "date" or not self.forms.isdisjoint({form_of(value.text)})
        return self.is_free and value.kind in ("code", "email", "other", "number", "word")


_FOREIGN_UNITS = frozenset({"day", "days", "mb", "gb", "percent", "%", "years", "months", "weeks", "hours", "bags"})


def _counts(unit: str) -> bool:
    """Whether the word after a number says what is counted, as in "the two items"."""
    is_plural = len(unit) > 3 and unit.endswith("s") and not unit.endswith("ss") and unit not in _NO_PLURALS
    return is_plural or unit in _FOREIGN_UNITS


_NO_PLURALS = frozenset(
    {"plus", "this", "minus", "thus", "costs", "goes", "comes", "gets", "always", "towards", "miles"}
)
_NO_NAMES_WORDS = """
i may shall can could should would do is the please if just
"""
_NO_NAMES = frozenset(_NO_NAMES_WORDS.split())


def form_of(text: str) -> str:
    """The form of a code: digits as #; letters stay where they come first, such as "W#"."""
    if "@" in text:
        return "@"
    if text.isdecimal():
        return "#" * len(text)
    form = re.sub(r"\d+", "#", text)
    if "/" in form:
        return "A/A"
    return re.sub(r"(?<=#)[A-Z]$", "a", form)


def is_code(text: str) -> bool:
    """Whether a text is a code rather than words."""
    return "@" in text or bool(re.fullmatch(r"[A-Za-z]{0,3}[\d-]*\d[A-Z]?|[A-Z]+/[A-Z]+", text))


class Vocabulary:
    """Texts that are spotted as values wherever they stand.

    Args:
        texts: The texts, such as names of rows and values of columns.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for text in dict.fromkeys(texts):
            key = _key(text)
            if key:
                self._by_first.setdefault(key[0], []).append((key, text))
        for found in self._by_first.values():
            found.sort(key=lambda each: -len(each[0]))

    def spot(self, sentence: Sentence) -> list[Spotted]:
        """The values of a sentence in order; none overlaps with another."""
        if sentence.values is None:
            sentence.values = [*self._spot(sentence.tokens), *_nothing(sentence)]
        return list(sentence.values)

    def _spot(self, tokens: Sequence[Token]) -> Iterator[Spotted]:
        place = 0
        while place < len(tokens):
            value = self._known(tokens, place) or _day(tokens, place) or _other(tokens, place)
            if value is not None:
                yield value
            place = max(place + 1, value.end if value is not None else 0)

    def _known(self, tokens: Sequence[Token], place: int) -> Spotted | None:
        for key, text in self._by_first.get(_word(tokens[place]), ()):
            if len(key) <= len(tokens) - place and all(
                part == _word(tokens[place + number]) for number, part in enumerate(key)
            ):
                if len(key) == 1 and tokens[place].kind in ("number", "sum", "date"):
                    continue
                kind = "word" if tokens[place].kind == "word" else "code"
                return Spotted(kind, text, place, place + len(key))
        return None


def _nothing(sentence: Sentence) -> Iterator[Spotted]:
    """Words for a sum of nothing."""
    flat = sentence.flat
    if found := _NOTHING.search(flat):
        start, said = found.start() + 1, found[0].strip()
    elif found := _DOING_IS_FREE.search(flat):
        start, said = found.start("sum"), found["sum"]
    else:
        return
    at = flat[:start].count(" ") - 1
    yield Spotted("money", "0", at, at + said.count(" ") + 1, 0, has_unit=True, is_nothing=True)


def _word(token: Token) -> str:
    return token.word.replace("-", "") if token.kind == "word" else token.text.casefold()


def _key(text: str) -> tuple[str, ...]:
    return tuple(_word(token) for sentence in sentences_of(text) for token in sentence.tokens if token.kind != "comma")


def _day(tokens: Sequence[Token], place: int) -> Spotted | None:
    found = dated(tokens, place)
    return Spotted("date", found.text, place, found.end) if found is not None else None


def _other(tokens: Sequence[Token], place: int) -> Spotted | None:
    token = tokens[place]
    after = tokens[place + 1].word if place + 1 < len(tokens) else ""
    before = tokens[place - 1].word if place else ""
    if token.kind == "sum":
        return _money(token.text.strip(_SIGNS), place, place + 1, 100)
    if token.kind == "number":
        if after in _UNITS:
            return _with_cents(tokens, _money(token.text, place, place + 2, _UNITS[after]))
        if before in _CURRENCIES:
            return _money(token.text, place, place + 1, 100)
        if "." in token.text and after in _SIZES:
            amount = round(float(token.text.replace(",", "")) * _SIZES[after])
            return Spotted("number", str(amount), place, place + 2, amount, unit="mb")
        if "." in token.text:
            return _money(token.text, place, place + 1, 100)
        number = int(token.text.replace(",", ""))
        return Spotted("number", str(number), place, place + 1, number, unit=after)
    if token.kind == "word" and (token.word in _NUMBERS or after in _POWERS):
        return _in_words(tokens, place)
    if token.kind == "word" and (ordinal := _ORDINAL.fullmatch(token.word)) is not None:
        return Spotted("number", ordinal[1], place, place + 1, int(ordinal[1]))
    if token.kind in ("email", "pair", "code", "dotted"):
        return Spotted("email" if token.kind == "email" else "code", token.text, place, place + 1)
    return None


def _in_words(tokens: Sequence[Token], place: int) -> Spotted | None:
    """A number in words, such as "two hundred and fifty"; with a unit of money, a sum."""
    total, end = 0, place
    if tokens[place].word == "one" and place and tokens[place - 1].word in _BEFORE_ONE:
        return None
    if tokens[place].word == "one" and place + 1 < len(tokens) and tokens[place + 1].word in _AFTER_ONE:
        is_count = tokens[place + 1].word == "more"
        return Spotted("number", "1", place, place + 1, 1) if is_count else None
    while end < len(tokens):
        word = tokens[end].word
        after = tokens[end + 1].word if end + 1 < len(tokens) else ""
        if word in _POWERS and end > place:
            total = max(1, total) * _POWERS[word] if total < _POWERS[word] else total
        elif word in _NUMBERS and (end == place or tokens[end - 1].word in {*_POWERS, "and", *_TENS}):
            total += _NUMBERS[word]
        elif not (word == "a" and end == place) and not (word == "and" and after in _NUMBERS and total >= 100):
            break
        end += 1
    unit = tokens[end].word if end < len(tokens) else ""
    if unit in _UNITS:
        return _with_cents(tokens, _money(str(total), place, end + 1, _UNITS[unit]))
    return Spotted("number", str(total), place, end, total, unit=unit)


def _with_cents(tokens: Sequence[Token], value: Spotted) -> Spotted:
    """A sum with the cents that stand after it, as in "12 dollars and 50 cents"."""
    at = value.end + (value.end < len(tokens) and tokens[value.end].word == "and")
    after = tokens[at + 1].word if at + 1 < len(tokens) else ""
    is_bare = at == value.end < len(tokens) and _CENTS.fullmatch(tokens[at].text) is not None
    is_bare = is_bare and after not in ("cent", "cents") and not _counts(after)
    if is_bare and value.number is not None and value.number % 100 == 0:
        total = value.number + int(tokens[at].text)
        return replace(value, text=str(total), number=total, end=at + 1)
    if at + 1 >= len(tokens) or tokens[at + 1].word not in ("cent", "cents") or value.number is None:
        return value
    text = tokens[at].text.casefold()
    cents = int(text) if text.isdecimal() else _NUMBERS.get(text)
    if cents is None or cents > 99 or tokens[value.end - 1].word in ("cent", "cents"):
        return value
    return replace(value, text=str(value.number + cents), number=value.number + cents, end=at + 2)


def _money(text: str, at: int, end: int, cents: int) -> Spotted:
    text = re.sub(r",(?=\d\d$)", ".", text.strip())
    whole, _, part = text.replace(",", "").partition(".")
    amount = int(whole or 0) * cents + (int(f"{part}00"[:2]) if part and cents == 100 else 0)
    return Spotted("money", str(amount), at, end, amount, has_unit=True)


def free_text(sentence: Sentence, taken: Sequence[Spotted]) -> Iterator[Spotted]:
    """Texts of capital letters that could be names or places: runs of words, with the number before them."""
    used = {place for value in taken for place in range(value.at, value.end)}
    place = 0
    tokens = sentence.tokens
    while place < len(tokens):
        end = place
        while end < len(tokens) and _is_name(tokens[end], is_first=end == place) and end not in used - _numbers(taken):
            end += 1
        if end - place >= 2:
            yield Spotted("other", " ".join(token.text for token in tokens[place:end]), place, end)
        place = max(end, place + 1)


def _numbers(taken: Sequence[Spotted]) -> set[int]:
    return {value.at for value in taken if value.kind == "number"}


def _is_name(token: Token, *, is_first: bool) -> bool:
    if token.kind == "number":
        return is_first
    return token.kind == "word" and token.text[0].isupper() and token.word not in _NO_NAMES


def shape_of(name: str, texts: Iterable[str], schema: Mapping[str, object]) -> Shape:
    """The shape of a parameter or fact by its name, its known values and its schema."""
    parts = name.split("_")
    if parts[-1] == "cents" or name == "price":
        return Shape(is_money=True)
    if schema.get("type") == "integer" and not parts[-1].startswith("id"):
        return Shape(is_number=True, units=frozenset(parts))
    known = [text for text in texts if text]
    codes = frozenset(form_of(text) for text in known if is_code(text))
    words = frozenset(text.casefold() for text in known if not is_code(text))
    is_date = parts[-1] in ("on", "date", "born", "departure")
    return Shape(words, codes, is_date=is_date, is_free=not (codes or words or is_date))
