"""SearchSelfPlay-v0: a proposer asks for a given answer, a reader checks the question, a solver searches for it.

Players are in `scripts`, the suites' tasks in `generate`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Literal, Self

from agentgym.action import Action
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.game import GameReply, Inbox
from agentgym.message import user
from agentgym.reward import FORMAT
from agentgym.task import Limits, Task
from agentgym.tools import ToolGame, tool
from agentgym_tools.search.articles import Article
from agentgym_tools.search.corpora import GeneratedCorpus, generated_corpus
from agentgym_tools.search.drawing import NoSuchFacts, Side, draw_walk, until_found
from agentgym_tools.search.env import MAX_RESULTS, NOT_FOUND, RIGHT, WRONG
from agentgym_tools.search.grading import judge, normal_name
from agentgym_tools.search.questions import question_of_walk
from agentgym_tools.search.world import world_of

SOLVER, PROPOSER, READER = "solver", "proposer", "reader"
MAX_QUESTION = 300
"""Characters of a question."""
MAX_SHOWN = 8
"""Most articles of the proposer that the reader gets, the last ones that it opened."""
LIMITS = Limits(max_turns=24, max_invalid=2)
FROM_MEMORY = "Answer this question without any article; if you do not know, answer unanswerable."
FROM_ARTICLES = "Answer the same question from these articles; if they do not show it, answer unanswerable."
WORDS_ALONE = "Answer by tool calls; words beside calls are not read."
FATES = {
    "solved": "The question counts, and the solver found the answer.",
    "unsolved": "The question counts, and the solver did not find the answer.",
    "known": "The question does not count: the reader answered it without any article.",
    "unfounded": "The question does not count: the reader did not find the answer in your articles.",
}
"""What the proposer is told at the end."""
Fate = Literal["solved", "unsolved", "known", "unfounded"]


class SearchSelfPlayGame(ToolGame):
    """Ask a question that others find hard to answer, or find the answer by searching.

    The proposer gets an answer and asks a question for it. The reader, which is a frozen player, answers the question
    twice: without any article, and from the proposer's articles among others. The question counts if the reader is
    wrong the first time and right the second time. Then the solver answers it by searching.

    Observation:
        The proposer reads the answer, and the results of its calls; at the end what became of its question. The reader
        reads the question, then articles. The solver reads the question and the results of its calls.
    Action:
        Calls. Proposer: search(query, k), open(id), propose(question). Reader: answer(value). Solver: search, open and
        answer(value). At most 8 per message. The tools answer and propose of the other role are refused.
    Reward:
        success: for the solver 1 if its answer is right and it opened an article that names it; for the proposer 1 if
        its question counts and the solver failed; for the reader 1 if it is right from the articles. format: -0.1 for
        a message that cannot be read, and for a question that says the answer or rests on no opened article.
    Termination:
        The solver has answered, the question does not count, or a role has sent its third invalid message.
    Truncation:
        After 24 turns of a role. A question that counts and is not answered then is not solved.
    Info:
        The keys of `GameEnv`. The score is success.
    Sandbox:
        None; the environment is in process. An index of the articles is kept in the user's cache folder.
    Source and licence:
        After Search Self-play (Lu et al. 2025, arXiv 2510.18821), written for agentgym, Apache-2.0; articles and tasks
        are generated, CC0-1.0. Differs: a question that the reader answers without articles does not count either, and
        both players are told apart by role, so that they may be one policy or two.

    Example:
        proposer: Ask a question whose only answer is "Ivo Fofilo". / search(query="Ivo Fofilo") / open(id="a17") /
        propose(question='Who is the author of "The Lantern of Korami"?') / The question counts, and ...

    Args:
        articles: Articles of the corpus that tasks made from a seed ask about, 200 to 100,000.
        hops: Facts of the chain that a scripted proposer asks for in these tasks, 1 to 3.
        noise: How many other articles the reader gets beside the proposer's, 0 to 20.

    Raises:
        ConfigError: A number is out of its range.
    """

    roles = (SOLVER, PROPOSER, READER)
    reward_weights: Mapping[str, float] = {"success": 1.0, FORMAT: 1.0}
    invalid_value = -0.1
    disclosed = {PROPOSER: ("answer",), READER: ("question",), SOLVER: ("question",)}

    def __init__(self, articles: int = 300, hops: int = 2, noise: int = 4) -> None:
        super().__init__()
        for name, given, low, high in (("hops", hops, 1, 3), ("noise", noise, 0, MAX_RESULTS)):
            if type(given) is not int or not low <= given <= high:
                raise ConfigError(f"{name} must be an int from {low} to {high}: got {given!r}")
        self._corpus: GeneratedCorpus = generated_corpus(articles)
        self._articles, self._hops, self._num_noise = articles, hops, noise
        self._target = self._question = ""
        self._opened: dict[str, Article] = {}
        self._read: dict[str, Article] = {}
        self._is_second = self._counts = False

    def make_task(self, seed: int) -> Task:
        """An answer that a chain of facts leads to, drawn from the seed."""
        return draw_answer(f"search-self-play:{seed}", seed, self._articles, self._hops)

    def begin(self, task: Task) -> Inbox:
        """Tell the proposer the answer."""
        try:
            self._target, articles = str(task.private["answer"]), task.config["articles"]
        except KeyError as error:
            raise TaskError(
                f"task {task.id!r} lacks {error}; it needs articles in config and answer in private"
            ) from None
        if not normal_name(self._target):
            raise TaskError(f"task {task.id!r}: the answer must be a name with a letter in it: {self._target!r:.80}")
        self._corpus = generated_corpus(articles)
        self._question = ""
        self._opened, self._read = {}, {}
        self._is_second = self._counts = False
        self.acting_role = PROPOSER
        told = (
            f'Ask a question whose only answer is "{self._target}". Do not say the answer in it. First open '
            "the articles that lead to the answer. It counts if it can be answered from them, and not without."
        )
        return {PROPOSER: [user(told)]}

    def say(self, role: str, action: Action) -> GameReply:
        """Refuse words."""
        raise ActionSyntaxError(WORDS_ALONE)

    @tool
    def search(self, query: str, k: int = 5) -> str:
        """Find articles by the words that they contain.

        Args:
            query: Words; rare ones, such as names, count most.
            k: Most results, 1 to 20.
        """
        if not 1 <= k <= MAX_RESULTS:
            return f"k must be from 1 to {MAX_RESULTS}."
        return "\n".join(f"{hit.id} | {hit.title}" for hit in self._corpus.search(query, int(k))) or NOT_FOUND

    @tool(name="open")
    def open_article(self, id: str) -> str:  # noqa: A002 - the tool's argument
        """Read an article.

        Args:
            id: Its id, as search lists it.
        """
        article = self._corpus.open(id.strip())
        if article is None:
            return f"There is no article {id[:60]!r}; open takes an id that search lists."
        opened = self._opened if self.acting_role == PROPOSER else self._read
        opened.pop(article.id, None)
        opened[article.id] = article
        return _shown(article)

    @tool
    def propose(self, question: str) -> GameReply:
        """Ask your question. Open every article that leads to the answer first.

        Args:
            question: The question, at most 300 characters; it must not contain the answer.
        """
        text = " ".join(question.split())
        if self.acting_role != PROPOSER:
            raise ActionSyntaxError("Only the proposer asks; call answer.")
        if not 1 <= len(text) <= MAX_QUESTION:
            raise ActionSyntaxError(f"A question has 1 to {MAX_QUESTION} characters; this one has {len(text)}.")
        if normal_name(self._target) in _plain(text):
            raise ActionSyntaxError("The question must not say the answer.")
        if not self._opened:
            raise ActionSyntaxError("Open the articles that lead to the answer first.")
        self._question, self.acting_role = text, READER
        return GameReply({PROPOSER: [user("Asked.")], READER: [user(f"{FROM_MEMORY}\n{text}")]})

    @tool
    def answer(self, value: str) -> GameReply:
        """Answer the question; a solver opens an article that names the answer first.

        Args:
            value: A full name, or the text unanswerable if no article has the answer.
        """
        if self.acting_role == PROPOSER:
            raise ActionSyntaxError("You ask, others answer; call propose.")
        if self.acting_role == SOLVER:
            named = any(normal_name(self._target) in _plain(_shown(each)) for each in self._read.values())
            return self._end("solved" if judge("name", self._target, value, named).is_right else "unsolved")
        is_right = judge("name", self._target, value, is_read=True).is_right
        if self._is_second:
            return self._begin_solving() if is_right else self._end("unfounded")
        if is_right:
            return self._end("known")
        self._is_second = True
        shown = "\n\n".join(_shown(article) for article in self._shown_articles())
        return GameReply({READER: [user(f"{FROM_ARTICLES}\n{self._question}\n\n{shown}")]})

    tools = {
        SOLVER: (search, open_article, answer, propose),
        PROPOSER: (search, open_article, answer, propose),
        READER: (answer,),
    }  # solver and proposer have the same ones, so that one model can learn both roles

    def grade(self) -> GameReply:
        """What a limit cuts: a question that counts is not solved, and one that was not checked does not count."""
        return self._graded("unsolved" if self._counts else "unfounded")

    def anchor(self) -> str:
        """The task, the question, what was opened, in order, and the phase."""
        opened = f"{list(self._opened)} {sorted(self._read)}"
        phase = f"{self.acting_role} {self._is_second} {self._counts} {self.num_invalid}"
        return f"{self.task and self.task.content_hash} {phase} {opened} {self._question}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; the seed redraws only the order in which the reader gets its articles."""
        return self.fork_by_copy(seed, self.tools)

    def _shown_articles(self) -> list[Article]:
        """The proposer's articles among others that fit its question best, in a drawn order."""
        own = list(self._opened.values())[-MAX_SHOWN:]
        hits = self._corpus.search(self._question, MAX_RESULTS)
        others = [article for hit in hits if (article := self._corpus.open(hit.id)) and article not in own]
        shown = [*own, *(each for each in others if each.id not in self._opened)][: len(own) + self._num_noise]
        self.rng.shuffle(shown)
        return shown

    def _begin_solving(self) -> GameReply:
        self._counts, self.acting_role = True, SOLVER
        return GameReply({READER: [user(RIGHT)], SOLVER: [user(self._question)]})

    def _end(self, fate: Fate) -> GameReply:
        reply = self._graded(fate)
        reply.is_over = True
        return reply

    def _graded(self, fate: Fate) -> GameReply:
        successes = {SOLVER: fate == "solved", PROPOSER: fate == "unsolved", READER: self._counts}
        inbox = {PROPOSER: [user(FATES[fate])], READER: [user(RIGHT if self._counts else WRONG)]}
        if self._counts:
            inbox = {PROPOSER: inbox[PROPOSER], SOLVER: [user(RIGHT if fate == "solved" else WRONG)]}
        events = [self.event(role, "success", float(value)) for role, value in successes.items()]
        return GameReply(inbox, events, successes=successes)


