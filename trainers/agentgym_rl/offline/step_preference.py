"""Step-wise preference of an expert's action over the agent's own in the same state (StepAgent's implicit reward).

Not here: who visits the expert's states and samples there, the discriminator of StepAgent's other variant.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional


def step_preference_loss(
    expert: Float[Tensor, " N"],
    own: Float[Tensor, " N"],
    reference_expert: Float[Tensor, " N"],
    reference_own: Float[Tensor, " N"],
    weights: Float[Tensor, " N"],
    beta: float,
) -> Float[Tensor, ""]:
    """-sum_n weight_n log sigmoid(beta [log pi(a)/pi_ref(a) - log pi(a^)/pi_ref(a^)]), a the expert's, a^ the agent's.

    StepAgent, Deng et al. 2024, arXiv 2411.03817; direct preference optimisation (Rafailov et al. 2023, arXiv
    2305.18290) with one turn as the answer. Where both say the same, the gradient is 0.

    Args:
        expert: log pi(a | s): the sum over the tokens of the action (`TurnPositions.sum_of_tokens`), with gradient.
        own: log pi(a^ | s), with gradient.
        reference_expert: log pi_ref(a | s).
        reference_own: log pi_ref(a^ | s).
        weights: Of each pair.
        beta: How far the policy may leave the reference: the smaller the further.
    """
    margin = (expert - reference_expert.detach()) - (own - reference_own.detach())
    return -(weights.to(margin.dtype) * functional.logsigmoid(beta * margin)).sum()
