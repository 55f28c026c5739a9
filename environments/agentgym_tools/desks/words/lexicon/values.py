"""Values in a sentence: codes, dates, sums of money, numbers, and what stands in the world's closed vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agentgym_tools.desks.words.lexicon.sentences import Sentence, Token, sentences_of

_MONTHS = {
    name[:3]: number
    for number, name in enumerate(
        (
            *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
            *("october", "november", "december"),
        ),
        1,
    )
}
_NUMBERS = {
    word: number
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
            "twelve",
        )
    )
}
_NUMBERS |= {
    word: 10 * number
    for number, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
}
_NOTHING = re.compile(
    r" (?:free of charge|for free|no charge|without charge|without (?:any|a) (?:charge|fee|surcharge|cost)|"
    r"no (?:extra |late |exit )?(?:fee|cost|costs|surcharge|refund)|without costs?|costs? nothing|nothing extra|"
    r"(?:is|are) free of charge|at no (?:extra )?cost|do not keep (?:anything|a fee)) "
)
_UNITS = {"dollar": 100, "dollars": 100, "euro": 100, "euros": 100, "cent": 1, "cents": 1, "usd": 100, "eur": 100}
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
            return value.kind == "money" or (value.kind == "number" and value.unit not in _FOREIGN_UNITS)
        if self.is_number:
            return value.kind == "number"
        if self.is_date and value.kind == "date":
            return True
        if value.text.casefold() in self.words or form_of(value.text) in self.forms:
            return value.kind != "date" or not self.forms.isdisjoint({form_of(value.text)})
        return self.is_free and value.kind in ("code", "email", "other", "number", "word")


_FOREIGN_UNITS = frozenset({"day", "days", "mb", "gb", "percent", "%", "years", "months", "weeks", "hours", "bags"})


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
            value = self._known(tokens, place) or _dated(tokens, place) or _other(tokens, place)
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
    found = _NOTHING.search(sentence.flat)
    if found is not None:
        at = sentence.flat[: found.start() + 1].count(" ") - 1
        yield Spotted("money", "0", at, at + found[0].count(" ") - 1, 0, has_unit=True, is_nothing=True)


def _word(token: Token) -> str:
    return token.word.replace("-", "") if token.kind == "word" else token.text.casefold()


def _key(text: str) -> tuple[str, ...]:
    return tuple(_word(token) for sentence in sentences_of(text) for token in sentence.tokens if token.kind != "comma")


def _dated(tokens: Sequence[Token], place: int) -> Spotted | None:
    """A day written with the name of its month and the year."""
    if not any(token.word[:3] in _MONTHS for token in tokens[place : place + 3]):
        return None
    near = [token for token in tokens[place : place + 6] if token.kind != "comma"][:4]
    words = [re.sub(r"^(\d+)(?:st|nd|rd|th)$", r"\1", token.text.casefold()) for token in near]
    if len(words) > 2 and words[1] == "of":
        del words[1], near[1]
    if len(words) < 3:
        return None
    day, month, year = (words[0], words[1], words[2]) if words[0].isdigit() else (words[1], words[0], words[2])
    number = _MONTHS.get(month[:3]) if month.isalpha() and len(month) > 2 else None
    if number is None or not (day.isdecimal() and year.isdecimal() and len(year) == 4 and 1 <= int(day) <= 31):
        return None
    end = next(each for each in range(place, len(tokens)) if tokens[each] is near[2]) + 1
    return Spotted("date", f"{year}-{number:02}-{int(day):02}", place, end)


def _other(tokens: Sequence[Token], place: int) -> Spotted | None:
    token = tokens[place]
    after = tokens[place + 1].word if place + 1 < len(tokens) else ""
    if token.kind == "sum":
        return _money(token.text[1:], place, place + 1, 100)
    if token.kind == "number":
        if after in _UNITS:
            return _money(token.text, place, place + 2, _UNITS[after])
        if "." in token.text and after in _SIZES:
            amount = round(float(token.text.replace(",", "")) * _SIZES[after])
            return Spotted("number", str(amount), place, place + 2, amount, unit="mb")
        if "." in token.text:
            return _money(token.text, place, place + 1, 100)
        number = int(token.text.replace(",", ""))
        return Spotted("number", str(number), place, place + 1, number, unit=after)
    if token.kind == "word" and token.word in _NUMBERS:
        number = _NUMBERS[token.word]
        if after in _UNITS:
            return _money(str(number), place, place + 2, _UNITS[after])
        return Spotted("number", str(number), place, place + 1, number, unit=after)
    if token.kind == "date":
        return Spotted("date", re.sub(r"(?: at|,)?[ T](?=\d\d:)", " ", token.text), place, place + 1)
    if token.kind in ("email", "pair", "code", "dotted"):
        return Spotted("email" if token.kind == "email" else "code", token.text, place, place + 1)
    return None


def _money(text: str, at: int, end: int, cents: int) -> Spotted:
    whole, _, part = text.replace(",", "").strip().partition(".")
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
