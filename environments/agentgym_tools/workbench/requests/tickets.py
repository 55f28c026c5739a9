"""Requests about tickets."""

from __future__ import annotations

from agentgym_tools.workbench.cases import Case, View, do, leave, rows, tell
from agentgym_tools.workbench.rows.tickets import NOTES, QUEUES, STAFF, THINGS, TROUBLES
from agentgym_tools.workbench.sets.toolbox import LISTED
from agentgym_tools.workbench.template import Facts, Pick, Template, UndrawableError, direct
from agentgym_tools.worlds.calls import Call

_ALL = "SELECT * FROM tickets WHERE owner = ? ORDER BY id"


def _ticket(pick: Pick, state: str = "") -> int:
    return int(pick.one([row["id"] for row in pick.view.rows(_ALL, pick.me) if state in ("", row["state"])]))


def _new(pick: Pick) -> Facts:
    title = f"{pick.one(THINGS)} {pick.one(TROUBLES)} in room {pick.number(500, 899)}"
    return {"title": title, "queue": pick.one(QUEUES), "priority": pick.number(1, 5)}


def _nowhere(pick: Pick) -> Facts:
    return {"ticket_id": pick.number(90_000, 99_000)}


def _priority(pick: Pick) -> Facts:
    return {"ticket_id": _ticket(pick), "priority": pick.number(1, 5)}


def _assign(pick: Pick) -> Facts:
    return {"ticket_id": _ticket(pick), "person": pick.one(STAFF)}


def _assigned_so(pick: Pick) -> Facts:
    row = pick.one([row for row in pick.view.rows(_ALL, pick.me) if row["assignee"]])
    return {"ticket_id": row["id"], "person": row["assignee"]}


def _note(pick: Pick) -> Facts:
    return {"ticket_id": _ticket(pick), "text": f"{pick.one(NOTES)}, {pick.one(('Monday', 'Tuesday', 'Friday'))}"}


def _queue(pick: Pick) -> Facts:
    return {"ticket_id": _ticket(pick), "queue": pick.one(QUEUES)}


def _assign_free(view: View, facts: Facts) -> Case:
    sql = "SELECT id FROM tickets WHERE owner = ? AND queue = ? AND state = 'open' AND assignee = '' ORDER BY id"
    found = [row["id"] for row in view.rows(sql, view.me, facts["queue"])]
    reads = [Call("list_queue", {"queue": facts["queue"]})]
    listed = [f"queue {facts['queue']}", "tickets open", "tickets any"]
    if not found:
        return leave("already_so", reads, *([(LISTED, name)] for name in listed))
    if len(found) > 4:
        raise UndrawableError
    calls = [Call("assign_ticket", {"ticket_id": number, "person": facts["person"]}) for number in found]
    return do(*calls, reads=reads)


def _queue_and_person(pick: Pick) -> Facts:
    return {"queue": pick.one(QUEUES), "person": pick.one(STAFF)}


def _count_assigned(view: View, facts: Facts) -> Case:
    sql = "SELECT id FROM tickets WHERE owner = ? AND assignee = ? AND state = ?"
    found = view.rows(sql, view.me, facts["person"], facts["state"])
    listed = (f"assigned {facts['person']}", f"tickets {facts['state']}", "tickets any")
    reads = [Call("list_assigned", {"person": facts["person"]})]
    return tell(len(found), reads, *([(LISTED, name)] for name in listed))


def _person_and_state(pick: Pick) -> Facts:
    return {"person": pick.one(STAFF), "state": pick.one(("open", "waiting", "closed"))}


def _titled(pick: Pick) -> Facts:
    row = pick.one([row for row in pick.view.rows(_ALL, pick.me) if row["state"] != "closed"])
    return {"title": row["title"]}


