"""The syntaxes that are Python or look like it: pyautogui code, UI-TARS's text and our own tools."""

import time

import pytest

from agentgym.task import Limits
from agentgym_gui.actions import pyautogui, tools, uitars
from agentgym_gui.actions.events import (
    ActionError,
    Answer,
    Box,
    Copy,
    Done,
    Fail,
    Frame,
    KeyDown,
    KeyUp,
    Look,
    Move,
    Open,
    Press,
    Release,
    Scroll,
    Type,
    Wait,
)
from agentgym_gui.actions.gestures import clicks
from agentgym_gui.actions.syntaxes import SYNTAXES, syntax_named
from agentgym_gui.actions.values import MAX_WAIT_S

SCREEN = Frame(1280, 800, pointer=(100, 100))
GRID = Frame(1280, 800, grid=1000)
ELEMENTS = {"b3": Box(600, 300, 80, 40), "7": Box(0, 0, 20, 20)}
CTRL_S = (KeyDown("Control_L"), KeyDown("s"), KeyUp("s"), KeyUp("Control_L"))


@pytest.mark.parametrize(
    ("code", "events"),
    [
        ("pyautogui.moveTo(0, 0)", (Move(0, 0),)),
        ("pyautogui.moveTo(x=5, y=6, duration=0.5)", (Move(5, 6),)),
        ("pyautogui.moveTo((5, 6))", (Move(5, 6),)),
        ("pyautogui.moveTo(None, 7)", (Move(100, 7),)),
        ("pyautogui.moveTo(5, 6, 1, pyautogui.easeInQuad)", None),
        ("pyautogui.moveTo(5, 6, tween=pyautogui.easeInQuad)", (Move(5, 6),)),
        ("pyautogui.moveRel(-5, 10)", (Move(95, 110),)),
        ("pyautogui.move(1, 1); pyautogui.move(1, 1)", (Move(101, 101), Move(102, 102))),
        ("pyautogui.click()", clicks()),
        ("pyautogui.click(640, 400)", (Move(640, 400), *clicks())),
        ("pyautogui.click(x=9, y=4, clicks=2, interval=0.1, button='right')", (Move(9, 4), *clicks("right", 2))),
        ("pyautogui.click(button=pyautogui.RIGHT)", None),
        ("pyautogui.rightClick(1, 2)", (Move(1, 2), *clicks("right"))),
        ("pyautogui.doubleClick()", clicks("left", 2)),
        ("pyautogui.tripleClick(1, 2)", (Move(1, 2), *clicks("left", 3))),
        ("pyautogui.mouseDown(button='middle')", (Press("middle"),)),
        ("pyautogui.mouseUp()", (Release(),)),
        ("pyautogui.dragTo(3, 4, 1, button='left')", (Press(), Move(3, 4), Release())),
        ("pyautogui.drag(10, 0)", (Press(), Move(110, 100), Release())),
        ("pyautogui.scroll(-3)", (Scroll(0, 3),)),
        ("pyautogui.scroll(2, x=5, y=6)", (Move(5, 6), Scroll(0, -2))),
        ("pyautogui.hscroll(2)", (Scroll(2, 0),)),
        ("pyautogui.write('Grüße <3', interval=0.05)", (Type("Grüße <3"),)),
        ("pyautogui.typewrite(['a', 'enter'])", (KeyDown("a"), KeyUp("a"), KeyDown("Return"), KeyUp("Return"))),
        ("pyautogui.press('enter')", (KeyDown("Return"), KeyUp("Return"))),
        ("pyautogui.press(['a', 'b'], presses=1)", (KeyDown("a"), KeyUp("a"), KeyDown("b"), KeyUp("b"))),
        ("pyautogui.press('tab', presses=2)", (KeyDown("Tab"), KeyUp("Tab")) * 2),
        ("pyautogui.hotkey('ctrl', 's')", CTRL_S),
        ("pyautogui.hotkey(['ctrl', 's'])", CTRL_S),
        ("pyautogui.keyDown('shift')", (KeyDown("Shift_L"),)),
        ("pyautogui.screenshot()", (Look(),)),
        ("time.sleep(1.5)", (Wait(1.5),)),
        ("import time\nfrom time import sleep as nap\nnap(1)", (Wait(1.0),)),
        ("import pyautogui as pg\npg.click()", clicks()),
        ("pyperclip.copy('żółw')\npyautogui.hotkey('ctrl', 'v')",
         (Copy("żółw"), KeyDown("Control_L"), KeyDown("v"), KeyUp("v"), KeyUp("Control_L"))),
        ("import pyautogui\npyautogui.PAUSE = 1\npyautogui.FAILSAFE = False\n'''why'''\npyautogui.click()", clicks()),
        ("for i in range(3):\n    pyautogui.moveTo(100 + 20 * i, 50)", (Move(100, 50), Move(120, 50), Move(140, 50))),
        ("for i in range(2):\n    for j in range(4, 0, -2):\n        pyautogui.moveTo(i, j)",
         (Move(0, 4), Move(0, 2), Move(1, 4), Move(1, 2))),
        ("pyautogui.write('ab' + '-' * 3)", (Type("ab---"),)),
        ("pyautogui.moveTo(1280 // 2 - 40, 800 / 2 % 300)", (Move(600, 100),)),
    ],
)  # fmt: skip
def test_pyautogui(code, events):
    if events is None:
        with pytest.raises(ActionError, match="Only literals"):
            pyautogui.parse(code, SCREEN, {})
    else:
        assert pyautogui.parse(code, SCREEN, {}) == events


