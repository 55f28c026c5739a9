"""Todo: lists of tasks with days, priorities and steps."""

from __future__ import annotations

import sqlite3
from typing import Any, Literal

from agentgym_tools.apps.api.app import App, change, days, look, pattern, text
from agentgym_tools.apps.calendar_days import date_of, read_day
from agentgym_tools.worlds.toolbox import ToolFailure

Priority = Literal["low", "normal", "high"]


def _entry(row: sqlite3.Row) -> dict[str, Any]:
    due = None if row["due"] is None else date_of(row["due"])
    fields = {"task_id": row["id"], "list_id": row["list_id"], "title": row["title"], "due": due}
    return {**fields, "priority": row["priority"], "is_done": bool(row["is_done"])}


def _step(row: sqlite3.Row) -> dict[str, Any]:
    return {"step_id": row["id"], "title": row["title"], "is_done": bool(row["is_done"])}


class Todo(App):
    """The todo app."""

    about = "lists of tasks with days, priorities and steps"

    @look
    def list_lists(self) -> Any:
        """List your lists."""
        sql = "SELECT * FROM todo_lists WHERE owner = ? ORDER BY id"
        view = {"list_id": "id", "title": "title"}
        return self.page_of(
            "todo_lists", lambda row: {name: row[each] for name, each in view.items()}, sql, self.user, page=0, limit=20
        )

    @look
    def list_tasks(self, list_id: int, page: int = 0, limit: int = 10) -> Any:
        """List the tasks of a list, those that are done too."""
        self.own("todo_lists", list_id, "list")
        sql = "SELECT * FROM todos WHERE list_id = ? ORDER BY id"
        return self.page_of("todos", _entry, sql, list_id, page=page, limit=limit)

    @look
    def list_open(self, page: int = 0, limit: int = 10) -> Any:
        """List the tasks of all lists that are not done."""
        sql = "SELECT * FROM todos WHERE owner = ? AND NOT is_done ORDER BY id"
        return self.page_of("todos", _entry, sql, self.user, page=page, limit=limit)

    @look
    def list_due(self, first_day: str, last_day: str, page: int = 0, limit: int = 10) -> Any:
        """List the tasks that are due on these days, the first ones first, those that are done too."""
        sql = "SELECT * FROM todos WHERE owner = ? AND due BETWEEN ? AND ? ORDER BY due, id"
        return self.page_of("todos", _entry, sql, self.user, *days(first_day, last_day), page=page, limit=limit)

    @look
    def list_overdue(self, page: int = 0, limit: int = 10) -> Any:
        """List the tasks that were due before today and are not done."""
        sql = "SELECT * FROM todos WHERE owner = ? AND due < ? AND NOT is_done ORDER BY due, id"
        return self.page_of("todos", _entry, sql, self.user, self.today, page=page, limit=limit)

    @look
    def list_by_priority(self, priority: Priority, page: int = 0, limit: int = 10) -> Any:
        """List the tasks of a priority that are not done."""
        sql = "SELECT * FROM todos WHERE owner = ? AND priority = ? AND NOT is_done ORDER BY id"
        return self.page_of("todos", _entry, sql, self.user, priority, page=page, limit=limit)

    @look
    def search_tasks(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find tasks of all lists by a part of the title."""
        sql = "SELECT * FROM todos WHERE owner = ? AND instr(lower(title), ?) ORDER BY id"
        return self.page_of("todos", _entry, sql, self.user, pattern(query), page=page, limit=limit)

    @look
    def get_task(self, task_id: int) -> Any:
        """Read a task with its note and its steps."""
        row = self.own("todos", task_id, "task")
        self.show("steps", task_id)
        rows = self.world.rows("SELECT * FROM steps WHERE todo_id = ? ORDER BY id", task_id)
        return {**_entry(row), "note": row["note"], "steps": [_step(each) for each in rows]}

    @change
    def create_list(self, title: str) -> Any:
        """Make an empty list."""
        return {"list_id": self.add("todo_lists", owner=self.user, title=text(title, "title", most=80))}

    @change
    def rename_list(self, list_id: int, title: str) -> Any:
        """Change the title of a list."""
        self.own("todo_lists", list_id, "list")
        self.update("todo_lists", list_id, title=text(title, "title", most=80))
        return "Renamed."

    @change
    def delete_list(self, list_id: int) -> Any:
        """Delete an empty list."""
        self.own("todo_lists", list_id, "list")
        if self.world.row("SELECT 1 FROM todos WHERE list_id = ?", list_id):
            raise ToolFailure(f"List {list_id} is not empty.")
        self.remove("todo_lists", list_id)
        return "Deleted."

    @change
    def add_task(self, list_id: int, title: str, due: str = "", priority: Priority = "normal") -> Any:
        """Add a task to a list.

        Args:
            due: The day on which it is due, such as 2031-09-28; empty for none.
        """
        self.own("todo_lists", list_id, "list")
        number = self.add(
            "todos",
            owner=self.user,
            list_id=list_id,
            title=text(title, "title", most=200),
            due=read_day(due) if due.strip() else None,
            priority=priority,
            is_done=0,
            note="",
        )
        return {"task_id": number}

    @change
    def complete_task(self, task_id: int) -> Any:
        """Mark a task as done."""
        if self.own("todos", task_id, "task")["is_done"]:
            raise ToolFailure(f"Task {task_id} is done already.")
        self.update("todos", task_id, is_done=1)
        return "Done."

    @change
    def reopen_task(self, task_id: int) -> Any:
        """Mark a task as not done."""
        self.own("todos", task_id, "task")
        self.update("todos", task_id, is_done=0)
        return "Opened."

    @change
    def set_due(self, task_id: int, day: str) -> Any:
        """Change the day on which a task is due.

        Args:
            day: The day, such as 2031-09-28; empty for none.
        """
        self.own("todos", task_id, "task")
        self.update("todos", task_id, due=read_day(day) if day.strip() else None)
        return "Changed."

    @change
    def set_priority(self, task_id: int, priority: Priority) -> Any:
        """Change the priority of a task."""
        self.own("todos", task_id, "task")
        self.update("todos", task_id, priority=priority)
        return "Changed."

    @change
    def set_task_note(self, task_id: int, note: str) -> Any:
        """Change the note of a task."""
        self.own("todos", task_id, "task")
        self.update("todos", task_id, note=text(note, "note", may_be_empty=True))
        return "Changed."

    @change
    def rename_task(self, task_id: int, title: str) -> Any:
        """Change the title of a task."""
        self.own("todos", task_id, "task")
        self.update("todos", task_id, title=text(title, "title", most=200))
        return "Renamed."

    @change
    def move_task(self, task_id: int, list_id: int) -> Any:
        """Move a task to another list."""
        self.own("todos", task_id, "task")
        self.own("todo_lists", list_id, "list")
        self.update("todos", task_id, list_id=list_id)
        return "Moved."

    @change
    def delete_task(self, task_id: int) -> Any:
        """Delete a task with its steps."""
        self.own("todos", task_id, "task")
        self.world.write("DELETE FROM steps WHERE todo_id = ?", task_id)
        self.remove("todos", task_id)
        return "Deleted."

    @change
    def add_step(self, task_id: int, title: str) -> Any:
        """Add a step to a task."""
        self.own("todos", task_id, "task")
        return {"step_id": self.add("steps", todo_id=task_id, title=text(title, "title", most=200), is_done=0)}

    @change
    def complete_step(self, step_id: int) -> Any:
        """Mark a step as done."""
        self._own_step(step_id)
        self.update("steps", step_id, is_done=1)
        return "Done."

    @change
    def delete_step(self, step_id: int) -> Any:
        """Delete a step."""
        self._own_step(step_id)
        self.remove("steps", step_id)
        return "Deleted."

    def _own_step(self, number: int) -> None:
        sql = "SELECT todos.id FROM steps JOIN todos ON todos.id = todo_id WHERE steps.id = ? AND owner = ?"
        row = self.world.row(sql, number, self.user)
        if row is None:
            raise ToolFailure(f"You have no step {number}.")
        self.show("todos", row["id"])
