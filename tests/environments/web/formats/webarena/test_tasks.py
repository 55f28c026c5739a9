import json

import pytest

from agentgym.errors import ConfigError, TaskError
from agentgym_web.formats.webarena import tasks as module
from agentgym_web.formats.webarena.logins import read_login
from agentgym_web.formats.webarena.tasks import UnplayableError, load_webarena

SITES = {"__SHOPPING__": "http://a.test/"}
LAST = {"url": "last", "locator": "", "required_contents": {"exact_match": "x"}}
CODE = {**LAST, "url": "func:shop()"}
PICTURE = {"eval_image_url": "last", "eval_image_class": ".a"}


def task(**wanted):
    return {"task_id": 1, "intent": "What is the total?", "start_url": "__SHOPPING__/orders", "eval": wanted}


def content(**changed):
    return [task(eval_types=["program_html"], program_html=[LAST, {**LAST, **changed}])]


def pictures(**changed):
    return [task(eval_types=["page_image_query"], page_image_query=[{**PICTURE, **changed}])]


def answer(**wanted):
    return [task(eval_types=["string_match"], reference_answers=wanted)]


FINE = task(eval_types=["url_match"], reference_url="__SHOPPING__/x")


@pytest.fixture
def load(tmp_path):
    def loaded(fields, **options):
        (tmp_path / "t.json").write_text(fields if isinstance(fields, str) else json.dumps(fields))
        return load_webarena(tmp_path / "t.json", SITES, **options)

    return loaded


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("[", "is no JSON"),
        ("[]", "is empty"),
        ("[" * 100_000, "is no JSON"),
        ([1], "expected an object with intent"),
        ([{}], "expected an object with intent"),
        ([task()], "eval_types must be"),
        ([task(eval_types=["magic"])], "eval_types must be"),
        ([task(eval_types=[["url_match"]])], "eval_types must be"),
        ([task(eval_types=["url_match"])], "url_match needs a text reference_url"),
        ([task(eval_types=["url_match"], reference_url="a", url_note="LIKE")], "url_note must be"),
        ([task(eval_types=["string_match"])], "answers are compared by"),
        ([task(eval_types=["string_match"], reference_answers={"like": "a"})], "answers are compared by"),
        ([task(eval_types=["string_match"], reference_answers={"must_include": "a"})], "must_include must be list"),
        ([task(eval_types=["program_html"])], "program_html must be a list"),
        ([task(eval_types=["program_html"], program_html=[])], "program_html must be a list"),
        ([task(eval_types=["program_html"], program_html=[{"url": "last"}])], "program_html lacks required_contents"),
        ([task(eval_types=["page_image_query"], page_image_query=[{}])], "page_image_query lacks eval_image_url"),
        ([{**FINE, "image": 3}], "image must be an address"),
        ([FINE, {**FINE, "intent": 5}], "task 1: intent must be a text that is not blank: got 5"),
        ([{**FINE, "start_url": None}], "start_url must be an address with http:// or https://: got None"),
        ([{**FINE, "start_url": ""}], "start_url must be"),
        ([{**FINE, "start_url": "__SHOPPING__ |AND| file:///etc/passwd"}], "start_url must be"),
        ([{**FINE, "start_url": "http://a.test:99999/"}], "start_url must be"),
        ([{**FINE, "require_login": True, "sites": 3}], "sites must be a list of names: got 3"),
        (content(url=5), r"program_html\[1\].url must be a text: got 5"),
        (content(url=None), r"program_html\[1\].url must be a text: got None"),
        (content(url="file:///x"), r"program_html\[1\].url must be 'last' or an address"),
        (content(locator=5), r"program_html\[1\].locator must be a text: got 5"),
        (content(prep_actions=7), r"program_html\[1\].prep_actions must be a list of texts: got 7"),
        (content(required_contents={"exact_match": None}), r"program_html\[1\].required_contents: exact_match must"),
        (pictures(eval_image_url=4), r"page_image_query\[0\].eval_image_url must be a text: got 4"),
        (pictures(eval_image_class=None), "eval_image_class must be a text: got None"),
        (pictures(eval_fuzzy_image_match=4), "eval_fuzzy_image_match must be a text"),
        (pictures(ssim_threshold="x"), "ssim_threshold must be a number: got 'x'"),
        (pictures(ssim_threshold=float("nan")), "ssim_threshold must be a number: got nan"),
        (pictures(eval_vqa=["x"]), "eval_vqa must be a list of objects with question and answer"),
        (answer(required_values=["about 3"]), "required_values must be conditions such as '>= 10': got 'about 3'"),
        (answer(required_values=["> 1 |OR| < 1.2.3"]), "got '< 1.2.3'"),
        (answer(must_include=[None, {}]), "must_include must be a list of texts"),
        (answer(exact_match=True), "exact_match must be str"),
        ('[{"intent": "x", "start_url": "a", "eval": ' + "[" * 900 + "]" * 900 + "}]", "eval_types must be"),
    ],
)
def test_malformed_task_is_refused(load, fields, said):
    with pytest.raises(TaskError, match=said):
        load(fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (task(eval_types=["url_match"], reference_url="__GITLAB__/x"), "needs the address of __GITLAB__"),
        (task(eval_types=["program_html"], program_html=[CODE]), "its url 'func:shop.*' is no call that is known here"),
        (content(locator="lambda: 1")[0], "is code, which is never run here"),
        (content(url="func:shopping_get_latest_order_url()")[0], "asks the shop's REST API"),
        (content(locator="func:get_query_text(__page__)")[0], "is no call that is known here"),
        (pictures(eval_image_url="func:open('/etc/passwd').read()")[0], "is code, which is never run here; a call"),
        (task(eval_types=["string_match"], reference_answers={"fuzzy_match": ["x"]}), "needs a judge"),
        (
            task(
                eval_types=["program_html"],
                program_html=[{"url": "last", "locator": "", "required_contents": {"fuzzy_match": "x"}}],
            ),
            "fuzzy_match in program_html, which needs a judge",
        ),
        (
            task(
                eval_types=["page_image_query"],
                page_image_query=[
                    {"eval_image_url": "last", "eval_image_class": "", "eval_vqa": [{"question": "?", "answer": "a"}]}
                ],
            ),
            "eval_vqa in page_image_query, which needs a judge",
        ),
        ({**FINE, "require_login": True, "sites": ["shopping"]}, "needs a login of __SHOPPING__"),
        (
            {**FINE, "require_login": True, "storage_state": "./.auth/gitlab.shopping_state.json"},
            "needs a login of __GITLAB__",
        ),
    ],
)
def test_task_that_needs_more_is_refused_or_left_out(load, fields, said):
    with pytest.raises(UnplayableError, match=rf"{said}.*leave_out=true"):
        load([FINE, fields])
    assert len(load([FINE, fields], leave_out=True)) == 1
    with pytest.raises(UnplayableError, match=f"none of the 1 tasks .* can be played.*{said}"):
        load([fields], leave_out=True)


