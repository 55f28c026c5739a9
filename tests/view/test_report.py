import json
import re
import shutil
from html.parser import HTMLParser

import pytest

from agentgym.errors import StoreError
from agentgym.evaluation import evaluate, suite_named
from agentgym.outcome import Outcome
from agentgym.picture import data_url, image_file, with_pictures
from agentgym.policies.by_name import load
from agentgym.reward import RewardEvent
from agentgym.store import RunStore
from agentgym.trajectory import Trajectory, Turn
from agentgym.view import write_report

HOSTILE = "</pre></div><script>alert(1)</script><img src=x onerror=alert(2)>\"'><style>*{}</style>\u202e\x00\ud800"
VOID = {"meta", "img", "wbr"}


class Reader(HTMLParser):
    """Collects elements, attributes and text; fails on tags that do not match."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, key, value) for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def page(run_folder):
    return write_report(run_folder, run_folder / "page.html").read_text(encoding="utf-8")


def test_report_shows_every_part_of_a_run(page):
    reader = Reader(page)
    for heading in ("Held out", "Learning", "Episodes", "How episodes ended", "Where the time went", "Algorithm"):
        assert heading in reader.text
    assert "Cloned, successes only" in reader.text
    assert "unseen bases" in reader.text
    assert "A = R - mean(R)" in reader.text
    assert "StepTimeoutError" in reader.text
    assert reader.tags.count("details") >= 8
    assert {"agent", "lookup", "relation"} <= set(re.findall(r"\w+", reader.text))


def test_report_is_self_contained_and_runs_nothing(page):
    reader = Reader(page)
    assert not {"script", "link", "iframe", "object", "form", "base"} & set(reader.tags)
    assert not [
        item for item in reader.attributes if item[1] in ("href", "style", "action") or item[1].startswith("on")
    ]
    policy = next(value for _, key, value in reader.attributes if key == "content" and "default-src" in value)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "http://" not in page
    assert "https://" not in page


def hostile_trajectory():
    call = {"function": {"name": HOSTILE, "arguments": {HOSTILE: [HOSTILE]}}}
    picture = {"type": "image_url", "image_url": {"url": 'data:image/png;base64,AAAA" onerror="alert(3)'}}
    messages = [
        {"role": HOSTILE, "name": HOSTILE, "content": HOSTILE},
        {"role": "user", "content": [{"type": "text", "text": HOSTILE}, picture, {"type": HOSTILE}]},
    ]
    reply = {
        "role": "assistant",
        "content": HOSTILE,
        "reasoning_content": HOSTILE,
        "tool_calls": [call, {"function": 3}],
    }
    return Trajectory(
        "e",
        HOSTILE.replace("\ud800", ""),
        policy="p<b>",
        turns=[Turn(0, messages, reply, HOSTILE, was_invalid=True)],
        events=[RewardEvent(0, 0, "agent", "<i>", 1.0, "judge", {"why": HOSTILE})],
        weights={"<i>": 1.0},
        outcome=Outcome("terminated", "<u>"),
        score=1.0,
        success=True,
        error=HOSTILE,
        metadata={"last_messages": [{"role": "tool", "content": HOSTILE}, "odd"]},
    )


def test_hostile_output_is_shown_as_text(tmp_path):
    with RunStore.create(tmp_path / "a<b>", {"why_not_learning": [HOSTILE], "equations": HOSTILE}) as store:
        store.write_episode(hostile_trajectory(), 0)
        store.log_metrics(0, {HOSTILE.replace("\ud800", ""): 1.0, "reward/<script>": 0.5})
        store.log_metrics(1, {"reward/<script>": 0.6})
    page = write_report(tmp_path / "a<b>").read_bytes().decode("utf-8")
    reader = Reader(page)
    assert not {"script", "img", "b<b>", "u"} & set(reader.tags)
    assert reader.tags.count("style") == 1
    assert not [item for item in reader.attributes if item[1].startswith("on")]
    assert "alert(1)" in reader.text
    for character in "\u202e\x00\ud800":
        assert character not in page
    assert "⟨202E⟩" in reader.text


def test_pictures_are_shown_only_as_embedded_bitmaps(tmp_path):
    good = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    vector = {"type": "image_url", "image_url": {"url": "data:image/svg+xml;base64,PHN2Zy8+"}}
    remote = {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}}
    turn = Turn(0, [{"role": "user", "content": [good, vector, remote]}], {"role": "assistant"}, "")
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(Trajectory("e", "t", turns=[turn], outcome=Outcome("terminated"), success=False), 0)
    reader = Reader(write_report(tmp_path).read_text(encoding="utf-8"))
    assert [value for tag, key, value in reader.attributes if (tag, key) == ("img", "src")] == [
        good["image_url"]["url"]
    ]


def test_empty_run_has_a_report(tmp_path):
    RunStore.create(tmp_path, {}).close()
    (tmp_path / "summary.json").write_text("{half")
    text = Reader(write_report(tmp_path).read_text(encoding="utf-8")).text
    assert "Not evaluated" in text
    assert "Learning" not in text.split("}")[-1]


def test_a_curve_that_is_zero_throughout_is_not_drawn(page):
    assert "Staleness" not in page
    assert "Gradient norm" in page


def test_one_held_out_task_is_shown_before_and_after(page):
    assert "One held-out task, demo" in page
    assert "One held-out task, oracle" in page


def test_notes_of_the_trainer_are_listed(tmp_path):
    with RunStore.create(tmp_path, {"why_not_learning": "no variance\nentropy fell", "equations": "A = R - b"}):
        text = Reader(write_report(tmp_path).read_text(encoding="utf-8")).text
    assert "Why it is not learning" in text
    assert "no varianceentropy fell" in text


def test_bars_show_the_headline_stratum_when_the_trainer_says_so(tmp_path):
    rate = {"mean": 0.5, "low": 0.4, "high": 0.6}
    result = {"success": rate, "headline": "unseen_bases", "all_strata": {"success": rate}}
    RunStore.create(tmp_path, {}).close()
    (tmp_path / "summary.json").write_text(json.dumps({"held_out": {"trained": result, "cloned": {"success": None}}}))
    text = Reader(write_report(tmp_path).read_text(encoding="utf-8")).text
    assert "never trained on (the headline stratum, unseen bases)" in text
    assert "Cloned" not in text


def test_policies_that_were_not_trained_are_named_best_first(tmp_path):
    rates = {"null": 0.0, "oracle": 1.0, "random": 0.25}
    found = {name: {"success": {"mean": rate, "low": rate, "high": rate}} for name, rate in rates.items()}
    RunStore.create(tmp_path, {}).close()
    (tmp_path / "summary.json").write_text(json.dumps({"held_out": found}))
    text = Reader(write_report(tmp_path).read_text(encoding="utf-8")).text.replace("\xa0", " ")
    assert "Success on held-out tasks: 100 % oracle, 25 % random, 0 % null." in text
    assert "never trained on" not in text


def test_tasks_that_an_environment_makes_are_not_called_held_out(tmp_path):
    suite = suite_named("agentgym/GuessNumber-v0", {"max_numbers": 8}, 2)
    with RunStore.create(tmp_path, {}) as store:
        for script in ("oracle", "null"):
            evaluate(load(script, suite.env), suite, store=store)
    text = Reader(write_report(tmp_path).read_text(encoding="utf-8")).text.replace("\xa0", " ")
    assert "agentgym/GuessNumber-v0 (max_numbers=8)" in text
    assert "Success on tasks: 100 % oracle, 0 % null." in text
    assert "held" not in text.lower()


def started(folder, config, is_in_meta):
    """The page of a run of two stages, which kept its configuration in the run's meta or beside it."""
    results = {
        name: {"success": {"mean": mean, "low": mean, "high": mean}, "strata": {"codes": {"success": {"mean": mean}}}}
        for name, mean in (("untrained", 0.25), ("trained", 0.75))
    }
    with RunStore.create(folder, {"config": config} if is_in_meta else {}) as store:
        for name, is_solved in (("untrained", False), ("trained", True)):
            turn = Turn(0, [], {"role": "assistant", "content": "x"}, "x")
            trajectory = Trajectory(f"e-{name}", "t", policy=name, turns=[turn], outcome=Outcome("terminated"))
            trajectory.success, trajectory.score = is_solved, float(is_solved)
            store.write_episode(trajectory, purpose="test")
    if not is_in_meta:
        (folder / "config.json").write_text(json.dumps({"config": config}))
    (folder / "summary.json").write_text(json.dumps({"held_out": results}))
    return Reader(write_report(folder).read_text(encoding="utf-8")).text.replace("\xa0", " ")


