import json
from types import SimpleNamespace

import pytest

from agentgym.errors import UnknownNameError
from benchmarks import learning
from benchmarks.learning import FAMILIES, command, improvement, known_tasks, reported, settings_of

DIALOGUE = FAMILIES["dialogue"]


def part(task="maze", seed=0, gain=0.2, seconds=60.0, num_tasks=40):
    cloned = {f"t{number}": 0.1 * (number % 5) for number in range(num_tasks)}
    trained = {name: score + gain + 0.05 * (-1) ** int(name[1:]) for name, score in cloned.items()}
    return {
        "task": task,
        "suite": f"dialogue/{task}",
        "seed": seed,
        "digest": "d",
        "seconds": seconds,
        "load_1min_at_start": 1.0,
        "scores": {"cloned": cloned, "trained": trained},
    }


def test_improvement_is_paired_by_seed_and_task():
    found = improvement([part(seed=0, gain=0.2), part(seed=1, gain=0.1)])
    assert found["cloned"] == pytest.approx(0.2)
    assert found["trained"] == pytest.approx(0.35)
    assert found["improvement"]["mean"] == pytest.approx(0.15)
    assert found["intervals"]["trained"]["low"] < 0.35 < found["intervals"]["trained"]["high"]
    assert 0.1 < found["improvement"]["low"] < 0.15 < found["improvement"]["high"] < 0.2
    assert found["improvement_by_seed"] == {"0": pytest.approx(0.2), "1": pytest.approx(0.1)}


def test_goals_count_the_tasks_that_improved_and_the_slowest_run():
    good = [part(task, seed) for task in list(DIALOGUE.configs)[:5] for seed in range(3)]
    report = reported(DIALOGUE, good)
    assert [goal.is_met for goal in report.goals] == [True, True, True]
    worse = [part("maze", seed, gain=-0.2) for seed in range(3)]
    assert reported(DIALOGUE, [*good[3:], *worse]).goals[0].value == 4
    assert not reported(DIALOGUE, [*good, part("car-dealer", 0, seconds=700)]).goals[2].is_met
    assert not reported(DIALOGUE, [*good, part("car-dealer", 0)]).goals[1].is_met


def test_a_run_on_a_busy_machine_counts_its_processor_time():
    busy = {**part("maze", seconds=1500), "cpu_seconds": 540.0}
    report = reported(DIALOGUE, [busy])
    assert report.goals[2].value == pytest.approx(9)
    assert report.figures["maze"]["processor_minutes"] == [9]


def test_every_family_has_configurations():
    assert all(known_tasks(family) for family in FAMILIES.values())
    assert known_tasks(FAMILIES["web"]) == ["miniwob", "shop"]


def test_only_tasks_with_a_configuration_can_be_run():
    without = [task for task in DIALOGUE.configs if task not in known_tasks(DIALOGUE)]
    with pytest.raises(UnknownNameError):
        command(["--family", "dialogue", "--tasks", (without or ["draughts"])[0]])


@pytest.mark.slow
def test_a_part_is_kept_and_not_run_again(monkeypatch, tmp_path, capsys):
    arguments = (DIALOGUE, DIALOGUE.quick_task, 0, tmp_path, learning.QUICK)
    first = learning.run_part(*arguments)
    assert set(first["scores"]["cloned"]) == set(first["scores"]["trained"]) != set()
    monkeypatch.delattr(learning, "train")
    assert learning.run_part(*arguments) == first
    assert learning.kept_parts(DIALOGUE, tmp_path) == []  # the quick settings are not those of the file


def test_a_run_that_was_stopped_goes_on_and_counts_what_it_spent(monkeypatch, tmp_path):
    arguments = (DIALOGUE, DIALOGUE.quick_task, 0, tmp_path)
    asked = []

    def stopped_once(config, folder, *, resume):
        asked.append(resume)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text("{}")
        sum(range(3_000_000))
        if not resume:
            raise KeyboardInterrupt
        one = {"id": "t0", "stratum": "all", "score": 1.0}
        return SimpleNamespace(held_out={stage: {"headline": "all", "tasks": [one]} for stage in learning.STAGES})

    monkeypatch.setattr(learning, "train", stopped_once)
    with pytest.raises(KeyboardInterrupt):
        learning.run_part(*arguments)
    (run,) = tmp_path.iterdir()
    (run / learning.SPENT).write_text(json.dumps({"seconds": 100.0, "cpu_seconds": 40.0}))
    found = learning.run_part(*arguments)
    assert asked == [False, True]
    assert found["seconds"] >= 100
    assert found["cpu_seconds"] >= 40
    assert [path.name for path in tmp_path.iterdir()] == [f"{DIALOGUE.quick_task}-0.json"]


def test_a_report_keeps_the_former_figures_of_tasks_that_were_not_run(tmp_path, capsys):
    out = tmp_path / "out.json"
    configs = list(known_tasks(DIALOGUE))
    here, kept, changed = configs[:3]
    figures = {task: improvement([{**part(task), "digest": settings_of(DIALOGUE, task, 0)[1]}]) for task in configs[:3]}
    figures[changed]["digest"] = "of another configuration"
    out.write_text(json.dumps({"figures": figures}))
    today = {**part(here, gain=0.4), "digest": settings_of(DIALOGUE, here, 0)[1]}
    (tmp_path / f"{here}-0.json").write_text(json.dumps(today))
    command(["--family", "dialogue", "--tasks", "", "--parts", str(tmp_path), "--out", str(out), "--json"])
    found = json.loads(out.read_text())["figures"]
    assert list(found) == [here, kept]
    assert found[here]["improvement"]["mean"] == pytest.approx(0.4)
    assert found[kept] == figures[kept]


def test_the_report_is_on_the_parts_of_todays_configurations(tmp_path, capsys):
    task = DIALOGUE.quick_task
    today = {**part(task), "digest": learning.settings_of(DIALOGUE, task, 0)[1]}
    for each in (today, part(task, seed=1)):
        (tmp_path / f"{task}-{each['seed']}.json").write_text(json.dumps(each))
    assert command(["--family", "dialogue", "--tasks", "", "--parts", str(tmp_path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["figures"]
    assert list(found) == [task]
    assert list(found[task]["improvement_by_seed"]) == ["0"]
