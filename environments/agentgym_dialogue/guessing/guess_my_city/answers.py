"""What the partner says to a question about its city: a short text that never names the city or its country.

What a message asks is found out in `grammar`.
"""

from __future__ import annotations

from agentgym_dialogue.guessing.guess_my_city.grammar import TEXT_TOPICS, Feature, Question, features, holds
from agentgym_dialogue.guessing.guess_my_city.table import NOTHING, City

YES, NO, UNKNOWN = "Yes.", "No.", "Not that I know."
ONE_TEXT = ("food", "industry", "terrain")
"""Topics that are told of in their own text, or in what the city is known for, and nowhere else."""
REFUSED = "I will not name the city or its country. Ask about something else."


def answer(city: City, question: Question) -> str:
    """The partner's words; a right guess is recognised elsewhere."""
    text = _answer(city, question)
    if question.is_positive or not text.startswith(("Yes", "No.")):
        return text
    return YES if text == NO else NO


def _answer(city: City, question: Question) -> str:
    """The words where the question denies nothing."""
    topic = question.topic
    match question.kind:
        case "refuse":
            return REFUSED
        case "guess":
            return YES if topic == city.name else NO
        case "country":
            return YES if topic == city.country else NO
        case "open":
            return _told(city, topic)
        case "exists":
            return _whether(city, topic)
        case "value":
            return YES if question.words[0] in city.facts[topic] else NO
        case "feature":
            about, _, _ = topic.partition(":")
            return _told_by(features()[topic], _searched(city, about))
        case "more":
            return YES if city.millions > question.millions else NO
        case "less":
            return YES if city.millions < question.millions else NO
        case "words":
            searched = (topic, "known") if topic in ONE_TEXT else TEXT_TOPICS
            found = [city.facts[about] for about in searched if holds(question.words, city.facts[about])]
            return f"Yes, {found[0]}." if found else UNKNOWN


def _told_by(feature: Feature, text: str) -> str:
    if feature.has.search(text):
        return YES
    return NO if feature.lacks is None or feature.lacks.search(text) else UNKNOWN


def _told(city: City, topic: str) -> str:
    text = city.facts[topic]
    if topic == "capital":
        return _sentence(text)
    if topic == "population":
        return f"About {text} million people."
    return "There is none." if text == NOTHING else _sentence(text)


def _whether(city: City, topic: str) -> str:
    text = city.facts[topic]
    if topic == "capital":
        return _sentence(text)
    return NO if text == NOTHING else f"Yes, {text}."


def _searched(city: City, topic: str) -> str:
    """The texts that tell whether a city has a feature of a topic; that of its size is a number."""
    if topic == "size":
        return "huge big" if city.millions >= 8 else "big" if city.millions >= 1 else "small"
    if topic == "any":
        return "; ".join(f"{key}={text}" for key, text in city.facts.items())
    return city.facts[topic]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
