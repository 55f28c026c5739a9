"""Actions of agents that are too large, that reach for what is not theirs, or that make no sense."""

from __future__ import annotations

from tests.environments.web.hostile.case import Case, MessageCase, click, goto

_FIELD = "<h1>Here</h1><input aria-label=Name><textarea aria-label=Text></textarea><button>Go</button>"
_MIB = 1 << 20

AGENTS = [
    Case(
        "`fill` with five million characters",
        "Refused; the page stays.",
        _FIELD,
        calls=(("fill", {"bid": "2", "value": "a" * 5_000_000}),),
        says=("error: The text has 5000000 characters; at most 200000 are filled in.", 'textbox "Text"'),
    ),
    Case(
        "`goto` of an address of two megabytes",
        "Refused; the page stays.",
        _FIELD,
        calls=(goto("http://hostile.test/plain?" + "a" * 2 * _MIB),),
        says=("error: The address has 2097178 characters; at most 100000 can be opened.", 'heading "Here"'),
    ),
    Case(
        "`goto` of something that is no address",
        "Refused; the page stays.",
        _FIELD,
        calls=(goto("http://[not an address"),),
        says=("error: 'http://[not an address' is no address.", 'heading "Here"'),
    ),
    Case(
        "An id that is on no page",
        "Explained; the page stays.",
        _FIELD,
        calls=(click(99999),),
        says=("error: There is no element 99999.", 'heading "Here"'),
    ),
    Case(
        "An id that is no id",
        "Explained; the page stays.",
        _FIELD,
        calls=(("click", {"bid": "1); alert(1"}),),
        says=("error: '1); alert(1' is no id of an element.", 'heading "Here"'),
    ),
    Case(
        "Keys that close tabs, open windows or developer tools",
        "They have no effect but on the page.",
        _FIELD,
        calls=tuple(
            ("keyboard_press", {"key": key})
            for key in ("Control+W", "Control+T", "Control+N", "F12", "Control+Shift+I", "Alt+F4", "Control+P", "F11")
        ),
        says=('heading "Here"',),
        never=("tab 1",),
    ),
    Case(
        "`upload_file` of a path that was not given",
        "Refused; the files that were given are named.",
        "<input type=file aria-label=File>",
        calls=(("upload_file", {"bid": "1", "file": "../../etc/passwd"}),),
        says=("error: You were given no file '../../etc/passwd'. Files: plan.txt.",),
    ),
    Case(
        "A click far outside the window",
        "Explained; the page stays.",
        _FIELD,
        calls=(("mouse_click", {"x": 1e9, "y": -5.0}),),
        says=("error:", 'heading "Here"'),
    ),
    Case(
        "Two hundred thousand keys, one by one",
        "Refused; the page stays.",
        _FIELD,
        calls=(click(1), ("keyboard_type", {"text": "ab" * 100_000})),
        says=("error: The text has 200000 characters; at most 2000 are typed.", 'heading "Here"'),
    ),
    Case(
        "Half a pair of surrogates in a text",
        "It is typed as a question mark.",
        _FIELD,
        calls=(("fill", {"bid": "1", "value": "a\ud800b"}),),
        says=('textbox "Name" value="a?b"',),
    ),
]

MESSAGES = [
    MessageCase(
        "10,000 actions in a message",
        "Refused as too long; nothing is done.",
        "\n".join(['click("1")'] * 10_000),
        "at most 20000 are read.",
    ),
    MessageCase(
        "Sixty actions in a message",
        "The first eight are carried out, and the agent is told so.",
        "\n".join(["noop(0)"] * 60),
        "not run: at most 8 actions a message",
        is_invalid=False,
    ),
    MessageCase(
        "Python in an action's argument",
        "Refused: arguments are only read.",
        'click(__import__("pathlib").Path("PLANTED").touch())',
        "Arguments must be literals (text, numbers, lists, dicts), got a call.",
    ),
    MessageCase(
        "Python beside an action",
        "Refused: only calls of tools are read.",
        'click("1"); open("PLANTED", "w")',
        "",
    ),
    MessageCase(
        "Three million characters in an action",
        "Refused as too long; nothing is done.",
        f"click('{'a' * 3_000_000}')",
        "at most 1000000 are read.",
    ),
    MessageCase(
        "An object where an id belongs",
        "Refused; what is expected is named.",
        '{"name": "click", "arguments": {"bid": {"$ne": 1}}}',
        "click.bid must be a string or an integer",
    ),
]
