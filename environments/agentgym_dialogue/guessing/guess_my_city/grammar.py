"""The partner's English: from a message to the topic that it asks about, and to what it wants to know of it.

A question names a topic by one of its key phrases; a yes-or-no question may also name a value, a feature or words that
the partner's facts hold, and nothing beside them but the words of `fillers`. Denials are taken out by `polarity`,
numbers of people are read by `amounts`, and what the answer is, is the work of `answers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from agentgym_dialogue.guessing.guess_my_city.amounts import comparison_in, is_about_population, with_whole_numbers
from agentgym_dialogue.guessing.guess_my_city.fillers import beside, leaves_nothing
from agentgym_dialogue.guessing.guess_my_city.polarity import polar_stems
from agentgym_dialogue.guessing.guess_my_city.table import cities, rows
from agentgym_dialogue.phrases import MAX_CHARS, question_of, stems

Kind = Literal["open", "exists", "value", "feature", "words", "more", "less", "guess", "country", "refuse"]
EXISTING = ("river", "water", "food", "landmark", "industry", "history", "known")
"""Topics of which "Is there any?" is a question."""
TEXT_TOPICS = ("food", "landmark", "industry", "history", "known", "terrain")
"""Topics whose texts yes-or-no questions are looked up in, word by word."""


class Question(NamedTuple):
    """What a message asks.

    Attributes:
        kind: "open" asks what there is to tell of a topic, "exists" whether there is anything, "value" whether it is
            `words`, "feature" whether it has a declared feature, "words" whether any text has these stems, "more" and
            "less" compare the population; "guess" and "country" name one, "refuse" asks for a name.
        topic: The topic; the name for "guess" and "country"; the feature for "feature".
        words: What is looked for.
        millions: People that the population is compared with.
        is_positive: Whether it asks for that; else for the contrary.
    """

    kind: Kind
    topic: str = ""
    words: tuple[str, ...] = ()
    millions: float = 0.0
    is_positive: bool = True


_QUESTION_WORDS = frozenset(["what", "which", "wher", "who", "how", "why", "when", "whereabout", "whos", "whereabouts"])
_ORDERS = frozenset(["tell", "describ", "nam", "giv", "say", "list", "explain", "mention"])
_GUESS_WORDS = """
is it the a city of my guess i think must be could do you live in from are thinking final answer your hometown home
town that would say believe so maybe hmm perhaps probably oh ah then now okay called named ok well place located bet
going to am
"""
_FRAME_WORDS = """
is it the a an any some there of in on at to for by with from near nearby close next around you your city town place
people they have has been do does did live located situated lie lies known famous popular important big large main
local many much lot lots most mostly really very well good notable typical common one its country where also often
usually ever as world hometown home be built stand stands get found see would could i we and or widespread major
significant considered dominant game games center destination based host hosted over all year round area region
through that my other run runs flow flows rich long great interesting beautiful hub centre centers strong come tourist
tourists visitors celebrated part
"""
_SIZES = "big bigger large larger small smaller little tiny huge major long great"
_FUNCTION_WORDS = """
like who that which than it by on in of a the and with after before under over between what other some largest biggest
"""
_ABBREVIATION = re.compile(r"\b(st|[a-z])\.(?=\w|\s)", re.IGNORECASE)


@cache
def _words_of(text: str) -> frozenset[str]:
    return frozenset(stems(text))


def _spaced(words: Iterable[str]) -> str:
    return f" {' '.join(words)} "


@cache
def _keys() -> tuple[tuple[str, str], ...]:
    """Key phrases in stems and their topics, in the order in which topics are looked for."""
    return tuple((_spaced(stems(key)), topic) for topic, keys in rows("topics") for key in keys.split(", "))


class Feature(NamedTuple):
    """How the text of a topic tells whether a city has a feature.

    Attributes:
        has: What the text matches where the city has it.
        lacks: What it matches where the city has it not; None for all other texts. Where neither matches, the text
            does not tell.
    """

    has: re.Pattern[str]
    lacks: re.Pattern[str] | None


@cache
def features() -> Mapping[str, Feature]:
    """The features by `topic:word`."""
    return {f"{topic}:{word}": feature for topic, _, word, feature in _feature_rows()}


@cache
def _feature_phrases() -> tuple[tuple[str, str], ...]:
    """Phrases in stems that ask for a feature, the longest first."""
    pairs = [(_spaced(stems(phrase)), f"{topic}:{word}") for topic, said, word, _ in _feature_rows() for phrase in said]
    return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))


@cache
def _feature_rows() -> tuple[tuple[str, list[str], str, Feature], ...]:
    found = []
    for topic, said, has, *lacks in rows("features"):
        phrases = said.split(", ")
        feature = Feature(re.compile(has), re.compile(lacks[0]) if lacks else None)
        found.append((topic, phrases, phrases[0], feature))
    return tuple(found)


@cache
def _values() -> tuple[tuple[str, str, str], ...]:
    """Values of topics that have few, in stems, with the topic and the value, the longest first."""
    found: dict[tuple[str, str, str], None] = {}
    for city in cities().values():
        for topic in ("continent", "language", "currency", "religion", "river", "water"):
            for value in city.facts[topic].split(" and "):
                bare = re.sub("^(?:the|an?) ", "", value)
                found[(_spaced(stems(bare)), topic, bare)] = None
    found |= {
        (_spaced(stems(said)), topic, value): None
        for topic, value, names in rows("values")
        for said in names.split(", ")
    }
    found = {key: None for key in found if key[2] != "none"}
    return tuple(sorted(found, key=lambda value: -len(value[0])))


@cache
def _names() -> tuple[tuple[str, Kind, str], ...]:
    """Names of cities and countries in stems, the longest first."""
    found: dict[tuple[str, Kind, str], None] = {}
    for city in cities().values():
        found |= {(_spaced(stems(name)), "guess", city.name): None for name in (city.name, *city.aliases)}
    for city in cities().values():
        found |= {
            (_spaced(stems(name)), "country", city.country): None for name in (*city.country_names, *city.adjectives)
        }
    return tuple(sorted(found, key=lambda name: (-len(name[0]), name[1] == "country")))


@cache
def _text_words() -> frozenset[str]:
    texts = (city.facts[topic] for city in cities().values() for topic in TEXT_TOPICS)
    return frozenset(word for text in texts for word in stems(text)) - _words_of(_FUNCTION_WORDS)


_NOT_ABOUT_CITY = re.compile(r" be (?:the|your|its|it) country | hav (?:the|your|it) city (?:ever )?be ")
_PAST = re.compile(r"^\W*(?:was|were|did|had)", re.IGNORECASE)


@lru_cache(maxsize=4096)
def understand(message: str) -> Question | None:
    """What a message asks; None where that is not understood."""
    if len(message) > MAX_CHARS:
        return None
    sentence = question_of(with_whole_numbers(_ABBREVIATION.sub(r"\1 ", message)))
    polar = polar_stems(sentence or "")
    if polar is None or not polar[0]:
        return None
    words, is_positive = polar
    question = _understood(words, bool(_PAST.match(sentence or "")))
    if question is None or is_positive or question.kind == "refuse":
        return question
    return None if question.kind == "open" else question._replace(is_positive=False)


def _understood(words: Sequence[str], is_past: bool) -> Question | None:
    """What a sentence without denials asks."""
    text = _spaced(words)
    is_order = words[0] in _ORDERS or (words[:2] == ["do", "you"] and not _ORDERS.isdisjoint(words[2:4]))
    is_open = is_order or any(word in _QUESTION_WORDS for word in words[:7])
    if not is_open and (spoken := _language(text)):
        return spoken
    named, rest = _named(text)
    if len(named) > 1:
        return None
    if named and not is_open:
        return _about_name(named[0], rest)
    is_choice = " or " in text and not any(" or " in phrase and phrase in text for phrase, _ in _feature_phrases())
    is_asked = words[0] in ("be", "do", "hav") and not is_open and not is_choice
    return _yes_or_no(text, is_past) if is_asked else _open(text)


def _language(text: str) -> Question | None:
    """Whether a language is spoken: its name is often an adjective of a country, too."""
    if _topic_in(text) == "language":
        for value, topic, said in _values():
            if topic == "language" and value in text and leaves_nothing(text, value, topic):
                return Question("value", topic, (said,))
    return None


def _named(text: str) -> tuple[list[tuple[Kind, str]], str]:
    """Cities and countries named in a text, and the rest of it."""
    found: list[tuple[Kind, str]] = []
    for value, _, _ in _values():
        if value in text and len(value.split()) > 1:  # "South America" is no country, "North Sea" no part of one
            text = text.replace(value, f" {'_'.join(value.split())} ")
    for name, kind, key in _names():
        if name in text:
            found.append((kind, key))
            text = text.replace(name, " ")
    return found, text


def _about_name(named: tuple[Kind, str], rest: str) -> Question | None:
    kind, key = named
    others = {word for word in rest.split() if "_" not in word}
    if kind == "guess":
        return Question("guess", key) if others <= _words_of(_GUESS_WORDS) else None
    return Question("country", key) if others <= beside("continent") else None


def _topic_in(text: str) -> str:
    for key, topic in _keys():
        if topic == "name:whole":
            if key == text:
                return "name"
        elif key in text:
            return topic
    return ""


def _open(text: str) -> Question | None:
    topic = _topic_in(text)
    if topic == "population" and not is_about_population(text):
        return None
    return Question("refuse") if topic == "name" else Question("open", topic) if topic else None


def _yes_or_no(text: str, is_past: bool) -> Question | None:
    if (compared := comparison_in(text)) is not None:
        is_more, millions = compared
        return Question("more" if is_more else "less", "population", (), millions)
    return (None if is_past else _fact(text)) or _in_texts(text, is_past)


def _fact(text: str) -> Question | None:
    """A question for a value or a feature, and for nothing else."""
    for value, topic, said in _values():
        if value in text and leaves_nothing(text, value, topic):
            return Question("value", topic, (said,))
    for phrase, feature in _feature_phrases():
        if phrase in text and leaves_nothing(text, phrase, feature):
            is_about_it = not _NOT_ABOUT_CITY.match(text) or feature.startswith("government")
            return Question("feature", feature) if is_about_it else None
    return None


def _in_texts(text: str, is_past: bool) -> Question | None:
    """A question for a topic as such, or for words that the texts have."""
    topic = _topic_in(text)
    if topic == "name":
        return Question("refuse")
    keys = {word for key, about in _keys() if about == topic and key in text for word in key.split()}
    sizes = _words_of(_SIZES)
    words = [word for word in text.split() if word not in keys]
    content = tuple(word for word in words if word not in _words_of(_FRAME_WORDS) and word not in sizes)
    if _NOT_ABOUT_CITY.match(text) or (topic == "" and _is_about_climate(text)):
        return None
    if content:
        is_told_in_texts = topic in ("", *TEXT_TOPICS) and set(content) <= _text_words()
        return Question("words", topic, content) if is_told_in_texts else None
    is_sure = topic in EXISTING and not is_past and sizes.isdisjoint(words)
    return Question("exists", topic) if is_sure else None


def _is_about_climate(text: str) -> bool:
    """Whether a text asks for a kind of climate, of which the texts tell nothing."""
    return any(feature.startswith("climate:") and phrase in text for phrase, feature in _feature_phrases())


def holds(words: Sequence[str], text: str) -> bool:
    """Whether a text has all of these stems."""
    return _words_of(text).issuperset(words)
