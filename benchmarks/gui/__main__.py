"""What a step, a start, a reset and an idle desktop cost, beside the usual way of computer-use agents in the same run.

The usual way (`usual`) is a Python process with pyautogui for a click, a walk over AT-SPI by pyatspi, and a PNG file by
scrot, with and without its customary pause of two seconds. Steps are in `steps`, the share of steps that end too early
in `settling`, starts, resets, leases and idle desktops in `starts`, labelled targets in `labels`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from agentgym.sandbox.engines.docker import DockerProvider
from agentgym.sandbox.pool import PoolConfig, SandboxPool
from agentgym_gui.grounding.rendering import DESKTOPS as RENDERING
from benchmarks.gui import labels, settling, starts, steps
from benchmarks.report import Goal, Report, main, progress

PACKAGES = ("agentgymnasium", "numpy", "docker")
DESKTOPS = (1, 2, 4)


def measure(quick: bool) -> Report:
    """The figures; `quick` takes fewer repeats."""
    repeats, num_starts, actions, num_idle, num_screens = (6, 3, 5, 4, 12) if quick else (24, 9, 25, 16, 120)
    report = Report(
        setting={
            "screen": "1280x800",
            "steps": repeats,
            "starts": num_starts,
            "idle desktops": num_idle,
            "labelled screens": num_screens,
        }
    )
    provider = DockerProvider()
    progress("steps, beside the usual way")
    report.figures["step, ms"] = steps.beside_usual(provider, repeats)
    progress("starts and resets")
    report.figures["start, ms"] = starts.starts(provider, num_starts)
    with SandboxPool(provider, PoolConfig(ready=1)) as pool:
        progress("leases")
        report.figures["lease of a ready desktop, ms"] = starts.leases(pool, num_starts)
    with SandboxPool(provider, PoolConfig(ready=0)) as pool:
        progress("several desktops")
        report.figures["steps a second"] = {
            str(number): steps.together(pool, number, 5 * repeats) for number in DESKTOPS
        }
    progress("too early")
    report.figures["settling"] = settling.too_early(provider, actions)
    progress("labelled targets")
    with SandboxPool(provider, PoolConfig(ready=RENDERING)) as pool:
        report.figures["labelled targets"] = labels.targets(pool, num_screens)
    progress("idle desktops")
    report.figures["idle"] = starts.idle(provider, num_idle)
    report.goals += [*_step_goals(report.figures["step, ms"]), *_other_goals(report.figures)]
    return report


def _step_goals(step: Mapping[str, Mapping[str, float]]) -> list[Goal]:
    ours, usual = step["step with tree and picture"]["p50"], step["usual: step"]["p50"]
    without = step["usual: click"]["p50"] + step["usual: tree"]["p50"]
    text = step["step with tree as text"]["p50"]
    beyond = step["step beyond the last change of pixels"]["p50"]
    paused = (usual + steps.CUSTOMARY_PAUSE_MS) / ours
    return [
        Goal("step with picture, times as fast as the usual way without its pause", usual / ours, 25.0, "at least"),
        Goal("step with picture, times as fast as the usual way with its pause", paused, 50.0, "at least"),
        Goal("step without picture, times as fast as the usual way without one", without / text, 25.0, "at least"),
        Goal("step beyond the application's last change of pixels, p50, ms", beyond, 25.0, "at most"),
        Goal(
            "tree, times as fast as pyatspi's walk",
            step["usual: tree"]["p50"] / step["tree alone"]["p50"],
            30.0,
            "at least",
        ),
    ]


def _other_goals(figures: Mapping[str, Any]) -> list[Goal]:
    start, settled, idle = figures["start, ms"], figures["settling"].values(), figures["idle"]
    labelled = figures["labelled targets"]
    in_place = start["reset in place, to a settled window"]["p50"]
    actions = sum(each["actions"] for each in settled)
    early = sum(each["too early"] for each in settled) / actions
    wait = sum(each["mean wait, ms"] * each["actions"] for each in settled) / actions
    own = start["application on a ready desktop"]["p50"]
    new = start["new container, to a settled window"]["p50"]
    return [
        Goal(f"too early, share of {actions} actions in {len(settled)} applications", early, 0.01, "at most"),
        Goal("mean wait for settling, ms", wait, 120.0, "at most"),
        Goal("reset in place to a settled window, times the application's own start", in_place / own, 2.0, "at most"),
        Goal("reset in place, times as fast as a new container", new / in_place, 2.5, "at least"),
        Goal("lease of a ready desktop, p50, ms", figures["lease of a ready desktop, ms"]["p50"], 10.0, "at most"),
        Goal("steps/s of 4 desktops, text alone", figures["steps a second"]["4"], 120.0, "at least"),
        Goal("labelled grounding targets a second", labelled["items a second"], 150.0, "at least"),
        Goal(f"memory of a desktop, {idle['desktops']} at once, MiB", idle["memory, MiB"], 80.0, "at most"),
        Goal(f"idle desktop, share of a core, {idle['desktops']} at once", idle["share of a core"], 0.01, "at most"),
    ]


if __name__ == "__main__":
    sys.exit(main("gui", measure, PACKAGES))
