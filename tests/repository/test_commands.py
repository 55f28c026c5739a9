"""Every documented command runs, the long ones cut short, or is listed here with the reason why it cannot.

The blocks of tutorials run as whole pages in `test_documents`. Commands that load a model run in a warm process.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository.documented import DOCUMENTED, ROOT, Documented, is_run_with_its_page, words
from tests.repository.reader import Reader, served_page
from tests.warm.python import WarmPython

CONFIGS = "trainers/agentgym_rl/configs"
LOOKUP = f"{CONFIGS}/lookup.toml"
TINY = (
    "run.iterations=1 validation.every=1 validation.tasks=2 validation.test_tasks=2 "
    "warm_start.demonstrations=8 warm_start.epochs=1 group.tasks=2 group.size=2 rollout.sampling.max_tokens=4"
)
"""Overrides that leave the least of a training run."""
CLONED = TINY.replace("run.iterations=1", "run.iterations=0")
"""The same, without an iteration of reinforcement learning."""
FEWEST = CLONED.replace("tasks=2", "tasks=1").replace("demonstrations=8", "demonstrations=2")
"""The same, where an episode or a model is slow."""
SEED = "--seed 1"
SMALLER = (
    f"agentgym train {CONFIGS}/gui_desktop_hf.toml --run runs/mine model.path=/models/my-checkpoint "
    "run.env_options.scale=0.5 rollout.max_concurrent=4 rollout.history=last:1 "
    "packing.row_length=4096 packing.micro_batch_tokens=4096"
)

SHORT = {
    # Forms, with something in the place of what the reader fills in.
    "agentgym COMMAND --help": "agentgym eval --help",
    "agentgym attribute RUN --method NAME": "agentgym attribute runs/made --method potential",
    "agentgym report FOLDER": "agentgym report runs/made",
    "agentgym report RUN --label A B": "agentgym report runs/made --label potential",
    "agentgym train CONFIG": f"agentgym train {LOOKUP} --describe",
    "agentgym train CONFIG --describe": f"agentgym train {LOOKUP} --describe",
    "agentgym train --describe": f"agentgym train {LOOKUP} --describe",
    "agentgym train --help-config KEY": "agentgym train --help-config run.seed",
    f"agentgym train {CONFIGS}/NAME.toml": f"agentgym train {CONFIGS}/guess_number_bands.toml --describe",
    "agentgym train $CONFIG --dry-run": f"agentgym train {LOOKUP} --describe",
    # Overrides of a configuration that needs a checkpoint and a GPU: they are read, and nothing runs.
    SMALLER: f"{SMALLER} --describe",
    "agentgym play ENV": f"agentgym play agentgym/Lookup-v0 {SEED}",
    "agentgym play ID --seed N --policy demo": "agentgym play agentgym/GuessNumber-v0 --seed 2 --policy demo",
    "agentgym serve ID": "agentgym serve agentgym/Lookup-v0 --port 0",
    "agentgym serve ID --uds PATH": "agentgym serve agentgym/Lookup-v0 --uds lookup.socket",
    "agentgym swe prepare toolz semver": "agentgym swe prepare toolz",
    "agentgym eval --suite gui/desktop --policy oracle --limit 5": (
        "agentgym eval --suite gui/desktop --policy oracle --limit 1"
    ),
    "agentgym gui osworld TASKS --cache CACHE": "agentgym gui osworld made/tasks --cache made/cache",
    "python -m agentgym_gui.osworld.examples FOLDER": "python -m agentgym_gui.osworld.examples written-tasks",
    "python -m scripts.check_suites SUITE": "python -m scripts.check_suites dialogue/guess-number",
    # Whole test splits, of which a few tasks are played.
    "agentgym eval --suite tools/desk-shop --policy demo": (
        "agentgym eval --suite tools/desk-shop --policy demo --limit 2"
    ),
    "agentgym eval --suite tools/desk-shop --policy oracle --partner user=scripted:demo": (
        "agentgym eval --suite tools/desk-shop --policy oracle --partner user=scripted:demo --limit 2"
    ),
    "agentgym eval --suite dialogue/taboo --policy demo --partner describer=scripted:oracle": (
        "agentgym eval --suite dialogue/taboo --policy demo --partner describer=scripted:oracle --limit 2"
    ),
    "agentgym eval --suite tools/apps --policy oracle --env-option mode=python": (
        "agentgym eval --suite tools/apps --policy oracle --env-option mode=python --limit 2"
    ),
    "agentgym eval --suite agentgym/McpTools-v0 --policy oracle --env-option finds_tools=true --limit 10": (
        "agentgym eval --suite agentgym/McpTools-v0 --policy oracle --env-option finds_tools=true --limit 2"
    ),
    # Addresses and ports that are free here.
    "agentgym serve agentgym/Wordle-v0": "agentgym serve agentgym/Wordle-v0 --port 0",
    "agentgym serve agentgym/Wordle-v0 --uds /run/wordle": "agentgym serve agentgym/Wordle-v0 --uds wordle.socket",
    "agentgym web serve shop --port 8000": "agentgym web serve shop --port 0",
    "agentgym web record https://example.org/ --out site.warc.gz --pages 50": (
        "agentgym web record SITE --out site.warc.gz --pages 2"
    ),
    "agentgym web record http://127.0.0.1:8000/ --out shop.warc.gz --pages 5": (
        "agentgym web record SITE --out shop.warc.gz --pages 2"
    ),
    "agentgym web replay site.warc.gz https://example.org/": "agentgym web replay site.warc.gz SITE",
    "agentgym web serve shop --user NAME": "agentgym web serve shop --port 0 --user adele.castellan",
    # Training runs; those on pages and desktops are cut short in tests/trainers/rl/run/configs.
    f"agentgym train {CONFIGS}/guess_number.toml --run runs/cloned run.iterations=0": (
        f"agentgym train {CONFIGS}/guess_number.toml --run runs/cloned {CLONED} warm_start.has_control=false"
    ),
    f"agentgym train {CONFIGS}/taboo.toml": f"agentgym train {CONFIGS}/taboo.toml {TINY}",
    f"agentgym train {CONFIGS}/negotiation.toml": f"agentgym train {CONFIGS}/negotiation.toml {CLONED}",
    f"agentgym train {CONFIGS}/web_miniwob.toml --run runs/miniwob": (
        f"agentgym train {CONFIGS}/web_miniwob.toml --describe"
    ),
    f"agentgym train {CONFIGS}/web_shop.toml --run runs/shop": (f"agentgym train {CONFIGS}/web_shop.toml --describe"),
    f"agentgym train {CONFIGS}/gui_desktop.toml --run runs/desktop": (
        f"agentgym train {CONFIGS}/gui_desktop.toml --describe"
    ),
    f"agentgym train {CONFIGS}/tools_sql.toml --run runs/sql": (
        f"agentgym train {CONFIGS}/tools_sql.toml --run runs/sql {FEWEST}"
    ),
    f"agentgym train {CONFIGS}/patch_line.toml --run runs/patch-line": (
        f"agentgym train {CONFIGS}/patch_line.toml --run runs/patch-line {FEWEST} run.threads=1"
    ),
    f"agentgym train {CONFIGS}/experiment_menu.toml --run runs/menu": (
        f"agentgym train {CONFIGS}/experiment_menu.toml --run runs/menu {FEWEST}"
    ),
    f"agentgym train {CONFIGS}/tools_shop.toml --run runs/desk": (
        f"agentgym train {CONFIGS}/tools_shop.toml --run runs/desk {FEWEST}"
    ),
    f"agentgym train {CONFIGS}/tools_telecom.toml --run runs/telecom": (
        f"agentgym train {CONFIGS}/tools_telecom.toml --run runs/telecom {FEWEST}"
    ),
    f"agentgym train {CONFIGS}/tools_search.toml --run runs/search": (
        f"agentgym train {CONFIGS}/tools_search.toml --run runs/search {FEWEST}"
    ),
    "agentgym eval --suite swe/patch-line --policy demo --env-option places=none": (
        "agentgym eval --suite swe/patch-line --policy demo --env-option places=none --limit 2"
    ),
    f"agentgym train {CONFIGS}/chess_endgames.toml": f"agentgym train {CONFIGS}/chess_endgames.toml {CLONED}",
    # Files that would be written into the checkout.
    "python -m agentgym_rl.run.reference": "python -m agentgym_rl.run.reference written.md",
    "python -m agentgym_dialogue.guessing.guess_number.generate": (
        "python -m agentgym_dialogue.guessing.guess_number.generate dialogue/guess-number written"
    ),
}
"""What is run in place of a documented command."""

ENDPOINT = "asks a model behind an address; tests/policies/test_endpoint.py does with a server of its own"
FRAGMENT = "names an option, a variant or a form of a command, and is no whole one"
IMAGES = "changes images that other work on this machine uses; tests/cli/test_images.py does with images of its own"
MEASURES = "measures for minutes to days, some beside packages of its own; tests/benchmarks runs its parts"
INSTALLS = "installs, or runs the tests themselves; continuous integration runs it"
OWN_FILES = "plays files of the reader's own; "
NOT_RUN = {
    **dict.fromkeys(
        (
            "agentgym eval --suite agentgym/WebTrace-v0 --policy endpoint:http://localhost:8000/v1#model "
            "--env-option traces=train.json",
            "agentgym eval --suite agentgym/WebArena-v0 --policy endpoint:http://localhost:8000/v1#model --limit 100 "
            """--env-option tasks=test.json 'sites={"__SHOPPING__": "http://localhost:7770"}' """
            """'logins={"__SHOPPING__": "shopping.json"}' """
            "judge=endpoint:http://localhost:8000/v1#model leave_out=true",
            "agentgym eval --suite gui/traces --policy endpoint:http://localhost:8000/v1#model",
            "agentgym eval --suite agentgym/Grounding-v0 --policy endpoint:http://localhost:8000/v1#model "
            "--env-option targets=screenspot_desktop_v2.json images=screenspotv2_image answers=text",
            "agentgym eval --suite agentgym/GuiTrace-v0 --policy endpoint:http://localhost:8000/v1#model "
            "--env-option traces=android_control.jsonl images=screenshots",
            "agentgym eval --suite bfcl/multi_turn --policy endpoint:URL#MODEL "
            "--env-option interpreter=PATH/bin/python",
            "agentgym eval --suite dialogue/guess-number "
            "--policy endpoint:http://127.0.0.1:8000/v1#my-model --limit 20",
            "agentgym eval --suite tools/desk-shop --policy torch:PATH "
            "--partner 'user=endpoint:http://127.0.0.1:8000/v1#my-model?temperature=0&cache=customers.jsonl'",
            "agentgym eval --suite tools/desk-bank --policy endpoint:URL#MODEL",
            "agentgym eval --suite tools/desk-bank-words --policy endpoint:URL#MODEL",
            "agentgym eval --suite tools/desk-shop-harder --policy endpoint:URL#MODEL",
            "agentgym eval --suite tools/desk-shop-words --policy endpoint:URL#MODEL",
            "agentgym eval --suite tools/mcp --policy endpoint:URL#MODEL",
            "agentgym eval --suite tools/search-proposer --policy endpoint:URL#MODEL "
            "--partner reader=endpoint:URL#MODEL",
            "agentgym eval --suite tools/workbench --policy endpoint:URL#MODEL",
        ),
        ENDPOINT,
    ),
    **dict.fromkeys(
        (
            "agentgym eval --suite swe/repair --policy endpoint:URL#MODEL --attempts 4 --run runs/repairs",
            "agentgym eval --suite swe/repair --policy endpoint:URL#MODEL --attempts 4 --env-option use=blocks",
            "agentgym export runs/repairs --form predictions --to predictions.jsonl",
        ),
        "asks a model behind an address; tests/environments/repair/test_endpoint.py has a server of its own",
    ),
    **dict.fromkeys(
        (
            "agentgym swe rows swebench verified.jsonl",
            "agentgym play swebench/jsonl --seed 0 --policy oracle --env-option path=verified.jsonl",
            "agentgym eval --suite swebench/jsonl --policy endpoint:URL#MODEL --attempts 4 --run runs/verified "
            "--env-option path=verified.jsonl",
            "agentgym export runs/verified --form predictions --to predictions.jsonl",
            "agentgym export RUN --form predictions --to FILE",
        ),
        f"{OWN_FILES}tests/environments/foreign/test_rows.py and test_containers.py have such of ours",
    ),
    **dict.fromkeys(
        (
            "agentgym check --family",
            "agentgym eval --partner second=torch:RUN/models/cloned",
            "agentgym eval --policy torch:PATH",
            "agentgym eval --suite",
            "agentgym play --record",
            "agentgym gui render",
            "agentgym swe rows",
            "agentgym web record",
            "agentgym web serve",
            "python -m agentgym_dialogue.<room>.<game>.generate",
            "python -m benchmarks.NAME [--quick] [--json] [--out FILE]",
            "python -m treasure_hunt.generate [SUITE [FOLDER]]",
        ),
        FRAGMENT,
    ),
    **dict.fromkeys(
        (
            "agentgym images build",
            "agentgym images build desktop",
            "agentgym images build desktop-bus",
            "agentgym images build desktop-office",
            "agentgym images build experiment",
            "agentgym images build mcp",
            "agentgym images build python",
            "agentgym images build swe",
            "agentgym images build terminal",
            "agentgym images build tuning",
            "agentgym images check",
            "agentgym images prune",
        ),
        IMAGES,
    ),
    **dict.fromkeys(
        ("make install", "make check", "make docs", "make system", "make test", "make test PYTEST_ARGS=tests/cli"),
        INSTALLS,
    ),
    "make demo": "trains for minutes; tests/repository/test_setup.py reads its commands, and README's run is the same",
    "agentgym play agentgym/McpTools-v0 --policy oracle --env-option sandbox=bubblewrap "
    """'relaxed=["memory_mib", "cpus"]' interpreter=/opt/mcp-servers/bin/python""": (
        "needs an interpreter with real MCP servers; tests/environments/tools/mcp/test_containers.py has them"
    ),
    "agentgym play agentgym/McpTools-v0 --env-option servers=servers.toml tasks=tasks.jsonl": (
        f"{OWN_FILES}tests/environments/tools/mcp/test_own_servers.py plays such"
    ),
    "agentgym eval --suite dialogue/guess-number --policy python:halving.py:Halving --limit 50": (
        f"{OWN_FILES}tests/policies/test_by_name.py loads such"
    ),
    **dict.fromkeys(
        (
            "agentgym swe judge predictions.jsonl",
            "agentgym swe judge predictions.jsonl --out verdicts.jsonl",
            "agentgym swe judge predictions.jsonl --tasks made",
        ),
        f"{OWN_FILES}tests/environments/repair/test_judging.py judges such",
    ),
    "agentgym play bfcl/multi_turn_base --seed 3 --env-option interpreter=PATH/bin/python": (
        "needs an interpreter with BFCL; tests/environments/tools/adapters/test_bfcl.py plays in one where it is"
    ),
    "agentgym check bfcl/multi_turn_base --env-option interpreter=PATH/bin/python": (
        "needs an interpreter with BFCL; tests/environments/tools/adapters/test_needs.py names one of the same shape"
    ),
    "agentgym play agentgym/WebArchive-v0 --env-option archive=site.warc.gz questions=q.jsonl": (
        f"{OWN_FILES}tests/environments/web/archive/test_papers.py plays such"
    ),
    **dict.fromkeys(
        (
            "agentgym check table-booking/TableBooking-v0",
            "agentgym play table-booking/TableBooking-v0 --window",
            "agentgym eval --suite table-booking/basic --policy oracle",
        ),
        "needs the package that the page writes; tests/scaffold/test_package.py tests such a one",
    ),
    "agentgym play agentgym/Shop-v0 --window --record runs/mine": (
        "needs a display; tests/cli/test_play.py plays in a window of its own"
    ),
    f"agentgym train {CONFIGS}/web_hf.toml --run runs/mine model.path=/models/my-checkpoint": (
        "needs a large checkpoint and a GPU; tests/trainers/rl/run/configs/test_web_configs.py reads it"
    ),
    f"agentgym train {CONFIGS}/gui_desktop_hf.toml --run runs/mine model.path=/models/my-checkpoint": (
        "needs a large checkpoint and a GPU; tests/trainers/rl/run/configs/test_gui_configs.py cuts it short"
    ),
    f"agentgym train {CONFIGS}/grounding_hf.toml --run runs/mine model.path=/models/my-checkpoint": (
        "needs a large checkpoint and a GPU; tests/trainers/rl/run/configs/test_gui_configs.py cuts it short"
    ),
    f"agentgym train {CONFIGS}/tools_hf.toml --run runs/mine model.path=/models/my-checkpoint": (
        "needs a checkpoint and a GPU; tests/trainers/rl/run/configs/test_tools_configs.py reads it"
    ),
    "agentgym train repair.toml --run runs/repair model.path=/models/my-checkpoint": (
        "needs a checkpoint and a GPU; tests/repository/test_documents.py reads the configuration"
    ),
    "agentgym check agentgym/MiniWoB-v0": (
        "plays all pages for minutes; tests/environments/web/miniwob/test_opening.py checks a few"
    ),
    **dict.fromkeys(
        (
            "agentgym swe prepare",
            "agentgym swe make",
            "agentgym swe make toolz",
            "agentgym swe make --out tasks/swe/repair",
            "agentgym swe make --out tasks/swe/repair --yields docs/environments/repair-tasks.md",
            "agentgym swe hunt",
            "agentgym swe hunt --out tasks/swe/repair",
            "agentgym swe hunt --out made",
            "agentgym swe reword",
            "agentgym swe reword --out tasks/swe/repair",
            "agentgym check agentgym/Repair-v0",
            "agentgym check agentgym/Repair-v0 --env-option tasks=made/train.jsonl",
            "agentgym swe make inflection --out made",
            "agentgym play agentgym/Repair-v0 --policy oracle --env-option tasks=made/train.jsonl",
            "agentgym eval --suite agentgym/Repair-v0 --policy oracle --limit 2 --env-option tasks=made/test.jsonl",
        ),
        "runs the tests of packages for minutes to hours; tests/environments/repairs does with one or two",
    ),
    **dict.fromkeys(
        (
            "python -m agentgym_gui.traces.converting runs/recording traces.jsonl",
            "python -m agentgym_gui.traces.converting runs/web traces.jsonl web",
        ),
        f"{OWN_FILES}tests/environments/gui/traces/test_gui_traces.py converts such",
    ),
    **dict.fromkeys(
        (
            "agentgym play osworld/json --seed 0 --env-option tasks=TASKS cache=CACHE",
            "agentgym eval --suite osworld/json --policy endpoint:URL#MODEL --env-option tasks=TASKS "
            "actions=computer_13",
        ),
        f"{OWN_FILES}tests/environments/gui/desktop/test_osworld.py plays such",
    ),
    **dict.fromkeys(
        (
            "agentgym gui render FOLDER --screens 2000",
            "agentgym gui render screens --screens 240 --app galculator mousepad --state start --places 40 "
            "--fixed-look",
            "agentgym gui render others --screens 20 --app galculator mousepad --state start --places 40 --fixed-look "
            "--seed 1",
        ),
        "renders for minutes; tests/environments/gui/grounding/test_live.py renders a few screens",
    ),
    **dict.fromkeys(
        (
            f"agentgym train {CONFIGS}/grounding_pixels.toml --run runs/grounding",
            "agentgym eval --suite agentgym/Grounding-v0 --policy torch:runs/grounding/models/trained "
            "--env-option targets=others/targets.json scale=0.125",
        ),
        "needs rendered screens; tests/trainers/rl/pixels/test_pixel_job.py has screens of its own",
    ),
    "python -m benchmarks.grounding --seeds 0,1,2,3,4 --parts screens/parts "
    "--picture docs/images/grounding-pixels.svg": MEASURES,
    "python -m agentgym_gui.traces.played gui/desktop-traces": (
        "plays oracles for half an hour; tests/environments/gui/desktop/test_desktop.py records one"
    ),
    **dict.fromkeys(
        ("python -m agentgym_swe.tuning.record", "python -m agentgym_swe.tuning.record LOAD --again"),
        "measures real servers for minutes; tests/environments/tuning/test_tuning_containers.py measures a few",
    ),
    "agentgym eval --suite swe/tuning --policy torch:RUN/models/trained --env-option mode=menu": (
        "needs a trained policy and real servers; tests/environments/tuning plays both"
    ),
    "python -m benchmarks.studies --study rewards --seeds 3": MEASURES,
    "python -m scripts.check_suites": "draws every suite anew; tests/environments/test_suites.py compares parts",
    "python -m tests.sandbox.test_escapes": "writes a table of docs/reliability.md; tests/sandbox/test_escapes.py",
    "python -m scripts.docs_pictures": "takes pictures anew, for minutes; tests/repository/test_site.py",
    "python -m scripts.docs_pictures applications on_demand desktop": "takes pictures; tests/environments/gui/desktop",
}
"""What is not run here, with the reason, and where a test does the like of it."""


def is_benchmark(text: str) -> bool:
    return re.fullmatch(r"python -m benchmarks\.[a-z_.]+( [a-z-]+)*", text) is not None


def is_generator(text: str) -> bool:
    """The command of a suite's README; tests/environments/test_suites.py runs the generator of every suite."""
    return re.fullmatch(r"python -m agentgym_\w+(\.\w+)+\.generate \w+/[\w-]+", text) is not None


