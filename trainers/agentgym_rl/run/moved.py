"""Keys that an earlier release spelt otherwise: files are told the new spelling, stored runs are read through it.

A file in the old spelling is refused with the new key. A run's folder keeps what it was started with, so its stored
configuration is translated whenever it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentgym.config import Source, dotted_keys, merged, pruned
from agentgym.errors import ConfigError
from agentgym_rl.run.learners import LEARNERS

MOVED: Mapping[str, str] = {
    "algorithm.advantage": "algorithm.credit",
    "algorithm.attribution": "algorithm.credit.attribution",
    "algorithm.gae.trace": "algorithm.credit.gae.lambda",
    "algorithm.gae": "algorithm.credit.gae",
    "algorithm.value": "algorithm.credit.value",
    "algorithm.kl_in_reward": "algorithm.credit.kl_in_reward",
    "algorithm.loss.cispo_max_ratio": "algorithm.loss.max_ratio",
    "algorithm.loss.dppo_max_shift": "algorithm.loss.max_shift",
    "algorithm.loss.dppo_penalty": "algorithm.loss.penalty",
    "algorithm.critic.step": "algorithm.critic.optimiser",
    "algorithm.offline.method": "algorithm.learner",
    "algorithm.offline.strength": "algorithm.beta",
    "algorithm.offline.preference.beta": "algorithm.beta",
    "algorithm.offline.ilql.conservatism": "algorithm.cql_weight",
    "algorithm.offline.ilql.expectile": "algorithm.expectile",
    "algorithm.offline.a_lol.ratio": "algorithm.ratio",
    "algorithm.offline.a_lol.eps": "algorithm.clip",
    "algorithm.offline": "algorithm",
}
"""Old keys, and tables of keys, with the new ones."""
MOVED_OPTIONS: Mapping[str, str] = {"turn_groups.trace": "turn_groups.lambda", "trace": "lambda"}
"""Old options of methods of credit with the new ones; the name may be left out where there is one method."""


def require_new_spelling(tables: Mapping[str, Any], source: Source) -> None:
    """Refuse keys and values in the old spelling.

    Raises:
        ConfigError: Names the new one.
    """
    given = dotted_keys(tables)
    for key in sorted(given):
        new = _renamed(key)
        if new != key:
            raise ConfigError(f"{source.place(key)} is now {new!r}; write that in its place")
    algorithm = tables.get("algorithm", {})
    credit, learner = algorithm.get("credit"), algorithm.get("learner")
    if isinstance(credit, str):
        raise ConfigError(
            f"{source.place('algorithm.credit')} is now a table; write algorithm.credit.kind = {credit!r} in its place"
        )
    if isinstance(credit, Mapping):
        _require_new_options(credit.get("attribution"), source)
    if learner == "offline":
        raise ConfigError(
            f"{source.place('algorithm.learner')} is 'offline', which names no learner any more; choose one of "
            f"{', '.join(name for name, kind in LEARNERS.items() if not kind.options.collects)}"
        )
    actor = algorithm.get("actor")
    if isinstance(actor, Mapping) and actor.get("kind") == "listed":
        raise ConfigError(
            f"{source.place('algorithm.actor.kind')} is 'listed', which is now a learner of its own; write "
            "algorithm.learner = 'soft_actor_critic' or 'offline_soft_actor_critic', or take the preset discrete_sac"
        )


def _require_new_options(attribution: Any, source: Source) -> None:
    if not isinstance(attribution, Mapping):
        return
    options = attribution.get("options")
    for option in options if isinstance(options, list) else ():
        new = _renamed_option(str(option))
        if new != option:
            place = source.place("algorithm.credit.attribution.options")
            raise ConfigError(f"{place} has the option {option!r}, which is now {new!r}; write that in its place")


def translated(tables: Mapping[str, Any]) -> dict[str, Any]:
    """The stored configuration of a run in the present spelling; as it is where it has that already."""
    return _with_new_options(_with_new_keys(tables))


def _with_new_options(tables: dict[str, Any]) -> dict[str, Any]:
    match tables:
        case {"algorithm": {"credit": {"attribution": {"options": [_, *_] as options}}}}:
            renamed = {"attribution": {"options": list(map(_renamed_option, options))}}
            return merged(tables, {"algorithm": {"credit": renamed}})
    return tables


def _with_new_keys(tables: Mapping[str, Any]) -> dict[str, Any]:
    algorithm = tables.get("algorithm")
    if not isinstance(algorithm, Mapping) or "advantage" not in algorithm:
        return dict(tables)
    learner, credit = _learner(algorithm), algorithm["credit"]
    new: dict[str, Any] = {}
    for key, value in _leaves(algorithm, "algorithm."):
        is_of_others = key.startswith("algorithm.offline.") and LEARNERS[learner].options.collects
        is_other_beta = (learner == "step_preference") == (key == "algorithm.offline.strength")
        if not is_of_others and not (_renamed(key) == "algorithm.beta" and is_other_beta):
            _put(new, _renamed(key).removeprefix("algorithm."), value)
    _put(new, "credit.kind", credit)
    _put(new, "credit.discount", algorithm["gae"]["discount"])
    new["learner"] = learner
    return {**tables, "model": _model(tables["model"]), "algorithm": pruned(LEARNERS[learner].options, new)}


def _model(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table of the model; without adapters, bfloat16 meant weights of that type."""
    is_pure = table["dtype"] == "bfloat16" and not table["lora_rank"]
    return {**table, "dtype": "pure_bfloat16"} if is_pure else dict(table)


def _learner(algorithm: Mapping[str, Any]) -> str:
    """The present name of the learner of an old table `[algorithm]`."""
    learner, method = algorithm["learner"], algorithm["offline"]["method"]
    is_stored = learner == "offline"
    if learner == "groups" or (is_stored and method != "actor_critic"):
        return str(method if is_stored else learner)
    name = "soft_actor_critic" if algorithm["actor"]["kind"] == "listed" else "actor_critic"
    return f"offline_{name}" if is_stored else name


def _renamed(key: str) -> str:
    """A dotted key in the present spelling, by the longest old one that it is, or is below."""
    for old in sorted(MOVED, key=len, reverse=True):
        if key == old or key.startswith(f"{old}."):
            return MOVED[old] + key.removeprefix(old)
    return key


def _renamed_option(option: str) -> str:
    """An option of a method of credit, such as "turn_groups.lambda=0.9", in the present spelling."""
    key, equals, value = option.partition("=")
    new = MOVED_OPTIONS.get(key.strip())
    return option if new is None else f"{new}{equals}{value}"


def _leaves(tables: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in tables.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        elif prefix + key != "algorithm.credit":
            yield prefix + key, value


def _put(tables: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    for part in path:
        tables = tables.setdefault(part, {})
    tables[last] = value
