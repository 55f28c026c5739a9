"""Task files of WebArena (arXiv:2307.13854) and VisualWebArena (arXiv:2401.13649), read and checked.

Placeholders such as __SHOPPING__ are replaced by the user's addresses. Nothing of a file runs outside the page: what
names Python code is refused. How answers are judged is in `matching` and `pictures`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from agentgym.errors import ConfigError, TaskError
from agentgym.task import Limits, Task
from agentgym_web.formats.json_files import read_list
from agentgym_web.formats.webarena.matching import KINDS

MAX_BYTES = 256 << 20
EXACT, CONTAINED = "EXACT", "GOLD in PRED"
"""How addresses are compared: they are equal, or one of the references is in the page's address."""
_PLACEHOLDER = re.compile(r"__[A-Z_]+?__")
_TYPES = ("string_match", "url_match", "program_html", "page_image_query")


class UnplayableError(ConfigError):
    """A well-formed task that cannot be played with what is given: a site, a login, a judge or code is missing."""


def load_webarena(
    path: Path,
    sites: Mapping[str, str],
    logins: Mapping[str, str] | None = None,
    *,
    has_judge: bool = False,
    leave_out: bool = False,
) -> list[Task]:
    """The tasks of a file as tasks of `WebArenaEnv`.

    Args:
        path: A JSON file with one task or a list of them.
        sites: The address of each placeholder, such as {"__SHOPPING__": "http://localhost:7770"}.
        logins: The file of cookies of each placeholder.
        has_judge: Whether there is a judge.
        leave_out: Whether tasks that cannot be played are left out instead of refused.

    Raises:
        TaskError: The file cannot be read, is too large or malformed.
        UnplayableError: A task needs what is not given, and is not to be left out; or no task can be played.
    """
    tasks, refused = [], []
    for number, fields in enumerate(read_list(path, MAX_BYTES, "a list of tasks with intent, start_url and eval")):
        where = f"{path}: task {number}"
        try:
            checked = _checked(where, fields, sites)
            _require_playable(where, checked, has_judge)
            tasks.append(_task(path, number, checked, sites, _logins(where, checked, logins or {})))
        except UnplayableError as error:
            if not leave_out:
                raise UnplayableError(f"{error}, or leave such tasks out with leave_out=true") from error
            refused.append(error)
    if not tasks:
        raise UnplayableError(f"none of the {len(refused)} tasks of {path} can be played, such as: {refused[0]}")
    return tasks


def _checked(where: str, fields: Any, sites: Mapping[str, str]) -> dict[str, Any]:
    """A task's fields with the user's addresses."""
    if not isinstance(fields, dict) or {"intent", "start_url", "eval"} - fields.keys():
        raise TaskError(f"{where}: expected an object with intent, start_url and eval")
    wanted = fields["eval"]
    kinds = wanted.get("eval_types", ()) if isinstance(wanted, dict) else ()
    if not isinstance(kinds, list) or not kinds or any(kind not in _TYPES for kind in kinds):
        raise TaskError(f"{where}: eval_types must be of {', '.join(_TYPES)}: got {kinds!r}")
    for key, expected in (
        ("program_html", ("url", "required_contents")),
        ("page_image_query", ("eval_image_url", "eval_image_class")),
    ):
        _require_targets(where, key, wanted.get(key), expected, is_needed=key in kinds)
    if "url_match" in kinds and not isinstance(wanted.get("reference_url"), str):
        raise TaskError(f"{where}: url_match needs a text reference_url: got {wanted.get('reference_url')!r}")
    if "string_match" in kinds:
        _require_contents(where, wanted.get("reference_answers"))
    note = wanted.get("url_note") or (EXACT if "image" in fields else CONTAINED)
    if note not in (EXACT, CONTAINED):
        raise TaskError(f"{where}: url_note must be {EXACT!r} or {CONTAINED!r}: got {note!r}")
    checked: dict[str, Any] = json.loads(_with_sites(where, json.dumps(fields), sites))
    checked["eval"]["url_note"] = note
    return checked


def _require_targets(where: str, key: str, targets: Any, expected: tuple[str, ...], *, is_needed: bool) -> None:
    if targets is None and not is_needed:
        return
    if not isinstance(targets, list) or not all(isinstance(each, dict) for each in targets) or is_needed > len(targets):
        raise TaskError(f"{where}: {key} must be a list of objects: got {str(targets)[:80]}")
    for target in targets:
        missing = [name for name in expected if name not in target]
        if missing:
            raise TaskError(f"{where}: {key} lacks {missing[0]}")
        if "required_contents" in expected:
            _require_contents(where, target["required_contents"])