def test_pyautogui_code_is_found_in_blocks_and_words_end():
    assert pyautogui.parse("I click.\n```python\npyautogui.click()\n```\nDone?", SCREEN, {}) == clicks()
    assert pyautogui.parse("```python\npyautogui.click()\n```\n```DONE```", SCREEN, {}) == (*clicks(), Done())
    assert pyautogui.parse("FAIL", SCREEN, {}) == (Fail(),)
    assert pyautogui.parse("DONE 42", SCREEN, {}) == (Done("42"),)
    assert pyautogui.parse("<think>pyautogui.click()</think>WAIT", SCREEN, {}) == (Wait(1.0),)


HOSTILE = [
    ("exec('import os')", "Only calls of pyautogui"),
    ("eval('1')", "Only calls of pyautogui"),
    ("__import__('os').system('id')", "Only calls of pyautogui"),
    ("import os", "module os cannot be imported"),
    ("from os import system\nsystem('id')", "Line 1 has an import"),
    ("from time import __dict__\n__dict__()", "time.__dict__ is not known"),
    ("pyautogui.__class__()", "pyautogui.__class__ is not known"),
    ("pyautogui.os.system('id')", "Only calls of pyautogui"),
    ("pyautogui.click.__globals__['os']", "Line 1 has an attribute|Line 1 has a subscript"),
    ("(lambda: pyautogui.click())()", "Only calls of pyautogui"),
    ("f = lambda: 1", "Line 1 has an assignment"),
    ("getattr(pyautogui, 'click')()", "Only calls of pyautogui"),
    ("[pyautogui.click() for i in range(9)]", "Line 1 has a comprehension, which is not read"),
    ("1 if 2 else 3", "Line 1 has a conditional expression"),
    ("hello", "Line 1 has the bare name hello"),
    ("pyautogui.click(*[1, 2])", "Only literals"),
    ("pyautogui.click(**{'x': 1})", "got **"),
    ("pyautogui.write(open('/etc/passwd').read())", "Only literals"),
    ("pyautogui.write(f'{1}')", "got an f-string"),
    ("pyautogui.write(x)", "x is no literal"),
    ("pyautogui.write('a' if 1 else 'b')", "got a conditional expression"),
    ("pyautogui.write('x' * 10**9)", "Only literals"),
    ("pyautogui.write('x' * 999999999)", "at most 10000 characters"),
    ("pyautogui.moveTo(9**9**9, 1)", "Only literals and arithmetic on them are read, got the operator **"),
    ("pyautogui.moveTo(1 << 99, 1)", "Only literals"),
    ("pyautogui.moveTo(1 / 0, 1)", "divides by zero"),
    ("pyautogui.moveTo(1e308 * 10, 1)", "too large"),
    ("pyautogui.moveTo('5', 1)", "x must be a number"),
    ("pyautogui.moveTo(float('nan'), 1)", "Only literals"),
    ("pyautogui.click('button.png')", "Nothing is found by its picture here. Give coordinates"),
    ("pyautogui.click(1, 2, 3, 4, 'left', 6, 7, 8)", "at most 7 arguments"),
    ("pyautogui.click(1, x=2)", "got x"),
    ("pyautogui.click(colour=2)", "got colour"),
    ("pyautogui.click(clicks=1000)", "from 1 to 10"),
    ("pyautogui.locateOnScreen('a.png')", "locateOnScreen is not known"),
    ("pyperclip.paste()", "Known: copy"),
    ("while True: pyautogui.click()", "Line 1 has a 'while' loop"),
    ("for i in range(10**9): pass", "Only literals"),
    ("for i in range(1000000): pass", "more than 500 rounds"),
    ("for i in range(400):\n  for j in range(400):\n    pass", "more than 500 rounds"),
    ("for i in range(1, 2, 0): pyautogui.click()", "must not be 0"),
    ("for i in [1, 2]: pyautogui.click()", "Only loops such as"),
    ("for i, j in range(2): pyautogui.click()", "Only loops such as"),
    ("for i in range(2): pyautogui.click()\nelse: pyautogui.click()", "Only loops such as"),
    ("pyautogui.click()\n" * 600, "more than 500 events"),
    ("pyautogui.press('a', presses=400)", "more than 500 events"),
    ("time.sleep(3600)", "from 0 to 20"),
    ("time.sleep(-1)", "from 0 to 20"),
    ("time.sleep(15); time.sleep(15)", "waits 30 s in all"),
    ("pyautogui.click(", "no valid Python"),
    ("pyautogui.write('a\0b')", "NUL"),
    ("pyautogui.write('a\\0b')", "U+0000"),
    ("-" * 19_000 + "1", "nests too deeply|no valid Python|Line 1 has an operator"),
    ("pyautogui.moveTo(" + "-" * 5_000 + "1, 1)", "nests too deeply|no valid Python|deeper"),
    ("pyautogui.moveTo(" + "+".join(["1"] * 3_000) + ", 1)", "nests too deeply|deeper"),
    ("(" * 30 + ")" * 30, "deeper than 16"),
    ("a" + ".b" * 9_000, "nests too deeply|Line 1 has an attribute"),
    ("x" * 30_000, "at most 20000"),
    ("", "no action"),
    ("# only a comment", "no action"),
    ("pyautogui.moveRel(-200, 0)", "leaves the screen"),
    ("pyautogui.press('nokey')", "no key 'nokey'"),
    ("pyautogui.mouseDown(button='thumb')", "no button 'thumb'"),
    ("pyautogui.dragTo()", "needs a point"),
    ("pyautogui.scroll()", "must be a number"),
    ("def f(): pass", "Line 1 has a definition of a function"),
    ("os.PAUSE = 1", "Line 1 has an assignment"),
    ("pyautogui.PAUSE = exec('1')", "Only literals"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "why"), HOSTILE, ids=range(len(HOSTILE)))
