"""Step credit from a trajectory or a group: which turn earned what; each method has its own file.

The trainer turns credit into gradients. Methods that learn need torch and are imported by name.
"""

from agentgym.attribution.contract import Attribution, StepFormula, Yields
from agentgym.attribution.offline import RunCredit, attribute_run, credit_events, stored_credit, with_credit
from agentgym.attribution.registry import METHODS, PREDICTED, make_attribution, make_attributions
from agentgym.attribution.steps import Steps

__all__ = [
    "METHODS",
    "PREDICTED",
    "Attribution",
    "RunCredit",
    "StepFormula",
    "Steps",
    "Yields",
    "attribute_run",
    "credit_events",
    "make_attribution",
    "make_attributions",
    "stored_credit",
    "with_credit",
]
