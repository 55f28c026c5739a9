"""Settings that programs keep in text: key files with groups (GTK, Xfce, Zim) and lines of a name and a value."""

from __future__ import annotations


def key_file(text: str) -> dict[str, dict[str, str]]:
    """Values by group and key. Lines before the first group stand in the group "".

    A key that is written twice in a group has its last value, as for the programs themselves.
    """
    groups: dict[str, dict[str, str]] = {}
    group = ""
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1]
            groups.setdefault(group, {})
            continue
        key, separator, value = line.partition("=")
        if separator:
            groups.setdefault(group, {})[key.strip()] = value.strip()
    return groups
