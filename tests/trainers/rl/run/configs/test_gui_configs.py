"""The shipped runs on a desktop, cut short, and the words that its tiny model knows."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentgym.authoring.players import call_text
from agentgym.message import content_text
from agentgym.prompting.unknown_words import unknown_words
from agentgym.store import RunStore
from agentgym.suite import load_suite
from agentgym_gui.desktop import vocabulary
from agentgym_rl.core.roles import tools_of, training_cast
from agentgym_rl.run import config as config_module
from agentgym_rl.run.config import load_config
from agentgym_rl.run.job import train
from agentgym_rl.run.setup import suite_tokenizer
from tests.toys.seeing import seeing_folder

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

CONFIGS = Path(config_module.__file__).parents[1] / "configs"
CONFIG = CONFIGS / "gui_desktop.toml"
SUITE = "gui/desktop-small"
SHORT = (
    "run.iterations=1",
    "warm_start.demonstrations=4",
    "warm_start.epochs=1",
    "warm_start.batch_episodes=2",
    "group.size=2",
    "group.tasks=2",
    "validation.has_final_test=false",
)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    suite = load_suite(SUITE)
    return suite_tokenizer(suite, tools_of(training_cast(load_config(CONFIG).roles, suite)))


def test_tiny_model_is_cloned_and_trained_on_desktops(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    config = load_config(CONFIG, SHORT)
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        demonstrated = list(store.episodes(purpose="demo"))
        played = list(store.episodes(purpose="train"))
    longest = max(len(turn.prompt_ids) + len(turn.action_ids) for each in played for turn in each.turns)
    assert len(demonstrated) == 4
    assert len(played) == 2 * 2
    assert 0 < longest < config.packing.row_length
    turns = [turn for each in demonstrated for turn in each.turns]
    assert unknown_words(tokenizer, (content_text(each) for turn in turns for each in turn.messages)).share < 0.1


def test_replay_and_bands_run_on_desktops(tmp_path: Path) -> None:
    config = load_config(CONFIGS / "gui_desktop_arpo.toml", (*SHORT, "curriculum.bands.prior=1"))
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert len(list(store.episodes(purpose="train"))) == 2 * 2
        metrics = store.metrics()
    assert "curriculum/band_drawn_share" in metrics
    assert any(name.startswith("replay/") for name in metrics), sorted(metrics)


@pytest.mark.parametrize("name", ["gui_desktop_hf", "grounding_hf"])
def test_model_in_a_folder_is_trained_on_pictures_of_the_screen(name: str, tmp_path: Path) -> None:
    folder = seeing_folder(tmp_path / "model", ["Click the button."])
    # The template of the model that they are made for presents no tools.
    templates = Path(find_spec("trl").origin).parent / "chat_templates"
    shutil.copy(templates / "qwen2_5_vl.jinja", folder / "chat_template.jinja")
    changed = [f"model.path={folder}", "run.device=cpu", "rollout.sampling.max_tokens=8", "validation.every=0"]
    cut = [each for each in SHORT if not each.startswith("warm_start")]
    config = load_config(CONFIGS / f"{name}.toml", [*cut, *changed, "group.dynamic_sampling=keep"])
    train(config, tmp_path / "run")
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        openings = [each.turns[0] for each in store.episodes(purpose="train")]
    assert len(openings) == 2 * 2
    for turn in openings:
        [picture] = turn.pictures
        # Sixteen parts of a picture at most, behind a mark and before another one.
        standing = turn.prompt_ids == turn.prompt_ids[picture.token]
        assert 1 < standing.sum() <= 16
        assert standing[picture.token : picture.token + standing.sum()].all()
    assert (tmp_path / "run" / "models" / "trained" / "preprocessor_config.json").is_file()


def test_tasks_hold_no_word_that_is_spelt(tokenizer: PreTrainedTokenizerFast) -> None:
    suite = load_suite(SUITE)
    said = [task.instruction for split in suite.splits for task in suite.tasks(split)]
    assert unknown_words(tokenizer, said).share == 0.0


def test_lines_and_calls_take_few_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    lines = [
        ('\n  [12] menu item "Cut"', 5),
        ('\n  *[8] text = "milk\\nflour" (focused)', 7),
        ('window "Terminal" (active)', 3),
        (call_text("click", element="12"), 4),
        (call_text("type_text", text="\nflour"), 4),
        (call_text("finish", answer="13"), 3),
    ]
    for text, most in lines:
        assert len(tokenizer.encode(text)) <= most, text
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_other_suites_know_the_words_of_all_templates() -> None:
    small, all_words = (set(" ".join(vocabulary.texts_of(name)).split()) for name in (SUITE, "gui/desktop"))
    assert "hexadecimal" in all_words - small
    assert len(small) < len(all_words) / 2
