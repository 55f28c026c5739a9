"""How an episode starts in a page of MiniWoB++ that is open, and how is seen that nothing of the last one is left."""

from __future__ import annotations

MAX_TIME_MS = 10**7
"""The pages' own time limit: out of reach, because limits are the harness's."""
PROBE = (
    "typeof WOB_DONE_GLOBAL === 'undefined' ? null : ({done: WOB_DONE_GLOBAL, raw: WOB_RAW_REWARD_GLOBAL, "
    "decayed: WOB_RAW_REWARD_GLOBAL > 0 ? WOB_RAW_REWARD_GLOBAL * Math.max(0, 1 - (Date.now() - core.ept0) / 10000) : "
    "WOB_RAW_REWARD_GLOBAL, reason: WOB_REWARD_REASON === undefined ? null : String(WOB_REWARD_REASON), ready: "
    "WOB_TASK_READY, goal: (() => { const said = core.getUtterance(); return typeof said === 'string' ? said : said.utterance; })()})"
)
"""JavaScript: whether the page is over, and what it gives."""

RESIDUE = (
    "(() => { const shape = (node, depth) => node.tagName + (node.id ? '#' + node.id : '') + (node.id === 'area' || depth > 2 ? '' : "
    "'(' + [...node.children].map((child) => child.tagName === 'SCRIPT' ? '' : shape(child, depth + 1)).join(',') + ')'); "
    "const quiet = new Set(['query', 'reward-display', 'click-canvas', 'sync-task-cover']); "
    "return JSON.stringify([[...document.body.children].filter((node) => !quiet.has(node.id)).map((node) => node.tagName + '#' + node.id + '.' + "
    "node.className + '|' + (node.getAttribute('style') || '')), [...document.querySelectorAll('#area, #wrap')].map((node) => node.className + '|' + "
    "(node.getAttribute('style') || '')), document.head.childElementCount, document.body.className, document.body.getAttribute('style') || '', "
    "scrollX, scrollY, document.activeElement === document.body || document.activeElement === null, Object.keys(window).length, location.hash]); })()"
)
"""JavaScript: what of a page is outside the task itself; two equal values mean that nothing was left over."""


def start_script(seed: int) -> str:
    """JavaScript that ends the running episode and starts the one of a seed.

    Args:
        seed: Seed of the page's generator; the same as Farama's environments take.
    """
    return (
        f"(() => {{ core.EPISODE_MAX_TIME = {MAX_TIME_MS}; if (document.activeElement) document.activeElement.blur(); "
        "if (core.EP_TIMER !== null) core.endEpisode(0); core.setDataMode('train'); "
        f"Math.seedrandom({seed}); core.startEpisodeReal(); }})()"
    )
