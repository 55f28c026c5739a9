"""Templates for Chromium, with pages of the home: reading them, loading files from them, filling a form, a bookmark."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from agentgym_gui.templates.making import csv_file, text
from agentgym_gui.templates.plan import Ending, Goal, Plan, Template, goal
from agentgym_gui.templates.steps import Steps, click, filled, finish, press, typed
from agentgym_gui.templates.words import LAST, THINGS, TOWNS, person, some

APP = "chromium"
FOLDER, DOWNLOADS = "Pages", "Downloads"
HOME_PAGE = f"{FOLDER}/index.html"
BOOKMARKS = ".config/chromium/Default/Bookmarks"
_OWN = (".config/chromium/*", ".pki/*", ".local/share/applications/*", ".local/share/pki/*")
"""What Chromium writes for itself."""
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{0}</title></head>
<body><h1>{0}</h1>
{1}
</body></html>
"""
_FORM = """<form><p><label>Name <input id="name" autocomplete="off"></label></p>
<p><label>Count <input id="count" autocomplete="off"></label></p>
<p><label><input type="checkbox" id="gift"> Gift wrap</label></p>
<p><button type="button" id="save">Save order</button></p></form>
<script>
document.getElementById("save").onclick = () => {
  const field = (id) => document.getElementById(id);
  const order = {name: field("name").value, count: field("count").value, gift: field("gift").checked};
  const link = document.createElement("a");
  link.href = "data:application/json," + encodeURIComponent(JSON.stringify(order));
  link.download = "order.json";
  link.click();
};
</script>"""


def page(title: str, body: str) -> bytes:
    """A page."""
    return text(_PAGE.format(title, body))


def _plan(words: str, files: dict[str, bytes], goals: Sequence[Goal], steps: Steps, **rest: Any) -> Plan:
    return Plan(
        goal=words,
        applications=(APP,),
        start=((APP, f"~/{HOME_PAGE}"),),
        files=files,
        goals=tuple(goals),
        may_change=(*_OWN, *rest.pop("may_change", ())),
        oracle=steps,
        **rest,
    )


def _shops(rng: random.Random) -> tuple[list[str], dict[str, dict[str, int]]]:
    """Names of shops, and the prices of things in each."""
    towns = some(rng, TOWNS, 4)
    things = some(rng, THINGS, 4)
    prices = rng.sample(range(12, 99), 16)
    return things, {town: dict(zip(things, prices[at * 4 :], strict=False)) for at, town in enumerate(towns)}


def _shop_pages(shops: dict[str, dict[str, int]]) -> dict[str, bytes]:
    links = "\n".join(f'<p><a href="{town.lower()}.html">Shop of {town}</a></p>' for town in shops)
    pages = {HOME_PAGE: page("Shops", links)}
    for town, prices in shops.items():
        rows = "\n".join(f"<tr><td>{thing}</td><td>{price}</td></tr>" for thing, price in prices.items())
        table = f"<table><tr><th>thing</th><th>price</th></tr>\n{rows}</table>"
        pages[f"{FOLDER}/{town.lower()}.html"] = page(f"Shop of {town}", table)
    return pages


def _cheapest(rng: random.Random) -> Plan:
    things, shops = _shops(rng)
    thing = rng.choice(things)
    town, *dearer = sorted(shops, key=lambda each: shops[each][thing])
    words = (
        f"The open page links to four shops. Which of them sells the {thing} for the lowest price? "
        "Answer with the name of its town."
    )
    steps = [step for each in shops for step in (click("link", f"Shop of {each}"), press("alt+Left"))]
    return _plan(
        words,
        _shop_pages(shops),
        [goal("answer", "answer", words=town)],
        (*steps, finish(town)),
        ending=Ending(answer=town),
        near_misses=(Ending(answer=dearer[0]), Ending()),
    )


