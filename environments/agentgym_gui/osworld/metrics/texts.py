"""Metrics over text files: plain text, JSON, CSV, settings of programs, and archives of such files.

A file comes as its bytes, or None where it is missing; a missing result is worth 0.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from agentgym_gui.osworld.metrics.values import Metric, matches_rule
from agentgym_gui.verify import archives, databases
from agentgym_gui.verify.reading import UnreadableFileError
from agentgym_gui.verify.xml_trees import attribute, local, xml_root

File = bytes | None


def text_of(content: bytes) -> str:
    """The text of a file, with every kind of line end as a newline.

    Raises:
        UnreadableFileError: It is not in UTF-8.
    """
    try:
        return content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"no text in UTF-8: {error.reason}") from error


def compare_text_file(result: File, expected: File, **options: Any) -> float:
    """Whether two texts are equal; `ignore_blanks` and `ignore_case` loosen it."""
    if result is None or expected is None:
        return 0.0
    pair = [text_of(result), text_of(expected)]
    if options.get("ignore_blanks", False):
        pair = [re.sub(r"\s+", " ", re.sub(r"[\t\n]", " ", text).strip()) for text in pair]
    if options.get("ignore_case", False):
        pair = [text.lower() for text in pair]
    return float(pair[0] == pair[1])


def compare_config(result: File, rules: Mapping[str, Any]) -> float:
    """Whether a file's text is the expected one."""
    return float(result is not None and text_of(result) == rules["expected"])


def diff_text_file(result: File, expected: File) -> float:
    """The share of lines that two texts have in common, as difflib counts it."""
    if result is None or expected is None:
        return 0.0
    lines = [text_of(each).splitlines() for each in (result, expected)]
    return difflib.SequenceMatcher(a=lines[0], b=lines[1]).ratio()


def file_contains(result: File, rules: Mapping[str, Any]) -> float:
    """Whether a file holds every expected piece."""
    return float(result is not None and all(each in text_of(result) for each in rules["expected"]))


def check_line_number(result: File, rules: Mapping[str, Any]) -> float:
    """Whether so many lines of a file hold a time of day, such as 12:30:59."""
    if result is None:
        return 0.0
    clock = re.compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)")
    lines = [line for line in text_of(result).split("\n") if clock.search(line)]
    return float(len(lines) == int(rules["expected"]))


def compare_terminal_and_txt(result: File, output: Any) -> float:
    """Whether a file holds what a terminal shows."""
    return float(bool(result) and bool(output) and text_of(result or b"") == output)


def compare_python_pure_text(result: File, expected: File) -> float:
    """Whether two programs are the same but for empty lines, blanks at line ends, tabs and lines of no meaning on top.

    Those name an interpreter or an encoding.
    """
    if result is None or expected is None:
        return 0.0
    return float(_plain_program(text_of(result)) == _plain_program(text_of(expected)))


_PROLOGUE = ("#!", "# -*- coding:", "# coding:", "# coding=")


def _plain_program(text: str) -> list[str]:
    lines = text.splitlines()
    top = 0
    while top < min(3, len(lines)) and lines[top].strip().startswith(_PROLOGUE):
        top += 1
    return [line.expandtabs(4).rstrip() for line in lines[top:] if line.strip()]


def check_list(result: File, rules: Mapping[str, Any]) -> float:
    """Whether each pattern of `expect` fits a line of a file and none of `unexpect` does."""
    if result is None:
        return 0.0
    lines = text_of(result).split("\n")

    def fits(pattern: str) -> bool:
        return any(re.search(pattern, line) for line in lines)

    return float(all(map(fits, rules.get("expect", []))) and not any(map(fits, rules.get("unexpect", []))))


def compare_csv(result: File, expected: File | list[File], **options: Any) -> float:
    """Whether a file has the lines of an expected file; `strict` false strips them, `ignore_case` folds them."""
    if result is None:
        return 0.0
    wanted = expected if isinstance(expected, list) else [expected]
    return float(any(_csv_lines(result, options) == _csv_lines(each, options) for each in wanted if each is not None))


