"""What a person does in a window becomes actions, and nothing reaches the page but by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym import EnvReply, Task
from agentgym.suite import load_suite
from agentgym_web.browser.gate import Folder, Network
from agentgym_web.browser.settings import PageSettings, View
from agentgym_web.browser.sight import Sight
from agentgym_web.browser.watching.person import call_of
from agentgym_web.env import WebEnv
from agentgym_web.miniwob.env import MiniWoBEnv, make_task
from agentgym_web.sites.envs import ShopEnv
from tests.environments.web.browser.hands import Hands

PAGE = """<!doctype html><title>Tools</title><body style="margin:0">
<button id=b>Press</button> <input id=t aria-label=Name> <textarea id=a aria-label=Text></textarea>
<select id=s aria-label=Colour><option>Red<option value=2>Blue</select>
<label><input type=checkbox id=c> Agreed</label> <div id=e contenteditable aria-label=Note>old</div>
<p id=p>Only text</p><canvas id=k width=80 height=40 aria-label=Drawing></canvas>
<button id=x>From</button><button id=y>To</button><iframe srcdoc="<button>Inner</button>" width=200 height=60></iframe>
<a id=l href="two.html">Two</a><div style="height:2000px"></div>
<script>
window.heard = [];
for (const type of "click mousedown keydown input change beforeinput pointerdown wheel contextmenu dblclick".split(" "))
  addEventListener(type, (event) => heard.push(type), true);
