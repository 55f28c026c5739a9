import os

from agentgym_tools.search.corpora import GeneratedCorpus
from benchmarks import search


def test_both_sides_find_the_article_of_a_name(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    corpus, table = GeneratedCorpus(300), search.full_text_table(300)
    for number in range(0, 300, 30):
        article = corpus.open(f"a{number}")
        wanted = (article.id, article.title)
        assert wanted in corpus.search(article.title, search.RESULTS)
        assert wanted in search.full_text_search(table, article.title)
    table.close()


def test_quick_run_reports_each_kind_of_query_and_leaves_the_cache_folder_alone():
    before = dict(os.environ)
    report = search.measure(quick=True)
    assert [goal.name for goal in report.goals] == [
        "search of names, p50, CPU ms",
        "search of questions, p50, CPU ms",
    ]
    assert all(0 < goal.value < 50 for goal in report.goals)
    assert report.figures["build, CPU s"] > report.figures["open, CPU s"]
    assert dict(os.environ) == before
