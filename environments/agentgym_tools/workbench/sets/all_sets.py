"""All sets of tools, and a kit that has them all."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_tools.workbench.sets.calculator import CalculatorTools
from agentgym_tools.workbench.sets.files import FileTools
from agentgym_tools.workbench.sets.messages import MessageTools
from agentgym_tools.workbench.sets.posts import PostTools
from agentgym_tools.workbench.sets.tickets import TicketTools
from agentgym_tools.workbench.sets.toolbox import OwnTools
from agentgym_tools.workbench.sets.trading import TradingTools
from agentgym_tools.workbench.sets.travel import TravelTools
from agentgym_tools.workbench.sets.vehicle import VehicleTools
from agentgym_tools.worlds import World
from agentgym_tools.worlds.calls import Call
from agentgym_tools.worlds.toolbox import Result, WorldTool

SETS: Mapping[str, type[OwnTools]] = {
    "files": FileTools,
    "trading": TradingTools,
    "travel": TravelTools,
    "vehicle": VehicleTools,
    "tickets": TicketTools,
    "posts": PostTools,
    "messages": MessageTools,
    "calculator": CalculatorTools,
}
"""The sets by name."""


SET_OF = {tool: name for name, tools in SETS.items() for tool in tools.tools}
"""By tool the set that it belongs to."""
TOOLS: Mapping[str, WorldTool] = {tool: each for tools in SETS.values() for tool, each in tools.tools.items()}
"""All tools by name."""


class Kit:
    """The tools of all sets on one world.

    Args:
        world: The world.
        me: Handle of the person whose things the tools work on.
    """

    def __init__(self, world: World, me: str) -> None:
        self.world = world
        self.me = me
        self._boxes: dict[str, OwnTools] = {}

    def box_of(self, call: Call) -> OwnTools:
        """The set that a call belongs to, on this world."""
        name = SET_OF[call.tool]
        box = self._boxes.get(name)
        if box is None:
            box = self._boxes[name] = SETS[name](self.world, self.me)
        return box

    def call(self, call: Call) -> Result:
        """Carry out a call."""
        return self.box_of(call).call(call)
