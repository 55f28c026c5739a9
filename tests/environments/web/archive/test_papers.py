"""The suite web/papers: its files, its truth computed again from the archived pages, and its players."""

import html
import json
import re
from statistics import fmean

import pytest

import agentgym
from agentgym.errors import ConfigError, TaskError
from agentgym.suite import load_suite
from agentgym.task import Task
from agentgym.testing.episodes import play_actions, play_script
from agentgym_web.archive.env import archive_path
from agentgym_web.archive.papers.generate import SIZES, generate
from agentgym_web.archive.questions import load_questions
from agentgym_web.archive.replaying import the_archive
from agentgym_web.archive.scripts import SCRIPTS

SUITE = load_suite("web/papers")
TASKS = [task for split in SUITE.splits for task in SUITE.tasks(split)]
PAGES = the_archive(archive_path(TASKS[0]))
HOST = "https://papers.test"


class Page:
    """A paper's page, read with regular expressions."""

    def __init__(self, text):
        text = html.unescape(text)
        rows = dict(re.findall(r"<th>(.*?)</th><td>(.*?)</td>", text))
        plain = {name: re.sub(r"<.*?>", "", value) for name, value in rows.items()}
        self.title = re.search(r"<h1>(.*?)</h1>", text)[1]
        self.authors = plain["Authors"].split(", ")
        self.year, self.pages = int(plain["Year"]), int(plain["Pages"])
        self.topic, self.venue = plain["Topic"], plain["Venue"]
        self.has_code, self.is_best = plain["Code"] == "public", plain["Award"] != "none"
        self.data_set = re.search(r"On the data set (.*?) it reaches", text)[1]
        self.score = float(re.search(r"reaches ([\d.]+) points", text)[1])
        cited, citing = text.split("<h2>References")[1].split("<h2>Cited by")
        self.references, self.cited_by = (re.findall(r'<li><a href="\S+">(.*?)</a>', part) for part in (cited, citing))


def all_papers():
    found = [Page(each.body.decode()) for each in PAGES.all if "/paper/" in each.url]
    return {page.title: page for page in found}


def truth(task: Task, papers):
    """The answer to a question, from the pages alone."""
    text = task.instruction
    named = [papers[title] for title in re.findall(r'"(.*?)"', text)]
    by_more = {
        "more_pages": lambda page: page.pages,
        "more_cited": lambda page: len(page.cited_by),
        "higher_score": lambda page: page.score,
    }
    match task.private["template"]:
        case "venue_of":
            return named[0].venue
        case "data_set_of":
            return named[0].data_set
        case "score_of":
            return named[0].score
        case "pages_of":
            return named[0].pages
        case "paper_by":
            author, year, topic = re.search(r"by (.*?) of (\d+) is about (.*?)\?", text).groups()
            [found] = [p for p in papers.values() if author in p.authors and (p.year, p.topic) == (int(year), topic)]
            return found.title
        case "oldest_reference":
            return min((papers[title] for title in named[0].references), key=lambda page: page.year).title
        case "latest_citing":
            return max((papers[title] for title in named[0].cited_by), key=lambda page: page.year).title
        case "shared_author":
            [author] = set(named[0].authors) & set(named[1].authors)
            return author
        case "cited_venue":
            venue = re.search(r"appeared at (.*?)\?", text)[1]
            [found] = [title for title in named[0].references if papers[title].venue == venue]
            return found
        case "more_pages" | "more_cited" | "higher_score" as template:
            assert by_more[template](named[0]) != by_more[template](named[1])
            return max(named, key=by_more[template]).title
        case "papers_on":
            year, topic = re.search(r"of (\d+) are about (.*?)\?", text).groups()
            return sum((page.year, page.topic) == (int(year), topic) for page in papers.values())
        case "papers_at":
            author, venue = re.search(r"of (.*?) appeared at (.*?)\?", text).groups()
            return sum(author in page.authors and page.venue == venue for page in papers.values())
        case "cited_with_code":
            return sum(papers[title].has_code for title in named[0].references)
        case "num_coauthors":
            author = re.search(r"has (.*?) written", text)[1]
            return len({name for page in papers.values() if author in page.authors for name in page.authors} - {author})
        case "best_topic":
            year = int(re.search(r"best paper of (\d+)", text)[1])
            [found] = [page.topic for page in papers.values() if page.is_best and page.year == year]
            return found
    raise AssertionError(task.private["template"])


