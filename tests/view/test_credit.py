import re
import shutil

import numpy as np
import pytest

from agentgym.attribution import attribute_run, make_attributions
from agentgym.errors import UnknownNameError
from agentgym.store import RunStore
from agentgym.trajectory import Turn
from agentgym.view import write_report
from agentgym.view.credit import brief
from agentgym.view.heat import HeatRow, heat_class, ragged_map
from tests.attribution.records import record

METHODS = ("terminal", "potential", "episode_groups+anchors")


def episode(number, is_solved, num_turns=5):
    rewards = [0.0] * (num_turns - 1) + [float(is_solved)]
    progress = list(np.linspace(0, 1, num_turns + 1)[:num_turns])
    anchors = [f"s{at}" for at in range(num_turns)]
    found = record(f"e{number}", rewards, group=f"g{number // 4}", progress=progress, anchors=anchors)
    found.success, found.score, found.task_id = bool(is_solved), float(is_solved), f"task-{number // 4}"
    return found


@pytest.fixture
def folder(tmp_path):
    with RunStore.create(tmp_path / "run", {}) as store:
        for number in range(40):
            store.write_episode(episode(number, number % 4 == 0, 3 + number % 5), number // 8)
    return tmp_path / "run"


def attribute(folder, *methods, labels=(), **options):
    with RunStore.open(folder) as store:
        attribute_run(store, dict(zip(labels or methods, make_attributions(methods), strict=True)), **options)


def page_of(folder, *labels):
    return write_report(folder, labels=labels).read_text(encoding="utf-8")


def panels_of(page):
    """By label the drawing and what stands below it, in the order of the page."""
    found = re.findall(r'aria-label="Credit of turns by ([^"]+)"(.*?</svg>)<p class="scale">(.*?)</p>', page, re.DOTALL)
    return {label: (drawing, scale) for label, drawing, scale in found if label != "as recorded"}


def played(name, is_solved, **fields):
    found = record(name, [0.0, 0.0, float(is_solved)], group="", **fields)
    found.success, found.score = bool(is_solved), float(is_solved)
    return found


def test_methods_are_drawn_side_by_side_on_the_same_episodes(folder):
    attribute(folder, *METHODS)
    page = page_of(folder)
    assert "Who earned it" in page
    panels = re.findall(r'aria-label="Credit of turns by ([^"]+)"(.*?)</svg>', page, re.DOTALL)
    assert [name for name, _ in panels] == ["as recorded", *sorted(METHODS)]
    assert {drawn.count('class="mark good"') for _, drawn in panels} == {10}
    assert {drawn.count('class="mark bad"') for _, drawn in panels} == {18}


def test_the_map_of_a_method_shows_its_own_credit(folder):
    attribute(folder, "terminal", "uniform")
    page = page_of(folder)
    drawn = dict(re.findall(r'aria-label="Credit of turns by ([^"]+)"(.*?)</svg>', page, re.DOTALL))
    solved_turns = {name: len(re.findall(r'class="cell e\d"', found)) for name, found in drawn.items()}
    assert solved_turns["terminal"] == solved_turns["as recorded"] == 10
    assert solved_turns["uniform"] == sum(3 + number % 5 for number in range(0, 40, 4))


def test_two_attempts_at_one_task_are_told_turn_by_turn(folder):
    attribute(folder, "potential")
    table = page_of(folder).partition('<table class="turn-by-turn">')[2]
    first, _, second = table.partition('<table class="turn-by-turn">')
    assert ">solved<" in first
    assert ">not solved<" in second
    tasks = [re.search(r"task-\d+", part).group() for part in (first, second)]
    assert tasks[0] == tasks[1]


def test_transcripts_tell_the_credit_of_each_turn(folder):
    attribute(folder, "potential")
    transcript = page_of(folder).partition("<h2>Episodes</h2>")[2]
    assert re.search(r'chip heat [el]\d">potential [+-]\d\.\d\d', transcript)


def test_nothing_is_shown_where_rewards_come_at_the_end_and_no_method_was_asked(folder):
    assert "Who earned it" not in page_of(folder)


def test_step_rewards_are_shown_without_a_method(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(record("a", [0.5, -0.25, 1.0]))
    page = page_of(tmp_path)
    assert "Run agentgym attribute to compare other methods" in page
    assert page.count('class="cell e') == 2
    assert page.count('class="cell l') == 1


def test_labels_that_a_run_keeps_of_its_own_accord_are_explained(folder):
    with RunStore.open(folder) as store:
        attribute_run(store, {"critic": make_attributions(["uniform"])[0]})
    page = page_of(folder)
    assert "The label critic shows advantages" in page
    assert "The label in training" not in page


def test_an_episode_that_was_not_attributed_shows_no_credit(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(played("a", True), 1)
        store.write_episode(played("b", True), purpose="test")
    attribute(tmp_path, "uniform", purpose="train")
    transcripts = page_of(tmp_path).partition("<h2>Episodes</h2>")[2].split("<details")[1:]
    told = {re.search(r'class="reason">([^<,]+)', each).group(1): ">uniform " in each for each in transcripts}
    assert told == {"First iteration": True, "Held out": False}


def test_an_attributed_episode_without_credit_shows_zeros(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(played("a", False), 1)
        store.write_episode(played("b", True), 2)
    attribute(tmp_path, "uniform")
    page = page_of(tmp_path)
    assert page.count(">uniform 0<") == 3
    assert "not attributed" not in page


def test_labels_of_different_purposes_are_each_shown_on_their_own_episodes(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        for number in range(4):
            store.write_episode(played(f"a{number}", number % 2), 1)
            store.write_episode(played(f"b{number}", number % 2, policy="best"), purpose="test")
    attribute(tmp_path, "uniform", "terminal", purpose="train")
    attribute(tmp_path, "uniform", labels=["utest"], purpose="test")
    page = page_of(tmp_path)
    assert "no credit on any turn" not in page
    assert "not attributed" not in page
    assert [part.partition("<")[0] for part in page.split("<h3>")[1:]] == [
        "4 test episodes by best",
        "4 train episodes",
    ]
    first, second = page.partition("<h3>4 train episodes")[::2]
    assert list(panels_of(first)) == ["utest"]
    assert list(panels_of(second)) == ["uniform", "terminal"]


def test_episodes_that_a_method_beside_others_was_not_asked_about_are_gaps(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        for number in range(4):
            store.write_episode(played(f"a{number}", False, policy="weak"), 1)
        store.write_episode(played("b", True, policy="best"), 1)
    attribute(tmp_path, "uniform", labels=["of-weak"], policies=("weak",))
    attribute(tmp_path, "uniform", labels=["of-all"])
    page = page_of(tmp_path)
    panels = panels_of(page)
    assert panels["of-weak"][1] == "no credit on any turn; 1 of the 5 episodes not attributed"
    assert panels["of-weak"][0].count('class="mark') == panels["of-all"][0].count('class="mark') == 5
    assert page.count('<td title="not attributed"') == 3


def test_methods_that_were_asked_about_few_episodes_stand_beside_others_on_these(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        for number in range(200):
            store.write_episode(played(f"a{number}", number % 2, policy="few" if number in (3, 90) else "many"), 1)
    attribute(tmp_path, "uniform", labels=["few"], policies=("few",))
    attribute(tmp_path, "uniform", labels=["all"])
    panels = panels_of(page_of(tmp_path))
    assert list(panels) == ["all", "few"]
    assert panels["few"][1].endswith("26 of the 28 episodes not attributed")


def test_methods_that_say_nothing_give_way_to_others(folder):
    silent, repeating = ["a-silent"], ["b-repeating"]
    attribute(folder, "tool_use", labels=silent)
    attribute(folder, "terminal", labels=repeating)
    others = [f"z{number}" for number in range(7)]
    for label in others:
        attribute(folder, "uniform", labels=[label])
    page = page_of(folder)
    assert list(panels_of(page)) == others[::-1]
    assert "There is no room for b-repeating, a-silent. Choose labels with: agentgym report RUN --label LABEL" in page


def test_the_newest_methods_are_shown_where_there_is_no_room_for_all(folder):
    for number in range(9):
        attribute(folder, "uniform", labels=[f"z{number}"])
    page = page_of(folder)
    assert list(panels_of(page)) == [f"z{number}" for number in range(8, 1, -1)]
    assert "There is no room for z1, z0." in page


def test_labels_that_are_asked_for_are_shown_in_order(folder):
    for number in range(9):
        attribute(folder, "uniform", labels=[f"z{number}"])
    wanted = ["z1", "z0", *(f"z{number}" for number in range(2, 9))]
    page = page_of(folder, *wanted)
    assert list(panels_of(page)) == wanted
    assert "no room" not in page
    assert list(panels_of(page_of(folder, "z3"))) == ["z3"]
    with pytest.raises(UnknownNameError, match="unknown credit label 'zz'"):
        page_of(folder, "zz")


def test_a_method_whose_label_does_not_name_it_is_named(folder):
    attribute(folder, "uniform", labels=["mine"])
    assert '<b>mine</b><span class="quiet">rewards, conserving, uniform</span>' in page_of(folder)


def test_labels_whose_episodes_are_gone_are_named(folder):
    with RunStore.open(folder) as store:
        store.write_credit("old", {"method": "uniform", "yields": "rewards"}, {})
    attribute(folder, "uniform")
    page = page_of(folder)
    assert list(panels_of(page)) == ["uniform"]
    assert "The run holds none of the episodes that old gave credit to." in page


def test_labels_and_texts_of_a_hostile_run_are_escaped(tmp_path):
    evil = "<script>alert(1)</script>"
    hostile = record(evil, [0.5, 1.0], task_id=evil)
    hostile.turns[0].reply["content"] = evil
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(hostile)
        attribute_run(store, {evil: make_attributions(["uniform"])[0]})
    assert "<script" not in page_of(tmp_path)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1.0, "e8"), (-1.0, "l8"), (0.126, "e2"), (0.125, "e1"), (1e-9, "e1"), (0.0, ""), (float("nan"), "")],
)
def test_colours_grow_with_the_value(value, expected):
    assert heat_class(value, 1.0) == expected


def test_means_below_the_map_count_the_rows_that_reach_a_column():
    rows = [HeatRow(np.array([1.0, 1.0]), ["", ""], "good"), HeatRow(np.array([0.0]), [""], "bad")]
    drawn = ragged_map(rows, 2, 1.0, "x")
    assert "turn 1\nmean +0.5 of 2 episodes" in drawn
    assert "turn 2\nmean +1 of 1 episodes" in drawn


def scale_of(drawn):
    """The numbers at the left edge, by their height."""
    return {float(y): float(text) for y, text in re.findall(r'y="([-\d.]+)" dy="0.32em"[^>]*>([-\d.]+)</text>', drawn)}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.5, 1.0], {0, 1}),
        ([-1.55, 1.55], {0, -1}),
        ([0.02, -0.36], {0, -0.3}),
        ([0.0, 0.0], {0}),
    ],
)
def test_bars_of_means_have_a_scale(values, expected):
    assert set(scale_of(ragged_map([HeatRow(np.array(values), ["", ""], "good")], 2, 1.0, "x")).values()) == expected