def test_pyautogui_refuses_what_is_not_on_the_list(code, why):
    before = time.process_time()
    with pytest.raises(ActionError) as refusal:
        pyautogui.parse(code, SCREEN, {})
    assert any(part in str(refusal.value) for part in why.split("|"))
    assert time.process_time() - before < 5


def test_relative_move_needs_a_known_pointer():
    with pytest.raises(ActionError, match="place is not known"):
        pyautogui.parse("pyautogui.move(1, 1)", Frame(1280, 800), {})
    assert pyautogui.parse("pyautogui.moveTo(5, 5); pyautogui.move(1, 1)", Frame(1280, 800), {})[-1] == Move(6, 6)


@pytest.mark.parametrize(
    ("action", "events"),
    [
        ("click(start_box='(500,500)')", (Move(640, 400), *clicks())),
        ("click(start_box='<|box_start|>(500,500)<|box_end|>')", (Move(640, 400), *clicks())),
        ("click(start_box='[400, 400, 600, 600]')", (Move(640, 400), *clicks())),
        ("click(point='<point>500 500</point>')", (Move(640, 400), *clicks())),
        ("click(start_box='(0,0)')", (Move(0, 0), *clicks())),
        ("left_double(start_box='(0,0)')", (Move(0, 0), *clicks("left", 2))),
        ("right_single(start_box='(0,0)')", (Move(0, 0), *clicks("right"))),
        ("drag(start_box='(0,0)', end_box='(1000,1000)')", (Move(0, 0), Press(), Move(1279, 799), Release())),
        ("drag(start_point='<point>0 0</point>', end_point='<point>1000 1000</point>')",
         (Move(0, 0), Press(), Move(1279, 799), Release())),
        ("hotkey(key='ctrl s')", CTRL_S),
        ("hotkey(key='ctrl+s')", CTRL_S),
        ("press(key='shift')", (KeyDown("Shift_L"),)),
        ("release(key='shift')", (KeyUp("Shift_L"),)),
        ("type(content='hello\\n')", (Type("hello\n"),)),
        ("type(content='it's \"so\"')", (Type("it's \"so\""),)),
        ("type(content=\"C:\\\\dir\")", (Type("C:\\dir"),)),
        ("scroll(start_box='(0,0)', direction='down')", (Move(0, 0), Scroll(0, 5))),
        ("scroll(direction='Left')", (Scroll(-5, 0),)),
        ("wait()", (Wait(5.0),)),
        ("finished()", (Done(),)),
        ("finished(content='It is 42.')", (Done("It is 42."),)),
        ("call_user()", (Fail(),)),
        ("long_press(point='<point>0 0</point>')", (Move(0, 0), Press(), Wait(1.0), Release())),
        ("open_app(app_name='Clock')", (Open("Clock"),)),
        ("press_home()", (KeyDown("XF86HomePage"), KeyUp("XF86HomePage"))),
        ("press_back()", (KeyDown("XF86Back"), KeyUp("XF86Back"))),
    ],
)  # fmt: skip
def test_uitars(action, events):
    assert uitars.parse(f"Thought: I do it.\nAction: {action}", GRID, {}) == events
    assert uitars.parse(action, GRID, {}) == events