@pytest.mark.parametrize("is_in_meta", [True, False])
def test_a_run_from_a_trained_model_did_not_start_untrained(tmp_path, is_in_meta):
    text = started(tmp_path, {"model": {"path": "runs/one/models/cloned"}}, is_in_meta)
    assert "from 25 % at the start." in text
    assert "One task, at the start" in text
    assert text.count("At the start") == 3
    assert "untrained" not in text.lower()


def test_a_run_from_nothing_started_untrained(tmp_path):
    text = started(tmp_path, {"model": {"path": ""}}, is_in_meta=True)
    assert "from 25 % untrained." in text
    assert "One task, untrained" in text
    assert "at the start" not in text.lower()


def test_a_rate_and_its_interval_are_apart(tmp_path):
    result = {"success": {"mean": 0.9533, "low": 0.9267, "high": 0.9767}}
    RunStore.create(tmp_path, {}).close()
    (tmp_path / "summary.json").write_text(json.dumps({"held_out": {"trained": result}}))
    text = Reader(write_report(tmp_path).read_text(encoding="utf-8")).text.replace("\xa0", " ")
    assert "95.3 % 92.7 – 97.7 %" in text


def learning_of(folder, rates, low=0.7):
    """The section on learning of a run whose iterations keep intervals of their own."""
    with RunStore.create(folder, {}) as store:
        for iteration, rate in enumerate(rates):
            store.log_metrics(iteration, {"success/mean": rate, "success/low": low, "success/high": 1.0})
    page = write_report(folder).read_text(encoding="utf-8")
    return page.partition("<h2>Learning</h2>")[2].partition("<figure")[0].replace("\xa0", " ")