def _close_titled(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT id FROM tickets WHERE owner = ? AND title = ?", view.me, facts["title"])
    if len(found) != 1:
        raise UndrawableError
    return do(
        Call("close_ticket", {"ticket_id": found[0]["id"]}), reads=[Call("find_tickets", {"words": facts["title"]})]
    )


def _most_urgent(view: View, facts: Facts) -> Case:
    sql = "SELECT id, priority FROM tickets WHERE owner = ? AND queue = ? AND state = 'open' ORDER BY id"
    found = view.rows(sql, view.me, facts["queue"])
    if len(found) < 2:
        raise UndrawableError
    best = min(row["priority"] for row in found)
    first = [row["id"] for row in found if row["priority"] == best]
    if len(first) != 1:
        raise UndrawableError
    reads = [Call("list_queue", {"queue": facts["queue"]})]
    return tell(first[0], reads, rows("tickets", [row["id"] for row in found]))


def _state_of(view: View, facts: Facts) -> Case:
    state = view.value("SELECT state FROM tickets WHERE id = ?", facts["ticket_id"])
    return tell(state, [Call("get_ticket", facts)], rows("tickets", [facts["ticket_id"]]))


def _assign_last(view: View, facts: Facts) -> Case:
    return do(Call("assign_ticket", {"ticket_id": view.added("tickets"), "person": facts["person"]}))


def _note_on_last(view: View, facts: Facts) -> Case:
    return do(Call("add_note", {"ticket_id": view.added("tickets"), "text": facts["text"]}))


TICKETS = "tickets"
TEMPLATES = (
    direct(
        *("open_ticket", TICKETS, "open_ticket"),
        (
            'Open a ticket "{title}" in the queue {queue} with priority {priority}.',
            'We need a new ticket in {queue}: "{title}", priority {priority}.',
        ),
        _new,
        missing="priority",
        vague=('Open a ticket "{title}" in the queue {queue}.', 'We need a new ticket in {queue}: "{title}".'),
    ),
    direct(
        *("close_ticket", TICKETS, "close_ticket"),
        ("Close ticket {ticket_id}.", "Ticket {ticket_id} is dealt with; close it."),
        lambda pick: {"ticket_id": _ticket(pick)},
        idle=lambda pick: {"ticket_id": _ticket(pick, "closed")},
    ),
    direct(
        *("reopen", TICKETS, "reopen_ticket"),
        ("Open ticket {ticket_id} again.", "Ticket {ticket_id} was closed too early; reopen it."),
        lambda pick: {"ticket_id": _ticket(pick, "closed")},
        idle=_nowhere,
    ),
    direct(
        *("priority", TICKETS, "set_priority"),
        ("Give ticket {ticket_id} the priority {priority}.", "The priority of ticket {ticket_id} shall be {priority}."),
        _priority,
        idle=_priority,
        missing="priority",
        vague=("Change the priority of ticket {ticket_id}.",),
    ),
    direct(
        *("assign", TICKETS, "assign_ticket"),
        ("Assign ticket {ticket_id} to {person}.", "{person} takes over ticket {ticket_id}; assign it."),
        _assign,
        idle=_assigned_so,
        missing="person",
        vague=("Assign ticket {ticket_id} to somebody.", "Somebody takes over ticket {ticket_id}; assign it."),
    ),
    direct(
        *("unassign", TICKETS, "unassign_ticket"),
        ("Take ticket {ticket_id} from whoever has it.", "Ticket {ticket_id} shall be assigned to nobody."),
        lambda pick: {"ticket_id": _ticket(pick)},
        idle=lambda pick: {"ticket_id": _ticket(pick)},
    ),
    direct(
        *("note", TICKETS, "add_note"),
        ('Add the note "{text}" to ticket {ticket_id}.', 'Write on ticket {ticket_id}: "{text}"'),
        _note,
        missing="text",
        vague=("Add a note to ticket {ticket_id}.",),
        idle=lambda pick: {**_nowhere(pick), "text": pick.one(NOTES)},
    ),
    direct(
        *("move_queue", TICKETS, "move_to_queue"),
        ("Move ticket {ticket_id} to the queue {queue}.", "Ticket {ticket_id} belongs into {queue}."),
        _queue,
        idle=_queue,
        missing="queue",
        vague=("Move ticket {ticket_id} to another queue.", "Ticket {ticket_id} is in the wrong queue; move it."),
    ),
    direct(
        *("waiting", TICKETS, "set_waiting"),
        ("Mark ticket {ticket_id} as waiting.", "Ticket {ticket_id} has to wait for somebody; mark it so."),
        lambda pick: {"ticket_id": _ticket(pick, "open")},
        idle=lambda pick: {"ticket_id": _ticket(pick, pick.one(("waiting", "closed")))},
    ),
    Template(
        *("assign_free", TICKETS),
        (
            "Assign all open tickets in the queue {queue} that nobody has to {person}.",
            "{person} takes every open ticket in {queue} that is assigned to nobody. Assign them.",
        ),
        _queue_and_person,
        _assign_free,
        idle=_queue_and_person,
        key_tool="assign_ticket",
        is_long=True,
    ),
    Template(
        *("count_assigned", TICKETS),
        ("How many tickets of {person} are {state}?", "Count the tickets in the state {state} that {person} has."),
        _person_and_state,
        _count_assigned,
        is_long=True,
    ),
    Template(
        *("close_titled", TICKETS),
        ('Close the ticket "{title}".', 'The matter "{title}" is settled; close its ticket.'),
        _titled,
        _close_titled,
        key_tool="close_ticket",
        is_long=True,
    ),
    Template(
        *("most_urgent", TICKETS),
        (
            "Give the number of the open ticket in the queue {queue} with the most urgent priority; 1 is urgent.",
            "What is the number of the open ticket in {queue} with the most urgent priority?",
        ),
        lambda pick: {"queue": pick.one(QUEUES)},
        _most_urgent,
    ),
    Template(
        *("state_of", TICKETS),
        ("What is the state of ticket {ticket_id}?", "Is ticket {ticket_id} open, waiting or closed?"),
        lambda pick: {"ticket_id": _ticket(pick)},
        _state_of,
    ),
    Template(
        *("assign_last", TICKETS),
        ("Assign the ticket that you have just opened to {person}.", "The new ticket is for {person}; assign it."),
        lambda pick: {"person": pick.one(STAFF)},
        _assign_last,
        key_tool="assign_ticket",
        after="tickets",
        missing="person",
        vague=("Assign the ticket that you have just opened to somebody.",),
    ),
    Template(
        *("note_on_last", TICKETS),
        ('Add the note "{text}" to the ticket that you have just opened.', 'The new ticket needs a note: "{text}"'),
        lambda pick: {"text": f"{pick.one(NOTES)}, {pick.one(('Monday', 'Tuesday', 'Friday'))}"},
        _note_on_last,
        key_tool="add_note",
        after="tickets",
    ),
)
"""All requests about tickets."""