def test_fields_and_addresses_are_those_of_the_file(load):
    [plain, visual] = load([FINE, {**FINE, "image": ["a.png", "__SHOPPING__/b.png"]}])
    assert plain.config["urls"] == ["http://a.test/orders"]
    assert (plain.private["eval"]["url_note"], visual.private["eval"]["url_note"]) == ("GOLD in PRED", "EXACT")
    assert visual.config["pictures"] == ["a.png", "http://a.test/b.png"]


def test_placeholders_of_comments_need_no_address(load):
    wanted = {"eval_types": ["url_match"], "reference_url": "__SHOPPING__/x", "string_note": "__MAP__"}
    wanted |= {"reference_answers": {"must_include": ["__GITLAB__"]}, "program_html": [{"url": "", "locator": 3}]}
    [found] = load({**task(**wanted), "comments": "see __WIKIPEDIA__", "intent": "Go to __SHOPPING__, not __NAME__."})
    assert found.private["eval"]["reference_url"] == "http://a.test/x"
    assert found.instruction == "Go to http://a.test, not __NAME__."


@pytest.mark.parametrize(
    ("sites", "said"),
    [
        ({"SHOPPING": "http://a.test"}, "a key of sites is a placeholder .* such as __SHOPPING__: got 'SHOPPING'"),
        (
            {"__SHOPPING__": "localhost:80"},
            "sites: __SHOPPING__ must be an address with http:// or https://: got 'local",
        ),
        ({"__SHOPPING__": 5}, "sites: __SHOPPING__ must be"),
        ({"__SHOPPING__": "http://a.test:99999"}, "sites: __SHOPPING__ must be"),
    ],
)
def test_malformed_sites_are_refused(tmp_path, sites, said):
    with pytest.raises(ConfigError, match=said):
        load_webarena(tmp_path / "none.json", sites)


def test_malformed_login_is_refused_with_the_file_of_tasks(load, tmp_path):
    (tmp_path / "login.json").write_text('{"cookies": [{"name": "a", "value": "b", "domain": "c", "expires": "soon"}]}')
    with pytest.raises(ConfigError, match=r"login.json has another form \(expires of a cookie is 'soon'"):
        load(
            {**FINE, "require_login": True, "sites": ["shopping"]},
            logins={"__SHOPPING__": str(tmp_path / "login.json")},
        )


def test_huge_file_is_refused_before_it_is_read(load, monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 1 << 20)
    with pytest.raises(TaskError, match="at most 1 MiB can be read; split it"):
        load([{**FINE, "intent": "x" * (1 << 20)}])


@pytest.mark.parametrize("content", ["[]", "{}", '{"cookies": [{"name": "a"}]}', "{", '{"cookies": 3}'])
def test_login_of_another_form_is_refused(tmp_path, content):
    (tmp_path / "login.json").write_text(content)
    with pytest.raises(ConfigError, match=r"login\.json has .*expected \{\"cookies\""):
        read_login(tmp_path / "login.json")
    with pytest.raises(ConfigError, match="there is no file"):
        read_login(tmp_path / "none.json")
