"""Whether the same actions get the same reward under agentgym and under a peer, episode by episode.

The oracle of a page plays under agentgym, and what it did is repeated on the peer's page with the same seed. Compared
are the pages' own rewards, before any loss by time. The pages' own time limit is out of reach on all sides.

A page's clock goes on by half a second at each action under agentgym, and the peers run on real time. So an episode
that gets another reward at the peer's full speed is played again with each action at its time by the page's clock; see
`PACES`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from miniwob.action import ActionTypes  # type: ignore[import-untyped]
from selenium.common.exceptions import WebDriverException

from agentgym.errors import InfrastructureError
from agentgym_web.miniwob.env import MiniWoBEnv
from agentgym_web.miniwob.pages import RELOADED
from benchmarks.web import browsergym_peer, farama_peer
from benchmarks.web.browsergym_peer import DELAYS_OFF, BrowserGym
from benchmarks.web.farama_peer import FaramaPage, NoSuchActionError
from benchmarks.web.recording import PAGE_MS, Episode, Recorder

SEEDS: Mapping[str, int] = {"farama": 20, "browsergym": 3}
"""Seeds a page, from 0, by the peer."""
LAST_MS = MiniWoBEnv.settings.step_ms
"""How long a page may take to come to its end after the last action, in milliseconds."""
PACES = (0, 1, 1, 2)
"""How an episode is tried until its reward is the same: times the time under agentgym, 0 being the peer's full speed.
A busy machine is late now and then, so that a second try, or a slower one, may do."""
_EXACT = 1e-6


@dataclass(frozen=True)
class Compared:
    """One episode on both sides.

    Attributes:
        seed: Seed of the peer's environment.
        page_seed: Seed of the page's generator on both sides.
        moves: Actions of the oracle.
        ours: Reward under agentgym.
        theirs: Reward under the peer; None where the peer could not play the actions.
        waits: Whether each action waited there until its time.
        why: Why it could not; "" if it could.
    """

    seed: int
    page_seed: int
    moves: int
    ours: float
    theirs: float | None
    waits: bool
    why: str = ""

    @property
    def is_equal(self) -> bool:
        """Whether the rewards are the same."""
        return self.theirs is not None and abs(self.ours - self.theirs) < _EXACT


def compare(peer: str, page: str, num_seeds: int) -> dict[str, Any]:
    """Play a page on both sides.

    Args:
        peer: "farama" or "browsergym".
        page: The page.
        num_seeds: Seeds, from 0.

    Returns:
        A JSON object with the numbers of episodes, of equal ones, and those that differ.
    """
    with closing(Recorder()) as recorder:
        found = list(_PEERS[peer](recorder, page, num_seeds))
    return {
        "episodes": len(found),
        "equal": sum(each.is_equal for each in found),
        "with_waits": sum(each.is_equal and each.waits for each in found),
        "solved": sum(each.ours > 0 for each in found),
        "differ": [asdict(each) for each in found if not each.is_equal],
    }


def _with_farama(recorder: Recorder, page: str, num_seeds: int) -> Iterator[Compared]:
    with closing(FaramaPage(page, refresh=page in RELOADED)) as farama:
        for seed in range(num_seeds):
            episode = recorder.play(page, seed)
            yield _compared(seed, episode, partial(_played_by_farama, farama, episode))


def _with_browsergym(recorder: Recorder, page: str, num_seeds: int) -> Iterator[Compared]:
    with closing(BrowserGym()) as browsergym:
        browsergym.open(page, page, DELAYS_OFF)
        for seed in range(num_seeds):
            recorder.close()  # BrowserGym opens a window for each episode
            episode = recorder.play(page, browsergym_peer.page_seed(seed))
            yield _compared(seed, episode, partial(_played_by_browsergym, browsergym, seed, episode))


class Pace:
    """Waits until the time of each action, by the page's clock; one that comes late delays all that follow.

    Args:
        page_ms: Gives the page's clock, in milliseconds.
        times: Times the time that actions have under agentgym; 0 waits for nothing.
    """

    def __init__(self, page_ms: Callable[[], float], times: float) -> None:
        self._page_ms, self._times = page_ms, times
        self._late_ms = 0.0

    def wait(self, at_ms: float) -> None:
        """Wait until the time of an action."""
        if not self._times:
            return
        early_ms = self._times * at_ms + self._late_ms - self._page_ms()
        self._late_ms += max(0.0, -early_ms)
        time.sleep(max(0.0, early_ms) / 1000)


def _compared(seed: int, episode: Episode, play: Callable[[float], float]) -> Compared:
    found = Compared(seed, episode.seed, len(episode.moves), episode.reward, None, waits=False)
    for pace in PACES:
        why, theirs = "", None
        try:
            theirs = play(pace)
        except (NoSuchActionError, InfrastructureError, WebDriverException) as error:
            why = str(error).partition("\n")[0][:300]
        found = replace(found, theirs=theirs, waits=pace > 0, why=why)
        if found.is_equal:
            break
    return found


def _played_by_farama(farama: FaramaPage, episode: Episode, pace: float) -> float:
    farama.rest_mouse()
    farama.reset(episode.seed)
    clock = Pace(farama.page_ms, pace)
    for move in episode.moves:
        clock.wait(move.at_ms)
        for action in farama_peer.translated(farama, move):
            reward, is_over = farama.step(action)
            if is_over:
                return reward
    reward, _ = farama.step(farama.action(ActionTypes.NONE), LAST_MS)
    return reward


def _played_by_browsergym(browsergym: BrowserGym, seed: int, episode: Episode, pace: float) -> float:
    browsergym.ask("reset", seed=seed)
    browsergym.ask("hide_scrollbars")
    clock = Pace(lambda: float(browsergym.ask("evaluate", script=PAGE_MS)), pace)
    for move in episode.moves:
        clock.wait(move.at_ms)
        found = browsergym.ask("step", action=browsergym_peer.translated(browsergym, move))
        if found["over"]:
            return float(found["raw"])
        if found["error"]:
            raise NoSuchActionError(f"{move.do}: {' '.join(found['error'].split())}")
    return float(browsergym.ask("step", action=f"noop({LAST_MS:g})")["raw"])


_PEERS: Mapping[str, Callable[[Recorder, str, int], Iterator[Compared]]] = {
    "farama": _with_farama,
    "browsergym": _with_browsergym,
}
