"""The main job: warm start, training, one test of every stage on the test split, and a summary.

The training loop is in `trainer.py`; putting the parts together in `setup.py`.
"""

from __future__ import annotations

import copy
import json
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from safetensors import SafetensorError
from torch import nn
from transformers.utils import logging as transformers_logging

from agentgym.errors import CheckpointError, LearningStalledError
from agentgym.evaluation import EvaluationResult, EvaluationSettings, evaluate
from agentgym.evaluation.tables import UNKNOWN
from agentgym.policies.torch.listed import PICKS_LEGAL_ACTIONS
from agentgym.policies.torch.policy import KNOWS_SEEN, MESSAGE_LIMIT, SEEN_FILE
from agentgym.policies.torch.steering import load_steering, save_model
from agentgym.policy import Policy
from agentgym.rollout import ProgressDisplay
from agentgym.stopping import terminable
from agentgym.store import RunStore
from agentgym.trajectory import Trajectory
from agentgym.view import write_report
from agentgym_rl.core import distributed
from agentgym_rl.core.checkpoint import checkpoints, load_newest
from agentgym_rl.core.cloning import CloneStep, clone, successes, updates_of, warm_start_episodes
from agentgym_rl.core.config.train import TrainConfig
from agentgym_rl.core.demonstrations import collect_demonstrations, with_tokens
from agentgym_rl.core.metrics import success_metrics
from agentgym_rl.core.models import PolicyModel, load_causal_lm
from agentgym_rl.core.publishing import publish
from agentgym_rl.core.roles import evaluated_role
from agentgym_rl.replay.admission import record_tokenizer
from agentgym_rl.run.describe import describe
from agentgym_rl.run.journal import Journal, success_text
from agentgym_rl.run.preflight import require_fitting
from agentgym_rl.run.run_folder import TrainResult, config_digest, headline_first, open_run, require_usable
from agentgym_rl.run.sampling import MakeSampler, make_torch_sampler, stored_policy, untrained_policy
from agentgym_rl.run.setup import Parts, assemble, device_of, reference_of, untrained
from agentgym_rl.run.trainer import Trainer
from agentgym_rl.run.watch import look_up, messages_of, told_before, why_not_learning

_WHY = "why_not_learning"
_OPEN_DEMONSTRATIONS = 64
"""Most demonstrations that are played at once."""
STAGES = ("untrained", "cloned", "filtered_cloned", "trained")


def train(
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    make_sampler: MakeSampler = make_torch_sampler,
) -> TrainResult:
    """Run the whole job in a folder.

    Args:
        config: The configuration.
        folder: Where everything is written.
        resume: Continue the run in the folder from its newest checkpoint.
        overwrite: Remove the run in the folder first.
        make_sampler: Makes the sampler of the trained weights; the default decodes in this process.

    Raises:
        ConfigError: Settings or folder do not fit.
        LearningStalledError: A fail-fast threshold was crossed; the folder keeps the run so far.
    """
    with terminable():
        return _train(config, folder, resume, overwrite, make_sampler)


def _train(config: TrainConfig, folder: Path, resume: bool, overwrite: bool, make_sampler: MakeSampler) -> TrainResult:
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    distributed.start(config.run.device)
    if distributed.rank() == 0:
        require_usable(folder, config, resume=resume, overwrite=overwrite)
    parts = assemble(config, make_sampler)  # before the folder is made: what is refused here leaves nothing behind
    store = open_run(folder, config, resume=resume, overwrite=overwrite) if distributed.rank() == 0 else None
    distributed.broadcast(None)
    journal = Journal(store, folder)
    try:
        if store is not None:
            store.set_meta({"equations": describe(config)})
            record_tokenizer(store, parts.tokenizer)
        job = TrainingJob(config, parts, folder, store, journal)
        try:
            job.run(is_resumed=resume)
        except LearningStalledError as error:
            reason = ". ".join(filter(None, (str(error), told_before(store))))
            job.report_stall(reason)
            raise LearningStalledError(reason) from error
        return job.conclude()
    finally:
        journal.close()
        if store is not None:
            store.close()


@dataclass(frozen=True)
class Spent:
    """Wall time of a stage, and of how many episodes, updates or tasks."""

    seconds: float
    count: int

    @property
    def for_each(self) -> float:
        """Seconds for one of them."""
        return self.seconds / max(1, self.count)


