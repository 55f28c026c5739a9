"""Generated pairs of a found and an expected file for each metric: equal, nearly equal, and different."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentgym_gui.templates.making import png_file, zip_file
from agentgym_gui.templates.words import FOODS, THINGS, TOPICS, sentences, some
from benchmarks.osworld_metrics import office

NUM_SEEDS = 4


@dataclass(frozen=True)
class File:
    """A file among the arguments of a metric."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Pair:
    """One call of a metric.

    Attributes:
        metric: Its name.
        arguments: Values, files, or None for a file that is missing.
        options: Further arguments by name.
    """

    metric: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def laid(self, folder: Path, number: int) -> dict[str, Any]:
        """The call for the peer, with its files written below a folder."""
        arguments = []
        for place, value in enumerate(self.arguments):
            if isinstance(value, File):
                target = folder / f"{number}-{place}-{value.name}"
                target.write_bytes(value.content)
                value = str(target)
            arguments.append(value)
        return {"metric": self.metric, "arguments": arguments, "options": dict(self.options)}

    def own(self) -> tuple[Any, ...]:
        """The arguments for ours: files as their bytes."""
        return tuple(each.content if isinstance(each, File) else each for each in self.arguments)


def all_pairs() -> list[Pair]:
    """Every pair, for the same seeds always."""
    return [
        pair
        for seed in range(NUM_SEEDS)
        for make in (*_MAKERS, *_OFFICE)
        for pair in make(random.Random(f"{make.__name__}{seed}"))
    ]


def _text(lines: list[str]) -> File:
    return File("text.txt", ("\n".join(lines) + "\n").encode())


def _changed(rng: random.Random, lines: list[str]) -> list[str]:
    """The lines, or nearly: one dropped, doubled or in capitals."""
    place = rng.randrange(len(lines))
    kinds = (lines, lines[:place] + lines[place + 1 :], [*lines, lines[place]], [line.upper() for line in lines])
    return list(rng.choice(kinds))


def _values(rng: random.Random) -> Iterator[Pair]:
    words = some(rng, THINGS, 4)
    said = " ".join(_changed(rng, words))
    yield Pair(
        "check_include_exclude", (said, {"include": words[:2], "exclude": [rng.choice(FOODS), words[3].upper()]})
    )
    yield Pair("exact_match", (rng.choice(words), {"expected": words[0]}))
    yield Pair("match_in_list", (rng.choice(words), {"expected": words[:2]}))
    yield Pair("is_in_list", (words[: rng.randrange(1, 4)], {"expected": words[1]}))
    yield Pair("fuzzy_match", (said, {"expected": " ".join(words)}))
    yield Pair("literal_match", (said.upper(), " ".join(words)), {"ignore_case": rng.random() < 0.7})
    yield Pair("literal_match", (_changed(rng, words), words), {"type": "list"})
    yield Pair("is_extension_installed", (said, {"type": rng.choice(("contain", "not_contain")), "expected": words[0]}))
    yield Pair("compare_answer", (said, {"expected": " ".join(words)}))
    yield Pair("is_in_vm_clickboard", ({"expected": rng.choice((words[:2], words[0]))}, said))
    yield Pair("check_gnome_favorite_apps", (str(_changed(rng, words)), {"expected": words}))
    yield Pair("check_text_enlarged", (str(rng.choice((0.9, 1.0, 1.25))),))
    offset = rng.choice(("(UTC, +0000)", "(CET, +0100)"))
    yield Pair("is_utc_0", (f"Local\nUniversal\nRTC\n   Time zone: Any {offset}\nmore",))
    children = [{"type": "file", "name": name} for name in _changed(rng, words)]
    yield Pair("check_moved_jpgs", ({"type": "directory", "name": "x", "children": children}, {"expected": words}))
    sizes = [{"width": rng.choice((640, 1280)), "height": 800} for _ in range(2)]
    yield Pair("is_vlc_fullscreen", tuple(sizes))
    record = {"a": words[0], "b": words[1:3]}
    found = {"a": rng.choice(words[:2]), "b": rng.sample(words[1:3], 2), "c": 1}
    yield Pair("check_direct_json_object", (json.dumps(found), {"expected": {"a": record["a"]}}))
    yield Pair("check_direct_json_object", (found, {"expected": record, "expect_in_result": True}))


