"""What agentgym's own pages cost: a step beside its two bare calls, resets, many environments, memory, large pages."""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from threading import Thread
from typing import Any

from agentgym_web.browser.hub import the_hub
from agentgym_web.browser.input import Input
from agentgym_web.browser.settings import PageSettings, View
from agentgym_web.miniwob.env import MiniWoBEnv
from agentgym_web.sites.core.all_sites import SITES
from agentgym_web.sites.serving import SiteServer, the_server
from benchmarks.measure import Spread, cpu_seconds
from benchmarks.web.floor import Floor
from benchmarks.web.recording import Episode
from benchmarks.web.speed_sides import long_task, own_env, play_own, recorded

SIZES = (1_250, 2_500, 5_000, 10_000)
"""Elements of the pages whose observation is timed."""
MANY_ENVS = 8
MEMORY_ENVS = (1, 4, 16)
_ROW = 5
"""Elements of a row of a large page."""


def step_beside_calls(episode: Episode, num_steps: int, rounds: int) -> dict[str, Any]:
    """A whole step beside the click and the observation that it makes, alone.

    Args:
        episode: Of a page whose first action is a click that can be made again and again.
        num_steps: Steps a round.
        rounds: Rounds, in which the two take turns.

    Returns:
        Median times of both in milliseconds, and their ratios by round.
    """
    call, ratios, steps, bare = episode.moves[0].call, [], [], []
    with closing(own_env()) as env:
        env.reset(options={"task": long_task(episode)})
        bare_calls = _bare_calls(env, call)
        for _ in range(rounds):
            steps.append(_median_ms(lambda: env.step(call), num_steps))
            bare.append(_median_ms(bare_calls, num_steps))
            ratios.append(steps[-1] / bare[-1])
    return {
        "step_ms": Spread.of(steps).to_json(),
        "bare_calls_ms": Spread.of(bare).to_json(),
        "times_the_bare_calls": Spread.of(ratios).to_json(),
    }


def _bare_calls(env: MiniWoBEnv, call: str) -> Callable[[], Any]:
    """The click of a call and the look at the page, as DevTools calls over the same pipe."""
    hub, window = the_hub(), env.page._window
    number = int(call.split("'")[1])
    tab, hands = window.tab, Input(window)
    look = f"agentgym.observe({json.dumps({'tree': env.view.tree_options()})})"

    async def find() -> dict[str, Any]:
        return dict(await tab.evaluate(f"agentgym.locate({number})"))

    point = hub.run(find())

    async def both() -> None:
        await hands.click(point["x"], point["y"], "left", 1, [])
        await tab.evaluate(look)

    return lambda: hub.run(both())


