"""Kinds that training never shows: links, archives, doubles, dates, a merge with two sides."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
from random import Random

from agentgym_swe.terminal.draft import WORDS, Draft, paths, prose
from agentgym_swe.terminal.kinds.repository import _INIT, _write
from agentgym_swe.terminal.work_folder import FIXED_TIME


def newest_link(rng: Random) -> Draft:
    """A link to the highest version."""
    versions = rng.sample([(a, b, c) for a in (1, 2, 9, 10) for b in (0, 3, 11) for c in (0, 2, 12)], 5)
    names = [".".join(map(str, version)) for version in versions]
    best = ".".join(map(str, max(versions)))
    files: dict[str, object] = {f"releases/{name}/app.txt": f"{name}\n" for name in names}
    files["current"] = {"link": f"releases/{'.'.join(map(str, min(versions)))}"}
    return Draft(
        "newest_link",
        "releases/ holds a folder a version (such as 1.10.2). Let the symbolic link `current` point to the highest version, "
        "as a relative link releases/VERSION; the parts of a version are numbers.",
        files,
        [{"path": "current", "link": f"releases/{best}"}],
        ["ln -sfn releases/$(ls releases | sort -V | tail -n 1) current"],
    )


def unpack_some(rng: Random) -> Draft:
    """Some files out of an archive."""
    extension = rng.choice(["md", "cfg"])
    inside = {path: prose(rng, 2) for path in paths(rng, 8, [extension, "txt"])}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, text in inside.items():
            about = tarfile.TarInfo(path)
            about.size, about.mtime = len(text.encode()), FIXED_TIME
            tar.addfile(about, io.BytesIO(text.encode()))
    packed = base64.b64encode(gzip.compress(buffer.getvalue(), mtime=0)).decode()
    wanted = [path for path in inside if path.endswith(extension)]
    others = [path for path in inside if not path.endswith(extension)]
    if not wanted or not others:
        return unpack_some(rng)
    checks = [{"path": f"out/{path}", "content": inside[path]} for path in wanted]
    return Draft(
        "unpack_some",
        f"Unpack only the .{extension} files of backup.tar.gz into the folder out, with their paths.",
        {"backup.tar.gz": {"base64": packed}},
        [*checks, *({"path": f"out/{path}", "absent": True} for path in others)],
        ["mkdir out", f"tar -xzf backup.tar.gz -C out --wildcards '*.{extension}'"],
    )


def doubles(rng: Random) -> Draft:
    """Files of equal content, of which one is kept."""
    every = paths(rng, 9, ["txt", "dat"])
    texts = [prose(rng, 3) for _ in range(6)]
    files = {path: texts[index if index < 6 else rng.randrange(6)] for index, path in enumerate(rng.sample(every, 9))}
    kept = {min(path for path in files if files[path] == text) for text in files.values()}
    return Draft(
        "doubles",
        "Some files below the current folder have the same content. Of each such set keep the one whose path comes first in "
        "alphabetical (byte) order and delete the others.",
        files,
        [*({"path": path, "absent": True} for path in files if path not in kept)],
        ["find . -type f | LC_ALL=C sort | while read -r p; do h=$(sha1sum < \"$p\" | cut -c1-40); "
         "case \" $seen \" in *\" $h \"*) rm \"$p\";; *) seen=\"$seen $h\";; esac; done"],
    )  # fmt: skip


def dates(rng: Random) -> Draft:
    """Dates written in another form."""
    lines, changed = [], []
    for _ in range(rng.randint(5, 9)):
        day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1999, 2030)
        word = rng.choice(WORDS)
        lines.append(f"{word} on {day:02d}/{month:02d}/{year} and later")
        changed.append(f"{word} on {year}-{month:02d}-{day:02d} and later")
    return Draft(
        "dates",
        "diary.txt has dates written as day/month/year with two, two and four digits. Change them in place to year-month-day, "
        "and nothing else.",
        {"diary.txt": "\n".join(lines) + "\n"},
        [{"path": "diary.txt", "content": "\n".join(changed)}],
        [r"sed -i -E 's#([0-9]{2})/([0-9]{2})/([0-9]{4})#\3-\2-\1#g' diary.txt"],
    )


def two_sides(rng: Random) -> Draft:
    """A conflict settled for one side."""
    name, branch = f"{rng.choice(WORDS)}.txt", f"side-{rng.choice(WORDS)}"
    base, ours, theirs = prose(rng, 3), prose(rng, 3), prose(rng, 3)
    side, text = rng.choice([("main", ours), (branch, theirs)])
    message = f"Merge {branch} for {rng.choice(WORDS)}"
    setup = [*_INIT, _write(name, base), f"git add {name}", "git commit -q -m 'Start'", f"git checkout -q -b {branch}"]
    setup += [
        _write(name, theirs),
        "git commit -q -am 'Change on the side'",
        "git checkout -q main",
        _write(name, ours),
    ]
    setup += ["git commit -q -am 'Change on main'"]
    option = "ours" if side == "main" else "theirs"
    return Draft(
        "two_sides",
        f"In the git repository here, merge the branch {branch} into main with the subject `{message}`. Both changed {name}: "
        f"keep it exactly as it is on {side}.",
        {},
        [
            {"branch": "main"},
            {"of": "main", "blob": name, "content": text},
            {"path": name, "content": text},
            {"of": branch, "subjects": ["Change on the side", "Start"]},
            {"clean": True},
            {"of": "main", "subjects": [message, "Change on main", "Change on the side", "Start"]},
        ],
        [f"git merge -q --no-ff -X {option} -m '{message}' {branch}", f"git checkout -q {side} -- {name}"],
        setup,
    )


KINDS = (newest_link, unpack_some, doubles, dates, two_sides)
