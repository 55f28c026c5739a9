"""States with the actions that are legal in them, each action a branch of the episode that its state lies in.

Not here: how a branch is laid out (branches.py), what is learnt of the actions (critic.py, actor.py). The
actions of a state stay in one row, so that what is normalised over its list never waits for another pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from agentgym.errors import ContractError
from agentgym.trajectory import FINAL_ACTIONS, Ids, Segment
from agentgym_rl.core.config.tables import PackingConfig
from agentgym_rl.core.micro_batch import MicroBatch
from agentgym_rl.core.models import PolicyModel
from agentgym_rl.core.positions import TurnPositions, turn_positions
from agentgym_rl.core.scoring import final_probe
from agentgym_rl.hierarchical.branches import Branch, branch_micro_batches
from agentgym_rl.hierarchical.critic.network import CriticNetwork, TurnStates, hidden_for
from agentgym_rl.hierarchical.critic.valuation import encode_actions, prompt_states
from agentgym_rl.hierarchical.experience import Experience
from agentgym_rl.hierarchical.listed.discrete_sac import action_logprobs


class StateActions(NamedTuple):
    """A state and actions in it.

    Attributes:
        segment: That it lies in.
        start: Tokens of the segment before the action.
        turn: Its turn.
        actions: Their ids.
    """

    segment: Segment
    start: int
    turn: int
    actions: Sequence[Ids]


@dataclass(frozen=True)
class Choices:
    """S states and the M actions in them, state by state."""

    segments: tuple[Segment, ...]
    """What the states lie in; one several times where its actions do not fit into one row."""
    branches: tuple[Branch, ...]
    """The actions."""
    state: Int64[np.ndarray, " M"]
    """The state of each."""
    place: Int64[np.ndarray, " M"]
    """Its place in the list of the state."""
    num_states: int
    """S."""

    @classmethod
    def of(cls, states: Sequence[StateActions], max_row: int) -> Choices:
        """Lay states out: those of a segment behind one copy of it, in as many rows as keep below `max_row` tokens."""
        segments: list[Segment] = []
        branches: list[Branch] = []
        room = 0
        for segment, start, turn, actions in states:
            size = sum(1 + len(ids) for ids in actions)
            if not segments or segments[-1] is not segment or size > room:
                segments.append(segment)
                room = max_row - segment.num_tokens
            room -= size
            branches += [Branch(len(segments) - 1, start, turn, ids) for ids in actions]
        counts = [len(each.actions) for each in states]
        place = np.concatenate([np.zeros(0, np.int64), *map(np.arange, counts)])
        return cls(tuple(segments), tuple(branches), np.repeat(np.arange(len(states)), counts), place, len(states))

    def part(self, states: Int64[np.ndarray, " K"]) -> tuple[Choices, Int64[np.ndarray, " m"]]:
        """The choices of some states in ascending order, counted anew, and which of the actions they are."""
        mine = np.flatnonzero(np.isin(self.state, states))
        state = np.searchsorted(states, self.state[mine])
        branches = tuple(self.branches[number] for number in mine)
        return Choices(self.segments, branches, state, self.place[mine], len(states)), mine

    def taken(self, actions: Int64[np.ndarray, " m"]) -> tuple[Choices, Int64[np.ndarray, " s"]]:
        """The choices that some actions are, in any order but whole states, counted anew; and which states they are."""
        states, state = np.unique(self.state[actions], return_inverse=True)
        branches = tuple(self.branches[number] for number in actions)
        return Choices(self.segments, branches, state, self.place[actions], len(states)), states

    @property
    def is_available(self) -> Bool[Tensor, "S A"]:
        """True: a state has so many actions."""
        return self.padded(torch.ones(len(self.state), dtype=torch.bool))

    def apart(self) -> list[Segment]:
        """Each action behind its last prompt token and nothing else."""
        return [branch.segment(self.segments[branch.trunk]) for branch in self.branches]

    def padded(self, values: Tensor) -> Tensor:
        """From [..., M] to [..., S, A], A the longest list, 0 where a list is shorter; with gradient."""
        longest = 1 + int(self.place.max(initial=0))
        laid = values.new_zeros((*values.shape[:-1], self.num_states, longest))
        laid[..., torch.from_numpy(self.state), torch.from_numpy(self.place)] = values
        return laid

    def micro_batches(
        self, packing: PackingConfig, device: torch.device
    ) -> Iterator[tuple[MicroBatch, TurnPositions, Int64[np.ndarray, " m"]]]:
        """Micro-batches, where the actions are in each, and which actions they are."""
        for micro in branch_micro_batches(self.segments, self.branches, packing, has_stored=False):
            moved = micro.to(device)
            positions = turn_positions(moved)
            yield moved, positions, positions.segment.cpu().numpy() - len(self.segments)


class ActionLists:
    """Reads from episodes what was done in their states, and what could have been.

    Args:
        ids: The ids of a listed message, such as `ActionIds`.
        packing: The shape of micro-batches.
    """

    def __init__(self, ids: Callable[[str], Ids], packing: PackingConfig) -> None:
        self.ids, self.packing = ids, packing

    def choices(
        self,
        experience: Experience,
        *,
        stored: Sequence[int] | Int64[np.ndarray, " K"] = (),
        listed: Sequence[int] | Int64[np.ndarray, " L"] = (),
        ends: Sequence[int] | Int64[np.ndarray, " E"] = (),
    ) -> Choices:
        """States of an experience: turns with their stored action alone, turns with all legal ones, final observations.

        Args:
            experience: The episodes.
            stored: Turns of the first kind.
            listed: Turns of the second kind.
            ends: Episodes that a limit cut, with the legal actions of the state that it left.

        Returns:
            Their states, in this order.

        Raises:
            ContractError: A turn was recorded without the actions that were legal in it.
        """
        states = [
            *(self._turn(experience, int(n), is_stored=True) for n in stored),
            *(self._turn(experience, int(n), is_stored=False) for n in listed),
            *(self._end(experience, int(episode)) for episode in ends),
        ]
        return Choices.of(states, self.packing.micro_batch_tokens)

    def _turn(self, experience: Experience, number: int, *, is_stored: bool) -> StateActions:
        turns, batch = experience.turns, experience.batch
        segment, turn = batch.segments[turns.segment[number]], int(turns.turn[number])
        mine = np.flatnonzero(segment.completion_mask & (segment.turn_index == turn))
        if is_stored:
            return StateActions(segment, int(mine[0]), turn, [segment.tokens[mine]])
        trajectory = batch.trajectories[turns.trajectory[number]]
        actions = trajectory.turns[turn].legal_actions
        return StateActions(segment, int(mine[0]), turn, self._ids_of(actions, f"turn {turn} of {trajectory.id!r}"))

    def _end(self, experience: Experience, episode: int) -> StateActions:
        trajectory = experience.batch.trajectories[episode]
        probe = final_probe(experience.batch, episode, self.packing.row_length)
        actions = trajectory.metadata.get(FINAL_ACTIONS)
        return StateActions(probe, probe.num_tokens - 1, 0, self._ids_of(actions, f"the end of {trajectory.id!r}"))

    def _ids_of(self, actions: Sequence[str] | None, where: str) -> list[Ids]:
        if not actions:
            raise ContractError(
                f"{where} was recorded without its legal actions, which a policy that picks is learnt from; leave the "
                "run out, or record it again with rollout.record_legal_actions = true"
            )
        return [self.ids(action) for action in actions]


class ActionReadings(NamedTuple):
    """What a model makes of actions.

    Attributes:
        prompts: The hidden state before each action.
        scores: Its log-probability under the policy, nats; of critics alone: nothing.
    """

    prompts: Float[Tensor, "M D"]
    scores: Float[Tensor, " M"]


@dataclass(frozen=True)
class ListPolicy:
    """The policy over lists: pi(a|s) = softmax_a(log p(a | s) / temperature), p being the model's."""

    model: PolicyModel
    """Scores each action, with gradient where it is trained."""
    lists: ActionLists
    """Read legal actions of stored episodes."""
    temperature: float = 1.0
    """As in playing."""

    @property
    def packing(self) -> PackingConfig:
        """The shape of micro-batches."""
        return self.lists.packing

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return next(self.model.parameters()).device

    def logprobs(self, choices: Choices, scores: Float[Tensor, " M"]) -> Float[Tensor, "S A"]:
        """Log pi(a|s) of given scores of the model, -inf behind the end of a list."""
        return action_logprobs(choices.padded(scores), choices.is_available.to(scores.device), self.temperature)


