"""The templates of tasks: alone in one app, across two, across three and more, and those that cannot be done."""

from agentgym_tools.apps.drafts import TEMPLATES
from agentgym_tools.apps.templates import goods, impossible, letters, pairs, papers, planner, wide

__all__ = ["TEMPLATES", "goods", "impossible", "letters", "pairs", "papers", "planner", "wide"]