def _require_contents(where: str, wanted: Any) -> None:
    """Refuse comparisons that `matching` does not know."""
    if not isinstance(wanted, dict) or not wanted or wanted.keys() - KINDS.keys():
        raise TaskError(f"{where}: answers are compared by {', '.join(KINDS)}: got {str(wanted)[:80]}")
    for kind, value in wanted.items():
        if not isinstance(value, KINDS[kind]):
            names = " or ".join(each.__name__ for each in KINDS[kind])
            raise TaskError(f"{where}: {kind} must be {names}: got {value!r:.80}")


def _require_playable(where: str, fields: Mapping[str, Any], has_judge: bool) -> None:
    wanted = fields["eval"]
    for target in _targets(wanted):
        for key, value in target.items():
            if isinstance(value, str) and value.startswith(("func:", "lambda:")):
                raise UnplayableError(
                    f"{where}: its {key} {value[:60]!r} is code to be run here, which is refused; drop it"
                )
    if not has_judge and (why := next(_needs_judge(wanted), "")):
        raise UnplayableError(
            f"{where} has {why}, which needs a judge; make the environment with judge=endpoint:URL#MODEL"
        )


def _needs_judge(wanted: Mapping[str, Any]) -> Iterator[str]:
    """What of a task's evaluation a judge decides."""
    kinds = wanted["eval_types"]
    fuzzy = (wanted.get("reference_answers") or {}).get("fuzzy_match", "N/A")
    if "string_match" in kinds and fuzzy != "N/A":
        yield "fuzzy_match"
    if "program_html" in kinds and any("fuzzy_match" in each["required_contents"] for each in wanted["program_html"]):
        yield "fuzzy_match in program_html"
    if "page_image_query" in kinds and any(each.get("eval_vqa") for each in wanted["page_image_query"]):
        yield "eval_vqa in page_image_query"


def _targets(wanted: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*(wanted.get("program_html") or ()), *(wanted.get("page_image_query") or ())]


def _logins(where: str, fields: Mapping[str, Any], logins: Mapping[str, str]) -> list[str]:
    """The files of cookies of the sites on which a task is logged in."""
    if not fields.get("require_login"):
        return []
    state = PurePosixPath(str(fields.get("storage_state") or "")).name.removesuffix("_state.json")
    named = state.split(".") if state else fields.get("sites") or []
    wanted = [f"__{str(name).upper()}__" for name in named]
    missing = [name for name in wanted if name not in logins]
    if missing or not wanted:
        name = missing[0] if missing else "its site"
        raise UnplayableError(f"{where} needs a login of {name}; give its file of cookies in logins, as {name}=FILE")
    return [str(Path(logins[name]).resolve()) for name in wanted]


def _task(path: Path, number: int, fields: Mapping[str, Any], sites: Mapping[str, str], logins: list[str]) -> Task:
    given = fields.get("image") or []
    pictures = [given] if isinstance(given, str) else given
    if not isinstance(pictures, list) or not all(isinstance(each, str) for each in pictures):
        raise TaskError(f"{path}: task {number}: image must be an address, a path or a list of them: got {given!r:.80}")
    return Task(
        f"webarena:{fields.get('task_id', number)}",
        number,
        instruction=str(fields["intent"]),
        config={
            "urls": str(fields["start_url"]).split(" |AND| "),
            "sites": list(sites.values()),
            "pictures": pictures,
            "folder": str(path.parent.resolve()),
        },
        limits=Limits(max_turns=30, step_timeout_s=120),
        private={"eval": fields["eval"], "logins": logins, "is_visual": "image" in fields},
    )


def _with_sites(where: str, text: str, sites: Mapping[str, str]) -> str:
    for name, address in sites.items():
        text = text.replace(name, json.dumps(address.rstrip("/"))[1:-1])
    missing = sorted(set(_PLACEHOLDER.findall(text)))
    if missing:
        form = f'{{"{missing[0]}": "http://…"}}'
        raise UnplayableError(f"{where} needs the address of {missing[0]}; give it in sites, as {form}")
    return text
