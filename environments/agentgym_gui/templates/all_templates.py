"""All templates by name, and the applications that only the test split shows."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_gui.templates import across, orders
from agentgym_gui.templates.applications import (
    archives,
    chromium,
    galculator,
    geany,
    gnumeric,
    homebank,
    mails,
    mousepad,
    office,
    orage,
    sqlitebrowser,
    terminal,
    thunar,
    viewing,
    xfce_settings,
    xournalpp,
    zim,
)
from agentgym_gui.templates.impossible import impossible_templates
from agentgym_gui.templates.plan import Template
from agentgym_gui.templates.popups import popup_templates

_OF_ONE = (mousepad, geany, thunar, galculator, gnumeric, terminal, viewing, mails, zim, homebank, archives)
_PLAIN = {each.name: each for module in (*_OF_ONE, orage, xfce_settings, xournalpp) for each in module.TEMPLATES}
_PLAIN |= {each.name: each for each in (*across.TEMPLATES, *orders.TEMPLATES)}

TEMPLATES: Mapping[str, Template] = {
    **_PLAIN,
    **{each.name: each for each in (*impossible_templates(_PLAIN), *popup_templates(_PLAIN))},
    **{each.name: each for module in (office, chromium, sqlitebrowser) for each in module.TEMPLATES},
}
"""The templates by name."""
OFFICE = tuple(each.name for each in office.TEMPLATES)
"""Templates of LibreOffice, whose image is built on demand; they have a suite of their own."""
BUS = tuple(each.name for module in (chromium, sqlitebrowser) for each in module.TEMPLATES)
"""Those of applications on the accessibility bus, which have an image and a suite of their own, too."""
HELD_OUT_APPLICATIONS = frozenset({"orage", "xournalpp"})
"""Applications that no training or validation task shows."""
HELD_OUT_TEMPLATES = frozenset(
    {
        "mousepad.swap_lines",
        "mousepad.restore_line",
        "geany.add_function",
        "thunar.move_kind",
        "thunar.put_two_back",
        "thunar.delete",
        "galculator.hexadecimal",
        "gnumeric.total_column",
        "gnumeric.delete_row",
        "terminal.save_matches",
        "atril.which_page",
        "ristretto.drop",
        "mail.rescue",
        "zim.new_page",
        "homebank.mend_amount",
        "engrampa.extract_one",
        "settings.two_switches",
        "across.paper_to_table",
        "across.archive_to_notes",
        "across.mail_reckoned_to_text",
        "orders.notes_to_text",
        "popups.thunar_rename",
        "popups.gnumeric_sum",
    }
)
"""Templates that no training or validation task shows; their twins that cannot be done are held out with them."""