@torch.no_grad()
def read_actions(model: PolicyModel, choices: Choices, packing: PackingConfig) -> ActionReadings:
    """Log-probabilities of all actions and the states before them, in one pass of the policy, without gradient."""
    device = next(model.parameters()).device
    found: list[tuple[Tensor, Tensor]] = []
    order = [np.zeros(0, np.int64)]
    for micro, positions, mine in choices.micro_batches(packing, device):
        hidden = model.hidden_states(micro.tokens, micro.position_ids, micro.attention_mask())
        logprobs, _ = model.read(hidden, micro.tokens, micro.completion_mask, entropy="none")
        found.append((prompt_states(hidden, positions), positions.sum_of_tokens(logprobs)))
        order.append(mine)
    back = torch.from_numpy(np.argsort(np.concatenate(order))).to(device)
    prompts, scores = (torch.cat(each)[back] for each in zip(*found, strict=True))
    return ActionReadings(prompts, scores)


@torch.no_grad()
def states_of_actions(
    network: CriticNetwork, choices: Choices, packing: PackingConfig, policy: PolicyModel | None
) -> TurnStates:
    """What a critic's tower makes of all actions, or a model that it reads instead, without gradient."""
    device = next(network.parameters()).device
    found: list[Tensor] = []
    order = [np.zeros(0, np.int64)]
    for micro, positions, mine in choices.micro_batches(packing, device):
        found.append(prompt_states(hidden_for(network, micro, policy), positions))
        order.append(mine)
    prompts = torch.cat(found)[torch.from_numpy(np.argsort(np.concatenate(order))).to(device)]
    return TurnStates(prompts, encode_actions(network, choices.apart(), packing, policy))
