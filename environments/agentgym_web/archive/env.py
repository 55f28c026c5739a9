"""WebArchive-v0: questions about the pages of a web archive, which is replayed without a network."""

from __future__ import annotations

from pathlib import Path

from agentgym.data_folder import data_folder
from agentgym.env import EnvReply
from agentgym.errors import ConfigError, TaskError
from agentgym.task import Task
from agentgym_web.archive.papers.generate import draw_task
from agentgym_web.archive.questions import load_questions
from agentgym_web.archive.replaying import archive_network, the_archive
from agentgym_web.browser.gate import Network
from agentgym_web.browser.settings import PageSettings, View
from agentgym_web.browser.sight import Sight
from agentgym_web.env import WebEnv
from agentgym_web.sites.core.verify import is_answer


class WebArchiveEnv(WebEnv):
    """Answer a question from the pages of a web archive.

    Observation:
        The question, then the page's address, title and elements, one a line with an id, a role, a name and a state.
        After an action that failed, why it failed. A page that is not in the archive says so.
    Action:
        Calls of BrowserGym's actions by element, such as click("12"), of goto, go_back, go_forward, of the tabs, and
        keyboard_press("PageDown"). At most 8 in a message. send_msg_to_user("…") answers, and report_infeasible("…")
        gives up.
    Reward:
        success: 1 if the answer is right, else 0. Case, quotation marks and marks at the ends do not matter; a number
        must be the only one. format: 0 with weight 1, -0.1 for a message without a valid action.
    Termination:
        The answer; the third invalid message.
    Truncation:
        After 40 turns, counted as failure.
    Info:
        The common keys: messages, reward_events, turn, is_invalid, and at the end outcome, success, score.
    Sandbox:
        A browser whose only network is the archive; its own sandbox is on where the machine allows it.
    Source and licence:
        The environment and the papers of web/papers are agentgym's, Apache-2.0 and CC0-1.0. Questions about an index
        of papers follow WebArXiv (arXiv:2507.00938); its pages and questions are not used.

    Example:
        click("4"); click("17") -> a paper's page; send_msg_to_user("Harbour Symposium") -> success 1.

    Args:
        archive: A WARC file that tasks made from a seed are about; "" for the generated papers.
        questions: A file of questions about it, one JSON object a line with `question` and `answer`.
        url: The page on which questions begin that name none; "" for the archive's first page.
        screenshot: Whether observations have a picture.
        visible_only: Whether the tree leaves out what lies outside the window.
        max_tokens: Most tokens of an observation's tree; None leaves it whole.
        browser: The browser's program; None finds one.
        render_mode: None, "ansi", "rgb_array", or "human", which opens a window for a person.
        trace: A folder that gets Playwright's trace of each episode; "" for none.
    """

    settings = PageSettings(virtual_time=True)

    def __init__(
        self,
        archive: str = "",
        questions: str = "",
        url: str = "",
        *,
        screenshot: bool = False,
        visible_only: bool = False,
        max_tokens: int | None = None,
        browser: str | None = None,
        render_mode: str | None = None,
        trace: str = "",
    ) -> None:
        view = View(screenshot=screenshot, visible_only=visible_only)
        actions = ("bid", "nav", "tab", "chat", "infeas", "keyboard_press")
        super().__init__(view, actions, max_tokens, browser, render_mode, trace=trace)
        if bool(archive) is not bool(questions):
            raise ConfigError("give both archive and questions, or neither for the generated papers")
        self._tasks = load_questions(Path(questions), Path(archive), url) if archive else []
        self.num_tasks = len(self._tasks) or None

    def make_task(self, seed: int) -> Task:
        """A question about the archive: of the file in turn, or drawn about the papers."""
        return self._tasks[seed % len(self._tasks)] if self._tasks else draw_task(seed, number=seed)

    def network(self, task: Task) -> Network:
        """The archive, and nothing else."""
        return archive_network(the_archive(archive_path(task)))

    def start(self, task: Task) -> Sight:
        """Open the first page."""
        if not isinstance(task.private.get("answer"), dict):
            raise TaskError(f"task {task.id!r} has no answer in its private part; expected one of web/papers or a file")
        path = archive_path(task)
        captures = the_archive(path)
        url = str(task.config.get("url") or next(iter(captures.pages), ""))
        if captures.find("GET", url) is None:
            raise TaskError(
                f"task {task.id!r} begins at {url!r}, which is not in {path}; "
                "`agentgym web replay FILE --list-pages` shows what is"
            )
        self.page.start_over(self.network(task), seed=task.seed)
        return self.page.open(url, self.view)

    def goal(self, task: Task) -> str:
        """The question, and how it is answered."""
        return (
            f"{task.instruction}\n\nFind the answer on the pages, then give it, and nothing else, with "
            "send_msg_to_user."
        )

    def judge(self, sight: Sight) -> EnvReply:
        """Pages alone are worth nothing."""
        return EnvReply()

    def judge_message(self, name: str, text: str) -> EnvReply:
        """Whether the answer is right."""
        assert self.task is not None
        is_right = name == "send_msg_to_user" and is_answer(self.task.private["answer"], text)
        events = [self.event("success", float(is_right), source="verifier")]
        return EnvReply(events=events, terminated=True, success=is_right)


def archive_path(task: Task) -> Path:
    """The file of a task's archive: its path, below the folder of all suites where it is not absolute."""
    named = Path(str(task.config.get("archive", "")))
    return named if named.is_absolute() else data_folder("tasks") / named
