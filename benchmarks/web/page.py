"""The measured parts of three pages, written from the JSON files in `results` between two marks.

They are the table of MiniWoB++'s pages in docs/environments/web-miniwob.md, the rates in docs/environments/web.md, and
the table of speed beside its goals in benchmarks/README.md. What stands outside of the marks is written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError
from agentgym_web.miniwob.pages import ALL_PAGES, EASY, MEDIUM
from benchmarks.web import own_costs, players
from benchmarks.web.parity import SEEDS
from benchmarks.web.parity_run import FOLDER, results_file
from benchmarks.web.results import read

DOCS = Path(__file__).parents[2] / "docs" / "environments"
SPEED = FOLDER / "web_speed-cpu.json"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
RATES: Mapping[str, tuple[str, str]] = {
    "agentgym": ("agentgym", "agentgym, pictures"),
    "Farama's `miniwob`": ("farama", "farama, pictures"),
    "BrowserGym": ("", "browsergym"),
    "BrowserGym without its waits": ("", "browsergym, delays off"),
}
"""The rows of rates: their sides of `speed` with text and with pictures; "" for none."""
PEERS: Mapping[str, str] = {"farama": "Farama", "browsergym": "BrowserGym"}
_LACKING = dict.fromkeys(("button-delay", "chase-circle", "moving-items", "simon-says"), "BrowserGym has no such page.")
_UNMARKED = (
    "Each action of Farama's is a command of its own to the browser's driver, which forgets between commands that the "
    "button is held, so that a drag marks no text."
)
NOTES: Mapping[str, Mapping[str, str]] = {
    "farama": {
        "ascending-numbers": (
            "Farama's browser hints fonts, which makes the numbers wider by a quarter of a pixel, so that on two seeds "
            "the page draws them elsewhere."
        ),
        "chase-circle": (
            "The page counts how long the mouse is off a moving circle. Under agentgym nothing is drawn between two "
            "actions, so the page learns late that the circle has moved away."
        ),
        "highlight-text": _UNMARKED,
        "highlight-text-2": _UNMARKED,
        "moving-items": "A busy machine clicks late or draws late, and the items have moved on.",
    },
    "browsergym": {
        **_LACKING,
        "search-engine": (
            "The links of the results add # to the address, and BrowserGym ends an episode without reward when its "
            "address changes."
        ),
        "text-editor": (
            "BrowserGym writes ids into the editor's text; its buttons then change nothing, and Submit fails."
        ),
    },
}
"""Why a page gives other rewards to the same actions under a peer, where the results do not say it."""
Found = Mapping[str, Any]


def write_pages() -> None:
    """Write all tables."""
    for name, text in tables().items():
        path = DOCS / name
        path.write_text(between_marks(path.read_text(encoding="utf-8"), text, name), encoding="utf-8")


def tables() -> dict[str, str]:
    """The text between the marks, by the path of the page from `DOCS`."""
    found = {"web-miniwob.md": pages_table(read(players.RESULTS), {peer: read(results_file(peer)) for peer in PEERS})}
    if SPEED.exists():
        measured = json.loads(SPEED.read_text(encoding="utf-8"))
        found["web.md"] = rates_table(measured)
        found["../../benchmarks/README.md"] = speed_table(measured)
    return found


def between_marks(page: str, text: str, name: str) -> str:
    """A page with another text between its marks.

    Raises:
        ConfigError: The page lacks the marks.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigError(f"{name} has no lines {BEGIN} and {END}; put both where the table is to stand")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def rates_table(found: Found) -> str:
    """Steps a second of all sides, as Markdown."""
    rates = found["figures"]["steps_per_s"]
    lines = ["| package | steps a second with text | with text and a picture |", "| --- | --- | --- |"]
    for package, sides in RATES.items():
        cells = [f"{rates[side]['median']:.3g}" if side else "-" for side in sides]
        lines.append(f"| {' | '.join([package, *cells])} |")
    return "\n".join(lines)


