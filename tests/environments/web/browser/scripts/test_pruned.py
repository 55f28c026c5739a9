"""The pruned DOM."""

from __future__ import annotations

from agentgym_web.browser.settings import View
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
        '<a href="/next">Go</a>',
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