def test_a_long_run_is_drawn_with_the_interval_of_a_moving_mean(tmp_path):
    drawn = learning_of(tmp_path, [0.96, 0.98] * 20)
    assert "training tasks, single iterations 96 %\n" in drawn
    assert "training tasks, mean of 9 iterations 96.9 % [96.1 %, 97.7 %]" in drawn
    assert "its band is the 95 % interval of that mean" in drawn
    assert "70 %" not in drawn, "no end of a single iteration's interval"
    assert "For validation" not in drawn


def test_a_short_run_is_drawn_with_the_intervals_of_its_iterations(tmp_path):
    drawn = learning_of(tmp_path, [0.96, 0.98] * 3)
    assert "training tasks 96 % [70 %, 100 %]" in drawn
    assert "Bands are 95 % intervals, clustered by task" in drawn
    assert "mean of" not in drawn


def test_the_caption_says_what_the_band_of_validation_is(page):
    assert "For validation, bands are 95 % intervals, clustered by task." in page


def test_report_of_a_run_that_goes_on_reads_beside_the_writer(tmp_path):
    with RunStore.create(tmp_path, {}) as store:
        store.log_metrics(0, {"success/mean": float("nan")})
        store.log_metrics(1, {"success/mean": 0.5})
        assert "50\xa0%" in write_report(tmp_path).read_text(encoding="utf-8")


def test_a_sentence_without_a_large_figure_is_one_paragraph(tmp_path):
    rates = {name: {"success": {"mean": rate, "low": rate, "high": rate}} for name, rate in (("a", 0.0), ("b", 1.0))}
    RunStore.create(tmp_path, {}).close()
    assert '<div class="verdict"><p>Not evaluated' in write_report(tmp_path).read_text(encoding="utf-8")
    (tmp_path / "summary.json").write_text(json.dumps({"held_out": rates}))
    assert '<div class="verdict"><p>Success on held-out' in write_report(tmp_path).read_text(encoding="utf-8")


