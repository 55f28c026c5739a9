import re

import pytest

from agentgym.attribution import METHODS, PREDICTED, make_attribution, make_attributions
from agentgym.attribution.compose import Chain, Sum
from agentgym.attribution.groups.anchors import Anchors
from agentgym.attribution.registry import _OF_PAPERS
from agentgym.attribution.return_to_go import ReturnToGo
from agentgym.attribution.shaping.gated import Gated
from agentgym.attribution.shaping.schedule import Schedule
from agentgym.attribution.shaping.tool_use import ToolUse
from agentgym.errors import ConfigError, UnknownNameError


@pytest.mark.parametrize("name", METHODS)
def test_every_name_makes_its_method(name):
    assert make_attribution(name).name == name


def test_options_are_read_with_their_types():
    assert make_attribution("anchors", ["gamma=0.5", "anchors.baseline=mean"]) == Anchors(0.5, "mean")
    assert make_attribution("tool_use", ["weight.start=0.3", "max_paid=none"]) == ToolUse(Schedule(0.3), max_paid=None)
    gated = make_attribution("gated", ['priorities=["success", "step"]', "thresholds=[1, 0.5]"])
    assert gated == Gated(("success", "step"), (1.0, 0.5))


def test_chains_and_sums_are_read_as_they_are_named():
    chain = make_attribution("gated,return_to_go", ["return_to_go.gamma=0.9"])
    assert chain == Chain((Gated(), ReturnToGo(0.9)))
    gigpo = make_attribution("episode_groups+0.5*anchors", ["anchors.gamma=0.9"])
    assert isinstance(gigpo, Sum)
    assert gigpo.weights == (1.0, 0.5)
    for method in (chain, gigpo):
        assert make_attribution(method.name).name == method.name


def test_an_option_goes_to_every_method_that_holds_its_name():
    first, second = make_attributions(["return_to_go", "gated,return_to_go"], ["return_to_go.gamma=0.5"])
    assert (first.gamma, second.stages[1].gamma) == (0.5, 0.5)


def test_unknown_names_and_options_are_refused_with_what_there_is():
    with pytest.raises(UnknownNameError, match="did you mean anchors"):
        make_attribution("anchor")
    with pytest.raises(ConfigError, match="did you mean gamma"):
        make_attribution("anchors", ["gama=0.9"])
    with pytest.raises(ConfigError, match=r"'anchors\.gamma' must be in"):
        make_attribution("anchors", ["gamma=2.0"])
    with pytest.raises(ConfigError, match="NAME being one of gated, uniform"):
        make_attribution("gated,uniform", ["anchors.gamma=0.9"])
    with pytest.raises(ConfigError, match="NAME or WEIGHT"):
        make_attribution("half*anchors")
    with pytest.raises(ConfigError, match="it stands alone, for a run that is over"):
        make_attribution("forks,corrected")
    with pytest.raises(UnknownNameError, match="attribution method ''"):
        make_attribution("anchors,")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("tool_use", ["weight.start=nan"]),
        ("gated", ["thresholds=[nan]"]),
        ("bounded", ["limit=inf"]),
        ("turn_groups", ["turn_weight=nan"]),
        ("judged", ["weights=[nan]"]),
        ("nan*environment", []),
        ("inf*environment+uniform", []),
    ],
)
def test_numbers_that_are_not_finite_are_refused(text, options):
    with pytest.raises(ConfigError, match=r"must be (a )?finite number"):
        make_attribution(text, options)


def test_only_close_names_are_suggested_else_every_method_is_named():
    with pytest.raises(UnknownNameError) as unlike:
        make_attribution("nope")
    assert "did you mean" not in str(unlike.value)
    assert all(name in str(unlike.value) for name in (*METHODS, *PREDICTED, "forks"))
    with pytest.raises(UnknownNameError) as like:
        make_attribution("turn_group")
    assert str(like.value).endswith("; did you mean turn_groups?")


@pytest.mark.parametrize(
    ("texts", "option", "why"),
    [
        (["uniform"], "uniform.foo=1", "'uniform.foo' is unknown; known: none"),
        (["uniform", "terminal"], "uniform=1", "'uniform' is a method, no option of one; its options: none"),
        (["uniform"], "return_to_go.gamma=0.9", "option 'return_to_go' is of no method that is asked for"),
        (["anchors", "terminal"], "anchors=1", "its options: anchors.gamma, anchors.baseline"),
    ],
)
def test_options_of_methods_without_any_are_refused_as_such(texts, option, why):
    with pytest.raises(ConfigError, match=re.escape(why)):
        make_attributions(texts, [option])


def test_names_of_papers_are_told_what_they_are_written_as():
    for name, written in _OF_PAPERS.items():
        with pytest.raises(UnknownNameError, match=re.escape(f"{name} is written as {written}")):
            make_attribution(name)
        if written != "forks":
            make_attribution(written)