def _texts(rng: random.Random) -> Iterator[Pair]:
    lines = sentences(rng, 5)
    found = _changed(rng, lines)
    result, expected = _text(found), _text(lines)
    yield Pair("compare_text_file", (result, expected), {"ignore_case": rng.random() < 0.5})
    spaced = File("spaced.txt", "  \t".join(lines).encode())
    yield Pair("compare_text_file", (spaced, File("b.txt", " ".join(lines).encode())), {"ignore_blanks": True})
    yield Pair("compare_config", (result, {"expected": expected.content.decode()}))
    yield Pair("diff_text_file", (result, expected))
    yield Pair("file_contains", (result, {"expected": [lines[0], lines[2][:9]]}))
    times = [f"12:{number}:0{number} {line}" for number, line in enumerate(found, 10)]
    yield Pair(
        "check_line_number",
        (_text([line.replace(":0", ":") if len(line) % 2 else line for line in times]), {"expected": "5"}),
    )
    yield Pair("compare_terminal_and_txt", (result, expected.content.decode()))
    program = ["#!/usr/bin/python3", "a = 1", "", "\tb = 2  ", *(f"# {line}" for line in found)]
    gold = ["a = 1", "    b = 2", *(f"# {line}" for line in lines)]
    yield Pair("compare_python_pure_text", (_text(program), _text(gold)))
    yield Pair(
        "check_list", (result, {"expect": [lines[1][:12], "^[A-Z]"], "unexpect": [rng.choice(("xyz", lines[3]))]})
    )


def _tables_of_text(rng: random.Random) -> Iterator[Pair]:
    rows = [f"{food},{rng.randrange(9)}" for food in some(rng, FOODS, 4)]
    found = _changed(rng, rows)
    result, expected = _text(["name,count", *found]), _text(["name,count", *rows])
    options = {"strict": rng.random() < 0.5, "ignore_case": rng.random() < 0.5}
    yield Pair("compare_csv", (result, expected), options)
    name, count = rows[0].split(",")
    yield Pair(
        "check_csv", (result, {"expect": [{"name": name, "count": count}], "unexpect": [{"name": rng.choice(FOODS)}]})
    )


def _json(rng: random.Random) -> Iterator[Pair]:
    settings = {"editor": {"size": rng.randrange(8, 14), "font": rng.choice(THINGS)}, "tabs": rng.random() < 0.5}
    content = File("settings.json", json.dumps(settings).encode())
    number = {"key": ["editor", "size"], "method": rng.choice(("eq", "lt", "ge", "approx:1")), "ref": 11}
    word = {"key": ["editor", "font"], "method": "re.I", "ref": "^[A-L]"}
    within = {"key": ["editor", "size"], "method": rng.choice(("range.te", "range.et")), "ref": [9, 12]}
    yield Pair("check_json", (content, {"expect": [number]}))
    yield Pair("check_json", (content, {"expect": [within], "unexpect": [word]}))
    yield Pair("check_json_settings", (content, {"expected": {"tabs": True}}))
    yield Pair("is_included_all_json_objects", (File("gold.json", b'{"tabs": true}'), content))
    keys = [{"key": "ctrl+j", "command": rng.choice(TOPICS)} for _ in range(3)]
    text = ("// keys\n" if rng.random() < 0.5 else "") + json.dumps(keys)
    wanted = rng.choice(({"key": "ctrl+j", "command": "none"}, keys[1]))
    yield Pair("check_json_keybindings", (File("keys.json", text.encode()), {"expected": wanted}))


