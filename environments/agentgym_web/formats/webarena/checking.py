"""What the fields of a task in WebArena's form must be; each error names the task and the field.

What cannot be played with what is given is found in `tasks`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from agentgym.errors import TaskError
from agentgym_web.formats.webarena.matching import KINDS, OR, is_condition

_FIRST = ("http://", "https://")


def is_address(text: Any) -> bool:
    """Whether a value is an address of a site, with http or https, a host, and a port that exists if one is named."""
    if not isinstance(text, str) or not text.startswith(_FIRST):
        return False
    try:
        parts = urlsplit(text)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def require_evaluation(where: str, used: Mapping[str, Any]) -> None:
    """Refuse what evaluations cannot read.

    Args:
        where: The task, for the message.
        used: What they read: of `reference_answers`, `reference_url`, `program_html` and `page_image_query` those that
            the task is judged by.

    Raises:
        TaskError: A field is missing, or of another type.
    """
    if "reference_answers" in used:
        _require_contents(where, "reference_answers", used["reference_answers"])
    if "reference_url" in used and not isinstance(used["reference_url"], str):
        raise TaskError(f"{where}: url_match needs a text reference_url: got {used['reference_url']!r:.80}")
    for key in ("program_html", "page_image_query"):
        for number, target in enumerate(_targets(where, key, used[key]) if key in used else ()):
            problem = next(_of_content(target) if key == "program_html" else _of_pictures(target), "")
            if problem:
                raise TaskError(f"{where}: {key}[{number}].{problem}")
            if key == "program_html":
                _require_contents(where, f"{key}[{number}].required_contents", target["required_contents"])


def require_addresses(where: str, start_url: Any, used: Mapping[str, Any]) -> None:
    """Refuse pages that no browser can open for a task; placeholders are replaced before.

    Raises:
        TaskError: One is no address, and no function that a task may name.
    """
    opened = start_url.split(" |AND| ") if isinstance(start_url, str) else []
    if not opened or not all(map(is_address, opened)):
        raise TaskError(f"{where}: start_url must be an address with http:// or https://: got {start_url!r:.80}")
    for key, name in (("program_html", "url"), ("page_image_query", "eval_image_url")):
        for number, target in enumerate(used.get(key, ())):
            url = target[name]
            if url != "last" and not url.startswith(("func:", "lambda:")) and not is_address(url):
                raise TaskError(
                    f"{where}: {key}[{number}].{name} must be 'last' or an address with http:// or https://: "
                    f"got {url!r:.80}"
                )


def _targets(where: str, key: str, targets: Any) -> list[Mapping[str, Any]]:
    expected = ("url", "required_contents") if key == "program_html" else ("eval_image_url", "eval_image_class")
    if not isinstance(targets, list) or not targets or not all(isinstance(each, dict) for each in targets):
        raise TaskError(f"{where}: {key} must be a list of objects: got {targets!r:.80}")
    for target in targets:
        missing = [name for name in expected if name not in target]
        if missing:
            raise TaskError(f"{where}: {key} lacks {missing[0]}")
    return targets


def _of_content(target: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a target of program_html."""
    if not isinstance(target["url"], str):
        yield f"url must be a text: got {target['url']!r:.80}"
    if not isinstance(target.get("locator") or "", str):
        yield f"locator must be a text: got {target['locator']!r:.80}"
    before = target.get("prep_actions")
    if before is not None and not _is_list_of(before, str):
        yield f"prep_actions must be a list of texts: got {before!r:.80}"


def _of_pictures(query: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a query of page_image_query."""
    for name in ("eval_image_url", "eval_image_class", "eval_fuzzy_image_match"):
        value = query.get(name)
        if not isinstance("" if value is None and name == "eval_fuzzy_image_match" else value, str):
            yield f"{name} must be a text: got {value!r:.80}"
    least = query.get("ssim_threshold", 0)
    if isinstance(least, bool) or not isinstance(least, int | float) or not math.isfinite(least):
        yield f"ssim_threshold must be a number: got {least!r:.80}"
    asked = query.get("eval_vqa")
    if asked is not None and not (
        _is_list_of(asked, dict) and all({"question", "answer"} <= each.keys() for each in asked)
    ):
        yield f"eval_vqa must be a list of objects with question and answer: got {asked!r:.80}"


def _require_contents(where: str, name: str, wanted: Any) -> None:
    """Refuse comparisons that `matching` does not know."""
    if not isinstance(wanted, dict) or not wanted or wanted.keys() - KINDS.keys():
        raise TaskError(f"{where}: {name}: answers are compared by {', '.join(KINDS)}: got {wanted!r:.80}")
    for kind, value in wanted.items():
        if not isinstance(value, KINDS[kind]) or isinstance(value, bool):
            names = " or ".join(each.__name__ for each in KINDS[kind])
            raise TaskError(f"{where}: {name}: {kind} must be {names}: got {value!r:.80}")
        if isinstance(value, list) and not _is_list_of(value, (str, int, float)):
            raise TaskError(f"{where}: {name}: {kind} must be a list of texts: got {value!r:.80}")
        items: list[Any] = value if isinstance(value, list) and kind == "required_values" else []
        wrong = [part for each in items for part in str(each).split(OR) if not is_condition(part)]
        if wrong:
            raise TaskError(
                f"{where}: {name}: required_values must be conditions such as '>= 10': got {wrong[0]!r:.80}"
            )


def _is_list_of(value: Any, kinds: type | tuple[type, ...]) -> bool:
    return isinstance(value, list) and all(isinstance(each, kinds) and not isinstance(each, bool) for each in value)
