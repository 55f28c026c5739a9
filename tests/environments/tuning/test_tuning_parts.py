"""Options, scores, power cuts and tasks of Tuning-v0, without a server."""

from __future__ import annotations

import re
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym_swe.tuning import record, vocabulary
from agentgym_swe.tuning.drawing import HELD_OUT, TRAINED
from agentgym_swe.tuning.generate import RECORDED_SIZES, SIZES
from agentgym_swe.tuning.inside.crash import cut_power
from agentgym_swe.tuning.problem import read_task
from agentgym_swe.tuning.scoring import FLOOR, cost, median_shares, score
from agentgym_swe.tuning.servers.catalogue import LOADS, OPTIONS, start_config
from agentgym_swe.tuning.servers.option import RefusedValueError, Value, rendered
from agentgym_swe.tuning.surface import cell_of, load_surface
from agentgym_swe.tuning.telling import menu


def test_every_server_has_ten_options_and_takes_its_own_defaults_and_levels() -> None:
    for options in OPTIONS.values():
        assert len(options) >= 10
        for option in options.values():
            assert option.read(option.default) == option.default
            assert [option.read(value) for value in option.values] == list(option.values)
    for load in LOADS.values():
        start = start_config(load)
        assert all(start[name] in levels for name, levels in load.levels.items())


def test_the_documentation_lists_every_option_and_load() -> None:
    page = (Path(__file__).parents[3] / "docs/environments/tuning.md").read_text(encoding="utf-8")
    for options in OPTIONS.values():
        for option in options.values():
            assert f"| `{option.name}` | {option.range_text()} | {option.default} | {option.meaning} |" in page
    assert all(f"| `{name}` |" in page for name in LOADS)


@pytest.mark.parametrize(
    ("given", "value"), [("4MB", 4096), ("64 kb", 64), (2048, 2048), ("2048", 2048), (" 1M ", 1024)]
)
def test_sizes_are_read_in_kilobytes(given: Value, value: int) -> None:
    option = OPTIONS["postgres"]["work_mem"]
    assert option.read(given) == value
    assert rendered(OPTIONS["postgres"], {"work_mem": value}) == {"work_mem": f"{value}kB"}


@pytest.mark.parametrize("given", ["1e3", "0x10", "4 GB", "", "-1", "64kB; x", "64\nfsync = off", "nan", "9" * 50, 1.5])
def test_sizes_of_another_form_are_refused(given: Value) -> None:
    with pytest.raises(RefusedValueError, match="work_mem takes a size in kB from 64 to 131072"):
        OPTIONS["postgres"]["work_mem"].read(given)


def test_switches_take_truth_values_in_the_words_of_their_server() -> None:
    assert OPTIONS["redis"]["appendonly"].read(True) == "yes"
    assert OPTIONS["postgres"]["fsync"].read(False) == "off"


def test_a_score_runs_from_a_floor_above_the_start_to_the_reference() -> None:
    assert [score(value, 0.5) for value in (1.2, 1.0, 1 - FLOOR / 2, 0.5, 0.4)] == [0, 0, 0, 1, 1]
    assert score(0.75, 0.5) == pytest.approx((0.5 - FLOOR) / (1 - FLOOR), abs=1e-6)


def test_a_cost_is_the_weighted_mean_of_median_shares() -> None:
    start = {"cpu": 99.0, "memory": 9.8}
    rounds = [(start, {"cpu": cpu, "memory": 4.8}) for cpu in (49.0, 39.0, 299.0)]
    found = median_shares(rounds)
    assert found == pytest.approx({"cpu": 0.5, "memory": 0.5})
    assert cost({"cpu": 0.5, "memory": 9.0}, {"cpu": 0.5, "memory": 0.5}) == pytest.approx(0.25 + 1.5)


def test_a_power_cut_undoes_what_was_not_synced_and_tears_pages(tmp_path: Path) -> None:
    journal, plain, table = tmp_path / "journal", tmp_path / "log", tmp_path / "base"
    journal.mkdir()
    plain.write_bytes(b"kept" + b"new!" + b"more")
    table.write_bytes(b"n" * 8192)
    pieces = [(str(plain), 4, b"", 4), (str(plain), 8, b"", 8)]
    (journal / "1").write_bytes(b"".join(journal_record(*piece) for piece in pieces))
    (journal / "2").write_bytes(journal_record(str(table), 0, b"o" * 8192, 8192))
    assert cut_power(journal, torn="base") == 3
    assert plain.read_bytes() == b"kept"
    assert table.read_bytes() == b"n" * 4096 + b"o" * 4096


def journal_record(path: str, offset: int, old: bytes, old_size: int) -> bytes:
    head = struct.pack("<QQQQII", offset, len(old) or 4, len(old), old_size, len(path), 0x57415443)
    return head + path.encode() + old


def test_numbers_count_as_their_nearest_level() -> None:
    load = LOADS["lookups"]
    near = {**start_config(load), "shared_buffers": 600, "bgwriter_delay": 9000}
    surface = load_surface("lookups")
    assert surface.at(near) == surface.cells[cell_of(load, {**near, "shared_buffers": 512, "bgwriter_delay": 10000})]


def test_suite_has_sixty_tasks_with_loads_held_out() -> None:
    suite = load_suite("swe/tuning")
    assert sum(sum(strata.values()) for strata in SIZES.values()) == 60
    servers = set()
    for split, strata in SIZES.items():
        tasks = suite.tasks(split)
        assert Counter(task.stratum for task in tasks) == Counter(strata)
        for task in tasks:
            problem = read_task(task)
            servers.add(problem.load.server)
            assert problem.load.name in (HELD_OUT if task.stratum == "unseen_loads" else TRAINED)
            assert problem.reference_cost <= 0.9
            assert problem.reference != problem.start
    assert servers == {"redis", "nginx", "postgres"}
    assert not {*HELD_OUT} & {*TRAINED}


def test_recorded_suite_has_each_load_with_its_weights_and_needs_once_and_nothing_of_the_live_one() -> None:
    live, suite = load_suite("swe/tuning"), load_suite("swe/tuning-recorded")
    seen = [_asked(task) for split in live.splits for task in live.tasks(split)]
    assert suite.env_options == {"source": "recorded", "mode": "menu"}
    for split, strata in RECORDED_SIZES.items():
        tasks = suite.tasks(split)
        assert Counter(task.stratum for task in tasks) == Counter(strata)
        for task in tasks:
            assert _asked(task) not in seen
            seen.append(_asked(task))
            assert (task.config["load"] in HELD_OUT) == (task.stratum == "unseen_loads")


def _asked(task: Task) -> dict[str, Any]:
    return dict(task.config)


def test_recording_explains_itself_and_refuses_unknown_loads_first(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        record.main(["--help"])
    assert ended.value.code == 0
    assert "one of sessions, cache, ledger" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(SystemExit) as ended:
        record.main(["sessions", "pagse"])
    assert ended.value.code == 2
    assert "unknown load 'pagse'; did you mean pages?" in capsys.readouterr().err


def test_vocabulary_has_the_words_of_the_recorded_suite_and_numbers_are_tokens() -> None:
    known = set(re.findall(r"[A-Za-z_]+", " ".join(vocabulary.texts())))
    assert vocabulary.NUMBERS is not None
    for task in load_suite("swe/tuning-recorded").tasks("test"):
        assert set(re.findall(r"[A-Za-z_]+", f"{task.instruction} {menu(read_task(task))}")) <= known
