"""What a metric is given: the result from the desktop after the episode, and what was expected.

A getter is read and checked when its task is loaded, so that nothing of it fails first at the end of an episode.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_gui.osworld.machine import Machine
from agentgym_gui.osworld.steps import command_of, text_of
from agentgym_gui.osworld.unsupported import UnsupportedError
from agentgym_gui.verify import workbooks
from agentgym_gui.verify.reading import UnreadableFileError

Fields = Mapping[str, Any]
Fetch = Callable[[Machine, "Cache"], Any]
SCREEN = {"width": 1280, "height": 800}


@dataclass(frozen=True)
class Cache:
    """The files that OSWorld would load from the network, by name.

    Attributes:
        files: Content by name.
    """

    files: Mapping[str, bytes]


@dataclass(frozen=True)
class Getter:
    """One getter of a task.

    Attributes:
        kind: Its type, such as "vm_file".
        fetch: What gives its value.
        names: The cached files that it needs.
    """

    kind: str
    fetch: Fetch
    names: tuple[str, ...] = ()


def read_getter(fields: Any) -> Getter:
    """A getter from a task's `result` or `expected`.

    Raises:
        UnsupportedError: It is malformed or of a kind that is not played here.
    """
    kind = fields.get("type") if isinstance(fields, Mapping) else None
    if not isinstance(kind, str) or kind not in GETTERS:
        why = REFUSED_GETTERS.get(str(kind), "is not played here")
        raise UnsupportedError(f"the getter {kind} {why}")
    try:
        return GETTERS[kind](fields)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise UnsupportedError(f"the getter {kind} is malformed: {type(error).__name__}: {error}") from error


def _rule(fields: Fields) -> Getter:
    rules = fields["rules"]
    return Getter("rule", lambda machine, cache: rules)


def _several(fields: Fields, key: str) -> tuple[list[str], Callable[[list[Any]], Any]]:
    """The values of a key, one or several with `multi`, and what picks those that a metric is given."""
    values = [text_of(each) for each in (fields[key] if fields.get("multi", False) else [fields[key]])]
    given = sorted(set(fields.get("gives", [0])))
    if not all(isinstance(each, int) and 0 <= each < len(values) for each in given):
        raise ValueError(f"gives names files that are not there: {given}")

    def pick(found: list[Any]) -> Any:
        picked = [found[each] for each in given]
        return picked[0] if len(picked) == 1 else picked

    return values, pick


def _vm_file(fields: Fields) -> Getter:
    if fields.get("time_suffix"):
        raise UnsupportedError("a vm_file is named by the time of day")
    paths, pick = _several(fields, "path")
    return Getter("vm_file", lambda machine, cache: pick([machine.read_file(path) for path in paths]))


def _cloud_file(fields: Fields) -> Getter:
    names, pick = _several(fields, "dest")
    return Getter("cloud_file", lambda machine, cache: pick([cache.files[name] for name in names]), tuple(names))


def _cache_file(fields: Fields) -> Getter:
    name = text_of(fields["path"])
    return Getter("cache_file", lambda machine, cache: cache.files[name], (name,))


def _command(kind: str, part: int) -> Callable[[Fields], Getter]:
    def read(fields: Fields) -> Getter:
        argv = command_of(fields)
        return Getter(kind, lambda machine, cache: machine.run(argv)[part])

    return read


COMMANDS = ("vm_command_line", "vm_command_error")
"""The kinds that run a command."""


def _list_directory(fields: Fields) -> Getter:
    path = text_of(fields["path"])
    return Getter("list_directory", lambda machine, cache: tree_of(path, machine.names(path)))


def tree_of(path: str, names: Sequence[str]) -> dict[str, Any]:
    """A folder's tree as OSWorld gives it, from the paths below it; a folder ends with a slash."""
    root: dict[str, Any] = {"type": "directory", "name": path.rstrip("/").rpartition("/")[2], "children": []}
    for name in names:
        node = root
        parts = name.rstrip("/").split("/")
        for part in parts[:-1]:
            node = next(each for each in node["children"] if each["name"] == part)
        is_folder = name.endswith("/")
        leaf: dict[str, Any] = {"type": "directory" if is_folder else "file", "name": parts[-1]}
        node["children"].append({**leaf, "children": []} if is_folder else leaf)
    return root