def is_run_elsewhere(command: Documented) -> bool:
    """Whether `test_documents` runs it with its page, or a test below that is its own."""
    is_on_a_cluster = "--hosts ray" in command.text  # tests/rollout/test_ray_hosts.py has a cluster, and runs it there
    has_own_test = command.place == "console" or command.text.startswith("torchrun ")
    return is_on_a_cluster or has_own_test or is_run_with_its_page(command)


PAGES: dict[str, list[str]] = {}
for _command in DOCUMENTED:
    _text = _command.text
    if not (is_run_elsewhere(_command) or _text in NOT_RUN or is_benchmark(_text) or is_generator(_text)):
        PAGES.setdefault(_command.page, []).append(_text)


MAKERS = {
    " runs/made": (
        "agentgym record --suite dialogue/guess-number --policy demo --episodes 4 --run runs/made",
        "agentgym attribute runs/made --method potential",
    ),
    "made/tasks": ("python -m agentgym_gui.osworld.examples made",),
    "runs/taboo/": (SHORT[f"agentgym train {CONFIGS}/taboo.toml"],),
}
"""What makes the folders that commands read."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython) -> Iterator[Reader]:
    with served_page() as site:
        yield Reader(tmp_path_factory.mktemp("reader"), warm_python, site, MAKERS)


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page_run(page: str, reader: Reader) -> None:
    for text in PAGES[page]:
        reader.types(SHORT.get(text, text))


def test_the_torchrun_line_trains_with_two_processes(
    warm_python: WarmPython, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [line] = [command.text for command in DOCUMENTED if command.text.startswith("torchrun ")]
    config = f"{ROOT / CONFIGS / 'guess_number.toml'} {TINY} warm_start.has_control=false"
    line = line.replace("CONFIG", config).replace("FOLDER", "runs/two")
    warm_python.write_program(tmp_path / "agentgym", "-m", "agentgym.cli.main")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("PET_STANDALONE", "1")  # a free port in place of torchrun's own, which another run may hold
    ended = warm_python.run(["-m", "torch.distributed.run", *words(line)], cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-4000:]
    assert "--nproc-per-node 2" in line
    assert (tmp_path / "runs" / "two" / "report.html").is_file()
    assert (tmp_path / "runs" / "two" / "models" / "trained").is_dir()


def test_lists_name_documented_commands_alone_and_each_once() -> None:
    documented = {command.text for command in DOCUMENTED}
    assert set(SHORT) - documented == set()
    assert set(NOT_RUN) - documented == set()
    assert set(SHORT) & set(NOT_RUN) == set()


def test_reasons_name_tests_that_exist() -> None:
    named = {path for reason in NOT_RUN.values() for path in re.findall(r"tests/[\w/]+(?:\.py)?", reason)}
    assert len(named) >= 10
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_commands_are_found_in_all_kinds_of_places() -> None:
    assert {command.place for command in DOCUMENTED} == {"sh", "console", "block", "inline"}
    assert len(DOCUMENTED) > 300
    assert len({command.text for command in DOCUMENTED} - set(NOT_RUN)) > 150