def draw_answer(task_id: str, seed: int, articles: int, hops: int, *, side: Side = "any", stratum: str = "") -> Task:
    """A task: an answer, with a chain of facts that leads to it for scripted proposers.

    Args:
        task_id: Its id.
        seed: What it is drawn from.
        articles: Size of the corpus.
        hops: Facts of the chain.
        side: From which entities the chain starts.
        stratum: Its stratum.

    Raises:
        ConfigError: The number of articles is out of range.
        TaskError: The world holds no such chain.
    """
    world, rng = world_of(articles), random.Random(f"search self-play {hops} {seed}")
    try:
        walk = until_found(lambda: draw_walk(world, rng, hops, side, ends="entity"))
    except NoSuchFacts as error:
        raise TaskError(f"no chain of {hops} facts was found among {articles} articles: {error}") from error
    question = question_of_walk(world, walk)
    return Task(
        task_id,
        seed,
        "One player asks for a given answer, another one finds it by searching.",
        stratum=stratum,
        config={"articles": articles},
        private={"answer": question.answer, "question": question.text, "articles": list(question.evidence)},
        limits=LIMITS,
    )


def _shown(article: Article) -> str:
    return f"{article.title}\n{article.text}"


def _plain(text: str) -> str:
    """A text in which a name is found as `normal_name` writes it."""
    return " ".join(text.casefold().split())
