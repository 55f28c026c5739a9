"""Tasks of your own: questions and answers in files of JSON lines, as a suite of an environment of one turn."""

import tempfile
from pathlib import Path

from agentgym import Action, AgentEnv, EnvReply, EnvSpec, Message, Task, register
from agentgym.authoring.players import Saying
from agentgym.evaluation import evaluate, result_text
from agentgym.policies.by_name import load

SUITE = """
name = "quiz/geo"
env = "quiz/Answer-v0"
description = "Name the capital of a country."
license = "CC0-1.0"
source = "written for this example"
headline = "eu"
splits = { train = ["eu"], test = ["eu"] }
strata = { eu = "countries of Europe" }
scores = { roman = { success = 0.5 } }
"""
TRAIN = '{"id": "quiz/geo:fr", "seed": 0, "stratum": "eu", "instruction": "France", "private": {"answer": "Paris"}}'
TEST = """
{"id": "quiz/geo:it", "seed": 0, "stratum": "eu", "instruction": "Italy", "private": {"answer": "Rome"}}
{"id": "quiz/geo:no", "seed": 0, "stratum": "eu", "instruction": "Norway", "private": {"answer": "Oslo"}}
"""


class AnswerEnv(AgentEnv):
    """One question, one answer."""

    def make_task(self, seed: int) -> Task:
        """A task that no file has, for a reset without one."""
        return Task(f"answer:{seed}", seed, "Peru", private={"answer": "Lima"})

    def begin(self, task: Task) -> list[Message]:
        """Ask; the agent never sees the private part of the task."""
        return [{"role": "user", "content": f"What is the capital of {task.instruction}?"}]

    def respond(self, action: Action) -> EnvReply:
        """Judge the answer, and end the episode."""
        is_right = self.task is not None and action.content.strip() == self.task.private["answer"]
        return EnvReply(events=[self.event("success", float(is_right))], terminated=True, success=is_right)


SCRIPTS = {"oracle": lambda task, seed: Saying(task.private["answer"]), "roman": lambda task, seed: Saying("Rome")}


def main() -> None:
    """Write the files, register the environment with them, and evaluate a player that always says Rome."""
    folder = Path(tempfile.mkdtemp())
    (folder / "quiz" / "geo").mkdir(parents=True)
    for name, text in (("suite.toml", SUITE), ("train.jsonl", TRAIN), ("test.jsonl", TEST)):
        (folder / "quiz" / "geo" / name).write_text(text.lstrip())
    register(EnvSpec("quiz/Answer-v0", f"{__name__}:AnswerEnv", f"{__name__}:SCRIPTS", "quiz", ("quiz/geo",)), folder)
    print(result_text(evaluate(load("roman", "quiz/geo"), "quiz/geo")))


if __name__ == "__main__":
    main()
