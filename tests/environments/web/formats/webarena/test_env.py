import http.server
import io
import json
import socket
import threading
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest
from PIL import Image

import agentgym
from agentgym.cli.main import main
from agentgym.errors import ConfigError, InfrastructureError, TaskError
from agentgym.picture import has_picture
from agentgym_web.formats.webarena.env import WebArenaEnv

PAGE = """<h1>Orders</h1><a href="/order?id=7&x=1">7</a><p id="total">Total: 12 EUR</p>
<p class="shown"><img src="/red.png"></p><img src="/blue.png"><button onclick="this.textContent = 'Sent'">Send</button>
<p id="who"></p><p id="stored"></p>
<script>who.textContent = document.cookie; stored.textContent = localStorage.theme ?? "none"</script>"""


HANGING = """<p class="shown"><img src="/red.png"></p>
<script>document.querySelectorAll = () => { for (;;); }</script>"""
FUNCTIONS = """<p id="who">Ada</p>
<table><tr><td data-label="Account"><span class="gl-avatar-labeled-sublabel">@al</span></td>
<td class="col-max-role"><span>Owner</span></td></tr>
<tr><td data-label="Account"><span class="gl-avatar-labeled-sublabel">@bo</span></td>
<td class="col-max-role"><span>Guest</span></td></tr></table>
<div id="main"><a class="fg-inherit">op</a>
%s
</div>
<table id="my-orders-table"><tbody><tr><td class="col name">Kite</td><td class="col sku">B1</td>
<td class="col qty">Ordered1</td></tr></tbody>
<tbody><tr><td class="col name">Mug</td><td class="col sku">B2</td><td class="col qty">Ordered3</td></tr></tbody>
<tbody><tr><td class="col name">Hat<dl><dt>Size</dt><dd>Large</dd></dl></td><td class="col sku">B3</td>
<td class="col qty">Ordered2</td></tr></tbody></table>
<table id="productDetails_detailBullets_sections1"><tbody><tr><th>Colour</th><td>red</td></tr>
<tr><th>Item Weight</th><td>2 kg</td></tr><tr><th>Maker</th><td>B</td></tr></tbody></table>
<div class="product-info-price"><div class="price-box price-final_price"><span><span>$1,024.50</span></span></div></div>
<a id="tab-label-reviews-title">Reviews 12</a><div class="rating-result" title="80%%"></div>
"""


def comment(user, time, text, inner=""):
    head = f"<header><h1><a class=fg-inherit>{user}</a> <span><time datetime={time}>then</time></span></h1></header>"
    said = f"<div class=comment__content>{text}</div>"
    return f"<article class=comment><div class=comment__main>{head}{said}</div>{inner}</article>"


FUNCTIONS %= comment("bo", "2023-01-01T10:00:00Z", "older") + comment(
    "cy", "2023-01-02T10:00:00Z", "first", comment("bo", "2023-01-03T10:00:00Z", "newer")
)
PAGES = {"/hangs": HANGING, "/functions": FUNCTIONS}


def picture(color):
    kept = io.BytesIO()
    image = Image.effect_noise((24, 24), 60).convert("RGB")
    image.paste(color, (0, 0, 12, 24) if color == "red" else (0, 0, 24, 12))
    image.save(kept, "PNG")
    return kept.getvalue()


RED, BLUE = picture("red"), picture("blue")


@pytest.fixture(scope="module")
def base(serving):
    with serving() as address:
        yield address


