"""A check of MiniWoB-v0 beside those of all environments: every page opens and starts, also those in no suite.

What is played on pages is checked by the suites.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, ContractError
from agentgym.message import content_text
from agentgym.task import Task
from agentgym_web.miniwob.env import make_task
from agentgym_web.miniwob.pages import ALL_PAGES
from agentgym_web.miniwob.scripts import SCRIPTS
from agentgym_web.reading import Reading

_TWICE = 2
"""How often each page is started: the second time in the page that is open."""


def check_pages(env: AgentEnv, _tasks: Sequence[Task], pages: Sequence[str] = tuple(ALL_PAGES)) -> str:
    """Start each page twice, with the null player's first turn after each.

    Args:
        env: MiniWoB-v0.
        pages: The pages.

    Returns:
        How many pages were opened.

    Raises:
        ContractError: A page does not open, or shows no element.
    """
    faults = [fault for page in pages if (fault := _fault(env, page))]
    if faults:
        raise ContractError(
            f"{len(faults)} of {len(pages)} pages of MiniWoB++ do not run: {'; '.join(faults)}. Install the package "
            "miniwob anew, or take the page out of agentgym_web.miniwob.pages"
        )
    return f"{len(pages)} pages opened, each started {_TWICE} times"


def _fault(env: AgentEnv, page: str) -> str:
    """What is wrong with a page; "" if it runs."""
    try:
        for seed in range(_TWICE):
            task = make_task(page, seed)
            player = SCRIPTS["null"](task, 0)
            _, info = env.reset(options={"task": task})
            text = content_text(info["messages"][-1])
            if not Reading(text).nodes:
                return f"{page} (no element is shown: got {text[-80:]!r})"
            env.step(player.act(info["messages"]))
    except AgentGymError as error:
        return f"{page} ({error})"
    return ""


CHECKS: Mapping[str, Callable[[AgentEnv, Sequence[Task]], str]] = {"pages": check_pages}
"""What MiniWoB-v0 must satisfy beside the checks of all environments."""
