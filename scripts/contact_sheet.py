"""A picture of many: windows of the desktop's applications beside each other, each with its name below.

`scripts.docs_pictures` draws it for the documentation. It needs Docker, the images of the applications and the extra
gui.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import closing

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from agentgym.errors import SandboxError
from agentgym.sandbox.engines.docker import DockerProvider
from agentgym_gui.actions.events import Move
from agentgym_gui.desktop.session import Desktop, Pixels, Sight
from agentgym_gui.desktop.settings import DesktopSettings
from agentgym_gui.desktop.staging import lay_out
from agentgym_gui.desktop.task import DesktopTask, Popup
from agentgym_gui.templates.all_templates import TEMPLATES
from agentgym_gui.templates.tasks import screen_of

SHOWN: Mapping[str, str] = {
    "Mousepad": "mousepad.replace_word",
    "Geany": "geany.rename_variable",
    "Thunar": "thunar.rename",
    "Galculator": "galculator.product",
    "Gnumeric": "gnumeric.set_cell",
    "Xfce Terminal": "terminal.count_lines",
    "Ristretto": "ristretto.which",
    "Atril": "atril.total",
    "Claws Mail": "mail.move",
    "Orage": "orage.add",
    "Zim": "zim.add_line",
    "HomeBank": "homebank.add_expense",
    "Engrampa": "engrampa.delete_member",
    "Xournal++": "xournalpp.delete_page",
    "Xfce settings": "settings.theme",
    "Zenity": "",
}
"""Names below the pictures, each with a template of tasks that opens the application; zenity shows a dialog."""
SHOWN_ON_DEMAND: Mapping[str, str] = {
    "LibreOffice Calc": "calc.set_cells",
    "LibreOffice Writer": "writer.sign",
    "LibreOffice Impress": "impress.title",
    "Chromium": "chromium.cheapest",
    "DB Browser for SQLite": "sqlitebrowser.set_count",
}
"""The same of applications whose images are built on demand."""
_DIALOG = Popup("Update", "A new version is ready. Install it now?", ("Install", "Later"))
_CELL = (400, 290)
_MAX_COLUMNS, _GAP, _LABEL = 4, 16, 34
_PAPER, _WALL, _INK = (255, 255, 255), (226, 229, 233), (40, 40, 40)
_QUALITY = 82


def applications_sheet(shown: Mapping[str, str]) -> bytes:
    """A WebP file that shows each application, opened on a desktop of its own.

    Args:
        shown: `SHOWN` or `SHOWN_ON_DEMAND`.

    Raises:
        SandboxError: An application shows no window that stands still.
    """
    provider = DockerProvider()
    pictures: list[Pixels] = []
    for name, template in shown.items():
        task = _task(template)
        with provider.start(task.screen.spec()) as sandbox, closing(Desktop(sandbox, task.screen)) as desktop:
            lay_out(desktop, task)
            desktop.act((Move(task.screen.width - 1, task.screen.height - 1),))
            pictures.append(_window(desktop.look(has_picture=True, has_pointer=False), name))
    return sheet(pictures, list(shown))


def sheet(pictures: Sequence[Pixels], names: Sequence[str]) -> bytes:
    """A WebP file with pictures in rows, each with its name below; large ones are made smaller.

    Args:
        pictures: uint8[H, W, 3] each.
        names: A name for each.
    """
    width, height = _CELL
    rows = -(-len(pictures) // _MAX_COLUMNS)
    columns = -(-len(pictures) // rows)
    whole = Image.new("RGB", (_GAP + columns * (width + _GAP), _GAP + rows * (height + _LABEL)), _PAPER)
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(20)
    for number, (pixels, name) in enumerate(zip(pictures, names, strict=True)):
        x = _GAP + number % columns * (width + _GAP)
        y = _GAP + number // columns * (height + _LABEL)
        pen.rectangle((x, y, x + width - 1, y + height - 1), fill=_WALL)
        small = Image.fromarray(np.ascontiguousarray(pixels))
        small.thumbnail((width - _GAP, height - _GAP), Image.Resampling.LANCZOS)
        whole.paste(small, (x + (width - small.width) // 2, y + (height - small.height) // 2))
        pen.text((x + width // 2, y + height + 2), name, fill=_INK, font=font, anchor="ma")
    written = io.BytesIO()
    whole.save(written, "WEBP", quality=_QUALITY, method=6)
    return written.getvalue()


def _task(template: str) -> DesktopTask:
    if not template:
        return DesktopTask(start=(_DIALOG.argv,))
    plan = TEMPLATES[template].plan(0)
    screen = DesktopSettings(**screen_of(plan))
    return DesktopTask(screen=screen, files=plan.files, settings=plan.settings, start=plan.start)


def _window(sight: Sight, name: str) -> Pixels:
    """The pixels of the uppermost window with its frame."""
    shown = [window for window in sight.screen.windows if not window.is_hidden]
    if not shown or sight.pixels is None or not sight.settled.is_calm:
        raise SandboxError(f"{name} shows no window that stands still")
    box = shown[-1].box
    return sight.pixels[max(box.y, 0) : box.y + box.height, max(box.x, 0) : box.x + box.width]