def test_a_component_of_weight_zero_shows_its_value_unless_that_is_zero_too(tmp_path):
    values = {"success": 1.0, "page": -1.0, "format": 0.0}
    events = [RewardEvent(0, 0, "agent", name, value) for name, value in values.items()]
    turn = Turn(0, [], {"role": "assistant", "content": "x"}, "x")
    record = Trajectory("e", "t", turns=[turn], outcome=Outcome("terminated"), success=True)
    record.events, record.weights = events, {"success": 1.0, "page": 0.0, "format": 0.0}
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(record, purpose="test")
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert re.findall(r'class="chip \w+" title="environment[^>]*>([^<]*)<', page) == [
        "+1.00 success",
        "page -1.00 (weight 0)",
    ]


def ended_in(folder, found, *, blame=None, is_solved=False, **fields):
    """The end of an episode of task t on the page, whose verdict found something; as markup."""
    said = {"role": "assistant", "content": "x"}
    record = Trajectory("e", "t", policy="p", turns=[Turn(0, [], said, "x")], success=is_solved, **fields)
    record.outcome, record.weights = fields.get("outcome") or Outcome("terminated"), {"success": 1.0}
    record.events = [RewardEvent(0, 0, "agent", "success", float(is_solved), detail=found)] if found else []
    if blame is not None:
        record.weights["blame"] = 0.0
        record.events.append(RewardEvent(0, 0, "agent", "blame", 1.0, detail=blame))
    with RunStore.create(folder, {}) as store:
        store.write_episode(record, purpose="test")
    page = write_report(folder).read_text(encoding="utf-8")
    Reader(page)
    return page.partition('<div class="message end">')[2].partition("<footer")[0]


def test_the_end_of_an_episode_lists_what_its_verdict_found(tmp_path):
    found = {"collateral": ["carts"], "answer_is_right": False, "left_out": {}, "model_patch": ""}
    end = ended_in(tmp_path, found)
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", end) == [
        ("ended", "terminated"),
        ("collateral", "<ul><li>carts</li></ul>"),
        ("answer is right", "no"),
    ]


def test_the_end_of_an_episode_says_nothing_twice_and_cuts_no_word(tmp_path):
    reasons = [f"tests/test_{at}.py::test_something: failed" for at in range(8)]
    blame = {"who": "agent", "why": "failed", "turn": 0, "evidence": "; ".join(reasons)[:200]}
    found = {"kind": "failed", "reasons": reasons, "instance_id": "t", "model_patch": "@@ -1 +1 @@\n-<a>\n+    b\n"}
    end = ended_in(tmp_path / "same", found, blame=blame)
    assert re.findall("<dt>(.*?)</dt>", end) == ["ended", "failed by", "reasons", "model patch"]
    assert "agent: failed (turn 1)" in end
    assert [end.count(reason) for reason in reasons] == [1] * 8
    assert '<span class="del">-&lt;a&gt;\n</span><span class="add">+    b\n</span>' in end
    end = ended_in(tmp_path / "other", {}, blame=blame)
    assert "<dt>because</dt>" in end
    assert "test_something: …</dd>" in end, "evidence that was cut at 200 characters ends with a whole word"


def test_a_traceback_is_shown_with_its_lines(tmp_path):
    end = ended_in(tmp_path, {}, error="Traceback:\n    f(<1>)", outcome=Outcome("infrastructure", "X"))
    assert '<details class="fold" open><summary>2 lines</summary>' in end
    assert "\n    f(&lt;1&gt;)</pre>" in end


def test_the_verdict_of_a_solved_episode_is_shown_and_not_in_the_title_of_its_reward(tmp_path):
    end = ended_in(tmp_path, {"kind": "solved", "parts": {"applies": 1.0}}, is_solved=True)
    assert "<span>applies <b>1</b></span>" in end
    assert "kind" not in end
    assert 'title="environment, known at turn 1"' in (tmp_path / "report.html").read_text(encoding="utf-8")


