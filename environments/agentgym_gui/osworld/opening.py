"""Which application opens a file of a task in OSWorld's form: by the ending of its name, a folder by Thunar."""

from __future__ import annotations

from pathlib import PurePosixPath

from agentgym_gui.osworld.unsupported import UnsupportedError

_KINDS = {
    "mousepad": "txt md log conf cfg ini json xml html css srt",
    "geany": "py c h cpp java js sh tex",
    "gnumeric": "csv xlsx xls ods gnumeric",
    "ristretto": "png jpg jpeg gif bmp",
    "atril": "pdf",
    "engrampa": "zip tar gz tgz bz2 xz",
    "xournalpp": "xopp",
    "homebank": "xhb",
    "soffice": "doc docx odt ppt pptx odp",
}
APPLICATION_OF = {ending: name for name, endings in _KINDS.items() for ending in endings.split()}
"""The application by the ending, without its dot."""

OFFICE_PROGRAMS = frozenset({"soffice", "libreoffice", "localc", "lowriter", "loimpress"})
"""Programs of LibreOffice."""


def opener(path: str) -> str:
    """The application that opens a path, which may be a folder's.

    Raises:
        UnsupportedError: There is none.
    """
    ending = PurePosixPath(path).suffix.lower().removeprefix(".")
    if ending and ending not in APPLICATION_OF:
        raise UnsupportedError(f"no application of the desktop opens {path}")
    return APPLICATION_OF[ending] if ending else "thunar"