def test_every_answer_is_what_the_archived_pages_say():
    papers = all_papers()
    assert len(papers) == 300
    assert len(TASKS) == 100
    for task in TASKS:
        assert truth(task, papers) == task.private["answer"]["value"], task.instruction


def test_every_template_occurs_and_held_out_ones_only_in_the_test_split():
    templates = {
        split: {task.private["template"] for task in SUITE.tasks(split)} for split in ("train", "validation", "test")
    }
    unseen = {task.private["template"] for task in SUITE.tasks("test") if task.stratum == "unseen_template"}
    assert len(templates["train"]) == 14
    assert len(unseen) == 3
    assert not unseen & (templates["train"] | templates["validation"])


def test_papers_of_the_test_questions_are_in_no_training_question():
    def titles(split):
        return {re.findall(r'"(.*?)"', task.instruction)[0] for task in SUITE.tasks(split) if '"' in task.instruction}

    assert not titles("train") & titles("test")
    assert not titles("train") & titles("validation")


def test_files_are_what_the_generator_writes(tmp_path):
    generate(tmp_path, "web/papers")
    for split in SIZES:
        assert (tmp_path / f"{split}.jsonl").read_bytes() == (SUITE.folder / f"{split}.jsonl").read_bytes()
    written = the_archive(tmp_path / "papers.warc.gz").all
    assert [(each.url, each.body, each.headers) for each in written] == [
        (each.url, each.body, each.headers) for each in PAGES.all
    ]
    assert (SUITE.folder / "papers.warc.gz").stat().st_size < 450 << 10


def test_every_link_of_every_page_leads_to_a_page_of_the_archive():
    pages = set(PAGES.pages)
    links = {
        HOST + link
        for each in PAGES.all
        for link in re.findall(rb'href="(/[^"]*)"', each.body)
        for link in [link.decode()]
    }
    assert links - {f"{HOST}/style.css"} == pages


@pytest.fixture(scope="module")
def env():
    made = agentgym.make("agentgym/WebArchive-v0")
    yield made
    made.close()


@pytest.mark.parametrize("stratum", SUITE.strata)
def test_oracle_answers_a_question_of_each_kind_by_clicking(env, stratum):
    task = next(task for task in SUITE.tasks("test") if task.stratum == stratum)
    record = play_script(env, task, SCRIPTS["oracle"](task, 0))
    assert record.success, record.summary
    assert all("click(" in action for action in record.actions[:-1])


def test_other_players_do_not_answer(env):
    tasks = SUITE.tasks("validation")[:4]
    for name in set(SCRIPTS) - {"oracle", "demo"}:
        assert fmean(bool(play_script(env, task, SCRIPTS[name](task, 1)).success) for task in tasks) == 0, name


def test_two_windows_see_the_same(env):
    task = SUITE.tasks("test")[0]
    actions = ['click("2")', 'click("3")', 'goto("https://papers.test/nowhere")', "go_back()"]
    other = agentgym.make("agentgym/WebArchive-v0")
    try:
        first, second = (play_actions(each, task, actions) for each in (env, other))
    finally:
        other.close()
    assert [step.text for step in first.steps] == [step.text for step in second.steps]
    assert "not in the archive" in first.steps[2].text


def test_tasks_made_from_seeds_are_about_papers_of_training(env):
    made = [env.make_task(seed) for seed in range(8)]
    assert len({task.instruction for task in made}) == 8
    assert env.make_task(3) == made[3]
    assert not {task.content_hash for task in made} & SUITE.held_out_hashes