def _settings_of_programs(rng: random.Random) -> Iterator[Pair]:
    level = rng.randrange(3)
    prefs = f'// top\nuser_pref("mail.level", {level});\nuser_pref("mail.name", "a \\"b\\"");\n'
    rules = {
        "expect": {"mail.level": {"method": "ge", "ref": 1}},
        "unexpect": {"mail.name": {"method": "eq", "ref": "x"}},
    }
    yield Pair("check_thunderbird_prefs", (File("prefs.js", prefs.encode()), rules))
    word = rng.choice(TOPICS[:3])
    condition = rng.choice((f"AND (subject,contains,{word})", "ALL"))
    filters = f'version="9"\nname="Sort"\nenabled="yes"\ntype="17"\naction="Move to folder"\nactionValue="mailbox://x"\ncondition="{condition}"\n'
    record = {"name": "Sort", "condition": [f"AND (subject,contains,{TOPICS[0]})"]}
    yield Pair(
        "check_thunderbird_filter",
        (File("rules.dat", filters.encode()), {"expect": [rng.choice((record, {"enabled": "yes"}))]}),
    )
    shade, hides = rng.choice(("Dark", "Light")), rng.choice(("yes", "no"))
    theme = f'# GIMP\n(theme "{shade}")\n(undo-levels {level})\n(hide-docks {hides})\n'
    yield Pair("check_config_status", (File("gimprc", theme.encode()), {"key": "theme", "value": '"Dark"'}))
    yield Pair("check_config_status", (File("gimprc", theme.encode()), {"key": "hide-docks", "value": "no"}))
    vlc = f"#qt-bgcone=1\n{rng.choice(('', 'qt-bgcone=0'))}\nqt-max-volume={rng.choice((125, 200))}\n"
    yield Pair("check_qt_bgcone", (File("vlcrc", vlc.encode()), {"expected_qt_bgcone": 0}))
    yield Pair("check_qt_max_volume", (File("vlcrc", vlc.encode()), {"expected_qt_max_volume": 200}))
    namespace = 'xmlns:oor="http://openoffice.org/2001/registry"'
    locale = rng.choice(("de-DE", "en-US", "ko-KR"))
    kind = rng.choice(("ooSetupSystemLocale", "ooLocale"))
    item = f'<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="{kind}"><value>{locale}</value></prop></item>'
    office_settings = f"<oor:items {namespace}>{item}</oor:items>"
    yield Pair(
        "check_libre_locale", (File("registry.xcu", office_settings.encode()), {"locale_set": ["de-*", "ko-KR"]})
    )


def _databases(rng: random.Random) -> Iterator[Pair]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE tags(name TEXT)")
    connection.executemany("INSERT INTO tags VALUES (?)", [(each,) for each in some(rng, THINGS, 3)])
    connection.commit()
    content = connection.serialize()
    connection.close()
    sql = f"SELECT count(*) > 0 FROM tags WHERE name IN ('{rng.choice(THINGS)}', '{rng.choice(THINGS)}')"
    yield Pair("run_sqlite3", (File("tags.sqlite", content), {"sql": sql}))


def _archives(rng: random.Random) -> Iterator[Pair]:
    members = {f"{name}.txt": name.encode() for name in some(rng, TOPICS, 3)}
    found = dict(_changed_items(rng, members))
    yield Pair("compare_zip_files", (File("a.zip", zip_file(found)), File("b.zip", zip_file(members))))


def _changed_items(rng: random.Random, members: dict[str, bytes]) -> list[tuple[str, bytes]]:
    items = list(members.items())
    return rng.choice((items, items[1:], [(items[0][0], b"other"), *items[1:]], items[::-1]))


def _pictures(rng: random.Random) -> Iterator[Pair]:
    seed = rng.randrange(1000)
    noise = rng.choice((0, 6, 60))
    first, second = office.picture(seed, 40, 32, 0), office.picture(seed, 40, 32, noise)
    yield Pair("compare_images", (File("a.png", first), File("b.png", second)))
    yield Pair("compare_images", (File("a.png", first), File("b.png", second)), {"reference_base_result": 0.5})
    yield Pair("compare_images", (File("a.png", first), File("b.png", office.picture(seed, 48, 36, 0))))
    yield Pair("check_structure_sim", (File("a.png", first), File("b.png", second)))
    yield Pair("check_file_exists_and_structure_sim", (File("a.png", first), File("b.png", second)))
    size = {"width": rng.choice((40, 41)), "height": 32}
    yield Pair("check_image_size", (File("a.png", first), size))
    yield Pair("check_image_size", (File("a.png", png_file(40, 32, (9, 9, 9))), {"height": 32}))


