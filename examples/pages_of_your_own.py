"""Pages of your own: a folder of HTML as an environment, with a verdict that the page itself tells."""

import tempfile
from pathlib import Path

from agentgym import EnvReply, Limits, Task
from agentgym_web.browser.gate import Folder, Network
from agentgym_web.browser.settings import View
from agentgym_web.browser.sight import Sight
from agentgym_web.env import WebEnv

PAGE = "<script>window.count = 0</script><button onclick='window.count += 1'>Press</button>"


class CounterEnv(WebEnv):
    """Press a button as often as the task says."""

    def __init__(self, folder: str, render_mode: str | None = None) -> None:
        super().__init__(View(), actions=["bid"], render_mode=render_mode)
        self.folder = Path(folder)

    def make_task(self, seed: int) -> Task:
        """A task to press once, twice or three times."""
        told = f"Press the button {1 + seed % 3} times."
        return Task(f"counter/{seed}", seed, instruction=told, limits=Limits(max_turns=10))

    def network(self, task: Task) -> Network:
        """All that the page can reach: the folder, under a name of its own."""
        return Network({"counter.test": Folder(self.folder)})

    def start(self, task: Task) -> Sight:
        """Forget the last episode and open the first page."""
        self.page.start_over(self.network(task))
        return self.page.open("http://counter.test/", self.view, self.probe())

    def probe(self) -> str:
        """What the page is asked after each action, in JavaScript; the agent does not see the answer."""
        return "window.count ?? null"

    def judge(self, sight: Sight) -> EnvReply:
        """Success ends the episode."""
        if self.task is None or sight.probe != 1 + self.task.seed % 3:
            return EnvReply()
        return EnvReply(events=[self.event("success", 1.0)], terminated=True, success=True)


def main() -> None:
    """Play an episode on a folder with one page."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "index.html").write_text(PAGE, encoding="utf-8")
        env = CounterEnv(folder)
        print(env.reset(seed=1)[0]["text"])
        for action in ('click("1")', 'click("1")'):
            _, reward, terminated, _, _ = env.step(action)
            print(f"{action}: reward {reward}, terminated {terminated}")
        env.close()


if __name__ == "__main__":
    main()
