"""What is played of a task: each variant differs from the reference by one thing."""

from benchmarks.tool_adapters.variants import VARIANTS, other, variants


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


TURNS = [{"calls": [call("ls"), call("touch", file_name="a")], "say": "Done."}, {"calls": [], "say": "Done."}]


def test_each_variant_differs_from_the_reference_by_one_thing():
    played = dict(variants("bfcl", "x", TURNS, ["ls", "touch", "mkdir"]))
    assert tuple(played) == VARIANTS
    assert played["reference"] == [TURNS]
    assert [turn["calls"] for turn in played["nothing"][0]] == [[], []]
    assert len(played["call dropped"][0][0]["calls"]) == 1
    assert played["argument changed"][0][0]["calls"] == [call("ls"), call("touch", file_name="ax")]
    assert played["reordered"][0][0]["calls"] == TURNS[0]["calls"][::-1]
    assert [turns[0]["calls"][2]["name"] for turns in played["extra write"]] == ["touch", "mkdir"]
    assert dict(variants("bfcl", "x", TURNS, ["ls", "touch", "mkdir"])) == played


def test_a_task_without_calls_has_no_variants_of_them():
    played = dict(variants("bfcl", "x", [{"calls": [], "say": ""}], ["touch"]))
    assert [name for name, plays in played.items() if not plays] == list(VARIANTS[2:])


def test_another_value_is_another_one_of_its_kind():
    for value in (True, 0, 1.5, "", "a", ["a", "b"], {"a": 1}):
        assert other(value) != value
        assert type(other(value)) is type(value)
