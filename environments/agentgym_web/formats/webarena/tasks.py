"""Task files of WebArena (arXiv:2307.13854) and VisualWebArena (arXiv:2401.13649), read and checked.

Placeholders such as __SHOPPING__ are replaced by the user's addresses. Nothing of a file runs outside the page: what
names Python code is read by `calls` or refused. How answers are judged is in `matching` and `pictures`.
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
from agentgym_web.formats.webarena.calls import why_not_called
from agentgym_web.formats.webarena.checking import is_address, require_addresses, require_evaluation
from agentgym_web.formats.webarena.logins import read_login

MAX_BYTES = 256 << 20
EXACT, CONTAINED = "EXACT", "GOLD in PRED"
"""How addresses are compared: they are equal, or one of the references is in the page's address."""
_PLACEHOLDER = re.compile(r"__[A-Z][A-Z0-9_]*?__")
_USED = {
    "string_match": "reference_answers",
    "url_match": "reference_url",
    "program_html": "program_html",
    "page_image_query": "page_image_query",
}
"""The kinds of evaluation, each with what it reads; anything else is a comment."""


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
        ConfigError: `sites` is malformed, or the file of a login that a task needs.
        TaskError: The file cannot be read, is too large or malformed; says which task, and which field of it.
        UnplayableError: A task needs what is not given, and is not to be left out; or no task can be played.
    """
    _require_sites(sites)
    tasks, refused = [], []
    for number, fields in enumerate(read_list(path, MAX_BYTES, "a list of tasks with intent, start_url and eval")):
        where = f"{path}: task {number}"
        try:
            checked = _checked(where, fields, sites)
            _require_playable(where, checked, has_judge)
            tasks.append(_task(path, number, checked, sites, _logins(where, checked, logins or {})))
        except RecursionError as error:
            raise TaskError(f"{where}: it is nested too deeply; expected the form of WebArena's tasks") from error
        except UnplayableError as error:
            if not leave_out:
                raise UnplayableError(f"{error}, or leave such tasks out with leave_out=true") from error
            refused.append(error)
    for login in sorted({login for task in tasks for login in task.private["logins"]}):
        read_login(Path(login))
    if not tasks:
        raise UnplayableError(f"none of the {len(refused)} tasks of {path} can be played, such as: {refused[0]}")
    return tasks


def _require_sites(sites: Mapping[str, str]) -> None:
    for name, address in sites.items():
        if not isinstance(name, str) or not _PLACEHOLDER.fullmatch(name):
            raise ConfigError(f"a key of sites is a placeholder of the tasks, such as __SHOPPING__: got {name!r}")
        if not is_address(address):
            raise ConfigError(f"sites: {name} must be an address with http:// or https://: got {address!r}")


def _checked(where: str, fields: Any, sites: Mapping[str, str]) -> dict[str, Any]:
    """A task's fields with the user's addresses."""
    if not isinstance(fields, dict) or {"intent", "start_url", "eval"} - fields.keys():
        raise TaskError(f"{where}: expected an object with intent, start_url and eval")
    wanted = fields["eval"]
    kinds = wanted.get("eval_types", ()) if isinstance(wanted, dict) else ()
    if not isinstance(kinds, list) or not kinds or any(kind not in list(_USED) for kind in kinds):
        raise TaskError(f"{where}: eval_types must be of {', '.join(_USED)}: got {kinds!r:.80}")
    note = wanted.get("url_note") or (EXACT if "image" in fields else CONTAINED)
    if note not in (EXACT, CONTAINED):
        raise TaskError(f"{where}: url_note must be {EXACT!r} or {CONTAINED!r}: got {note!r:.80}")
    if not isinstance(fields["intent"], str) or not fields["intent"].strip():
        raise TaskError(f"{where}: intent must be a text that is not blank: got {fields['intent']!r:.80}")
    used = {_USED[kind]: wanted.get(_USED[kind]) for kind in kinds}
    require_evaluation(where, used)
    filled = {name: _with_sites(where, fields.get(name), sites) for name in ("start_url", "image")}
    evaluation = {name: _with_sites(where, value, sites) for name, value in used.items()}
    require_addresses(where, filled["start_url"], evaluation)
    evaluation |= {"eval_types": kinds, "url_note": note, "string_note": wanted.get("string_note")}
    filled["intent"] = _replaced(fields["intent"], sites)
    return {**fields, **{name: value for name, value in filled.items() if name in fields}, "eval": evaluation}


def _require_playable(where: str, fields: Mapping[str, Any], has_judge: bool) -> None:
    wanted = fields["eval"]
    for target in (*wanted.get("program_html", ()), *wanted.get("page_image_query", ())):
        for key in ("url", "eval_image_url", "locator"):
            value = target.get(key) or ""
            if why := why_not_called(value, is_address=key != "locator"):
                raise UnplayableError(f"{where}: its {key} {value[:80]!r} {why}; drop the task")
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


def _logins(where: str, fields: Mapping[str, Any], logins: Mapping[str, str]) -> list[str]:
    """The files of cookies of the sites on which a task is logged in."""
    if not fields.get("require_login"):
        return []
    state = PurePosixPath(str(fields.get("storage_state") or "")).name.removesuffix("_state.json")
    named = state.split(".") if state else fields.get("sites") or []
    if not isinstance(named, list):
        raise TaskError(f"{where}: sites must be a list of names: got {named!r:.80}")
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
        instruction=fields["intent"],
        config={
            "urls": fields["start_url"].split(" |AND| "),
            "sites": list(sites.values()),
            "pictures": pictures,
            "folder": str(path.parent.resolve()),
        },
        limits=Limits(max_turns=30, step_timeout_s=120),
        private={"eval": fields["eval"], "logins": logins, "is_visual": "image" in fields},
    )


def _with_sites(where: str, value: Any, sites: Mapping[str, str]) -> Any:
    """A value of a task with the user's addresses.

    Raises:
        UnplayableError: One is missing.
    """
    text = _replaced(json.dumps(value), sites)
    missing = sorted(set(_PLACEHOLDER.findall(text)))
    if missing:
        form = f'{{"{missing[0]}": "http://…"}}'
        raise UnplayableError(f"{where} needs the address of {missing[0]}; give it in sites, as {form}")
    return json.loads(text)


def _replaced(text: str, sites: Mapping[str, str]) -> str:
    for name, address in sites.items():
        text = text.replace(name, json.dumps(address.rstrip("/"))[1:-1])
    return text
