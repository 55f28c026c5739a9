"""Whether the same actions get the same reward under agentgym and under a peer, episode by episode.

The oracle of a page plays under agentgym, and what it did is repeated on the peer's page with the same seed. Compared
are the pages' own rewards, before any loss by time. The pages' own time limit is out of reach on all sides.

A page's clock goes on by half a second at each action under agentgym, and the peers run on real time. So an episode
that gets another reward at the peer's full speed is played again with half a second after each action.
"""

from __future__ import annotations

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
from benchmarks.web.recording import Episode, Recorder

SEEDS: Mapping[str, int] = {"farama": 20, "browsergym": 3}
"""Seeds a page, from 0, by the peer."""
STEP_S = MiniWoBEnv.settings.step_ms / 1000
"""How far a page's clock goes at each action under agentgym."""
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
        waits: Whether half a second was waited after each action there.
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


def _compared(seed: int, episode: Episode, play: Callable[[float], float]) -> Compared:
    found = Compared(seed, episode.seed, len(episode.moves), episode.reward, None, waits=False)
    for wait_s in (0.0, STEP_S):
        why, theirs = "", None
        try:
            theirs = play(wait_s)
        except (NoSuchActionError, InfrastructureError, WebDriverException) as error:
            why = str(error).partition("\n")[0][:300]
        found = replace(found, theirs=theirs, waits=wait_s > 0, why=why)
        if found.is_equal:
            break
    return found


def _played_by_farama(farama: FaramaPage, episode: Episode, wait_s: float) -> float:
    farama.rest_mouse()
    farama.reset(episode.seed)
    reward, is_over = 0.0, False
    for move in episode.moves:
        *first, last = farama_peer.translated(farama, move)
        asked_ms = float(move.arguments["wait_ms"]) if move.do == "noop" else 0.0
        for action, wait_ms in [*((action, 0.0) for action in first), (last, asked_ms + 1000 * wait_s)]:
            reward, is_over = farama.step(action, wait_ms)
            if is_over:
                return reward
    reward, _ = farama.step(farama.action(ActionTypes.NONE), 1000 * STEP_S)
    return reward


def _played_by_browsergym(browsergym: BrowserGym, seed: int, episode: Episode, wait_s: float) -> float:
    browsergym.ask("wait", seconds=wait_s)
    browsergym.ask("reset", seed=seed)
    browsergym.ask("hide_scrollbars")
    for move in episode.moves:
        found = browsergym.ask("step", action=browsergym_peer.translated(browsergym, move))
        if found["over"]:
            return float(found["raw"])
        if found["error"]:
            raise NoSuchActionError(f"{move.do}: {' '.join(found['error'].split())}")
    return float(browsergym.ask("step", action=f"noop({1000 * STEP_S:g})")["raw"])


_PEERS: Mapping[str, Callable[[Recorder, str, int], Iterator[Compared]]] = {
    "farama": _with_farama,
    "browsergym": _with_browsergym,
}
