"""How an episode starts in a page of MiniWoB++ that is open, and how is seen that nothing of the last one is left."""

from __future__ import annotations

MAX_TIME_MS = 10**7
"""The pages' own time limit: out of reach, because limits are the harness's."""
PROBE = """
(() => {
  if (typeof WOB_DONE_GLOBAL === "undefined") return null;
  const raw = WOB_RAW_REWARD_GLOBAL;
  const said = core.getUtterance();
  return {
    done: WOB_DONE_GLOBAL,
    raw,
    decayed: raw > 0 ? raw * Math.max(0, 1 - (Date.now() - core.ept0) / 10000) : raw,
    reason: WOB_REWARD_REASON === undefined ? null : String(WOB_REWARD_REASON),
    ready: WOB_TASK_READY,
    goal: typeof said === "string" ? said : said.utterance,
  };
})()
"""
"""JavaScript: whether the page is over, and what it gives."""

RESIDUE = """
(() => {
  const harness = new Set(["query", "reward-display", "click-canvas", "sync-task-cover"]);
  const quiet = new Set(["SCRIPT", "STYLE"]);
  const said = (node) => [node.tagName, node.id, node.className, node.getAttribute("style") || ""].join("|");
  const outer = [...document.body.children].filter((node) => !["wrap", ...harness].includes(node.id));
  // A task may lie there itself, such as a dialog, whose text, place and size differ.
  const shape = (node) => [node.tagName, node.id, node.className, getComputedStyle(node).display,
    node.querySelectorAll("*").length, node.textContent.trim() === ""].join("|");
  return JSON.stringify([
    outer.filter((node) => !quiet.has(node.tagName)).map(shape),
    outer.length,
    [...document.querySelectorAll("input:not([type=checkbox], [type=radio]), textarea")]
      .filter((field) => field.value !== field.defaultValue).length,
    [...document.querySelectorAll("#area, #wrap")].map(said),
    said(document.body), document.head.childElementCount, scrollX, scrollY, location.hash,
    document.activeElement === document.body || document.activeElement === null, Object.keys(window).length,
  ]);
})()
"""
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
