"""Steps a second on pages of MiniWoB++ beside Farama's miniwob and BrowserGym, and what agentgym's own steps cost.

All sides use the same browser program, the same window, and the same episodes with the same actions; resets are
counted. Rates are of whole passes over twelve episodes on six pages.

- agentgym: an environment a page, all in one browser; real clicks; the observation is the page's tree as text.
- farama: an environment and a browser a page, through Selenium. Clicks are by coordinates, which are real input. Its
  observation is a list of elements. It gives none on the last step of an episode.
- browsergym: as it comes it waits 0.1 s at each of playwright's calls and 0.5 s before an observation; `delays off`
  sets both to nothing. Its observation is a DOM snapshot, an accessibility tree and a screenshot. It starts two
  browsers at each reset.
- with pictures, agentgym gives screenshot, tree and DOM at each step, Farama screenshot and elements.
- floor: the same clicks and resets as bare DevTools calls, see `benchmarks.web.floor`. It is no library: it shows
  how much of the goals this machine can reach.

The rows of agentgym alone are explained in `benchmarks.web.own_costs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any

from rich.console import Console
from rich.table import Table

from agentgym_web.browser.program.finding import find_browser
from benchmarks.measure import Spread, interleaved, ratios
from benchmarks.report import Goal, Report, progress
from benchmarks.web import own_costs
from benchmarks.web.browsergym_peer import AS_IT_COMES, DELAYS_OFF
from benchmarks.web.floor import Floor
from benchmarks.web.recording import Episode
from benchmarks.web.speed_sides import PAGES, SEEDS, AgentGym, BrowserGymSide, Farama, Side, recorded

PACKAGES = ("agentgymnasium", "miniwob", "selenium", "websockets")
STEP_PAGE, RESET_PAGE = "click-checkboxes", "click-button"
_BROWSERGYM = ("browsergym", "browsergym, delays off")
_KINDS = {"text": "", "pictures": ", pictures"}


def measure(is_quick: bool) -> Report:
    """All rows of the table."""
    rounds = 1 if is_quick else 3
    progress("recording the oracle")
    pages = PAGES[:2] if is_quick else PAGES
    episodes = recorded(pages, 1 if is_quick else SEEDS)
    report = Report(setting={"pages": pages, "episodes": len(episodes), "browser": find_browser().version})
    rates = compared(episodes, seconds=1.0 if is_quick else 3.0, rounds=rounds)
    report.figures["steps_per_s"] = {side: Spread.of(values).to_json() for side, values in rates.items()}
    report.figures["times_the_peers"] = times = _times(rates)
    report.figures["floor"] = _floor(rates)
    own = _own(episodes, is_quick)
    report.figures |= own
    report.goals = list(_goals(times, own))
    return report


def compared(episodes: Sequence[Episode], seconds: float, rounds: int) -> dict[str, list[float]]:
    """Steps a second of each side in each round, the sides taking turns.

    Args:
        episodes: What is played.
        seconds: How long a side plays in a round, at least one pass.
        rounds: Rounds.
    """
    with ExitStack() as stack:

        def opened(side: Side) -> Side:
            return stack.enter_context(closing(side))

        farama = Farama(episodes)
        opened(farama)

        def farama_rate(has_screenshots: bool) -> float:
            farama.has_screenshots = has_screenshots
            return _rate(farama, seconds)

        ours, full = opened(AgentGym(episodes)), opened(AgentGym(episodes, is_full=True))
        floor, full_floor = opened(Floor(episodes)), opened(Floor(episodes, is_full=True))
        slow, fast = (opened(BrowserGymSide(episodes, options)) for options in (AS_IT_COMES, DELAYS_OFF))
        sides: dict[str, Callable[[], float]] = {
            "agentgym": lambda: _rate(ours, seconds),
            "farama": lambda: farama_rate(False),
            "floor": lambda: _rate(floor, seconds),
            "agentgym, pictures": lambda: _rate(full, seconds),
            "floor, pictures": lambda: _rate(full_floor, seconds),
            "farama, pictures": lambda: farama_rate(True),
            _BROWSERGYM[0]: lambda: _rate(slow, 0),
            _BROWSERGYM[1]: lambda: _rate(fast, 0),
        }
        return interleaved({name: _said(name, side) for name, side in sides.items()}, rounds)


def _said(name: str, side: Callable[[], float]) -> Callable[[], float]:
    def run() -> float:
        progress(name)
        return side()

    return run


def _rate(side: Side, seconds: float) -> float:
    num_steps, spent = 0, 0.0
    while spent < seconds or not num_steps:
        taken = side.play()
        num_steps, spent = num_steps + taken.steps, spent + taken.seconds
    return num_steps / spent


def _times(rates: Mapping[str, Sequence[float]], side: str = "agentgym") -> dict[str, Any]:
    """How many times the peers' rates a side has, without and with pictures."""
    pairs = {
        "text": (side, ("farama", *_BROWSERGYM)),
        "pictures": (f"{side}, pictures", ("farama, pictures", _BROWSERGYM[1])),
    }
    return {
        name: {peer: ratios(rates[ours], rates[peer]).to_json() for peer in peers}
        for name, (ours, peers) in pairs.items()
    }