def _documents(rng: random.Random) -> Iterator[Pair]:
    lines = sentences(rng, 4)
    found = _changed(rng, lines)
    styled: dict[str, Any] = {
        "centred": rng.random() < 0.5,
        "font": rng.choice(("Arial", "Courier")),
        "spacing": rng.choice((1.0, 2.0)),
    }
    result = File("a.docx", office.document(found, breaks=rng.randrange(3), **styled))
    expected = File("b.docx", office.document(lines, spacing=2.0))
    pair = (result, expected)
    yield Pair("compare_docx_files", pair)
    yield Pair(
        "compare_docx_files", pair, {"ignore_blanks": False, "ignore_case": True, "fuzzy_match": rng.random() < 0.5}
    )
    yield Pair("compare_docx_files", pair, {"content_only": True, "ignore_order": True})
    yield Pair("compare_docx_files_and_ignore_new_lines", pair)
    yield Pair("compare_docx_lines", pair)
    yield Pair("compare_init_lines", pair)
    yield Pair("compare_line_spacing", pair)
    yield Pair("is_first_line_centered", (result,))
    yield Pair("compare_font_names", (result, {"font_name": "Arial"}))
    yield Pair("contains_page_break", (result, rng.choice(({}, {"page_break_count": 1}))))
    tables = [File("t.docx", office.document([], table=[lines[:2], each])) for each in (lines[2:], found[:2])]
    yield Pair("compare_docx_tables", tuple(tables))


def _workbooks(rng: random.Random) -> Iterator[Pair]:
    book = office.drawn_book(rng)
    near = office.nearly(rng, book)
    pair = (File("a.xlsx", near.content()), File("b.xlsx", book.content()))
    both = {"sheet_idx0": 0, "sheet_idx1": "EI0"}
    rules: tuple[dict[str, Any], ...] = (
        {"type": "sheet_name"},
        {"type": "sheet_data", **both},
        {"type": "sheet_data", "precision": 0, **both},
        {"type": "freeze", **both},
        {"type": "style", "props": ["font_bold", "number_format", "bgcolor", "font_name", "font_size"], **both},
        {"type": "chart", "chart_props": ["type", "title", "legend"], **both},
        {"type": "col_props", "props": ["width", "hidden"], **both},
        {"type": "row_props", "props": ["height"], **both},
        {"type": "filter", **both},
        {"type": "zoom", "sheet_idx": 0, "method": "gt", "ref": 100},
        {"type": "check_cell", "sheet_idx": 0, "coordinate": "B2", "props": {"value": {"method": "ge", "ref": 5}}},
        {
            "type": "check_cell",
            "sheet_idx": 0,
            "coordinate": "A1",
            "props": {"font_bold": {"method": "eq", "ref": True}},
        },
        {
            "type": "data_validation",
            "sheet_idx": 0,
            "dv_props": [
                {"type": {"method": "eq", "ref": "list"}, "formula1": {"method": "str_set_eq", "ref": ["a", "b"]}}
            ],
        },
        {
            "type": "sheet_fuzzy",
            **both,
            "rules": [
                {
                    "range": ["A1:B3"],
                    "type": rng.choice(("includes", "exact_match", "fuzzy_match")),
                    "ignore_case": True,
                }
            ],
        },
    )
    for rule in rules:
        yield Pair("compare_table", pair, {"rules": [rule]})


def _presentations(rng: random.Random) -> Iterator[Pair]:
    deck = office.drawn_deck(rng)
    for _ in range(4):
        near = office.nearly_deck(rng, deck)
        pair = (File("a.pptx", near.content()), File("b.pptx", deck.content()))
        left_out = rng.choice(("shape", "font_bold", "alignment", "note", "text"))
        options = {} if rng.random() < 0.6 else {f"examine_{left_out}": False}
        yield Pair("compare_pptx_files", pair, {**options, "enable_debug": False})
    yield Pair("check_slide_orientation_Portrait", (File("a.pptx", deck.content()),))


_MAKERS = (_values, _texts, _tables_of_text, _json, _settings_of_programs, _databases, _archives, _pictures)
_OFFICE = (_documents, _workbooks, _presentations)