def _csv_lines(content: bytes, options: Mapping[str, Any]) -> list[str]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").splitlines()
    lines = lines if options.get("strict", True) else [line.strip() for line in lines]
    return [line.lower() for line in lines] if options.get("ignore_case", False) else lines


def check_csv(result: File, rules: Mapping[str, Any]) -> float:
    """Whether each record of `expect` is a row of a file, as far as it says, and none of `unexpect` is."""
    if result is None:
        return 0.0
    try:
        rows = list(csv.DictReader(io.StringIO(text_of(result))))
    except csv.Error:
        return 0.0
    return _records(rows, rules)


def _records(found: Iterable[Mapping[Any, Any]], rules: Mapping[str, Any]) -> float:
    rows = list(found)

    def is_there(record: Mapping[str, Any]) -> bool:
        return any(all(key in row and row[key] == value for key, value in record.items()) for row in rows)

    return float(all(map(is_there, rules.get("expect", []))) and not any(map(is_there, rules.get("unexpect", []))))


def check_json(result: File, rules: Mapping[str, Any], **options: Any) -> float:
    """Whether the values below the keys of `expect` fit their rules, and those of `unexpect` do not."""
    if result is None:
        return 0.0
    try:
        found = json.loads(text_of(result))
        expected = all(matches_rule(_below(found, each["key"]), each) for each in rules.get("expect", ()))
    except (ValueError, LookupError, TypeError):
        return 0.0
    for each in rules.get("unexpect", ()):
        try:
            value = _below(found, each["key"])
        except (LookupError, TypeError):
            value = None
        expected = expected and not matches_rule(value, each)
    return float(expected)


def _below(found: Any, keys: list[Any]) -> Any:
    for key in keys:
        found = found[key]
    return found


def is_included_all_json_objects(expected: File, result: File) -> float:
    """Whether a JSON object holds all pairs of another; the expected one comes first, as in OSWorld."""
    try:
        gold, found = (json.loads(each or b"null") for each in (expected, result))
    except ValueError:
        return 0.0
    if not (isinstance(gold, dict) and isinstance(found, dict)):
        return 0.0
    return float(all(key in found and found[key] == value for key, value in gold.items()))


def check_json_settings(result: File, rules: Mapping[str, Any]) -> float:
    """Whether a JSON object has the expected values on top."""
    try:
        found = json.loads(result or b"null")
    except ValueError:
        return 0.0
    wanted = rules["expected"]
    return float(isinstance(found, dict) and all(key in found and found[key] == wanted[key] for key in wanted))


def check_json_keybindings(result: File, rules: Mapping[str, Any]) -> float:
    """Whether a JSON list, which may stand below a line of comment, has the expected item."""
    for content in (result or b"", (result or b"").partition(b"\n")[2]):
        try:
            found = json.loads(content)
        except ValueError:
            continue
        if isinstance(found, list):
            return float(rules["expected"] in found)
    return 0.0


def run_sqlite3(result: File, rules: Mapping[str, Any]) -> float:
    """What a question gives on a database, as a number."""
    rows = databases.rows(result or b"", rules["sql"])
    return min(1.0, max(0.0, float(rows[0][0] or 0))) if rows else 0.0


def check_thunderbird_prefs(result: File, rules: Mapping[str, Any]) -> float:
    """Whether preferences of Thunderbird fit the rules of `expect`, and none those of `unexpect`."""
    if result is None:
        return 0.0
    found: dict[str, Any] = {}
    for line in text_of(result).split("\n"):
        match = re.fullmatch(r'user_pref\("((?:[^"]|\\")+)", (.+)\);', line.strip())
        if match is not None:
            try:
                found[match[1]] = json.loads(match[2])
            except ValueError:
                return 0.0
    wanted, unwanted = rules.get("expect", {}), rules.get("unexpect", {})
    holds = all(key in found and matches_rule(found[key], rule) for key, rule in wanted.items())
    return float(holds and not any(key in found and matches_rule(found[key], rule) for key, rule in unwanted.items()))