def _content(fields: Fields) -> Getter:
    if (fields.get("file_type"), fields.get("file_content")) != ("xlsx", "last_row"):
        raise UnsupportedError("content_from_vm_file reads the last row of an xlsx file alone")
    path = text_of(fields["path"])

    def fetch(machine: Machine, cache: Cache) -> list[str] | None:
        content = machine.read_file(path)
        return None if content is None else _last_row(content)

    return Getter("content_from_vm_file", fetch)


def _last_row(content: bytes) -> list[str]:
    sheet = next(iter(workbooks.workbook(content, "book.xlsx").values()))
    places = [workbooks.cell_place(name) for name in sheet.values]
    if not places:
        return []
    row, width = max(each[0] for each in places), 1 + max(each[1] for each in places)
    cells = [sheet.values.get(workbooks.cell_name(row, column), "nan") for column in range(width)]
    return [f"{each:g}" if isinstance(each, float) else each for each in cells]


def _screen_size(fields: Fields) -> Getter:
    return Getter("vm_screen_size", lambda machine, cache: SCREEN)


def _cities(fields: Fields) -> Getter:
    path = text_of(fields["csv_path"])

    def fetch(machine: Machine, cache: Cache) -> list[str]:
        content = machine.read_file(path)
        if content is None:
            raise UnreadableFileError(f"{path} is missing")
        return [row[2] for row in list(csv.reader(io.StringIO(content.decode(errors="replace"))))[1:] if len(row) > 2]

    return Getter("conference_city_in_order", fetch)


GETTERS: Mapping[str, Callable[[Fields], Getter]] = {
    "rule": _rule,
    "vm_file": _vm_file,
    "cloud_file": _cloud_file,
    "cache_file": _cache_file,
    "vm_command_line": _command("vm_command_line", 0),
    "vm_command_error": _command("vm_command_error", 1),
    "list_directory": _list_directory,
    "content_from_vm_file": _content,
    "vm_screen_size": _screen_size,
    "conference_city_in_order": _cities,
}
"""The kinds of getters that are played."""
_OF_CHROME = (
    *("active_tab_info", "active_url_from_accessTree", "active_tab_html_parse", "active_tab_url_parse"),
    *("bookmarks", "chrome_font_size", "chrome_language", "cookie_data", "data_delete_automacally"),
    *("default_search_engine", "enable_do_not_track", "enable_enhanced_safety_browsing", "history"),
    *("enable_safe_browsing", "enabled_experiments", "find_installed_extension_name", "profile_name"),
    *("find_unpacked_extension_path", "gotoRecreationPage_and_get_html_content", "new_startup_page"),
    *("number_of_search_results", "open_tabs_info", "page_info", "pdf_from_url", "shortcuts_on_desktop"),
    *("url_dashPart", "url_path_parse", "macys_product_url_parse"),
)
REFUSED_GETTERS: Mapping[str, str] = {
    "accessibility_tree": "needs OSWorld's XML of the tree, which names other elements than this desktop's",
    "vm_terminal_output": "reads the screen of GNOME's terminal",
    "vm_window_size": "needs the names of windows of OSWorld's machine",
    "vm_wallpaper": "needs a desktop with a wallpaper",
    "vlc_playing_info": "needs VLC, which is not on the desktop",
    "vlc_config": "needs VLC, which is not on the desktop",
    "default_video_player": "needs a video player, which is not on the desktop",
    "gimp_config_file": "needs GIMP, which is not on the desktop",
    "vscode_config": "needs VS Code, which is not on the desktop",
    "rule_relativeTime": "expects the date of the day, and this desktop's clock stands still",
    "time_diff_range": "expects the date of the day, and this desktop's clock stands still",
    "googledrive_file": "needs an account on the web",
    "info_from_website": "needs a network",
    "replay": "acts in the agent's place",
    **dict.fromkeys(_OF_CHROME, "needs Chrome with a network"),
    "audio_in_slide": "takes sound out of a presentation",
    "background_image_in_slide": "takes a picture out of a presentation",
}
"""The kinds of getters that are not, each with the reason."""
