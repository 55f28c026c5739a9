"""Setting the permissions of files and folders."""

from __future__ import annotations

from random import Random

from agentgym_swe.terminal.draft import Draft, paths, prose

_MODES = ("644", "664", "600", "755", "775", "777", "640", "666")


def _files(rng: Random, extensions: list[str], count: int = 9) -> dict[str, dict[str, str]]:
    return {path: {"content": prose(rng, 2), "mode": rng.choice(_MODES)} for path in paths(rng, count, extensions)}


def _content_checks(files: dict[str, dict[str, str]]) -> list[dict[str, str]]:
    return [{"path": path, "content": entry["content"]} for path, entry in files.items()]


def scripts(rng: Random) -> Draft:
    """One mode for scripts, another for the rest."""
    extension = rng.choice(["sh", "py", "pl"])
    for_scripts, for_rest = rng.choice([("755", "644"), ("700", "600"), ("750", "640")])
    files = _files(rng, [extension, "txt", "md"])
    checks = [{"path": path, "mode": for_scripts if path.endswith(extension) else for_rest} for path in files]
    return Draft(
        "scripts",
        f"Give all .{extension} files below the current folder the mode {for_scripts}, and all other files {for_rest}. "
        "Leave the folders as they are.",
        files,
        [*checks, *_content_checks(files)],
        [f"find . -type f -name '*.{extension}' -exec chmod {for_scripts} {{}} +",
         f"find . -type f ! -name '*.{extension}' -exec chmod {for_rest} {{}} +"],
    )  # fmt: skip


def take_away(rng: Random) -> Draft:
    """A right taken from some, everything else kept."""
    who, bits, option = rng.choice(
        [
            ("group and others", 0o022, "go-w"),
            ("others", 0o007, "o-rwx"),
            ("everybody", 0o111, "a-x"),
            ("others", 0o002, "o-w"),
        ]
    )
    right = {0o022: "write", 0o007: "all", 0o111: "execute", 0o002: "write"}[bits]
    files = _files(rng, ["txt", "sh", "cfg"])
    checks = [{"path": path, "mode": f"{int(entry['mode'], 8) & ~bits:03o}"} for path, entry in files.items()]
    return Draft(
        "take_away",
        f"Take {right} permission{'s' if right == 'all' else ''} on all files below the current folder away from {who}; keep "
        "all other permissions, and leave the folders as they are.",
        files,
        [*checks, *_content_checks(files)],
        [f"find . -type f -exec chmod {option} {{}} +"],
    )


def private_folder(rng: Random) -> Draft:
    """One folder made private, the others kept."""
    name = rng.choice(["secrets", "keys", "wallet"])
    files = _files(rng, ["txt", "key"], 5)
    inside = {f"{name}/{path}": entry for path, entry in _files(rng, ["pem", "key"], 4).items()}
    folders = sorted(
        {path.rpartition("/")[0] for path in inside}
        | {name}
        | {path.split("/")[0] + "/" + path.split("/")[1] for path in inside}
    )
    checks: list[dict[str, str]] = [{"path": folder, "mode": "700"} for folder in folders]
    checks += [{"path": path, "mode": "600"} for path in inside]
    checks += [{"path": path, "mode": entry["mode"]} for path, entry in files.items()]
    return Draft(
        "private_folder",
        f"Make the folder {name} and everything in it private: folders get the mode 700, files 600. Change nothing outside.",
        {**files, **inside},
        [*checks, *_content_checks(files | inside)],
        [f"find {name} -type d -exec chmod 700 {{}} +", f"find {name} -type f -exec chmod 600 {{}} +"],
    )


def by_first_line(rng: Random) -> Draft:
    """Programs made executable by what they begin with."""
    files = _files(rng, ["txt", "sh", "dat"])
    for entry in files.values():
        entry["mode"] = "644"
    programs = rng.sample(sorted(files), 4)
    for path in programs:
        files[path]["content"] = f"#!/bin/{rng.choice(['sh', 'bash'])}\n{files[path]['content']}"
    checks = [{"path": path, "mode": "755" if path in programs else "644"} for path in files]
    return Draft(
        "by_first_line",
        "Give every file below the current folder whose first line begins with #! the mode 755, whatever its name; leave the "
        "others as they are.",
        files,
        [*checks, *_content_checks(files)],
        ['find . -type f | while read -r p; do if [ "$(head -c 2 "$p")" = \'#!\' ]; then chmod 755 "$p"; fi; done'],
    )


KINDS = (scripts, take_away, private_folder, by_first_line)