def speed_table(found: Found) -> str:
    """What was measured of the speed, beside the goals, as Markdown."""
    lines = ["| what | measured | goal |", "| --- | --- | --- |"]
    lines += [f"| {goal['name']} | {goal['value']:,g} | {goal['sense']} {goal['goal']:g} |" for goal in found["goals"]]
    rates = [f"{side} {spread['median']:.3g}" for side, spread in found["figures"]["steps_per_s"].items()]
    lines += ["", f"Steps a second, resets counted: {'; '.join(rates)}.", "", _cores_said(found["figures"]["together"])]
    return "\n".join(lines)


def _cores_said(together: Found) -> str:
    """How much of the processors the steps of one environment take, and those of many at once."""
    medians = {name: spread["median"] for name, spread in together.items()}
    said = []
    for count in ("one", str(own_costs.MANY_ENVS)):
        cores, rate = medians[f"{count}_cores"], medians[f"{count}_steps_per_s"]
        said.append(f"{cores:.2f} processors busy, {1000 * cores / rate:.1f} ms a step")
    return f"One environment keeps {said[0]}; {own_costs.MANY_ENVS} at once keep {said[1]}."


def pages_table(played: Found, compared: Mapping[str, Found]) -> str:
    """A line a page: what players score, and how often the peers give the same reward, as Markdown.

    Args:
        played: Results of `players`.
        compared: Results of `parity_run`, by peer.

    Raises:
        ConfigError: A page gives other rewards, and nothing says why.
    """
    lines = [*_summary(played, compared), ""]
    lines += ["| page | difficulty | oracle | random | nothing | Farama | BrowserGym |", "|" + " --- |" * 7]
    notes: list[str] = []
    for page in ALL_PAGES:
        scores = [_score(played["pages"].get(page, {}).get(player)) for player in players.PLAYERS]
        cells = [_parity(page, peer, compared[peer]["pages"].get(page), notes) for peer in PEERS]
        difficulty = "easy" if page in EASY else "medium" if page in MEDIUM else "hard"
        lines.append(f"| {' | '.join([page, difficulty, *scores, *cells])} |")
    return "\n".join([*lines, "", *(f"{number}. {note}" for number, note in enumerate(notes, start=1))])


def _summary(played: Found, compared: Mapping[str, Found]) -> Iterator[str]:
    oracles = [rows["oracle"]["success"] for rows in played["pages"].values() if "oracle" in rows]
    good = sum(success >= 0.95 for success in oracles)
    yield f"{len(oracles)} of {len(ALL_PAGES)} pages have an oracle; {good} of the oracles score at least .95."
    for peer, title in PEERS.items():
        pages = [found for found in compared[peer]["pages"].values() if "error" not in found]
        if not pages:
            continue
        same = sum(found["equal"] == found["episodes"] for found in pages)
        episodes, equal = (sum(found[name] for found in pages) for name in ("episodes", "equal"))
        yield (
            f"{title} gives the same reward on all {SEEDS[peer]} seeds of {same} of {len(pages)} pages, and in "
            f"{equal:,} of {episodes:,} episodes."
        )


def _score(row: Found | None) -> str:
    return "-" if row is None else f"{row['success']:.2f}"


def _parity(page: str, peer: str, found: Found | None, notes: list[str]) -> str:
    """A cell, such as "20/20" or "19/20 (3)", 3 being the number of the note that says why."""
    if found is None:
        return "-"
    cell = "-" if "error" in found else f"{found['equal']}/{found['episodes']}"
    if "error" not in found and found["equal"] == found["episodes"]:
        return cell
    if page in NOTES[peer]:
        reasons = [NOTES[peer][page]]
    elif "error" in found:
        reasons = [found["error"]]
    else:
        reasons = sorted({_sentence(each["why"]) for each in found["differ"] if each["theirs"] is None})
        if any(each["theirs"] is not None for each in found["differ"]):
            raise ConfigError(f"{page} gives other rewards under {peer} and nothing says why; say it in page.NOTES")
    note = " ".join(reasons)
    if note not in notes:
        notes.append(note)
    return f"{cell} ({notes.index(note) + 1})"


def _sentence(why: str) -> str:
    return f"{why[:1].upper()}{why[1:].rstrip('.')}."