</script>"""
HEARD = "heard.splice(0).join(' ')"


class Tools(WebEnv):
    """One page of all kinds of things that a person uses."""

    settings = PageSettings(width=800, height=600, virtual_time=True)
    folder: Path
    opens_display = False

    def __init__(self, *sets: str) -> None:
        super().__init__(View(), ("bid", "nav", "tab", "chat", *sets), render_mode="human")

    def make_task(self, seed: int) -> Task:
        return Task(f"tools:{seed}", seed, "Use it.")

    def network(self, task: Task) -> Network:
        return Network({"tools.test": Folder(self.folder)})

    def start(self, task: Task) -> Sight:
        self.page.start_over(self.network(task))
        return self.page.open("http://tools.test/index.html", self.view)

    def judge(self, sight: Sight) -> EnvReply:
        return EnvReply()


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tools]:
    Tools.folder = tmp_path_factory.mktemp("site")
    (Tools.folder / "index.html").write_text(PAGE)
    (Tools.folder / "two.html").write_text("<title>Second</title><h1>Second</h1>")
    made = Tools("coord")
    yield made
    made.close()


@pytest.fixture
def hands(env: Tools) -> Hands:
    env.reset(seed=1)
    env.page.run_script(HEARD)
    return Hands(env)


def bid(env: Tools, name: str) -> str:
    line = next(line for line in env.sight.lines if f'"{name}"' in line and "[" in line)
    return line.partition("[")[2].partition("]")[0]


def test_click_is_kept_from_the_page_and_becomes_an_action_that_reaches_it(env: Tools, hands: Hands) -> None:
    hands.click("#b")
    said = hands.act()
    assert said == f'click("{bid(env, "Press")}")'
    assert env.page.run_script(HEARD) == ""
    env.step(said)
    assert env.page.run_script(HEARD) == "pointerdown mousedown click"
    hands.click("#b")
    assert env.page.run_script(HEARD) == "", "after the action the page hears nothing of the person again"


def test_typing_becomes_one_fill_and_the_key_that_ends_it(env: Tools, hands: Hands) -> None:
    hands.click("#t")
    env.step(hands.act())
    env.page.run_script(HEARD)
    hands.type("Ada L")
    hands.press("Enter")
    name = bid(env, "Name")
    said = [hands.act(), hands.act()]
    assert said == [f'fill("{name}", "Ada L")', f'press("{name}", "Enter")']
    assert env.page.run_script("t.value") == ""
    assert env.page.run_script(HEARD) == ""
    for each in said:
        env.step(each)
    assert env.page.run_script("t.value") == "Ada L"
    hands.type("!")
    assert hands.act() == f'fill("{name}", "Ada L!")', "who stops typing for a moment has filled the field"


def test_editable_text_is_filled_too(env: Tools, hands: Hands) -> None:
    hands.click("#e")
    env.step(hands.act())
    hands.press("End")
    hands.type("er")
    hands.click("#b")
    note = bid(env, "old")
    assert [hands.act(), hands.act()] == [f'fill("{note}", "older")', f'click("{bid(env, "Press")}")']
    assert env.page.run_script("e.innerHTML") == "old"


def test_list_is_chosen_from_by_the_text_of_its_option(env: Tools, hands: Hands) -> None:
    env.step(f'focus("{bid(env, "Colour")}")')
    hands.press("ArrowDown")
    said = hands.act()
    assert said == f'select_option("{bid(env, "Colour")}", "Blue")'
    assert (env.page.run_script("s.value"), env.page.run_script(HEARD)) == ("Red", "")
    env.step(said)
    assert env.page.run_script("s.value") == "2"


def test_other_gestures_become_the_actions_of_their_kind(env: Tools, hands: Hands) -> None:
    hands.click("#c")
    assert hands.act() == f'click("{bid(env, "Agreed")}")'
    assert env.page.run_script("c.checked") is False
    hands.dblclick("#b")
    assert hands.act() == f'dblclick("{bid(env, "Press")}")'
    hands.click("#b", button="right")
    assert hands.act() == f'click("{bid(env, "Press")}", "right")'
    hands.click("#b", modifiers=2)
    assert hands.act() == f'click("{bid(env, "Press")}", "left", ["Control"])'
    hands.drag("#x", "#y")
    assert hands.act() == f'drag_and_drop("{bid(env, "From")}", "{bid(env, "To")}")'
    hands.wheel(240)
    assert hands.act() == "scroll(0, 240)"
    hands.press("PageDown")
    assert hands.act() == 'keyboard_press("PageDown")'
    x, y = map(round, hands.place("#k"))
    hands.click("#k")
    assert hands.act() == f"mouse_click({x}, {y})"
    assert env.page.run_script(HEARD) == ""
    assert env.next_message(0.05) is None


def test_click_in_a_frame_names_its_element(env: Tools, hands: Hands) -> None:
    corner = "(() => { const r = document.querySelector('iframe').getBoundingClientRect(); return [r.left, r.top] })()"
    left, top = env.page.run_script(corner)
    for kind in ("mousePressed", "mouseReleased"):
        hands.mouse(kind, left + 30, top + 20, button="left", clickCount=1)
    assert hands.act() == f'click("{bid(env, "Inner")}")'


def test_page_that_the_person_went_to_by_the_browser_is_opened_by_an_action(env: Tools, hands: Hands) -> None:
    env.page.run_script("location.href = 'two.html'")
    said = hands.act()
    assert said == 'goto("http://tools.test/two.html")'
    assert "Second" in env.step(said)[0]["text"]
    assert env.next_message(0.05) is None


def test_text_alone_is_no_click_where_places_are_no_actions() -> None:
    assert call_of({"do": "click", "id": 0, "place": True, "x": 1, "y": 2, "keys": []}, {"click"}) is None
    assert call_of({"do": "click", "id": 4, "place": True, "x": 1, "y": 2, "keys": []}, {"click"}) == 'click("4")'
    assert call_of({"do": "click", "id": 4, "place": False, "keys": []}, {"click", "tap"}, "a") == 'tap("a4")'
    hold = {"do": "hold", "id": 4, "x": 1, "y": 2}
    assert call_of(hold, {"tap", "long_press"}) == 'long_press("4")'
    drag = {"do": "drag", "from": 4, "to": 5, "x": 200, "y": 9, "toX": 20, "toY": 30}
    assert call_of(drag, {"swipe"}) == 'swipe("4", "left")'


def test_actions_of_a_person_give_the_same_reward_when_they_are_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load_suite("web/shop").train_tasks()[0]
    monkeypatch.setattr(ShopEnv, "opens_display", False)
    person, agent = ShopEnv(render_mode="human"), ShopEnv()
    try:
        texts, said = [person.reset(options={"task": task})[0]["text"]], []
        hands = Hands(person)

        def do() -> None:
            said.append(hands.act())
            texts.append(person.step(said[-1])[0]["text"])

        hands.click("input[type=search]")
        do()
        hands.type("lamp")
        hands.press("Enter")
        do()
        do()
        assert "Results for" in texts[-1]
        hands.click('main a[href^="/p"]')
        do()
        said.append('send_msg_to_user("done")')
        *_, info = person.step(said[-1])
        again = [agent.reset(options={"task": task})[0]["text"]]
        again += [agent.step(each)[0]["text"] for each in said[:-1]]
        *_, replayed = agent.step(said[-1])
    finally:
        person.close()
        agent.close()
    assert again == texts
    assert replayed["reward_events"] == info["reward_events"]


def test_person_solves_a_page_and_the_recorded_actions_solve_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniWoBEnv, "opens_display", False)
    person, agent, task = MiniWoBEnv(render_mode="human"), MiniWoBEnv(), make_task("enter-text", 3)
    try:
        goal = person.reset(options={"task": task})[0]["text"]
        hands, said = Hands(person), []
        hands.click("#tt")
        said.append(hands.act())
        person.step(said[-1])
        hands.type(goal.split('"')[1])
        hands.click("#subbtn")
        for _ in range(2):
            said.append(hands.act())
            *_, info = person.step(said[-1])
        agent.reset(options={"task": task})
        *_, replayed = [agent.step(each) for each in said][-1]
    finally:
        person.close()
        agent.close()
    assert info["success"] is True
    assert replayed["success"] is True
    assert replayed["reward_events"] == info["reward_events"]
