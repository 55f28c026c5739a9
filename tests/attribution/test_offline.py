import dataclasses
import sqlite3

import numpy as np
import pytest

from agentgym.attribution import (
    METHODS,
    attribute_run,
    credit_events,
    make_attribution,
    make_attributions,
    stored_credit,
    with_credit,
)
from agentgym.attribution.offline import keep_credit
from agentgym.errors import ConfigError, ContractError, StoreError
from agentgym.game import SoloGame
from agentgym.outcome import Outcome
from agentgym.policies.scripted import ScriptedPolicy
from agentgym.rollout import Job, RolloutSettings, collect_episodes
from agentgym.store import DATABASE, RunStore
from tests.attribution.records import Guesser, KeyDoor, record

TEXTS = (*METHODS, "gated,potential,bounded,return_to_go", "episode_groups+0.5*anchors")


@pytest.fixture
def store(tmp_path):
    with RunStore.create(tmp_path / "run", {}) as opened:
        yield opened


def rollouts(num_groups=3, size=6):
    """Groups of one task that were played by chance."""
    task = KeyDoor().make_task(0)
    jobs = [
        Job(task, f"{g}-{i}", 10 * g + i, group_id=f"g{g}", attempt=i) for g in range(num_groups) for i in range(size)
    ]
    settings = RolloutSettings(record_anchors=True, record_progress=True)
    found, _ = collect_episodes(jobs, lambda _: SoloGame(KeyDoor()), {"*": ScriptedPolicy("guess", Guesser)}, settings)
    return found


@pytest.fixture(scope="module")
def live():
    return rollouts()


def test_attribution_of_a_stored_run_is_that_of_the_live_trajectories(live, store):
    """Online equals offline, bit for bit, whatever the order of writing; the record stays as it was."""
    for index in np.random.default_rng(0).permutation(len(live)):
        store.write_episode(live[index])
    attribute_run(store, dict(zip(TEXTS, make_attributions(TEXTS), strict=True)))
    stored = {row.id: (row, trajectory) for row, trajectory in zip(store.episode_rows(), store.episodes(), strict=True)}
    for text in TEXTS:
        events = store.credit(text)
        found = 0.0
        for trajectory, credit in zip(live, make_attribution(text).attribute(live), strict=True):
            row, read = stored[trajectory.id]
            rescored = with_credit(read, events.get(row.number, ()), text)
            assert rescored.step_rewards().tolist() == credit.tolist(), text
            assert read.events == trajectory.events
            found += np.abs(credit).sum()
        assert found > 0, text


def test_events_of_credit_are_shaping_known_at_the_end():
    trajectory = record("a", [0.0, 0.0, 1.0], role="seller")
    events = credit_events(trajectory, np.array([0.5, 0.0, -1.0]), "x")
    assert [(event.turn, event.issued_at, event.value) for event in events] == [(0, 2, 0.5), (2, 2, -1.0)]
    assert {(event.role, event.component, event.source) for event in events} == {("seller", "x", "shaping")}
    assert with_credit(trajectory, events, "x").total_reward == -0.5
    assert trajectory.total_reward == 1.0


def test_figures_of_a_run_are_told_and_kept(store):
    store.write_episode(record("a", [0.0] * 9 + [1.0], group=""))
    store.write_episode(record("b", [3.0], group=""))
    store.write_episode(record("c", [0.0], outcome=Outcome("infrastructure", "x"), score=None, success=None))
    store.write_episode(record("d", []))
    (found,) = attribute_run(store, {"last": make_attribution("terminal")})
    assert (found.episodes, found.left_out, found.conserves, found.largest_gap) == (2, 2, True, 0.0)
    assert found.mean_by_fifth == (0.0, 0.0, 1.0, 0.0, 0.5)
    assert stored_credit(store) == [found]


def test_episodes_without_groups_are_compared_with_their_like(store):
    for name, policy, reward in (("a", "p", 1.0), ("b", "p", 0.0), ("c", "q", 5.0)):
        store.write_episode(record(name, [reward], group="", policy=policy))
    attribute_run(store, {"x": make_attribution("episode_groups")})
    found = {number: [event.value for event in events] for number, events in store.credit("x").items()}
    assert found == {1: [1.0], 2: [-1.0], 3: []}


def test_a_bonus_has_the_weight_of_the_iteration_that_an_episode_is_of(store):
    for name, iteration in (("a", 1), ("b", 2), ("c", None)):
        store.write_episode(record(name, [0.0, 0.0], group=name, anchors=["s", "t"]), iteration)
    options = ["weight.start=1.0", "weight.iterations=1"]
    attribute_run(store, {"x": make_attribution("state_counts", options)})
    credit = store.credit("x")
    assert [[event.value for event in credit.get(number, ())] for number in (1, 2, 3)] == [[1.0], [], [1.0]]


def test_episodes_that_earned_nothing_are_told_from_those_that_were_not_attributed(store):
    store.write_episode(record("a", [0.0, 0.0]))
    store.write_episode(record("b", [0.0, 0.0]), purpose="test")
    attribute_run(store, {"x": make_attribution("uniform")})
    assert store.credit("x") == {1: []}