def test_questions_of_a_file_are_played(tmp_path):
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"question": "How many papers are there?", "answer": 300}\n')
    env = agentgym.make("agentgym/WebArchive-v0", archive=str(archive_path(TASKS[0])), questions=str(questions))
    try:
        text = env.reset(seed=0)[0]["text"]
        assert "300 papers by 64 authors" in text
        info = env.step('send_msg_to_user("300 papers")')[4]
        assert info["success"]
    finally:
        env.close()


def test_oracle_knows_the_answers_of_a_file(tmp_path):
    questions = tmp_path / "q.jsonl"
    lines = [{"question": "How many?", "answer": 300}, {"question": "Who?", "answer": ["Ada", "Bo"]}]
    lines += [{"question": "Where?", "answer": "Harbour Symposium"}]
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    env = agentgym.make("agentgym/WebArchive-v0", archive=str(archive_path(TASKS[0])), questions=str(questions))
    try:
        for number in range(len(lines)):
            task = env.make_task(number)
            assert play_script(env, task, SCRIPTS["oracle"](task, 0)).success
            assert not play_script(env, task, SCRIPTS["null"](task, 0)).success
    finally:
        env.close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", r'q.jsonl:1: no JSON: .*; expected a line such as {"question": '),
        ('{"question": "?"}', "expected an object with question and answer"),
        ('{"question": "?", "answer": null}', "answer must be"),
        ('{"question": "?", "answer": "1", "grade": 2}', "got"),
        ("", "has no questions"),
        ("\n" + "[" * 100_000, r"q.jsonl:2: no JSON"),
        ('{"question": "?", "answer": ' + "1" * 5000 + "}", r"q.jsonl:1: no JSON"),
        ('{"question": null, "answer": "1"}', "q.jsonl:1: question must be a text that is not blank: got None"),
        ('{"question": "?", "answer": "1", "url": null}', "url must be a text that is not blank: got None"),
        ('{"question": "?", "answer": "1", "id": [1]}', r"id must be a text or a whole number: got \[1\]"),
        ('{"question": "?", "answer": NaN}', "answer must be a text, a number or a list of texts: got nan"),
        ('{"question": "?", "answer": " "}', "answer must be"),
        ('{"question": "?", "answer": true}', "answer must be"),
        ('{"question": "?", "answer": ["a", {}]}', "answer must be"),
        ('{"question": "?", "answer": ' + "[" * 900 + "]" * 900 + "}", "answer must be"),
        ('{"question": "?", "answer": "a", "also": "abc"}', "also must be a list of answers of its kind, text"),
        ('{"question": "?", "answer": "a", "also": null}', "also must be"),
        ('{"question": "?", "answer": 30, "also": ["thirty"]}', "of its kind, number"),
    ],
)
def test_malformed_file_of_questions_is_refused(tmp_path, line, said):
    (tmp_path / "q.jsonl").write_text(line)
    with pytest.raises(TaskError, match=said):
        agentgym.make("agentgym/WebArchive-v0", archive="a.warc", questions=str(tmp_path / "q.jsonl"))


def test_lines_of_questions_end_at_line_feeds_alone(tmp_path):
    line = '{"question": "What is a\u2028b\x85c?", "answer": "d", "also": ["e"], "id": 7}'
    (tmp_path / "q.jsonl").write_text(f"\ufeff{line}\r\n\n{line}", encoding="utf-8")
    tasks = load_questions(tmp_path / "q.jsonl", tmp_path / "a.warc")
    assert [task.instruction for task in tasks] == ["What is a\u2028b\x85c?"] * 2
    assert [task.seed for task in tasks] == [1, 3]
    assert tasks[0].private["answer"] == {"kind": "text", "value": "d", "also": ["e"]}


def test_archive_without_questions_is_refused():
    with pytest.raises(ConfigError, match="both archive and questions"):
        agentgym.make("agentgym/WebArchive-v0", archive="a.warc")


def test_task_that_begins_outside_its_archive_is_refused(env):
    task = Task("x", 0, config={**TASKS[0].config, "url": "https://papers.test/none"}, private=TASKS[0].private)
    with pytest.raises(TaskError, match="which is not in"):
        env.reset(options={"task": task})
