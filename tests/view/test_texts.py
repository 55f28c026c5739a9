import html
import re

import pytest

from agentgym.view.texts import code, folded, is_diff, passage, shorten

DIFF = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,2 +1,3 @@
 def f():
-    return <1>
+    x = 1
+    return x
"""


def plain(page):
    return html.unescape(re.sub("<[^>]*>", "", page))


def test_code_keeps_its_white_space():
    value = "\n   1\tdef f():\n   2\t    return 1  \n"
    drawn = code(value)
    assert drawn.startswith('<pre class="code">')
    assert plain(drawn) == f"\n{value}", "a browser drops the line feed right after the tag"


def test_code_of_very_long_lines_is_wrapped():
    assert 'class="code wrapped"' in code("a\n" + "b" * 300)
    assert 'class="code wrapped"' in code("one line of any length")


@pytest.mark.parametrize(
    "found",
    [
        "    from a import b\n    b(1)",
        "   1: def f():\n   2:     return 1",
        "def f(x):\n    y = x\n\n    return y",
        DIFF.rstrip("\n"),
        '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}',
    ],
)
def test_code_alone_is_all_of_the_message(found):
    drawn = passage(found)
    assert drawn.startswith('<pre class="code text">')
    assert plain(drawn).strip("\n") == found


def test_code_in_prose_is_set_apart():
    drawn = passage("Write it.\n\nThis call reaches it:\n\n    from a import b\n\n    b('<i>')\n\nMend the fault.")
    assert re.findall(r"<pre[^>]*>\n(.*?)</pre>", drawn, re.DOTALL) == [
        "    from a import b\n\n    b(&#x27;&lt;i&gt;&#x27;)",
    ]
    assert drawn.startswith('<div class="text">Write it.\n\nThis call reaches it:<pre')
    assert drawn.endswith("</pre>Mend the fault.</div>")


def test_prose_around_much_code_stays_prose():
    code_lines = [f"    from toolz import f{at}" for at in range(6)]
    drawn = passage(
        "\n".join(["# join is wrong", "", "With the current version of toolz:", "", *code_lines, "", "Mend it."])
    )
    assert drawn.startswith('<div class="text"># join is wrong\n\nWith the current version of toolz:<pre class="code">')
    assert drawn.endswith("f5</pre>Mend it.</div>")


def test_code_between_fences_is_set_apart_with_its_fences():
    drawn = passage("Run this:\n```sh\nls\n```\nThen that.")
    assert "<pre" in drawn
    assert plain(drawn).split("\n") == ["Run this:", "```sh", "ls", "```Then that."]


@pytest.mark.parametrize(
    "prose",
    [
        "There is no tool 'nosuch'. Did you mean search?",
        "Choose:\n1. the first\n2. the second\n    - with a part\nThank you.",
        "return the article if it is broken\nfrom here on\nimport taxes are yours.",
        "I was at home.\nFor a while: nothing.\n\nThen two lines\nof words.",
    ],
)
def test_prose_is_not_code(prose):
    assert passage(prose) == f'<div class="text">{html.escape(prose)}</div>'


def test_lines_of_a_diff_are_marked_and_escaped():
    assert is_diff(DIFF)
    drawn = code(DIFF)
    assert '<span class="del">-    return &lt;1&gt;\n</span>' in drawn
    assert drawn.count('class="add"') == 2
    assert drawn.count('class="head"') == 3
    assert drawn.count('class="hunk"') == 1
    assert plain(drawn) == f"\n{DIFF}"
    assert not is_diff("- one\n+ two\n--- three")


def test_a_folded_text_says_how_long_it_is():
    assert "<summary>8 lines, 2 added, 1 removed</summary>" in folded(DIFF)
    drawn = folded("a\nb\n")
    assert drawn.startswith('<details class="fold"><summary>2 lines</summary><pre')
    assert folded("a\nb", is_open=True).startswith('<details class="fold" open>')


def test_a_long_text_is_cut_between_words():
    assert shorten("one two three", 100) == "one two three"
    assert shorten("one two three four", 12) == "one two\n… 11 more characters"
    assert shorten("x" * 20, 12) == f"{'x' * 12}\n… 8 more characters"