def _file_link(name: str, content: str) -> str:
    """A link that loads a file, which the page itself holds."""
    lines = content.replace("\n", "%0A")
    return f'<p><a download="{name.lower()}.csv" href="data:text/csv,{lines}">stock of {name}</a></p>'


def _load_file(rng: random.Random) -> Plan:
    names = some(rng, TOWNS, 3)
    tables = {name: csv_file([[thing, rng.randrange(2, 90)] for thing in some(rng, THINGS, 4)]) for name in names}
    links = "\n".join(_file_link(name, content.decode()) for name, content in tables.items())
    wanted, other, _ = names
    path = f"{DOWNLOADS}/{wanted.lower()}.csv"
    words = (
        f"Download the stock of {wanted} from the open page into {DOWNLOADS}, under the name that the page gives it."
    )
    found = goal("file", "text", path=path, equals=tables[wanted].decode())
    return _plan(
        words,
        {HOME_PAGE: page("Stock by town", links)},
        [found],
        (click("link", f"stock of {wanted}"), finish()),
        may_change=(path,),
        ending=Ending({path: tables[wanted]}),
        near_misses=(Ending({path: tables[other]}), Ending({f"{DOWNLOADS}/{other.lower()}.csv": tables[other]})),
    )


def _save_order(rng: random.Random) -> Plan:
    name, count, gift = person(rng), rng.randrange(2, 60), rng.random() < 0.5
    path = f"{DOWNLOADS}/order.json"
    wrapped = "with gift wrap" if gift else "without gift wrap"
    words = f"Fill the form of the open page for {name}, count {count}, {wrapped}, and save the order into {DOWNLOADS}."
    order: dict[str, Any] = {"name": name, "count": str(count), "gift": gift}
    goals = [goal(key, "json", path=path, keys=[key], equals=value) for key, value in order.items()]
    steps = (
        *filled(name, "entry", "Name"),
        *filled(str(count), "entry", "Count"),
        *((click("check box", "Gift wrap"),) if gift else ()),
        click("push button", "Save order"),
        finish(),
    )
    wrong = ({**order, "gift": not gift}, {**order, "count": str(count + 1)})
    return _plan(
        words,
        {HOME_PAGE: page("Order", _FORM)},
        goals,
        steps,
        may_change=(path,),
        ending=Ending({path: text(json.dumps(order))}),
        near_misses=tuple(Ending({path: text(json.dumps(each))}) for each in wrong),
    )


def _bookmarks(folder: str, title: str) -> bytes:
    roots: dict[str, Any] = {name: {"children": []} for name in ("bookmark_bar", "other")}
    return text(json.dumps({"roots": roots | {folder: {"children": [{"name": title, "type": "url"}]}}}))


def _bookmark(rng: random.Random) -> Plan:
    title, name = f"Notes of {person(rng)}", f"{rng.choice(LAST)} notes"
    words = f'Bookmark the open page under the name "{name}" in the folder Other bookmarks, and close the browser.'
    place = {"path": BOOKMARKS, "keys": ["roots", "other", "children", 0, "name"]}
    bar = {"path": BOOKMARKS, "keys": ["roots", "bookmark_bar", "children"]}
    wrong = [("other", title), ("bookmark_bar", name)]
    return _plan(
        words,
        {HOME_PAGE: page(title, "<p>Nothing but notes.</p>")},
        [goal("name", "json", **place, equals=name), goal("bar", "json", **bar, equals=[])],
        (press("ctrl+d"), press("ctrl+a"), typed(name), press("Return"), press("alt+F4"), finish()),
        ending=Ending({BOOKMARKS: _bookmarks("other", name)}),
        near_misses=(*(Ending({BOOKMARKS: _bookmarks(*each)}) for each in wrong), Ending()),
    )


TEMPLATES = (
    Template("chromium.cheapest", _cheapest),
    Template("chromium.load_file", _load_file),
    Template("chromium.save_order", _save_order),
    Template("chromium.bookmark", _bookmark),
)