_CONDITION = re.compile(r"""\b(?:AND|OR) \((?:[\w ]+),(?:[\w ']+),(?:"(?:(?:[^"]|\")+)"|(?:[^)]+))\)|\bALL\b""")
_FILTER_KEYS = ("enabled", "type", "action", "actionValue")


def check_thunderbird_filter(result: File, rules: Mapping[str, Any]) -> float:
    """Whether each filter of `expect` is among the filters of a mail account, and none of `unexpect` is."""
    if result is None:
        return 0.0
    filters: list[dict[str, Any]] = []
    current: dict[str, Any] = {}
    for line in text_of(result).split("\n"):
        key, separator, quoted = line.partition("=")
        value = quoted[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if separator and key == "name":
            current = {"name": value}
        elif separator and key in _FILTER_KEYS:
            current[key] = value
        elif separator and key == "condition":
            current["condition"] = _CONDITION.findall(value)
            filters.append(current)
    return _records(filters, rules)


def check_config_status(result: File, rules: Mapping[str, Any]) -> float:
    """Whether a line of GIMP's settings has the expected key, or two, and ends with the expected value."""
    keys = [rules["key"]] if isinstance(rules["key"], str) else list(rules["key"])
    for line in text_of(result or b"").split("\n"):
        items = line.strip().lstrip("(").rstrip(")").split()
        is_about = items[: len(keys)] == keys and not line.startswith("#")
        if is_about and items[-1] == rules["value"]:
            return 1.0
    return 0.0


def _vlc(key: str, default: str) -> Metric:
    def metric(result: File, rules: Mapping[str, Any]) -> float:
        if result is None:
            return 0.0
        lines = [line for line in text_of(result).split("\n") if f"{key}=" in line]
        found = lines[-1].rpartition("=")[2].strip() if lines else default
        return float(found == str(rules[f"expected_{key.replace('-', '_')}"]))

    return metric


def check_libre_locale(result: File, rules: Mapping[str, Any]) -> float:
    """Whether LibreOffice's locale, or else its language, fits one of the patterns of `locale_set`."""
    if result is None:
        return 0.0
    found: dict[str, str] = {}
    for item in xml_root(result).iter():
        for prop in item if attribute(item, "path").endswith("L10N") else ():
            value = next((each.text or "" for each in prop if local(each) == "value"), None)
            if value is not None:
                found.setdefault(attribute(prop, "name"), value)
    locale = found.get("ooSetupSystemLocale", found.get("ooLocale", ""))
    return float(any(fnmatchcase(locale, pattern) for pattern in rules["locale_set"]))


def compare_zip_files(result: File, expected: File) -> float:
    """Whether two zip archives hold the same files with the same bytes.

    Differs: papers in PDF are compared by their bytes, not by their text, since reading text out of PDF would need a
    further library. Two PDF files that differ in their bytes alone count as different here.
    """
    if result is None or expected is None:
        return 0.0
    return float(archives.zip_members(result) == archives.zip_members(expected))


METRICS: Mapping[str, Metric] = {
    **{
        each.__name__: each
        for each in (
            compare_text_file,
            compare_config,
            diff_text_file,
            file_contains,
            check_line_number,
            compare_terminal_and_txt,
            compare_python_pure_text,
            check_list,
            compare_csv,
            check_csv,
            check_json,
            is_included_all_json_objects,
            check_json_settings,
            check_json_keybindings,
            run_sqlite3,
            check_thunderbird_prefs,
            check_thunderbird_filter,
            check_config_status,
            check_libre_locale,
            compare_zip_files,
        )
    },
    "check_qt_bgcone": _vlc("qt-bgcone", "1"),
    "check_qt_max_volume": _vlc("qt-max-volume", "125"),
}
"""The metrics over text files, by name."""