def test_credit_that_was_assigned_elsewhere_is_kept_like_any_other(store):
    trajectories = [record("a", [0.0, 1.0]), record("b", [0.0, 0.0])]
    numbers = [store.write_episode(each) for each in trajectories]
    method = make_attribution("uniform")
    (other,) = attribute_run(store, {"other": method})
    members = list(zip(numbers, trajectories, strict=True))
    for _ in range(2):
        kept = keep_credit(store, "x", method, members, method.attribute(trajectories), purpose="train")
    assert stored_credit(store) == [other, kept]
    assert dataclasses.replace(kept, label="other", made_at=other.made_at) == other
    assert kept.made_at > other.made_at
    values = {label: [[e.value for e in found] for found in store.credit(label).values()] for label in ("x", "other")}
    assert values["x"] == values["other"] == [[0.5, 0.5], []]


def test_labels_are_replaced_only_on_request(store):
    store.write_episode(record("a", [0.0, 1.0]))
    attribute_run(store, {"x": make_attribution("terminal")})
    with pytest.raises(ConfigError, match="holds credit under x already"):
        attribute_run(store, {"x": make_attribution("uniform"), "y": make_attribution("uniform")})
    assert list(store.credit_labels()) == ["x"]
    attribute_run(store, {"x": make_attribution("uniform")}, overwrite=True)
    assert [event.value for event in store.credit("x")[1]] == [0.5, 0.5]


def test_nothing_is_kept_where_one_method_does_not_apply(store):
    store.write_episode(record("a", [0.0], group="one", anchors=["s"]))
    store.write_episode(record("b", [0.0], group="two"))
    with pytest.raises(ConfigError, match="record_anchors"):
        attribute_run(store, make_methods("terminal", "anchors"))
    assert store.credit_labels() == {}


@pytest.mark.parametrize("method", ["anchors", "episode_groups+anchors", "turn_groups"])
def test_the_share_of_turns_that_are_alone_in_their_state_is_told(store, method):
    options = ['by="anchor"', 'outcome=["step"]'] if method == "turn_groups" else []
    for name, group, anchors in (("a", "g", "su"), ("b", "g", "sv"), ("c", "h", "wx")):
        store.write_episode(record(name, [0.0, 1.0], group=group, anchors=list(anchors)))
    found = attribute_run(store, {"x": make_attribution(method, options), "y": make_attribution("uniform")})
    assert [each.singleton_share for each in found] == [pytest.approx(4 / 6), None]
    assert stored_credit(store) == found


class Broken:
    """Gives the last turn of each episode what it was told."""

    name, conserves, yields = "broken", True, "rewards"

    def __init__(self, value):
        self.value = value

    def attribute(self, group):
        return [np.array([0.0] * (len(each.turns) - 1) + [self.value]) for each in group]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nothing_is_kept_where_credit_is_no_number(store, value):
    trajectory = record("a", [0.0, 1.0])
    number = store.write_episode(trajectory)
    methods = make_methods("terminal") | {"x": Broken(value)}
    with pytest.raises(ContractError, match=f"broken gives turn 1 of episode 'a' the credit {value}"):
        attribute_run(store, methods)
    credit = methods["x"].attribute([trajectory])
    with pytest.raises(ContractError, match="broken gives turn 1"):
        keep_credit(store, "x", methods["x"], [(number, trajectory)], credit, purpose="train")
    assert store.credit_labels() == {}


def make_methods(*texts):
    return dict(zip(texts, make_attributions(texts), strict=True))


def test_a_run_without_graded_episodes_is_refused(store):
    with pytest.raises(ConfigError, match="no train episode with a reward"):
        attribute_run(store, make_methods("terminal"))
    store.write_episode(record("a", [0.0], policy="p"))
    with pytest.raises(ConfigError, match="no train episode of the policies q with a reward"):
        attribute_run(store, make_methods("terminal"), policies=("q",))


def test_episodes_that_were_trained_on_are_attributed_unless_others_are_asked_for(store):
    store.write_episode(record("a", [1.0], group="", anchors=["s"]))
    store.write_episode(record("b", [1.0], group=""), purpose="test")
    store.write_episode(record("c", [1.0], group="", policy="p"), purpose="demo")
    anchors = {"x": make_attribution("anchors")}
    assert [(each.purpose, each.episodes) for each in attribute_run(store, anchors)] == [("train", 1)]
    for options, purpose in (({"purpose": "test"}, "test"), ({"policies": ("p",)}, "demo")):
        methods = {purpose: make_attribution("terminal")}
        assert [each.purpose for each in attribute_run(store, methods, **options)] == [purpose]
    with pytest.raises(ConfigError, match="no validation episode with a reward; choose another purpose"):
        attribute_run(store, {"y": make_attribution("terminal")}, purpose="validation")


def test_episodes_played_again_in_hindsight_are_left_out_unless_they_are_asked_for(store):
    store.write_episode(record("a", [1.0]))
    store.write_episode(record("a/hindsight-0", [1.0], policy="hindsight"))
    [played] = attribute_run(store, {"x": make_attribution("terminal")})
    [again] = attribute_run(store, {"y": make_attribution("terminal")}, policies=("hindsight",))
    assert (played.episodes, again.episodes) == (1, 1)


def test_a_run_that_is_being_written_is_refused(store):
    with pytest.raises(StoreError, match="is being written by process"):
        RunStore.open(store.folder)


def test_a_foreign_database_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / DATABASE) as other:
        other.execute("CREATE TABLE songs (name)")
    other.close()
    with pytest.raises(StoreError, match="no run's database"):
        RunStore.open(tmp_path)
