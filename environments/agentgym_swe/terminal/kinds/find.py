"""Finding files by name, size and content, and writing down what was found."""

from __future__ import annotations

from random import Random

from agentgym_swe.terminal.draft import WORDS, Draft, paths, prose


def by_size(rng: Random) -> Draft:
    """Files of one extension that are larger than a bound."""
    extension, other = rng.sample(["txt", "md", "csv", "log", "cfg"], 2)
    files = {path: prose(rng, rng.randint(1, 12)) for path in paths(rng, 12, [extension, other])}
    sizes = sorted(len(text) for path, text in files.items() if path.endswith(extension))
    bound = sizes[len(sizes) // 2] - 1 if sizes else 100
    found = [path for path, text in sorted(files.items()) if path.endswith(f".{extension}") and len(text) > bound]
    if not found:
        return by_size(rng)
    return Draft(
        "by_size",
        f"Write the paths of all .{extension} files below the current folder that are larger than {bound} bytes to "
        f"found.txt, one a line, relative to the current folder and without a leading ./, in alphabetical (byte) order.",
        files,
        [{"path": "found.txt", "content": "\n".join(found)}],
        [f"find . -name '*.{extension}' -size +{bound}c | sed 's|^./||' | LC_ALL=C sort > found.txt"],
    )


def by_word(rng: Random) -> Draft:
    """Files that contain a word."""
    word = rng.choice(["Quorum", "Falcon", "Obelisk", "Tangent", "Vesper"])
    files = {path: prose(rng, rng.randint(3, 8)) for path in paths(rng, 10, ["txt", "md", "py"])}
    marked = sorted(rng.sample(sorted(files), rng.randint(2, 5)))
    for path in marked:
        lines = files[path].splitlines()
        lines.insert(rng.randint(0, len(lines)), f"{rng.choice(WORDS)} {word} {rng.choice(WORDS)}")
        files[path] = "\n".join(lines) + "\n"
    for path in rng.sample([path for path in sorted(files) if path not in marked], 2):
        files[path] += f"{word.lower()}\n"
    return Draft(
        "by_word",
        f"Write the paths of all files below the current folder that contain the word {word} (exactly so, with its capital "
        f"letter) to matches.txt, one a line, relative and without a leading ./, in alphabetical (byte) order.",
        files,
        [{"path": "matches.txt", "content": "\n".join(marked)}],
        [f"grep -rlw {word} . --exclude=matches.txt | sed 's|^./||' | LC_ALL=C sort > /tmp/matches",
         "mv /tmp/matches matches.txt"],
    )  # fmt: skip


def line_count(rng: Random) -> Draft:
    """Number of lines in all files of an extension."""
    extension, other = rng.sample(["py", "sh", "c", "txt"], 2)
    files = {path: prose(rng, rng.randint(1, 20)) for path in paths(rng, 9, [extension, extension, other])}
    wanted = [text for path, text in files.items() if path.endswith(f".{extension}")]
    return Draft(
        "line_count",
        f"How many lines do all .{extension} files below the current folder have together? Write the number to total.txt.",
        files,
        [{"path": "total.txt", "content": str(sum(text.count(chr(10)) for text in wanted))}],
        [f"find . -name '*.{extension}' -exec cat {{}} + | wc -l > total.txt"],
    )


def largest(rng: Random) -> Draft:
    """The largest or smallest file."""
    lengths = rng.sample(range(1, 30), 8)
    files = {
        path: "x" * 31 + "\n" + "y" * 20 * length
        for path, length in zip(paths(rng, 8, ["dat", "bin"]), lengths, strict=True)
    }
    word, pick, option = rng.choice([("largest", max, "-rn"), ("smallest", min, "-n")])
    chosen = pick(files, key=lambda path: len(files[path]))
    return Draft(
        "largest",
        f"Copy the {word} of the files below the current folder (by size in bytes) to chosen.out in the current folder, and "
        "write its path, relative and without a leading ./, to chosen.txt.",
        files,
        [{"path": "chosen.out", "content": files[chosen]}, {"path": "chosen.txt", "content": chosen}],
        [f"p=$(find . -type f -printf '%s %P\\n' | sort {option} | head -n 1 | cut -d' ' -f2-)",
         'cp "$p" chosen.out; echo "$p" > chosen.txt'],
    )  # fmt: skip


def clean_up(rng: Random) -> Draft:
    """Files of some kind deleted, all others kept."""
    unwanted = rng.choice(["tmp", "bak", "orig", "swp"])
    every = paths(rng, 11, [unwanted, "txt", "md"])
    files = {path: prose(rng, rng.randint(0, 3)) for path in every}
    words, option, gone = rng.choice(
        [
            (f"all .{unwanted} files", f"-name '*.{unwanted}'", [p for p in every if p.endswith(f".{unwanted}")]),
            ("all empty files", "-empty", [p for p in every if not files[p]]),
            (f"all empty .{unwanted} files", f"-name '*.{unwanted}' -empty",
             [p for p in every if p.endswith(f".{unwanted}") and not files[p]]),
        ]
    )  # fmt: skip
    if not gone:
        return clean_up(rng)
    return Draft(
        "clean_up",
        f"Delete {words} below the current folder, and nothing else.",
        files,
        [{"path": path, "absent": True} for path in gone],
        [f"find . -type f {option} -delete"],
    )


KINDS = (by_size, by_word, line_count, largest, clean_up)