def said_in(folder, message, calls=()):
    """The page of an episode of one turn, with a message to the agent and its tool calls."""
    reply = {"role": "assistant", "content": "", "tool_calls": [{"function": call} for call in calls]}
    record = Trajectory("e", "t", turns=[Turn(0, [message], reply, "")], outcome=Outcome("terminated"), success=False)
    with RunStore.create(folder, {}) as store:
        store.write_episode(record, purpose="test")
    page = write_report(folder).read_text(encoding="utf-8")
    Reader(page)
    return page


def test_results_of_tools_keep_their_columns(tmp_path):
    told = "     1\tdef f(a, b):\n     2\t    return a < b\n"
    page = said_in(tmp_path, {"role": "tool", "name": "view", "content": told})
    assert f'<pre class="code text">\n{told.replace("<", "&lt;")}</pre>' in page


def test_arguments_of_several_lines_stand_below_the_call_as_they_are(tmp_path):
    arguments = {"path": "a.py", "new": "if a:\n    b('</pre><i>')\n", "old": "c\n"}
    page = said_in(tmp_path, {"role": "user", "content": "Go."}, [{"name": "edit", "arguments": json.dumps(arguments)}])
    below = page.partition('<div class="argument">')[2].partition("</pre>")[0]
    assert below == '<i>new</i><pre class="code text">\nif a:\n    b(&#x27;&lt;/pre&gt;&lt;i&gt;&#x27;)\n'
    call = page.partition('class="call">')[2].partition("</code>")[0]
    assert re.sub("<[^>]*>", "", call) == "edit(path=&quot;a.py&quot;, old=&quot;c\\n&quot;)"


def test_long_names_of_policies_have_room(tmp_path):
    rate = {"success": {"mean": 0.5, "low": 0.4, "high": 0.6}, "blame": {"agent: late": 1}}
    name, longer = "endpoint:http://127.0.0.1:18765/v1#fake", f"torch:{'runs/' * 20}model<i>"
    RunStore.create(tmp_path, {}).close()
    (tmp_path / "summary.json").write_text(json.dumps({"held_out": {name: rate, longer: rate}}))
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert page.count('<div class="barrow long"') == 2
    shown = re.findall(r'class="name"><span( title="[^"]*")?>(.*?)</span>', page)
    assert [title for title, _ in shown] == ["", f' title="{longer.replace("<", "&lt;").replace(">", "&gt;")}"']
    assert shown[0][1].replace("<wbr>", "") == name
    cut = shown[1][1].replace("<wbr>", "")
    assert cut.startswith("torch:runs/")
    assert cut.endswith("model&lt;i&gt;")
    assert "…" in cut


def test_the_head_of_an_episode_names_its_task_in_full_and_its_policy_once(tmp_path):
    task_id, policy = "swe/repair:test-00255", "endpoint:http://127.0.0.1:18765/v1#fake"
    record = Trajectory("e", task_id, policy=policy, outcome=Outcome("terminated"), success=False)
    with RunStore.create(tmp_path, {}) as store:
        store.write_episode(record, purpose="test")
    page = write_report(tmp_path).read_text(encoding="utf-8")
    head = re.sub("<[^>]*>", "", page.partition("<summary>")[2].partition("</summary>")[0])
    assert head.startswith(f"not solvedOne task, {policy} {task_id} · 0 turns")
    assert head.count(policy) == 1


def test_report_without_run_or_into_a_missing_folder_is_a_clear_error(tmp_path, run_folder):
    with pytest.raises(StoreError, match="holds no run"):
        write_report(tmp_path / "none")
    with pytest.raises(StoreError, match="choose a folder"):
        write_report(run_folder, tmp_path / "none" / "report.html")


