"""Search-v0: questions over a corpus of articles; an answer pays only if the articles that show it were opened.

The articles come from `corpora` or `server`, the questions from `questions`; this file is the episode.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from agentgym.action import Action
from agentgym.env import EnvReply
from agentgym.errors import ActionSyntaxError, ConfigError, TaskError
from agentgym.message import Message, user
from agentgym.reward import FORMAT, RewardEvent
from agentgym.task import Task
from agentgym.tools import ToolEnv, tool
from agentgym_tools.search.corpora import Corpus, FileCorpus, generated_corpus
from agentgym_tools.search.grading import Verdict, judge, judge_list
from agentgym_tools.search.own_questions import read_questions
from agentgym_tools.search.questions import KINDS_MIX, Question, QuestionKind, Wanted, draw_hops, draw_task
from agentgym_tools.search.questions import read_question as read_task
from agentgym_tools.search.server import RetrievalServer

MAX_RESULTS = 20
"""Most results of one search."""
NOT_FOUND = "Nothing found."
NO_CALL = "Call search, open or answer."
RIGHT = "Right."
WRONG = "Not accepted: the answer is wrong, or an article that shows it was not opened."


class SearchEnv(ToolEnv):
    """Answer questions such as 'Who is the mentor of the author of "The Lantern of Korami"?' from articles.

    Observation:
        First the question; then the result of each tool call. `search` gives an id and a title a line, or
        `Nothing found.`; `open` gives the article, which begins with the day on which it was written; `answer` gives
        `Right.` or says that the answer is not accepted.

    Action:
        Calls of search(query, k), open(id) and answer(value); at most 8 per message, carried out in order.
    Reward:
        success: 1 for the right answer, given after all articles that show it were opened, else 0. findings: for a
        list, in place of success, the F1 of the names whose articles were opened. milestone: the change of the share
        of needed articles that are open, weight 0.1; at the end it is taken back, so that it adds up to 0. retry: -0.1
        for an answer that is not accepted while another is allowed. format: -0.1 for a message without a valid call.
    Termination:
        The right answer, or the last one allowed; the third invalid message.
    Truncation:
        After 24 turns, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score. The score
        of a list is its F1.
    Sandbox:
        None; the environment is in process. An index of the articles is kept in the user's cache folder.
    Source and licence:
        Written for agentgym, Apache-2.0; its articles and tasks are generated, CC0-1.0.

    Example:
        search(query="The Lantern of Korami") -> a17 | The Lantern of Korami; open(id="a17") -> ... written by Jola
        Romoni ...; search(query="Jola Romoni") -> ...; answer(value="Ivo Fofilo") -> Right.

    Args:
        articles: Articles of the generated corpus that tasks made from a seed ask about, 200 to 100,000.
        kind: Kind of their questions, one of `QUESTION_KINDS`; None mixes them by `KINDS_MIX`.
        hops: Facts of their chains, 1 to 4; None draws them.
        corpus: A JSONL file of articles to search in place of the generated ones, for its own questions.
        questions: A JSONL file of questions, which are the tasks made from seeds; needs `corpus` or `server`.
        server: Address of a retrieval server to search, such as "http://127.0.0.1:8000/retrieve".
        submissions: How many answers an episode allows, 1 to 10.
        keeps_milestones: Whether milestones are kept at the end; they are then a bonus and no potential.
        render_mode: As in Gymnasium.
    """

    reward_weights: Mapping[str, float] = {"success": 1.0, "findings": 1.0, "milestone": 0.1, "retry": 1.0, FORMAT: 1.0}
    invalid_value = -0.1
    retry_value = -0.1

    def __init__(
        self,
        *,
        articles: int = 50_000,
        kind: QuestionKind | None = None,
        hops: int | None = None,
        corpus: str = "",
        questions: str = "",
        server: str = "",
        submissions: int = 1,
        keeps_milestones: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode must be None or 'ansi': got {render_mode!r}")
        if type(submissions) is not int or not 1 <= submissions <= 10:
            raise ConfigError(f"submissions must be an int from 1 to 10: got {submissions!r}")
        if corpus and server:
            raise ConfigError("corpus and server exclude each other: both say what is searched; give one of them")
        if bool(questions) != bool(corpus or server):
            raise ConfigError(
                "questions and the articles they are about go together: give questions with corpus or server"
            )
        if questions and (kind is not None or hops is not None):
            raise ConfigError(
                "kind and hops choose generated questions, and questions of your own were given; leave them out"
            )
        Wanted(articles=articles, kind="chain" if kind is None else kind, hops=1 if hops is None else hops)
        if not questions:
            generated_corpus(articles)
        self._articles, self._kind, self._hops = articles, kind, hops
        self._submissions, self._keeps_milestones = submissions, keeps_milestones
        own = FileCorpus(Path(corpus)) if corpus else None
        self._asked = read_questions(Path(questions), own) if questions else ()
        self.num_tasks = len(self._asked) or None
        self._own: Corpus | None = own or (RetrievalServer(server) if server else None)
        self._corpus: Corpus | None = self._own
        self._question: Question | None = None
        self._opened: frozenset[str] = frozenset()
        self._num_answers = 0

    def make_task(self, seed: int) -> Task:
        """A question drawn from the seed, or the one of this number among your own."""
        if self._asked:
            return self._asked[seed % len(self._asked)]
        rng = random.Random(f"search kind {seed}")
        kind = self._kind or rng.choices(list(KINDS_MIX), list(KINDS_MIX.values()))[0]
        hops = draw_hops(rng, kind) if self._hops is None else self._hops
        return draw_task(seed, Wanted(articles=self._articles, kind=kind, hops=hops))

    def begin(self, task: Task) -> Sequence[Message]:
        """Take the corpus of the task, and ask the question."""
        if self._own is None:
            if "articles" not in task.config:
                raise TaskError(f"task {task.id!r} lacks the config key 'articles', the size of its generated corpus")
            self._corpus = generated_corpus(task.config["articles"])
        self._question = read_task(task)
        assert self._corpus is not None
        self._corpus.forget()
        self._opened, self._num_answers = frozenset(), 0
        return [user(task.instruction)]

    def close(self) -> None:
        """Close the connection to the retrieval server, if there is one."""
        if self._own is not None:
            self._own.close()
        super().close()

    def parse(self, text: str) -> Action:
        """Tool calls; a message that holds none at all is refused in few words, a broken call is explained."""
        if "{" not in text and "(" not in text:
            raise ActionSyntaxError(NO_CALL)
        return super().parse(text)

    @tool
    def search(self, query: str, k: int = 5) -> str:
        """Find articles by the words that they contain.

        Args:
            query: Words; rare ones, such as names, count most.
            k: Most results, 1 to 20.
        """
        assert self._corpus is not None
        if not 1 <= k <= MAX_RESULTS:
            return f"k must be from 1 to {MAX_RESULTS}."
        found = self._corpus.search(query, int(k))
        return "\n".join(f"{hit.id} | {hit.title}" for hit in found) or NOT_FOUND

    @tool(name="open")
    def open_article(self, id: str) -> str | EnvReply:  # noqa: A002 - the tool's argument
        """Read an article.

        Args:
            id: Its id, as search lists it.
        """
        assert self._corpus is not None
        article = self._corpus.open(id.strip())
        if article is None:
            return f"There is no article {id[:60]!r}; open takes an id that search lists."
        before = self._share_opened
        self._opened |= {article.id}
        gained = self._share_opened - before
        events = [self.event("milestone", gained, source="shaping")] if gained else []
        return EnvReply([user(f"{article.title}\n{article.text}")], events)

    @tool
    def answer(self, value: str | float | list[str]) -> EnvReply:
        """Answer the question. Open every article that the answer rests on first.

        Args:
            value: A full name, a number, a date such as 1987-05-03, or a list of full names; the text unanswerable if
                no article has the answer.
        """
        verdict = self._judge(value)
        self._num_answers += 1
        if not verdict.is_right and self._num_answers < self._submissions:
            return EnvReply([user(self._feedback(verdict))], [self.event("retry", self.retry_value)])
        form = self._asked_form
        events = [self.event("findings" if form == "list" else "success", verdict.score), *self._closing_events()]
        text = RIGHT if verdict.is_right else self._feedback(verdict)
        return EnvReply([user(text)], events, terminated=True, success=verdict.is_right, score=verdict.score)

    def grade(self) -> EnvReply:
        """A cut episode has failed; its milestones are taken back like those of any other."""
        return EnvReply(events=self._closing_events(), success=False)

    def anchor(self) -> str | None:
        """The task, the articles opened, in canonical order, and the answers and invalid messages so far."""
        if self.task is None:
            return None
        opened = " ".join(sorted(self._opened))
        found = " ".join(self._own.found()) if isinstance(self._own, RetrievalServer) else ""
        counts = f"{self.books.phase} {self.num_invalid} {self._num_answers}"
        return f"{self.task.content_hash} {counts} {opened} / {found}"

    def fork(self, seed: int | None = None) -> Self:
        """A copy that goes on from here; there is no randomness after the start."""
        return self.fork_by_copy(seed)

    def progress(self) -> float | None:
        """Share of the articles that the answer rests on which have been opened."""
        return None if self._question is None else self._share_opened

    @property
    def _share_opened(self) -> float:
        assert self._question is not None
        needed = set(self._question.evidence)
        return len(needed & self._opened) / len(needed)

    @property
    def _asked_form(self) -> str:
        assert self._question is not None
        return self._question.form

    def _judge(self, value: str | float | list[str]) -> Verdict:
        question = self._question
        assert question is not None
        is_read = self._opened.issuperset(question.evidence)
        if question.form != "list":
            return judge(question.form, question.answer, value, is_read)
        names = question.answer
        assert isinstance(names, list)
        places = question.found_in
        read = [name for name, place in zip(names, places, strict=True) if place in self._opened] if places else names
        return judge_list(names, value, read if places or is_read else ())

    def _feedback(self, verdict: Verdict) -> str:
        if self._asked_form != "list" or self._submissions == 1:
            return WRONG
        return f"Not accepted: {verdict.num_right} of the {verdict.num_given} names given are right and were read of."

    def _closing_events(self) -> list[RewardEvent]:
        gained = self._share_opened
        if self._keeps_milestones or not gained:
            return []
        return [self.event("milestone", -gained, source="shaping", detail={"why": "the potential ends at 0"})]
