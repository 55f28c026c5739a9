"""Whether the same actions get the same reward under agentgym and under a peer, episode by episode.

The oracle of a page plays under agentgym, and what it did is repeated on the peer's page with the same seed. Compared
are the pages' own rewards, before any loss by time. A page's clock goes on by half a second at each action under
agentgym; the peers run on real time, so half a second is waited after each action there. The pages' own time limit is
out of reach on all sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from miniwob.action import ActionTypes  # type: ignore[import-untyped]
from selenium.common.exceptions import WebDriverException

from agentgym.errors import InfrastructureError
from benchmarks.web import browsergym_peer, farama_peer
from benchmarks.web.browsergym_peer import STEP_WAITS, BrowserGym
from benchmarks.web.farama_peer import FaramaPage, NoSuchActionError
from benchmarks.web.recording import Episode, Recorder

SEEDS: Mapping[str, int] = {"farama": 20, "browsergym": 3}
"""Seeds a page, from 0, by the peer."""
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
        why: Why it could not; "" if it could.
    """

    seed: int
    page_seed: int
    moves: int
    ours: float
    theirs: float | None
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
        "solved": sum(each.ours > 0 for each in found),
        "differ": [asdict(each) for each in found if not each.is_equal],
    }


def _with_farama(recorder: Recorder, page: str, num_seeds: int) -> Iterator[Compared]:
    with closing(FaramaPage(page, refresh=True)) as farama:
        for seed in range(num_seeds):
            episode = recorder.play(page, seed)
            yield _compared(seed, episode, lambda episode=episode: _played_by_farama(farama, episode))  # type: ignore[misc]


def _with_browsergym(recorder: Recorder, page: str, num_seeds: int) -> Iterator[Compared]:
    with closing(BrowserGym()) as browsergym:
        browsergym.open(page, page, STEP_WAITS)
        for seed in range(num_seeds):
            episode = recorder.play(page, browsergym_peer.page_seed(seed))
            play = _played_by_browsergym
            yield _compared(seed, episode, lambda seed=seed, episode=episode: play(browsergym, seed, episode))  # type: ignore[misc]


def _compared(seed: int, episode: Episode, play: Callable[[], float]) -> Compared:
    theirs: float | None = None
    why = ""
    try:
        theirs = play()
    except (NoSuchActionError, InfrastructureError, WebDriverException) as error:
        why = str(error).partition("\n")[0][:300]
    return Compared(seed, episode.seed, len(episode.moves), episode.reward, theirs, why)


def _played_by_farama(farama: FaramaPage, episode: Episode) -> float:
    farama.rest_mouse()
    farama.reset(episode.seed)
    reward, is_over = 0.0, False
    for move in episode.moves:
        for action in farama_peer.translated(farama, move):
            reward, is_over = farama.step(action)
            if is_over:
                return reward
    reward, _ = farama.step((farama.action(ActionTypes.NONE), farama_peer.STEP_MS))
    return reward


def _played_by_browsergym(browsergym: BrowserGym, seed: int, episode: Episode) -> float:
    browsergym.ask("reset", seed=seed)
    for move in episode.moves:
        found = browsergym.ask("step", action=browsergym_peer.translated(browsergym, move))
        if found["over"]:
            return float(found["raw"])
        if found["error"]:
            raise NoSuchActionError(f"{move.do}: {' '.join(found['error'].split())}")
    return float(browsergym.ask("step", action="noop(1)")["raw"])


_PEERS: Mapping[str, Callable[[Recorder, str, int], Iterator[Compared]]] = {
    "farama": _with_farama,
    "browsergym": _with_browsergym,
}