class TrainingJob:
    """One run of the job: its stages, in order.

    Attributes:
        spent: Times of the last demonstrations, cloning and validation.
    """

    spent: dict[str, Spent]

    def __init__(
        self, config: TrainConfig, parts: Parts, folder: Path, store: RunStore | None, journal: Journal
    ) -> None:
        self.config, self.parts, self.folder, self.store, self.journal = config, parts, folder, store, journal
        self.spent = {}
        count = sum(parameter.numel() for parameter in self.parts.model.parameters())
        journal.say(f"{config.run.suite}: {count:,} parameters, {len(self.parts.tokenizer)} tokens")

    def run(self, *, is_resumed: bool) -> None:
        """Warm start and training, or the remaining part of them."""
        has_checkpoint = is_resumed and bool(checkpoints(self.folder / "checkpoints"))
        if is_resumed and self._is_cloned() and self._needs_cloned(has_checkpoint):
            self._load_cloned()
        elif not has_checkpoint:
            self._warm_start()
        trainer = self._trainer()
        if has_checkpoint:
            self._resume(trainer)
            if not trainer.is_over() and not self.config.validation.every:
                _drop_former(self.folder / "models" / "trained")
        if self.store is not None and is_resumed:
            self.store.rollback_after(trainer.state.iteration)
            self.journal.restore()
        if trainer.state.iteration == 0:
            trainer.checkpoint()
        try:
            trainer.run()
        finally:
            trainer.learner.close()
        if distributed.broadcast(not (self.folder / "models" / "trained").exists()):
            self._export("trained", self.parts.model, trainer.state.seen_hashes)
        distributed.broadcast(None)

    def _resume(self, trainer: Trainer) -> None:
        trainer.state = (
            load_newest(
                self.folder / "checkpoints",
                trainer.model,
                trainer.optimiser,
                digest=config_digest(self.folder, self.config),
                warn=lambda text: self.journal.say(f"warning: {text}; going on from the one before"),
                parts=trainer.parts(),
            )
            or trainer.state
        )
        publish(trainer.model, trainer.policy, trainer.state.version)
        self.journal.say(f"resumed after iteration {trainer.state.iteration}")

    def conclude(self) -> TrainResult:
        """Test every stage once, write the summary and the report."""
        if distributed.rank() != 0 or self.store is None:
            return TrainResult(self.folder)
        held_out = self._test() if self.config.validation.has_final_test else {}
        notes = why_not_learning(self.store.metrics(), held_out, told_before(self.store)) if self._is_watched() else []
        self.store.set_meta({_WHY: "\n".join(notes)})
        if notes:
            self.journal.say("why is it not learning: " + "; ".join(notes))
        result = TrainResult(self.folder, held_out, None, self.journal.seconds, notes)
        result.write_summary()
        return replace(result, report=write_report(self.folder))

    def report_stall(self, reason: str) -> None:
        """Store with the run why it was stopped, and write its page."""
        if self.store is not None:
            self.store.set_meta({_WHY: reason})
            self.journal.say(f"report of the stopped run: {write_report(self.folder)}")

    def _is_watched(self) -> bool:
        """Whether the run played episodes whose success can be watched."""
        return self.config.run.iterations > 0 and self.config.algorithm.collects

    # The warm start.

    def _has_warm_start(self) -> bool:
        return self.config.warm_start.demonstrations > 0 or bool(self.config.warm_start.run)

    def _is_cloned(self) -> bool:
        return (self.folder / "models" / "cloned" / SEEN_FILE).exists()

    def _needs_cloned(self, has_checkpoint: bool) -> bool:
        """Whether a resumed run starts from the exported cloned model: adapters, being merged in it, cannot."""
        return self.config.algorithm.needs_reference if has_checkpoint else not self.config.model.lora_rank

    def _warm_start(self) -> None:
        if not self._has_warm_start():
            _look_up(self, (task.instruction for task in self.parts.suite.train_tasks()))
            return
        config = self.config.warm_start
        control = copy.deepcopy(self.parts.model) if config.has_control else None
        demonstrations = self._demonstrations()
        seen = {trajectory.content_hash for trajectory in demonstrations} | self.parts.seen.hashes
        chosen = successes(demonstrations) if config.is_filtered else demonstrations
        num_updates = updates_of(config, len(chosen))
        if control is not None:
            kept = successes(demonstrations)
            self._clone("control: cloning successes only", control, kept, num_updates)
            self._export("filtered_cloned", control, seen)
        self._clone("cloning", self.parts.model, chosen, num_updates)
        publish(self.parts.model, self.parts.policy, 0)
        self._export("cloned", self.parts.model, seen)

    def _demonstrations(self) -> list[Trajectory]:
        config, suite, began = self.config.warm_start, self.parts.suite, time.monotonic()
        rendered: dict[str, Trajectory] = {}
        failed: list[Trajectory] = []

        def keep(records: list[Trajectory]) -> None:
            _keep_demonstration(self.store, records)
            failed.extend(each for each in records[:1] if each.error)
            rendered.update((each.id, each) for each in _rendered(records, self.parts, self.config))

        if config.run:
            found = warm_start_episodes(config, suite, self.parts.cast)
            shown = _rendered(found, self.parts, self.config)
        else:
            found = collect_demonstrations(
                suite,
                config.demonstrator,
                config.demonstrations,
                self.config.run.seed,
                cast=self.parts.cast,
                on_finish=keep,
                progress=ProgressDisplay("demonstrations") if distributed.rank() == 0 else None,
                max_concurrent=min(_OPEN_DEMONSTRATIONS, self.config.rollout.max_concurrent),
            )
            shown = [rendered[each.id] for each in found]
            self.journal.left_out(failed, config.demonstrations, "demonstrations")
        self.spent["demonstrations"] = Spent(time.monotonic() - began, len(found))
        rate = sum(bool(each.success) for each in found) / max(1, len(found))
        self.journal.say(f"{len(found)} demonstrations, {rate:.0%} of them successful")
        _look_up(self, messages_of(found))
        return shown

    def _clone(self, title: str, model: PolicyModel, chosen: Sequence[Trajectory], num_updates: int) -> None:
        began = time.monotonic()
        left_out: list[int] = []

        def show(update: int, total: int, step: CloneStep) -> None:
            if not step.is_taken:
                left_out.append(update)
            if update % max(1, total // 5) == 0:
                self.journal.say(f"{title}: update {update}/{total}, loss {step.loss:.3f} nats a token")

        losses = clone(
            model,
            chosen,
            self.config.warm_start,
            self.config.packing,
            seed=self.config.run.seed,
            num_updates=num_updates,
            max_grad_norm=self.config.optimiser.max_grad_norm,
            swaps=self.parts.swaps,
            on_update=show,
        )
        if left_out:
            self.journal.say(
                f"warning: {title}: {len(left_out)} of {num_updates} updates were left out, whose gradients were not "
                'finite; lower warm_start.learning_rate, or use model.dtype = "float32"'
            )
        for update, loss in enumerate(losses):
            if update % 10 == 0:
                self.journal.record(update, {"loss": loss}, phase=title.partition(":")[0])
        self.spent["cloning"] = Spent(time.monotonic() - began, num_updates)
        self.journal.say(f"{title}: {len(chosen)} episodes in {self.spent['cloning'].seconds:.0f}s")

    def _load_cloned(self) -> None:
        folder = self.folder / "models" / "cloned"
        model = load_causal_lm(str(folder), self.config.model)[0]
        load_steering(model, folder)
        weights = {f"causal_lm.{name}": tensor for name, tensor in model.state_dict().items()}
        own = self.parts.model.state_dict()
        if set(own) - set(weights) - {"value_head.weight", "value_head.bias"}:
            raise CheckpointError(f"{folder} does not fit the configured model; start anew")
        cast(nn.Module, self.parts.model).load_state_dict({**own, **weights})
        publish(self.parts.model, self.parts.policy, 0)

    # Training.

    def _trainer(self) -> Trainer:
        trainer = Trainer(
            self.config,
            self.parts.suite,
            self.parts.model,
            self.parts.policy,
            reference=reference_of(self.parts.model, self.config),
            store=self.store,
            folder=self.folder,
            journal=self.journal,
            validate=self._validate,
        )
        trainer.state.seen_hashes.update(self.parts.seen.hashes)
        if self._is_cloned():
            seen = json.loads((self.folder / "models" / "cloned" / SEEN_FILE).read_text())
            trainer.state.seen_hashes.update(seen["seen_hashes"])
        if self.config.curriculum.starts is not None:
            shown = [] if self.store is None else self.store.episodes(with_tokens=False, purpose="demo")
            trainer.curriculum.take(distributed.broadcast([each for each in shown if each.success]))
        return trainer

    def _validate(self, trainer: Trainer) -> float | None:
        """Score the present weights on the validation split; the best ones are exported."""
        is_best = False
        if distributed.rank() == 0:
            began = time.monotonic()
            settings = replace(
                self._evaluation(), limit=self.config.validation.tasks, iteration=trainer.state.iteration
            )
            result = evaluate(trainer.policy, self.parts.suite, "validation", settings, store=self.store)
            _require_whole(result)
            self.spent["validation"] = Spent(time.monotonic() - began, len(result.tasks))
            metrics = success_metrics([task.success for task in result.tasks if task.attempts])
            score = result.score.mean
            self.journal.record(trainer.state.iteration, {**metrics, "score/mean": score}, phase="validation")
            self.journal.say(f"validation: success {success_text(metrics)}")
            trainer.state.best_score, is_best = _better(trainer.state.best_score, score)
            if is_best:
                trainer.state.best_iteration = trainer.state.iteration
        if distributed.broadcast(is_best):
            self._export("trained", self.parts.model, trainer.state.seen_hashes)
        return trainer.state.best_score

    def _evaluation(self) -> EvaluationSettings:
        """What validation and test have in common."""
        role, partners = evaluated_role(self.config.roles, self.parts.suite)
        return EvaluationSettings(
            seed=self.config.run.seed,
            rollout=replace(self.config.rollout, is_lockstep=True),
            role=role,
            partners=partners,
            partner_sampling=self.config.roles.partner_sampling,
        )

    def _export(self, stage: str, model: PolicyModel, seen: set[str]) -> None:
        """Write a stage's model as `save_pretrained` does, with the tasks that it saw; a call of all ranks."""
        target = self.folder / "models" / stage
        causal_lm = self.parts.whole.of(model)
        if causal_lm is None:
            return
        facts = {
            "suite": self.parts.suite.name,
            "stage": stage,
            "seen_hashes": sorted(seen),
            KNOWS_SEEN: self.parts.seen.is_all,
            MESSAGE_LIMIT: self.config.rollout.sampling.max_tokens,
            PICKS_LEGAL_ACTIONS: self.config.algorithm.picks_legal_actions,
        }
        partial = target.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        try:
            save_model(_without_adapters(causal_lm), partial)
            self.parts.tokenizer.save_pretrained(partial)
            (partial / SEEN_FILE).write_text(json.dumps(facts))
            shutil.rmtree(target, ignore_errors=True)
            partial.rename(target)
        except (OSError, SafetensorError) as error:
            shutil.rmtree(partial, ignore_errors=True)
            raise CheckpointError(f"cannot write the model {target}: {error}; free space or mend the folder") from error

    # The test.

    def _test(self) -> dict[str, Any]:
        held_out = {}
        suite, validation = self.parts.suite, self.config.validation
        has_strata = len(suite.splits["test"]) > 1
        title = "test of all strata" if has_strata else "test"
        for stage in STAGES:
            if (policy := self._stage_policy(stage)) is None:
                continue
            settings = replace(self._evaluation(), attempts=validation.test_attempts, limit=validation.test_tasks)
            progress = ProgressDisplay(f"{title}, {stage}")
            result = evaluate(policy, suite, "test", settings, store=self.store, progress=progress)
            _require_whole(result)
            held_out[stage] = headline_first(result.to_json(), suite.headline)
            shown = "{mean:.3f} [{low:.3f}, {high:.3f}]".format_map(held_out[stage]["success"])
            whole = f"; all strata {result.success.mean:.3f}" if has_strata else ""
            known = "" if result.num_trained_on is not None else f"; trained on: {UNKNOWN}"
            headline = f"stratum {suite.headline}" if has_strata else suite.headline
            self.journal.say(f"held out, {headline}: {stage} {shown}{whole}{known}")
        return held_out

    def _stage_policy(self, stage: str) -> Policy | None:
        if stage == "untrained":
            model, tokenizer = untrained(self.config, lambda: self.parts.tokenizer)
            cast(nn.Module, model).to(device_of(self.config))
            return untrained_policy(model, tokenizer, self.config, self.parts.seen)
        folder = self.folder / "models" / stage
        return stored_policy(folder, stage) if (folder / "config.json").exists() else None


def _look_up(job: TrainingJob, texts: Iterable[str]) -> None:
    look_up(texts, job.parts.tokenizer, job.config, job.parts.suite.env, job.journal, job.store)


def _drop_former(model: Path) -> None:
    """Without validations the trained model is the last one, which a run that is extended has yet to reach."""
    if distributed.rank() == 0:
        shutil.rmtree(model, ignore_errors=True)
    distributed.broadcast(None)


def _keep_demonstration(store: RunStore | None, records: Iterable[Trajectory]) -> None:
    if store is not None:
        for record in records:
            store.write_episode(record, purpose="demo", is_replacement=True)


def _rendered(records: Sequence[Trajectory], parts: Parts, config: TrainConfig) -> list[Trajectory]:
    """Demonstrations with tokens, each of which must fit into a row."""
    found = with_tokens(records, parts.renderer, parts.tools, config.rollout.history)
    require_fitting(found, config.packing.row_length)
    return found


def _require_whole(result: EvaluationResult) -> None:
    """An interrupt ends an evaluation early; the run that it is part of ends then too."""
    if result.num_missing:
        raise KeyboardInterrupt


def _better(best: float | None, score: float) -> tuple[float, bool]:
    is_best = best is None or score > best
    return (score if is_best or best is None else best), is_best


def _without_adapters(model: Any) -> Any:
    """The model with its adapters merged, in a copy on the CPU: a GPU that trains it may have no room for two."""
    if not hasattr(model, "merge_and_unload"):
        return model
    copied: dict[int, Any] = {
        id(each): nn.Parameter(each.detach().to("cpu", copy=True), requires_grad=False) for each in model.parameters()
    }
    copied |= {id(each): each.to("cpu", copy=True) for each in model.buffers()}
    return copy.deepcopy(model, copied).merge_and_unload()
