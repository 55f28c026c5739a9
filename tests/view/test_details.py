import re

from agentgym.view.details import is_empty, terms, texts_in
from agentgym.view.markup import Html


def rows_of(drawn):
    return re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", drawn, re.DOTALL)


def test_each_name_is_a_row():
    drawn = terms([("instance_id", "a b"), ("is_right", False), ("count", 0), ("rate", 0.123456)])
    assert drawn.startswith('<dl class="terms">')
    assert rows_of(drawn) == [("instance id", "a b"), ("is right", "no"), ("count", "0"), ("rate", "0.1235")]


def test_empty_values_have_no_row():
    drawn = terms([("a", {}), ("b", []), ("c", ""), ("d", None), ("e", {"f": []}), ("g", " \n"), ("h", [""])])
    assert drawn == '<dl class="terms"></dl>'
    assert not is_empty(0)
    assert not is_empty(False)


def test_numbers_of_a_mapping_are_one_line():
    assert rows_of(terms([("parts", {"applies": 1.0, "left_out": 0.25})])) == [
        ("parts", '<div class="pairs"><span>applies <b>1</b></span><span>left out <b>0.25</b></span></div>')
    ]


def test_other_mappings_are_rows_of_their_own():
    drawn = terms([("found", {"why": "late", "at": [1, 2]})])
    assert drawn.count("<dl") == 2
    assert "<dt>why</dt><dd>late</dd><dt>at</dt><dd><ul><li>1</li><li>2</li></ul></dd>" in drawn


def test_lists_are_bullet_points():
    assert "<ul><li>a: failed</li><li>b</li></ul>" in terms([("reasons", ["a: failed", "", "b"])])
    assert "<li>7 more</li>" in terms([("reasons", [str(at) for at in range(57)])])


def test_a_text_of_several_lines_is_folded():
    drawn = terms([("patch", "--- a\n+++ b\n@@ -1 +1 @@\n-    x\n+    y\n")])
    assert '<details class="fold"><summary>5 lines, 1 added, 1 removed</summary><pre class="code text">' in drawn
    assert '<span class="add">+    y\n</span>' in drawn


def test_deep_values_end_as_one_text():
    assert "{&quot;e&quot;: {&quot;f&quot;: 1}}" in terms([("a", {"b": {"c": {"d": {"e": {"f": 1}}}}})])


def test_names_and_values_are_escaped():
    hostile = "<script>&"
    drawn = terms([(hostile, hostile), ("a", [hostile]), ("b", {hostile: 1}), ("c", {hostile: {hostile: hostile}})])
    assert "<script" not in drawn
    assert drawn.count("&lt;script&gt;&amp;") == 7
    assert "<b>" in terms([("a", Html("<b></b>"))]), "markup of this package stays"


def test_texts_are_found_at_any_depth():
    assert texts_in({"a": ["b", {"c": "d"}], "e": 1, "f": ("g",)}) == ["b", "d", "g"]