def resets(page: str, count: int) -> dict[str, Any]:
    """Quantiles of resets in milliseconds: in the open page, in a window to be opened first, and in a bare context."""
    seeds = iter(range(10 * count))
    with closing(own_env()) as env:

        def reset() -> None:
            env.reset(options={"task": long_task(Episode(page, next(seeds), (), 0.0, is_over=False))})

        reset()
        in_page = [_timed_ms(reset) for _ in range(count)]
        fresh = []
        for _ in range(max(3, count // 5)):
            env.close()
            fresh.append(_timed_ms(reset))
    with closing(Floor(recorded((page,), 1))) as floor:
        bare = [floor.open_ms(page) for _ in fresh]
    return {
        "in_page_ms": _quantiles(in_page),
        "fresh_context_ms": _quantiles(fresh),
        "bare_context_ms": _quantiles(bare),
    }


def site_resets(count: int) -> dict[str, Any]:
    """Times of bringing each of our own sites back to its snapshot, while its server runs, in milliseconds.

    Args:
        count: Resets of each site.

    Returns:
        Median times by site, and the median over the sites.
    """
    found = {}
    for name in SITES:
        server, session = the_server(name), f"{name} reset"

        def reset(server: SiteServer = server, session: str = session) -> None:
            server.reset(session, None)

        reset()
        found[name] = round(_median_ms(reset, count), 2)
        server.drop(session)
    return {"ms_by_site": found, "median_ms": round(statistics.median(found.values()), 2)}


def together(episodes: Sequence[Episode], seconds: float, rounds: int) -> dict[str, Any]:
    """Steps a second of eight environments one after the other and all at once, each in a thread of its own.

    Returns:
        Rates, their ratios, and how many processors were in use meanwhile.
    """
    alone, at_once, ratios = [], [], []
    cores: dict[str, list[float]] = {"alone": [], "at once": []}
    pages = list(dict.fromkeys(episode.page for episode in episodes))
    with ExitStack() as stack:
        envs = [stack.enter_context(closing(own_env())) for _ in range(MANY_ENVS)]
        work = [
            (env, [episode for episode in episodes if episode.page == pages[number % len(pages)]])
            for number, env in enumerate(envs)
        ]
        for env, played in work:
            play_own(env, played[0])
        for _ in range(rounds):
            with _cores(cores["alone"]):
                began = time.perf_counter()
                num_steps = sum(_loop(env, played, seconds / MANY_ENVS) for env, played in work)
                alone.append(num_steps / (time.perf_counter() - began))
            with _cores(cores["at once"]):
                at_once.append(_all_at_once(work, seconds))
            ratios.append(at_once[-1] / alone[-1])
    return {
        "one_steps_per_s": Spread.of(alone).to_json(),
        f"{MANY_ENVS}_steps_per_s": Spread.of(at_once).to_json(),
        "times_one": Spread.of(ratios).to_json(),
        "one_cores": Spread.of(cores["alone"]).to_json(),
        f"{MANY_ENVS}_cores": Spread.of(cores["at once"]).to_json(),
    }


@contextmanager
def _cores(found: list[float]) -> Iterator[None]:
    """Add how many processors this process and those below it had on average."""
    began, began_cpu = time.perf_counter(), cpu_seconds()
    yield
    found.append((cpu_seconds() - began_cpu) / (time.perf_counter() - began))


def _loop(env: MiniWoBEnv, played: Sequence[Episode], seconds: float) -> int:
    num_steps, ends = 0, time.perf_counter() + seconds
    while time.perf_counter() < ends:
        for episode in played:
            num_steps += play_own(env, episode)
    return num_steps


def _all_at_once(work: Sequence[tuple[MiniWoBEnv, Sequence[Episode]]], seconds: float) -> float:
    counts: list[int] = []

    def play(env: MiniWoBEnv, played: Sequence[Episode]) -> None:
        counts.append(_loop(env, played, seconds))

    threads = [Thread(target=play, args=each) for each in work]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(counts) != len(work):
        raise RuntimeError(f"{len(work) - len(counts)} of {len(work)} environments failed; see above")
    return sum(counts) / (time.perf_counter() - began)


def memory(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Proportional memory of the browser's processes with 1, 4 and 16 environments, in MiB, in a new browser."""
    the_hub().close()
    found = {}
    with ExitStack() as stack:
        num_open = 0
        for count in MEMORY_ENVS:
            while num_open < count:
                env = stack.enter_context(closing(own_env()))
                play_own(env, episodes[num_open % len(episodes)])
                num_open += 1
            found[str(count)] = round(sum(process.memory_mib() for process in the_hub().processes()), 1)
    first, last = MEMORY_ENVS[0], MEMORY_ENVS[-1]
    return {
        "browser_mib": found,
        "mib_per_env": round(found[str(last)] / last, 1),
        "mib_per_further_env": round((found[str(last)] - found[str(first)]) / (last - first), 1),
    }


def observations(repeats: int) -> dict[str, Any]:
    """Median times of the observation of pages of several sizes, in milliseconds, and how they grow with the size.

    Returns:
        `growth` is the slope of time over size, both as logarithms, from the smallest page to the largest: 1 is linear.
    """
    found: dict[str, float] = {}
    with closing(the_hub().open(PageSettings(virtual_time=True))) as page:
        for size in SIZES:
            page.run_script(_fill_page(size))
            lines = page.look(View()).lines
            if not len(lines) >= size // _ROW:
                raise RuntimeError(f"the page of {size} elements gave {len(lines)} lines")
            found[str(size)] = round(_median_ms(lambda: page.look(View()), repeats), 2)
    growth = math.log(found[str(SIZES[-1])] / found[str(SIZES[0])]) / math.log(SIZES[-1] / SIZES[0])
    return {"ms_by_elements": found, "growth": round(growth, 3)}


def _fill_page(size: int) -> str:
    """JavaScript that makes a page of rows, each of a list item, a link, a button, a field and a text."""
    row = '<li><a href="#${n}">Item ${n}</a><button>Buy ${n}</button><input value="${n}"><span>Price ${n}</span></li>'
    rows = f"Array.from({{ length: {size // _ROW} }}, (_, n) => `{row}`)"
    return f"document.body.innerHTML = '<ul>' + {rows}.join('') + '</ul>'"


def _median_ms(work: Callable[[], object], repeats: int) -> float:
    return statistics.median(_timed_ms(work) for _ in range(repeats))


def _timed_ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 2),
        "p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2),
        "count": len(ordered),
    }
