"""A sandbox of your own: an agent works on files with a shell, and is judged by the file that it leaves."""

import random

from agentgym import EnvReply, Limits, Message, Task, tool
from agentgym.errors import SandboxFileError
from agentgym.sandbox.sandbox_env import SandboxEnv
from agentgym.sandbox.spec import SandboxSpec


class CountEnv(SandboxEnv):
    """Count the words of a file."""

    def make_task(self, seed: int) -> Task:
        """A file of 10 to 99 words."""
        count = random.Random(seed).randint(10, 99)
        told = "Write the number of words of text.txt to count.txt, then submit."
        return Task(f"count:{seed}", seed, told, private={"count": count}, limits=Limits(max_turns=8))

    def sandbox_spec(self, task: Task) -> SandboxSpec:
        """What the sandbox must be; it has no network, as none is named."""
        return SandboxSpec(image="agentgym/base")

    def set_up(self, task: Task) -> list[Message]:
        """Write the file, and say what is to be done."""
        self.sandbox.write_file("text.txt", b"word " * task.private["count"])
        return [{"role": "user", "content": task.instruction}]

    @tool
    def shell(self, command: str) -> str:
        """Run a command.

        Args:
            command: What sh is given.
        """
        return self.sandbox.exec(["sh", "-c", command]).text() or "(no output)"

    @tool
    def submit(self) -> EnvReply:
        """End the episode."""
        try:
            said = self.sandbox.read_file("count.txt").decode(errors="replace").strip()
        except SandboxFileError:
            said = ""
        is_right = self.task is not None and said == str(self.task.private["count"])
        return EnvReply(events=[self.event("success", float(is_right))], terminated=True, success=is_right)


def main() -> None:
    """Play an episode. "process" isolates nothing; without it, docker or bubblewrap holds what an agent does."""
    env = CountEnv(sandbox="process")
    print(env.reset(seed=1)[0]["text"])
    for action in ("shell('wc -w < text.txt > count.txt')", "submit()"):
        observation, reward, terminated, _, _ = env.step(action)
        print(f"{action}: {observation['text']!r}, reward {reward}, terminated {terminated}")
    env.close()


if __name__ == "__main__":
    main()
