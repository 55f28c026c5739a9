"""Step credit from a trajectory or a group: which turn earned what, one method a file.

Turning credit into gradients is the trainer's work; methods that learn need torch and are imported by name.
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
