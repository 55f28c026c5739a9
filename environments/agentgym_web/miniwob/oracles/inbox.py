"""Oracles of the mailbox pages: find a person's message, and star, delete, forward or answer it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from agentgym_web.miniwob.oracles.player import NOTHING, click, do, lines, solves
from agentgym_web.reading import Node, Reading

DELETING = re.compile(r"delet|trash|get rid|remove|recycling|throw away|anymore|don't want|out of my inbox", re.I)
NOT_NAMES = {"Email", "Mark", "Important", "Primary"}
BEFORE_RECEIVER = r"(?:to|to:|over to|(?:forward|send|give|let|sure|put|email)) $"
AFTER_RECEIVER = r"^ (?:wants the|is waiting|must be|receive|recieve)\b"
AFTER_SENDER = r"^(?:'s?|s)? (?:e-?mail|mail|message|latest|last|most recent|information|sent|wrote|wants his)"
BEFORE_SENDER = r"(?:from|by|or by) $"


class Wish(NamedTuple):
    """What is to be done with a message.

    Attributes:
        action: "reply", "forward", "delete" or "star".
        sender: Who wrote the message.
        receiver: Whom it is forwarded to.
        text: The answer.
    """

    action: str
    sender: str
    receiver: str = ""
    text: str = ""


@solves(
    "email-inbox", "email-inbox-delete", "email-inbox-forward", "email-inbox-forward-nl", "email-inbox-important",
    "email-inbox-noscroll", "email-inbox-reply", "email-inbox-star-reply", "email-inbox-forward-nl-turk",
    "email-inbox-nl-turk",
)  # fmt: skip
def use_inbox(instruction: str, seen: Reading, memory: dict[str, Any]) -> str:
    """What the instruction asks for, from the list of messages on."""
    threads = [node for node in seen.all("clickable") if node.properties.get("class") == "email-thread"]
    if threads:
        senders = [seen.nodes[thread.index + 1].name for thread in threads]
        memory["wish"] = wish = understand(instruction, senders)
        if wish.sender not in senders:
            return NOTHING
        thread = threads[senders.index(wish.sender)]
        if wish.action in ("delete", "star"):
            icon = {"delete": "trash", "star": "star"}[wish.action]
            return lines(click(_of_class(seen.inside(thread), icon)))
        return click(thread)
    return _write(seen, memory["wish"])


def _write(seen: Reading, wish: Wish) -> str:
    fields = seen.all("textbox")
    if not fields:
        return lines(click(seen.find(name="Reply" if wish.action == "reply" else "Forward")))
    field = fields[-1] if wish.action == "reply" else fields[0]
    send = [node for node in seen.all("clickable") if not node.name and node.at[1] < 90]
    text = wish.text if wish.action == "reply" else wish.receiver
    return lines(do("fill", field.id, text), click(max(send, key=lambda node: node.at[0], default=None)))


def _of_class(nodes: Sequence[Node], name: str) -> Node | None:
    return next((node for node in nodes if name in node.properties.get("class", "").split()), None)


def understand(instruction: str, senders: Sequence[str]) -> Wish:
    """What an instruction asks for.

    Args:
        instruction: One sentence or two.
        senders: Who wrote the messages in the inbox.
    """
    message = re.search(r'"+(.*?)["\s]*"[^"]*$', instruction) if '"' in instruction else None
    words = instruction if message is None else instruction[: message.start()] + instruction[message.end(1) :]
    names = _names(words, senders)
    known = [match for match in names if match[0] in senders]
    if message is not None:
        return Wish("reply", _first(known, names), text=message[1])
    if len({match[0] for match in names}) > 1 and not re.search(r"\bstar icon\b", words):
        sender, receiver = _roles(words, names, senders)
        return Wish("forward", sender, receiver)
    if re.search(r"forward", words, re.I) and "app to" in words:
        return Wish("forward", _first(known, names))
    return Wish("delete" if DELETING.search(words) else "star", _first(known, names))


def _first(known: Sequence[re.Match[str]], names: Sequence[re.Match[str]]) -> str:
    return (known or names)[0][0] if known or names else ""


def _names(words: str, senders: Sequence[str]) -> list[re.Match[str]]:
    """Names in a sentence: of people who wrote, and other words in capitals inside a sentence."""
    listed = "|".join(sorted(map(re.escape, senders), key=len, reverse=True))
    found = list(re.finditer(rf"(?:{listed})(?=\b|s\b)", words))
    taken = {index for match in found for index in range(*match.span())}
    for match in re.finditer(r"\b[A-Z][a-z]+\b", words):
        begins = match.start() == 0 or words[: match.start()].rstrip()[-1:] in (".", "?", "!", ";")
        wanted = not begins or re.match(AFTER_RECEIVER, words[match.end() :])
        if wanted and match[0] not in NOT_NAMES and match.start() not in taken:
            found.append(match)
    return sorted(found, key=lambda match: match.start())


def _roles(words: str, names: Sequence[re.Match[str]], senders: Sequence[str]) -> tuple[str, str]:
    """Who wrote, and who shall receive."""

    def weight(match: re.Match[str]) -> float:
        before, after = words[: match.start()], words[match.end() :]
        score = 0.0 if match[0] in senders else -10.0
        score += 4 * bool(re.search(BEFORE_SENDER, before, re.I)) + 2 * bool(re.match(AFTER_SENDER, after, re.I))
        score -= 3 * bool(re.search(BEFORE_RECEIVER, before, re.I)) + 1.5 * bool(re.match(AFTER_RECEIVER, after, re.I))
        return score

    ordered = sorted(names, key=weight)
    sender = ordered[-1][0]
    receiver = next(match[0] for match in ordered if match[0] != sender)
    return sender, receiver