def test_uitars_reads_several_actions_one_after_another():
    message = "Thought: Both.\nAction: click(start_box='(0,0)')\n\ntype(content='a)\nb')\n\nwait()"
    assert uitars.parse(message, GRID, {}) == (Move(0, 0), *clicks(), Type("a)\nb"), Wait(5.0))


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("fly()", "no action 'fly'. Known: click"),
        ("click()", "click needs 'start_box'"),
        ("click(start_box='(1)')", "must be a point"),
        ("click(start_box='here')", "must be a point"),
        ("click(start_box='(1,2,3)')", "must be a point"),
        ("click(start_box='(1001,0)')", "outside the screen"),
        ("click(start_box='(-1,0)')", "outside the screen"),
        ("click(start_box='(nan,0)')", "must be a point"),
        ("click('(1,2)')", "arguments have names"),
        ("click(start_box=exec('1'))", "Only literals"),
        ("click(start_box='(1,2)', colour='red')", "no field 'colour'"),
        ("hotkey(key='nokey')", "no key"),
        ("scroll(direction='in')", "must be one of"),
        ("type(content=5)", "must be text"),
        ("click(start_box='(1,2)'", "no action"),
        ("Action:", "no action"),
        ("click(start_box='(1,2)')\n" * 200, "more than 100 actions"),
        ("click(**{'start_box': '(1,2)'})", "got **"),
        ("type(content='" + "x" * 20_000 + "')", "at most 10000"),
    ],
)
def test_uitars_refuses_and_explains(action, why):
    with pytest.raises(ActionError) as refusal:
        uitars.parse(action, GRID, {})
    assert why in str(refusal.value)


