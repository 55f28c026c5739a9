import pytest

from agentgym_gui.osworld.metrics.values import check_gnome_favorite_apps

RULES = {"expected": ["editor.desktop", "files.desktop"]}


@pytest.mark.parametrize(
    ("output", "score"),
    [
        (" ['files.desktop', 'editor.desktop']\n", 1.0),
        ("['files.desktop']", 0.0),
        ("['files.desktop', 'editor.desktop'] + []", 0.0),
        ("x = ['files.desktop', 'editor.desktop']", 0.0),
        ("list(['files.desktop', 'editor.desktop'])", 0.0),
        ("[" * 5_000, 0.0),
        ("\0", 0.0),
        (None, 0.0),
    ],
)
def test_a_written_list_is_read_and_never_run(output, score):
    assert check_gnome_favorite_apps(output, RULES) == score
