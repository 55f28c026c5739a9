"""Templates for Claws Mail: mails in MH folders, a file each."""

from __future__ import annotations

import random
from typing import Any

from agentgym_gui.templates.making import mail, text
from agentgym_gui.templates.plan import Ending, Plan, Template, goal
from agentgym_gui.templates.steps import Step, Steps, call, click, finish, press, typed
from agentgym_gui.templates.words import THINGS, TOPICS, TOWNS, address, person, sentences, some

APP = "claws-mail"
KEEPING = (".claws-mail/*", "Mail/*/.claws_*", "Mail/*/.mh_sequences", "Mail/*/*/.claws_*")
"""What the program writes beside the mails: its settings, caches and marks."""
_SUBJECT, _BODY = 3, 4
"""Which of the fields of a new mail."""
_WINDOW = (
    "mainwin_width=1000",
    "mainwin_height=600",
    "mainview_height=560",
    "summaryview_height=250",
    "enable_aspell=0",
)
_FOLDERS = ("inbox", "sent", "draft", "queue", "trash")


def account_files(folders: tuple[str, ...] = ()) -> dict[str, bytes]:
    """The settings of an account that sends nothing, and the list of its folders."""
    kinds = dict(zip(_FOLDERS, ("inbox", "outbox", "draft", "queue", "trash"), strict=True))
    items = [
        f'        <folderitem type="{kinds.get(each, "normal")}" name="{each}" path="{each}"/>'
        for each in (*_FOLDERS, *folders)
    ]
    tree = ['<?xml version="1.0" encoding="UTF-8"?>', "<folderlist>"]
    tree.append('    <folder type="mh" name="Mail" path="Mail" sort="0" collapsed="0">')
    account = ["[Account: 1]", "config_version=4", "account_name=alex", "is_default=1", "name=Alex Reed"]
    account += ["address=alex@example.org", "protocol=4", "smtp_server=localhost"]
    return {
        **{f"Mail/{each}/.mh_sequences": b"" for each in (*_FOLDERS, *folders)},
        ".claws-mail/folderlist.xml": text("\n".join([*tree, *items, "    </folder>", "</folderlist>"]) + "\n"),
        ".claws-mail/accountrc": text("\n".join(account) + "\n"),
        ".claws-mail/clawsrc": text("\n".join(["[Common]", "always_show_msg=2", *_WINDOW]) + "\n"),
    }


def inbox(rng: random.Random, count: int = 5, folder: str = "inbox") -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    """Mails of a folder, and sender and subject of each."""
    files, heads = {}, []
    topics, things = some(rng, TOPICS, count), some(rng, THINGS, count)
    for number in range(1, count + 1):
        sender, subject = person(rng), f"The {things[number - 1]} for the {topics[number - 1]}"
        body = "\n".join([f"Hello Alex,\n\n{sentences(rng, 1)[0]}", "", sender])
        files[f"Mail/{folder}/{number}"] = mail(address(sender), subject, body, number=number)
        heads.append((sender, subject))
    return files, heads


def opened_folder(folder: str) -> Steps:
    """A folder in the window at its full size; the program tells its lists to no tree, so they are known by place."""
    return (press("alt+F10"), call("click_at", x=76, y=169 + 17 * _place_of(folder)))


def chosen_mail(number: int) -> Step:
    """A mail of the open folder by its place in the list, which begins with the newest."""
    return call("click_at", x=430, y=135 + 17 * number)


def _place_of(folder: str) -> int:
    return _FOLDERS.index(folder) if folder in _FOLDERS else len(_FOLDERS)


def mail_plan(words: str, files: dict[str, bytes], goals: list[Any], done: Ending, *wrong: Ending, **rest: Any) -> Plan:
    """The plan of a task about mails."""
    return Plan(
        goal=words,
        applications=(APP,),
        start=((APP,),),
        files=files,
        goals=tuple(goals),
        may_change=(*KEEPING, *(path for path in done.files)),
        ending=done,
        near_misses=wrong,
        **rest,
    )


def _subjects(folder: str, heads: list[tuple[str, str]]) -> Any:
    return goal(folder, "mails", path=f"Mail/{folder}", contains=[{"subject": subject} for _, subject in heads])


