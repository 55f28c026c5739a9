"""Episodes of self-play over the small corpus, played message by message."""

from dataclasses import replace

import pytest

from agentgym.authoring.players import call_text
from agentgym.errors import ConfigError, TaskError
from agentgym.suite import load_suite
from agentgym_tools.search.self_play.game import FATES, FROM_ARTICLES, FROM_MEMORY, SearchSelfPlayGame
from agentgym_tools.search.self_play.scripts import PARTNERS, SCRIPTS


@pytest.fixture(scope="module")
def task():
    return load_suite("tools/search-solver").tasks("test")[0]


@pytest.fixture
def game(task):
    game = SearchSelfPlayGame()
    game.reset(task)
    return game


def opened(task):
    return "".join(call_text("open", id=each) for each in task.private["articles"])


def ask(game, task, question=None):
    game.step(opened(task))
    return game.step(call_text("propose", question=question or task.private["question"]))


def answer(game, value):
    return game.step(call_text("answer", value=value))


def text(reply, role):
    return reply.inbox[role][0]["content"]


def test_a_question_that_nobody_solves_pays_the_proposer(game, task):
    asked = ask(game, task)
    assert text(asked, "reader").startswith(FROM_MEMORY)
    shown = text(answer(game, "unanswerable"), "reader")
    assert shown.startswith(FROM_ARTICLES)
    assert shown.count("Written on") == len(task.private["articles"]) + 4
    solving = answer(game, task.private["answer"])
    assert text(solving, "solver") == task.private["question"]
    last = answer(game, "Ivo Nobody")
    assert last.successes == {"solver": False, "proposer": True, "reader": True}
    assert text(last, "proposer") == FATES["unsolved"]


def test_a_solver_is_paid_only_with_an_article_that_names_the_answer(game, task):
    def solve(reads):
        game.reset(task)
        ask(game, task)
        answer(game, "unanswerable")
        answer(game, task.private["answer"])
        if reads:
            game.step(opened(task))
        return answer(game, task.private["answer"]).successes

    assert solve(reads=True) == {"solver": True, "proposer": False, "reader": True}
    assert solve(reads=False) == {"solver": False, "proposer": True, "reader": True}


def test_a_question_known_by_heart_does_not_count(game, task):
    ask(game, task)
    last = answer(game, task.private["answer"])
    assert last.successes == dict.fromkeys(game.roles, False)
    assert text(last, "proposer") == FATES["known"]


def test_a_question_that_its_articles_do_not_answer_does_not_count(game, task):
    ask(game, task)
    answer(game, "unanswerable")
    last = answer(game, "Ivo Nobody")
    assert last.successes == dict.fromkeys(game.roles, False)
    assert text(last, "proposer") == FATES["unfounded"]


@pytest.mark.parametrize("question", ["", "x" * 301, "Is it {answer}?", "is it  {ANSWER}"])
def test_a_question_that_may_not_be_asked_is_refused_and_asked_anew(game, task, question):
    game.step(opened(task))
    wanted = task.private["answer"]
    said = question.replace("{answer}", wanted).replace("{ANSWER}", wanted.upper().replace(" ", "\n"))
    refused = game.step(call_text("propose", question=said))
    assert refused.is_invalid
    assert game.acting_role == "proposer"
    assert not game.step(call_text("propose", question=task.private["question"])).is_invalid


def test_a_tool_of_the_other_role_is_refused(game, task):
    assert answer(game, task.private["answer"]).is_invalid
    ask(game, task)
    answer(game, "unanswerable")
    answer(game, task.private["answer"])
    assert game.step(call_text("propose", question="Who?")).is_invalid
    assert game.acting_role == "solver"


def test_a_question_without_an_article_is_refused(game, task):
    assert game.step(call_text("propose", question=task.private["question"])).is_invalid


def test_a_cut_pays_the_proposer_only_after_its_question_has_counted(game, task):
    assert game.finalize("tokens").successes == dict.fromkeys(game.roles, False)
    game.reset(task)
    ask(game, task)
    answer(game, "unanswerable")
    answer(game, task.private["answer"])
    assert game.finalize("tokens").successes == {"solver": False, "proposer": True, "reader": True}


def test_a_fork_goes_on_alike(game, task):
    ask(game, task)
    twin = game.fork()
    assert twin.anchor() == game.anchor()
    assert answer(game, "unanswerable").inbox == answer(twin, "unanswerable").inbox
    answer(game, task.private["answer"])
    assert twin.acting_role == "reader"


def play(game, task, role, name):
    """The success of a role that a script plays, beside the default partners."""
    players = {each: factory(task, 0) for each, factory in PARTNERS.items()}
    players[role] = SCRIPTS[role][name](task, 0)
    heard = {each: [] for each in game.roles}
    for each, messages in game.reset(task).items():
        heard[each] += messages
    while game.acting_role is not None:
        acting = game.acting_role
        said = players[acting].act(heard[acting])
        heard[acting].append({"role": "assistant", "content": said})
        reply = game.step(said)
        for each, messages in reply.inbox.items():
            heard[each] += messages
    return reply.successes[role]


@pytest.mark.parametrize("role", SearchSelfPlayGame.roles)
def test_oracles_always_win_and_the_others_never_do(role):
    game = SearchSelfPlayGame()
    losers = [name for name in SCRIPTS[role] if name not in ("oracle", "demo")]
    for task in load_suite("tools/search-solver").tasks("test")[::12]:
        assert play(game, task, role, "oracle")
        assert [name for name in losers if play(game, task, role, name)] == []


@pytest.mark.parametrize("options", [{"hops": 0}, {"hops": 4}, {"noise": -1}, {"noise": 21}, {"articles": 10}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ConfigError, match="must be"):
        SearchSelfPlayGame(**options)


def test_a_task_without_an_answer_is_refused(game, task):
    with pytest.raises(TaskError, match="lacks"):
        game.reset(replace(task, private={}))
    with pytest.raises(TaskError, match="name"):
        game.reset(replace(task, private={"answer": "..."}))