@pytest.fixture(scope="module")
def serving():
    """What serves the page on a port of its own."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            found = {"/red.png": ("image/png", RED), "/blue.png": ("image/png", BLUE)}
            kind, body = found.get(self.path, ("text/html", PAGES.get(self.path, PAGE).encode()))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    @contextmanager
    def serve():
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        server.server_close()

    return serve


class Judge:
    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def ask(self, question, pictures=()):
        self.asked.append((question, len(pictures)))
        return self.answer


def task(**wanted):
    return {"task_id": 1, "intent": "What is the total?", "start_url": "__SHOPPING__/orders", "eval": wanted}


def play(tmp_path, base, fields, *actions, **options):
    (tmp_path / "t.json").write_text(json.dumps([fields]))
    env = WebArenaEnv(str(tmp_path / "t.json"), {"__SHOPPING__": base}, **options)
    try:
        env.reset(seed=0)
        for each in actions:
            info = env.step(each)[4]
        return info["success"]
    finally:
        env.close()


def test_answer_is_compared(tmp_path, base):
    fields = task(eval_types=["string_match"], reference_answers={"must_include": ["12"]})
    assert play(tmp_path, base, fields, 'send_msg_to_user("12 EUR")')
    assert not play(tmp_path, base, fields, 'send_msg_to_user("13 EUR")')


def test_site_that_is_down_is_no_failure_of_the_agent(tmp_path):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    fields = task(eval_types=["string_match"], reference_answers={"must_include": ["12"]})
    with pytest.raises(InfrastructureError, match=rf"127\.0\.0\.1:{port}, which does not answer; start that site"):
        play(tmp_path, f"http://127.0.0.1:{port}", fields, 'send_msg_to_user("12 EUR")')


def test_site_that_goes_down_is_no_failure_of_the_agent(tmp_path, serving):
    fields = task(eval_types=["program_html"], program_html=[])
    fields["eval"]["program_html"] = [{"url": "__SHOPPING__/", "required_contents": {"exact_match": "no"}}]
    with serving() as base:
        (tmp_path / "t.json").write_text(json.dumps([fields]))
        env = WebArenaEnv(str(tmp_path / "t.json"), {"__SHOPPING__": base})
        env.reset(seed=0)
    with closing(env), pytest.raises(InfrastructureError, match="does not answer"):
        env.step('send_msg_to_user("done")')


def test_sites_may_stand_at_two_ports_of_this_machine(tmp_path, base, serving):
    fields = task(eval_types=["url_match"], reference_url="__FORUM__/order?id=7&x=1")
    with serving() as other:
        (tmp_path / "t.json").write_text(json.dumps([{**fields, "start_url": "__SHOPPING__/ |AND| __FORUM__/"}]))
        with closing(WebArenaEnv(str(tmp_path / "t.json"), {"__SHOPPING__": base, "__FORUM__": other})) as env:
            env.reset(seed=0)
            env.step('click("1")')
            assert env.step('send_msg_to_user("done")')[4]["success"]


def test_address_and_content_are_compared(tmp_path, base):
    content = {"url": "last", "locator": "document.querySelector('#total').textContent"}
    fields = task(
        eval_types=["url_match", "program_html"],
        reference_url="__SHOPPING__/order?x=1&id=7",
        program_html=[{**content, "required_contents": {"exact_match": "Total: 12 EUR"}}],
    )
    assert play(tmp_path, base, fields, 'click("1")', 'send_msg_to_user("done")')
    assert not play(tmp_path, base, fields, 'send_msg_to_user("done")')
    fields["eval"]["program_html"][0]["required_contents"] = {"exact_match": "Total: 13 EUR"}
    assert not play(tmp_path, base, fields, 'click("1")', 'send_msg_to_user("done")')


def test_last_page_is_judged_as_the_agent_left_it(tmp_path, base):
    content = {"url": "last", "locator": "document.querySelector('button').textContent"}
    fields = task(eval_types=["program_html"], program_html=[{**content, "required_contents": {"exact_match": "Sent"}}])
    assert play(tmp_path, base, fields, 'click("2")', 'send_msg_to_user("done")')
    assert not play(tmp_path, base, fields, 'send_msg_to_user("done")')


@pytest.mark.parametrize("hanging", ["(() => { for (;;); })()", "new Promise(() => {})"])
def test_page_that_hangs_while_it_is_judged_has_no_content(tmp_path, base, monkeypatch, hanging):
    monkeypatch.setattr(WebArenaEnv, "settings", replace(WebArenaEnv.settings, hang_s=1.0))
    total = {"locator": "document.querySelector('#total').textContent", "required_contents": {"must_include": ["12"]}}
    before = {"url": "last", "locator": hanging, "required_contents": {"must_exclude": ["12"]}}
    fields = task(eval_types=["program_html"], program_html=[before, {"url": "last", **total}])
    tries = (play(tmp_path, base, fields, 'send_msg_to_user("done")') for _ in range(3))
    assert any(tries), "also on a busy machine, where other pages too may take a second"
    fields["eval"]["program_html"][0]["required_contents"] = {"must_include": ["12"]}
    assert not play(tmp_path, base, fields, 'send_msg_to_user("done")')


def test_pictures_of_a_page_that_hangs_are_none(tmp_path, base, monkeypatch):
    monkeypatch.setattr(WebArenaEnv, "settings", replace(WebArenaEnv.settings, hang_s=1.0))
    query = {"eval_image_url": "last", "eval_image_class": ".shown"}
    fields = task(eval_types=["page_image_query"], page_image_query=[query])
    fields["start_url"] = "__SHOPPING__/hangs"
    assert not play(tmp_path, base, fields, 'send_msg_to_user("done")')


@pytest.mark.parametrize(
    "wanted",
    [
        {"page_image_query": [{"eval_image_url": "last", "eval_image_class": ":::"}]},
        {
            "program_html": [
                {
                    "url": "last",
                    "locator": "func:get_query_text(__page__, ':::')",
                    "required_contents": {"exact_match": "x"},
                }
            ]
        },
    ],
)
def test_selector_that_is_none_is_refused_before_the_task_is_played(tmp_path, base, wanted):
    fields = task(eval_types=list(wanted), **wanted)
    with pytest.raises(TaskError, match=r"'webarena:1': \w+ has no CSS selector: got ':::'"):
        play(tmp_path, base, fields)


@pytest.mark.parametrize(
    ("locator", "wanted"),
    [
        ("get_query_text(__page__, '#who')", "Ada"),
        ("get_query_text(__page__, '.none')", ""),
        ('get_query_text_lowercase(__page__, "#who")', "ada"),
        ("gitlab_get_project_memeber_role(__page__, 'bo')", "Guest"),
        ("gitlab_get_project_memeber_role(__page__, 'none')", ""),
        ("reddit_get_latest_comment_content_by_username(__page__, 'bo')", "newer"),
        ("reddit_get_parent_comment_username_of_latest_comment_by_username(__page__, 'bo')", "cy"),
        ("reddit_get_parent_comment_username_of_latest_comment_by_username(__page__, 'cy')", "op"),
        ("shopping_get_order_product_name_list(__page__)", "Kite |OR| Mug |OR| Hat\nSize\nLarge"),
        ("shopping_get_order_product_quantity(__page__, 'B9 |OR| B2')", "3"),
        ("shopping_get_order_product_quantity(__page__, 'B7')", "0"),
        ("shopping_get_order_product_option(__page__, 'B3', 'Size')", "Large"),
        ("shopping_get_product_attributes(__page__, 'Colour |OR| weight')", "red, 2 kg"),
        ("shopping_get_product_price(__page__)", "1024.5"),
        ("shopping_get_num_reviews(__page__)", "12"),
        ("shopping_get_rating_as_percentage(__page__)", "80"),
    ],
)
def test_functions_of_published_tasks_look_at_the_page(tmp_path, base, locator, wanted):
    target = {
        "url": "__SHOPPING__/functions",
        "locator": f"func:{locator}",
        "required_contents": {"exact_match": wanted},
    }
    fields = task(eval_types=["program_html"], program_html=[target])
    assert play(tmp_path, base, fields, 'send_msg_to_user("done")')


def test_address_may_be_a_function_of_the_last_page(tmp_path, base):
    target = {"url": "func:reddit_get_post_url('__last_url__')", "locator": "location.pathname"}
    fields = task(
        eval_types=["program_html"], program_html=[{**target, "required_contents": {"exact_match": "/f/a/7/"}}]
    )
    fields["start_url"] = "__SHOPPING__/f/a/7/title/-/comment/9"
    assert play(tmp_path, base, fields, 'send_msg_to_user("done")')


def test_judge_decides_fuzzy_matches_of_answers_and_pages(tmp_path, base):
    fields = task(
        eval_types=["string_match", "program_html"],
        reference_answers={"fuzzy_match": ["twelve"]},
        program_html=[
            {
                "url": "last",
                "locator": "document.querySelector('#total').textContent",
                "required_contents": {"fuzzy_match": "a sum"},
            }
        ],
    )
    with pytest.raises(ConfigError, match="needs a judge"):
        play(tmp_path, base, fields, 'send_msg_to_user("12")')
    judge = Judge("yes")
    assert play(tmp_path, base, fields, 'send_msg_to_user("12")', judge=judge)
    assert [('"twelve"' in asked, '"Total: 12 EUR"' in asked) for asked, _ in judge.asked] == [
        (True, False),
        (False, True),
    ]
    assert not play(tmp_path, base, fields, 'send_msg_to_user("12")', judge=Judge("no"))


def test_pictures_of_a_page_are_compared_and_asked_about(tmp_path, base):
    (tmp_path / "red.png").write_bytes(RED)
    (tmp_path / "other.png").write_bytes(picture("green"))
    query = {"eval_image_url": "last", "eval_image_class": ".shown"}
    fields = task(eval_types=["page_image_query"], page_image_query=[{**query, "eval_fuzzy_image_match": "red.png"}])
    assert play(tmp_path, base, fields, 'send_msg_to_user("done")')
    fields["eval"]["page_image_query"][0]["eval_fuzzy_image_match"] = "__SHOPPING__/blue.png |OR| other.png"
    assert not play(tmp_path, base, fields, 'send_msg_to_user("done")')
    fields["eval"]["page_image_query"] = [{**query, "eval_vqa": [{"question": "Which colour?", "answer": "red"}]}]
    judge = Judge("It is Red.")
    assert play(tmp_path, base, fields, 'send_msg_to_user("done")', judge=judge)
    assert judge.asked == [("Question: Which colour? Answer in a few words.", 1)]
    assert not play(tmp_path, base, fields, 'send_msg_to_user("done")', judge=Judge("blue"))


def test_task_shows_its_pictures(tmp_path, base):
    (tmp_path / "red.png").write_bytes(RED)
    fields = task(eval_types=["url_match"], reference_url="x") | {"image": ["red.png", "__SHOPPING__/blue.png"]}
    (tmp_path / "t.json").write_text(json.dumps(fields))
    env = WebArenaEnv(str(tmp_path / "t.json"), {"__SHOPPING__": base}, screenshot=True)
    [message] = env.reset(seed=0)[1]["messages"]
    assert has_picture([message])
    assert [part["type"] for part in message["content"]] == ["text", "image_url", "image_url", "image_url"]
    assert "Pictures of the task: 2" in message["content"][0]["text"]
    env.close()


def test_picture_that_is_missing_is_named(tmp_path, base):
    fields = task(eval_types=["url_match"], reference_url="x")
    for name, said in (("none.png", "none.png cannot be read"), ("__SHOPPING__/orders", "no picture came from")):
        with pytest.raises(ConfigError, match=said):
            play(tmp_path, base, fields | {"image": name}, "noop()")


def test_login_is_there_from_the_start_and_gone_in_the_next_task(tmp_path, base):
    cookie = {"name": "user", "value": "ada", "domain": "127.0.0.1", "path": "/", "expires": -1, "sameSite": "Lax"}
    stored = [{"origin": base, "localStorage": [{"name": "theme", "value": "dark"}]}]
    (tmp_path / "login.json").write_text(json.dumps({"cookies": [cookie], "origins": stored}))
    plain = task(eval_types=["url_match"], reference_url="x")
    (tmp_path / "t.json").write_text(json.dumps([{**plain, "require_login": True, "sites": ["shopping"]}, plain]))
    logins = {"__SHOPPING__": str(tmp_path / "login.json")}
    env = WebArenaEnv(str(tmp_path / "t.json"), {"__SHOPPING__": base}, logins)
    shown = [env.reset(options={"task": env.make_task(number)})[0]["text"] for number in (0, 1)]
    env.close()
    assert ["user=ada" in text for text in shown] == [True, False]
    assert ['"dark"' in text for text in shown] == [True, False]


def test_file_is_played_by_id_from_the_command_line(tmp_path, base, capsys):
    fields = task(eval_types=["url_match"], reference_url="__SHOPPING__/orders")
    (tmp_path / "t.json").write_text(json.dumps([fields, {**fields, "task_id": 2}]))
    options = [f"tasks={tmp_path / 't.json'}", f"sites={json.dumps({'__SHOPPING__': base})}"]
    arguments = ["eval", "--suite", "agentgym/WebArena-v0", "--policy", "null", "--json", "--env-option", *options]
    assert main(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    assert [(each["id"], each["successes"]) for each in result["tasks"]] == [("webarena:1", 1), ("webarena:2", 1)]


@pytest.mark.parametrize(
    ("number", "actions"),
    [
        (0, ['send_msg_to_user("18.50 EUR")']),
        (1, ['click("2")', 'send_msg_to_user("done")']),
        (2, ['click("1")', 'send_msg_to_user("done")']),
        (3, ['click("1")', 'send_msg_to_user("done")']),
    ],
)
def test_examples_can_be_solved(number, actions):
    env = agentgym.make("agentgym/WebArena-v0")
    env.reset(seed=number)
    infos = [env.step(action)[4] for action in actions]
    env.close()
    assert infos[-1]["success"]


def test_judge_may_be_named():
    env = agentgym.make("agentgym/WebArena-v0", judge="endpoint:http://127.0.0.1:9/v1#model")
    assert env.make_task(0).id == "webarena:0"
