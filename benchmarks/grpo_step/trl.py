"""TRL's side of `benchmarks.grpo_step`: GRPOTrainer with an environment_factory around the same environment.

What it takes to make TRL run this on a CPU stands in `arguments`; tools are listed in the environment's own order, so
that the prompt is the one that the model was cloned on. Run by the driver in a process of its own.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"

import torch
from datasets import Dataset  # type: ignore[import-untyped]
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer  # type: ignore[attr-defined]

from agentgym.task import Task
from benchmarks.grpo_step.work import MAX_TURNS, Figures, Work, run_side
from benchmarks.slow_lookup import SlowLookupEnv

RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}
"""How TRL finds tool calls in what the tiny models' template renders."""


class Counts:
    """What the environments and the generation count up over an iteration."""

    turns = 0
    sampled_tokens = 0
    episodes = 0
    successes = 0


class LookupTools:
    """Lookup as TRL wants an environment: `reset`, tools as methods, `get_reward`; it cannot end an episode."""

    tasks: dict[str, Task] = {}
    delay_s = 0.0

    def __init__(self) -> None:
        self._env = SlowLookupEnv(self.delay_s)
        self._is_over = True
        self._reward = 0.0
        self._is_success = False

    def reset(self, task_id: str, **_: Any) -> str:
        """Start the task's episode."""
        observation, _info = self._env.reset(options={"task": self.tasks[task_id]})
        self._is_over, self._is_success, self._reward = False, False, 0.0
        return str(observation["text"])

    def search(self, query: str) -> str:
        """Find entities by a part of their name.

        Args:
            query: One or more whole words of the name.
        """
        return self._step("search", query=query)

    def lookup(self, entity: str, relation: str) -> str:
        """Look one fact up: the entity that stands in a relation to another.

        Args:
            entity: Full name of an entity.
            relation: The relation.
        """
        return self._step("lookup", entity=entity, relation=relation)

    def answer(self, value: str) -> str:
        """Give the final answer and end the episode.

        Args:
            value: Full name of one entity.
        """
        return self._step("answer", value=value)

    def get_reward(self) -> float:
        """The episode's return."""
        Counts.episodes += 1
        Counts.successes += self._is_success
        return self._reward

    def _step(self, name: str, **arguments: str) -> str:
        if self._is_over:
            return "The episode is over."
        Counts.turns += 1
        message = f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"
        observation, reward, terminated, truncated, info = self._env.step(message)
        self._reward += reward
        self._is_over = terminated or truncated
        self._is_success = bool(info.get("success"))
        return str(observation["text"])


class Clock(TrainerCallback):
    """Takes time and counts when an iteration has ended; the first one is not measured."""

    def __init__(self) -> None:
        self.figures = Figures()
        self._ended: float | None = None

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """An iteration has ended."""
        now = time.perf_counter()
        if self._ended is not None:
            self.figures.iteration_s.append(now - self._ended)
            self.figures.turns.append(Counts.turns)
            self.figures.sampled_tokens.append(Counts.sampled_tokens)
            self.figures.success.append(Counts.successes / max(1, Counts.episodes))
        self._ended = now
        Counts.turns = Counts.sampled_tokens = Counts.episodes = Counts.successes = 0


class CountingTrainer(GRPOTrainer):
    """GRPOTrainer that counts sampled tokens."""

    def _generate_single_turn(self, *args: Any, **kwargs: Any) -> Any:
        completion_ids, logprobs = super()._generate_single_turn(*args, **kwargs)  # type: ignore[no-untyped-call]
        Counts.sampled_tokens += sum(map(len, completion_ids))
        return completion_ids, logprobs


def arguments(work: Work) -> GRPOConfig:
    """TRL's settings for the work; what is not named here is TRL's default."""
    batch = work.tasks * work.group_size
    micro_batch = min(work.micro_batch, batch)
    return GRPOConfig(
        output_dir=work.folder,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        per_device_train_batch_size=micro_batch,
        gradient_accumulation_steps=batch // micro_batch,
        num_generations=work.group_size,
        max_steps=work.iterations + 1,
        max_completion_length=work.episode_tokens,
        max_tool_calling_iterations=MAX_TURNS,
        temperature=1.0,
        top_k=0,
        beta=0.0,
        epsilon=0.2,
        epsilon_high=0.28,
        loss_type="dapo",
        scale_rewards="group",
        learning_rate=work.learning_rate,
        lr_scheduler_type="constant",
        shuffle_dataset=False,
        seed=work.seed,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
        dataloader_pin_memory=False,
    )


def train(work: Work) -> Figures:
    """Run the iterations."""
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(work.model)
    tokenizer.response_template = RESPONSE_TEMPLATE
    model = AutoModelForCausalLM.from_pretrained(work.model, dtype=torch.float32)
    tasks = work.task_list()
    LookupTools.tasks = {task.id: task for task in tasks}
    LookupTools.delay_s = work.delay_s
    rows = [{"prompt": [{"role": "user", "content": ""}], "task_id": task.id} for task in tasks]
    clock = Clock()
    trainer = CountingTrainer(
        model=model,
        args=arguments(work),
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(rows),
        environment_factory=LookupTools,  # type: ignore[arg-type]
        callbacks=[clock],
    )
    order = [tool["function"]["name"] for tool in SlowLookupEnv.tools]
    trainer._env_tools[None].sort(key=lambda tool: order.index(tool.__name__))
    trainer.train()
    return clock.figures


if __name__ == "__main__":
    Path(json.loads(sys.argv[1])["folder"]).mkdir(parents=True, exist_ok=True)
    run_side(train, sys.argv[1])
