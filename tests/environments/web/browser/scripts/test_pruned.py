"""The pruned DOM."""

from __future__ import annotations

from dataclasses import replace

from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import estimate_tokens, fit, partners
from tests.environments.web.browser.driving import Browser

DOM = View(tree=False, dom=True)


def test_dom_keeps_tags_texts_and_telling_attributes(browser: Browser) -> None:
    sight = browser.show("""<div><div><p class="x" style="color:red" data-y=1>One <b>two</b></p></div></div>
        <a href="/next" onclick="">Go</a><img alt=Logo src=data:,>""", DOM)  # fmt: skip

    assert sight.dom.splitlines() == [
        '<p class="x">',
        " One",
        " <b>two</b>",
        "</p>",
        '<a bid="1" href="/next">Go</a>',
        '<img alt="Logo"/>',
    ]


def test_dom_has_the_ids_of_the_tree(browser: Browser) -> None:
    browser.show("<button>Go</button><input name=q>")

    assert browser.page.look(View(dom=True)).dom.splitlines() == [
        '<button bid="1">Go</button>',
        '<input bid="2" name="q"/>',
    ]


def test_dom_leaves_out_scripts_and_what_is_hidden(browser: Browser) -> None:
    body = "<script>1</script><style>p {}</style><p hidden>a</p><p style='display:none'>b</p><p>here</p>"

    assert browser.show(body, DOM).dom == "<p>here</p>"


def test_dom_is_escaped(browser: Browser) -> None:
    browser.show("<p id=p></p>")
    browser.value("""p.textContent = '</p><button bid="9">\\n&', p.title = '" bid="9'""")

    assert browser.page.look(DOM).dom == (
        '<p id="p" title="&quot; bid=&quot;9">&lt;/p&gt;&lt;button bid="9"&gt; &amp;</p>'
    )


def test_dom_includes_frames_and_shadow_trees(browser: Browser) -> None:
    browser.site.pages["/in"] = "<p>inner</p>"
    sight = browser.show(
        """<iframe src=/in></iframe><x-a><template shadowrootmode=open><i>deep</i></template></x-a>""", DOM
    )

    lines = [line.strip() for line in sight.dom.splitlines()]
    assert "<p>inner</p>" in lines
    assert "<i>deep</i>" in lines


def test_dom_that_is_very_large_is_cut(browser: Browser) -> None:
    sight = browser.show(f"<p class={'x' * 90}>{'word ' * 70}</p>" * 2000, DOM)

    assert 300_000 < len(sight.dom) < 500_000


def test_dom_leaves_out_what_the_tree_leaves_out(browser: Browser) -> None:
    browser.site.pages["/in"] = "<p style='visibility:hidden'>e</p>"
    sight = browser.show(
        """<p style='visibility:hidden'>a<b style='visibility:visible'>seen</b></p><p aria-hidden=true>b</p>
        <details><summary>More</summary>c</details><p style='font-size:0'>d</p><iframe src=/in></iframe><p>here</p>
        <footer>f</footer>""",
        replace(DOM, skip=("footer",)),
    )

    assert [line.strip() for line in sight.dom.splitlines()] == [
        "<b>seen</b>", "<details>", '<summary bid="1">More</summary>', "</details>", "<p>", "</p>",
        '<iframe bid="2">', "</iframe>", "<p>here</p>",
    ]  # fmt: skip


def test_dom_says_what_fields_hold_now(browser: Browser) -> None:
    browser.show("""<input id=one value=old><input id=two type=checkbox><input id=three type=password value=secret>
        <select id=four><option>S<option>M</select><button disabled>Go</button>""")
    browser.value("one.value = 'new', two.checked = true, four.value = 'M'")

    assert browser.page.look(DOM).dom.splitlines() == [
        '<input bid="1" id="one" value="new"/>',
        '<input bid="2" id="two" type="checkbox" value="on" checked/>',
        '<input bid="3" id="three" type="password" value="••••••"/>',
        '<select bid="4" id="four">',
        " <option>S</option>",
        " <option selected>M</option>",
        "</select>",
        '<button bid="5" disabled>Go</button>',
    ]


def test_dom_without_the_tree_has_ids_that_actions_take(browser: Browser) -> None:
    browser.show("<p>Text</p><button onclick=\"this.textContent = 'done'\">Go</button>", DOM)
    assert browser.sight.dom.splitlines() == ["<p>Text</p>", '<button bid="1">Go</button>']

    assert browser.do("click", DOM, bid="1").dom.splitlines()[1] == '<button bid="1">done</button>'


def test_dom_gives_ids_to_all_elements_where_the_tree_does(browser: Browser) -> None:
    assert browser.show("<div><p>Text</p></div>", replace(DOM, ids="all")).dom == '<p bid="1">Text</p>'


def test_dom_has_what_is_put_into_slots(browser: Browser) -> None:
    sight = browser.show("<x-a><template shadowrootmode=open><i><slot></slot></i></template><b>given</b></x-a>", DOM)

    assert [line.strip() for line in sight.dom.splitlines()] == ["<x-a>", "<i>", "<b>given</b>", "</i>", "</x-a>"]


def test_dom_of_the_visible_part_leaves_out_the_rest(browser: Browser) -> None:
    browser.show("<main><p>top</p><div style='height:3000px'></div><p>far <b>down</b></p></main>")

    assert browser.page.look(replace(DOM, visible_only=True)).dom.splitlines() == ["<main>", " <p>top</p>", "</main>"]
    assert "down" in browser.page.look(DOM).dom


def test_dom_within_a_budget_keeps_whole_elements_and_what_matters_most(browser: Browser) -> None:
    rows = "".join(
        f"<li class=row{number}><a href=/{number}>Link {number}</a> text {number}</li>" for number in range(99)
    )
    browser.show(f"<ul>{rows}</ul><input name=last autofocus>")
    browser.value("document.querySelector('input').focus()")
    view = replace(DOM, max_tokens=120)
    sight = browser.page.look(view)
    text = sight.text(view, with_head=False)

    assert estimate_tokens(text) <= 120
    *kept, note = text.splitlines()
    assert note == f"({sight.dom.count(chr(10)) + 1 - len(kept)} lines left out)"
    assert kept[-1].startswith("<input bid=")
    assert any(">Link " in line for line in kept)
    assert not any("</li>" in line for line in kept)
    assert set(kept) <= set(sight.dom.splitlines())


def test_budget_keeps_or_drops_both_ends_of_an_element() -> None:
    lines = ["<main>", " <p>", "  One", "  <b>two</b>", " </p>", ' <img alt="a"/>', "</main>"]
    ends = partners(lines)
    assert ends == {0: 6, 1: 4}

    for budget in range(9, 30):
        kept = [line for line in fit(lines, "4422444", budget, lambda text: 3, ends) if "left out" not in line]
        assert partners(kept).keys() == {
            number for number, line in enumerate(kept) if line.strip() in ("<main>", "<p>")
        }
