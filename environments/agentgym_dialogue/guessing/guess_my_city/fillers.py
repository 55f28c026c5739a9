"""Words that may stand in a yes-or-no question beside what it asks for, in stems.

A question with any other word asks for something else and is not answered as if the word were not there.
"""

from __future__ import annotations

from functools import cache

from agentgym_dialogue.phrases import stems

_ANYWHERE = """
is it the a an any there of in on at to for by with from do have you your its my our they we i would could also very
really quite pretty fairly rather mostly mainly usually typically generally often normally actually currently city
town place hometown home people locals live located situated sit sits lie lies lying considered get found find use one
that which so then now hmm ok okay well please perhaps maybe probably
"""
_COUNTRY = "country nation state part citizen based built"
_BESIDE = {
    "continent": f"{_COUNTRY} continent region area",
    "part": f"{_COUNTRY} continent region area member belong",
    "language": """language languages speak speaks spoken tongue official main primary local dominant predominant common
        native widely commonly national country nation greeted most many""",
    "currency": "currency money pay paid cash official local national accept accepted shops country nation main",
    "religion": """religion religious faith follow practice practise believe believers worship main dominant predominant
        majority most common widespread official national country nation state mainly""",
    "river": "river rivers near nearby close next bank banks run runs flow flows through pass passes famous along",
    "government": "government form kind system country nation state head ruled governed",
    "driving": "drive driving cars traffic side road street vehicles country hand",
    "hemisphere": "hemisphere part half country",
    "capital": "country nation national official current",
    "size": "world earth size population populated terms",
    "climate": "climate weather temperature all year round lot much feel ever",
    "region": "part country region area side coast",
    "water": """water sea ocean coast coastline lake beach beaches shore body near nearby close next border borders
        major directly right natural known famous""",
    "terrain": "terrain landscape near nearby close surrounded built natural area some mountains hills",
    "industry": """industry industries economy economic business sector work big large important major main significant
        popular known famous city's hub center centre destination source income most based well""",
}
_SEA = frozenset(["landlocked", "port city", "body of water", "sea", "beach"])
_HEIGHT = frozenset(["high altitude"])


@cache
def beside(topic: str) -> frozenset[str]:
    """What may stand beside a value of a topic, or a feature such as "any:sea"; for "", beside anything."""
    about, _, feature = topic.partition(":")
    if about == "any":
        about = "water" if feature in _SEA else "terrain" if feature in _HEIGHT else "part"
    return frozenset(stems(f"{_ANYWHERE} {_BESIDE.get(about, '')}"))


def leaves_nothing(text: str, key: str, topic: str) -> bool:
    """Whether a text in stems says nothing but a key phrase and what may stand beside it."""
    return beside(topic).issuperset(text.replace(key, " ", 1).split())
