"""The shown tree over AT-SPI, as a JSON list: what is not showing is left out with everything below it."""

import json
import sys
from typing import Any

import pyatspi  # type: ignore[import-not-found]


def walk(node: Any, depth: int, found: list[Any]) -> None:
    try:
        if not node.getState().contains(pyatspi.STATE_SHOWING):
            return
        role, name = node.getRoleName(), node.name
        box = node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        found.append((depth, role, name, box.x, box.y, box.width, box.height))
    except (NotImplementedError, AttributeError):
        pass
    for number in range(min(node.childCount, 500)):
        child = node.getChildAtIndex(number)
        if child is not None:
            walk(child, depth + 1, found)


def main() -> None:
    found: list[Any] = []
    desktop = pyatspi.Registry.getDesktop(0)
    for application in desktop:
        if application is not None:
            for number in range(application.childCount):
                walk(application.getChildAtIndex(number), 0, found)
    json.dump(found, sys.stdout)


main()
