"""A resolved configuration as equations, for `agentgym train --describe` and for the report."""

from __future__ import annotations

from agentgym_rl.core.config.pixels import PixelConfig, PolicyGradient, SupervisedThenHit


def describe(config: PixelConfig) -> str:
    """What a run learns, a line a step, with the numbers that are in force."""
    learning, screens = config.learning, config.screens
    moved = ", each with its contents moved" if screens.moved else ""
    lines = [
        f"trainer pixels, mode {learning.mode}, {config.run.suite}",
        f"show      {learning.screens} screens x {learning.questions} descriptions an update{moved}",
        f"          {screens.held_out} screens of {screens.targets}, spread over it, are held out",
        "policy    pi(cell | picture, description) = softmax over cells of q(description) . f(picture)[cell] / "
        f"sqrt({config.policy.width})",
    ]
    boxes = "loss      -mean log pi(cell) over the cells in the box"
    if isinstance(learning, PolicyGradient):
        reward = "hit + 1 - (d / d_max)^2" if learning.mode == "dense" else "hit"
        if isinstance(learning, SupervisedThenHit):
            lines.append(f"{boxes}, for the first {learning.supervised_share:.0%} of the updates; then:")
        lines += [
            f"points    {learning.samples} a description, from pi; R = {reward}",
            "advantage A = (R - mean R) / std R, over the points of a description",
            f"loss      -mean A log pi(cell) - {learning.entropy:g} H(pi)",
        ]
    else:
        lines.append(boxes)
    decay = "" if learning.decay == "none" else f", {learning.decay} to a tenth"
    lines.append(
        f"step      Adam at {learning.learning_rate:g}{decay}; gradients at most of norm {learning.max_grad_norm:g}"
    )
    return "\n".join(lines)
