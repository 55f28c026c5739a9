import json

import pytest

from agentgym.errors import ConfigError, TaskError
from agentgym_web.formats.webarena import tasks as module
from agentgym_web.formats.webarena.logins import read_login
from agentgym_web.formats.webarena.tasks import UnplayableError, load_webarena

SITES = {"__SHOPPING__": "http://a.test/"}
CODE = {"url": "func:shop()", "locator": "", "required_contents": {"exact_match": "x"}}


def task(**wanted):
    return {"task_id": 1, "intent": "What is the total?", "start_url": "__SHOPPING__/orders", "eval": wanted}


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
    ],
)
def test_malformed_task_is_refused(load, fields, said):
    with pytest.raises(TaskError, match=said):
        load(fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (task(eval_types=["url_match"], reference_url="__GITLAB__/x"), "needs the address of __GITLAB__"),
        (task(eval_types=["program_html"], program_html=[CODE]), "is code to be run here"),
        (task(eval_types=["program_html"], program_html=[{**CODE, "url": "last", "locator": "lambda: 1"}]), "is code"),
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