@pytest.mark.parametrize(
    ("call", "events"),
    [
        ('click("b3")', (Move(640, 320), *clicks())),
        ("click(7)", (Move(10, 10), *clicks())),
        ('click("b3", button="right", count=2, keys="ctrl")',
         (Move(640, 320), KeyDown("Control_L"), *clicks("right", 2), KeyUp("Control_L"))),
        ("click_at(0, 0)", (Move(0, 0), *clicks())),
        ('type_into("b3", "hi\\n")', (Move(640, 320), *clicks(), Type("hi\n"))),
        ('type_text("hi")', (Type("hi"),)),
        ('press("ctrl+s")', CTRL_S),
        ('press("Tab", 2)', (KeyDown("Tab"), KeyUp("Tab")) * 2),
        ('scroll("b3", 3)', (Move(640, 320), Scroll(0, 3))),
        ("scroll_at(0, 0, -3, 1)", (Move(0, 0), Scroll(1, -3))),
        ('drag("b3", "7")', (Move(640, 320), Press(), Move(10, 10), Release())),
        ("drag_at(0, 0, 5, 5)", (Move(0, 0), Press(), Move(5, 5), Release())),
        ("move_to(5, 5)", (Move(5, 5),)),
        ("mouse_down(); mouse_up()", (Press(), Release())),
        ('key_down("shift"); key_up("shift")', (KeyDown("Shift_L"), KeyUp("Shift_L"))),
        ("wait()", (Wait(1.0),)),
        ("look()", (Look(),)),
        ("zoom(0, 0, 99, 49)", (Look(Box(0, 0, 100, 50)),)),
        ('answer("42")', (Answer("42"),)),
        ("finish()", (Done(),)),
        ('give_up("no such file")', (Fail("no such file"),)),
        ('<tool_call>{"name": "click", "arguments": {"element": "b3"}}</tool_call>', (Move(640, 320), *clicks())),
    ],
)  # fmt: skip
def test_tools(call, events):
    assert tools.parse(call, SCREEN, ELEMENTS) == events


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ('click("b4")', "no element 'b4' on the screen now"),
        ('click("")', "no element ''"),
        ("click()", "needs the argument 'element'"),
        ('click("b3", button="thumb")', "must be one of 'left'"),
        ('click("b3", count=0)', "from 1 to 10"),
        ("click_at(1280, 0)", "outside the screen"),
        ('click_at("5", 0)', "must be a number"),
        ("click_at(1e400, 0)", "Numbers must be finite"),
        ('press("nokey")', "no key"),
        ('press("a", 1000)', "from 1 to 100"),
        ('type_text("a\\0")', "U+0000"),
        ("wait(1000)", "from 0 to 20"),
        ("zoom(9, 9, 1, 1)", "upper left"),
        ("fly()", "no tool 'fly'"),
        ("click('b3')\nclick('b4')", "no element 'b4'"),
        ("\n".join(["wait(0)"] * 1000), "more than 64 tool calls"),
        ("x" * 1_000_000, "at most 100000"),
    ],
)
def test_tools_refuse_and_explain(call, why):
    with pytest.raises(ActionError) as refusal:
        tools.parse(call, SCREEN, ELEMENTS)
    assert why in str(refusal.value)


def test_every_syntax_has_tools_or_a_guide():
    assert len(SYNTAXES) == 10
    for syntax in SYNTAXES.values():
        assert syntax.tools or syntax.guide


def test_calls_of_a_message_are_kept_for_their_answers():
    action = syntax_named("tools").action('click("b3")')
    assert [call.name for call in action.tool_calls] == ["click"]
    assert syntax_named("pyautogui").action("pyautogui.click()").tool_calls == ()


def test_the_longest_wait_leaves_a_step_time_to_settle():
    settling_s = 30
    assert MAX_WAIT_S + settling_s < Limits().step_timeout_s