def _floor(rates: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """What bare calls would reach, and which share of it agentgym has."""
    shares = {name: ratios(rates[f"agentgym{end}"], rates[f"floor{end}"]) for name, end in _KINDS.items()}
    return {
        "times_the_peers": _times(rates, "floor"),
        "share": {name: found.to_json() for name, found in shares.items()},
    }


def _own(episodes: Sequence[Episode], is_quick: bool) -> dict[str, Any]:
    rounds = 1 if is_quick else 5
    clicks = next(episode for episode in episodes if episode.page == STEP_PAGE)
    found: dict[str, Any] = {}
    progress("a step beside its calls")
    found["step"] = own_costs.step_beside_calls(clicks, 20 if is_quick else 200, rounds)
    progress("resets")
    found["reset"] = own_costs.resets(RESET_PAGE, 20 if is_quick else 200)
    progress("resets of sites")
    found["site_reset"] = own_costs.site_resets(5 if is_quick else 50)
    progress("environments at once")
    found["together"] = own_costs.together(episodes, 1.0 if is_quick else 3.0, rounds)
    progress("large pages")
    found["observation"] = own_costs.observations(3 if is_quick else 15)
    progress("memory")
    found["memory"] = own_costs.memory(episodes)
    return found


def _goals(times: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[Goal]:
    text, pictures = times["text"], times["pictures"]
    yield Goal("text, steps/s: times Farama's without screenshots", text["farama"]["median"], 10, "at least")
    yield Goal("text, steps/s: times BrowserGym's as it comes", text[_BROWSERGYM[0]]["median"], 250, "at least")
    yield Goal("text, steps/s: times BrowserGym's, delays off", text[_BROWSERGYM[1]]["median"], 100, "at least")
    many = f"{own_costs.MANY_ENVS} environments, steps/s: times one environment's"
    yield Goal(many, own["together"]["times_one"]["median"], 1.5, "at least")
    full = "screenshot, tree and DOM, steps/s: times"
    yield Goal(f"{full} Farama's with screenshots", pictures["farama, pictures"]["median"], 8, "at least")
    yield Goal(f"{full} BrowserGym's, delays off", pictures[_BROWSERGYM[1]]["median"], 60, "at least")
    yield Goal("a step, times its two calls made bare", own["step"]["times_the_bare_calls"]["median"], 2.5, "at most")
    yield Goal("reset in the page, p50, ms", own["reset"]["in_page_ms"]["p50"], 5, "at most")
    yield Goal("reset with a fresh context, p50, ms", own["reset"]["fresh_context_ms"]["p50"], 60, "at most")
    sites = own["site_reset"]["median_ms"]
    yield Goal("reset of a site to its snapshot, median over the sites, ms", sites, 20, "at most")
    yield Goal("memory of an environment at 16, MiB", own["memory"]["mib_per_env"], 60, "at most")
    largest = own["observation"]["ms_by_elements"][str(own_costs.SIZES[-1])]
    yield Goal(f"observation of {own_costs.SIZES[-1]:,} elements, ms", largest, 50, "at most")
    yield Goal("growth of the observation's time, 1 being linear", own["observation"]["growth"], 1.05, "at most")


def table(found: Mapping[str, Any]) -> None:
    """Print the goals of a report and the rates as tables."""
    console = Console(width=110)
    goals = Table("what", "value", "goal", "met", title="benchmarks.web speed")
    for goal in found["goals"]:
        goals.add_row(
            goal["name"], f"{goal['value']:g}", f"{goal['sense']} {goal['goal']:g}", "yes" if goal["met"] else "NO"
        )
    rates = Table("side", "steps/s", "range", title="steps a second, resets counted")
    for side, spread in found["figures"]["steps_per_s"].items():
        rates.add_row(side, f"{spread['median']:g}", f"{spread['low']:g} to {spread['high']:g}")
    console.print(goals)
    console.print(rates)
