"""Who plays the roles of a game: partners by name, one role's environment with them, and the cast of a rollout.

A partner is named as policies are everywhere, besides two names of its own:

    scripted        the game's rule-based player of the role: the default
    scripted:NAME   another script of the role, such as scripted:oracle
    self            the learner: it plays the role too, and is trained and scored in it
    torch:PATH      a checkpoint, frozen
    endpoint:URL#MODEL

Options of a model stand behind its name, such as `endpoint:URL#MODEL?temperature=0&cache=FILE`; see `PartnerOptions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentgym.errors import ConfigError, UnknownNameError
from agentgym.game import GameEnv
from agentgym.policies.as_script import as_script
from agentgym.policies.by_name import FORMS
from agentgym.policies.partner import PartnerOptions, PartnerPolicy
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.policy import Policy, Sampling, ScriptFactory
from agentgym.registration import EnvSpec, make_game, spec
from agentgym.wrappers.role_view import RoleView

SCRIPTED, SELF = "scripted", "self"
REPLIES = "partner_replies.jsonl"
"""File in a run's folder that keeps the replies of endpoints as partners."""


def role_view(
    env_id: str,
    role: str = "",
    partners: Mapping[str, str] | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> RoleView:
    """A game as an environment of one role; `agentgym.make` and `gymnasium.make` call this for a game's id.

    Args:
        env_id: Id of the game.
        role: Whom the agent plays; "" is the game's first role.
        partners: Who plays other roles, by name; roles that are not named are scripted.
        render_mode: None or "ansi".
        options: Keyword arguments of the game.

    Raises:
        UnknownNameError: No such role or partner.
        ConfigError: A partner is the learner itself, or the game refuses the options.
    """
    cast = Cast.of(env_id, (role,), partners or {})
    if len(cast.learning) > 1:
        raise ConfigError(
            f"the partner {SELF!r} works in evaluations, recordings and training; here the policy plays "
            f"{cast.learning[0]!r} alone, so name another partner"
        )
    game = make_game(env_id, **options)
    found = spec(env_id)
    scripts = {other: _partner(found, game, other, name) for other, name in cast.partners.items()}
    return RoleView(game, cast.learning[0], scripts, render_mode)


@dataclass(frozen=True)
class Cast:
    """Who plays which role, in evaluation or training.

    Attributes:
        env_id: The environment.
        learning: The roles of the policy that learns or is evaluated; none for an environment of one agent.
        partners: Who plays each other role of the game, by name.
        options: Keyword arguments of the game.
    """

    env_id: str
    learning: tuple[str, ...] = ()
    partners: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        env_id: str,
        learning: Sequence[str] = (),
        partners: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Cast:
        """The cast that a suite's options say, with roles and partners over them.

        Args:
            env_id: The environment.
            learning: Roles of the learner; if empty, that of the options, or the game's first.
            partners: Who plays other roles, by name; these override the options.
            options: Keyword arguments of the environment, such as a suite's.

        Raises:
            UnknownNameError: No such role or partner.
            ConfigError: The environment has no roles, or a role is the learner's and a partner's.
        """
        found, given = spec(env_id), dict(options or {})
        if not found.roles:
            if learning or partners:
                named = sorted({*learning, *(partners or {})})
                raise ConfigError(f"environment {env_id!r} is played by one agent: it has no roles such as {named}")
            return cls(env_id, options=given)
        own = tuple(found.role_named(role) for role in learning or (given.pop("role", ""),))
        given.pop("role", None)
        wanted = {**given.pop("partners", {}), **(partners or {})}
        everyone = found.load_partners()
        for role, name in wanted.items():
            if role not in everyone:
                raise UnknownNameError("role", role, everyone, owner=repr(env_id))
            _check_partner(found, role, name)
        twice = sorted(role for role in own if role in wanted)
        if twice:
            raise ConfigError(f"the roles {twice} of {env_id!r} are the learner's, but have partners too")
        own += tuple(found.role_named(role) for role, name in wanted.items() if name == SELF and role not in own)
        return cls(env_id, own, {role: wanted.get(role, SCRIPTED) for role in everyone if role not in own}, given)

    @property
    def role(self) -> str:
        """The first of the learner's roles; "" if there are none."""
        return self.learning[0] if self.learning else ""

    @property
    def is_view(self) -> bool:
        """Whether the learner has one role and all others are scripts, so an environment of that role suffices."""
        return len(self.learning) < 2 and not any(_is_policy(name) for name in self.partners.values())

    def with_scripts(self) -> Cast:
        """The same with scripts in place of policies, for demonstrations."""
        return replace(self, partners={r: SCRIPTED if _is_policy(name) else name for r, name in self.partners.items()})

    @property
    def view_options(self) -> dict[str, Any]:
        """Keyword arguments of `agentgym.make` for the environment of the role."""
        if not self.learning:
            return dict(self.options)
        named = {role: name for role, name in self.partners.items() if name != SCRIPTED}
        return {**self.options, "role": self.role, **({"partners": named} if named else {})}

    def policies(
        self, learner: Policy, sampling: Sampling | None = None, folder: Path | None = None
    ) -> dict[str, Policy]:
        """The policy of each role, for rollouts of the game that `game_maker` makes.

        Args:
            learner: The policy that learns or is evaluated.
            sampling: How models that are partners sample; None: like the learner.
            folder: The run's folder, in which replies of endpoints are kept, so that a rerun gets the same replies;
                None keeps none.

        Raises:
            ConfigError: A checkpoint or an address cannot be used.
        """
        if self.is_view:
            return {self.role or "*": learner}
        found = spec(self.env_id)
        policies: dict[str, Policy] = dict.fromkeys(self.learning, learner)
        scripts = {role: _script(found, role, name) for role, name in self.partners.items() if not _is_policy(name)}
        scripted = PartnerPolicy(ScriptedPolicy(SCRIPTED, scripts))
        models: dict[str, Policy] = {}
        for role, name in self.partners.items():
            if role in scripts:
                policies[role] = scripted
                continue
            if name not in models:
                replies = folder / REPLIES if folder else None
                models[name] = PartnerPolicy.named(name, found.load_guards(), sampling, replies)
            policies[role] = models[name]
        return policies


def _is_policy(name: str) -> bool:
    return name.partition(":")[0] not in (SCRIPTED, SELF)


def _partner(found: EnvSpec, game: GameEnv, role: str, name: str) -> ScriptFactory:
    if _is_policy(name):
        return as_script(PartnerPolicy.named(name, found.load_guards()), role, game.tools.get(role, ()))
    return _script(found, role, name)


def _check_partner(found: EnvSpec, role: str, name: str) -> None:
    kind, _, rest = name.partition(":") if isinstance(name, str) else ("", "", "")
    known = (SCRIPTED, f"{SCRIPTED}:NAME", SELF, *FORMS)
    if kind not in (SCRIPTED, SELF, *(form.partition(":")[0] for form in FORMS)) or (kind == SELF and rest):
        raise UnknownNameError("partner", str(name), known)
    if _is_policy(name):
        PartnerOptions.of(name)
    if kind == SCRIPTED and rest:
        _script(found, role, name)


def _script(found: EnvSpec, role: str, name: str) -> ScriptFactory:
    _, _, rest = name.partition(":")
    if not rest:
        return found.load_partners()[role]
    scripts = found.load_scripts(role)
    if rest not in scripts:
        raise UnknownNameError("script", rest, scripts, owner=f"the role {role!r} of {found.id!r}")
    return scripts[rest]