def test_credit_that_is_no_number_leaves_the_means_to_the_others():
    values = np.array([[0.5, np.nan], [np.inf, 1.0]])
    drawn = ragged_map([HeatRow(row, ["", ""], "good") for row in values], 2, 1.0, "x")
    assert "turn 1\nmean +0.5 of 1 episodes" in drawn
    assert "nan" not in drawn


def test_a_bar_ends_at_its_value_on_the_scale():
    drawn = ragged_map([HeatRow(np.array([0.5, 1.0]), ["", ""], "good")], 2, 1.0, "x")
    heights = {value: y for y, value in scale_of(drawn).items()}
    bars = [float(y) for y in re.findall(r'<rect y="([\d.]+)"[^>]*class="earned"', drawn)]
    assert bars[1] == pytest.approx(heights[1.0], abs=0.1)
    assert bars[0] == pytest.approx((heights[0.0] + heights[1.0]) / 2, abs=0.1)


def test_the_section_says_how_its_episodes_were_drawn(folder):
    attribute(folder, "uniform")
    page = page_of(folder)
    assert "over 28 of 40 train episodes" in page
    assert "a sample of those with credit, and up to half of them are not solved" in page
    assert "the means are of these episodes and not of all" in page


def test_where_all_episodes_are_shown_none_are_said_to_be_drawn(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        for number in range(4):
            store.write_episode(played(f"a{number}", number % 2), 1)
    attribute(tmp_path, "uniform")
    page = page_of(tmp_path)
    assert "over 4 train episodes" in page
    assert "a sample of those" not in page


def test_the_section_says_what_its_kinds_of_numbers_are(folder):
    attribute(folder, *METHODS)
    told = page_of(folder).partition("<h2>Who earned it</h2>")[2].partition("<figure")[0]
    for kind in ("Rewards are", "Returns are", "Advantages are", "Conserving means"):
        assert kind in told


def test_one_turn_beyond_the_others_does_not_fade_them(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(record("a", [0.25, 0.5, 1.0] * 7 + [20.0]))
    page = page_of(tmp_path)
    assert "full colour ±1 and beyond, largest 20<" in page
    cells = re.findall(r'class="cell (e\d)"><title>[^<]*turn \d+: ([^<]+)</title>', page)
    assert cells[:3] == [("e2", "+0.25"), ("e4", "+0.50"), ("e8", "+1.00")]
    assert cells[-1] == ("e8", "+20.00"), "under the pointer the number is exact"


def test_full_colour_is_the_largest_credit_where_none_is_beyond(folder):
    attribute(folder, "terminal")
    assert panels_of(page_of(folder))["terminal"][1] == "full colour ±1"


def test_turns_without_credit_do_not_count_for_the_scale(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(record("a", [0.0] * 30 + [0.5, 1.0]))
    assert 'class="scale">full colour ±1<' in page_of(tmp_path)


def test_labels_in_the_tables_of_turns_may_be_broken_at_their_joints(folder):
    attribute(folder, "episode_groups+anchors")
    page = page_of(folder)
    assert ">as recorded</th>" in page
    assert ">episode_<wbr>groups+<wbr>anchors</th>" in page


def test_seven_long_labels_fit_the_page(folder):
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs chromium: make system")
    labels = [f"state_counts,return_to_go+{number}" for number in range(6)]
    for label in [*labels, "without-joints" + "x" * 60]:
        attribute(folder, "uniform", labels=[label])
    write_report(folder)
    wider = "element => element.scrollWidth - element.clientWidth"
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1100, "height": 900})
        tab.goto((folder / "report.html").as_uri())
        sizes = {
            name: tab.eval_on_selector_all(name, f"found => found.map({wider})")
            for name in (".scroll:has(.turn-by-turn)", ".panels figcaption b", ".panels figcaption span")
        }
        below = tab.eval_on_selector_all(
            ".panels figcaption",
            "found => found.map(each => each.children[1].getBoundingClientRect().top"
            " - each.children[0].getBoundingClientRect().bottom)",
        )
        browser.close()
    assert {name: set(found) for name, found in sizes.items()} == {name: {0} for name in sizes}
    assert len(below) == 8
    assert min(below) >= 0, "the kind stands below the label"


def test_an_action_is_told_on_a_line():
    calls = [{"function": {"name": "click", "arguments": '{"id": "a1"}'}}, {"function": {"name": "end"}}, 3]
    assert brief(Turn(0, [], {"tool_calls": calls}, "raw")) == 'click(id="a1") end()'
    assert brief(Turn(0, [], {"content": "two\nlines"}, "raw")) == "two lines"
    assert brief(Turn(0, [], {}, "x" * 200)).endswith("x …")
    assert brief(Turn(0, [], {"content": " "}, "")) == "(nothing)"