def test_browser_draws_the_report_without_complaint(run_folder, page):
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs chromium: make system")
    complaints = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1100, "height": 900})
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("request", lambda request: complaints.append(request.url) if "page.html" not in request.url else None)
        tab.goto((run_folder / "page.html").as_uri())
        ink = tab.evaluate("getComputedStyle(document.querySelector('.big')).fontSize")
        gaps = tab.eval_on_selector_all(
            ".barrow .figure",
            "found => found.map(each => each.children[1].getBoundingClientRect().left"
            " - each.children[0].getBoundingClientRect().right)",
        )
        edges = tab.evaluate("getComputedStyle(document.querySelector('.text')).backgroundAttachment")
        overflow = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        tab.set_viewport_size({"width": 390, "height": 800})
        narrow = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        browser.close()
    assert (ink, overflow, narrow, complaints) == ("76px", 0, 0, [])
    assert min(gaps) >= 8
    assert edges == "local, local, scroll, scroll", "a long text has a visible edge where it goes on"


def test_browser_shows_code_with_its_white_space_on_wide_and_narrow_screens(tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs chromium: make system")
    told = "     1\tdef f():\n" + f"     2\t    return {'x' * 150}\n" * 20
    said_in(tmp_path, {"role": "tool", "name": "view", "content": told})
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1100, "height": 900})
        tab.goto((tmp_path / "report.html").as_uri())
        style = "getComputedStyle(document.querySelector('.code'))"
        looks = [tab.evaluate(f"{style}.{name}") for name in ("fontFamily", "whiteSpace", "overflowX")]
        has_all = tab.evaluate("document.querySelector('.code').textContent") == told
        wider = []
        for width in (1100, 390):
            tab.set_viewport_size({"width": width, "height": 800})
            wider.append(tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
        browser.close()
    assert "monospace" in looks[0]
    assert looks[1:] == ["pre", "auto"]
    assert has_all
    assert wider == [0, 0]


def test_screenshots_stand_beside_their_turns_up_to_a_size_of_the_page(tmp_path):
    def shot(number, size=600_000):
        return image_file("image/webp", bytes([number]) * size)

    said = {"role": "assistant", "content": "on"}
    turns = [Turn(index, [], said, "on", screenshot=shot(index)) for index in range(3)]
    record = Trajectory("e1", "t1", turns=turns, last_screenshot=shot(3), outcome=Outcome("terminated"), success=True)
    with RunStore.create(tmp_path / "run", {}) as store:
        store.write_episode(record, purpose="demo")
    page = write_report(tmp_path / "run").read_text(encoding="utf-8")
    reader = Reader(page)
    sources = [value for tag, key, value in reader.attributes if (tag, key) == ("img", "src")]
    assert sources == [data_url(shot(0)), data_url(shot(1))]
    assert [value for _, key, value in reader.attributes if key == "alt"] == [
        "screenshot before turn 1",
        "screenshot before turn 2",
    ]
    assert "the screenshot before turn 3 is in the run, and left out here" in reader.text
    assert "the screenshot at the end is in the run" in reader.text
    assert re.search("before turn 1.*before turn 2.*before turn 3.*at the end", reader.text, re.DOTALL)


def test_a_turn_whose_messages_hold_a_picture_shows_it_once(tmp_path):
    sent, shot = image_file("image/png", b"marked"), image_file("image/png", b"plain")
    seen = with_pictures({"role": "user", "content": "Look."}, [data_url(sent)])
    said = {"role": "assistant", "content": "on"}
    turns = [Turn(index, [seen] * (index == 0), said, "on", screenshot=shot) for index in range(2)]
    record = Trajectory("e1", "t1", turns=turns, last_screenshot=shot, outcome=Outcome("terminated"), success=True)
    record.metadata["last_messages"] = [seen]
    with RunStore.create(tmp_path / "run", {}) as store:
        store.write_episode(record, purpose="demo")
    reader = Reader(write_report(tmp_path / "run").read_text(encoding="utf-8"))
    shown = [value for _, key, value in reader.attributes if key == "alt"]
    assert shown == ["what the agent saw", "screenshot before turn 2", "what the agent saw"]