def _moved(rng: random.Random, source: str, target: str, words: str, num_mistakes: int = 0) -> Plan:
    files, heads = inbox(rng, folder=source)
    other, _ = inbox(rng, 1, folder=target)
    files |= {**account_files((target,) if target not in _FOLDERS else ()), **other}
    files |= account_files((source,)) if source not in _FOLDERS else {}
    number = rng.randrange(1, 6)
    subject = heads[number - 1][1]
    old, new = f"Mail/{source}/{number}", f"Mail/{target}/2"
    goals = [
        goal("there", "mails", path=f"Mail/{target}", contains=[{"subject": subject}]),
        goal("one more", "mails", path=f"Mail/{target}", count=2),
        goal("gone", "mails", path=f"Mail/{source}", lacks=[{"subject": subject}]),
        goal("others", "mails", path=f"Mail/{source}", count=4),
    ]
    second = f"Mail/{source}/{number % 5 + 1}"
    done = Ending({old: None, new: files[old]})
    label = {"inbox": "Inbox", "trash": "Trash"}.get(target, target)
    steps = (
        *opened_folder(source),
        chosen_mail(6 - number),
        press("ctrl+o"),
        click("table cell", label),
        click("push button", "OK"),
        finish(),
    )
    wrong = (Ending({new: files[old]}), Ending({second: None, new: files[second]}), Ending({old: None}))
    return mail_plan(words.format(subject=subject), files, goals, done, *wrong, oracle=steps, num_mistakes=num_mistakes)


def _move(rng: random.Random) -> Plan:
    return _moved(
        rng, "inbox", rng.choice(("family", "orders", "club")), 'Move the mail "{subject}" into the other folder.'
    )


def _to_trash(rng: random.Random) -> Plan:
    return _moved(
        rng, "inbox", "trash", 'Move the mail "{subject}" from the inbox to the trash. Leave the trash as it is.'
    )


def _rescue(rng: random.Random) -> Plan:
    words = 'The mail "{subject}" was thrown into the trash by mistake. Move it back to the inbox.'
    return _moved(rng, "trash", "inbox", words, 1)


def _count(rng: random.Random) -> Plan:
    files, _ = inbox(rng, 6)
    topic = rng.choice(TOPICS)
    number = rng.randrange(1, 4)
    for place in range(1, number + 1):
        files[f"Mail/inbox/{6 + place}"] = mail(
            address(person(rng)), f"Note {place}: {topic} list", "See you.", number=6 + place
        )
    words = f'How many mails in the inbox have a subject that ends with "{topic} list"? Answer with the number alone.'
    answer = goal("answer", "answer", words=str(number))
    files |= account_files()
    done, wrong = Ending(answer=str(number)), Ending(answer=str(number + 1))
    return mail_plan(words, files, [answer], done, wrong, oracle=(*opened_folder("inbox"), finish(str(number))))


def _who(rng: random.Random) -> Plan:
    files, heads = inbox(rng)
    sender, subject = rng.choice(heads)
    other = next(each for each, _ in heads if each != sender)
    words = f'Who sent the mail "{subject}"? Answer with the first and last name alone.'
    answer = goal("answer", "answer", words=sender)
    steps = (*opened_folder("inbox"), chosen_mail(5 - heads.index((sender, subject))), finish(sender))
    done, wrong = Ending(answer=sender), Ending(answer=other)
    return mail_plan(words, {**files, **account_files()}, [answer], done, wrong, oracle=steps)


def _draft(rng: random.Random) -> Plan:
    files, _ = inbox(rng)
    who, town = person(rng), rng.choice(TOWNS)
    to, subject, line = address(who), f"Visit to {town}", sentences(rng, 1)[0]
    words = (
        f'Write a mail to {who.lower().replace(" ", ".")}@example.org with the subject "{subject}" and the text '
        f'"{line}". Do not send it: save it as a draft.'
    )
    path = "Mail/draft/1"
    goals = [
        goal("subject", "mails", path="Mail/draft", contains=[{"subject": subject}]),
        goal("one draft", "mails", path="Mail/draft", count=1),
        goal("to", "text", path=path, matches=rf"(?m)^To: .*{to.partition('<')[2].rstrip('>')}"),
        goal("text", "text", path=path, contains=line),
    ]
    me = "Alex Reed <alex@example.org>"
    done = Ending({path: mail(me, subject, line, to=to)})
    wrong = (Ending({path: mail(me, subject, "", to=to)}), Ending({path: mail(me, town, line, to=to)}))
    fields = {0: to.partition("<")[2].rstrip(">"), _SUBJECT: subject, _BODY: line}
    steps = (
        press("ctrl+m"),
        click("label", "Subject:"),
        *(step for place, value in fields.items() for step in (click("text", nth=place), typed(value))),
        click("push button", "Draft"),
        finish(),
    )
    return mail_plan(words, {**files, **account_files()}, goals, done, *wrong, oracle=steps)


TEMPLATES = (
    Template("mail.move", _move),
    Template("mail.to_trash", _to_trash),
    Template("mail.rescue", _rescue),
    Template("mail.count", _count),
    Template("mail.who", _who),
    Template("mail.draft", _draft),
)
