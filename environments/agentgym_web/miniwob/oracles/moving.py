"""Oracles of pages where something moves, changes with time, or answers to where the mouse is."""

from __future__ import annotations

import math
import re
from typing import Any

from agentgym_web.miniwob.oracles.drawing import bounds
from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, solves
from agentgym_web.reading import Reading

WARMTH = {"HOT": (0.0, 5.0), "WARM": (5.0, 10.0), "COLD": (10.0, 40.0), "ICE COLD": (40.0, 300.0)}
"""How far the hot place is for each answer, in pixels."""
LOOK = do("noop", 0)
"""Look again after the shortest time, half a second."""


@solves("chase-circle")
def chase(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The mouse follows a circle."""
    circles = seen.all("circle")
    return do("mouse_move", *circles[0].at) if circles else LOOK


@solves("moving-items")
def catch(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """A click on the circle that is nearest to the middle, where any is in view."""
    left, top, right, bottom = bounds(seen.all("svg")[0], margin=1)
    inside = [circle.at for circle in seen.all("circle") if left < circle.at[0] < right and top < circle.at[1] < bottom]
    if not inside:
        return LOOK
    middle = (left + right) / 2
    return do("mouse_click", *min(inside, key=lambda point: abs(point[0] - middle)))


@solves("stock-market")
def buy_stock(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Buy when the price is low enough; looks come every fifth price, and the first of them a price later."""
    limit = float(re.search(r"less than \$([\d.]+?)\.?$", instruction)[1])  # type: ignore[index]
    price = next(float(node.name[1:]) for node in seen.all("text") if re.fullmatch(r"\$[\d.]+", node.name))
    if price <= limit:
        return lines(click(seen.find("button", "Buy")))
    is_first, memory["looked"] = "looked" not in memory, True
    return do("noop", 100) if is_first else LOOK


@solves("hot-cold")
def find_hot_place(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """The places that fit all answers so far, until the answer is that the mouse is there."""
    area = max(seen.all("clickable"), key=lambda node: node.size[0] * node.size[1])
    left, top, right, bottom = map(int, bounds(area, margin=3))
    spots = [(x, y) for x in range(left, right, 3) for y in range(top, bottom, 3)]
    answer = next((node.name for node in seen.nodes if node.name in WARMTH), "") if memory else ""
    if answer == "HOT":
        return do("mouse_click", *memory["asked"])
    fitting = memory.get("fitting", spots)
    if answer:
        nearest, farthest = WARMTH[answer]
        away = [(spot, math.dist(spot, memory["asked"])) for spot in fitting]
        fitting = [spot for spot, distance in away if distance > 0 and nearest - 3 <= distance <= farthest + 3]
        memory["fitting"] = fitting = fitting or spots
    memory["asked"] = best_question(fitting, spots)
    return do("mouse_move", *memory["asked"])


def best_question(fitting: list[tuple[int, int]], spots: list[tuple[int, int]]) -> tuple[int, int]:
    """The place to ask about that leaves the fewest fitting places on average."""
    asked = spots[::13] if len(fitting) > 40 else fitting

    def left_over(place: tuple[int, int]) -> float:
        counts = dict.fromkeys(WARMTH, 0)
        for spot in fitting[:: max(1, len(fitting) // 200)]:
            distance = math.dist(place, spot)
            counts[next(name for name, (_, farthest) in WARMTH.items() if distance < farthest)] += 1
        return sum(count * count for name, count in counts.items() if name != "HOT")

    return min(asked, key=left_over)


@solves("terminal")
def use_terminal(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """List the files and remove the one that is meant."""
    text = " ".join(node.name for node in seen.nodes)
    listed = re.findall(r"user\$ ls (.*?) ?user\$", text)
    if not listed:
        return do("keyboard_type", "ls\n")
    names = listed[-1].split()
    ending = re.search(r"extension (\.\S+)$", instruction)
    fitting = [name for name in names if (name.endswith(ending[1]) if ending else "." not in name)]
    return do("keyboard_type", f"rm {fitting[0]}\n") if fitting else NOTHING


@solves("simon-says")
def repeat_buttons(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """Look at every flash, one each 0.6 seconds, then push the buttons in that order."""
    flashed = [number for number, button in enumerate(seen.all("button")) if button.properties.get("class") == "push"]
    if "order" not in memory:
        memory["order"] = []
    elif flashed:
        memory["order"].append(flashed[0])
    else:
        return lines(*(click(seen.all("button")[number]) for number in memory["order"]))
    return do("noop", 500)
